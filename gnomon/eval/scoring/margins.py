"""Margins of boxes, one or several: by how much every edge of an answer may be off.

There is no list of all boxes, and so no belief in them. The boxes are the model's own; what is
learnt is one radius, in sides of a box. In nine of ten pictures all edges of the true box lie
within it, or those of every true box that an answered one is matched with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gnomon.answers.base.target import Corners
from gnomon.answers.box.measure import iou
from gnomon.answers.registry import TYPES
from gnomon.dialect import Dialect, create
from gnomon.sample import Prediction, Size, Target

if TYPE_CHECKING:
    from gnomon.answers.base.answer_type import AnswerType, Value

ANYWHERE = 1000.0
"""Margin, in sides, that stands for an infinite one: it is wider than any picture."""


def read_answer(prediction: Prediction, form: Target) -> Value | None:
    """Read the boxes of an answer, in pixels of the picture as the model saw it."""
    answer_type: AnswerType = TYPES[form.type_name]
    reading = answer_type.read(
        prediction.text,
        form,
        which="final",
        dialect=create(prediction.dialect),
        size=prediction.size,
    )
    return None if reading is None else reading.value


def written(prediction: Prediction, form: Target) -> str:
    """Write the boxes of an answer as the model's family does; empty where it has none."""
    value = read_answer(prediction, form)
    if value is None or prediction.size is None:
        return ""
    answer_type = TYPES[form.type_name]
    return _write(
        answer_type, value, answer_type.boxes(value), create(prediction.dialect), prediction.size
    )


def edge_error(answer: Corners, truth: Corners) -> float:
    """Largest distance of an edge from where it belongs, in pixels."""
    return max(abs(a - t) for a, t in zip(answer, truth, strict=True))


def side(box: Corners) -> float:
    """Mean of width and height: things that are larger are met less exactly."""
    return (abs(box[2] - box[0]) + abs(box[3] - box[1])) / 2


def matched_pairs(truth: Target, value: Value | None) -> list[tuple[Corners, Corners]]:
    """Answered and true corners of each box that is matched with a true one, as scoring does."""
    if value is None:
        return []
    answer_type = TYPES[truth.type_name]
    boxes = answer_type.boxes(value)
    return [(boxes[index], corners) for index, corners in answer_type.matched_boxes(truth, value)]


def score(truth: Target, value: Value | None) -> float | None:
    """Score how badly the boxes fit: the largest error of an edge, in sides of its answered box.

    Of a list, None where nothing is matched: there is no box whose margin could hold anything. An
    only box that is none, or has no area, fits no truth, which is infinite.
    """
    pairs = matched_pairs(truth, value)
    if not pairs:
        return None if truth.is_box_list else float("inf")
    return max(_box_score(answer, corners) for answer, corners in pairs)


def _box_score(answer: Corners, truth: Corners) -> float:
    if not (answer[0] < answer[2] and answer[1] < answer[3]):
        return float("inf")
    return edge_error(answer, truth) / side(answer)


def agreement(prediction: Prediction, other: Prediction, form: Target) -> float:
    """Return how well the boxes of two answers overlap: 1 for the same, 0 where one has none.

    It is twice the IoU of the best pairs over the number of boxes; labels do not count.
    """
    from scipy.optimize import linear_sum_assignment  # predicting does without it elsewhere

    values = [read_answer(answer, form) for answer in (prediction, other)]
    if None in values:
        return 0.0
    first, second = (TYPES[form.type_name].boxes(value) for value in values)
    if not first or not second:
        return float(not first and not second)
    overlaps = np.array([[iou(a, b) for b in second] for a in first])
    pairs = linear_sum_assignment(overlaps, maximize=True)
    return float(2 * overlaps[pairs].sum() / (len(first) + len(second)))


def bounds(box: Corners, margin: float, size: Size) -> tuple[Corners | None, Corners]:
    """Return the box that lies within the true one and the box that holds it.

    The first is None where the margin is more than half of the box. Beyond the picture there is
    nothing to be held.
    """
    return _bounds(box, margin * side(box), margin * side(box), size)


def _bounds(box: Corners, across: float, down: float, size: Size) -> tuple[Corners | None, Corners]:
    x1, y1, x2, y2 = box
    wide, tall = size
    inner = x1 + across, y1 + down, x2 - across, y2 - down
    outer = (
        max(0.0, x1 - across),
        max(0.0, y1 - down),
        min(float(wide), x2 + across),
        min(float(tall), y2 + down),
    )
    return inner if inner[0] < inner[2] and inner[1] < inner[3] else None, outer


def interval(
    form: Target, value: Value | None, margin: float, dialect: str, size: Size
) -> tuple[str, str]:
    """Write the boxes that lie within the true ones and those that hold them, as an answer has its.

    A box that the margin swallows is left out of the first, which is empty if none is left; both
    are where the answer has no box.
    """
    if value is None:
        return "", ""
    answer_type, form_of_family = TYPES[form.type_name], create(dialect)
    # Rounding to the dialect's numbers may not take from the margin.
    across, down = form_of_family.precision(size)
    pairs = []
    for box in answer_type.boxes(value):
        room = margin * side(box)
        pairs.append(_bounds(box, room + across, room + down, size))
    inner, outer = [ends[0] for ends in pairs], [ends[1] for ends in pairs]
    return (
        _write(answer_type, value, inner, form_of_family, size),
        _write(answer_type, value, outer, form_of_family, size),
    )


def _write(
    answer_type: AnswerType,
    value: Value,
    boxes: Sequence[Corners | None],
    dialect: Dialect,
    size: Size,
) -> str:
    some = [box if box is not None and _is_sayable(box, dialect, size) else None for box in boxes]
    if not any(some):
        return ""
    try:
        return answer_type.write_boxes(value, some, dialect, size)
    except ValueError:  # a label that this family cannot write
        return ""


def _is_sayable(box: Corners, dialect: Dialect, size: Size) -> bool:
    """True if the numbers of the dialect can say a box: a sliver is lost in their rounding."""
    if not (box[0] < box[2] and box[1] < box[3]):
        return False
    try:
        dialect.write_box(box, size)
    except ValueError:
        return False
    return True
