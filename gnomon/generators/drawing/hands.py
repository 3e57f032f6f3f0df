"""Shapes of hands, along the y axis: the pivot at (0, 0), the tip at (0, length)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from gnomon.generators.drawing.canvas import Points

Shape: TypeAlias = "list[Points]"
"""Closed contours; one inside another is a hole."""


TAIL = 0.14


def shape(style: str, length: float, width: float, tail: float = TAIL) -> Shape:
    """The contours of an hour or minute hand."""
    return _STYLES[style](length, width, tail)


def needle(length: float, width: float, tail: float, weight: float = 2.8) -> Shape:
    """A second hand: thin, with a counterweight so many times as broad."""
    w, v = width / 2, weight * width / 2
    half = [(w, length), (w, -0.4 * tail), (v, -0.45 * tail), (v, -tail)]
    return [_both_sides(half)]


def turned(contours: Shape, degrees: float) -> Shape:
    """The contours turned clockwise from twelve, in the dial's frame (y downwards)."""
    a = math.radians(degrees)
    sin, cos = math.sin(a), math.cos(a)
    turn = np.array([[cos, sin], [sin, -cos]])
    return [contour @ turn for contour in contours]


def _both_sides(half: list[tuple[float, float]]) -> Points:
    """A symmetric contour from its right side, tip first; a tip with x = 0 stands once."""
    left = [(-x, y) for x, y in reversed(half) if x]
    return np.array(half + left)


def _baton(length: float, width: float, tail: float) -> Shape:
    w = width / 2
    return [_both_sides([(w, length), (w, -tail)])]


def _rounded(length: float, width: float, tail: float) -> Shape:
    """A baton whose ends are half circles."""
    w = width / 2
    tip = [(w * math.sin(a), length - w * (1 - math.cos(a))) for a in _QUARTER]
    end = [(x, length - tail - y) for x, y in reversed(tip)]
    return [_both_sides([*tip, *end])]


def _sword(length: float, width: float, tail: float) -> Shape:
    w = width / 2
    half = [(0.0, length), (1.15 * w, 0.74 * length), (0.6 * w, 0.0), (0.6 * w, -tail)]
    return [_both_sides(half)]


def _dauphine(length: float, width: float, tail: float) -> Shape:
    w = 1.25 * width / 2
    return [_both_sides([(0.0, length), (w, 0.16 * length), (0.35 * w, -tail)])]


def _taper(length: float, width: float, tail: float) -> Shape:
    w = width / 2
    return [_both_sides([(0.3 * w, length), (1.2 * w, 0.0), (1.2 * w, -tail)])]


def _arrow(length: float, width: float, tail: float) -> Shape:
    w = width / 2
    neck = length - max(0.17, 2.6 * width)
    half = [(0.0, length), (1.7 * w, neck), (0.55 * w, neck + 0.02), (0.55 * w, -tail)]
    return [_both_sides(half)]


def _leaf(length: float, width: float, tail: float) -> Shape:
    w = 1.2 * width / 2
    half = [(0.0, length)]
    half += [(w * (0.22 + 0.78 * math.sin(math.pi * t) ** 1.2), length * (1 - t))
             for t in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)]  # fmt: skip
    return [_both_sides([*half, (0.22 * w, -tail)])]


def _breguet(length: float, width: float, tail: float) -> Shape:
    """A slim hand with a ring near its tip."""
    w, y = 0.5 * width / 2, 0.72 * length
    ring = min(1.05 * width, 0.24 * length)
    cut = math.asin(w / ring)
    arc = [(ring * math.sin(a), y + ring * math.cos(a))
           for a in np.linspace(cut, math.pi - cut, 12).tolist()]  # fmt: skip
    outer = _both_sides([(0.0, length), *arc, (w, -tail)])
    return [outer, np.array([0, y]) + 0.5 * ring * _circle()]


def _skeleton(length: float, width: float, tail: float) -> Shape:
    """A baton with a window in it."""
    w = 1.2 * width / 2
    window = [(0.38 * w, 0.9 * length), (0.38 * w, 0.45 * length)]
    return [_both_sides([(w, length), (w, -tail)]), _both_sides(window)]


def _spade(length: float, width: float, tail: float) -> Shape:
    """A slim shaft with a leaf-shaped head."""
    w, y = 0.55 * width / 2, 0.62 * length
    head = [(width * bulge, y + (length - y) * t)
            for t, bulge in ((0.62, 0.3), (0.4, 0.72), (0.2, 0.95), (0.06, 0.8))]  # fmt: skip
    return [_both_sides([(0.0, length), *head, (w, y), (w, -tail)])]


def _syringe(length: float, width: float, tail: float) -> Shape:
    """A broad barrel that ends in a needle."""
    w = 1.1 * width / 2
    half = [(0.25 * w, length), (0.25 * w, 0.78 * length), (w, 0.72 * length), (w, 0.2 * length),
            (0.4 * w, 0.15 * length), (0.4 * w, -tail)]  # fmt: skip
    return [_both_sides(half)]


def _diamond(length: float, width: float, tail: float) -> Shape:
    """Broadest at two thirds, with straight edges to both ends."""
    w = 1.4 * width / 2
    half = [(0.0, length), (w, 0.62 * length), (0.3 * w, 0.1 * length), (0.3 * w, -tail)]
    return [_both_sides(half)]


_QUARTER = np.linspace(0, math.pi / 2, 7).tolist()


@cache
def _circle() -> Points:
    a = np.arange(24) * math.tau / 24
    return np.stack([np.sin(a), np.cos(a)], 1)


def disc(radius: float) -> Points:
    """The hub over the pivot."""
    return radius * _circle()


_STYLES: dict[str, Callable[[float, float, float], Shape]] = {
    "baton": _baton,
    "rounded": _rounded,
    "sword": _sword,
    "dauphine": _dauphine,
    "taper": _taper,
    "arrow": _arrow,
    "leaf": _leaf,
    "breguet": _breguet,
    "skeleton": _skeleton,
    "spade": _spade,
    "syringe": _syringe,
    "diamond": _diamond,
}
UNSEEN_HANDS = ("spade", "syringe", "diamond")
"""Those that `ood` holds back."""
HANDS = tuple(name for name in _STYLES if name not in UNSEEN_HANDS)
