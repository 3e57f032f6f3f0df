"""Drawing of clocks: backdrop, dial, extras, and the hands on top."""

import math
from collections.abc import Sequence
from functools import cache, lru_cache

import cv2
import numpy as np
from PIL.Image import Image

from gnomon.generators.clock import extras as clock_extras
from gnomon.generators.clock.face import ARABIC_24, TEXTS
from gnomon.generators.clock.look import LEGIBLE, ClockLook
from gnomon.generators.clock.scene import ClockScene
from gnomon.generators.drawing import shapes
from gnomon.generators.drawing.backgrounds import SPREADS, background_behind
from gnomon.generators.drawing.canvas import MASK_SCALE, SCALE, SWELL, Canvas, Pixels, Points
from gnomon.generators.drawing.colours import Colour, Palette, ground_clear_of
from gnomon.generators.drawing.lettering import Lettering, text_mask
from gnomon.generators.looks import photo
from gnomon.generators.rng import Rng


def tick_bars(dial: str, minutes: range, length: float, width: float, inset: float) -> list[Points]:
    """Return ticks as bars at these minutes of the dial."""
    indices = np.array(minutes)
    ends = minute_ticks(dial, length, inset)[indices]  # [ticks, 2, 2]
    side = _ACROSS[indices] * width / 2
    return list(np.concatenate([ends + side, ends[:, ::-1] - side], 1))


# The direction across the tick of each minute, [60, 1, 2].
_ACROSS = np.array([[(math.cos(a), math.sin(a))] for a in (math.tau * m / 60 for m in range(60))])


def hour_dots(dial: str, first_hour: int, radius: float, inset: float) -> list[Points]:
    """Return dots at the hours, from `first_hour` on. Dots at the quarters are larger."""
    dots = []
    for hour in range(first_hour, 12):
        dot = shapes.disc(radius * (1.3 if hour % 3 == 0 else 1))
        dots.append(_on_ray(dot, dial, 30 * hour, 1.4 * radius, inset))
    return dots


def twelve_mark(mark: str, dial: str, size: float, inset: float) -> list[Points]:
    """Return the mark at twelve."""
    if mark == "triangle":
        return [
            _on_ray(
                size * np.array([(-0.6, -0.5), (0.6, -0.5), (0, 0.6)]), dial, 0, size / 2, inset
            )
        ]
    bar = size * np.array([(-0.15, -0.5), (0.15, -0.5), (0.15, 0.6), (-0.15, 0.6)])
    return [_on_ray(bar + np.array([x * size, 0]), dial, 0, size / 2, inset) for x in (-0.28, 0.28)]


@cache
def minute_ticks(dial: str, length: float, inset: float) -> Points:
    """Return the 60 minute ticks as segments, [60, 2, 2]."""
    degrees = [6.0 * minute for minute in range(60)]
    return np.array(
        [[mark_place(dial, d, 0, inset), mark_place(dial, d, length, inset)] for d in degrees]
    )


def mark_place(dial: str, degrees: float, inwards: float, inset: float) -> tuple[float, float]:
    """Return the point `inwards` of the marks' outer ends, in a direction from the axis."""
    return shapes.polar(degrees, shapes.radius_at(dial, degrees) - inset - inwards)


def _on_ray(shape: Points, dial: str, degrees: float, inwards: float, inset: float) -> Points:
    moved: Points = shape + np.array(mark_place(dial, degrees, inwards, inset))
    return moved


# Size in pixels at which a photographed clock is still readable to a minute or two.
_MIN_READABLE_SIDE = 80
# A dial is drawn in one channel: background 0, case 85, floor 170, ink 255. So edges are smoothed
# once, and a table turns the steps into colours.
_STEP = 85
_CASE, _FLOOR, _INK = ((step, step, step) for step in (_STEP, 2 * _STEP, 3 * _STEP))


def draw_dial(canvas: Canvas, look: ClockLook, palette: Palette) -> None:
    """Draw the dial on a canvas of the picture's size."""
    dial = look.style.dial
    x1, y1, x2, y2 = canvas.pixels_around(look.pose(shapes.outline(dial, look.design.rim)), 2)
    # Draw only the part of the picture that contains the dial.
    look = look._replace(pose=look.pose.moved(-x1, -y1))
    height, width = SCALE * (y2 - y1), SCALE * (x2 - x1)
    plate = Canvas((x2 - x1, y2 - y1), np.zeros((height, width), np.uint8))
    _floor(plate, look)
    _ticks(plate, look)
    if TEXTS[look.style.numerals]:
        _numerals(plate, look)
    steps = plate.halve().pixels
    # From the case's step on, pixels cover the ground completely.
    covered = cv2.convertScaleAbs(steps, None, 255 / _STEP)
    ladder = _ladder(edge_colour(dial, palette), palette.floor, palette.ink)
    canvas.overlay(covered, cv2.applyColorMap(steps, ladder), (x1, y1))


