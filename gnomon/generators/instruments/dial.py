"""Cyclic dials from 0 to 9, as on water, gas and electricity meters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import ClassVar

import numpy as np

from gnomon.generators.drawing.canvas import Canvas, Points
from gnomon.generators.drawing.colours import Colour, Palette, blend
from gnomon.generators.drawing.lettering import Lettering
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import arc, disc, ellipse, joined, mirrored, oblong, rotate
from gnomon.generators.instruments.base import Arc, Instrument, Layout, Phrases, Shapes
from gnomon.generators.instruments.scale import Scale, ScaleReading, cyclic
from gnomon.generators.rng import Rng

_CENTRE = (0.0, 0.0)
_TENTH = Decimal("0.1")
# Positions of the pointer in a turn, hundredths of a label. This is fine enough that two splits
# never share a position while each has all tenths.
_PLACES = 1000
# Shares of red, green and blue that a plate reflects: bare metal; brass, green and blue coats.
_NO_TINT = (1.0, 1.0, 1.0)
_TINTS = ((1.0, 0.86, 0.5), (0.62, 1.0, 0.6), (0.6, 0.8, 1.0))
# Multipliers and units, as they are printed on meters.
_CAPTIONS = ("", "", "x0.1", "x0.01", "x0.001", "x0.0001", "x 0,1", "x 0,001", "m³")


@dataclass(frozen=True, slots=True, kw_only=True)
class DialDesign:
    """Construction of a dial. Lengths are in units of half the dial."""

    pointer: str = "needle"
    reach: float = 0.8
    """Distance from pivot to tip, as a share of the track's radius."""
    breadth: float = 0.3
    """Half the breadth of the pointer's broadest part."""
    clockwise: bool = True
    radius: float = 0.86
    tick_length: float = 0.12
    digit_height: float = 0.15
    label_offset: float = 0.26
    """Distance of the labels' middles from the track, towards the pivot."""
    ring: float = 0.0
    """Breadth of the printed circle along the track. 0 for no circle."""
    plate: Colour = (190, 190, 190)
    """Colour of a plate on the pointer: metal, milky glass or a coated magnet."""
    caption: str = ""
    """Multiplier or unit, at the upper left."""


