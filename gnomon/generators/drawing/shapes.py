"""Flat shapes as closed contours within 1 of the origin, y downwards: signs, dials and hands."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from gnomon.files import read_toml

if TYPE_CHECKING:
    from gnomon.generators.drawing.canvas import Points


def polar(degrees: float, radius: float) -> tuple[float, float]:
    """Return the point at a distance from the origin, clockwise from the top."""
    a = math.radians(degrees)
    return radius * math.sin(a), -radius * math.cos(a)


def rotation_matrix(degrees: float) -> Points:
    """Return the matrix that turns rows of points clockwise: points @ matrix."""
    a = math.radians(degrees)
    return np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]])


def polygon(*corners: tuple[float, float]) -> Points:
    """Return straight lines from corner to corner."""
    return np.array(corners, float)


def regular(corners: int, turn: float = 0.0) -> Points:
    """Return a regular polygon with its first corner `turn` degrees clockwise from the top."""
    a = np.arange(corners) * math.tau / corners + math.radians(turn)
    return np.stack([np.sin(a), -np.cos(a)], 1)


def ellipse(
    x: float = 0, y: float = 0, across: float = 1, down: float | None = None, corners: int = 72
) -> Points:
    """Return an ellipse with half axes `across` and `down`. With a single value it is a circle."""
    half = np.array([across, across if down is None else down])
    points: Points = regular(corners) * half + np.array([x, y])
    return points


def arc(
    x: float, y: float, radius: float, start: float, end: float, down: float | None = None,
    *, step: float = 5,
) -> Points:  # fmt: skip
    """Return points of a circle or ellipse every few degrees, in degrees clockwise from the top."""
    a = np.radians(np.linspace(start, end, max(2, int(abs(end - start) / step) + 1)))
    return np.stack([x + radius * np.sin(a), y - (radius if down is None else down) * np.cos(a)], 1)


def oblong(
    x1: float, y1: float, x2: float, y2: float, radius: float = 0.0, *, step: float = 5
) -> Points:
    """Return an upright rectangle with corners rounded by `radius` and a point every few
    degrees."""
    if not radius:
        return polygon((x1, y1), (x2, y1), (x2, y2), (x1, y2))
    x1, y1, x2, y2 = x1 + radius, y1 + radius, x2 - radius, y2 - radius
    middles = np.array([[(x2, y1)], [(x2, y2)], [(x1, y2)], [(x1, y1)]])
    points: Points = (middles + radius * _quarters(step)).reshape(-1, 2)
    return points


@cache
def _quarters(step: float) -> Points:
    """Return the quarters of a unit circle, clockwise from the top, [4, n, 2]."""
    return np.stack([arc(0, 0, 1, start, start + 90, step=step) for start in (0, 90, 180, 270)])


def joined(*pieces: Points | Sequence[tuple[float, float]]) -> Points:
    """Join the points of the pieces to one contour."""
    return np.concatenate([np.asarray(piece, float) for piece in pieces])


def mirrored(half: Sequence[tuple[float, float]]) -> Points:
    """Return a contour from its right half, top to bottom."""
    return np.array([*half, *[(-x, y) for x, y in reversed(half) if x]], float)


def heart() -> Points:
    """Return the curve 16 sin³, 13 cos − 5 cos 2 − 2 cos 3 − cos 4, scaled to the unit."""
    a = np.arange(96) * math.tau / 96
    x = 16 * np.sin(a) ** 3
    y = 13 * np.cos(a) - 5 * np.cos(2 * a) - 2 * np.cos(3 * a) - np.cos(4 * a)
    return np.stack([x, -y - 2.5], 1) / 17


def star() -> Points:
    """Return a star with points at 1 and notches at 0.42."""
    radius = np.where(np.arange(10) % 2, 0.42, 1.0)
    return regular(10) * radius[:, None]


# Arms of 0.36 on either side of both axes.
_PLUS = polygon((-0.36, -1), (0.36, -1), (0.36, -0.36), (1, -0.36), (1, 0.36), (0.36, 0.36),
                (0.36, 1), (-0.36, 1), (-0.36, 0.36), (-1, 0.36), (-1, -0.36),
                (-0.36, -0.36))  # fmt: skip
_ARROW = polygon((-1, -0.26), (0.1, -0.26), (0.1, -0.68), (1, 0), (0.1, 0.68), (0.1, 0.26),
                 (-1, 0.26))  # fmt: skip
_CRESCENT = joined(arc(0, 0, 1, 330, -150), arc(0.56, 0, 0.87, 214.9, 325.1))

# Contours, and the degrees by which each may be turned without changing its name.
SHAPES: dict[str, tuple[list[Points], float]] = {
    "circle": ([ellipse()], 180),
    "square": ([oblong(-0.8, -0.8, 0.8, 0.8)], 18),
    "triangle": ([regular(3)], 180),
    "rectangle": ([oblong(-1, -0.5, 1, 0.5)], 180),
    "oval": ([ellipse(0, 0, 1, 0.55)], 180),
    "hexagon": ([regular(6)], 180),
    "star": ([star()], 180),
    "heart": ([heart()], 40),
    "cross": ([_PLUS], 15),
    "ring": ([ellipse(), ellipse(0, 0, 0.56)], 180),
    "crescent": ([_CRESCENT], 180),
    "semicircle": ([arc(0, 0.5, 1, 270, 450)], 180),
    "arrow": ([_ARROW], 180),
}


# Number of points around an outline. A chord then leaves the circle by 0.05 % of the radius.
_CORNERS = 96


def radius_at(dial: str, degrees: float) -> float:
    """Return the distance from the axis to the outline in a direction, clockwise from twelve."""
    return _OUTLINES[dial](math.radians(degrees))


def outline(dial: str, scale: float = 1.0) -> Points:
    """Return the outline as a polygon. `scale` draws a rim around it, or a ring within."""
    far, around = _corners(dial)
    return (scale * far) * around


@cache
def _corners(dial: str) -> tuple[Points, Points]:
    """Return the distances to the outline all round, and points of the unit circle there."""
    turn = [i * 360 / _CORNERS for i in range(_CORNERS)]
    # Distances and directions are separate, so a rim is the same outline scaled.
    far = np.array([[radius_at(dial, degrees)] for degrees in turn])
    return far, np.array([polar(degrees, 1.0) for degrees in turn])


def _polygon(sides: int) -> Callable[[float], float]:
    # An apothem of 1, so a polygon touches the unit circle with the middles of its sides.
    half = math.pi / sides
    # 1 / cos of the angle to the middle of the nearest side.
    return lambda a: 1 / math.cos((a + half) % (2 * half) - half)


_OUTLINES: dict[str, Callable[[float], float]] = {
    "round": lambda _: 1.0,
    "ring": lambda _: 1.0,
    "bare": lambda _: 1.0,
    "square": lambda a: 1 / max(abs(math.sin(a)), abs(math.cos(a))),
    # A square with round corners: the superellipse of fourth power.
    "cushion": lambda a: float((math.sin(a) ** 4 + math.cos(a) ** 4) ** -0.25),
    # Wider than high.
    # An ellipse r(a) of half axes 1.3 and 1, in polar form.
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
# Drawn only with `ood`.
UNSEEN_DIALS = ("barrel", "hexagon")
DIALS = tuple(name for name in _OUTLINES if name not in UNSEEN_DIALS)


# Closed contours. A contour inside another is a hole.
Shape: TypeAlias = "list[Points]"

HANDS = ("baton", "rounded", "sword", "dauphine", "taper", "arrow", "leaf", "breguet", "skeleton")
# Drawn only with `ood`.
UNSEEN_HANDS = ("spade", "syringe", "diamond")
TAIL = 0.14
_QUARTER = np.linspace(0, math.pi / 2, 7).tolist()
_CIRCLE = regular(24) * (1, -1)
_STRAIGHT = read_toml(__file__, "hands.toml")


def hand_shape(style: str, length: float, width: float, tail: float = TAIL) -> Shape:
    """Return the contours of an hour or minute hand."""
    if style in _CURVED:
        return _CURVED[style](length, width, tail)
    side = _STRAIGHT[style]
    w = side["broad"] * width / 2
    half = [(x * w, y * length) for x, y in side["side"]]
    return [mirrored([*half, (side["end"] * w, -tail)])]


def needle(length: float, width: float, tail: float, weight: float = 2.8) -> Shape:
    """Return a second hand: thin, with a counterweight `weight` times as broad."""
    w, v = width / 2, weight * width / 2
    return [mirrored([(w, length), (w, -0.4 * tail), (v, -0.45 * tail), (v, -tail)])]


def rotate(contours: Shape, degrees: float) -> Shape:
    """Turn the contours clockwise from twelve, in the dial's frame (y downwards)."""
    a = math.radians(degrees)
    # Hands are drawn upwards but the dial's y axis points downwards, so mirror before turning.
    turn = np.array([[math.cos(a), math.sin(a)], [math.sin(a), -math.cos(a)]])
    return [contour @ turn for contour in contours]


