"""Cells of a window, flat and from the front: a wheel, a place of a display, a small dial."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np

from gnomon.generators.drawing.canvas import Pixels, Points
from gnomon.generators.drawing.colours import Colour, blend
from gnomon.generators.drawing.lettering import text_tile
from gnomon.generators.drawing.shapes import polar
from gnomon.generators.faces.engraving import Stroke, engraved
from gnomon.generators.faces.segments import LIT, SEGMENTS, UNSEEN_SEGMENTS, segment_bars
from gnomon.generators.rng import Rng

# Pixels per window height at which ink is measured, and the least level (of 255) that counts.
_MEASURE, _INK_LEVEL = 240, 90


class CellStyle(NamedTuple):
    """The form of a window's cells and figures. Lengths are in heights of the window."""

    font: str
    """Font of a wheel's figures, or style of segments."""
    figure_height: float
    narrow: float
    """Breadth of a figure, as a multiple of its breadth in the font."""
    breadth: float
    """Breadth of a cell."""
    pitch: float = 1.0
    """Distance from one figure of a wheel to the next."""
    curve: float = 9.0
    """Radius of a wheel. The smaller it is, the more its figures shrink above and below."""
    stroke: Stroke | None = None
    """Stroke of engraved figures. None for figures of a font."""
    teeth: float = 0.0
    """Graduation along the last wheel's right edge, as a share of its breadth. 0 draws none."""
    glow: bool = False
    """True for an LED, whose light spills over."""


