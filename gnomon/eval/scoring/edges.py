"""Beliefs in single numbers of boxes: the number that a rule chooses, intervals, their measures.

Each number has the distribution that the model gives to it after the text before it. The intervals
are quantiles of these distributions: they are the model's belief, and are not calibrated.
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
"""Probability of an interval."""
# Pixels by which two boxes that were read from one text may differ: sums of floats.
_SAME = 1e-3


def choose_number(logprobs: Mapping[str, float], rule: str) -> str:
    """Return the number that has the least expected loss, as `best_answer` does for others."""
    if rule not in RULES:
        raise ValueError(f"answer={rule!r}: give one of {', '.join(RULES)}")
    numbers, values, p = _distribution(logprobs)
    if rule == "mode":
        return numbers[int(np.argmax(p))]
    if rule == "median":
        return numbers[_quantile(p, 0.5)]
    return numbers[int(np.argmin(np.abs(values - p @ values)))]


def number_interval(logprobs: Mapping[str, float]) -> tuple[str, str]:
    """Return the quantiles between which COVERAGE of the probability lies, at least."""
    numbers, _, p = _distribution(logprobs)
    tail = (1 - COVERAGE) / 2
    return numbers[_quantile(p, tail)], numbers[_quantile(p, 1 - tail)]


def _distribution(logprobs: Mapping[str, float]) -> tuple[list[str], Floats, Floats]:
    """Numbers in ascending order, their values, and probabilities that sum to 1."""
    numbers = sorted(logprobs, key=float)
    scores = np.array([logprobs[number] for number in numbers])
    p = np.exp(scores - scores.max())
    return numbers, np.array([float(number) for number in numbers]), p / p.sum()


def _quantile(p: Floats, share: float) -> int:
    """Index of the first number up to which at least that share of the probability lies."""
    # Sums of probabilities miss 0.95 by rounding.
    return min(int(np.searchsorted(np.cumsum(p), share - 1e-9)), len(p) - 1)


def is_swapped(near: str, far: str) -> bool:
    """True if two edges on one axis enclose nothing."""
    return not float(near) < float(far)


def box_intervals(
    prediction: Prediction, value: Value, type_name: str
) -> list[tuple[Corners, Corners] | None]:
    """Return for each box of the value the lowest and the highest corners in pixels.

    None stands for a box whose numbers have no belief. An answer without beliefs has no intervals.
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
    """True if two boxes were read from the same numbers."""
    return bool(np.abs(np.subtract(a, b)).max() < _SAME)


def measures(
    prediction: Prediction, truth: Target, type_name: str, value: Value | None
) -> dict[str, float]:
    """Measure the intervals of boxes that are matched with true ones; empty without any."""
    intervals = box_intervals(prediction, value, type_name)
    if not any(intervals) or prediction.size is None:
        return {}
    # An edge between two steps of the numbers is written as the nearer one.
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
    Metric("edges_cover", "Edges within 90 % of the belief", statistic="mean", headline=True),
    Metric(
        "edges_width", "Width of 90 % of the belief", statistic="mean", unit="px", better="lower"
    ),
)


def metrics(type_name: str, rows: Iterable[Mapping[str, float]]) -> tuple[Metric, ...]:
    """Return the metrics of edges, if any answer of the type has a belief in them."""
    is_measured = isinstance(TYPES[type_name], PlacedType) and any(
        "edges_cover" in measures for measures in rows
    )
    return _METRICS if is_measured else ()


def kept_axes(predictions: Iterable[Prediction]) -> int:
    """Count axes of boxes on which the rule's numbers were swapped, so that the model's stayed."""
    edges = (edge for p in predictions for box in p.edges or () for edge in box)
    return sum(edge.is_written for edge in edges) // 2
