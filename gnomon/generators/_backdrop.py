"""What a clock hangs on: procedural, drawn from a few colours and enlarged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.generators._canvas import Pixels
    from gnomon.generators._palettes import Colour
    from gnomon.generators.rng import Rng


def backdrop(style: str, side: int, ground: Colour, rng: Rng) -> Pixels:
    """A square of `side` pixels, [side, side, 3]."""
    return _STYLES[style](side, ground, rng)


def _plain(side: int, ground: Colour, _: Rng) -> Pixels:
    pixels = np.empty((side, side, 3), np.uint8)
    pixels[:] = ground
    return pixels


def _gradient(side: int, ground: Colour, rng: Rng) -> Pixels:
    """Light that falls in from one side."""
    return _grown([[_near(ground, 40, rng) for _ in range(2)] for _ in range(2)], side)


def _blotches(side: int, ground: Colour, rng: Rng) -> Pixels:
    """A wall that is not evenly lit or painted."""
    return _grown([[_near(ground, 28, rng) for _ in range(7)] for _ in range(7)], side)


def _stripes(side: int, ground: Colour, rng: Rng) -> Pixels:
    """Wallpaper or boards."""
    one, other = _near(ground, 10, rng), _near(ground, 30, rng)
    width = rng.integer(side // 24, side // 8)
    pixels = _plain(side, one, rng)
    for x in range(rng.integer(0, width), side, 2 * width):
        pixels[:, x : x + width] = other
    return np.ascontiguousarray(pixels.transpose(1, 0, 2)) if rng.chance(0.5) else pixels


def _grown(colours: list[list[Colour]], side: int) -> Pixels:
    grid = np.array(colours, np.uint8)
    grown: Pixels = cv2.resize(grid, (side, side), interpolation=cv2.INTER_LINEAR)
    return grown


def _near(colour: Colour, spread: int, rng: Rng) -> Colour:
    """A lighter or darker shade."""
    by = rng.integer(-spread, spread)
    red, green, blue = (min(255, max(0, part + by)) for part in colour)
    return red, green, blue


_STYLES: dict[str, Callable[[int, Colour, Rng], Pixels]] = {
    "plain": _plain,
    "gradient": _gradient,
    "blotches": _blotches,
    "stripes": _stripes,
}
BACKGROUNDS = tuple(_STYLES)
