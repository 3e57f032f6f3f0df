"""A counter before it is drawn: what its wheels or displays show, and how it is built."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np

from gnomon.generators.drawing.canvas import Pixels, Points
from gnomon.generators.drawing.colours import LEAST, Colour, contrast, rgb
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.rng import Rng

# Figures that no font has: they are drawn by strokes.
ENGRAVED = "engraved"
FACES = ("wheels", "lcd", "led", "dials")
# Dials of a register; more are too small to be read beside one another.
MOST_DIALS = 5
SEGMENTS, UNSEEN_SEGMENTS = ("upright", "slanted"), ("blunt",)
# Segments of each figure, from the top clockwise, the middle one last.
LIT = ("012345", "12", "01346", "01236", "1256", "02356", "023456", "012", "0123456", "012356")
UNITS = ("", "m³", "kWh", "km", "GJ", "h", "L")
# Wheel and figures; those of decimals are red in most makes.
_WHEELS = ("161616 f2f2ee", "1c1e22 dcdcd4", "f4f4f0 141416", "e8e2cc 1c1a16", "3c3e42 eeeee6",
           "6c6e70 f4f4f4", "2a3036 b8d4e8")  # fmt: skip
_DECIMALS = ("c01820 f6f4f0", "a8141c e8e4dc", "f2f2ee c41820", "e8e2cc b01420", "161616 f04030")
_LCD = ("a8b49c 20261e", "b8c0b0 1c1e1c", "94a48c 10140e", "c6ccd0 16181c", "8cb4c8 10141c")
_LED = ("14060a ff3024", "0a1408 48ff58", "080c18 58a8ff", "181004 ffb428", "101010 f4f8ff")
_PLATES = ("d8d8d4", "3a3c40", "c4c6c8", "1a1a1c", "e8e6de", "2c4c86", "8a8c8e", "b9b49c")


class Build(NamedTuple):
    """The way a counter is built. Lengths are in heights of its window."""

    face: str
    font: str
    """Font of a wheel's figures, or style of segments."""
    figure_height: float
    """Height of a figure."""
    narrow: float
    """Breadth of a figure, relative to its font's: those of meters are narrow."""
    breadth: float
    """Breadth of a wheel or of a display's place."""
    gap: float
    """Between two wheels."""
    pitch: float
    """From one figure of a wheel to the next."""
    curve: float
    """Radius of a wheel; the smaller, the more its figures shrink above and below."""
    margin: tuple[float, float]
    """Plate beside the window and above it."""
    whole_colours: tuple[Colour, Colour]
    """A wheel and its figures; ground and segments of a display."""
    decimal_colours: tuple[Colour, Colour]
    """The same after the decimal point; a register's pointers have the first colour."""
    plate_colour: Colour
    framed: bool
    """True if a frame in the decimals' colour lies around them."""
    clockwise: bool = True
    """The way in which the last dial of a register turns; the others alternate."""
    stroke: Stroke | None = None
    """Manner of engraved figures; None for a font's."""
    teeth: float = 0.0
    """Graduation along the last wheel's right edge, as a share of its breadth; 0 for none."""


class CounterScene(NamedTuple):
    """A counter with what it shows."""

    positions: tuple[float, ...]
    """Turn of each wheel or pointer, 0 to 10, the first on the left; whole numbers on a display."""
    n_decimals: int
    """Wheels after the decimal point."""
    unit: str
    build: Build
    size: tuple[int, int]
    background: str
    pose: Pose
    is_photo: bool
    dead: tuple[int, int] | None = None
    """Place of a display, from the left, and its segment that never lights."""
    dark: int = 0
    """Places of a display, from the left, that are not lit."""

    @property
    def width(self) -> float:
        """Breadth of the window."""
        count, build = len(self.positions), self.build
        return count * build.breadth + (count - 1) * build.gap

    def middle(self, index: int) -> float:
        """Place of a wheel's middle, from the middle of the window."""
        build = self.build
        return (index - (len(self.positions) - 1) / 2) * (build.breadth + build.gap)


