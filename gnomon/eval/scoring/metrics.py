"""Estimate metrics with intervals, and look up metrics to watch during training by name."""

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
    """The independent units of answers: pictures, or groups of rows.

    Answers of the same unit are not independent.
    """

    numbers: Ints
    """[N]: number of each answer's unit. Answers of the same unit have the same number."""
    noun: str
    """Plural noun for the units, "groups" or "pictures"."""

    @classmethod
    def of(cls, items: Sequence[ScoredAnswer]) -> Units:
        """Assign each answer to its group if there are several groups, otherwise to its picture."""
        names, noun = unit_names(items)
        return cls(_numbers(names), noun)

    def __getitem__(self, places: Sequence[int]) -> Units:
        return replace(self, numbers=self.numbers[list(places)])

    @property
    def count(self) -> int:
        return np.unique(self.numbers).size


def _numbers(names: Sequence[str]) -> Ints:
    """Hash names. Hashes are equal in all processes, because intervals must be reproducible."""
    # Python's hash() is salted in each process.
    # With eight bytes, 100,000 units collide with a probability of 3 in 10^10.
    digests = [blake2b(name.encode(), digest_size=8).digest() for name in names]
    return np.array([int.from_bytes(digest, signed=True) for digest in digests], np.int64)


def estimate_relaxed(scores: Scores) -> Estimate:
    """Estimate relaxed correctness over numbers and texts together, as ChartQA papers do."""
    metric = Metric("relaxed", "Relaxed correctness (ChartQA)")
    return estimate_metric(metric, scores.items, Units.of(scores.items))


def estimate_metric(metric: Metric, items: Sequence[ScoredAnswer], units: Units) -> Estimate:
    """Estimate a metric of a summary over the answers that have its measures."""
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
    """Estimate a metric from the values of answers. Values of the same unit are not independent."""
    are_shared = units.count < values.size
    if metric.statistic in ("share", "mean") and are_shared:
        crossed = estimate_crossed([values[None]], units.numbers, cluster_noun=units.noun)
        return interval_over_units(metric, crossed.estimate, units.count)
    if metric.statistic == "share":
        return wilson(int(values.sum()), values.size)
    assert metric.statistic != "r_squared"  # `estimate_metric` turns R² into a mean
    # Order statistics need independent values, so there is no interval for shared units.
    if metric.statistic != "mean" and are_shared:
        value, reason = bootstrap(values, metric.statistic).value, f"{units.noun} are shared"
        return Estimate(value, None, None, f"no interval: {reason}", values.size)
    return bootstrap(values, metric.statistic)


def interval_over_units(metric: Metric, estimate: Estimate, count: int) -> Estimate:
    """Bound the interval of an estimate over `count` units, such as pictures.

    If all answers are right or all are wrong, it becomes Wilson's interval over units. Otherwise,
    all metrics except R² are bounded by 0 below, and shares and metrics that are better when higher
    by 1 above.
    """
    if estimate.low is None or estimate.high is None:
        if metric.statistic == "share" and estimate.value in (0, 1):
            return replace(wilson(count * int(estimate.value), count), n=estimate.n)
        return estimate
    # R² is negative if a model is worse than the mean of the truths.
    low = estimate.low if metric.name == "r_squared" else max(0.0, estimate.low)
    at_best = metric.statistic == "share" or metric.better == "higher"
    return replace(estimate, low=low, high=min(1.0, estimate.high) if at_best else estimate.high)


def measure_columns(
    metric: Metric, items: Sequence[ScoredAnswer], units: Units
) -> tuple[list[Floats], Units]:
    """Collect the measures of a metric from all answers that have them, and their units."""
    rows_or_none = [
        metric_rows(TYPES[item.type_name], metric, [item.measures])[0] for item in items
    ]
    indices = [index for index, row in enumerate(rows_or_none) if row is not None]
    rows = np.array([rows_or_none[index] for index in indices], np.float64)
    return list(rows.reshape(-1, len(metric.keys)).T), units[indices]


CORRECT = "correct"
"""Name of the share of right answers over all types."""


# Type and metric of each name, except `correct`.
_HEADLINES = {
    f"{type_name}_{metric.name}": (type_name, metric)
    for type_name, answer_type in TYPES.items()
    for metric in answer_type.metrics
    if metric.headline
}


def headlines(scores: Scores) -> dict[str, float]:
    """Return the share of right answers, and the headline figures of each type, by name.

    A name has the type and the metric, such as `time_exact`. Undefined figures are left out.
    """
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
    """Return True if a higher figure is better. Raises an error with a hint for an unknown name."""
    if name == CORRECT:
        return True
    if name not in _HEADLINES:
        # transformers would fail only at the first evaluation, hours after the start.
        raise UnknownNameError(
            f"no metric {name!r} to watch during training: give {CORRECT}, or a type of answer and"
            " a headline metric, such as time_exact:"
            f" {hint(name, (CORRECT, *_HEADLINES))}"
        )
    return _HEADLINES[name][1].better == "higher"


def type_name_of(name: str) -> str | None:
    """Return the type of answer in a figure's name: time for `time_exact`, None for `correct`."""
    return _HEADLINES[name][0] if name in _HEADLINES else None


@dataclass(frozen=True, slots=True)
class LabelFigures:
    """Figures at IoU 0.5 for boxes with one label.

    `true` and `answered` are numbers of boxes.
    """

    true: int
    answered: int
    f1: Estimate
    precision: Estimate
    recall: Estimate


def label_figures(items: Sequence[ScoredAnswer], type_name: str) -> dict[str, LabelFigures]:
    """Compute precision, recall and F1 by label, or {} for types without labels.

    Each box has the same weight. Intervals treat the questions of a unit as dependent.
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
    """Compute the figures of a label from [units, 3] counts of true, answered and matched boxes."""
    true, answered, matched = rows.T
    return LabelFigures(
        true=int(true.sum()),
        answered=int(answered.sum()),
        f1=ratio(2 * matched, true + answered),
        precision=ratio(matched, answered),
        recall=ratio(matched, true),
    )
