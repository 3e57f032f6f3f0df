"""What is asked of a chart; a question is asked only where the picture determines its answer."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from gnomon.generators import _chart_say as say
from gnomon.generators._chart_table import POINTS
from gnomon.sample import Number, Table, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.generators._chart_plan import Cell, Plan
    from gnomon.generators.rng import Rng
    from gnomon.sample import Target


class Asked(NamedTuple):
    """One question; the target of `box` is known once the chart is drawn."""

    form: str
    text: str
    target: Target | None
    about: dict[str, Any]
    """What is asked of which cells, from which the answer can be found again."""


def asked(form: str, plan: Plan, rng: Rng) -> Asked | None:
    """A question of that form, or None where this chart has none."""
    found = FORMS[form](plan, rng)
    return None if found is None else Asked(form, *found)


_Found = tuple[str, "Target | None", dict[str, Any]]


def _retrieve(plan: Plan, rng: Rng) -> _Found | None:
    cell = _first(rng, [c for c in say.cells(plan) if plan.error(c) is not None and plan.free(c)])
    if cell is None:
        return None
    target = _number(plan, Fraction(plan.value(cell)), plan.error(cell) or 0, cell[1])
    return (
        f"What is {say.cell(plan, cell)}? {say.precision(plan, cell[1])}",
        target,
        {"cells": [cell]},
    )


def _extreme(plan: Plan, rng: Rng) -> _Found | None:
    column = _column(plan, rng)
    greatest = rng.chance(0.5)
    order = sorted(range(len(plan.cells)), key=lambda r: plan.cells[r][column], reverse=greatest)
    first, second = (order[0], column), (order[1], column)
    if not (plan.apart(first, second) and plan.free(first) and plan.free(second)):
        return None
    which = "highest" if greatest else "lowest"
    text = f"Which {plan.frame.each} has the {which} {say.series(plan, column)}?"
    about = {"column": column, "which": which}
    return f"{text} {say.answer_with(plan)}", Text(plan.frame.rows[order[0]]), about


def _count(plan: Plan, rng: Rng) -> _Found | None:
    column = _column(plan, rng)
    limit = _limit(plan, column, rng)
    if limit is None or not all(plan.free((row, column)) for row in range(len(plan.cells))):
        return None
    above = rng.chance(0.5)
    values = [row[column] for row in plan.cells]
    number = sum(v > limit if above else v < limit for v in values)
    side = "above" if above else "below"
    text = (f"For how many {say.plural(plan.frame.each)} is the {say.series(plan, column)} {side}"
            f" {say.value(plan, limit, column)}? Answer with a whole number.")  # fmt: skip
    return text, Number(Decimal(number)), {"column": column, "side": side, "limit": limit}


def _compare(plan: Plan, rng: Rng) -> _Found | None:
    pair = _pair(plan, rng, lambda a, b: plan.apart(a, b) and plan.free(a) and plan.free(b))
    if pair is None:
        return None
    one, other = pair
    names = tuple(say.name(plan, cell, pair) for cell in pair)
    most = rng.chance(0.5)
    winner = max(pair, key=plan.value) if most else min(pair, key=plan.value)
    which = "greater" if most else "smaller"
    text = f"Which is {which}, {say.cell(plan, one)} or {say.cell(plan, other)}?"
    text += f" Answer {names[0]} or {names[1]}."
    return text, Text(names[pair.index(winner)], names), {"cells": list(pair), "which": which}


def _difference(plan: Plan, rng: Rng) -> _Found | None:
    pair = _pair(plan, rng, lambda a, b: _read(plan, a) and _read(plan, b) and plan.apart(a, b))
    if pair is None:
        return None
    one, other = pair
    gap = abs(plan.value(one) - plan.value(other))
    text = f"By how much do {say.cell(plan, one)} and {say.cell(plan, other)} differ?"
    target = _number(plan, Fraction(gap), _errors(plan, pair), one[1])
    return f"{text} {say.precision(plan, one[1])}", target, {"cells": list(pair)}


def _ratio(plan: Plan, rng: Rng) -> _Found | None:
    pair = _pair(plan, rng, lambda a, b: _divides(plan, a) and _divides(plan, b))
    if pair is None or plan.frame.scale == "log":
        return None
    one, other = pair
    a, b = plan.value(one), plan.value(other)
    e, f = plan.error(one) or 0, plan.error(other) or 0
    within = max(Fraction(a + e, b - f) - Fraction(a, b), Fraction(a, b) - Fraction(a - e, b + f))
    text = f"What is {say.cell(plan, one)} divided by {say.cell(plan, other)}?"
    target = Number(_rounded(Fraction(a, b), 2), within=_up(within, 2))
    return f"{text} Round to 2 decimals.", target, {"cells": list(pair), "places": 2}


def _sum(plan: Plan, rng: Rng) -> _Found | None:
    cells = _several(plan, rng)
    if cells is None:
        return None
    target = _number(plan, Fraction(sum(map(plan.value, cells))), _errors(plan, cells), cells[0][1])
    text = f"What is {say.total(plan, cells)}? {say.precision(plan, cells[0][1])}"
    return text, target, {"cells": cells}


def _mean(plan: Plan, rng: Rng) -> _Found | None:
    cells = _several(plan, rng)
    if cells is None:
        return None
    mean = Fraction(sum(map(plan.value, cells)), len(cells))
    error = Fraction(_errors(plan, cells), len(cells))
    target = _number(plan, mean, error, cells[0][1], more=1)
    text = (
        f"What is the mean of {say.group(plan, cells)}? {say.precision(plan, cells[0][1], more=1)}"
    )
    return text, target, {"cells": cells, "more": 1}


def _median(plan: Plan, rng: Rng) -> _Found | None:
    cells = _several(plan, rng, by_row=False)
    if cells is None:
        return None
    ordered, half = sorted(map(plan.value, cells)), len(cells) // 2
    middle = Fraction(ordered[half] + ordered[-1 - half], 2)
    error = max(plan.error(cell) or 0 for cell in cells)
    target = _number(plan, middle, error, cells[0][1], more=1)
    text = f"What is the median of {say.group(plan, cells)}?"
    return f"{text} {say.precision(plan, cells[0][1], more=1)}", target, {"cells": cells, "more": 1}


def _trend(plan: Plan, rng: Rng) -> _Found | None:
    if plan.chart == "scatter":
        return _tendency(plan)
    if plan.stacked:
        return None
    column = _column(plan, rng)
    cells = [(row, column) for row in range(len(plan.cells))]
    if not all(plan.apart(a, b) for a, b in pairwise(cells)):
        return None
    if rng.chance(0.5):
        start = rng.integer(0, len(cells) - 2)
        ends = cells[start], cells[rng.integer(start + 1, len(cells) - 1)]
        if not (plan.apart(*ends) and plan.free(ends[0]) and plan.free(ends[1])):
            return None
        verdict = "rise" if plan.value(ends[1]) > plan.value(ends[0]) else "fall"
        span = f"from {plan.frame.rows[ends[0][0]]} to {plan.frame.rows[ends[1][0]]}"
        text = (
            f"Does the {say.series(plan, column)} rise or fall overall {span}? Answer rise or fall."
        )
        return text, Text(verdict, ("rise", "fall")), {"trend": "between", "cells": list(ends)}
    rises = sum(plan.value(b) > plan.value(a) for a, b in pairwise(cells))
    each = plan.frame.each
    text = (f"From one {each} to the next, how many times does the {say.series(plan, column)} rise?"
            " Answer with a whole number.")  # fmt: skip
    return text, Number(Decimal(rises)), {"trend": "rises", "column": column}


def _tendency(plan: Plan) -> _Found | None:
    """Asked only where the correlation leaves no doubt."""
    squared, sign = correlation([row[0] for row in plan.cells], [row[1] for row in plan.cells])
    if len(plan.cells) < 5 or Fraction(4, 100) < squared < Fraction(64, 100):
        return None
    x, y = (topic.measure for topic in plan.frame.topics[:2])
    verdict = "neither" if squared <= Fraction(4, 100) else "rise" if sign > 0 else "fall"
    choices = ("rise", "fall", "neither")
    text = (
        f"As {x} grows, does {y} tend to rise, to fall, or neither? Answer rise, fall or neither."
    )
    return text, Text(verdict, choices), {"trend": "tendency"}


def correlation(xs: Sequence[int], ys: Sequence[int]) -> tuple[Fraction, int]:
    """The square of Pearson's correlation, and its sign."""
    n = len(xs)
    both = n * sum(x * y for x, y in zip(xs, ys, strict=True)) - sum(xs) * sum(ys)
    spread = [n * sum(v * v for v in vs) - sum(vs) ** 2 for vs in (xs, ys)]
    return Fraction(both * both, max(1, spread[0] * spread[1])), (both > 0) - (both < 0)


