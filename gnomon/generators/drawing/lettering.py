"""Fonts, and texts in the frame of a dial, seen from the same pose as the dial.

System fonts are never used.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from gnomon.files import read_toml
from gnomon.generators.drawing.canvas import SCALE, Canvas, Pixels, half_size
from gnomon.generators.drawing.colours import Colour
from gnomon.generators.drawing.pose import HALF, Pose
from gnomon.generators.user_files import UserFile

_TABLE = read_toml(__file__, "fonts.toml")
_FILES: dict[str, str] = _TABLE["dials"] | _TABLE["texts"]
# Fonts of dials, and fonts of texts.
FONTS, TEXT_FONTS = tuple(_TABLE["dials"]), tuple(_FILES)
# Fonts that are drawn only with `ood`.
UNSEEN_FONTS = ("mono-bold", "serif-italic", "times-italic")
# Heights of a digit as shares of the font size, for DejaVu and STIX.
_DIGIT, _TIMES_DIGIT = 0.742, 0.688


@cache
def font_face(font: str, height: int) -> ImageFont.FreeTypeFont:
    """Return the font in the size that makes its digits `height` pixels high."""
    if isinstance(font, UserFile):
        size = height / _DIGIT / relative_size(font)
        return font_at_size(font, 0.95 * size)  # a slanted figure leans towards the next
    return font_at_size(font, height / (_TIMES_DIGIT if font == "times-bold" else _DIGIT))


def font_path(file: str) -> Path:
    """Return a font file that comes with matplotlib, or the user's own."""
    return Path(file.path) if isinstance(file, UserFile) else _folder() / file


@cache
def relative_size(font: UserFile) -> float:
    """Return the size relative to DejaVu Sans, the larger of height and width.

    Dials and charts are laid out for DejaVu Sans, so numerals of a broader font would touch.
    """
    both = font_at_size(font, 200), font_at_size("sans", 200)
    shares = []
    # All digits, and the pairs that stand close together on dials.
    for text in ("0123456789", "10", "12", "20", "24"):
        (x1, y1, x2, y2), (u1, v1, u2, v2) = (face.getbbox(text) for face in both)
        shares += [(x2 - x1) / (u2 - u1), (y2 - y1) / (v2 - v1)]
    return max(shares)


def font_fault(font: UserFile, letters: str) -> str:
    """Explain why a font cannot write these letters. Empty if it can."""
    from matplotlib.ft2font import FT2Font

    try:
        charmap = FT2Font(font.path).get_charmap()
        # Large enough to see whether a letter has ink.
        face = font_at_size(font, 200)
    except (OSError, RuntimeError) as error:
        return f"{font.path} is not a font that gnomon can read ({error})"
    needed = sorted(set(letters) - {" "})
    lacking = [c for c in needed if ord(c) not in charmap or not face.getmask(c).getbbox()]
    return f"{font.path} has no {' '.join(lacking)}" if lacking else ""


@cache
def _letters_of(font: str) -> frozenset[int]:
    """Return the code points that a font of matplotlib can write."""
    from matplotlib.ft2font import FT2Font

    return frozenset(FT2Font(str(_folder() / _FILES[font])).get_charmap())


def lacking_letters(font: str, letters: str) -> str:
    """Return the letters that a font of matplotlib cannot write."""
    return " ".join(c for c in sorted(set(letters) - {" "}) if ord(c) not in _letters_of(font))


@cache
def font_at_size(font: str, size: float) -> ImageFont.FreeTypeFont:
    """Return the font at a size in the font's own units."""
    if isinstance(font, UserFile):
        return ImageFont.truetype(BytesIO(font.read()), size)
    return ImageFont.truetype(_folder() / _FILES[font], size)


@cache
def _folder() -> Path:
    spec = find_spec("matplotlib")
    assert spec is not None and spec.origin is not None, "matplotlib comes with gnomon"  # noqa: PT018
    return Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"


Stack: TypeAlias = NDArray[np.float64]

# Homography from our coordinates to OpenCV's, which count from pixel centres.
_UNHALF = np.linalg.inv(HALF)
_SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])


