"""Questions about charts answered from the table in the facts; the question gives the precision."""

from __future__ import annotations

import re
import statistics
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import pairwise

from gnomon.sample import Box, Boxes, LabelledBox, Table


def chart(facts, question):
    """By the question's form."""
    return _FORMS[facts["question"]](facts, facts["about"], question)


def _values(facts, about):
    return [Fraction(facts["cells"][row][column]) for row, column in about["cells"]]


def _column(facts, column):
    return [Fraction(row[column]) for row in facts["cells"]]


def _rounded(value, question):
    """Half away from zero, to the places that the question names."""
    named = re.search(r"(?:[Rr]ound|rounded) to (\d)", question)
    step = Fraction(10) ** -(int(named[1]) if named else 0)
    units = (Decimal(abs(value / step).numerator) / abs(value / step).denominator).quantize(
        Decimal(1), ROUND_HALF_UP
    )
    return Fraction(int(units)) * step * (-1 if value < 0 else 1)


def _extreme(facts, about, question):
    shown = [(row[about["column"]], name) for row, name in
             zip(facts["cells"], facts["rows"], strict=True) if row[about["column"]]]  # fmt: skip
    values = [Fraction(cell) for cell, _ in shown]
    best = max(values) if "highest" in question else min(values)
    assert values.count(best) == 1
    return shown[values.index(best)][1]


def _count(facts, about, question):
    side, limit = re.search(r"(above|below) (-?[\d.]+) ", question).groups()
    values = _column(facts, about["column"])
    return sum(v > Fraction(limit) if side == "above" else v < Fraction(limit) for v in values)


def _compare(facts, about, question):
    (r1, _), (r2, _) = about["cells"]
    one, other = _values(facts, about)
    names = re.search(r"Answer (.+) or (.+)\.$", question).groups()
    labels = facts["columns"] if r1 == r2 else facts["rows"]
    assert names == tuple(labels[c if r1 == r2 else r] for r, c in about["cells"])
    first = one > other if re.search(r"is greater", question) else one < other
    return names[0 if first else 1]


def _trend(facts, about, question):
    if "tend to rise" in question:
        xs, ys = (list(map(float, _column(facts, column))) for column in (0, 1))
        r = statistics.correlation(xs, ys)
        return "neither" if abs(r) < 0.5 else "rise" if r > 0 else "fall"
    if "overall" in question:
        one, other = _values(facts, about)
        return "rise" if other > one else "fall"
    return sum(b > a for a, b in pairwise(_column(facts, about["column"])))


def _crossing(facts, about, question):
    one, other = (_column(facts, column) for column in about["columns"])
    gaps = [a - b for a, b in zip(one, other, strict=True)]
    return sum(a * b < 0 for a, b in pairwise(gaps))


def _short(facts, about, question):
    """Answer a short question from its text and the table alone."""
    (column,) = zip(*facts["cells"], strict=True)
    values = [Fraction(cell) if cell else None for cell in column]
    shown = [value for value in values if value is not None]
    if named := re.search(r"is the (highest|lowest) value\?", question):
        return max(shown) if named[1] == "highest" else min(shown)
    asked = re.search(r"the value of (.+)\? Answer", question)[1]
    counted = re.fullmatch(r"(?:bar|point) (\d+)", asked)
    return values[int(counted[1]) - 1 if counted else facts["rows"].index(asked)]


def _table(facts, about, question):
    header = re.search(r"with the columns (.+), a line", question)[1].split(" | ")
    rows = zip(facts["rows"], facts["cells"], strict=True)
    return Table(tuple(header), tuple((name, *cells) for name, cells in rows))


def _box(facts, about, question):
    wanted = about["cells"][0]
    return Box(*next(mark["box"] for mark in facts["marks"] if mark["cell"] == wanted))


def _boxes(facts, about, question):
    """Of the marks of a named series, or of those on a side of a limit."""
    if named := re.search(r" of the series (.+)\. Give ", question):
        rows = range(len(facts["rows"])) if named[1] in facts["columns"] else ()
        cells = [[row, facts["columns"].index(named[1])] for row in rows]
    else:
        side, limit = re.search(r" (above|below) (-?[\d.]+) ", question).groups()
        column = about["column"]
        name = facts["measures"][column] if facts["across"] else facts["columns"][column]
        assert name in question
        values = _column(facts, column)
        fitting = [v > Fraction(limit) if side == "above" else v < Fraction(limit) for v in values]
        # A point has one mark, whatever it measures.
        mark = 0 if facts["across"] else column
        cells = [[row, mark] for row, fits in enumerate(fitting) if fits]
    boxes = {tuple(mark["cell"]): mark["box"] for mark in facts["marks"]}
    items = [LabelledBox(facts["rows"][row], Box(*boxes[row, column])) for row, column in cells]
    return Boxes(tuple(items))


def _number(of):
    return lambda facts, about, question: _rounded(of(*_values(facts, about)), question)


_FORMS = {
    "nth": _short,
    "peak": _short,
    "named": _short,
    "retrieve": _number(lambda value: value),
    "difference": _number(lambda one, other: abs(one - other)),
    "ratio": _number(lambda one, other: one / other),
    "sum": _number(lambda *values: sum(values)),
    "mean": _number(lambda *values: statistics.mean(values)),
    "median": _number(lambda *values: statistics.median(values)),
    "extreme": _extreme,
    "count": _count,
    "compare": _compare,
    "trend": _trend,
    "crossing": _crossing,
    "table": _table,
    "box": _box,
    "boxes": _boxes,
}