def edge_colour(dial: str, palette: Palette) -> Colour:
    """Return the colour at the dial's edge: its case, or its floor if it has no case."""
    return palette.floor if dial == "bare" else palette.case


def numeral_texts(look: ClockLook) -> list[Lettering]:
    """Return the texts of the numerals, inside the ticks."""
    outside = (
        0.12 if look.marks.twelve else 0.02 + 0.09 * look.bold if look.marks.hour_ticks else 0.06
    )
    inset = look.design.mark_inset + outside + 0.62 * look.numeral_height
    numerals, height = look.style.numerals, look.numeral_height
    texts = []
    for hour, text in TEXTS[numerals].items():
        at = (15 if numerals == ARABIC_24 else 30) * hour
        place = shapes.polar(at, shapes.radius_at(look.style.dial, at) - inset)
        # Roman numerals have their feet to the axis.
        texts.append(Lettering(text, *place, height, at if numerals.startswith("roman") else 0))
    return texts


def _floor(plate: Canvas, look: ClockLook) -> None:
    dial = look.style.dial
    rim = look.design.rim
    plate.fill([look.pose(shapes.outline(dial, rim))], _CASE)
    if dial == "ring":
        plate.fill([look.pose(shapes.outline(dial, 1 + 0.57 * (rim - 1)))], _FLOOR)
        plate.fill([look.pose(shapes.outline(dial, 1 + 0.21 * (rim - 1)))], _CASE)
    plate.fill([look.pose(shapes.outline(dial))], _FLOOR)


def _ticks(plate: Canvas, look: ClockLook) -> None:
    dial, marks, pose = look.style.dial, look.marks, look.pose
    # LINE_AA makes a bar wider by this amount, so it is subtracted first.
    swell = 2 * SWELL / SCALE / pose.scale
    inset, bold, numerals = look.design.mark_inset, look.bold, look.style.numerals
    fine = []
    if marks.minute_track and bold > 1:
        fine = tick_bars(dial, range(60), 0.05 * bold, max(0.012 * bold - swell, 0.006), inset)
    elif marks.minute_track:
        ticks = minute_ticks(dial, 0.05 * bold, inset).reshape(-1, 2)
        plate.strokes(pose(ticks).reshape(-1, 2, 2), _INK)
    first_hour = 1 if marks.twelve else 0
    # Beside readable numerals it is small enough not to touch them.
    mark_size = 0.11 if TEXTS[numerals] and marks.numeral_pixels >= LEGIBLE else 0.17
    bars = twelve_mark(marks.twelve, dial, mark_size, inset) if marks.twelve else []
    if numerals == "dots":
        bars += hour_dots(dial, first_hour, 0.05, inset)
    elif marks.hour_ticks:
        length = 0.09 if TEXTS[numerals] else 0.16
        minutes = range(5 * first_hour, 60, 5)
        bars += tick_bars(dial, minutes, length * bold, max(0.045 * bold - swell, 0.02), inset)
    bars += fine
    if bars:
        plate.fill([pose(shape) for shape in bars], _INK)


def _numerals(plate: Canvas, look: ClockLook) -> None:
    """Write the numerals through the same homography as everything else."""
    numerals = text_mask(numeral_texts(look), look.font, look.pose, plate)
    if numerals:
        mask, (x, y) = numerals
        part = plate.pixels[y : y + mask.shape[0], x : x + mask.shape[1]]
        cv2.add(part, cv2.convertScaleAbs(mask, None, _STEP / 255), part)


@lru_cache(maxsize=256)
def _ladder(case: Colour, floor: Colour, ink: Colour) -> Pixels:
    """Return the colour of each value, minus the light that shows through it, for
    `applyColorMap`."""
    steps = [0, *(_STEP * step for step in (1, 2, 3))]
    parts = [
        np.interp(np.arange(256), steps, [0, *part]) for part in zip(case, floor, ink, strict=True)
    ]
    ladder: Pixels = np.rint(np.stack(parts, 1)).astype(np.uint8)[:, None]
    return ladder