class Lettering(NamedTuple):
    """Text with its middle at (x, y) of the frame."""

    text: str
    x: float
    y: float
    height: float
    """Height of a digit."""
    turn: int = 0
    """Turn in degrees, clockwise."""


def draw_texts(
    canvas: Canvas, texts: Sequence[Lettering], font: str, pose: Pose, ink: Colour
) -> None:
    """Write texts, as seen from the pose, on a canvas of the picture's size."""
    mask_at = text_mask(texts, font, pose, canvas, SCALE)
    if mask_at:
        mask, corner = mask_at
        canvas.stain(half_size(mask), corner, ink)


def text_mask(
    texts: Sequence[Lettering], font: str, pose: Pose, canvas: Canvas, finer: int = 1
) -> tuple[Pixels, tuple[int, int]] | None:
    """Return the mask of texts seen from a pose, and its corner on the canvas. None outside the
    canvas.

    The mask is `scale` times finer than the canvas.
    """
    fine = SCALE * pose.scale
    tiles = [text_tile(t.text, font, max(4, round(fine * t.height)), t.turn) for t in texts]
    sizes = np.array([tile.shape[::-1] for tile in tiles])  # [texts, 2]
    corners = np.rint(fine * np.array([(t.x, t.y) for t in texts]) - sizes / 2)
    outlines = pose(((corners[:, None] + sizes[:, None] * _SQUARE) / fine).reshape(-1, 2))
    x1, y1, x2, y2 = canvas.pixels_around(outlines, 1)
    if x2 <= x1 or y2 <= y1:
        return None
    origin, scale = finer * np.array([x1, y1]), finer * canvas.scale
    mask = np.zeros((finer * (y2 - y1), finer * (x2 - x1)), np.uint8)
    # From the frame to the mask: posed in the picture, moved to the mask's corner, and scaled.
    onto_mask = _UNHALF @ _placing(scale, -origin) @ pose.matrix
    # Before that, from the pixels of a tile to the place of its text in the frame.
    ways = onto_mask @ _placing(1 / fine, corners / fine) @ HALF
    _press(mask, tiles, ways, (scale * outlines - origin).reshape(-1, 4, 2))
    return mask, (x1, y1)


def _press(mask: Pixels, tiles: Sequence[Pixels], ways: Stack, places: Stack) -> None:
    """Warp each tile into its part of the mask."""
    # One pixel more on each side, into which warping blends.
    low = np.maximum(np.floor(places.min(1)) - 1, 0)
    high = np.minimum(np.ceil(places.max(1)) + 1, mask.shape[::-1])
    parts = np.hstack([low, high]).astype(np.intp).tolist()
    for tile, way, (x1, y1, x2, y2) in zip(tiles, _placing(1, -low) @ ways, parts, strict=True):
        if x1 < x2 and y1 < y2:
            part = mask[y1:y2, x1:x2]
            cv2.max(part, cv2.warpPerspective(tile, way, (x2 - x1, y2 - y1)), part)


def _placing(scale: float, at: Stack) -> Stack:
    """Return homographies that scale, then move: places [..., 2] to [..., 3, 3]."""
    placing = np.zeros((*at.shape[:-1], 3, 3))
    placing[..., 0, 0] = placing[..., 1, 1] = scale
    placing[..., :2, 2] = at
    placing[..., 2, 2] = 1
    return placing


@lru_cache(maxsize=8192)
def text_tile(text: str, font: str, height: int, turn: int) -> Pixels:
    """Render `text` as a mask with digits `height` pixels high, turned clockwise, trimmed."""
    letters = font_face(font, height)
    x1, y1, x2, y2 = (round(v) for v in letters.getbbox(text))
    # A pixel of margin, because letters may reach a little beyond their box.
    image = Image.new("L", (x2 - x1 + 2, y2 - y1 + 2))
    ImageDraw.Draw(image).text((1 - x1, 1 - y1), text, fill=255, font=letters)
    if turn:
        image = image.rotate(-turn, Image.Resampling.BICUBIC, expand=True)
    return np.asarray(image.crop(image.getbbox()))
