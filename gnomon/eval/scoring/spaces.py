"""Coordinate spaces of boxes: read a run's boxes in another one, or warn that one fits better.

A space belongs to a dialect. None is chosen unless the user asks for it.
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
"""Questions to set apart at least, and to leave for scoring at least."""
# Mean IoU below which a space explains nothing.
_LEAST_FIT = 0.1
# One in ten questions with boxes is set apart, if that is more than FEWEST.
_SHARE = 10
# Boxes that are enough for a warning, and the mean IoU by which another space must be better.
_FEWEST_TO_WARN, _MARGIN = 5, 0.2


def read_in_space(
    predictions: Iterable[Prediction], samples: Iterable[Sample | Question], space: str
) -> tuple[list[Prediction], list[Question], str]:
    """Return predictions in that dialect with their questions, and a note for the user.

    "auto" takes the dialect with the best mean IoU on some of the questions, evenly chosen, and
    leaves these out: a space chosen on the answers that it is scored on would flatter the model.
    """
    pairs = [(answer, Question.of(sample)) for answer, sample in pair_answers(predictions, samples)]
    if space != AUTO:
        create(space)
        return [replace(a, dialect=space) for a, _ in pairs], [q for _, q in pairs], ""
    with_boxes = [pair for pair in pairs if pair[1].target.boxes]
    if len(with_boxes) < 2 * FEWEST:
        raise ValueError(
            f"--boxes auto: {len(with_boxes)} answers with boxes are too few, for {FEWEST} are set"
            f" apart and as many must be left: name the space, one of {', '.join(DIALECTS)}"
        )
    trial = with_boxes[:: len(with_boxes) // max(FEWEST, len(with_boxes) // _SHARE)]
    means = _mean_overlaps([(a.text, q.truth_at(a.size), a.size) for a, q in trial])
    if max(means.values()) < _LEAST_FIT:
        raise ValueError(
            f"--boxes auto: no space fits the {len(trial)} answers that were looked at: the best"
            f" mean IoU is {max(means.values()):.2f}"
        )
    current = trial[0][0].dialect
    # Ties within 0.01 go to the dialect under which the answers were given.
    best, second = sorted(means, key=lambda name: (-round(means[name], 2), name != current))[:2]
    note = (
        f"boxes are read in the space of {best}, which was found on {len(trial)} of"
        f" {len(with_boxes)} answers; these are not scored. Mean IoU: {best} {means[best]:.2f};"
        f" {second} {means[second]:.2f}"
    )
    trial_ids = {question.id for _, question in trial}
    remaining = [pair for pair in pairs if pair[1].id not in trial_ids]
    answers = [
        replace(a, dialect=best, settings={**a.settings, "boxes": note}) for a, _ in remaining
    ]
    return answers, [question for _, question in remaining], note


def space_warning(run: RunResult) -> str | None:
    """Warn of a run whose boxes fit another space far better; its values stay as they are."""
    # A picture with nothing to find says nothing of the space.
    with_boxes = [item for item in run.scores.items if item.truth.boxes]
    current = run.settings.get("dialect")
    if len(with_boxes) < _FEWEST_TO_WARN or current not in DIALECTS:
        return None
    # Every nth, rounded up: at most FEWEST answers, evenly spread.
    trial = with_boxes[:: -(-len(with_boxes) // FEWEST)]
    means = _mean_overlaps([(item.text, item.truth, item.size) for item in trial])
    best = max(means, key=lambda name: means[name])
    if means[best] < means[current] + _MARGIN:
        return None
    return (
        f"{run.name}: its boxes were read in the space of {current} (mean IoU"
        f" {means[current]:.2f}), and those of {best} fit far better ({means[best]:.2f}): predict"
        " again with a model.family that writes so (`gnomon ls families`), or score again with"
        f" --boxes {best}"
    )


def _mean_overlaps(answers: Sequence[tuple[str, Target, Size | None]]) -> dict[str, float]:
    """Return by dialect the mean IoU of answers with their truths, in pictures of these sizes."""
    return {
        name: sum(_overlap(*answer, name) for answer in answers) / len(answers) for name in DIALECTS
    }


def _overlap(text: str, truth: Target, size: Size | None, dialect: str) -> float:
    """Average over the true boxes the IoU with the nearest box of the answer."""
    answer_type = TYPES[truth.type_name]
    form = truth.answer_form
    reading = answer_type.read(text, form, which="final", dialect=create(dialect), size=size)
    boxes = boxes_in(answer_type, reading.value) if reading else ()
    return sum(
        max((iou(box, true_box) for box in boxes), default=0.0) for true_box in truth.boxes
    ) / len(truth.boxes)
