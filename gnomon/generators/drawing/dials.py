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


def outline(dial: str, scale: float = 1.0) -> Points:
    """The outline as a polygon; `scale` draws a rim around it, or a ring within."""
    far, turned = _corners(dial)
    return (scale * far) * turned


@cache
def _corners(dial: str) -> tuple[Points, Points]:
    """How far the outline lies all round, and the points of the unit circle there."""
    turn = [i * 360 / _CORNERS for i in range(_CORNERS)]
    far = np.array([[reach(dial, degrees)] for degrees in turn])
    return far, np.array([polar(degrees, 1.0) for degrees in turn])


def _polygon(sides: int) -> Callable[[float], float]:
    half = math.pi / sides
    return lambda a: 1 / math.cos((a + half) % (2 * half) - half)


_OUTLINES: dict[str, Callable[[float], float]] = {
    "round": lambda _: 1.0,
    "ring": lambda _: 1.0,
    "bare": lambda _: 1.0,
    "square": lambda a: 1 / max(abs(math.sin(a)), abs(math.cos(a))),
    # A square with round corners: the superellipse of fourth power.
    "cushion": lambda a: float((math.sin(a) ** 4 + math.cos(a) ** 4) ** -0.25),
    # Wider than high.
    "oval": lambda a: 1 / math.hypot(math.sin(a) / 1.3, math.cos(a)),
    # An upright oblong with round corners.
    "tall": lambda a: float((abs(math.sin(a)) ** 5 + abs(math.cos(a) / 1.25) ** 5) ** -0.2),
    "octagon": _polygon(8),
    # Upright, its sides curved outwards and its ends cut off.
    "barrel": lambda a: min(
        1 / math.hypot(math.sin(a), math.cos(a) / 1.45), 1.15 / max(abs(math.cos(a)), 1e-9)
    ),
    "hexagon": _polygon(6),
}
UNSEEN_DIALS = ("barrel", "hexagon")
"""Those that `ood` holds back."""
DIALS = tuple(name for name in _OUTLINES if name not in UNSEEN_DIALS)
