"""Steps of answers about charts: the mark that is asked for, its end, and the axis beside it."""

from math import log
from typing import Any

from gnomon.generators.chart.catalog import TYPES
from gnomon.generators.wording import rounded_text

QUESTIONS = (
    *("retrieve", "extreme", "count", "compare", "difference", "ratio", "sum", "mean", "median"),
    *("trend", "crossing", "mismatch", "nth", "peak", "named"),
)


def steps(facts: dict[str, Any]) -> str:
    """State where the marks end, or the values of a whole series."""
    about = facts["about"]
    if facts["question"] in ("retrieve", "nth", "peak", "named"):
        return _one_mark(facts, *about["cells"][0])
    if "cells" in about:
        cells = about["cells"]
        # Cells of a row are counted along the series.
        by_row = len({column for _, column in cells}) == 1
        marks = [_mark(facts, row, column, by_row=by_row) for row, column in cells]
        values = [facts["cells"][row][column] for row, column in cells]
        return ", ".join(f"{m} at {value}" for m, value in zip(marks, values, strict=True))
    is_tendency = about.get("trend") == "tendency"
    columns = [0, 1] if is_tendency else about.get("columns", [about.get("column", 0)])
    series = [[row[column] for row in facts["cells"] if row[column]] for column in columns]
    return ", ".join(f"values {' '.join(values)}" for values in series)


def _one_mark(facts: dict[str, Any], row: int, column: int) -> str:
    parts = [_mark(facts, row, column, by_row=True)]
    if len(facts["columns"]) > 1:
        parts.append(f"series {column + 1} of {len(facts['columns'])}")
    return ", ".join([*parts, _end(facts, facts["cells"][row][column], column)])


def _end(facts: dict[str, Any], value: str, column: int) -> str:
    """State where a mark ends, as a share of its axis."""
    chart, is_across = facts["chart"], bool(facts["across"]) and column == 0
    axis = facts["across"] if is_across else facts["axis"]
    if facts["labelled"]:
        return f"written {value}"
    if axis is None:
        return f"{value} of 100"
    # The numbers at both ends; the axis may go on beyond them.
    low, high = axis["ticks"][0], axis["ticks"][-1]
    ends = f"axis {rounded_text(low, 4)} to {rounded_text(high, 4)}"
    top = "end" if is_across or chart == "barh" else "top"
    if axis["log"]:
        return f"{top} {rounded_text(log(float(value) / low) / log(high / low), 3)}, log {ends}"
    if chart in ("stacked", "area") and len(facts["columns"]) > 1:
        # A segment does not begin at the axis, so its length counts.
        return f"length {rounded_text(float(value) / (high - low), 3)}, {ends}"
    return f"{top} {rounded_text((float(value) - low) / (high - low), 3)}, {ends}"


def _mark(facts: dict[str, Any], row: int, column: int, *, by_row: bool) -> str:
    number, count = (row, len(facts["rows"])) if by_row else (column, len(facts["columns"]))
    return f"{TYPES[facts['chart']].shows} {number + 1} of {count}"
