"""Pictures as files: opened as viewers show them, encoded without loss, reduced to a hash."""

import os
import struct
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from io import BytesIO
from math import inf
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError
from PIL.Image import Image as Picture
from zlib_ng import zlib_ng

from gnomon import files
from gnomon.sample import Size

PICTURE_FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF")
"""Formats that are opened, whatever the name of the file. Others are unsafe: for EPS, Pillow starts
Ghostscript."""
_WIDE = "its pixels are floats, signed or of 32 bits, so it is unclear which value is white"


def picture_size(image: Path | bytes) -> Size:
    """Return width and height of the upright picture. Refuse a file that is not a picture."""
    return upright_frame(image)[0]


def upright_frame(image: Path | bytes) -> tuple[Size, int]:
    """Return the size of the upright picture, and the orientation of its file from EXIF or XMP.

    Orientation 1 is upright. From 5 to 8 the stored picture has width and height swapped.
    """
    with open_picture(image) as picture:
        width, height = picture.size
        # Read from the header only, because transposing would decode the pixels.
        orientation = _orientation(picture)
        # Pillow opens a TIFF with its upright size.
        is_swapped = orientation >= 5 and picture.format != "TIFF"
        return ((height, width) if is_swapped else (width, height)), orientation


def load_picture(image: Path | bytes) -> Image.Image:
    """Decode a user's picture upright, on white, in RGB. Refuse a truncated file."""
    with open_picture(image) as picture:
        return upright_rgb(picture)


def upright_rgb(picture: Image.Image) -> Image.Image:
    """Turn a picture as its EXIF says, put it on white, and return it in RGB."""
    if picture.mode in ("I", "F"):  # Pillow would clip them to 0 and 255
        raise ValueError(f"{_WIDE}: save it in 8 or 16 bits")
    bits = getattr(picture, "tag_v2", {}).get(ExifTags.Base.BitsPerSample, (16,))[0]
    return _rgb(ImageOps.exif_transpose(picture), bits)


@contextmanager
def open_picture(image: Path | bytes) -> Iterator[Image.Image]:
    """Open a picture from a file or from a file's bytes. Errors in the `with` block get its name.

    The number of pixels is checked before decoding, because a small file may hold a huge picture (a
    decompression bomb).
    """
    name = f"data of {len(image)} bytes" if isinstance(image, bytes) else image.name
    refusal = f"{name} is not a picture"
    try:
        with _content(image) as file, Image.open(file, formats=PICTURE_FORMATS) as picture:
            # Pillow refuses pictures above twice its limit, and only warns between the limit and
            # twice the limit.
            if picture.width * picture.height > (Image.MAX_IMAGE_PIXELS or inf):
                raise Image.DecompressionBombError
            if picture.mode in ("I", "F"):  # Pillow would clip them to 0 and 255
                raise ValueError(f"{_WIDE}: save it in 8 or 16 bits")
            yield picture
    except UnidentifiedImageError as error:
        raise ValueError(
            f"{refusal}: give {', '.join(PICTURE_FORMATS[:-1])} or {PICTURE_FORMATS[-1]}"
        ) from error
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise ValueError(
            f"{name} has more than {Image.MAX_IMAGE_PIXELS:,} pixels: give a smaller copy"
        ) from error
    except Exception as error:  # damaged files make decoders raise nearly anything
        raise ValueError(f"{refusal}: {error}") from error


def _content(image: Path | bytes) -> AbstractContextManager[IO[bytes]]:
    """Open a regular file of a bounded size, or wrap the bytes of a file."""
    if isinstance(image, bytes):
        return nullcontext(BytesIO(image))
    files.check_regular(image)
    if (size := image.stat().st_size) > files.MAX_PICTURE_BYTES:
        raise ValueError(
            f"a picture may have {files.MAX_PICTURE_BYTES:,} bytes, and this file has {size:,}"
        )
    return files.open_bytes(image)


