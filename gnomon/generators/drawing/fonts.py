"""Fonts that come with matplotlib, found without importing it, and the user's own font files.

Nothing is taken from the system.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from gnomon.generators.drawing.files import OwnFile

# name: file, and the height of a digit as a share of the font's size
_FONTS = {
    "sans": ("DejaVuSans.ttf", 0.742),
    "sans-bold": ("DejaVuSans-Bold.ttf", 0.742),
    "serif": ("DejaVuSerif.ttf", 0.742),
    "serif-bold": ("DejaVuSerif-Bold.ttf", 0.742),
    "times-bold": ("STIXGeneralBol.ttf", 0.688),
}
FONTS = tuple(_FONTS)
_MORE = {
    "sans-oblique": "DejaVuSans-Oblique.ttf",
    "mono": "DejaVuSansMono.ttf",
    "mono-bold": "DejaVuSansMono-Bold.ttf",
    "serif-italic": "DejaVuSerif-Italic.ttf",
    "times": "STIXGeneral.ttf",
    "times-italic": "STIXGeneralItalic.ttf",
}
TEXT_FONTS = (*FONTS, *_MORE)
"""For texts; dials have those of FONTS."""
UNSEEN_FONTS = ("mono-bold", "serif-italic", "times-italic")
"""Those that `ood` holds back."""
_FINEST = 0.05
"""Of a font's strokes, in heights of a digit; the thinnest of the built-in ones has 0.08."""


@cache
def face(font: str, height: int) -> ImageFont.FreeTypeFont:
    """The font in the size that makes its digits `height` pixels high."""
    if isinstance(font, OwnFile):
        size = height / _FONTS["sans"][1] / largeness(font)
        return text_face(font, 0.95 * size)  # a slanted figure leans towards the next
    file, digit = _FONTS[font]
    return ImageFont.truetype(_folder() / file, height / digit)


def carried(file: str) -> Path:
    """A font file that comes with matplotlib, or the user's own."""
    return Path(file.path) if isinstance(file, OwnFile) else _folder() / file


@cache
def largeness(font: OwnFile) -> float:
    """How many times as large as DejaVu Sans of the same size it is, in height or in breadth.

    Dials and charts are laid out for that: numerals of a broader font would touch.
    """
    both = text_face(font, 200), text_face("sans", 200)
    shares = []
    for text in ("0123456789", "10", "12", "20", "24"):
        (x1, y1, x2, y2), (u1, v1, u2, v2) = (face.getbbox(text) for face in both)
        shares += [(x2 - x1) / (u2 - u1), (y2 - y1) / (v2 - v1)]
    return max(shares)


def unfit(font: OwnFile, letters: str) -> str:
    """What is wrong with a font that must write these letters; nothing where it can."""
    from matplotlib.ft2font import FT2Font

    try:
        known = FT2Font(font.path).get_charmap()
        face = text_face(font, 200)
    except (OSError, RuntimeError) as error:
        return f"{font.path} is no font that can be read ({error})"
    lacking = [
        c
        for c in sorted(set(letters) - {" "})
        if ord(c) not in known or not face.getmask(c).getbbox()
    ]
    if lacking:
        return f"{font.path} has no {' '.join(lacking[:10])}{' …' if len(lacking) > 10 else ''}"
    if (share := _stroke(face)) < _FINEST:
        return f"{font.path} is too thin: strokes of {share:.1%} of a digit's height fade away"
    return ""


def _stroke(face: ImageFont.FreeTypeFont) -> float:
    """The mean width of a digit's strokes, as a share of its height."""
    x1, y1, x2, y2 = (int(side) for side in face.getbbox("0123456789"))
    image = Image.new("L", (x2 - x1 + 4, y2 - y1 + 4))
    ImageDraw.Draw(image).text((2 - x1, 2 - y1), "0123456789", 255, face)
    ink = (np.asarray(image) > 127).astype(np.uint8)
    contours, _ = cv2.findContours(ink, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    return 2 * float(ink.sum()) / sum(cv2.arcLength(c, True) for c in contours) / (y2 - y1)


@cache
def text_face(font: str, size: float) -> ImageFont.FreeTypeFont:
    """The font at a size of its own measure."""
    if isinstance(font, OwnFile):
        return ImageFont.truetype(BytesIO(font.read()), size)
    return ImageFont.truetype(_folder() / (_MORE.get(font) or _FONTS[font][0]), size)


@cache
def _folder() -> Path:
    spec = find_spec("matplotlib")
    assert spec is not None and spec.origin is not None, "matplotlib comes with gnomon"  # noqa: PT018
    return Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"
