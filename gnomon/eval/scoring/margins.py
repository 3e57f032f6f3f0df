"""Margins of boxes: by how much every edge of an answer may be off.

There is no list of all boxes, and so no belief. The answer is the model's own; what is learnt is
one radius, in sides of the answered box, within which all edges of nine of ten true boxes lie.
"""

from __future__ import annotations

from gnomon.answers.base.answer_type import AnswerType
from gnomon.answers.registry import TYPES
from gnomon.dialect import Dialect, create
from gnomon.sample import Prediction, Size, Target

Corners = tuple[float, float, float, float]


def answered_box(prediction: Prediction, form: Target) -> Corners | None:
    """Read the corners of an answer, in pixels of the picture as the model saw it."""
    answers: AnswerType = TYPES[form.answer_type]
    reading = answers.read(
        prediction.text,
        form,
        which="final",
        dialect=create(prediction.dialect),
        size=prediction.size,
    )
    return None if reading is None else reading.value  # type: ignore[return-value]


def written(prediction: Prediction, form: Target) -> str:
    """Write an answered box as the model's family does; empty where the answer is no box."""
    box = answered_box(prediction, form)
    if box is None or prediction.size is None:
        return ""
    return _write(create(prediction.dialect), box, prediction.size)


def edge_error(answer: Corners, truth: Corners) -> float:
    """Largest distance of an edge from where it belongs, in pixels."""
    return max(abs(a - t) for a, t in zip(answer, truth, strict=True))


def side(box: Corners) -> float:
    """Mean of width and height: things that are larger are met less exactly."""
    return (abs(box[2] - box[0]) + abs(box[3] - box[1])) / 2


def score(answer: Corners | None, truth: Corners) -> float:
    """Score how badly a true box fits: the largest error of an edge, in sides of the answer.

    No true box fits an answer that is none, or has no area.
    """
    if answer is None or not (answer[0] < answer[2] and answer[1] < answer[3]):
        return float("inf")
    return edge_error(answer, truth) / side(answer)


def interval(answer: Corners | None, limit: float, dialect: str, size: Size) -> tuple[str, str]:
    """Write the box that lies within the true one and the box that holds it, for scores to `limit`.

    The first is empty where the margin is more than half of the answer, both are where the answer
    is no box. Beyond the picture there is nothing to be held.
    """
    if answer is None:
        return "", ""
    written = create(dialect)
    wide, tall = size
    # Rounding to the dialect's numbers may not take from the margin.
    across, down = (limit * side(answer) + step for step in written.precision(size))
    x1, y1, x2, y2 = answer
    inner = (x1 + across, y1 + down, x2 - across, y2 - down)
    outer = (
        max(0.0, x1 - across),
        max(0.0, y1 - down),
        min(float(wide), x2 + across),
        min(float(tall), y2 + down),
    )
    return _write(written, inner, size), _write(written, outer, size)


def _write(dialect: Dialect, box: Corners, size: Size) -> str:
    if not (box[0] < box[2] and box[1] < box[3]):
        return ""
    try:
        return dialect.write_box(box, size)
    except ValueError:  # a sliver, which its numbers cannot say
        return ""


def covers(ends: tuple[Corners | None, Corners | None], truth: Corners, slack: float) -> bool:
    """True if the truth lies in the outer box and holds the inner one, as far as there is one."""
    inner, outer = ends
    if outer is None:
        return False
    return _holds(outer, truth, slack) and (inner is None or _holds(truth, inner, slack))


def _holds(box: Corners, other: Corners, slack: float) -> bool:
    near = all(a <= b + slack for a, b in zip(box[:2], other[:2], strict=True))
    return near and all(a >= b - slack for a, b in zip(box[2:], other[2:], strict=True))