def spare_segments(figure: int) -> list[int]:
    """Segments without which a figure still looks like no other, even with one that is dead."""
    lit = [frozenset(map(int, segments)) for segments in LIT]
    others = {shape - gone for number, shape in enumerate(lit) if number != figure
              for gone in (set(), *({segment} for segment in shape))}  # fmt: skip
    return [segment for segment in sorted(lit[figure]) if lit[figure] - {segment} not in others]


def roll(digits: str, turn: float) -> tuple[float, ...]:
    """Positions of wheels whose last has turned on by `turn` of a figure.

    A wheel moves while the one on its right goes from 9 to 0, and with it.
    """
    positions, carry = [], turn
    for digit in reversed(digits):
        position = int(digit) + carry
        positions.append(position)
        carry = max(0.0, position - 9)
    return tuple(reversed(positions))


def gear(digits: str, turn: float) -> tuple[float, ...]:
    """Positions of a register's pointers, each of which turns ten times as slowly as the next."""
    positions, further = [], turn
    for digit in reversed(digits):
        further = int(digit) + further
        positions.append(further)
        further /= 10
    return tuple(reversed(positions))


def reading(digits: str, decimals: int) -> Decimal:
    """The number that figures before and after the point stand for."""
    return Decimal(int(digits)).scaleb(-decimals)


def random_build(face: str, font: str, rng: Rng) -> Build:
    """Draw a build: proportions and colours as on meters and odometers."""
    displays = {"lcd": _LCD, "led": _LED}
    if face in displays:
        colours = _pair(rng.choice(displays[face]))
        whole = decimals = colours
    else:
        whole, decimals = _pair(rng.choice(_WHEELS)), _pair(rng.choice(_DECIMALS))
        if face == "dials" and contrast(whole[0], decimals[0]) < LEAST["second"]:
            decimals = whole[::-1]
        if face == "wheels" and rng.chance(0.3):  # told apart by the point or a frame alone
            decimals = whole
    return Build(
        face=face,
        font=font,
        figure_height=rng.uniform(0.52, 0.8),
        narrow=round(rng.uniform(0.65, 1.0), 2),
        breadth=1.0 if face == "dials" else rng.uniform(0.56, 0.8),
        gap=rng.uniform(0.02, 0.3) if face in ("wheels", "dials") else rng.uniform(0.0, 0.06),
        pitch=rng.uniform(0.86, 1.2),
        curve=rng.uniform(0.62, 2.0),
        # Small dials need all the room.
        margin=(rng.uniform(0.15, 0.3 if face == "dials" else 0.9), rng.uniform(0.15, 0.7)),
        whole_colours=whole,
        decimal_colours=decimals,
        plate_colour=rgb(rng.choice(_PLATES)),
        framed=rng.chance(0.3),
        clockwise=rng.chance(0.7),
        stroke=random_stroke(rng) if font == ENGRAVED else None,
        teeth=rng.uniform(0.1, 0.25) if face == "wheels" and rng.chance(0.25) else 0.0,
    )


def _pair(colours: str) -> tuple[Colour, Colour]:
    ground, ink = map(rgb, colours.split())
    return ground, ink


class Stroke(NamedTuple):
    """The manner of a set of figures, as they are engraved or moulded on the wheels of meters.

    Printed fonts have none that is so square and so narrow.
    """

    weight: float
    """Breadth of the stroke, in heights of a figure."""
    roundness: float
    """Rounding of corners: 0 for none, 1 for arcs that meet in the middle of a side."""
    width: float
    """Breadth of a figure, in its heights."""
    alternate: bool
    """True for the flat-topped 3, the open 4, the footed 1 and the curved 6 and 9."""


