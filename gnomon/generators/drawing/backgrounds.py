"""Backgrounds: procedural backgrounds in a few colours, and the user's photographs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from gnomon.generators.drawing import colours
from gnomon.generators.drawing.colours import EDGE, Colour, blend, difference, stand_out
from gnomon.generators.rng import Rng
from gnomon.generators.user_files import UserFile
from gnomon.sample import Size

if TYPE_CHECKING:
    from gnomon.generators.drawing.canvas import Pixels, Points

# Formats that are opened, whatever the file's name. For EPS, Pillow would start Ghostscript.
_FORMATS = ("BMP", "JPEG", "PNG", "TIFF", "WEBP")
# Smallest crop, as a share of the largest crop's side.
_NEAREST = 0.5
# Shares of the ground, tried in this order.
_SOFTER = (0.0, 0.25, 0.45, 0.6, 0.72, 0.82, 0.9)
# Side of the thumbnail whose mean is the photograph's colour.
_THUMB = 64


def crop_photograph(
    photo: UserFile, size: Size, ground: Colour, rng: Rng, clear: Callable[[Pixels], bool] | None
) -> Pixels:
    """Cut a random crop that covers the size, softened until `clear` is true; [height, width,
    3]."""
    part = _random_crop(photo, size, rng)
    for share in _SOFTER:
        softened = _blend_with_ground(part, ground, share)
        if clear is None or clear(softened):
            return softened
    return _blend_with_ground(part, ground, 1)


def mean_colour(photo: UserFile) -> Colour:
    """Return the photograph's mean colour."""
    red, green, blue = _decode(photo, _THUMB).mean((0, 1)).round().astype(int).tolist()
    return red, green, blue


def nearest_ground(photo: UserFile, choices: Sequence[Colour]) -> Colour:
    """Choose the ground most similar to the photograph, because it needs the least softening."""
    mean = mean_colour(photo)
    return min(choices, key=lambda ground: difference(ground, mean))


def pixels_at(pixels: Pixels, points: Points, scale: float = 1.0) -> Pixels:
    """Return the pixels at the points within the picture, which is `scale` times finer."""
    indices = np.floor(points * scale).astype(np.intp)
    inside = ((indices >= 0) & (indices < pixels.shape[1::-1])).all(1)
    return pixels[indices[inside, 1], indices[inside, 0]]


def check_photograph(photo: UserFile) -> None:
    """Refuse a file that is not a picture. Its pixels are decoded when it is drawn."""
    with _open(photo):
        pass


@contextmanager
def _open(photo: UserFile) -> Iterator[Image.Image]:
    try:
        with Image.open(BytesIO(photo.read()), formats=_FORMATS) as picture:
            if picture.mode in ("I", "F"):  # Pillow cuts them off at 0 and 255
                raise ValueError(f"backgrounds: {photo.path} has 32 bits a pixel: save it in 8")
            yield picture
    except (Image.DecompressionBombError, OSError, SyntaxError) as error:
        raise ValueError(
            f"backgrounds: {photo.path} is not a picture that gnomon can read: leave it out, or"
            f" give one of {', '.join(_FORMATS)}"
        ) from error


def _blend_with_ground(part: Pixels, ground: Colour, share: float) -> Pixels:
    """Blend a share of the ground into the picture."""
    # A table of 256 levels for each channel needs one look-up per byte, whatever the share.
    shades = np.arange(256)[:, None] * (1 - share) + np.array(ground) * share
    return np.asarray(cv2.LUT(part, np.rint(shades).astype(np.uint8)[:, None]))


def _random_crop(photo: UserFile, size: Size, rng: Rng) -> Pixels:
    width, height = size
    # A power of two, so pictures of similar sizes share one decoded photograph.
    whole = _decode(photo, 2 ** max(size).bit_length())
    tall, wide = whole.shape[:2]
    scale = min(wide / width, tall / height) * rng.uniform(_NEAREST, 1)
    across, down = max(1, round(scale * width)), max(1, round(scale * height))
    x, y = rng.integer(0, max(0, wide - across)), rng.integer(0, max(0, tall - down))
    # Averaged when shrinking, because fine texture would turn into false patterns.
    way = cv2.INTER_AREA if scale > 1 else cv2.INTER_CUBIC
    cut: Pixels = cv2.resize(whole[y : y + down, x : x + across], size, interpolation=way)
    return cut


