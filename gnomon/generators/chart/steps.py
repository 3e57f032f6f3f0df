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
    """State where the marks end, or the values of a whole series. Empty for places and tables."""
    about = facts["about"]
    if facts["question"] not in QUESTIONS:
        return ""
    if facts["question"] in ("retrieve", "nth", "peak", "named"):
        return _one_mark(facts, *about["cells"][0])
    if "cells" in about:
        cells = about["cells"]
        # Cells of a row are counted along the series.
        by_row = len({column for _, column in cells}) == 1
        marks = [_mark(facts, row, column, by_row=by_row) for row, column in cells]
        values = [facts["cells"][row][column] for row, column in cells]
        return ", ".join(f"{m} at {value}" for m, value in zip(marks, values, strict=True))
    columns = about["columns"] if "columns" in about else [about.get("column", 0)]
    if about.get("trend") == "tendency":
        columns = [0, 1]
    series = [[row[column] for row in facts["cells"] if row[column]] for column in columns]
    return ", ".join(f"values {' '.join(values)}" for values in series)


def _one_mark(facts: dict[str, Any], row: int, column: int) -> str:
    chart, value = facts["chart"], facts["cells"][row][column]
    parts = [_mark(facts, row, column, by_row=True)]
    if len(facts["columns"]) > 1:
        parts.append(f"series {column + 1} of {len(facts['columns'])}")
    if facts["labelled"]:
        return ", ".join([*parts, f"written {value}"])
    if facts["axis"] is None and facts["across"] is None:
        return ", ".join([*parts, f"{value} of 100"])
    is_across = bool(facts["across"]) and column == 0
    axis = facts["across"] if is_across else facts["axis"]
    top = "end" if is_across or chart == "barh" else "top"
    # The numbers at both ends; the axis may go on beyond them.
    low, high = axis["ticks"][0], axis["ticks"][-1]
    ends = f"{rounded_text(low, 4)} to {rounded_text(high, 4)}"
    if axis["log"]:
        share = log(float(value) / low) / log(high / low)
        return ", ".join([*parts, f"{top} {rounded_text(share, 3)}", f"log axis {ends}"])
    # A segment does not begin at the axis, so its length counts.
    is_stacked = chart in ("stacked", "area") and len(facts["columns"]) > 1
    share = (float(value) - (0 if is_stacked else low)) / (high - low)
    end = f"{'length' if is_stacked else top} {rounded_text(share, 3)}"
    return ", ".join([*parts, end, f"axis {ends}"])


def _mark(facts: dict[str, Any], row: int, column: int, *, by_row: bool) -> str:
    number, count = (row, len(facts["rows"])) if by_row else (column, len(facts["columns"]))
    return f"{TYPES[facts['chart']].shows} {number + 1} of {count}"
