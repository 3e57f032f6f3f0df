"""A counter before it is drawn: what its wheels or displays show, and how it is built."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from gnomon.generators.counter.engraved import Stroke, random_stroke
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
    figure: float
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
    whole: tuple[Colour, Colour]
    """A wheel and its figures; ground and segments of a display."""
    decimals: tuple[Colour, Colour]
    """The same behind the decimal point; a register's pointers have the first colour."""
    plate: Colour
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
    decimals: int
    """Wheels behind the decimal point."""
    unit: str
    build: Build
    size: tuple[int, int]
    background: str
    pose: Pose
    photo: bool
    dead: tuple[int, int] | None = None
    """Place of a display, from the left, and its segment that never lights."""

    @property
    def width(self) -> float:
        """Breadth of the window."""
        count, build = len(self.positions), self.build
        return count * build.breadth + (count - 1) * build.gap

    def middle(self, place: int) -> float:
        """Place of a wheel's middle, from the middle of the window."""
        build = self.build
        return (place - (len(self.positions) - 1) / 2) * (build.breadth + build.gap)


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
    """The number that figures before and behind the point stand for."""
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
        figure=rng.uniform(0.52, 0.8),
        narrow=round(rng.uniform(0.65, 1.0), 2),
        breadth=1.0 if face == "dials" else rng.uniform(0.56, 0.8),
        gap=rng.uniform(0.02, 0.3) if face in ("wheels", "dials") else rng.uniform(0.0, 0.06),
        pitch=rng.uniform(0.86, 1.2),
        curve=rng.uniform(0.62, 2.0),
        # Small dials need all the room.
        margin=(rng.uniform(0.15, 0.3 if face == "dials" else 0.9), rng.uniform(0.15, 0.7)),
        whole=whole,
        decimals=decimals,
        plate=rgb(rng.choice(_PLATES)),
        framed=rng.chance(0.3),
        clockwise=rng.chance(0.7),
        stroke=random_stroke(rng) if font == ENGRAVED else None,
        teeth=rng.uniform(0.1, 0.25) if face == "wheels" and rng.chance(0.25) else 0.0,
    )


def _pair(colours: str) -> tuple[Colour, Colour]:
    ground, ink = map(rgb, colours.split())
    return ground, ink
