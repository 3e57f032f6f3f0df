"""A box as a label of a user's file says it."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf
from typing import Any

from gnomon import jsons
from gnomon.answers.target import Corners, Size

_NUMBERS = re.compile(r"[-+]?\d+(?:\.\d+)?", re.ASCII)
_EDGE = 0.5
"""Pixels by which a labelled box may stick out of its picture: labellers round."""


def read(value: Any, form: str, size: Size) -> Corners:
    """The corners in pixels; a box that leaves its picture is refused."""
    found = _four(value)
    corners = _FORMATS[form](found, size)
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


def _scaled(by: float) -> Callable[..., tuple[float, ...]]:
    def corners(found: tuple[float, ...], size: Size) -> tuple[float, ...]:
        return tuple(value * size[i % 2] / by for i, value in enumerate(found))

    return corners


def _from_corner(found: tuple[float, ...], _: Size) -> tuple[float, ...]:
    x, y, wide, tall = found
    return x, y, x + wide, y + tall


def _from_middle(found: tuple[float, ...], _: Size) -> tuple[float, ...]:
    x, y, wide, tall = found
    return x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2


_FORMATS: dict[str, Callable[..., tuple[float, ...]]] = {
    "xyxy": lambda found, _: found,
    "xywh": _from_corner,
    "cxcywh": _from_middle,
    "xyxy_1": _scaled(1),
    "xyxy_1000": _scaled(1000),
}
