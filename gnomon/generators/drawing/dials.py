"""Outlines of dials, in units of half their shorter side, centred on the hands' axis."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from gnomon.generators.drawing.shapes import polar

if TYPE_CHECKING:
    from gnomon.generators.drawing.canvas import Points

_CORNERS = 96
"""Points around an outline: a chord then leaves the circle by 0.05 % of the radius."""


def reach(dial: str, degrees: float) -> float:
    """How far from the axis the outline lies in a direction, clockwise from twelve."""
    return _OUTLINES[dial](math.radians(degrees))


@cache
def outline(dial: str, scale: float = 1.0) -> Points:
    """The outline as a polygon; `scale` draws a rim around it, or a ring within."""
    turn = [i * 360 / _CORNERS for i in range(_CORNERS)]
    points = [polar(degrees, scale * reach(dial, degrees)) for degrees in turn]
    return np.array(points)


def _round(_: float) -> float:
    return 1.0


def _square(a: float) -> float:
    return 1 / max(abs(math.sin(a)), abs(math.cos(a)))


def _cushion(a: float) -> float:
    """A square with round corners: the superellipse of fourth power."""
    return float((math.sin(a) ** 4 + math.cos(a) ** 4) ** -0.25)


def _oval(a: float) -> float:
    """Wider than high."""
    return 1 / math.hypot(math.sin(a) / 1.3, math.cos(a))


def _tall(a: float) -> float:
    """An upright oblong with round corners."""
    return float((abs(math.sin(a)) ** 5 + abs(math.cos(a) / 1.25) ** 5) ** -0.2)


def _octagon(a: float) -> float:
    return 1 / math.cos((a + math.pi / 8) % (math.pi / 4) - math.pi / 8)


def _barrel(a: float) -> float:
    """Upright, its sides curved outwards and its ends cut off."""
    return min(1 / math.hypot(math.sin(a), math.cos(a) / 1.45), 1.15 / max(abs(math.cos(a)), 1e-9))


def _hexagon(a: float) -> float:
    return 1 / math.cos((a + math.pi / 6) % (math.pi / 3) - math.pi / 6)


_OUTLINES: dict[str, Callable[[float], float]] = {
    "round": _round,
    "ring": _round,
    "bare": _round,
    "square": _square,
    "cushion": _cushion,
    "oval": _oval,
    "tall": _tall,
    "octagon": _octagon,
    "barrel": _barrel,
    "hexagon": _hexagon,
}
UNSEEN_DIALS = ("barrel", "hexagon")
"""Those that `ood` holds back."""
DIALS = tuple(name for name in _OUTLINES if name not in UNSEEN_DIALS)