def disc(radius: float) -> Points:
    """Return the hub over the pivot."""
    return radius * _CIRCLE


def _rounded(length: float, width: float, tail: float) -> Shape:
    """Return a baton whose ends are half circles."""
    w = width / 2
    tip = [(w * math.sin(a), length - w * (1 - math.cos(a))) for a in _QUARTER]
    end = [(x, length - tail - y) for x, y in reversed(tip)]
    return [mirrored([*tip, *end])]


def _arrow(length: float, width: float, tail: float) -> Shape:
    w, neck = width / 2, length - max(0.17, 2.6 * width)
    half = [(0.0, length), (1.7 * w, neck), (0.55 * w, neck + 0.02), (0.55 * w, -tail)]
    return [mirrored(half)]


def _leaf(length: float, width: float, tail: float) -> Shape:
    w = 1.2 * width / 2
    blade = [(w * (0.22 + 0.78 * math.sin(math.pi * t) ** 1.2), length * (1 - t))
             for t in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)]  # fmt: skip
    return [mirrored([(0.0, length), *blade, (0.22 * w, -tail)])]


def _breguet(length: float, width: float, tail: float) -> Shape:
    """Return a slim hand with a ring near its tip."""
    w, y = 0.5 * width / 2, 0.72 * length
    ring = min(1.05 * width, 0.24 * length)
    # The angle at which the shaft's sides meet the ring.
    cut = math.asin(w / ring)
    arc = [(ring * math.sin(a), y + ring * math.cos(a))
           for a in np.linspace(cut, math.pi - cut, 12).tolist()]  # fmt: skip
    outer = mirrored([(0.0, length), *arc, (w, -tail)])
    return [outer, np.array([0, y]) + 0.5 * ring * _CIRCLE]


def _skeleton(length: float, width: float, tail: float) -> Shape:
    """Return a baton with a window in it."""
    w = 1.2 * width / 2
    window = [(0.38 * w, 0.9 * length), (0.38 * w, 0.45 * length)]
    return [mirrored([(w, length), (w, -tail)]), mirrored(window)]


def _spade(length: float, width: float, tail: float) -> Shape:
    """Return a slim shaft with a leaf-shaped head."""
    w, y = width / 2, 0.62 * length
    shaft = 0.55 * w
    head = [(2 * w * bulge, y + (length - y) * t)
            for t, bulge in ((0.62, 0.3), (0.4, 0.72), (0.2, 0.95), (0.06, 0.8))]  # fmt: skip
    return [mirrored([(0.0, length), *head, (shaft, y), (shaft, -tail)])]


_CURVED: dict[str, Callable[[float, float, float], Shape]] = {
    "rounded": _rounded,
    "arrow": _arrow,
    "leaf": _leaf,
    "breguet": _breguet,
    "skeleton": _skeleton,
    "spade": _spade,
}