@lru_cache(maxsize=16)
def _decode(photo: UserFile, side: int) -> Pixels:
    """Decode the photograph upright, on white, with its shorter side no longer than necessary."""
    with _open(photo) as picture:
        picture.draft("RGB", (side, side))  # a JPEG at a half, a quarter or an eighth
        upright = ImageOps.exif_transpose(picture)
        if upright.has_transparency_data:
            rgba = upright.convert("RGBA")
            upright = Image.alpha_composite(Image.new("RGBA", rgba.size, "white"), rgba)
        if upright.mode.startswith("I;16"):  # Pillow clips it to white
            upright = Image.fromarray((np.asarray(upright) >> 8).astype(np.uint8))
        upright = upright.convert("RGB")
    # Reducing by whole numbers is fast and does not alias.
    if (share := side / min(upright.size)) < 0.5:
        upright = upright.reduce(int(1 / share))
    return np.asarray(upright)


# Largest difference in levels of 255 between a place of a style and its ground.
SPREADS = {"plain": 0, "gradient": 40, "blotches": 28, "stripes": 30}
BACKGROUNDS = tuple(SPREADS)
# Drawn only if it is named, because it makes things hard to find and has no other effect.
CLUTTER = "clutter"
# Number of shades along a side: 2 for light from one side, 7 for an unevenly painted wall.
_SHADES_ACROSS = {"gradient": 2, "blotches": 7}


def draw_background(
    style: str, side: int, ground: Colour, rng: Rng, clear: Callable[[Pixels], bool] | None = None
) -> Pixels:
    """Draw a square of `side` pixels, [side, side, 3].

    A photograph is softened towards the ground until `clear` finds that everything is visible on
    it.
    """
    if isinstance(style, UserFile):
        return crop_photograph(style, (side, side), ground, rng, clear)
    if style == "plain":
        return _rows(np.array([ground], np.uint8), np.zeros(side, np.intp))
    if style == "stripes":
        return _stripes(side, ground, rng)
    across = _SHADES_ACROSS[style]
    # A few enlarged shades: two by two are a gradient, seven by seven are blotches.
    grid = _shades(ground, SPREADS[style], across**2, rng).reshape(across, across, 3)
    return np.asarray(cv2.resize(grid, (side, side), interpolation=cv2.INTER_LINEAR))


def background_behind(
    style: str, side: int, ground: Colour, rng: Rng, edges: Sequence[tuple[Points, Colour]],
    scale: int = 1,
) -> Pixels:  # fmt: skip
    """Draw a background that stands out from `edges`: points around a thing, and its colour.

    The canvas is `scale` times finer than the picture. A photograph keeps its tone.
    """
    if style == CLUTTER:
        return _clutter(side, ground, [colour for _, colour in edges], rng)
    if not isinstance(style, UserFile):
        return draw_background(style, side, ground, rng)

    def clear(pixels: Pixels) -> bool:
        return all(stand_out(pixels_at(pixels, p, scale), [c], EDGE) for p, c in edges)

    # Without spread, because a photograph is blended with a single colour.
    ground = colours.ground_clear_of(tuple(colour for _, colour in edges), mean_colour(style), 0)
    return crop_photograph(style, (side, side), ground, rng, clear)


def _clutter(side: int, ground: Colour, avoided: Sequence[Colour], rng: Rng) -> Pixels:
    """Draw a wall with things that hang, stand and run along it: boards, pipes, knobs, printed
    sheets.

    Their colours differ from `avoid`, because otherwise the instrument in front would be lost.
    """
    pixels = draw_background("blotches", side, ground, rng)
    for _ in range(rng.integer(4, 14)):
        shades = [blend(_random_colour(rng), ground, rng.uniform(0.3, 0.8)) for _ in range(4)]
        apart = [c for c in shades if all(difference(c, edge) >= EDGE for edge in avoided)]
        if apart:
            _CLUTTER[rng.choice(tuple(_CLUTTER))](pixels, apart[0], rng)
    return pixels


