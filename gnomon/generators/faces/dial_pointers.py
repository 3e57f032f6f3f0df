"""Pointers of meters' dials and of compasses: their contours and materials."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from gnomon.generators.drawing.canvas import Points
from gnomon.generators.drawing.shapes import arc, disc, joined, mirrored, oblong, rotate

Shapes: TypeAlias = "list[Points]"
_CENTRE = (0.0, 0.0)


def _pin(length: float, breadth: float) -> Shapes:
    """A slim needle with a disc."""
    blade = [(0.0, length), (0.05, 0.1), (0.05, -0.15)]
    return [mirrored(blade), disc(0.45 * breadth + 0.05)]


def _lever(length: float, breadth: float) -> Shapes:
    """A bar of even breadth from a disc, with a screw on it."""
    half = 0.2 * breadth + 0.02
    return [oblong(-half, 0.0, half, length), disc(0.7 * breadth), disc(0.05)]


def _drop(length: float, breadth: float) -> Shapes:
    """A disc that runs out to a point."""
    flank = [(0.0, length), (0.3 * breadth, 0.7 * length), (0.95 * breadth, 0.3 * breadth)]
    return [mirrored(flank), disc(breadth)]


def _teardrop(length: float, breadth: float) -> Shapes:
    """A large disc with a short thorn, hollow on both sides."""
    wide = 0.75 * breadth + 0.06
    flank = [(0.0, length), (0.16 * wide, 0.5 * (length + wide)), (0.5 * wide, 1.1 * wide),
             (0.96 * wide, 0.3 * wide)]  # fmt: skip
    return [mirrored(flank), disc(wide)]


def _wedge(length: float, breadth: float) -> Shapes:
    """A kite that is broadest near the pivot, with straight sides to the tip."""
    return [mirrored([(0.0, length), (breadth, 0.05), (0.85 * breadth, -0.3)])]


def _shield(length: float, breadth: float) -> Shapes:
    """A broad plate with a flat back, its flanks curved to the tip."""
    wide = 0.8 * breadth + 0.04
    return [mirrored([(0.0, length), (0.45 * wide, 0.72 * length), (0.9 * wide, 0.25 * length),
                      (wide, -0.05), (0.85 * wide, -0.36)])]  # fmt: skip


def _trowel(length: float, breadth: float) -> Shapes:
    """A long triangle from a flat back, broadest behind the pivot."""
    wide = 0.65 * breadth + 0.08
    return [mirrored([(0.0, length), (0.07, 0.93 * length), (wide, -0.16), (0.9 * wide, -0.4)])]


def _spade(length: float, breadth: float) -> Shapes:
    """A long point over a neck, a bulb at the pivot and a small weight behind."""
    thin, wide = 0.25 * breadth + 0.03, 0.5 * breadth + 0.04
    flank = [(0.0, length), (thin, 0.55 * length), (0.7 * thin, 0.3 * length), (wide, 0.05),
             (wide, -0.06), (0.6 * thin, -0.22), (0.9 * thin, -0.36)]  # fmt: skip
    return [mirrored(flank), disc(wide)]


def _capped(length: float, breadth: float) -> Shapes:
    """A bar that comes out from under a broad round cap."""
    half, cap = 0.22 * breadth + 0.02, 0.55 * breadth + 0.12
    return [
        oblong(-half, 0.0, half, length),
        disc(cap + 0.03),
        disc(cap),
    ]


def _magnet(length: float, breadth: float) -> Shapes:
    """A wedge from a block behind the pivot, which carries a magnet under a plate."""
    wide, back = min(1.3 * breadth, 0.5 * length), (0.4 + 1.4 * breadth) * length
    return [
        mirrored([(0.0, length), (0.8 * wide, 0.0)]),
        oblong(-wide, -back, wide, 0.05, 0.1 * length),
        oblong(-0.7 * wide, -0.85 * back, 0.7 * wide, -0.2 * back, 0.05),
    ]


def _hammer(length: float, breadth: float) -> Shapes:
    """A wedge with a broad head behind the pivot. A plate covers nearly all of the head."""
    wide, front = 0.24 + 0.5 * breadth, 0.1 + 0.4 * breadth
    back = min(front + 0.35 + 0.5 * breadth, 1.0)
    return [
        mirrored([(0.0, length), (0.6 * wide + 0.04, -front - 0.05)]),
        oblong(-wide, -back, wide, -front, 0.06),
        oblong(-0.8 * wide, 0.06 - back, 0.8 * wide, -front - 0.04, 0.05),
    ]


def _sector(length: float, breadth: float) -> Shapes:
    """A point out of a half disc that covers the other side."""
    # A half disc cannot be taken for a tip, so it may be as long as that.
    far = min(0.2 + 2.2 * breadth, length)
    return [mirrored([(0.0, length), (0.6 * breadth, 0.0)]), _half_disc(far)]


def _crescent(length: float, breadth: float) -> Shapes:
    """A short point, and behind it a half disc that a disc of metal covers up to a crescent."""
    far = min(0.8, 1.6 * length * (0.7 + breadth))
    return [
        mirrored([(0.0, length), (0.5 * breadth + 0.06, 0.0)]),
        _half_disc(far),
        disc(0.56 * far) - (0, 0.34 * far),
        disc(0.4 * breadth + 0.08),
    ]


def _paddle(length: float, breadth: float) -> Shapes:
    """A short point, and opposite a blade that widens to a round end at the rim."""
    thin, wide = 0.35 * breadth + 0.04, 0.8 * breadth + 0.1
    far = min(1.15 * length + 0.2, 1.0)
    return [
        mirrored([(0.0, length), (thin, 0.1), (thin, 0.0)]),
        mirrored([(thin, 0.02), (thin, -0.1), (wide, wide - far)]),
        disc(wide) - (0, far - wide),
        disc(0.55 * breadth + 0.04),
    ]


def _saucer(length: float, breadth: float) -> Shapes:
    """A point before half a disc of metal with a coloured edge, as wide as the dial."""
    far = min(0.8 + 0.7 * breadth, 1.0)
    return [
        mirrored([(0.0, length), (0.4 * breadth + 0.05, 0.0)]),
        _half_disc(far, 86),
        _half_disc(far, 96),
        disc(0.6 * breadth + 0.06),
        disc(0.25 * breadth + 0.03),
    ]


def _halves(length: float, breadth: float) -> Shapes:
    """A disc whose front half is coloured and has three teeth. The middle tooth is the tip."""
    inner = 0.62 * length
    teeth = [mirrored([(0.0, length), (0.25 * breadth + 0.05, 0.8 * inner)])]
    sides = [rotate([mirrored([(0.0, 0.92 * inner + 0.08 * length), (0.12, 0.7 * inner)])], side)[0]
             for side in (-60, 60)]  # fmt: skip
    return [
        *teeth,
        *sides,
        np.array((1, -1)) * _half_disc(inner, 88),
        _half_disc(1.1 * inner, 92),
        disc(0.3 * breadth + 0.06),
    ]


def _compass(length: float, breadth: float) -> Shapes:
    """A broad rhombus with a north and a south half."""
    north = np.array([(0.0, length), (breadth, 0.0), (-breadth, 0.0)])
    return [north, north * (1, -1), disc(0.05)]


def _half_disc(radius: float, begin: float = 80) -> Points:
    """Return a disc without the sector within `begin` degrees of the tip on each side."""
    return np.array((1, -1)) * joined(arc(0, 0, radius, begin, 360 - begin), [_CENTRE])


# Shapes of each pointer and their materials, bottom first: b its colour, p plate, d darker colour,
# h the colour of hands, c the colour of the case.
POINTERS: dict[str, tuple[Callable[[float, float], Shapes], str]] = {
    "pin": (_pin, "bb"),
    "lever": (_lever, "bbp"),
    "drop": (_drop, "bb"),
    "teardrop": (_teardrop, "bb"),
    "wedge": (_wedge, "b"),
    "shield": (_shield, "b"),
    "trowel": (_trowel, "b"),
    "spade": (_spade, "bb"),
    "magnet": (_magnet, "bbp"),
    "hammer": (_hammer, "bbp"),
    "sector": (_sector, "bb"),
    "crescent": (_crescent, "bbpb"),
    "capped": (_capped, "bbd"),
    "paddle": (_paddle, "bbbb"),
    "saucer": (_saucer, "bbppb"),
    "halves": (_halves, "bbbbpb"),
    "compass": (_compass, "bhc"),
}
