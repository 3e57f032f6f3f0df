"""How cells, marks and precisions are named in questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.generators._sum import pointed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.generators._chart_plan import Cell, Plan

_MARKS = {
    "bar": "bar", "barh": "bar", "grouped": "bar", "stacked": "segment", "line": "marker",
    "scatter": "point", "bubble": "bubble", "pie": "slice", "ring": "slice", "area": "band",
    "histogram": "bar", "box": "box", "heatmap": "cell", "radar": "marker",
}  # fmt: skip
_POINTS = ("scatter", "bubble")


def every_cell(plan: Plan) -> list[Cell]:
    """All of the table's."""
    return [(r, c) for r, row in enumerate(plan.cells) for c in range(len(row))]


def cells(plan: Plan) -> list[Cell]:
    """Those that a value can be asked of."""
    return every_cell(plan)


def marked(plan: Plan) -> list[Cell]:
    """Those with a mark of their own; a point or a box is named by its first column."""
    if plan.chart == "area":
        return [(0, c) for c in range(len(plan.frame.columns))]
    if plan.chart in (*_POINTS, "box"):
        return [(r, 0) for r in range(len(plan.cells))]
    return every_cell(plan)


def cell(plan: Plan, at: Cell) -> str:
    """The rainfall in Mar; the rent for Oslo (North)."""
    row, column = at
    frame = plan.frame
    name = frame.rows[row]
    if plan.chart in _POINTS:
        return f"the {frame.columns[column]} of point {name}"
    if plan.chart == "histogram":
        return f"the {frame.topic.measure} in the bin {name} {frame.topics[1].unit}"
    if plan.chart == "box":
        return f"the {frame.columns[column]} of the {frame.topic.measure} {_at(plan, name)}"
    series = f" ({frame.columns[column]})" if frame.columns[column] else ""
    return f"the {frame.topic.measure} {_at(plan, name)}{series}"


def name(plan: Plan, at: Cell, pair: Sequence[Cell]) -> str:
    """What tells it from the other of a pair, in a word."""
    if pair[0][0] == pair[1][0]:
        return plan.frame.columns[at[1]]
    return plan.frame.rows[at[0]]


def series(plan: Plan, column: int) -> str:
    """The measure of a column."""
    frame = plan.frame
    if plan.chart in _POINTS:
        return frame.columns[column]
    if plan.chart == "box":
        return f"{frame.columns[column]} of the {frame.topic.measure}"
    return frame.topic.measure + (f" ({frame.columns[column]})" if frame.columns[column] else "")


def total(plan: Plan, of: Sequence[Cell]) -> str:
    """The sum of several cells."""
    return f"the sum of {group(plan, of)}"


def group(plan: Plan, of: Sequence[Cell]) -> str:
    """Several cells: a row, a series or a part of it."""
    frame = plan.frame
    if len(of) > 1 and of[0][0] == of[1][0]:
        return f"the {frame.topic.measure} {_at(plan, frame.rows[of[0][0]])} over all series"
    measure = f"the {series(plan, of[0][1])}"
    if len(of) == len(plan.cells):
        return f"{measure} over all {plural(frame.each)} shown"
    names = [frame.rows[at[0]] for at in of]
    return f"{measure} for {', '.join(names[:-1])} and {names[-1]}"


def mark(plan: Plan, at: Cell) -> str:
    """The bar of Mar."""
    frame, noun = plan.frame, _MARKS[plan.chart]
    row, column = at
    if plan.chart in _POINTS:
        return f"the {noun} {frame.rows[row]}"
    if plan.chart == "area":
        return f"the {noun} of {frame.columns[column]}"
    series = f" ({frame.columns[column]})" if plan.chart != "box" and frame.columns[column] else ""
    unit = f" {frame.topics[1].unit}" if plan.chart == "histogram" else ""
    return f"the {noun} of {frame.rows[row]}{unit}{series}"


def precision(plan: Plan, column: int, more: int = 0) -> str:
    """Answer in mm, with 1 decimal."""
    places = plan.frame.places(column) + more
    unit = plan.frame.unit(column)
    if places == 0:
        return f"Answer in {unit}, as a whole number."
    return f"Answer in {unit}, rounded to {places} decimal{'s' if places > 1 else ''}."


def value(plan: Plan, amount: int, column: int) -> str:
    """A number with its unit."""
    return f"{pointed(amount, plan.frame.places(column))} {plan.frame.unit(column)}"


def answer_with(plan: Plan) -> str:
    """What the answer to `which` is."""
    if plan.chart in _POINTS:
        return "Answer with its letter."
    return f"Answer with the {plan.frame.each} as the chart writes it."


def head(plan: Plan) -> str:
    """Over the names of rows."""
    return plan.frame.each


def headers(plan: Plan) -> list[str]:
    """Over the values."""
    frame = plan.frame
    named = [n if n and plan.chart in _POINTS else f"{n} {frame.topic.measure}".strip()
             for n in frame.columns]  # fmt: skip
    return [f"{n} ({frame.unit(c)})" for c, n in enumerate(named)]


def plural(noun: str) -> str:
    """Of the nouns of rows."""
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return "axes" if noun == "axis" else f"{noun}s"


def _at(plan: Plan, row: str) -> str:
    if not plan.frame.ordered:
        return f"for {row}"
    return f"on {row}" if plan.frame.each == "day" else f"in {row}"
