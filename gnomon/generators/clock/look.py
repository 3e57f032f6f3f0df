"""Look of a clock: all random properties, drawn before any pixel."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gnomon.generators.clock.face import ARABIC_24, ClockStyle
from gnomon.generators.clock.options import ClockOptions
from gnomon.generators.drawing.colours import Palette, is_legible, palette
from gnomon.generators.drawing.degrade import max_turn
from gnomon.generators.drawing.pose import Pose, place
from gnomon.generators.drawing.shapes import outline
from gnomon.generators.rng import Rng

# Turn in degrees beyond which a dial marks its twelve.
UPRIGHT = 10.0
# Smallest height in pixels at which digits show their hour.
LEGIBLE = 6.0
# Distance of plain marks from the floor's outline, in the dial's unit.
MARK_INSET = 0.05


class Marks(NamedTuple):
    """Marks of a dial."""

    hour_ticks: bool
    """Bars or dots at the hours, distinct from the minute track."""
    minute_track: bool
    twelve: str | None
    """Triangle or double bar at twelve."""
    numeral_pixels: float
    """Height of a digit in the picture."""


# Outline of the plain case, relative to the floor's outline.
RIM = 1.07
# Height of the digits if 24 hours stand around the dial.
DAY_NUMERALS = 0.12
# Length, width and tail of the plain second hand.
SECOND = (0.9, 0.022, 0.22)


class ClockDesign(NamedTuple):
    """Properties of a clock besides its style. Lengths are in the dial's unit."""

    colours: Palette
    rim: float
    """Outline of the case, relative to the floor's outline."""
    mark_inset: float
    """Distance of the marks from the floor's outline."""
    bold: float
    """Length and breadth of the ticks, relative to plain ones."""
    tail: float
    """Length of the hour and minute hand behind the axis."""
    hub: float
    second: tuple[float, float, float]
    """Length, width and tail of the second hand."""
    counterweight_ratio: float
    """Breadth of its counterweight, in breadths of the hand."""


def random_design(style: ClockStyle, variety: float, rng: Rng, *, crowded: bool) -> ClockDesign:
    """Draw a design. With a variety of 0 it is the plain design."""

    def vary(plain: float, low: float, high: float) -> float:
        return plain + variety * (rng.uniform(low, high) - plain)

    tight = crowded or style.numerals == ARABIC_24
    thick = rng.chance(0.3) and not tight
    rim = vary(RIM, 1.09, 1.25) if thick else vary(RIM, 1.03, RIM if tight else 1.09)
    # In steps, because the places of marks are computed once for each.
    mark_inset = round(vary(MARK_INSET, 0.03, MARK_INSET if tight else 0.13), 2)
    bold = round(vary(1.0, 0.6, 1.0 if tight else 1.6), 1)
    return ClockDesign(
        _varied_palette(style, variety, rng), rim, mark_inset, bold,
        tail=vary(0.14, 0.0, 0.26), hub=vary(0.055, 0.02, 0.085),
        second=(vary(SECOND[0], 0.8, 0.95), vary(SECOND[1], 0.012, 0.034),
                vary(SECOND[2], 0.08, 0.34)),
        counterweight_ratio=vary(2.8, 1.0, 4.5),
    )  # fmt: skip


def sizes(
    style: ClockStyle, variety: float, rng: Rng, mark_inset: float, *, crowded: bool
) -> tuple[float, tuple[float, float], tuple[float, float]]:
    """Draw the numerals' height, and length and width of the hour and the minute hand."""

    def between(low: float, high: float, lowest: float, highest: float) -> float:
        return rng.uniform(low + variety * (lowest - low), high + variety * (highest - high))

    large = style.numerals == "sparse" and not crowded
    # Above 0.23 a bold 11 touches the 12, and earlier if they stand further in.
    numerals = between(0.24, 0.32, 0.15, 0.32) if large else between(0.19, 0.23, 0.14, 0.23)
    # Further in, there is less room between them.
    numerals *= 1 - max(mark_inset - MARK_INSET, 0)
    if style.numerals.startswith("roman"):
        numerals *= 0.64  # VII and VIII side by side
    if style.numerals == ARABIC_24:
        numerals = DAY_NUMERALS
    # Minute hand: each range starts at the plain value and, with a variety of 1, is widest.
    length, width = between(0.76, 0.9, 0.62, 0.92), between(0.05, 0.075, 0.03, 0.1)
    # Hour hand, relative to the minute hand. Never above 0.69 of its length, because the two
    # would be confused.
    shorter, broader = between(0.56, 0.68, 0.5, 0.69), between(1.35, 1.7, 1.0, 1.9)
    return numerals, (length * shorter, min(width * broader, 0.14)), (length, width)


def _varied_palette(style: ClockStyle, variety: float, rng: Rng) -> Palette:
    """Give the style's colours to other parts, in slightly different shades."""
    plain = palette(style.palette)
    swapped, cased, grounded, shaded = (
        # Shares of clocks with other hands, another case, a ground like the floor, shifted
        # shades.
        rng.chance(share * variety)
        for share in (0.35, 0.25, 0.1, 0.7)
    )
    hands, case = rng.choice(("ink", "second", "case")), rng.choice(("hands", "ink", "second"))
    other = {part: getattr(plain, part) for part in ("floor", "hands", "case", "ground")}
    if shaded:
        # 14 levels are visible side by side, and the colour still belongs to the palette.
        shift = [rng.integer(-14, 14) for _ in range(3)]
        for part in ("floor", "ground"):
            red, green, blue = np.clip(np.add(other[part], shift), 0, 255).tolist()
            other[part] = (red, green, blue)
    if swapped:
        other["hands"] = getattr(plain, hands)
    if cased:
        other["case"] = getattr(plain, case)
    if grounded and style.dial != "bare":
        other["ground"] = other["floor"]
    varied = replace(plain, **other)
    # Other parts may be too pale to read. Then the palette stays unchanged.
    return varied if is_legible(varied) else plain


