"""Shapes of hands, along the y axis: the pivot at (0, 0), the tip at (0, length)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from gnomon.generators.drawing.shapes import mirrored, regular, turning

if TYPE_CHECKING:
    from gnomon.generators.drawing.canvas import Points

Shape: TypeAlias = "list[Points]"
"""Closed contours; one inside another is a hole."""
Half: TypeAlias = list[tuple[float, float]]
"""A symmetric contour's right side, tip first; a tip with x = 0 stands once."""

TAIL = 0.14


def shape(style: str, length: float, width: float, tail: float = TAIL) -> Shape:
    """The contours of an hour or minute hand."""
    if style in _WITH_WINDOWS:
        return _WITH_WINDOWS[style](length, width, tail)
    broad, half = _HALVES[style]
    return [mirrored(half(length, broad * width / 2, tail))]


def needle(length: float, width: float, tail: float, weight: float = 2.8) -> Shape:
    """A second hand: thin, with a counterweight so many times as broad."""
    w, v = width / 2, weight * width / 2
    return [mirrored([(w, length), (w, -0.4 * tail), (v, -0.45 * tail), (v, -tail)])]


def turned(contours: Shape, degrees: float) -> Shape:
    """The contours turned clockwise from twelve, in the dial's frame (y downwards)."""
    turn = np.diag([1.0, -1.0]) @ turning(degrees)
    return [contour @ turn for contour in contours]


def disc(radius: float) -> Points:
    """The hub over the pivot."""
    return radius * _CIRCLE


def _rounded(length: float, w: float, tail: float) -> Half:
    tip = [(w * math.sin(a), length - w * (1 - math.cos(a))) for a in _QUARTER]
    end = [(x, length - tail - y) for x, y in reversed(tip)]
    return [*tip, *end]


def _arrow(length: float, w: float, tail: float) -> Half:
    neck = length - max(0.17, 2.6 * 2 * w)
    return [(0.0, length), (1.7 * w, neck), (0.55 * w, neck + 0.02), (0.55 * w, -tail)]


def _leaf(length: float, w: float, tail: float) -> Half:
    blade = [(w * (0.22 + 0.78 * math.sin(math.pi * t) ** 1.2), length * (1 - t))
             for t in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)]  # fmt: skip
    return [(0.0, length), *blade, (0.22 * w, -tail)]


def _breguet(length: float, width: float, tail: float) -> Shape:
    """A slim hand with a ring near its tip."""
    w, y = 0.5 * width / 2, 0.72 * length
    ring = min(1.05 * width, 0.24 * length)
    cut = math.asin(w / ring)
    arc = [(ring * math.sin(a), y + ring * math.cos(a))
           for a in np.linspace(cut, math.pi - cut, 12).tolist()]  # fmt: skip
    outer = mirrored([(0.0, length), *arc, (w, -tail)])
    return [outer, np.array([0, y]) + 0.5 * ring * _CIRCLE]


def _skeleton(length: float, width: float, tail: float) -> Shape:
    """A baton with a window in it."""
    w = 1.2 * width / 2
    window = [(0.38 * w, 0.9 * length), (0.38 * w, 0.45 * length)]
    return [mirrored([(w, length), (w, -tail)]), mirrored(window)]


def _spade(length: float, w: float, tail: float) -> Half:
    shaft, y = 0.55 * w, 0.62 * length
    head = [(2 * w * bulge, y + (length - y) * t)
            for t, bulge in ((0.62, 0.3), (0.4, 0.72), (0.2, 0.95), (0.06, 0.8))]  # fmt: skip
    return [(0.0, length), *head, (shaft, y), (shaft, -tail)]


_QUARTER = np.linspace(0, math.pi / 2, 7).tolist()
_CIRCLE = regular(24) * (1, -1)

_HALVES: dict[str, tuple[float, Callable[[float, float, float], Half]]] = {
    "baton": (1, lambda y, w, tail: [(w, y), (w, -tail)]),
    # A baton whose ends are half circles.
    "rounded": (1, _rounded),
    "sword": (1, lambda y, w, tail: [(0, y), (1.15 * w, 0.74 * y), (0.6 * w, 0), (0.6 * w, -tail)]),
    "dauphine": (1.25, lambda y, w, tail: [(0, y), (w, 0.16 * y), (0.35 * w, -tail)]),
    "taper": (1, lambda y, w, tail: [(0.3 * w, y), (1.2 * w, 0), (1.2 * w, -tail)]),
    "arrow": (1, _arrow),
    "leaf": (1.2, _leaf),
    # A slim shaft with a leaf-shaped head.
    "spade": (1, _spade),
    # A broad barrel that ends in a needle.
    "syringe": (
        1.1,
        lambda y, w, tail: [
            *((0.25 * w, y), (0.25 * w, 0.78 * y), (w, 0.72 * y), (w, 0.2 * y)),
            *((0.4 * w, 0.15 * y), (0.4 * w, -tail)),
        ],
    ),
    # Broadest at two thirds, with straight edges to both ends.
    "diamond": (
        1.4,
        lambda y, w, tail: [(0, y), (w, 0.62 * y), (0.3 * w, 0.1 * y), (0.3 * w, -tail)],
    ),
}
"""How many times as broad a hand is as the others, and its right side, tip first."""
_WITH_WINDOWS: dict[str, Callable[[float, float, float], Shape]] = {
    "breguet": _breguet,
    "skeleton": _skeleton,
}
UNSEEN_HANDS = ("spade", "syringe", "diamond")
"""Those that `ood` holds back."""
HANDS = tuple(name for name in (*_HALVES, *_WITH_WINDOWS) if name not in UNSEEN_HANDS)
