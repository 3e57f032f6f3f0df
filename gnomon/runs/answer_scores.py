"""Scores of a run's answers, and the pictures that they are about."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from gnomon import files, jsons, recipe, store
from gnomon.eval import RunResult
from gnomon.eval.scoring import predictions, question_file
from gnomon.eval.scoring.question_file import Question
from gnomon.eval.scoring.runs import Forgetting, Scores
from gnomon.progress import warn
from gnomon.recipe import RecipeError
from gnomon.runs.directory import AFTER, BEFORE, guard_name, no_run_message
from gnomon.runs.exam import Exam
from gnomon.runs.guard import TextRecord
from gnomon.runs.provenance import Provenance, read_provenance
from gnomon.runs.versions import kind_versions
from gnomon.sample import Prediction, Sample
from gnomon.store import Samples
from gnomon.store.reading.run_folder import RunFolder


def score_file(file: Path, *, name: str | None = None, boxes: str | None = None) -> RunResult:
    """Score a file of answers against the questions that it records.

    `boxes` names the dialect of the boxes if it differs from the dialect of the predictions. "auto"
    finds it on some answers, which are then not scored.
    """
    if not file.exists():
        raise RecipeError(_no_answers(file))
    files.check_regular(file)  # a named pipe would be waited for without end
    provenance = read_provenance(file)
    # Reads answers from disk each time they are wanted: a file may be larger than memory.
    answers, n = predictions.PredictionFile(file), provenance.exam.samples
    if len(answers) < n:  # before as many samples are drawn as a damaged file may name
        raise ValueError(
            f"{file}: {n - len(answers):,} of {n:,} questions have no answer"
            " yet: the same `gnomon predict` resumes"
        )
    stored = question_file.load(file, _same_samples(file, provenance), n)
    try:
        for _ in predictions.require_settings(
            file, answers
        ):  # reads all lines without keeping them
            pass
        run, note = score_answers(file, answers, stored, provenance.exam, provenance.data, boxes)
    except ValueError:
        predictions.check(file, {question.id for question in stored})
        raise  # no line is at fault
    if note:
        warn(f"{file}: {note}")
    return replace(
        run, name=name or run.name, versions=provenance.versions, trained=provenance.trained
    )


def score_answers(
    file: Path,
    answers: Collection[Prediction],
    questions: Iterable[Question],
    exam: Exam,
    data: Mapping[str, Any],
    boxes: str | None,
) -> tuple[RunResult, str]:
    """Score a file's answers. Also return a note on the space of its boxes."""
    # Here, since it imports scipy, which a training does without.
    from gnomon.eval import score
    from gnomon.eval.scoring import spaces

    ids_by_source, note = exam.by_source(questions, data), ""
    if boxes is not None:
        answers, questions, note = spaces.read_in_space(answers, questions, boxes)
    # Generators, since a file may have millions of answers; each source reads it through again.
    sources = {}
    for source, ids in ids_by_source.items():
        sources[source] = score(
            (answer for answer in answers if answer.sample_id in ids),
            (question for question in questions if question.id in ids),
        )
    day = date.fromtimestamp(file.stat().st_mtime) if file.is_file() else date.today()
    run = RunResult(
        name=file.stem,
        scores=score(answers, questions),
        sources=sources,
        predictions=answers,
        asked={**data, "samples": exam.samples},
        questions=questions,
        # The day of the last answer, so scoring the file again gives the same date.
        date=day.isoformat(),
    )
    return run, note


def score_run(
    out: Path, *, boxes: str | None = None, recipe_yaml: str | None = None
) -> list[RunResult]:
    """Score a run's answers, before and after as far as they are there, or a file of answers.

    `boxes` as in score_file. `recipe_yaml` is the run's recipe, if the caller has read it.
    """
    if not out.is_dir():
        return [score_file(out, boxes=boxes)]
    paths = [RunFolder(out).answers(name) for name in (BEFORE, AFTER)]
    runs = [score_file(path, boxes=boxes) for path in paths if path.is_file()]
    if not runs:
        raise RecipeError(_no_answers(out))
    log = RunFolder(out).log
    lines = jsons.read_lines(log) if log.exists() else None
    if recipe_yaml is None:
        recipe_yaml = recipe.read_text(RunFolder(out).recipe)
        # A damaged file is refused here: the report parses it again without a file's name.
        recipe.parse(recipe_yaml, name=str(RunFolder(out).recipe))
    # Only the last answers are of the training that the log shows.
    forgetting = measure_forgetting(RunFolder(out))
    runs[-1] = replace(runs[-1], recipe_yaml=recipe_yaml, log=lines, forgetting=forgetting)
    return runs


