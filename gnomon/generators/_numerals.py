"""Numerals of a dial, as one mask in the dial's frame; glyphs are drawn by Pillow once and kept."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from gnomon.generators._canvas import Pixels

_ROMAN = ("XII", "I", "II", "III", "IIII", "V", "VI", "VII", "VIII", "IX", "X", "XI")
_ARABIC = ("12", *map(str, range(1, 12)))
_TEXTS: dict[str, dict[int, str]] = {
    "arabic": dict(enumerate(_ARABIC)),
    "roman": dict(enumerate(_ROMAN)),
    "sparse": {hour: _ARABIC[hour] for hour in (0, 3, 6, 9)},
    "dots": {},
    "none": {},
}
NUMERALS = tuple(_TEXTS)
FONTS = ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSerif", "DejaVuSerif-Bold")
_LARGEST = 160
"""Glyphs are drawn no higher than this, and enlarged beyond it."""


def texts(style: str) -> dict[int, str]:
    """What stands at which hour, 0 being twelve."""
    return _TEXTS[style]


@lru_cache(maxsize=4096)
def glyphs(text: str, font: str, height: int, turn: int) -> Pixels:
    """A mask of `text` with capitals `height` pixels high, turned clockwise, trimmed."""
    face = _face(font, height)
    x1, y1, x2, y2 = (round(v) for v in face.getbbox(text))
    image = Image.new("L", (x2 - x1 + 2, y2 - y1 + 2))
    ImageDraw.Draw(image).text((1 - x1, 1 - y1), text, fill=255, font=face)
    if turn:
        image = image.rotate(-turn, Image.Resampling.BICUBIC, expand=True)
    return np.asarray(image.crop(image.getbbox()))


@cache
def _face(font: str, height: int) -> ImageFont.FreeTypeFont:
    spec = find_spec("matplotlib")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"
    capital = 0.729  # of DejaVu's em
    return ImageFont.truetype(folder / f"{font}.ttf", height / capital)