# Strokes of each figure through corners in a box of 1 by 1, y downwards. A stroke whose ends meet
# is closed. Drawn after photographs of meters' wheels.
_FIGURES: dict[str, list[str]] = {
    "0": ["0,0 1,0 1,1 0,1 0,0"],
    "1": [".2,.22 .6,0 .6,1"],
    "2": ["0,.28 0,0 1,0 1,.42 0,1 1,1"],
    "3": ["0,.2 0,0 1,0 1,.48 .35,.48", ".35,.48 1,.48 1,1 0,1 0,.8"],
    "4": [".72,1 .72,0 0,.72 1,.72"],
    "5": ["1,0 .08,0 .04,.42 1,.4 1,1 0,1 0,.82"],
    "6": ["1,.2 1,0 0,0 0,1 1,1 1,.44 0,.44"],
    "7": ["0,0 1,0 .35,1"],
    "8": ["0,0 1,0 1,.47 0,.47 0,0", "0,.47 1,.47 1,1 0,1 0,.47"],
    "9": ["0,.8 0,1 1,1 1,0 0,0 0,.56 1,.56"],
}
_ALTERNATES: dict[str, list[str]] = {
    "1": [".2,.22 .6,0 .6,1", ".25,1 .95,1"],
    "3": ["0,0 1,0 .42,.4", ".42,.4 1,.4 1,1 0,1 0,.8"],
    "4": [".1,0 0,.62 1,.62", ".74,.32 .74,1"],
    "6": [".8,0 0,.55 0,1 1,1 1,.46 0,.46"],
    "9": [".2,1 1,.45 1,0 0,0 0,.54 1,.54"],
}
# Points of a rounded corner, and bits after the point of OpenCV's places.
_CORNER, _SHIFT = 6, 4


def random_stroke(rng: Rng) -> Stroke:
    """Draw a manner: from thin and round to heavy and square."""
    return Stroke(
        weight=round(rng.uniform(0.08, 0.2), 3),
        roundness=round(rng.uniform(0.15, 1.0), 2),
        width=round(rng.uniform(0.4, 0.68), 2),
        alternate=rng.chance(0.4),
    )


@lru_cache(maxsize=4096)
def engraved(figure: str, stroke: Stroke, height: int) -> Pixels:
    """The figure's mask, [height, width], 255 where the stroke is."""
    thick = max(1, round(stroke.weight * height))
    wide = max(thick + 2, round(stroke.width * height))
    mask = np.zeros((height, wide), np.uint8)
    paths = _ALTERNATES.get(figure) if stroke.alternate else None
    # The stroke's middle keeps half its breadth from the edges.
    scale, corner = np.array([wide - thick - 1, height - thick - 1]), (thick / 2, thick / 2)
    for path in paths or _FIGURES[figure]:
        corners = np.array([[float(x) for x in point.split(",")] for point in path.split()])
        points = _rounded(corners * scale + corner, stroke.roundness)
        fixed = np.rint(points * 2**_SHIFT).astype(np.int32)
        cv2.polylines(mask, [fixed], False, 255, thick, cv2.LINE_AA, _SHIFT)
    return mask


def _rounded(corners: Points, roundness: float) -> Points:
    """The path with each corner replaced by a curve that begins and ends on its sides."""
    is_closed = bool((corners[0] == corners[-1]).all())
    inner = corners[:-1] if is_closed else corners[1:-1]
    before = np.roll(inner, 1, 0) if is_closed else corners[:-2]
    after = np.roll(inner, -1, 0) if is_closed else corners[2:]
    parts = [] if is_closed else [corners[:1]]
    steps = np.linspace(0, 1, _CORNER)[:, None]
    for a, b, c in zip(before, inner, after, strict=True):
        reach = roundness / 2 * min(np.linalg.norm(a - b), np.linalg.norm(c - b))
        start = b + (a - b) * reach / max(float(np.linalg.norm(a - b)), 1e-9)
        end = b + (c - b) * reach / max(float(np.linalg.norm(c - b)), 1e-9)
        # A quadratic curve whose handle is the corner.
        parts.append((1 - steps) ** 2 * start + 2 * steps * (1 - steps) * b + steps**2 * end)
    parts.append(parts[0][:1] if is_closed else corners[-1:])
    return np.concatenate(parts)