def measure_forgetting(folder: RunFolder) -> list[Forgetting]:
    """Compare the answers to a run's guard before and after its training."""
    from gnomon.eval.comparing.forgetting import compare_guards, compare_text  # scipy

    questions: dict[str, tuple[Scores, Scores]] = {}
    texts: list[Forgetting] = []
    for now in sorted(folder.predictions.glob(f"{guard_name(AFTER, '*')}.json")):
        then = now.with_name(BEFORE + now.name.removeprefix(AFTER))
        name, _, record = now.stem.removeprefix(guard_name(AFTER, "")).rpartition(".")
        if then.is_file() and record == "text":
            old, new = TextRecord.read(then), TextRecord.read(now)
            texts.append(compare_text(name, new.tokens, old.nats, new.nats))
        elif then.is_file():
            answers = [folder.answers(guard_name(when, name)) for when in (BEFORE, AFTER)]
            questions[name] = score_file(answers[0]).scores, score_file(answers[1]).scores
    return compare_guards(questions) + texts


def pictures_of(out: Path) -> tuple[Mapping[str, Sample], str]:
    """Return the samples that a run or a file answers, by id, and a note if pictures are missing.

    They come from the run's directory if it wrote them down, else from the sources, unless these
    have changed: then there are questions without pictures.
    """
    file = last_answers(out)
    provenance = read_provenance(file)
    exam = provenance.exam
    # A run lies two folders above its answers: RUN/predictions/after.jsonl.
    stored = _stored_samples(file.parent.parent, exam, provenance.data)
    if stored is not None:
        return store.SamplesById(stored, exam.samples), ""
    try:
        kinds = kind_versions(exam.sources)
        same = exam.pool.describe() == provenance.data and provenance.kinds == kinds
    except (ValueError, OSError, ImportError):  # a hub's needs a library, and a network
        same = False
    if same:
        return store.SamplesById(exam.pool, exam.samples), ""
    note = (
        f"The pictures are missing: since they were asked about, {' or '.join(exam.names)} was"
        " changed, moved or deleted. The true answers are those of that time: for others ask again"
        " (`gnomon predict`), into another file."
    )
    warn(note)
    path = question_file.question_path(file)
    # Without pictures the report still shows questions, answers and truths.
    rows = question_file.QuestionFile(path) if path.is_file() else ()
    return {q.id: Sample(q.id, None, q.question, q.target) for q in rows}, note


def _stored_samples(run: Path, exam: Exam, description: dict[str, Any]) -> Samples | None:
    """Open the exam's samples in a run's directory. Return None if it holds other samples."""
    try:
        stored = RunFolder(run).stored(exam.split)
    except (ValueError, OSError):  # a damaged copy is not needed if the sources exist
        return None
    if stored is None or stored.describe() != description:
        return None
    # A run may hold more samples than the exam asked, of the same sources.
    return stored if (stored.length or 0) >= exam.samples else None


def last_answers(out: Path) -> Path:
    """Return the file of a run's last answers; a file of answers is returned as it is."""
    paths = [RunFolder(out).answers(name) for name in (AFTER, BEFORE)]
    path = next((path for path in paths if path.is_file()), out)
    if not path.is_file():
        raise RecipeError(_no_answers(out))
    return path


def _no_answers(out: Path) -> str:
    if out.suffix == ".jsonl" or RunFolder(out).is_run:
        return f"{out}: there are no answers yet; `gnomon predict` makes them"
    return no_run_message(out)


def _same_samples(file: Path, provenance: Provenance) -> Iterator[Sample]:
    """Draw or read the exam's samples again; refuse them if they are others by now."""
    if provenance.exam.pool.describe() != provenance.data:
        raise ValueError(f"{file}: its samples have changed since: predict again")
    yield from provenance.exam
