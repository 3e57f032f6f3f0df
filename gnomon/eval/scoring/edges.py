"""Beliefs about the edges of boxes: chosen numbers, intervals, and their measures.

Each number of a box has the distribution that the model gives after the preceding text. An interval
is between two quantiles of this distribution. Intervals are not calibrated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from gnomon.answers.base.answer_type import Metric, PlacedType, Value, boxes_in
from gnomon.answers.base.target import Corners
from gnomon.answers.registry import TYPES
from gnomon.dialect import create
from gnomon.eval.scoring.belief import RULES
from gnomon.sample import Prediction, Target

if TYPE_CHECKING:  # it imports scipy, which predicting does without
    from gnomon.eval.stats.intervals import Floats

COVERAGE = 0.9
"""Probability that the model gives to an interval."""
# Rounding error, in pixels, between two boxes that were read from the same text.
_SAME = 1e-3


def choose_number(logprobs: Mapping[str, float], rule: str) -> str:
    """Return the number with the smallest expected loss under `rule`, as in `best_answer`."""
    if rule not in RULES:
        raise ValueError(f"answer={rule!r}: give one of {', '.join(RULES)}")
    numbers, values, p = _distribution(logprobs)
    if rule == "mode":
        return numbers[int(np.argmax(p))]
    if rule == "median":
        return numbers[_quantile(p, 0.5)]
    return numbers[int(np.argmin(np.abs(values - p @ values)))]


def number_interval(logprobs: Mapping[str, float]) -> tuple[str, str]:
    """Return the two numbers between which at least COVERAGE of the probability lies."""
    numbers, _, p = _distribution(logprobs)
    tail = (1 - COVERAGE) / 2
    return numbers[_quantile(p, tail)], numbers[_quantile(p, 1 - tail)]


def _distribution(logprobs: Mapping[str, float]) -> tuple[list[str], Floats, Floats]:
    """Return the numbers in ascending order, their values, and their normalized probabilities."""
    numbers = sorted(logprobs, key=float)
    scores = np.array([logprobs[number] for number in numbers])
    p = np.exp(scores - scores.max())
    return numbers, np.array([float(number) for number in numbers]), p / p.sum()


def _quantile(p: Floats, share: float) -> int:
    """Return the index of the first number with a cumulative probability of at least `share`."""
    # By rounding, sums of probabilities may be slightly below 0.95.
    return min(int(np.searchsorted(np.cumsum(p), share - 1e-9)), len(p) - 1)


def is_swapped(near: str, far: str) -> bool:
    """Return True if the near edge of a box is not below its far edge on the same axis."""
    return not float(near) < float(far)


def box_intervals(
    prediction: Prediction, value: Value, type_name: str
) -> list[tuple[Corners, Corners] | None]:
    """Return the lowest and the highest corners in pixels, for each box of the value.

    A box whose numbers lack a belief has None. An answer without beliefs has an empty list.
    """
    if not prediction.edges or prediction.size is None:
        return []
    boxes = boxes_in(TYPES[type_name], value) if value is not None else []
    dialect, size = create(prediction.dialect), prediction.size
    by_corners = []
    for edges in prediction.edges:
        corners, low, high = (
            dialect.corners_of([float(getattr(edge, end)) for edge in edges], size)
            for end in ("value", "low", "high")
        )
        by_corners.append((corners, (low, high)))
    return [
        next((ends for corners, ends in by_corners if is_same_box(corners, box)), None)
        for box in boxes
    ]


def is_same_box(a: Corners, b: Corners) -> bool:
    """Return True if two boxes have the same corners, except for rounding."""
    return bool(np.abs(np.subtract(a, b)).max() < _SAME)


def measures(
    prediction: Prediction, truth: Target, type_name: str, value: Value | None
) -> dict[str, float]:
    """Score the intervals of boxes that match true boxes.

    Return measures by name, or {} without such boxes.
    """
    intervals = box_intervals(prediction, value, type_name)
    if not any(intervals) or prediction.size is None:
        return {}
    # The numbers have steps, and an edge between two steps is written as the nearer step.
    room = create(prediction.dialect).precision(prediction.size) * 2
    covers, widths = list[bool](), list[float]()
    answer_type = TYPES[type_name]
    assert isinstance(answer_type, PlacedType)  # others have no edges
    for index, corners in answer_type.matched_boxes(truth, value):
        ends = intervals[index]
        if ends is None:
            continue
        for edge, low, high, step in zip(corners, *ends, room, strict=True):
            covers.append(low - step <= edge <= high + step)
            widths.append(high - low)
    if not covers:
        return {}
    return {"edges_cover": float(np.mean(covers)), "edges_width": float(np.mean(widths))}


_METRICS = (
    Metric("edges_cover", "Edges within their 90 % intervals", statistic="mean", headline=True),
    Metric(
        "edges_width", "Width of 90 % edge intervals", statistic="mean", unit="px", better="lower"
    ),
)


def metrics(type_name: str, rows: Iterable[Mapping[str, float]]) -> tuple[Metric, ...]:
    """Return the metrics of edges, or () if `rows`, the measures of all answers, lack them."""
    is_measured = isinstance(TYPES[type_name], PlacedType) and any(
        "edges_cover" in measures for measures in rows
    )
    return _METRICS if is_measured else ()


def kept_axes(predictions: Iterable[Prediction]) -> int:
    """Count axes of boxes that kept the model's numbers.

    They did if the rule's numbers were swapped, that is, the near edge was not below the far edge.
    """
    edges = (edge for p in predictions for box in p.edges or () for edge in box)
    return sum(edge.is_written for edge in edges) // 2
