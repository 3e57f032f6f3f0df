"""`gnomon.evaluate`, `gnomon.calibrate` and `gnomon.score`: answers are measured."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gnomon import recipe as recipes
from gnomon.answers.registry import COLUMN_TARGETS, TARGETS
from gnomon.eval.scoring.question_file import Question
from gnomon.names import check as check_known
from gnomon.progress import track
from gnomon.recipe import Columns, RecipeError
from gnomon.runs import calibrating
from gnomon.runs.answer_scores import measure_forgetting, score_answers
from gnomon.runs.calibrating import CalibratedModel
from gnomon.runs.exam import note_unasked
from gnomon.runs.guard_answers import ask_guard_of
from gnomon.runs.loading import load
from gnomon.runs.model_arguments import recipe_and_exam, resolve_model
from gnomon.runs.python_arguments import override_words
from gnomon.runs.reader import Reader
from gnomon.runs.report import Report
from gnomon.runs.run import Run
from gnomon.runs.trained_rows import warn_of_trained
from gnomon.runs.versions import versions
from gnomon.sample import Prediction, Sample, Size
from gnomon.store import SamplesById
from gnomon.store.reading.run_folder import RunFolder


def evaluate(
    model: Reader | Run | str | Path,
    data: str | Path | None = None,
    *,
    overrides: Mapping[str, Any] | None = None,
) -> Report:
    """Ask a model all questions of some data and measure its answers.

    Example::

        report = gnomon.evaluate(reader, "labels.csv")
        print(report)  # a table with 95 % intervals

    Args:
        model: A reader, or what `gnomon.load` opens.
        data: A table of your own, a folder, a dataset, a kind such as "clock", or a recipe. By
            default, what the run held out. If a table has no column of questions, the reader's
            own question is asked.
        overrides: How the table is read, and how many are asked, such as
            {"columns.answer": "time", "columns.kind": "time", "eval.samples": 200}.

    If the run's recipe names `eval.guard` and no `data` is given, its files are measured as well.
    The run keeps those answers.

    Raises:
        ValueError: The table has rows that cannot be used, or the data is not there.
    """
    reader = _reader(model)
    words = override_words(overrides)
    for key in overrides or {}:
        if re.match(r"(model|train|loss)\b|eval\.(?!samples|split|seed)", key):
            raise RecipeError(f"{key}: give options of the model to gnomon.load")
    name = None if data is None else str(data)
    resolved = resolve_model(reader.name, name, words)
    _, exam = recipe_and_exam(resolved, name, words, reader)
    note_unasked(exam)
    if name is not None and (question := exam.only_question):
        reader.warn_of_unknown_question(question)
    if name is None:  # the guard belongs to the run's own exam
        ask_guard_of(reader)
    predictions: dict[str, Prediction] = {}
    with track(total=exam.samples, desc="answers") as bar:
        for batch in reader.predictions(exam):
            predictions |= {answer.sample_id: answer for answer in batch}
            bar.update(len(batch))
    answers = [predictions[question.id] for question in exam.questions]
    n_trained = reader.trained_rows.count_trained(exam.questions)
    warn_of_trained(n_trained, exam.samples)
    result, _ = score_answers(
        Path(Path(reader.name).name), answers, exam.questions, exam, exam.pool.describe(), None
    )
    forgetting = measure_forgetting(RunFolder(reader.run)) if name is None and reader.run else ()
    result = replace(result, trained=n_trained, versions=versions(), forgetting=forgetting)
    return Report(result, SamplesById(exam.pool, exam.samples))


def _reader(model: Reader | Run | str | Path) -> Reader:
    """Return a reader unchanged. Load the reader of a run or of a model's name."""
    if isinstance(model, Reader):
        return model
    return load(model.path if isinstance(model, Run) else model)