def wheel_cell(
    style: CellStyle, position: float, height_px: int, colours: tuple[Colour, Colour],
    *, is_last: bool, upwards: bool = True,
) -> Pixels:  # fmt: skip
    """Draw a counter's wheel in its window. Its figures move up, or down without `upwards`."""
    ground, ink = colours
    wide = round(height_px * style.breadth)
    tall = 3 * height_px  # height of the unrolled wheel around the window's middle
    strip = np.empty((tall, wide, 3), np.uint8)
    strip[:] = ground
    for figure in range(int(position) - 1, int(position) + 3):
        tile = figure_tile(str(figure % 10), style, round(height_px * style.figure_height), wide)
        further = (figure - position) * height_px * style.pitch
        y = tall / 2 + (further if upwards else -further) - tile.shape[0] / 2
        print_mask(strip, tile, (wide - tile.shape[1]) // 2, round(y), ink)
    if style.teeth and is_last:
        _graduate(strip, height_px, position, ink, style)
    # On a cylinder a row at y of the window lies further along the wheel; its edges turn away.
    heights = (np.arange(height_px) + 0.5) / height_px - 0.5
    angle = np.arcsin(np.clip(heights / style.curve, -1, 1))
    rows = (tall / 2 + height_px * style.curve * angle - 0.5).astype(np.float32)
    columns = np.arange(wide, dtype=np.float32)
    warped = cv2.remap(
        strip,
        np.broadcast_to(columns, (height_px, wide)).copy(),
        np.broadcast_to(rows[:, None], (height_px, wide)).copy(),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    shade = (0.35 + 0.65 * np.cos(angle))[:, None, None]
    shaded: Pixels = np.rint(warped * shade).astype(np.uint8)
    return shaded


def _graduate(
    strip: Pixels, height_px: int, position: float, ink: Colour, style: CellStyle
) -> None:
    """Draw five marks per figure along the right edge of an unrolled wheel."""
    tall, wide = strip.shape[:2]
    step, length = height_px * style.pitch / 5, round(style.teeth * wide)
    first = tall / 2 - position % 1 * height_px * style.pitch
    thick = max(1, round(0.25 * step))
    for n in range(-15, 20):
        y = round(first + n * step)
        cv2.rectangle(strip, (wide - length, y), (wide - 1, y + thick), ink, -1)


def display_cell(
    style: CellStyle, figure: int | None, height_px: int, colours: tuple[Colour, Colour],
    rng: Rng, dead: int | None,
) -> Pixels:  # fmt: skip
    """Draw a digit of a seven-segment display. No segment is lit if `figure` is None.

    The segment `dead` is never lit.
    """
    ground, ink = colours
    wide = round(height_px * style.breadth)
    cell = np.empty((height_px, wide, 3), np.uint8)
    cell[:] = ground
    ghost = blend(ground, ink, 0.04 if style.glow else 0.1)
    for segment, shape in enumerate(segment_bars(style.font, style.figure_height, style.breadth)):
        # LEDs age one by one.
        fading = rng.uniform(0.0, 0.25) if style.glow else 0.0
        is_lit = figure is not None and str(segment) in LIT[figure] and segment != dead
        points = [np.rint(16 * (height_px * shape + (wide / 2, height_px / 2))).astype(np.int32)]
        cv2.fillPoly(cell, points, blend(ink, ground, fading) if is_lit else ghost, cv2.LINE_AA, 4)
    if style.glow:
        glow = cv2.GaussianBlur(cell, (0, 0), 0.05 * height_px)
        cell = np.asarray(cv2.addWeighted(cell, 0.85, glow, 0.45, 0))
    return cell


def dial_cell(
    font: str, position: float, height_px: int, colours: tuple[Colour, Colour], pointer: Colour,
    behind: Colour, *, is_clockwise: bool,
) -> Pixels:  # fmt: skip
    """Draw a register's dial with labels 0 to 9, in the direction in which its pointer turns."""
    ground, ink = colours
    direction = 1 if is_clockwise else -1
    cell = np.empty((height_px, height_px, 3), np.uint8)
    cell[:] = behind

    def at(turn: float, radius: float) -> tuple[int, int]:
        """Return a point of the dial, in sixteenths of a pixel."""
        x, y = polar(direction * 360 * turn, radius)
        return round(16 * height_px * (0.5 + x)), round(16 * height_px * (0.5 + y))

    # OpenCV counts in sixteenths if its last argument, the shift, is 4.
    thick = max(1, round(0.012 * height_px))
    middle = at(0, 0)
    cv2.circle(cell, middle, round(16 * 0.48 * height_px), ground, -1, cv2.LINE_AA, 4)
    cv2.circle(cell, middle, round(16 * 0.48 * height_px), ink, thick, cv2.LINE_AA, 4)
    for figure in range(10):
        cv2.line(cell, at(figure / 10, 0.48), at(figure / 10, 0.42), ink, thick, cv2.LINE_AA, 4)
        tile = text_tile(str(figure), font, max(5, round(0.13 * height_px)), 0)
        x, y = (side // 16 for side in at(figure / 10, 0.335))
        print_mask(cell, tile, x - tile.shape[1] // 2, y - tile.shape[0] // 2, ink)
    turn = position / 10
    # A kite: its tip, its two sides and the blunt end behind the pivot.
    hand = [at(turn, 0.4), at(turn + 0.25, 0.05), at(turn + 0.5, 0.1), at(turn - 0.25, 0.05)]
    cv2.fillPoly(cell, [np.array(hand, np.int32)], pointer, cv2.LINE_AA, 4)
    cv2.circle(cell, middle, round(16 * 0.05 * height_px), pointer, -1, cv2.LINE_AA, 4)
    return cell


def figure_ink(style: CellStyle, figure: int, dead: int | None = None) -> Points:
    """Return outline points of a digit that is not turning.

    On a display, these are the corners of the lit segments. On a wheel, they are both ends of each
    row of ink. Coordinates start at the middle of the digit's cell, in heights of the window.
    """
    half = style.breadth / 2
    if style.font in (*SEGMENTS, *UNSEEN_SEGMENTS):
        bars = enumerate(segment_bars(style.font, style.figure_height, style.breadth))
        lit = [bar for n, bar in bars if str(n) in LIT[figure] and n != dead]
        return np.clip(np.concatenate(lit), (-half, -0.5), (half, 0.5))
    room = round(_MEASURE * style.breadth)
    tile = figure_tile(str(figure), style, round(_MEASURE * style.figure_height), room)
    mask = tile > _INK_LEVEL
    rows = np.flatnonzero(mask.any(1))
    first, last = mask.argmax(1)[rows], mask.shape[1] - mask[:, ::-1].argmax(1)[rows]
    # Upper and lower edges of each row; on a cylinder both lie nearer to its middle.
    xs = np.concatenate([first, last, first, last])
    ys = np.concatenate([rows, rows, rows + 1, rows + 1])
    points = (np.stack([xs, ys], 1) - np.array(mask.shape[::-1]) / 2) / _MEASURE
    points[:, 1] = style.curve * np.sin(points[:, 1] / style.curve)
    # Neighbours are drawn over what sticks out of the cell.
    return np.clip(points, (-half, -0.5), (half, 0.5))


def figure_tile(text: str, style: CellStyle, height: int, room: int) -> Pixels:
    """Return a figure's mask, narrowed to the style and to at most `room` pixels."""
    height = max(6, height)
    if style.stroke is None:
        tile = _narrowed(text, style.font, height, style.narrow)
    else:
        tile = engraved(text, style.stroke, height)
    if tile.shape[1] <= 0.9 * room:
        return tile
    size = max(1, round(0.9 * room)), tile.shape[0]
    mask: Pixels = cv2.resize(tile, size, interpolation=cv2.INTER_AREA)
    return mask


@lru_cache(maxsize=4096)
def _narrowed(text: str, font: str, height: int, narrow: float) -> Pixels:
    tile = text_tile(text, font, height, 0)
    size = max(1, round(narrow * tile.shape[1])), tile.shape[0]
    mask: Pixels = cv2.resize(tile, size, interpolation=cv2.INTER_AREA)
    return mask


def print_mask(plate: Pixels, tile: Pixels, x: int, y: int, ink: Colour) -> None:
    """Print a mask with its upper left corner at (x, y). Pixels outside the plate are dropped."""
    cut_x, cut_y = max(0, -x), max(0, -y)
    part = plate[max(0, y) : max(0, y + tile.shape[0]), max(0, x) : max(0, x + tile.shape[1])]
    mask = tile[cut_y : cut_y + part.shape[0], cut_x : cut_x + part.shape[1], None] / np.float32(
        255
    )
    part[:] = np.rint(part + (np.array(ink, np.float32) - part) * mask).astype(np.uint8)