def _crossing(plan: Plan, rng: Rng) -> _Found | None:
    columns = len(plan.frame.columns)
    if plan.chart != "line" or columns < 2:
        return None
    one, other = rng.choice(list(combinations(range(columns), 2)))
    if not all(plan.apart((row, one), (row, other)) for row in range(len(plan.cells))):
        return None
    above = [row[one] > row[other] for row in plan.cells]
    times = sum(a != b for a, b in pairwise(above))
    a, b = plan.frame.columns[one], plan.frame.columns[other]
    text = f"How many times do the lines of {a} and {b} cross? Answer with a whole number."
    return text, Number(Decimal(times)), {"columns": [one, other]}


def _table(plan: Plan, _: Rng) -> _Found | None:
    if any(plan.error(cell) != 0 for cell in say.every_cell(plan)):
        return None
    header = (say.head(plan), *say.headers(plan))
    rows = tuple(
        (name, *(plan.written((r, c)) for c in range(len(plan.cells[r]))))
        for r, name in enumerate(plan.frame.rows)
    )
    text = (f"Give the chart's data as a table with the columns {' | '.join(header)},"
            f" a line for each {plan.frame.each}, the header first.")  # fmt: skip
    return text, Table(header, rows), {}


def _box(plan: Plan, rng: Rng) -> _Found | None:
    if plan.chart == "area" and len(plan.frame.columns) == 1:
        return None
    cell = _first(rng, [c for c in say.marked(plan) if plan.free(c)])
    if cell is None:
        return None
    return f"Where is {say.mark(plan, cell)}? Give its bounding box.", None, {"cells": [cell]}


