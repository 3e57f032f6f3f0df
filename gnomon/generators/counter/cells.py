"""The cells of a counter, flat and from the front: a wheel in its window, a place of a display."""

from functools import lru_cache

import cv2
import numpy as np

from gnomon.generators.counter.scene import LIT, Build, engraved
from gnomon.generators.drawing.canvas import Pixels, Points
from gnomon.generators.drawing.colours import Colour, blend
from gnomon.generators.drawing.lettering import text_tile
from gnomon.generators.rng import Rng


def wheel_cell(
    build: Build, position: float, height_px: int, colours: tuple[Colour, Colour],
    *, is_last: bool, upwards: bool = True,
) -> Pixels:  # fmt: skip
    """Draw a wheel through its window: figures move upwards, the next comes from below.

    Some wheels turn the other way round.
    """
    ground, ink = colours
    wide = round(height_px * build.breadth)
    tall = 3 * height_px  # of the wheel unrolled, its middle in the middle
    strip = np.empty((tall, wide, 3), np.uint8)
    strip[:] = ground
    for figure in range(int(position) - 1, int(position) + 3):
        tile = figure_tile(str(figure % 10), build, round(height_px * build.figure_height), wide)
        further = (figure - position) * height_px * build.pitch
        y = tall / 2 + (further if upwards else -further) - tile.shape[0] / 2
        print_mask(strip, tile, (wide - tile.shape[1]) // 2, round(y), ink)
    if build.teeth and is_last:
        _graduate(strip, height_px, position, ink, build)
    # On a cylinder a row at y of the window lies further along the wheel; its edges turn away.
    heights = (np.arange(height_px) + 0.5) / height_px - 0.5
    angle = np.arcsin(np.clip(heights / build.curve, -1, 1))
    rows = (tall / 2 + height_px * build.curve * angle - 0.5).astype(np.float32)
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


def _graduate(strip: Pixels, height_px: int, position: float, ink: Colour, build: Build) -> None:
    """Mark every fifth of a figure along the right edge of a wheel that is unrolled."""
    tall, wide = strip.shape[:2]
    step, length = height_px * build.pitch / 5, round(build.teeth * wide)
    first = tall / 2 - position % 1 * height_px * build.pitch
    thick = max(1, round(0.25 * step))
    for n in range(-15, 20):
        y = round(first + n * step)
        cv2.rectangle(strip, (wide - length, y), (wide - 1, y + thick), ink, -1)


def display_cell(
    build: Build, figure: int | None, height_px: int, colours: tuple[Colour, Colour],
    rng: Rng, dead: int | None,
) -> Pixels:  # fmt: skip
    """Draw a place of a seven-segment display; a dead segment and a dark place are not lit."""
    ground, ink = colours
    wide = round(height_px * build.breadth)
    cell = np.empty((height_px, wide, 3), np.uint8)
    cell[:] = ground
    ghost = blend(ground, ink, 0.1 if build.face == "lcd" else 0.04)
    for segment, shape in enumerate(segment_bars(build.font, build.figure_height, build.breadth)):
        # LEDs age one by one.
        fading = rng.uniform(0.0, 0.25) if build.face == "led" else 0.0
        is_lit = figure is not None and str(segment) in LIT[figure] and segment != dead
        points = [np.rint(16 * (height_px * shape + (wide / 2, height_px / 2))).astype(np.int32)]
        cv2.fillPoly(cell, points, blend(ink, ground, fading) if is_lit else ghost, cv2.LINE_AA, 4)
    if build.face == "led":  # light spills over
        glow = cv2.GaussianBlur(cell, (0, 0), 0.05 * height_px)
        cell = np.asarray(cv2.addWeighted(cell, 0.85, glow, 0.45, 0))
    return cell


def figure_tile(text: str, build: Build, height: int, room: int) -> Pixels:
    """A figure's mask, narrowed as the build has it, and to the wheel's breadth."""
    height = max(6, height)
    if build.stroke is None:
        tile = _narrowed(text, build.font, height, build.narrow)
    else:
        tile = engraved(text, build.stroke, height)
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


@lru_cache(maxsize=512)
def segment_bars(style: str, height: float, breadth: float) -> list[Points]:
    """Bars of a figure, from the top clockwise, the middle one last; in heights of the window."""
    half, thick = height / 2, 0.075 * height / 0.7
    side = min(0.3 * height, 0.38 * breadth)
    end = 0.0 if style == "blunt" else thick
    air = 0.02

    def bar(length: float) -> Points:
        x = length / 2 - air
        return np.array([(-x, 0), (-x + end, -thick), (x - end, -thick), (x, 0),
                         (x - end, thick), (-x + end, thick)])  # fmt: skip

    across, along = bar(2 * side), bar(half)[:, ::-1]
    middles = ((0, -half), (side, -half / 2), (side, half / 2), (0, half), (-side, half / 2),
               (-side, -half / 2), (0, 0))  # fmt: skip
    bars = [(across if n in (0, 3, 6) else along) + at for n, at in enumerate(middles)]
    lean = 0.12 if style == "slanted" else 0.0
    return [bar - np.stack([lean * bar[:, 1], np.zeros(len(bar))], 1) for bar in bars]


def print_mask(plate: Pixels, tile: Pixels, x: int, y: int, ink: Colour) -> None:
    """Print a mask with its upper left corner at (x, y), as far as it lies on the plate."""
    cut_x, cut_y = max(0, -x), max(0, -y)
    part = plate[max(0, y) : max(0, y + tile.shape[0]), max(0, x) : max(0, x + tile.shape[1])]
    mask = tile[cut_y : cut_y + part.shape[0], cut_x : cut_x + part.shape[1], None] / np.float32(
        255
    )
    part[:] = np.rint(part + (np.array(ink, np.float32) - part) * mask).astype(np.uint8)
