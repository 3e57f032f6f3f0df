"""Short questions as people type them: the n-th value, the highest or lowest, and a named value."""

from decimal import Decimal
from fractions import Fraction

from gnomon.generators.chart import answers
from gnomon.generators.chart.scene import About, ChartPlan
from gnomon.generators.rng import Rng
from gnomon.sample import Number, Target

_WITH_AXIS, _ROUND = ("bar", "barh", "line"), ("pie", "ring")
CHARTS = {"nth": _WITH_AXIS, "peak": (*_WITH_AXIS, *_ROUND), "named": (*_WITH_AXIS, *_ROUND)}
"""Types that allow each question. Slices have no first, so they are not counted."""
_ROUND_ERROR = 50
"""A careful reading of a slice is off by one part in this of the circle."""


def nth(plan: ChartPlan, rng: Rng) -> About | None:
    """Choose a mark by its place in the row."""
    rows = _rows(plan)
    if not rows:
        return None
    row = rng.choice(rows)
    point = "point" if plan.chart == "line" else "bar"
    return {"cells": [(row, 0)], "parts": {"point": point, "n": str(row + 1)}}


def named(plan: ChartPlan, rng: Rng) -> About | None:
    """Choose a mark by its name."""
    rows = _rows(plan)
    if not rows:
        return None
    row = rng.choice(rows)
    return {"cells": [(row, 0)], "parts": {"name": plan.frame.rows[row]}}


def peak(plan: ChartPlan, rng: Rng) -> About | None:
    """Choose the highest or the lowest value. A tie does not matter."""
    rows = _rows(plan)
    if len(rows) < len(plan.cells):  # a missing value might be the extreme
        return None
    which = rng.choice(("highest", "lowest"))
    best = max if which == "highest" else min
    row = best(rows, key=lambda row: plan.cells[row][0])
    return {"cells": [(row, 0)], "which": which}


def value(plan: ChartPlan, about: About) -> Target:
    """Return the value of the mark. Values of slices are per cent of the whole."""
    if plan.chart not in _ROUND or plan.has_labels:
        return answers.total(plan, about)
    (cell,) = about["cells"]
    places = plan.frame.topic.places
    shown = answers.rounded(Fraction(plan.value(cell), 10**places), places)
    return Number(shown, within=Decimal(100) / _ROUND_ERROR)


def _rows(plan: ChartPlan) -> list[int]:
    """Return the rows whose value can be read, if the chart has one series."""
    if len(plan.frame.columns) > 1:
        return []
    is_round = plan.chart in _ROUND and not plan.has_labels
    if is_round and plan.frame.topic.unit != "%":
        return []
    rows = range(len(plan.cells))
    return [row for row in rows if is_round or plan.error((row, 0)) is not None]
