"""A box as a label of a user's file says it."""

from __future__ import annotations

import re
from math import inf
from typing import Any

from gnomon import jsons
from gnomon.answers.target import Corners, Size

_NUMBERS = re.compile(r"[-+]?\d+(?:\.\d+)?", re.ASCII)
_EDGE = 0.5
"""Pixels by which a labelled box may stick out of its picture: labellers round."""


def read(value: Any, form: str, size: Size) -> Corners:
    """The corners in pixels; a box that leaves its picture is refused."""
    corners = _corners(_four(value), form, size)
    x1, y1, x2, y2 = corners
    if not (-inf < x1 < x2 < inf and -inf < y1 < y2 < inf):
        raise ValueError(f"{value!r} is no box in {form}")
    wide, tall = size
    if x1 < -_EDGE or y1 < -_EDGE or x2 > wide + _EDGE or y2 > tall + _EDGE:
        raise ValueError(f"{value!r} lies outside its picture of {wide} by {tall} pixels")
    return max(x1, 0), max(y1, 0), min(x2, wide), min(y2, tall)


def _four(value: Any) -> Corners:
    """A list of four, also as text."""
    if isinstance(value, str):
        value = (
            jsons.loads(value, "the box")
            if value.strip().startswith("[")
            else _NUMBERS.findall(value)
        )
    try:
        numbers = tuple(float(number) for number in value)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != 4:
        raise ValueError(f"{value!r} is no box: give four numbers")
    return numbers


def _corners(found: Corners, form: str, size: Size) -> Corners:
    a, b, c, d = found
    if form == "xywh":
        return a, b, a + c, b + d
    if form == "cxcywh":
        return a - c / 2, b - d / 2, a + c / 2, b + d / 2
    if form == "xyxy":
        return found
    wide, tall = size
    by = {"xyxy_1": 1, "xyxy_1000": 1000}[form]
    return a * wide / by, b * tall / by, c * wide / by, d * tall / by
