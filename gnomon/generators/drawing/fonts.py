"""Fonts that come with matplotlib, found without importing it, and the user's own font files.

Nothing is taken from the system.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

from PIL import ImageFont

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


@cache
def face(font: str, height: int) -> ImageFont.FreeTypeFont:
    """The font in the size that makes its digits `height` pixels high."""
    if isinstance(font, OwnFile):
        return text_face(font, height / _FONTS["sans"][1] / largeness(font))
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
    own, sans = (text_face(name, 200).getbbox("0123456789") for name in (font, "sans"))
    return max((own[2] - own[0]) / (sans[2] - sans[0]), (own[3] - own[1]) / (sans[3] - sans[1]))


def check_font(font: OwnFile, letters: str) -> None:
    """Refuse a file that is no font, or one that lacks any of the letters it must write."""
    from matplotlib.ft2font import FT2Font

    try:
        known = FT2Font(font.path).get_charmap()
        face = text_face(font, 32)
    except (OSError, RuntimeError) as error:
        raise ValueError(f"fonts: {font.path} is no font that can be read: {error}") from error
    lacking = [
        letter
        for letter in sorted(set(letters) - {" "})
        if ord(letter) not in known or not face.getmask(letter).getbbox()
    ]
    if lacking:
        raise ValueError(
            f"fonts: {font.path} has no {' '.join(lacking[:10])}"
            f"{' …' if len(lacking) > 10 else ''}: leave it out, or give one that has"
        )


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
