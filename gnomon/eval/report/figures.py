"""How figures are written out: estimates, differences, values, truths."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from gnomon.eval.kinds import KINDS, kind_of
from gnomon.eval.parse.reading import Value
from gnomon.sample import Spots, Table, Target
from gnomon.wording import write_table

if TYPE_CHECKING:
    from gnomon.eval.scoring.scored import Scored
    from gnomon.eval.stats.intervals import Estimate

NONE = "–"


def figure(value: float | None, unit: str) -> str:
    """One figure with its unit; shares are written in percent."""
    if value is None:
        return NONE
    scaled = _scaled(value, unit)
    return f"{_written(scaled, _places(scaled, unit))} {unit}".rstrip()


def interval(estimate: Estimate, unit: str) -> str:
    """The interval in brackets, as precise as its figure; empty where there is none."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return ""
    places = _places(_scaled(estimate.value, unit), unit)
    ends = [_written(_scaled(end, unit), places) for end in (estimate.low, estimate.high)]
    return f"[{ends[0]}, {ends[1]}]"


def difference_text(estimate: Estimate, unit: str) -> str:
    """A difference with its sign, unit and interval, as in "+75.2 points [+71.1, +79.0]"."""
    if estimate.value is None:
        return NONE
    places = _places(_scaled(estimate.value, unit), unit)
    value, *ends = (
        _written(_scaled(x, unit), places, sign="+")
        for x in (estimate.value, estimate.low, estimate.high)
        if x is not None
    )
    between = f" [{', '.join(ends)}]" if ends else ""
    return f"{value} {_points(unit)}".rstrip() + between


def amount(value: float | None, unit: str, *, sign: str = "") -> str:
    """How large a difference is; shares differ by points."""
    if value is None:
        return NONE
    scaled = _scaled(value, unit)
    return f"{_written(scaled, _places(scaled, unit), sign=sign)} {_points(unit)}".rstrip()


def p_text(p: float) -> str:
    """A p-value with its relation, as in "= 0.031"."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def lowered(label: str) -> str:
    """A label inside a sentence; IoU, MAE, F1 and R² stay as they are."""
    word = label.partition(" ")[0]
    return label[0].lower() + label[1:] if word[1:].islower() else label


def value_text(value: Value | None) -> str:
    """A value as a reader gave it."""
    match value:
        case None:
            return "not read"
        case Decimal():
            text = f"{value:f}"
            return text if len(text) <= 24 else f"{value:.6e}"
        case str():
            return value
        case Spots():
            return "; ".join(f"{s.text} {value_text(s.box.corners)}" for s in value.items)
        case Table():
            return write_table(value)
        case (hour, minute, None):
            return f"{hour}:{minute:02}"
        case (hour, minute, second):
            return f"{hour}:{minute:02}:{second:02}"
        case edges:
            return "(" + ", ".join(f"{edge:.1f}" for edge in edges) + ")"


def truth_text(truth: Target) -> str:
    """A truth in the same words as a value."""
    return value_text(KINDS[kind_of(truth)].value_of(truth))


def state(item: Scored) -> str:
    """right, wrong, or not read."""
    if item.value is None:
        return "not read"
    return "right" if item.correct else "wrong"


def how_far(item: Scored) -> str:
    """How far off an answer is, in its kind's own measure."""
    if item.kind == "box" and item.value is not None:
        return f"IoU {item.measures['iou']:.2f}"
    if item.correct or item.value is None:
        return state(item)
    match item.measures:
        case {"error": error}:
            return f"{figure(error, '')} off"
        case {"deviation": minutes}:
            return f"{minutes:.0f} min off" if minutes >= 1 else f"{60 * minutes:.0f} s off"
        case {"f1": f1}:
            return f"F1 {f1:.2f}"
        case {"cells": cells}:
            return f"{100 * cells:.0f} % of the cells"
    return state(item)


def aligned(lines: list[list[str]]) -> list[str]:
    """Columns two blanks apart."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]


def _points(unit: str) -> str:
    return "points" if unit == "%" else unit


def _scaled(value: float, unit: str) -> float:
    return 100 * value if unit == "%" else value


def _places(value: float, unit: str) -> int:
    """Decimals: one for percents; for the rest three significant digits, as far as 1,000."""
    if unit == "%":
        return 1
    size = 0 if value == 0 else math.floor(math.log10(abs(value)))
    return max(0, min(3 if unit == "" else 2, 2 - size))


def _written(value: float, places: int, *, sign: str = "") -> str:
    return f"{value:{sign},.{places}f}" if abs(value) < 1e12 else f"{value:{sign}.3g}"