# Pixels to the picture's edge. A lens or wear repeats the colours at the edge beyond it, so a
# case that touches the edge would continue past its box.
_FREE = 2
# Range of the longer side of a clock whose box is asked for, as a share of the picture's side.
_ANY_SIZE = (0.2, 0.7)


class ClockLook(NamedTuple):
    """Look of one clock, without its time. Lengths are in the dial's unit."""

    style: ClockStyle
    size: int
    background: str
    rotation: float
    tilt: float
    pose: Pose
    marks: Marks
    font: str
    numeral_height: float
    bold: float
    """Length and breadth of the ticks, relative to plain ones."""
    hour: tuple[float, float]
    """Length and width of the hour hand."""
    minute: tuple[float, float]
    design: ClockDesign
    mirrored: bool
    shadow: float
    """Share of light that the hands take from the floor. 0 for no shadow."""
    is_photo: bool = False
    """True for a picture as a camera takes it."""


def random_look(
    clock: ClockOptions, style: ClockStyle, rng: Rng, size: int = 0, *, mirrored: bool = False,
    anywhere: bool = False,
) -> ClockLook:  # fmt: skip
    """Draw the look of one clock, and its size if none is given.

    With `anywhere`, it may be small and far from the middle, unless the options forbid it.
    """
    ranges = clock.settings
    if anywhere:
        ranges = ranges._replace(
            dial_size=clock.dial_size or _ANY_SIZE,
            offset=1.0 if clock.offset is None else clock.offset,
        )
    # Drawn even if the size is given, so all later draws stay the same.
    size_drawn = rng.within(clock.sizes)
    size = size or size_drawn
    lean = rng.uniform(-1, 1)
    rotation = ranges.rotation * lean * abs(lean)  # most clocks hang nearly straight
    tilt = rng.uniform(0, ranges.perspective)
    towards = rng.uniform(0, 360)
    # A small dial or a window cuts into taller numerals, and into numerals further in.
    crowded = bool(ranges.date or ranges.subdials or "date" in clock.questions)
    design = random_design(style, ranges.variety, rng, crowded=crowded)
    edge = free_edge(clock)
    room = size - 2 * edge
    pose = place(
        outline(style.dial, design.rim), turn=rotation, tilt=tilt, towards=towards,
        length=min(size * rng.uniform(*ranges.dial_size), room), room=room,
        shift=(rng.uniform(-1, 1) * ranges.offset, rng.uniform(-1, 1) * ranges.offset),
    )  # fmt: skip
    pose = pose.moved(edge, edge)
    pose = pose.mirrored() if mirrored else pose
    height, hour, minute = sizes(style, ranges.variety, rng, design.mark_inset, crowded=crowded)
    # A lens makes them smaller by at most its strength.
    pixels = height * pose.scale / (1 + ranges.warp)
    return ClockLook(
        style=style, size=size, background=rng.choice(clock.materials.names("backgrounds")),
        rotation=rotation, tilt=tilt, pose=pose,
        marks=_marks(clock, style, rotation, pixels, rng, mirrored=mirrored),
        font=rng.choice(clock.suitable_fonts(_fonts(style))), numeral_height=height,
        bold=1.0 if style.numerals == ARABIC_24 else design.bold, hour=hour, minute=minute,
        design=design, mirrored=mirrored,
        shadow=rng.uniform(0.15, 0.35) if rng.chance(ranges.shadow) else 0.0,
        is_photo=clock.look == "photo",
    )  # fmt: skip


def free_edge(clock: ClockOptions) -> int:
    """Pixels between a clock and the edges of its part of the picture."""
    return _FREE if clock.settings.warp or clock.degrade != "off" else 0


def _marks(
    clock: ClockOptions,
    style: ClockStyle,
    rotation: float,
    pixels: float,
    rng: Rng,
    *,
    mirrored: bool,
) -> Marks:
    """Return ticks if numerals are few, and a marked twelve if the turn would be unknown
    otherwise."""
    is_named = style.numerals in ("arabic", "roman", "roman-iv")
    legible = style.numerals not in ("dots", "none") and pixels >= LEGIBLE
    ticks = rng.chance(0.6) or not is_named
    marked = rng.choice(("triangle", "double"))
    is_turned = mirrored or abs(rotation) + max_turn(clock.degrade) > UPRIGHT
    has_twelve = rng.chance(0.25) or (is_turned and not legible)
    track = rng.chance(clock.settings.minute_track)
    day = style.numerals == ARABIC_24  # its hours are not the twelve of the ticks
    twelve = marked if has_twelve and not day else None
    return Marks(ticks and not day, track or day, twelve, pixels)


def _fonts(style: ClockStyle) -> tuple[str, ...]:
    if style.numerals.startswith("roman"):
        return ("serif", "serif-bold", "times-bold")
    if style.numerals == ARABIC_24:  # 13 12 11 side by side: in broader ones they are one number
        return ("sans", "times-bold")
    return ("sans", "sans-bold", "serif-bold", "times-bold")
