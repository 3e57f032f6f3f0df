"""Coordinate spaces of boxes: read boxes in another space, or warn if another space fits better.

Each dialect has a space, for example pixels or thousandths. The space of a run changes only if the
user asks for it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gnomon.answers.base.answer_type import boxes_in
from gnomon.answers.box.measure import iou
from gnomon.answers.registry import TYPES
from gnomon.dialect import DIALECTS, create
from gnomon.eval.scoring.question_file import Question
from gnomon.eval.scoring.runs import RunResult
from gnomon.eval.scoring.score import pair_answers
from gnomon.sample import Prediction, Sample, Size, Target

AUTO = "auto"
FEWEST = 20
"""Smallest number of questions to choose the space on, and to leave for scoring."""
# A space with a lower mean IoU does not explain the answers.
_LEAST_FIT = 0.1
# One in ten questions with boxes is used for the choice, if that is more than FEWEST.
_SHARE = 10
# Smallest number of boxes for a warning, and the mean IoU by which another space must be better.
_FEWEST_TO_WARN, _MARGIN = 5, 0.2


def read_in_space(
    predictions: Iterable[Prediction], samples: Iterable[Sample | Question], space: str
) -> tuple[list[Prediction], list[Question], str]:
    """Return predictions in the dialect `space` with their questions, and a note for the user.

    "auto" chooses the dialect with the best mean IoU on an even selection of questions. These
    questions are left out of the result, because their scores would flatter the model.
    """
    pairs = [(answer, Question.of(sample)) for answer, sample in pair_answers(predictions, samples)]
    if space != AUTO:
        create(space)
        return [replace(a, dialect=space) for a, _ in pairs], [q for _, q in pairs], ""
    with_boxes = [pair for pair in pairs if pair[1].target.boxes]
    if len(with_boxes) < 2 * FEWEST:
        raise ValueError(
            f"--boxes auto: {len(with_boxes)} answers with boxes are too few: it needs {FEWEST} to"
            f" choose a space and {FEWEST} to score: name the space, one of {', '.join(DIALECTS)}"
        )
    trial = with_boxes[:: len(with_boxes) // max(FEWEST, len(with_boxes) // _SHARE)]
    means = _mean_overlaps([(a.text, q.truth_at(a.size), a.size) for a, q in trial])
    if max(means.values()) < _LEAST_FIT:
        raise ValueError(
            f"--boxes auto: no space fits the {len(trial)} selected answers, for the best mean IoU"
            f" is {max(means.values()):.2f}: name the space, one of {', '.join(DIALECTS)}"
        )
    current = trial[0][0].dialect
    # In a tie within 0.01, the dialect of the answers wins.
    best, second = sorted(means, key=lambda name: (-round(means[name], 2), name != current))[:2]
    note = (
        f"boxes are read in the space of {best}, which was chosen on {len(trial)} of"
        f" {len(with_boxes)} answers; these are not scored. Mean IoU: {best} {means[best]:.2f},"
        f" {second} {means[second]:.2f}"
    )
    trial_ids = {question.id for _, question in trial}
    remaining = [pair for pair in pairs if pair[1].id not in trial_ids]
    answers = [
        replace(a, dialect=best, settings={**a.settings, "boxes": note}) for a, _ in remaining
    ]
    return answers, [question for _, question in remaining], note


def space_warning(run: RunResult) -> str | None:
    """Return a warning if the boxes of a run fit another space far better, else None.

    The scores of the run do not change.
    """
    # Only questions with true boxes can tell spaces apart.
    with_boxes = [item for item in run.scores.items if item.truth.boxes]
    current = run.settings.get("dialect")
    if len(with_boxes) < _FEWEST_TO_WARN or current not in DIALECTS:
        return None
    # Every nth answer, rounded up: at most FEWEST answers, evenly spread.
    trial = with_boxes[:: -(-len(with_boxes) // FEWEST)]
    means = _mean_overlaps([(item.text, item.truth, item.size) for item in trial])
    best = max(means, key=lambda name: means[name])
    if means[best] < means[current] + _MARGIN:
        return None
    return (
        f"{run.name}: its boxes were read in the space of {current} (mean IoU"
        f" {means[current]:.2f}), but the space of {best} fits far better ({means[best]:.2f}):"
        " predict again with a model.family of that space (`gnomon ls families`), or score again"
        f" with --boxes {best}"
    )


def _mean_overlaps(answers: Sequence[tuple[str, Target, Size | None]]) -> dict[str, float]:
    """Return the mean IoU of answers with their truths, by dialect.

    An answer is its text, its truth, and the size of its picture.
    """
    return {
        name: sum(_overlap(*answer, name) for answer in answers) / len(answers) for name in DIALECTS
    }


def _overlap(text: str, truth: Target, size: Size | None, dialect: str) -> float:
    """Return the IoU of each true box with its best answered box, averaged over true boxes."""
    answer_type = TYPES[truth.type_name]
    form = truth.answer_form
    reading = answer_type.read(text, form, which="final", dialect=create(dialect), size=size)
    boxes = boxes_in(answer_type, reading.value) if reading else ()
    return sum(
        max((iou(box, true_box) for box in boxes), default=0.0) for true_box in truth.boxes
    ) / len(truth.boxes)
