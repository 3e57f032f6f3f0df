"""The exact answer to a question about a chart, from the table as it is displayed."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from gnomon.generators.chart import phrasing as say
from gnomon.generators.chart.plan import ChartPlan
from gnomon.generators.chart.questions import MISMATCH, About, ChartQuestion, correlation
from gnomon.sample import Number, Table, Target, Text


def answer(plan: ChartPlan, question: ChartQuestion) -> Target:
    """What is right; where a mark is, only the drawing can tell."""
    return _ANSWERS[question.form](plan, question.about)


def _sum(plan: ChartPlan, about: About, among: int = 1) -> Target:
    cells = about["cells"]
    error = Fraction(sum(plan.error(cell) or 0 for cell in cells), among)
    return _number(plan, Fraction(sum(map(plan.value, cells)), among), error, about)


def _mean(plan: ChartPlan, about: About) -> Target:
    return _sum(plan, about, len(about["cells"]))


def _median(plan: ChartPlan, about: About) -> Target:
    cells = about["cells"]
    ordered, half = sorted(map(plan.value, cells)), len(cells) // 2
    middle = Fraction(ordered[half] + ordered[-1 - half], 2)
    return _number(plan, middle, Fraction(max(plan.error(c) or 0 for c in cells)), about)


def _extreme(plan: ChartPlan, about: About) -> Target:
    best = max if about["which"] == "highest" else min
    shown = (r for r in range(len(plan.cells)) if (r, about["column"]) != plan.missing)
    return Text(plan.frame.rows[best(shown, key=lambda r: plan.cells[r][about["column"]])])


def _count(plan: ChartPlan, about: About) -> Target:
    values, limit = [row[about["column"]] for row in plan.cells], about["limit"]
    return _whole(sum(v > limit if about["side"] == "above" else v < limit for v in values))


def _compare(plan: ChartPlan, about: About) -> Target:
    best = max if about["which"] == "greater" else min
    names = say.names(plan, about["cells"])
    winner = best(about["cells"], key=plan.value)
    return Text(names[about["cells"].index(winner)], names)


def _difference(plan: ChartPlan, about: About) -> Target:
    one, other = about["cells"]
    error = Fraction((plan.error(one) or 0) + (plan.error(other) or 0))
    return _number(plan, Fraction(abs(plan.value(one) - plan.value(other))), error, about)


def _ratio(plan: ChartPlan, about: About) -> Target:
    """Off by as much as both readings may make it."""
    one, other = about["cells"]
    a, b = plan.value(one), plan.value(other)
    e, f = plan.error(one) or 0, plan.error(other) or 0
    true = Fraction(a, b)
    within = max(Fraction(a + e, b - f) - true, true - Fraction(a - e, b + f))
    return Number(rounded(true, 2), within=_up(within, 2))


def _trend(plan: ChartPlan, about: About) -> Target:
    if about["trend"] == "between":
        start, end = map(plan.value, about["cells"])
        return Text("rise" if end > start else "fall", ("rise", "fall"))
    if about["trend"] == "rises":
        values = [row[about["column"]] for row in plan.cells]
        return _whole(sum(after > before for before, after in pairwise(values)))
    squared, sign = correlation([row[0] for row in plan.cells], [row[1] for row in plan.cells])
    verdict = "neither" if squared < Fraction(1, 2) else "rise" if sign > 0 else "fall"
    return Text(verdict, ("rise", "fall", "neither"))


def _crossing(plan: ChartPlan, about: About) -> Target:
    one, other = about["columns"]
    above = [row[one] > row[other] for row in plan.cells]
    return _whole(sum(before != after for before, after in pairwise(above)))


def _table(plan: ChartPlan, _: About) -> Target:
    rows = (
        (name, *(plan.written((row, column)) for column in range(len(plan.cells[row]))))
        for row, name in enumerate(plan.frame.rows)
    )
    return Table(say.header(plan), tuple(rows))


def _mismatch(plan: ChartPlan, about: About) -> Target:
    """As the table has it, which is exact."""
    places = plan.frame.places(about["cells"][0][1])
    return Number(Decimal(about["instead"]).scaleb(-places))


_ANSWERS: dict[str, Callable[[ChartPlan, About], Target]] = {
    "retrieve": _sum,  # of one cell
    "extreme": _extreme,
    "count": _count,
    "compare": _compare,
    "difference": _difference,
    "ratio": _ratio,
    "sum": _sum,
    "mean": _mean,
    "median": _median,
    "trend": _trend,
    "crossing": _crossing,
    "table": _table,
    MISMATCH: _mismatch,
}


def _whole(number: int) -> Number:
    return Number(Decimal(number))


def _number(plan: ChartPlan, value: Fraction, error: Fraction, about: About) -> Number:
    """In the column's unit, with the places that the question names."""
    shown = plan.frame.places(about["cells"][0][1])
    places = shown + about.get("more", 0)
    unit = Fraction(10) ** shown
    return Number(rounded(value / unit, places), within=_up(error / unit, places))


def rounded(value: Fraction, places: int) -> Decimal:
    """Half away from zero, in whole numbers: no division of Decimals rounds before."""
    whole = floor(abs(value) * 10**places + Fraction(1, 2))
    return Decimal(-whole if value < 0 else whole).scaleb(-places)


def _up(value: Fraction, places: int) -> Decimal:
    return Decimal(ceil(value * 10**places)).scaleb(-places) if value else Decimal(0)
