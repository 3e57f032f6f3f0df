"""Pictures that a user's rows name. Each is checked and measured once, until its file changes."""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import TypeAlias

from gnomon import files
from gnomon.progress import track
from gnomon.sample import Size
from gnomon.store.pictures import check_decodable, load_picture
from gnomon.store.samples import pixel_hash

Picture: TypeAlias = "Path | bytes"
"""Picture by its path, or as the bytes of a file."""
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".jfif", ".webp", ".bmp", ".gif", ".tif", ".tiff")
"""File name extensions of pictures, in lower case."""

# Fault of each picture that this process has decoded, empty for most. Every split of every
# command needs them.
_FAULTS: dict[Hashable, str] = {}


def file_state(image: Picture) -> Hashable:
    """Return a key that differs for another file, and for the same file after a change."""
    if isinstance(image, bytes):
        return sha256(image).digest()
    return files.file_state(image)


def picture_faults(name: str, images: Sequence[Picture]) -> dict[Picture, str]:
    """Return the faults of broken pictures.

    Threads decode them, because Pillow releases Python's lock meanwhile.
    """
    # By state, so a changed file is decoded again.
    keys = {file_state(image): image for image in images}
    new = {key: image for key, image in keys.items() if key not in _FAULTS}
    if new:
        with ThreadPool(min(os.cpu_count() or 1, len(new))) as threads:
            # Eight at a time, because small pictures would spend their time in the queue.
            faults = threads.imap(_fault, new.values(), chunksize=8)
            bar = track(faults, desc=name, total=len(new), unit=" pictures", delay=2)
            _FAULTS.update(zip(new, bar, strict=True))
    return {image: _FAULTS[key] for key, image in keys.items() if _FAULTS[key]}


def _fault(image: Picture) -> str:
    try:
        check_decodable(image)
    except ValueError as error:
        return str(error)
    return ""


def measure_picture(image: Picture) -> tuple[Size, bytes]:
    """Return a picture's size and pixel hash. A file that many rows name is decoded once."""
    if isinstance(image, Path):
        with suppress(OSError):  # a file that was removed is refused below
            return _measure_file(image, file_state(image))
    picture = load_picture(image)
    return picture.size, pixel_hash(picture)


@lru_cache(2**14)
def _measure_file(image: Path, _: Hashable) -> tuple[Size, bytes]:
    picture = load_picture(image)
    return picture.size, pixel_hash(picture)


def picture_hash(image: Picture) -> str:
    """Hash the bytes of a picture's file."""
    return files.content_hash(image) if isinstance(image, Path) else sha256(image).hexdigest()
