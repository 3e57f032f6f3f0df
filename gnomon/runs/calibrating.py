"""The calibration of a run, or of a model behind a server, by labelled pictures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from hashlib import blake2b
from numbers import Real
from pathlib import Path
from typing import Any

from gnomon.answers.base.number_range import MOST_ANSWERS
from gnomon.answers.number.answer import (
    form_with_decimals,
    grid_of_labels,
    number_range_of,
    value_of_number,
)
from gnomon.answers.registry import is_listed
from gnomon.eval.calibration import calibration as calibrations
from gnomon.eval.calibration.calibration import Calibration, Terms
from gnomon.eval.calibration.rule_choice import choose_rule
from gnomon.eval.calibration.summary import most_coverage, summaries
from gnomon.eval.scoring import predictions, question_file
from gnomon.eval.scoring.belief import range_of
from gnomon.eval.scoring.question_file import Question
from gnomon.eval.scoring.runs import questions_title
from gnomon.options import option
from gnomon.progress import note, warn
from gnomon.recipe import Recipe, RecipeError
from gnomon.recipe.sections import HowMany
from gnomon.runs.answer_file import AnswerFile
from gnomon.runs.directory import no_run_message
from gnomon.runs.exam import Exam, check_enough_samples, note_unasked
from gnomon.runs.finding import InstrumentFinder
from gnomon.runs.model_arguments import (
    data_and_overrides,
    recipe_and_exam,
    resolve_model,
    trained_run,
)
from gnomon.runs.reader import Reader, served_folder, served_name
from gnomon.runs.resolve import Resolved
from gnomon.runs.trained_rows import ENOUGH_ROWS, TrainedRows, read_rows
from gnomon.sample import Prediction, Target
from gnomon.store.reading.run_folder import RunFolder
from gnomon.store.reading.sources import is_gone, user_sources

_FEWEST = 20
"""Pictures below which an interval of 90 % is the largest error or the one next to it."""
_UNLISTABLE = (
    "boxes, free texts, lists of texts, tables and times with seconds cannot be calibrated: their"
    " answers cannot be listed"
)


@dataclass(frozen=True)
class CalibratedModel:
    """A calibration that was learnt and written."""

    calibration: Calibration
    file: Path
    summary: str
    """Lines that say how wide intervals are, and how often the surest answers are wrong."""
    coverage: float
    """The coverage that the labelled groups can show, or 0."""

    def __str__(self) -> str:
        return self.summary


def calibrate(
    model: str,
    data: str | None = None,
    overrides: Sequence[str] = (),
    *,
    within: float | None = None,
    same_groups: bool = False,
    server: str | None = None,
    finder: bool = False,
) -> CalibratedModel:
    """Ask a model about labelled pictures, and write into its run what its errors show.

    `data` and `overrides` are as on the command line: without `data` the run's split val is asked.
    An answer is right if it differs from the truth by at most `within`. With `same_groups` the next
    pictures are taken to come from the groups of these. `server` is the address of a server that
    holds the model. With `finder`, gnomon's finder looks for the instrument in each picture first,
    and pictures in which it finds none are refused now and later.
    """
    data, words = data_and_overrides(data, overrides, belief=True, server=server)
    run = trained_run(model)
    if server and data is None:
        raise RecipeError(f"{model}: name labelled pictures (DATA) to ask the server about")
    if not server and run is None:
        no_run = no_run_message(Path(model))
        raise RecipeError(f"{no_run}: calibrate a run that was trained, such as runs/demo")
    _check_distance(within)
    resolved = resolve_model(model, data, words)
    if data is None:
        assert run is not None  # a served model has been asked for DATA above
        recipe = resolved.recipe
        # The run's own number is one of its test.
        is_given = any(word.startswith("eval.samples=") for word in words)
        exam = _validation_exam(resolved, run, recipe.eval.samples if is_given else None)
        note_unasked(exam)
    else:
        recipe, exam = recipe_and_exam(resolved, data, words, Reader(resolved.parsed, run))
    is_rule_open = not recipe.eval.chooses_from_belief
    if is_rule_open:
        recipe = replace(recipe, eval=replace(recipe.eval, answer="mode"))
    if exam.samples < _FEWEST:
        there_are = exam.pool.n_distinct or 0
        ways_out = [f"eval.samples={_FEWEST}"] if data is None and there_are >= _FEWEST else []
        raise RecipeError(
            f"{exam.samples} labelled pictures are too few: give at least {_FEWEST},"
            f" {' or '.join([*ways_out, 'as DATA'])}"
        )
    if all(exam.pool.target(index).has_place for index in range(_FEWEST)):
        raise RecipeError(_UNLISTABLE)  # before the model is asked for hundreds of boxes
    rows = read_rows(run)
    left_out = _rows_to_leave_out(exam, rows, model)
    folder = run if run is not None and not server else served_folder(model)
    recipe = _with_steps_of_labels(recipe, exam)
    reader = Reader(recipe, run, finder=InstrumentFinder() if finder else None)
    out = AnswerFile(_answers_path(reader, exam, folder)).ask(reader, exam)
    by_id = {question.id: question for question in question_file.load(out, exam, exam.samples)}
    answers = [(answer, by_id[answer.sample_id]) for answer in predictions.PredictionFile(out)]
    answers = [pair for pair in answers if pair[1].id not in left_out]
    if n_refused := sum(answer.is_refused for answer, _ in answers):
        note(f"no instrument was found in {n_refused} of {len(answers)} pictures: they are refused")
    answers = [pair for pair in answers if not pair[0].is_refused]
    if not answers:
        raise RecipeError(f"{data}: no instrument was found in any picture")
    unlisted = _check_listed(recipe, answers)
    texts = [questions_title(len(answers), exam.pool.describe())]
    if is_rule_open:
        choice = choose_rule(answers, within=within, same_groups=same_groups)
        recipe = replace(recipe, eval=replace(recipe.eval, answer=choice.rule))
        answers = list(choice.rest)
        texts += [choice.sentence] if choice.sentence else []
    calibration = _learn(recipe, answers, unlisted, within=within, same_groups=same_groups)
    file = calibration.write(folder)
    texts += summaries(calibration, answers, same_groups=same_groups)
    return CalibratedModel(calibration, file, "\n".join(texts), most_coverage(calibration))


def _check_distance(within: Any) -> None:
    is_number = isinstance(within, Real)
    if within is not None and not (is_number and 0 <= within < float("inf")):
        raise RecipeError(f"{option('within', within)}: give a distance, 0 or more")


def _rows_to_leave_out(exam: Exam, rows: TrainedRows, model: str) -> set[str]:
    """Return the ids of questions about pictures that the training used, and say so.

    Too few others are refused. Rows that chose the checkpoint stay if too few others are there.
    """
    if not rows.train | rows.validation:
        return set()
    trained = {question.id for question in exam.questions if rows.trained(question)}
    n = exam.samples - len(trained)
    if trained and n < _FEWEST:
        raise RecipeError(
            f"{len(trained)} of {exam.samples} pictures are in the training of {model}, which errs"
            f" less on them than on new pictures: give at least {_FEWEST} other pictures as DATA"
        )
    if trained:
        warn(
            f"{len(trained)} of {exam.samples} pictures are in the training of {model}: it is"
            f" calibrated on the other {n}"
        )
    chose = {question.id for question in exam.questions if rows.chose(question)}
    if not chose:
        return trained
    chosen_by = f"{len(chose)} of {exam.samples} pictures chose the checkpoint of {model}"
    if n - len(chose) >= ENOUGH_ROWS:
        note(f"{chosen_by}: it is calibrated on the other {n - len(chose)}")
        return trained | chose
    warn(
        f"{chosen_by}. It may err less on them than on new pictures, so intervals may hold fewer"
        " truths than they promise: give other labelled pictures as DATA"
    )
    return trained


def _with_steps_of_labels(recipe: Recipe, exam: Exam) -> Recipe:
    """Set the grid of possible answers to the steps of the labels, for example tenths.

    This matters for cyclic scales and for counters with decimals, whose answers would otherwise be
    whole numbers. A grid in the recipe is not changed.
    """
    section = recipe.eval
    if section.grid is not None or not isinstance(section.belief, bool):
        return recipe
    if exam.pool.n_distinct is None:  # drawings come without an end
        return recipe
    targets = [
        target for target in map(exam.pool.target, range(exam.samples)) if target.is_readable
    ]
    if all(map(_is_listed_or_searched, targets)):
        return recipe
    grid = grid_of_labels(targets)
    if grid is None:
        return recipe
    first, last, step = grid
    note(f"answers are listed from {first} to {last} in steps of {step}, as the labels have them")
    return replace(recipe, eval=replace(section, grid=(float(first), float(last), float(step))))


def _is_listed_or_searched(target: Target) -> bool:
    return is_listed(target) or number_range_of(form_with_decimals(target)) is not None


def _validation_exam(resolved: Resolved, run: Path, n: HowMany) -> Exam:
    """Return `n` questions of a run's split val; None for all that it has, but at most 500.

    If drawings were mixed with a user's pictures, only the user's pictures are asked about, because
    intervals are for pictures like these.
    """
    recipe = resolved.recipe
    recipe = replace(recipe, data=user_sources(recipe.data) or recipe.data)
    is_stored = recipe.data == resolved.recipe.data and any(map(is_gone, recipe.data))
    exam = _stored_validation(recipe, run, n) if is_stored else None
    if exam is None:
        try:
            resolved.check_sources_exist(recipe.data)
        except RecipeError as error:
            raise RecipeError(
                f"{error}. The run or its data was moved: name labelled pictures as DATA"
            ) from error
        section = replace(recipe.eval, split="val", data=None, samples=n)
        exam = Exam.of(replace(recipe, eval=section))
    check_enough_samples("eval.samples", exam.samples, exam.pool, "val")
    return exam


def _stored_validation(recipe: Recipe, run: Path, n: HowMany) -> Exam | None:
    """Return `n` questions of the split val that the run stored, or None if it stored a different
    split."""
    # Several sources were mixed by the seed of the training.
    if len(recipe.data) > 1 and recipe.seed != recipe.eval.seed:
        return None
    return Exam.stored(recipe.data, run, "val", recipe.eval.seed, n)


def _answers_path(reader: Reader, exam: Exam, path: Path) -> Path:
    """Return a file for the answers to these very questions under the reader's settings.

    So a killed calibration resumes, and another one never meets the answers of an earlier.
    """
    is_served = reader.recipe.model.server is not None
    # A run may move, and its answers with it.
    values = exam.to_json() if exam.folder else asdict(exam)
    settings = dict(reader.settings)
    if settings.get("weights") is not None:
        del settings["name"]  # the folder of the base model, which may move
    what = [values, settings]
    digest = blake2b(json.dumps(what, default=str).encode(), digest_size=4).hexdigest()
    folder = path if is_served else RunFolder(path).predictions
    return folder / f"calibration-{digest}.jsonl"


def _check_listed(recipe: Recipe, answers: Sequence[tuple[Prediction, Question]]) -> list[Target]:
    """Refuse numbers that were not listed; return the truths of all answers without a belief."""
    unlisted, numbers = list[Target](), list[Target]()
    for answer, question in answers:
        if answer.logprobs:
            continue
        target = question.target
        unlisted.append(target)
        # A search that came to no number is passed over.
        searched = range_of(answer, target.answer_form)
        is_missing = searched is None or recipe.model.server is not None
        if value_of_number(target) is not None and is_missing:
            numbers.append(target)
    if numbers:
        raise RecipeError(
            f"{len(numbers)} of {len(answers)} labels, such as {numbers[0].write()}, are not among"
            " the answers that are listed by default (whole numbers to 100, or the steps of a scale"
            f" that goes round): {_grid_for(answers, recipe)}"
        )
    return unlisted


def _learn(
    recipe: Recipe,
    answers: Sequence[tuple[Prediction, Question]],
    unlisted: Sequence[Target],
    *,
    within: float | None,
    same_groups: bool,
) -> Calibration:
    """Calibrate by answers with beliefs. Refuse answers that cannot be calibrated."""
    parts = calibrations.calibrate(
        answers, recipe.eval.answer, within=within, same_groups=same_groups
    )
    if not parts:
        raise RecipeError(_UNLISTABLE)
    n = sum(len(part.scored[0]) for part in parts)
    outside = sum(part.outside for part in parts)
    if outside > n * (1 - Terms().coverage):
        raise RecipeError(
            f"{outside} of {n} truths are not among the listed answers, so intervals cannot hold"
            f" them: {_grid_for(answers, recipe)}"
        )
    if n < _FEWEST:
        raise RecipeError(f"{n} labelled pictures are too few: give at least {_FEWEST}, as DATA")
    if unlisted:
        warn(
            f"{len(unlisted)} questions were left out: answers such as {unlisted[0].display()}"
            " cannot be listed"
        )
    settings = answers[0][0].settings
    belief = recipe.eval.belief
    listing = None if isinstance(belief, bool) else tuple(belief)
    rule = recipe.eval.answer
    assert rule != "greedy"  # `calibrate` has set another
    grid, refusals = recipe.eval.grid, "refusals" in settings
    weights = settings.get("weights")
    if recipe.model.server is not None:
        weights = served_name(recipe)
    return Calibration(
        *(weights, rule, grid, listing, parts, refusals, recipe.eval.views, settings.get("finder"))
    )


def _grid_for(answers: Sequence[tuple[Prediction, Question]], recipe: Recipe) -> str:
    """Name the override whose grid has all the labels that are numbers."""
    numbers = (value_of_number(question.target) for _, question in answers)
    values = [number for number in numbers if number is not None] or [Decimal(0)]
    exponents = [int(value.as_tuple().exponent) for value in values]
    step = Decimal(1).scaleb(min(0, *exponents))
    grid = f"eval.grid=[{min(values):f},{max(values):f},{step:f}]"
    is_wide = (max(values) - min(values)) / step > MOST_ANSWERS
    # Long grids are searched, from zero on, and by a model that is here.
    if is_wide and (min(values) < 0 or recipe.model.server is not None):
        return f"{grid} has more than {MOST_ANSWERS:,}: give a coarser step, or fewer numbers"
    return f"{grid} lists these: give the least and the greatest that a picture may show"