FORMS: dict[str, Callable[[Plan, Rng], _Found | None]] = {
    "retrieve": _retrieve,
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
    "box": _box,
}


def _first(rng: Rng, cells: list[Cell]) -> Cell | None:
    return rng.choice(cells) if cells else None


def _column(plan: Plan, rng: Rng) -> int:
    """A series; of points what is measured upwards or as size, of a box plot any of the five."""
    if plan.chart == "scatter":
        return 1
    return rng.integer(1 if plan.chart == "bubble" else 0, len(plan.frame.columns) - 1)


def _read(plan: Plan, cell: Cell) -> bool:
    return plan.error(cell) is not None and plan.free(cell)


def _divides(plan: Plan, cell: Cell) -> bool:
    error = plan.error(cell)
    return error is not None and plan.free(cell) and plan.value(cell) > 8 * error


def _pair(plan: Plan, rng: Rng, fits: Callable[[Cell, Cell], bool]) -> tuple[Cell, Cell] | None:
    """Two cells of one series or of one row, of the first ten drawn."""
    rows, columns = len(plan.cells), len(plan.frame.columns)
    for _ in range(10):
        row, column = rng.integer(0, rows - 1), _column(plan, rng)
        if columns > 1 and plan.chart not in POINTS and rng.chance(0.4):
            other = (row, (column + rng.integer(1, columns - 1)) % columns)
        else:
            other = ((row + rng.integer(1, rows - 1)) % rows, column)
        if fits((row, column), other):
            return (row, column), other
    return None


def _several(plan: Plan, rng: Rng, *, by_row: bool = True) -> list[Cell] | None:
    """All values of a series, or of a row with several; of parts of a whole only some."""
    if plan.chart in ("box", "scatter", "bubble") or plan.frame.scale == "log":
        return None
    rows, columns = len(plan.cells), len(plan.frame.columns)
    if by_row and columns > 1 and rng.chance(0.5):
        row = rng.integer(0, rows - 1)
        cells = [(row, column) for column in range(columns)]
    else:
        column = rng.integer(0, columns - 1)
        cells = [(row, column) for row in range(rows)]
        if by_row and rows > 3:
            start = rng.integer(0, rows - 3)
            cells = cells[start : start + rng.integer(2, 3)] if rng.chance(0.5) else cells
    return cells if all(_read(plan, cell) for cell in cells) else None


def _limit(plan: Plan, column: int, rng: Rng) -> int | None:
    """A round number that no value comes near."""
    axis = plan.across if plan.across is not None and column == 0 else plan.axis
    if plan.error((0, column)) is None or axis is None:
        return None
    values = [row[column] for row in plan.cells]
    between = [tick for tick in axis.ticks if min(values) < tick < max(values)]
    near = 0 if plan.labelled else 4 if plan.stacked else 2
    fit = [t for t in between
           if all(v != t and axis.gap(v, t, plan.length) >= near for v in values)]  # fmt: skip
    return rng.choice(fit) if fit else None


def _errors(plan: Plan, cells: Sequence[Cell]) -> int:
    return sum(plan.error(cell) or 0 for cell in cells)


def _number(
    plan: Plan, value: Fraction, error: Fraction | int, column: int, more: int = 0
) -> Number:
    """The value in the column's unit, rounded half up to its places and so many more."""
    unit = Fraction(10) ** plan.frame.places(column)
    places = plan.frame.places(column) + more
    return Number(_rounded(value / unit, places), within=_up(Fraction(error) / unit, places))


def _rounded(value: Fraction, places: int) -> Decimal:
    return _quantised(value, places, ROUND_HALF_UP)


def _up(value: Fraction, places: int) -> Decimal:
    return _quantised(value, places, ROUND_CEILING) if value else Decimal(0)


def _quantised(value: Fraction, places: int, rounding: str) -> Decimal:
    """Rounded in whole numbers, so that no division of Decimals rounds before."""
    scaled = abs(value) * 10**places
    whole, rest = divmod(scaled.numerator, scaled.denominator)
    if rounding == ROUND_CEILING:
        whole += rest > 0
    else:
        whole += 2 * rest >= scaled.denominator
    return Decimal(-whole if value < 0 else whole).scaleb(-places)