def _random_colour(rng: Rng) -> Colour:
    return rng.integer(0, 255), rng.integer(0, 255), rng.integer(0, 255)


def _place(pixels: Pixels, rng: Rng) -> tuple[int, int]:
    """Return a place in the picture or up to a tenth of its side beyond its edge."""
    side = len(pixels)
    return rng.integer(-side // 10, side + side // 10), rng.integer(-side // 10, side + side // 10)


def _board(pixels: Pixels, colour: Colour, rng: Rng) -> None:
    """Draw a box, cupboard or poster, slightly turned, some with a frame."""
    lengths = [rng.uniform(0.05, 0.6) * len(pixels) for _ in range(2)]
    corners = cv2.boxPoints((_place(pixels, rng), lengths, rng.uniform(-8, 8))).astype(np.int32)
    cv2.fillPoly(pixels, [corners], colour, cv2.LINE_AA)
    if rng.chance(0.5):
        edge = blend(colour, (0, 0, 0), rng.uniform(0.2, 0.6))
        cv2.polylines(pixels, [corners], True, edge, rng.integer(1, 5), cv2.LINE_AA)


def _pipe(pixels: Pixels, colour: Colour, rng: Rng) -> None:
    """Draw a pipe or cable between two places, lighter along its middle."""
    ends, thick = (_place(pixels, rng), _place(pixels, rng)), rng.integer(2, len(pixels) // 12)
    cv2.line(pixels, *ends, colour, thick, cv2.LINE_AA)
    cv2.line(pixels, *ends, blend(colour, (255, 255, 255), 0.35), thick // 3 + 1, cv2.LINE_AA)


def _knob(pixels: Pixels, colour: Colour, rng: Rng) -> None:
    """Draw a knob, plate or lamp: round like a dial, but bare."""
    centre, radius = _place(pixels, rng), rng.integer(len(pixels) // 40, len(pixels) // 6)
    cv2.circle(pixels, centre, radius, colour, -1, cv2.LINE_AA)
    if rng.chance(0.6):
        ring = blend(colour, (0, 0, 0), rng.uniform(0.2, 0.6))
        cv2.circle(pixels, centre, radius, ring, rng.integer(1, 4), cv2.LINE_AA)


def _sheet(pixels: Pixels, colour: Colour, rng: Rng) -> None:
    """Draw lines of print, too small to read."""
    (x, y), step = _place(pixels, rng), max(4, rng.integer(len(pixels) // 60, len(pixels) // 30))
    width = rng.integer(len(pixels) // 12, len(pixels) // 3)
    for line in range(rng.integer(2, 8)):
        start, end = (x, y + line * step), (x + round(width * rng.uniform(0.5, 1)), y + line * step)
        cv2.line(pixels, start, end, colour, max(1, step // 3), cv2.LINE_AA)


_CLUTTER = {"board": _board, "pipe": _pipe, "knob": _knob, "sheet": _sheet}


def _stripes(side: int, ground: Colour, rng: Rng) -> Pixels:
    """Draw stripes, as of wallpaper or boards."""
    broad = _shades(ground, 10, 1, rng)
    colours = np.concatenate([broad, _shades(ground, SPREADS["stripes"], 1, rng)])
    # From boards to wallpaper: 4 to 12 pairs of stripes.
    width = rng.integer(side // 24, side // 8)
    # The first stripe starts anywhere, as at the edge of a wall.
    stripe = (np.arange(side) - rng.integer(0, width)) // width
    which = np.where(stripe < 0, 0, 1 - stripe % 2)
    # Horizontal or vertical.
    return _rows(colours, which) if rng.chance(0.5) else np.repeat(colours[which][None], side, 0)


def _rows(colours: Pixels, which: NDArray[np.intp]) -> Pixels:
    """Repeat rows of one colour each. Row by row, because numpy fills three bytes slowly."""
    rows = np.repeat(colours[:, None], len(which), 1)
    return rows[which]


def _shades(colour: Colour, spread: int, count: int, rng: Rng) -> Pixels:
    """Return lighter and darker shades of a colour, [count, 3]."""
    by = np.array([rng.integer(-spread, spread) for _ in range(count)])
    shades: Pixels = np.clip(by[:, None] + colour, 0, 255).astype(np.uint8)
    return shades
