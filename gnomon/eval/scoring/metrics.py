"""Metrics estimated with intervals, and those that watch a training: `correct`, `time_exact`, …"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gnomon.answers.base.answer_type import Metric, metric_rows
from gnomon.answers.boxes.measure import BoxesType
from gnomon.answers.registry import TYPES
from gnomon.eval.scoring.runs import ScoredAnswer, Scores, unit_names
from gnomon.eval.stats.crossed import estimate_crossed
from gnomon.eval.stats.intervals import Estimate, Floats, bootstrap, r_squared_values, ratio, wilson
from gnomon.names import UnknownNameError, hint

Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Units:
    """Groups of rows, or pictures: what is drawn at random, and stands or falls together."""

    numbers: Ints
    """[N]: equal numbers mean that answers are of the same unit."""
    noun: str
    """Word for several units, groups or pictures."""

    @classmethod
    def of(cls, items: Sequence[ScoredAnswer]) -> Units:
        """Number the units of answers."""
        names, noun = unit_names(items)
        return cls(_numbers(names), noun)

    def __getitem__(self, places: Sequence[int]) -> Units:
        return replace(self, numbers=self.numbers[list(places)])

    @property
    def count(self) -> int:
        return np.unique(self.numbers).size


def _numbers(names: Sequence[str]) -> Ints:
    """Hash names alike in every process: intervals must not change from run to run."""
    # Python's own hash() is salted per process.
    # Eight bytes: 100,000 units clash with a probability of 3 in 10^10.
    digests = [blake2b(name.encode(), digest_size=8).digest() for name in names]
    return np.array([int.from_bytes(digest, signed=True) for digest in digests], np.int64)


def estimate_relaxed(scores: Scores) -> Estimate:
    """Estimate ChartQA's published figure: relaxed correctness of numbers and texts together."""
    metric = Metric("relaxed", "Relaxed correctness (ChartQA)")
    return estimate_metric(metric, scores.items, Units.of(scores.items))


def estimate_metric(metric: Metric, items: Sequence[ScoredAnswer], units: Units) -> Estimate:
    """Estimate one metric of a summary over the answers that count in it."""
    values, units_of_values = measure_columns(metric, items, units)
    if metric.statistic == "r_squared":
        estimate = estimate_values(
            replace(metric, statistic="mean"), r_squared_values(*values), units_of_values
        )
        return (
            estimate if estimate.high is None else replace(estimate, high=min(1.0, estimate.high))
        )
    return estimate_values(metric, values[0], units_of_values)


def estimate_values(metric: Metric, values: Floats, units: Units) -> Estimate:
    """Estimate a metric from its values; values of one unit are not independent."""
    are_shared = units.count < values.size
    if metric.statistic in ("share", "mean") and are_shared:
        crossed = estimate_crossed([values[None]], units.numbers, cluster_noun=units.noun)
        return interval_over_units(metric, crossed.estimate, units.count)
    if metric.statistic == "share":
        return wilson(int(values.sum()), values.size)
    assert metric.statistic != "r_squared"  # made a mean above
    # No interval here takes account of shared units: order statistics need independent values.
    if metric.statistic != "mean" and are_shared:
        value, reason = bootstrap(values, metric.statistic).value, f"{units.noun} are shared"
        return Estimate(value, None, None, f"no interval: {reason}", values.size)
    return bootstrap(values, metric.statistic)


def interval_over_units(metric: Metric, estimate: Estimate, count: int) -> Estimate:
    """Bound an interval over units, such as pictures: their answers are right or wrong together.

    If all are right, or none, Wilson's interval counts units, not questions. Nothing but R² is
    below 0, and what is better the higher is at most 1.
    """
    if estimate.low is None or estimate.high is None:
        if metric.statistic == "share" and estimate.value in (0, 1):
            return replace(wilson(count * int(estimate.value), count), n=estimate.n)
        return estimate
    # R² is negative for a model worse than the mean of the truths.
    low = estimate.low if metric.name == "r_squared" else max(0.0, estimate.low)
    at_best = metric.statistic == "share" or metric.better == "higher"
    return replace(estimate, low=low, high=min(1.0, estimate.high) if at_best else estimate.high)


