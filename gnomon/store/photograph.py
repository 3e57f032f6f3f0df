"""Files of pictures that others made, as their viewers show them: upright, on white, in RGB."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

if TYPE_CHECKING:
    from gnomon.sample import Size


def size_of(image: Any) -> Size:
    """Width and height, upright as its camera says; a file that is no picture is refused."""
    if isinstance(image, Image.Image):
        return image.size
    try:
        with Image.open(_file(image)) as found:
            width, height = found.size
            return (height, width) if _lies(found) else (width, height)
    except (UnidentifiedImageError, OSError) as error:
        raise _refused(image, error) from error


def picture_of(image: Any) -> Image.Image:
    """The picture itself; a file that ends too early is refused by its name."""
    if isinstance(image, Image.Image):
        return _rgb(image)
    try:
        with Image.open(_file(image)) as found:
            return _rgb(ImageOps.exif_transpose(found))
    except (UnidentifiedImageError, OSError) as error:
        raise _refused(image, error) from error


def refuse_broken(image: Any) -> None:
    """Decode a file to its end: the header alone does not tell one that breaks off."""
    if isinstance(image, Image.Image):
        return
    size_of(image)
    try:
        with Image.open(_file(image)) as found:
            # A JPEG is read whole and drawn at an eighth of its size: half the time.
            found.draft("L", (max(1, found.width // 8), max(1, found.height // 8)))
            found.load()
    except Exception as error:  # decoders raise whatever they stumble over
        raise _refused(image, error) from error


def _rgb(picture: Image.Image) -> Image.Image:
    """Pillow alone clips 16 bits to white, and shows what lies under what is seen through."""
    if picture.mode.startswith("I;16"):
        return Image.fromarray((np.asarray(picture) >> 8).astype(np.uint8)).convert("RGB")
    if picture.has_transparency_data:
        drawn = picture.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", drawn.size, "white"), drawn).convert("RGB")
    return picture.convert("RGB")


def _lies(picture: Image.Image) -> bool:
    """Whether its rows run downwards; a PNG that says so at its end alone would be decoded."""
    told = picture.format != "PNG" or "exif" in picture.info
    return told and picture.getexif().get(ExifTags.Base.Orientation, 1) >= 5


def _file(image: Any) -> Any:
    return BytesIO(image) if isinstance(image, bytes) else image


def _refused(image: Any, error: Exception) -> ValueError:
    name = "the picture" if isinstance(image, bytes) else image.name
    return ValueError(f"{name} is no picture: {error}")
