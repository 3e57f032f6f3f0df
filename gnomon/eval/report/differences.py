"""Tables and charts of differences between runs, of means over seeds, and of agreement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from markupsafe import Markup

from gnomon.answers.base.answer_type import Metric
from gnomon.answers.registry import TYPES
from gnomon.eval.comparing.comparison import Comparison
from gnomon.eval.comparing.difference import Difference
from gnomon.eval.comparing.groups import Group
from gnomon.eval.formatting import (
    align,
    difference_text,
    difference_value_text,
    figure,
    interval_text,
    p_text,
    truth_text,
    value_text,
)
from gnomon.eval.report.plots import new_axes, paint, to_svg
from gnomon.eval.scoring.metrics import Units, estimate_values, interval_over_units
from gnomon.eval.scoring.runs import ScoredAnswer, Scores
from gnomon.eval.stats.crossed import estimate_crossed
from gnomon.eval.stats.intervals import Estimate

TOO_FEW = "too few items"
"""Text for a comparison with too few answers to show even the largest difference."""
HEADER = ("difference", "p", "test", "80 % power from", "verdict")


class DifferenceRow(NamedTuple):
    """Row of a table of differences: a metric of two models, over all seeds or for one seed."""

    label: str
    baseline: str
    candidate: str
    difference: str
    p: str
    test: str = ""
    """Name of the test. It is empty in the row of a seed."""
    detectable: str = ""
    verdict: str = ""


def difference_tables(comparison: Comparison) -> list[dict[str, Any]]:
    """Collect the title, rows, note on p-values and charts of each type, for the template."""
    by_type: dict[str, list[Difference]] = {}
    for difference in comparison.differences:
        by_type.setdefault(difference.type_name, []).append(difference)
    return [
        {
            "title": TYPES[type_name].title,
            "baseline": comparison.baseline,
            "candidate": comparison.candidate,
            "lines": list(_difference_rows(of_type)),
            "note": _note(comparison, of_type),
            "forests": list(_difference_charts(comparison, of_type)),
        }
        for type_name, of_type in by_type.items()
    ]


def _note(comparison: Comparison, differences: Sequence[Difference]) -> str:
    """Explain how p-values are corrected, and what the intervals do not cover."""
    first, *rest = differences
    note = (
        "p-values are corrected by Holm's method: in the first line over the first lines of all"
        f" tables ({first.n_tests})"
    )
    if rest:
        note += f", in the other lines over {rest[0].n_tests} tests"
    if first.by_seed[1:]:
        note += f"; the p-value of a single seed is from {first.by_seed[0].test}"
    note += "; intervals are not corrected"
    sides = zip((comparison.baseline, comparison.candidate), comparison.seeds, strict=True)
    single_seed = [name for name, seeds in sides if len(seeds) == 1]
    return note + (
        f"; other seeds of {' and '.join(single_seed)} may differ more" if single_seed else ""
    )


def _difference_rows(differences: Sequence[Difference]) -> Iterator[DifferenceRow]:
    """Yield a row for each metric. Rows for the seeds follow the first metric, if several."""
    for difference in differences:
        unit = difference.unit
        yield DifferenceRow(
            difference.label,
            figure(difference.baseline, unit),
            figure(difference.candidate, unit),
            difference_text(difference.estimate, unit),
            p_text(difference.adjusted_p).removeprefix("= "),
            difference.test,
            TOO_FEW
            if difference.detectable_difference == inf
            else difference_value_text(difference.detectable_difference, unit),
            difference.verdict,
        )
        # Only the first metric shows its seeds, because three seeds of a dozen metrics would hide
        # the verdict.
        if difference is differences[0] and difference.by_seed[1:]:
            for pair in difference.by_seed:
                yield DifferenceRow(
                    f"seed {pair.seed}",
                    figure(pair.baseline, unit),
                    figure(pair.candidate, unit),
                    difference_value_text(pair.candidate - pair.baseline, unit, sign="+"),
                    p_text(pair.p).removeprefix("= "),
                )


def _difference_charts(
    comparison: Comparison, differences: Sequence[Difference]
) -> Iterator[tuple[str, Markup]]:
    """Yield a heading and a chart for each unit. Metrics with the same unit share an axis."""
    for unit in dict.fromkeys(difference.unit for difference in differences):
        marks = [
            _difference_mark(difference) for difference in differences if difference.unit == unit
        ]
        # Differences of shares are in percentage points.
        words = "points" if unit == "%" else unit
        heading = f"{comparison.candidate} minus {comparison.baseline}"
        heading += f", {words}" if words else ""
        yield heading, forest(marks, f"{TYPES[differences[0].type_name].title}: {heading}")


def _difference_mark(difference: Difference) -> IntervalMark:
    return make_mark(
        difference.label,
        difference.estimate,
        difference.unit,
        [pair.candidate - pair.baseline for pair in difference.by_seed],
        detectable=(difference.detectable_difference or 0.0)
        * (100 if difference.unit == "%" else 1),
        verdict=difference.verdict,
    )


def seed_charts(groups: Sequence[Group], type_name: str) -> list[tuple[str, Markup]]:
    """Draw a chart for each headline mean over all answers, with a line for each group.

    Returns headings and charts, or an empty list if no group has several seeds.
    """
    if not any(group.runs[1:] for group in groups):
        return []
    charts = []
    for metric, marks in group_marks(groups, type_name):
        heading = f"{metric.label} ({metric.unit})" if metric.unit else metric.label
        label = f"{TYPES[type_name].title}: {heading} by seed"
        charts.append((heading, forest(marks, label, differences=False)))
    return charts


def group_marks(
    groups: Sequence[Group], type_name: str
) -> Iterator[tuple[Metric, list[IntervalMark]]]:
    """Yield each headline mean over all answers, with a mark for each group that has the type."""
    groups_of_type = [group for group in groups if type_name in group.runs[0].scores.summaries]
    for metric in TYPES[type_name].metrics:
        if metric.headline and metric.among == "all" and metric.statistic in ("share", "mean"):
            yield metric, [_group_mark(group, type_name, metric) for group in groups_of_type]


def _group_mark(group: Group, type_name: str, metric: Metric) -> IntervalMark:
    """Estimate the mean of a group over its seeds.

    It has no interval if the seeds have different questions.
    """
    items_by_run = [run.scores.of_type(type_name) for run in group.runs]
    seeds = [[item.measures[metric.key] for item in items] for items in items_by_run]
    ids = [[item.sample_id for item in items] for items in items_by_run]
    means = [float(np.mean(of_seed)) for of_seed in seeds]
    units = Units.of(items_by_run[0])
    if len(seeds) == 1:
        estimate = estimate_values(metric, np.array(seeds[0]), units)
    # Seeds that answer the same questions are crossed with them: both contribute variance.
    elif all(other == ids[0] for other in ids):
        mean = estimate_crossed([np.array(seeds)], units.numbers, cluster_noun=units.noun).estimate
        estimate = interval_over_units(metric, mean, units.count)
    else:
        reason = "no interval: other questions"
        estimate = Estimate(float(np.mean(means)), None, None, reason, len(seeds[0]))
    text = f"{figure(estimate.value, metric.unit)} {interval_text(estimate, metric.unit)}".rstrip()
    return make_mark(group.name, estimate, metric.unit, means, text=text)


_PAINTS = {"better": "good", "worse": "bad", "tied": "soft"}


@dataclass(frozen=True, slots=True)
class IntervalMark:
    """Line of a chart: a mean or difference, its interval, and the value of each seed.

    Shares are in percent.
    """

    label: str
    value: float
    interval: tuple[float, float] | None
    seeds: tuple[float, ...]
    text: str = ""
    """The value and its interval as text."""
    detectable: float = 0.0
    """Smallest true difference that is shown with a power of 80 %."""
    verdict: str = "tied"


def make_mark(
    label: str, estimate: Estimate, unit: str, seeds: Iterable[float], **more: Any
) -> IntervalMark:
    """Make a mark from an estimate. `more` are further fields of `IntervalMark`."""
    # Axes of shares are in percent, like tables.
    scale = 100 if unit == "%" else 1
    low, high = estimate.low, estimate.high
    ends = None if low is None or high is None else (scale * low, scale * high)
    seed_values = tuple(scale * seed for seed in seeds)
    return IntervalMark(label, scale * (estimate.value or 0.0), ends, seed_values, **more)


def forest(marks: Sequence[IntervalMark], label: str, *, differences: bool = True) -> Markup:
    """Draw a dot with its interval for each mark, below its label. Pale dots are seeds.

    Charts of differences have a line at 0 and a grey band around it. A true difference within the
    band would mostly be missed.
    """
    chart = new_axes(380, 40 * len(marks) + 30)
    if differences:
        chart.axvline(0, color=paint("soft"), linewidth=1)
    for row, mark in enumerate(marks):
        colour = paint(_PAINTS[mark.verdict])
        if mark.interval:
            chart.hlines(row, *mark.interval, color=colour, linewidth=2)
        if len(mark.seeds) > 1:
            chart.scatter(mark.seeds, [row] * len(mark.seeds), 90, paint("soft"), alpha=0.35,
                          linewidths=0)  # fmt: skip
        chart.scatter(mark.value, row, 40, colour, zorder=3)
        chart.annotate(mark.label, (0, row - 0.33), (4, 0), fontsize=11, parse_math=False,
                       xycoords=("axes fraction", "data"), textcoords="offset points")  # fmt: skip
    # Intervals and seeds set the axis, because a wide band would make them too small.
    ends = chart.get_xlim()
    for row, mark in enumerate(marks):
        end = min(mark.detectable, max(map(abs, ends)))
        chart.barh(row, 2 * end, 0.5, -end, color=paint("rule"), alpha=0.6, zorder=0)
    chart.set(xlim=ends, ylim=(len(marks) - 0.5, -0.9))
    chart.yaxis.set_visible(False)
    return to_svg(chart, label)


Pair: TypeAlias = tuple[ScoredAnswer, ScoredAnswer]
"""The answers of both runs to the same question."""


@dataclass(frozen=True)
class AnswerAgreement:
    """Agreement of two runs that answered the same questions in the same order."""

    same_text: Estimate
    """Share of answers with exactly the same text."""
    same_value: Estimate
    """Share of answers with the same value or with exactly the same text."""
    different_texts: tuple[Pair, ...]
    """Pairs of answers whose texts differ."""
    different_values: tuple[Pair, ...]
    """Pairs of answers whose texts and values both differ."""

    def __str__(self) -> str:
        rows = [("Same text", self.same_text), ("Same value", self.same_value)]
        return "\n".join(
            align([[label, f"{figure(e.value, '%')} {interval_text(e, '%')}"] for label, e in rows])
        )

    def table(self, names: tuple[str, str], most: int) -> list[str]:
        """Format at most `most` pairs with different values, one on each line."""
        rows = [["", "truth", *names]]
        for pair in self.different_values[:most]:
            answers = [
                f"{value_text(item.value, item.type_name)}  {item.text[:40]!r}" for item in pair
            ]
            rows.append([pair[0].sample_id, truth_text(pair[0].truth), *answers])
        n_more = len(self.different_values) - most
        return [*align(rows), f"and {n_more:,} more"] if n_more > 0 else align(rows)


def agreement(first: Scores, second: Scores) -> AnswerAgreement:
    """Measure how often two runs give the same answers.

    Intervals are over pictures or groups if several questions share them.
    """
    pairs = list(zip(first.items, second.items, strict=True))
    different_texts = tuple((a, b) for a, b in pairs if a.text != b.text)
    # Two different texts that cannot be read do not agree.
    different_values = tuple(
        (a, b) for a, b in different_texts if a.value is None or a.value != b.value
    )
    units = Units.of(first.items)
    shares = []
    for different in (different_texts, different_values):
        ids = {a.sample_id for a, _ in different}
        same = np.array([float(item.sample_id not in ids) for item in first.items])
        shares.append(estimate_values(Metric("same", "The same"), same, units))
    return AnswerAgreement(shares[0], shares[1], different_texts, different_values)
