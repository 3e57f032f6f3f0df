"""Readers of answers. Each takes any text, raises nothing, and guesses nothing.

How much of a very long text is looked at is said in `gnomon.eval.parse.cuts`.
"""

from __future__ import annotations

from typing import Literal

from gnomon.eval.parse.box_rules import Corners
from gnomon.eval.parse.boxes import read_box
from gnomon.eval.parse.numbers import read_number
from gnomon.eval.parse.reading import Reading, Which
from gnomon.eval.parse.time_rules import Hms
from gnomon.eval.parse.times import read_time

__all__ = [
    "Reading",
    "parse_box",
    "parse_number",
    "parse_time",
    "read_box",
    "read_number",
    "read_time",
]


def parse_time(text: str, *, hours: Literal[12, 24] = 24, which: Which = "last") -> Hms | None:
    """The (hour, minute, second or None) that `text` states, or None; see `read_time`."""
    reading = read_time(text, hours=hours, which=which)
    return reading.value if reading else None


def parse_number(text: str, *, unit: str = "", which: Which = "last") -> float | None:
    """The number that `text` states, or None; see `read_number`."""
    reading = read_number(text, unit=unit, which=which)
    return float(reading.value) if reading else None


def parse_box(text: str, *, which: Which = "last") -> Corners | None:
    """The (x1, y1, x2, y2) that stand in `text`, or None; see `read_box`."""
    reading = read_box(text, which=which)
    return reading.value if reading else None
