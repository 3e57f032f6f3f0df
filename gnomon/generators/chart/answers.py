"""Exact answers to questions about a chart, computed from the displayed table."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from gnomon.generators.chart.scene import About, ChartPlan
from gnomon.sample import Number, Table, Target, Text


def total(plan: ChartPlan, about: About) -> Target:
    """Compute a value, a sum, or a mean with one more decimal."""
    cells = about["cells"]
    among = len(cells) if "more" in about else 1
    # In the worst case, reading errors add up.
    error = Fraction(sum(plan.error(cell) or 0 for cell in cells), among)
    return _number(plan, Fraction(sum(map(plan.value, cells)), among), error, about)


def median(plan: ChartPlan, about: About) -> Target:
    """Return the median. For an even number of values it is the mean of the two middle values."""
    cells = about["cells"]
    ordered, half = sorted(map(plan.value, cells)), len(cells) // 2
    # With an odd number, both are the same value.
    middle = Fraction(ordered[half] + ordered[-1 - half], 2)
    return _number(plan, middle, Fraction(max(plan.error(c) or 0 for c in cells)), about)


def extreme(plan: ChartPlan, about: About) -> Target:
    """Return the name of the row with the highest or lowest value."""
    best, column = max if about["which"] == "highest" else min, about["column"]
    rows = (r for r in range(len(plan.cells)) if (r, column) != plan.missing)
    return Text(plan.frame.rows[best(rows, key=lambda r: plan.cells[r][column])])


def count(plan: ChartPlan, about: About) -> Target:
    """Return the number of values of a column above or below a limit."""
    values, limit = plan.column(about["column"]), about["limit"]
    above = sum(value > limit for value in values)
    return Number(Decimal(above if about["side"] == "above" else len(values) - above))


def compare(plan: ChartPlan, about: About) -> Target:
    """Return the name of the greater or smaller of two cells."""
    best, cells = max if about["which"] == "greater" else min, about["cells"]
    names = plan.names(cells)
    return Text(names[cells.index(best(cells, key=plan.value))], names)


def difference(plan: ChartPlan, about: About) -> Target:
    """Return the difference of two values."""
    first, second = about["cells"]
    error = Fraction((plan.error(first) or 0) + (plan.error(second) or 0))
    return _number(plan, Fraction(abs(plan.value(first) - plan.value(second))), error, about)


def ratio(plan: ChartPlan, about: About) -> Target:
    """Compute a ratio. Its tolerance covers the reading errors of both values."""
    (a, e), (b, f) = ((plan.value(cell), plan.error(cell) or 0) for cell in about["cells"])
    true = Fraction(a, b)
    # (a ± e) / (b ∓ f) are the ratios furthest from the true ratio.
    tolerance = max(Fraction(a + e, b - f) - true, true - Fraction(a - e, b + f))
    return Number(rounded(true, 2), within=_up(tolerance, 2))


def trend(plan: ChartPlan, about: About) -> Target:
    """Judge the trend between two ends, count the rises, or return the sign of a correlation."""
    if about["trend"] == "between":
        start, end = map(plan.value, about["cells"])
        return Text("rise" if end > start else "fall", ("rise", "fall"))
    if about["trend"] == "rises":
        values = plan.column(about["column"])
        return Number(Decimal(sum(after > before for before, after in pairwise(values))))
    squared, sign = correlation(plan.column(0), plan.column(1))
    verdict = "neither" if squared < Fraction(1, 2) else "rise" if sign > 0 else "fall"
    return Text(verdict, ("rise", "fall", "neither"))


def crossing(plan: ChartPlan, about: About) -> Target:
    """Return how often one series overtakes another or falls behind it."""
    first, second = about["columns"]
    above = [row[first] > row[second] for row in plan.cells]
    return Number(Decimal(sum(before != after for before, after in pairwise(above))))


def table(plan: ChartPlan, _: About) -> Target:
    """Return the table of all cells."""
    rows = zip(plan.frame.rows, plan.table, strict=True)
    return Table(plan.header, tuple((name, *written) for name, written in rows))


def mismatch(plan: ChartPlan, about: About) -> Target:
    """Return the wrong number of the table. The table shows it as text, so it is exact."""
    places = plan.frame.topic_of(about["cells"][0][1]).places
    return Number(Decimal(about["instead"]).scaleb(-places))


def correlation(xs: Sequence[int], ys: Sequence[int]) -> tuple[Fraction, int]:
    """Return the square of Pearson's correlation, and its sign."""
    n = len(xs)
    # r² = (nΣxy − ΣxΣy)² / (nΣx² − (Σx)²)(nΣy² − (Σy)²), in whole numbers to stay exact.
    both = n * sum(x * y for x, y in zip(xs, ys, strict=True)) - sum(xs) * sum(ys)
    spread = [n * sum(v * v for v in vs) - sum(vs) ** 2 for vs in (xs, ys)]
    return Fraction(both * both, max(1, spread[0] * spread[1])), (both > 0) - (both < 0)


def _number(plan: ChartPlan, value: Fraction, error: Fraction, about: About) -> Number:
    """Return a number in the column's unit, with the decimals that the question names."""
    column_places = plan.frame.topic_of(about["cells"][0][1]).places
    places = column_places + about.get("more", 0)
    unit = Fraction(10) ** column_places
    return Number(rounded(value / unit, places), within=_up(error / unit, places))


def rounded(value: Fraction, places: int) -> Decimal:
    """Round half away from zero, in whole numbers. A division of Decimals would round earlier."""
    whole = floor(abs(value) * 10**places + Fraction(1, 2))
    return Decimal(-whole if value < 0 else whole).scaleb(-places)


def _up(value: Fraction, places: int) -> Decimal:
    return Decimal(ceil(value * 10**places)).scaleb(-places) if value else Decimal(0)
