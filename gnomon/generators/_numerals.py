"""Numerals of a dial, as one mask in the dial's frame; each glyph is drawn once and kept."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw

from gnomon.generators._fonts import face

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.generators._canvas import Pixels

_ROMAN = ("XII", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI")
_ARABIC = ("12", *map(str, range(1, 12)))
_TEXTS: dict[str, dict[int, str]] = {
    "arabic": dict(enumerate(_ARABIC)),
    "roman": dict(enumerate(_ROMAN)) | {4: "IIII"},
    "roman-iv": dict(enumerate(_ROMAN)),
    "sparse": {hour: _ARABIC[hour] for hour in (0, 3, 6, 9)},
    "dots": {},
    "none": {},
}
NUMERALS = tuple(_TEXTS)


def texts(style: str) -> dict[int, str]:
    """What stands at which hour, 0 being twelve."""
    return _TEXTS[style]


def plate(
    style: str, font: str, height: int, side: int, scale: float, radius: Callable[[float], float]
) -> Pixels:
    """A square mask of `side` pixels around the axis, at `scale` pixels to the dial's unit."""
    mask = np.zeros((side, side), np.uint8)
    radial = style.startswith("roman")  # Roman numerals stand with their feet to the axis
    for hour, text in texts(style).items():
        tile = glyphs(text, font, height, 30 * hour if radial else 0)
        h, w = tile.shape
        a = math.radians(30 * hour)
        r = scale * radius(30 * hour)
        x = round(side / 2 + r * math.sin(a) - w / 2)
        y = round(side / 2 - r * math.cos(a) - h / 2)
        place = mask[y : y + h, x : x + w]
        np.maximum(place, tile[: place.shape[0], : place.shape[1]], out=place)
    return mask


@lru_cache(maxsize=8192)
def glyphs(text: str, font: str, height: int, turn: int) -> Pixels:
    """A mask of `text` with digits `height` pixels high, turned clockwise, trimmed."""
    letters = face(font, height)
    x1, y1, x2, y2 = (round(v) for v in letters.getbbox(text))
    image = Image.new("L", (x2 - x1 + 2, y2 - y1 + 2))
    ImageDraw.Draw(image).text((1 - x1, 1 - y1), text, fill=255, font=letters)
    if turn:
        image = image.rotate(-turn, Image.Resampling.BICUBIC, expand=True)
    return np.asarray(image.crop(image.getbbox()))
