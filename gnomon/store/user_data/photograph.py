"""Files of pictures that others made, as their viewers show them: upright, on white, in RGB."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from threading import Lock
from typing import Any

import numpy as np
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from gnomon.sample import Size

FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF")
"""What is opened, whatever a file is called: for EPS, Pillow starts Ghostscript."""
SETTING = "GNOMON_MAX_PICTURE_PIXELS"
_MOST = 89_478_485
"""Pixels of the largest picture that is opened where the setting says nothing: Pillow's own figure,
a quarter of a gigabyte in RGB."""


def size_of(image: Any) -> Size:
    """Width and height, upright as its camera says; a file that is no picture is refused."""
    if isinstance(image, Image.Image):
        return image.size
    with opened(image) as found:
        width, height = found.size
        return (height, width) if _lies(found) else (width, height)


def picture_of(image: Any) -> Image.Image:
    """The picture itself; a file that ends too early is refused by its name."""
    if isinstance(image, Image.Image):
        return _rgb(image)
    with opened(image) as found:
        return _rgb(ImageOps.exif_transpose(found))


@contextmanager
def opened(image: Any) -> Iterator[Image.Image]:
    """The picture in a file, or in a file's bytes; what goes wrong with it within is told by name.

    Its size is looked at before any pixel is decoded: a bomb is a small file of a huge picture.
    """
    if isinstance(image, bytes):
        name, refused = "the picture", f"the picture's {len(image)} bytes are no picture's"
    else:
        name, refused = image.name, f"{image.name} is no picture"
        if not image.is_file():  # a pipe would be waited for
            raise ValueError(f"{refused}: it is no file")
    most = most_pixels()
    try:
        file = BytesIO(image) if isinstance(image, bytes) else image
        with _limited(most), Image.open(file, formats=FORMATS) as found:
            yield found
    except UnidentifiedImageError as error:
        raise ValueError(f"{refused}: give {', '.join(FORMATS[:-1])} or {FORMATS[-1]}") from error
    except Image.DecompressionBombError as error:
        raise ValueError(
            f"{name} has more than {most:,} pixels: set {SETTING} to more if you trust it"
        ) from error
    except Exception as error:  # damaged files make decoders raise nearly anything
        raise ValueError(f"{refused}: {error}") from error


def most_pixels() -> int:
    """How large a picture may be, as the environment says it: that is up to the machine's memory,
    not to a recipe or a data set, which may be a stranger's."""
    said = os.environ.get(SETTING, str(_MOST))
    if not said.isdecimal() or len(said) > 18 or int(said) < 1:
        raise ValueError(f"{SETTING}={said!r}: give a number of pixels, such as {_MOST}")
    return int(said)


_lock = Lock()
_pillows: list[int | None] = []
"""Pillow's limit before each thread that is within came: it is one for the whole process."""


@contextmanager
def _limited(most: int) -> Iterator[None]:
    """Pillow with our limit; with its own again when the last thread has left."""
    with _lock:
        _pillows.append(Image.MAX_IMAGE_PIXELS)
        Image.MAX_IMAGE_PIXELS = _Most(most)
    try:
        yield
    finally:
        with _lock:
            own = _pillows[0]
            _pillows.pop()
            if not _pillows:
                Image.MAX_IMAGE_PIXELS = own


class _Most(int):
    """Pillow refuses pictures of twice the limit, and warns of those between: here all are refused
    that are larger than the limit."""

    def __rmul__(self, by: int) -> int:
        return int(self)


def refuse_broken(image: Any) -> None:
    """Decode a file to its end: the header alone does not tell one that breaks off."""
    if isinstance(image, Image.Image):
        return
    with opened(image) as found:
        # A JPEG is read whole and drawn at an eighth of its size: half the time.
        found.draft("L", (max(1, found.width // 8), max(1, found.height // 8)))
        found.load()


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