def measure_columns(
    metric: Metric, items: Sequence[ScoredAnswer], units: Units
) -> tuple[list[Floats], Units]:
    """Collect a metric's measures of every answer that counts in it, and these answers' units."""
    rows_or_none = [
        metric_rows(TYPES[item.type_name], metric, [item.measures])[0] for item in items
    ]
    indices = [index for index, row in enumerate(rows_or_none) if row is not None]
    rows = np.array([rows_or_none[index] for index in indices], np.float64)
    return list(rows.reshape(-1, len(metric.keys)).T), units[indices]


CORRECT = "correct"
"""Share of all answers that are right, whatever their type."""


# Type and metric of each name but `correct`.
_HEADLINES = {
    f"{type_name}_{metric.name}": (type_name, metric)
    for type_name, answer_type in TYPES.items()
    for metric in answer_type.metrics
    if metric.headline
}


def headlines(scores: Scores) -> dict[str, float]:
    """Return the share of right answers and each type's headline figures; undefined ones are left
    out."""
    values: dict[str, float | None] = {}
    if scores.items:
        values[CORRECT] = sum(item.correct for item in scores.items) / len(scores.items)
    for type_name, summary in scores.summaries.items():
        values |= {
            f"{type_name}_{metric.name}": metric.estimate.value for metric in summary.results
        }
    figures = ((name, values.get(name)) for name in (CORRECT, *_HEADLINES))
    return {name: value for name, value in figures if value is not None}


def greater_is_better(name: str) -> bool:
    """Return True if more of that figure is better; refuse an unknown name with the nearest."""
    if name == CORRECT:
        return True
    if name not in _HEADLINES:
        # Before training starts: transformers would fail at the first evaluation, hours later.
        raise UnknownNameError(
            f"no metric {name!r} to watch a training by, which is {CORRECT} or a headline figure of"
            " a report after its kind of answer, such as time_exact:"
            f" {hint(name, (CORRECT, *_HEADLINES))}"
        )
    return _HEADLINES[name][1].better == "higher"


def type_name_of(name: str) -> str | None:
    """Return the type of answer that a figure belongs to; None for a figure of all types."""
    return _HEADLINES[name][0] if name in _HEADLINES else None


@dataclass(frozen=True, slots=True)
class LabelFigures:
    """Boxes with one label: their numbers, and the figures at IoU 0.5."""

    true: int
    answered: int
    f1: Estimate
    precision: Estimate
    recall: Estimate


def label_figures(items: Sequence[ScoredAnswer], type_name: str) -> dict[str, LabelFigures]:
    """Figures by label; empty for types without labels.

    Boxes of all pictures count alike, and questions of one unit are taken together.
    """
    answer_type = TYPES[type_name]
    if not isinstance(answer_type, BoxesType):
        return {}
    counts: dict[str, dict[str, Ints]]
    counts = defaultdict(lambda: defaultdict(lambda: np.zeros(3, np.int64)))
    for item, unit in zip(items, unit_names(items)[0], strict=True):
        for label, numbers in answer_type.counts_by_label(item.truth, item.value).items():
            counts[label][unit] += numbers
    return {label: _figures(np.array([*rows.values()])) for label, rows in counts.items()}


def _figures(rows: Ints) -> LabelFigures:
    """Figures from the true, the answered and the matched boxes of each unit."""
    true, answered, matched = rows.T
    return LabelFigures(
        true=int(true.sum()),
        answered=int(answered.sum()),
        f1=ratio(2 * matched, true + answered),
        precision=ratio(matched, answered),
        recall=ratio(matched, true),
    )
