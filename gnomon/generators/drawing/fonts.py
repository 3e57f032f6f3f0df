"""Fonts that come with matplotlib, found without importing it: nothing is taken from the system."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PIL import ImageFont

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


@cache
def face(font: str, height: int) -> ImageFont.FreeTypeFont:
    """The font in the size that makes its digits `height` pixels high."""
    file, digit = _FONTS[font]
    return ImageFont.truetype(_folder() / file, height / digit)


def carried(file: str) -> Path:
    """A font file that comes with matplotlib."""
    return _folder() / file


@cache
def text_face(font: str, size: int) -> ImageFont.FreeTypeFont:
    """The font at a size of its own measure."""
    return ImageFont.truetype(_folder() / (_MORE.get(font) or _FONTS[font][0]), size)


@cache
def _folder() -> Path:
    spec = find_spec("matplotlib")
    assert spec is not None and spec.origin is not None, "matplotlib comes with gnomon"  # noqa: PT018
    return Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"