class RotaryDial(Instrument):
    """Cyclic dial with ten labels. It is read to a tenth of the distance between labels."""

    name: ClassVar[str] = "dial"
    min_readable_side: ClassVar[int] = 48
    pointer_covers_ticks = True
    lies_in_face = True

    def __init__(self, design: DialDesign | None = None) -> None:
        self._design = design or DialDesign()
        design = self._design
        track = Arc(_CENTRE, design.radius, start=0, sweep=360 if design.clockwise else -360)
        self.layout = Layout(
            track=track,
            tick=design.tick_length,
            label=design.label_offset,
            digit=design.digit_height,
            zone=(-0.09, -0.02),
            mark=(-0.01, -0.11),
            unit=(0, 0.5),
        )

    def with_random_design(self, rng: Rng, scale: Scale) -> RotaryDial:  # noqa: ARG002 - all have ten labels
        """Draw a design with the proportions of household meters."""
        digit = rng.uniform(0.12, 0.3)
        tick = rng.uniform(0.05, 0.18)
        pointer = rng.choice(tuple(POINTERS))
        # Labels lie inside the ticks. On one dial in four they lie outside, which leaves less
        # room for the track.
        outside = rng.chance(0.25)
        away = 0.7 * digit + 0.04
        return RotaryDial(DialDesign(
            pointer=pointer,
            reach=rng.uniform(*_REACHES.get(pointer, (0.72, 1.0))),
            breadth=rng.uniform(0.16, 0.4),
            clockwise=rng.chance(0.8),
            radius=rng.uniform(0.6, 0.7) if outside else rng.uniform(0.8, 0.96),
            tick_length=tick,
            digit_height=digit,
            label_offset=-away if outside else tick + away,
            ring=rng.choice((0.0, 0.0, 0.012, 0.025)),
            plate=_plate_colour(rng),
            caption=rng.choice(_CAPTIONS),
        ))  # fmt: skip

    def scales(self) -> tuple[Scale, ...]:
        """Return ten labels, with 0, 1, 4 or 9 ticks between neighbours."""
        return cyclic("- 0 10 1", divisions=(1, 2, 5, 10))

    def place_count(self, scale: Scale, parts: int) -> int:  # noqa: ARG002 - anywhere on the track
        """Return the same number of positions for every dial, whatever its ticks."""
        return _PLACES

    def reading(self, scale: Scale, place: int, parts: int) -> ScaleReading:  # noqa: ARG002
        """Return the value in hundredths of a label, read to a tenth whatever the ticks."""
        tick = scale.ticks[1] - scale.ticks[0]
        return ScaleReading(Decimal(place) / (_PLACES // 10), tick, _TENTH)

    def answer(self, value: Decimal) -> Decimal:
        """Return the nearest tenth, with its zero. 9.96 is 0.0 again."""
        return value.quantize(_TENTH, ROUND_HALF_UP) % 10

    def pointer(self, hand: str, share: float, swell: float) -> Shapes:  # noqa: ARG002 - has its own
        """Return the design's pointer, turned to the value."""
        design = self._design
        length, breadth = design.reach * design.radius, design.breadth - swell
        return self._turned(POINTERS[design.pointer][0](length, breadth), share)

    def draw_pointer(self, canvas: Canvas, pose: Pose, contours: Shapes, palette: Palette) -> None:  # noqa: ARG002
        """Draw the pointer, and on some designs a plate of metal or milky glass above it."""
        colours = {
            "b": palette.second,
            "p": self._design.plate,
            "d": blend(palette.second, (0, 0, 0), 0.6),
        }
        _, materials = POINTERS[self._design.pointer]
        for contour, material in zip(contours, materials, strict=True):
            canvas.fill_fine([contour], colours[material])

    def printed(self) -> list[Shapes]:
        """Return the circle along the track."""
        design = self._design
        if not design.ring:
            return []
        return [[ellipse(0, 0, design.radius + design.ring), ellipse(0, 0, design.radius)[::-1]]]

    def captions(self, scale: Scale) -> list[Lettering]:  # noqa: ARG002 - all are numbers
        """Return the caption between the ninth label and the rim, slanted as in print."""
        text = self._design.caption
        return [Lettering(text, -0.68, -0.76, 0.1, -40)] if text else []

    def first_place(self, parts: int) -> int:  # noqa: ARG002 - none is left out
        """Return the first position, because a pointer shows it as well as any other."""
        return 0

    def phrases(self) -> Phrases:
        """Return no words, because a dial does not have a unit."""
        return Phrases(
            "dial",
            "the dial's pointer",
            {"read": "What does the dial read? Answer with a number."},
        )

    def _turned(self, shapes: Shapes, share: float) -> Shapes:
        track = self.layout.track
        assert isinstance(track, Arc)
        return rotate(shapes, track.angle(share))


def _plate_colour(rng: Rng) -> Colour:
    """Return the grey of metal or milky glass. A quarter of the plates are tinted like brass or a
    coating."""
    grey, tint = rng.integer(110, 250), rng.choice(_TINTS) if rng.chance(0.25) else _NO_TINT
    red, green, blue = (round(grey * part) for part in tint)
    return red, green, blue


def _needle(length: float, breadth: float) -> Shapes:
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


def _half_disc(radius: float, begin: float = 80) -> Points:
    """Return a disc without the sector within `begin` degrees of the tip on each side."""
    return np.array((1, -1)) * joined(arc(0, 0, radius, begin, 360 - begin), [_CENTRE])


# Shapes of each pointer and their materials, bottom first: b its colour, p plate, d darker colour.
POINTERS: dict[str, tuple[Callable[[float, float], Shapes], str]] = {
    "needle": (_needle, "bb"),
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
}
# Ranges of reach that differ from the others' 0.72 to 1.
_REACHES = {"crescent": (0.45, 0.7), "paddle": (0.55, 0.9), "halves": (0.75, 1.0)}
