"""Pictures as bytes: encoded without loss, decoded, and reduced to a hash."""

from __future__ import annotations

import zlib
from io import BytesIO

from PIL import ImageOps
from PIL.Image import Image as Picture

from gnomon.store.user_data.photograph import opened

_MODES = ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")
"""What PNG holds as it is."""


def encoded(picture: Picture) -> bytes:
    """The picture as PNG; the same bytes from the same pixels, whatever the processor."""
    if picture.mode not in _MODES:
        raise ValueError(f"a picture of mode {picture.mode!r} has no PNG: convert it to RGB first")
    file = BytesIO()
    # Runs alone are looked for: that is quick, and leaves nothing to a processor's own hashes.
    how = {"compress_level": 1, "compress_type": zlib.Z_RLE, "icc_profile": None}
    picture.save(file, "PNG", **how)
    return file.getvalue()


def decoded(data: bytes) -> Picture:
    """The picture, upright as its camera says, as a plain image without an open file."""
    with opened(data) as picture:
        return ImageOps.exif_transpose(picture)


def fingerprint(picture: Picture | None) -> bytes:
    """Mode, size and pixels: what two pictures must share to be the same."""
    if picture is None:
        return b"none\n"
    if picture.mode == "P":  # its pixels are places in a palette, and say nothing without it
        picture = picture.convert("RGBA")
    width, height = picture.size
    return f"{picture.mode} {width}x{height}\n".encode() + picture.tobytes()