def calibrate(
    model: Run | Reader | str | Path,
    data: str | Path | None = None,
    *,
    within: float | None = None,
    same_groups: bool = False,
    overrides: Mapping[str, Any] | None = None,
) -> CalibratedModel:
    """Learn how far off a run's answers are, so that its reader gives intervals and refuses.

    Example::

        print(gnomon.calibrate("runs/dials", "new-dials.csv", within=0.2))
        reader = gnomon.load("runs/dials", wrong=0.05)

    Args:
        model: A trained run.
        data: Labelled pictures that the training did not see. By default, the run's split val.
        within: An answer this far from the truth is right. By default the labels say it.
        same_groups: True if the next pictures come from the groups (cameras, meters) of these.
            Without it they come from new groups, and intervals are as wide as that needs.
        overrides: How the table is read, and how the model answers, such as
            {"eval.answer": "median"}.

    Raises:
        ValueError: The pictures are too few, or the run was trained on them.
    """
    if isinstance(model, Reader):
        name = model.name
    else:
        name = str(model.path if isinstance(model, Run) else model)
    return calibrating.calibrate(
        name, None if data is None else str(data), override_words(overrides),
        within=within, same_groups=same_groups,
    )  # fmt: skip


def score(
    answers: Iterable[str],
    truths: Iterable[Any],
    *,
    kind: str = "number",
    sizes: Iterable[Size] | None = None,
    boxes: str | None = None,
    groups: Iterable[str] | None = None,
    name: str = "answers",
    **columns: Any,
) -> Report:
    """Measure answers, as texts, against the true answers.

    Example::

        report = gnomon.score(["about 4.7 bar", "5"], [4.7, 6], kind="number", within=0.1)
        print(report)

    Args:
        answers: What the model said. An empty text counts as an answer that could not be read.
        truths: Labels as a table would have them: 4.7, "10:08", (x1, y1, x2, y2) and so on.
        kind: The type of the answers: "number", "time", "text", "box" or "boxes".
        sizes: Width and height of each picture. Boxes need them.
        boxes: The space that boxes in the answers are in, such as "pixels" or "qwen2-vl".
        groups: A name for each answer, such as its camera; intervals are then over groups.
        name: Name of the column in the table.
        **columns: How labels are read, as under `columns` of a recipe: `within=0.1`,
            `unit="bar"`, `hours=24`, `cycle=10`, `choices=["open", "closed"]`.

    Raises:
        ValueError: The lists differ in length, or a label cannot be read.
    """
    check_known(COLUMN_TARGETS, kind, what="kind")
    answers, truths = _list(answers, "answers"), _list(truths, "truths")
    sizes = None if sizes is None else _list(sizes, "sizes")
    groups = None if groups is None else _list(groups, "groups")
    for what, values in {"truths": truths, "sizes": sizes, "groups": groups}.items():
        if values is not None and len(values) != len(answers):
            raise ValueError(f"{what}: {len(values)} for {len(answers)} answers: give one for each")
    if isinstance(columns.get("within"), str):
        raise ValueError(f"within={columns['within']!r}: give a number, or a table to score")
    how = recipes.validate(Columns, {"kind": kind, **columns}, name="columns")
    questions, predictions = [], []
    for index, (answer, truth) in enumerate(zip(answers, truths, strict=True)):
        if not isinstance(answer, str):
            raise ValueError(f"answers[{index}]: {answer!r}: give the model's words, as a text")
        size = None if sizes is None else _size(sizes[index], index)
        try:
            target = TARGETS[kind].from_label(truth, how, size)
        except ValueError as error:
            raise ValueError(f"truths[{index}]: {error}") from error
        if target.has_place and (boxes is None or size is None):
            raise ValueError(
                f"kind={kind!r}: say in which space the answers are, as in boxes='pixels', and give"
                " the pictures' sizes"
            )
        facts = {} if groups is None else {"group": groups[index]}
        questions.append(Question(str(index), target, size, str(index), facts=dict(facts)))
        predictions.append(Prediction(str(index), answer, size, boxes or "plain"))
    samples = {q.id: Sample(q.id, None, q.question, q.target) for q in questions}
    from gnomon.eval import RunResult  # scipy, which a reader does without
    from gnomon.eval import score as score_predictions

    scores = score_predictions(predictions, questions)
    return Report(RunResult(name, scores, predictions, questions=questions), samples)


def _list(values: Iterable[Any], name: str) -> list[Any]:
    """Return an argument as a list. Raise a ValueError for a text, which is not a list of texts."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ValueError(f"{name}: {values!r}: give a list")
    return list(values)


def _size(size: Any, index: int) -> Size:
    try:
        width, height = size
        return int(width), int(height)
    except (TypeError, ValueError):
        raise ValueError(f"sizes[{index}]: {size!r}: give width and height in pixels") from None