def draw_clocks(clocks: Sequence[ClockScene], rng: Rng) -> Image:
    """Draw the clocks side by side, on the background of the first."""
    first_look = clocks[0].look
    palettes, width = [c.look.design.colours for c in clocks], first_look.size * len(clocks)
    edges = tuple(map(edge_colour, (c.look.style.dial for c in clocks), palettes))
    ground = ground_clear_of(edges, palettes[0].ground, SPREADS.get(first_look.background, 0))
    # Just outside the rims, where case and ground meet.
    outlines = [
        c.look.pose(shapes.outline(c.look.style.dial, 1.03 * c.look.design.rim)) for c in clocks
    ]
    behind = background_behind(
        first_look.background, width, ground, rng, list(zip(outlines, edges, strict=True))
    )
    canvas = Canvas((width, first_look.size), behind[: first_look.size])
    if first_look.is_photo:
        return _photograph(canvas, clocks, rng)
    for (look, angles, extras), colours in zip(clocks, palettes, strict=True):
        draw_dial(canvas, look, colours)
        clock_extras.draw_below_hands(canvas, look, colours, extras)
        _draw_hands(canvas, look, colours, angles)
        clock_extras.draw_above_hands(canvas, look, extras)
    return canvas.picture()


def _photograph(canvas: Canvas, clocks: Sequence[ClockScene], rng: Rng) -> Image:
    """Photograph clocks whose hands stand slightly above their dials."""
    for look, _, extras in clocks:
        draw_dial(canvas, look, look.design.colours)
        clock_extras.draw_below_hands(canvas, look, look.design.colours, extras)
    # Two layers, without the hands and with them, because the lamp's shadows fall between.
    without_hands = Canvas(canvas.size, canvas.pixels.copy())
    hand_contours, cases, floors = [], [], []
    for look, angles, _ in clocks:
        shift = photo.parallax(rng, look.pose.scale)
        raised = look._replace(pose=look.pose.moved(*shift), shadow=0.0)  # the lamp casts one
        _draw_hands(canvas, raised, look.design.colours, angles)
        hand_contours += [
            contour for shape in _hand_shapes(raised, angles).values() for contour in shape
        ]
        cases.append(look.pose(shapes.outline(look.style.dial, look.design.rim)))
        floors.append(look.pose(shapes.outline(look.style.dial)))
    for part in (without_hands, canvas):
        for look, _, extras in clocks:
            clock_extras.draw_above_hands(part, look, extras)
    masks = (photo.mask_of(contours, canvas.size) for contours in (hand_contours, cases, floors))
    layers = photo.Layers(without_hands.pixels, canvas.pixels, *masks)
    return photo.photograph(layers, rng, min_readable_side=_MIN_READABLE_SIDE)


def _draw_hands(
    canvas: Canvas, look: ClockLook, palette: Palette, angles: dict[str, float]
) -> None:
    """Draw hour, minute, second hand and hub, each above the previous, with all shadows below."""
    hands = _hand_shapes(look, angles)
    if look.shadow:
        # Light from above, a little from the left.
        fall = np.array([0.03, 0.04]) * look.pose.scale
        shadows = [[c + fall for c in contours] for contours in hands.values()]
        canvas.fill_fine_shapes(shadows, (0, 0, 0), look.shadow)
    second = hands.pop("second", None)
    # The hub has the colour of the topmost hand.
    hub = [look.pose(shapes.disc(look.design.hub))]
    canvas.fill_fine_shapes([*hands.values(), *([] if second else [hub])], palette.hands)
    if second:
        canvas.fill_fine_shapes([second, hub], palette.second)


def _hand_shapes(look: ClockLook, angles: dict[str, float]) -> dict[str, shapes.Shape]:
    """Return the hands' contours in the picture, from bottom to top."""
    # Growth of both sides of a hand by smoothing, in the dial's unit.
    swell = 2 * SWELL / MASK_SCALE / look.pose.scale
    style, design = look.style.hands, look.design
    hands = {
        name: shapes.hand_shape(style, length, max(width - swell, 0.4 * width), design.tail)
        for name, (length, width) in (("hour", look.hour), ("minute", look.minute))
        if name in angles
    }
    if "second" in angles:
        length, width, tail = design.second
        # In small pictures, the growth would consume a thin hand completely.
        width = max(width - swell, 0.3 * width)
        hands["second"] = shapes.needle(length, width, tail, design.counterweight_ratio)
    return {
        name: [look.pose(c) for c in shapes.rotate(contours, angles[name])]
        for name, contours in hands.items()
    }
