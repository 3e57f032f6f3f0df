"""Tables and charts of differences between runs, means over seeds, and agreement."""

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

TOO_FEW = "not with so few"
"""Text for a difference that so few answers cannot show, however large it is."""
HEADER = ("difference", "p", "test", "80 % power from", "verdict")


class DifferenceRow(NamedTuple):
    """Row of a table of differences: one metric of a summary in two models, or one seed of it."""

    label: str
    baseline: str
    candidate: str
    difference: str
    p: str
    test: str = ""
    """Name of the test; empty for a seed."""
    detectable: str = ""
    verdict: str = ""


def difference_tables(comparison: Comparison) -> list[dict[str, Any]]:
    """Build each type's title, rows, note on p, and charts by heading."""
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
    """Explain how the figures of p are corrected, and what the intervals do not cover."""
    first, *rest = differences
    note = (
        f"p is corrected by Holm: in the first line over {first.n_tests}, all tables' first lines"
    )
    if rest:
        note += f"; in the others over {rest[0].n_tests}"
    note += f"; a seed's own is of {first.by_seed[0].test}" if first.by_seed[1:] else ""
    note += "; intervals are not"
    sides = zip((comparison.baseline, comparison.candidate), comparison.seeds, strict=True)
    single_seed = [name for name, seeds in sides if len(seeds) == 1]
    return note + (
        f"; nothing is said of other seeds of {' and '.join(single_seed)}" if single_seed else ""
    )


def _difference_rows(differences: Sequence[Difference]) -> Iterator[DifferenceRow]:
    """Yield a type's rows; below the first its seeds, if there are several."""
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
        # Only the first metric has its seeds: a dozen metrics of three seeds each would bury the
        # verdict.
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
    """Yield a chart for the metrics of each unit, which share an axis."""
    for unit in dict.fromkeys(difference.unit for difference in differences):
        marks = [
            _difference_mark(difference) for difference in differences if difference.unit == unit
        ]
        # Differences of shares are percentage points.
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
    """Draw each headline mean over all answers, a line per group; empty if no group has several
    seeds."""
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
    """Yield each headline mean over all answers, with a mark for each group that has the
    type."""
    groups_of_type = [group for group in groups if type_name in group.runs[0].scores.summaries]
    for metric in TYPES[type_name].metrics:
        if metric.headline and metric.among == "all" and metric.statistic in ("share", "mean"):
            yield metric, [_group_mark(group, type_name, metric) for group in groups_of_type]


def _group_mark(group: Group, type_name: str, metric: Metric) -> IntervalMark:
    """Estimate a group's mean over its seeds; seeds with other questions have no interval."""
    items_by_run = [run.scores.of_type(type_name) for run in group.runs]
    seeds = [[item.measures[metric.key] for item in items] for items in items_by_run]
    ids = [[item.sample_id for item in items] for items in items_by_run]
    means = [float(np.mean(of_seed)) for of_seed in seeds]
    units = Units.of(items_by_run[0])
    if len(seeds) == 1:
        estimate = estimate_values(metric, np.array(seeds[0]), units)
    # Seeds of the same questions are crossed with them: both vary the mean.
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
    """Line of a chart: a mean or difference, its interval if there is one, and the value of each
    seed."""

    label: str
    value: float
    interval: tuple[float, float] | None
    seeds: tuple[float, ...]
    text: str = ""
    """Figures in words."""
    detectable: float = 0.0
    """Size below which true differences are mostly missed."""
    verdict: str = "tied"


def make_mark(
    label: str, estimate: Estimate, unit: str, seeds: Iterable[float], **more: Any
) -> IntervalMark:
    """Make a mark of an estimate; shares are in percent."""
    # Axes of shares are in percent, as tables are.
    scale = 100 if unit == "%" else 1
    low, high = estimate.low, estimate.high
    ends = None if low is None or high is None else (scale * low, scale * high)
    seed_values = tuple(scale * seed for seed in seeds)
    return IntervalMark(label, scale * (estimate.value or 0.0), ends, seed_values, **more)


def forest(marks: Sequence[IntervalMark], label: str, *, differences: bool = True) -> Markup:
    """Draw dots with their intervals, and seeds behind them, each below its label.

    Differences have 0 on their axis, and a band on either side: true differences that are mostly
    missed.
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
    # The axis ends with intervals and seeds: a band may be so wide that these would vanish.
    ends = chart.get_xlim()
    for row, mark in enumerate(marks):
        end = min(mark.detectable, max(map(abs, ends)))
        chart.barh(row, 2 * end, 0.5, -end, color=paint("rule"), alpha=0.6, zorder=0)
    chart.set(xlim=ends, ylim=(len(marks) - 0.5, -0.9))
    chart.yaxis.set_visible(False)
    return to_svg(chart, label)


Pair: TypeAlias = tuple[ScoredAnswer, ScoredAnswer]
"""Answers of both runs to one question."""


@dataclass(frozen=True)
class AnswerAgreement:
    """Agreement of two runs on the same questions in the same order."""

    same_text: Estimate
    """Share of answers whose text is the same to the letter."""
    same_value: Estimate
    """Share of answers with the same value, or with the same text."""
    different_texts: tuple[Pair, ...]
    """Answers whose texts differ."""
    different_values: tuple[Pair, ...]
    """Answers whose texts differ, and their values, too."""

    def __str__(self) -> str:
        rows = [("The same to the letter", self.same_text), ("Read as the same", self.same_value)]
        return "\n".join(
            align([[label, f"{figure(e.value, '%')} {interval_text(e, '%')}"] for label, e in rows])
        )

    def table(self, names: tuple[str, str], most: int) -> list[str]:
        """Format the first answers with different values, a line each."""
        rows = [["", "truth", *names]]
        for pair in self.different_values[:most]:
            answers = [
                f"{value_text(item.value, item.type_name)}  {item.text[:40]!r}" for item in pair
            ]
            rows.append([pair[0].sample_id, truth_text(pair[0].truth), *answers])
        n_more = len(self.different_values) - most
        return [*align(rows), f"and {n_more:,} more"] if n_more > 0 else align(rows)


def agreement(first: Scores, second: Scores) -> AnswerAgreement:
    """Measure how far the second agrees with the first; intervals are over pictures, or groups, if
    questions share them."""
    pairs = list(zip(first.items, second.items, strict=True))
    different_texts = tuple((a, b) for a, b in pairs if a.text != b.text)
    # An unread answer equals none: two different texts without a value are no agreement.
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