def check_decodable(image: Path | bytes) -> None:
    """Decode a file to its end, because a truncated file has an intact header."""
    with open_picture(image) as picture:
        # A JPEG is then read completely but decoded at an eighth of its size, in half the time.
        picture.draft("L", (max(1, picture.width // 8), max(1, picture.height // 8)))
        picture.load()


def _rgb(picture: Image.Image, bits: int) -> Image.Image:
    """Convert to RGB as viewers do: 16 bits scaled and transparency on white.

    Pillow would clip 16 bits to white, and show the hidden colours of transparent pixels.
    """
    # Shifted by the bits beyond 8: 4 for 12 bits, 8 for 16.
    if picture.mode.startswith("I;16"):  # also the mode of TIFFs with 12 bits
        return Image.fromarray((np.asarray(picture) >> bits - 8).astype(np.uint8)).convert("RGB")
    if picture.has_transparency_data:
        overlay = picture.convert("RGBA")
        # Viewers show transparent pixels as white.
        paper = Image.new("RGBA", overlay.size, "white")
        return Image.alpha_composite(paper, overlay).convert("RGB")
    return picture.convert("RGB")


def _orientation(picture: Image.Image) -> int:
    """Return the orientation from 1 to 8. Other numbers are ignored, as by Pillow."""
    # For a PNG, Pillow would decode all pixels to look for chunks after them.
    is_whole = picture.format != "PNG" or not _has_late_notes(picture)
    exif = Picture.getexif(picture) if is_whole else picture.getexif()
    orientation = exif.get(ExifTags.Base.Orientation, 1)
    return int(orientation) if orientation in range(1, 9) else 1


def _has_late_notes(picture: Image.Image) -> bool:
    """Return True for a PNG with EXIF or texts after its pixels. Only the chunk headers are
    read."""
    file: IO[bytes] = picture.fp  # type: ignore[attr-defined]
    start, has_pixels = file.tell(), False
    try:
        file.seek(8)
        while len(header := file.read(8)) == 8:
            length, name = struct.unpack(">I4s", header)
            if has_pixels and name in (b"eXIf", b"iTXt", b"tEXt", b"zTXt"):
                return True
            has_pixels |= name == b"IDAT"
            file.seek(length + 4, os.SEEK_CUR)
        return False
    finally:
        file.seek(start)


_COLOUR_TYPES = {"L": 0, "RGB": 2}
# PNG's filter that stores each row minus the row above. Without a filter, flat dials are smaller,
# but smooth backgrounds three times as large. Other filters gain little and cost more.
_UP = 2


def encode_png(picture: Picture) -> bytes:
    """Encode as PNG. The same pixels give the same bytes on every processor.

    zlib-ng takes less than half the time of the zlib that OpenCV calls, for the same bytes.
    """
    if picture.mode not in _COLOUR_TYPES:  # a palette, transparency, 16 bits
        file = BytesIO()
        picture.save(file, "PNG", compress_level=1)
        return file.getvalue()
    width, height = picture.size
    # 8 bits per channel. The zeros are PNG's only compression and filter method, and "not
    # interlaced".
    header = struct.pack(">2I5B", width, height, 8, _COLOUR_TYPES[picture.mode], 0, 0, 0)
    data = _compress(_filter(np.asarray(picture).reshape(height, -1)))
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _END


def decode_picture(data: bytes | None) -> Picture:
    """Decode a stored picture, upright, into an image without an open file."""
    if data is None:
        raise ValueError("its picture is named, not embedded")
    with open_picture(data) as picture:
        return ImageOps.exif_transpose(picture)


def fingerprint(picture: Picture | None) -> bytes:
    """Return mode, size and pixels as bytes, which are equal for equal pictures."""
    if picture is None:
        return b"none\n"
    if picture.mode == "P":  # pixels of mode P are indices into a palette
        picture = picture.convert("RGBA")
    # Mode and size come first, because the same bytes may be another picture.
    width, height = picture.size
    return f"{picture.mode} {width}x{height}\n".encode() + picture.tobytes()


def _filter(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Filter rows [height, bytes] into [height, 1 + bytes], with the filter's number first."""
    filtered = np.empty((rows.shape[0], 1 + rows.shape[1]), np.uint8)
    filtered[:, 0] = _UP
    # The first row is stored unchanged.
    filtered[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    return filtered


def _compress(rows: NDArray[np.uint8]) -> bytes:
    """Compress with runs only, which is fast and independent of a processor's hash functions."""
    # Z_RLE only looks for runs. Level 1 is the fastest.
    stream = zlib_ng.compressobj(1, strategy=zlib_ng.Z_RLE)
    return stream.compress(rows) + stream.flush()


def _chunk(name: bytes, data: bytes) -> bytes:
    check = zlib_ng.crc32(data, zlib_ng.crc32(name))
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)


_END = _chunk(b"IEND", b"")
