"""Pictures as users give them: files, folders, bytes, PIL images, arrays."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, TypeGuard

from gnomon.progress import warn
from gnomon.store.pictures import load_picture, upright_rgb
from gnomon.store.user_data.checked_pictures import PICTURE_SUFFIXES
from gnomon.store.user_data.row_files import is_user_data

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

    Picture: TypeAlias = str | Path | bytes | BinaryIO | Image | np.ndarray[Any, Any]
    """A path, bytes, an open file, a PIL image, or an array of height, width and colours in 8 bits.
    """

_BRIGHT = 4096
"""Smallest maximum of an array with 16-bit pixels. An array with 8 or 12 bits is darker."""
UNREAD_SUFFIXES = (".heic", ".heif", ".avif", ".dng", ".cr2", ".nef", ".arw")
"""Photographs of phones and cameras that have to be saved as JPEG first."""


def open_picture(picture: Picture) -> tuple[str, Image]:
    """Return the name of a file, empty for other pictures, and the picture upright in RGB.

    Arrays are in RGB order. OpenCV reads BGR: give `array[..., ::-1]`.
    """
    from PIL import Image

    if isinstance(picture, str | Path):
        file = Path(picture)
        check_suffix(file)
        if not file.exists():
            raise ValueError(f"{file}: there is no such file")
        if file.is_dir():
            raise ValueError(f"{file}: this is a folder; read_all reads the pictures in it")
        return file.name, load_picture(file)
    if isinstance(picture, bytes | bytearray | memoryview):
        return "", load_picture(bytes(picture))
    if is_file(picture):
        return "", load_picture(_content(picture))
    if isinstance(picture, Image.Image):
        try:
            return "", upright_rgb(picture)
        except Exception as error:  # a file that Pillow opened may be damaged further on
            raise ValueError(f"the PIL image cannot be read: {error}") from error
    return "", upright_rgb(_from_array(picture))


def check_is_list(pictures: Any) -> None:
    """Refuse a single picture, and any value that is not a list of pictures."""
    from PIL import Image

    is_bytes = isinstance(pictures, bytes | bytearray | memoryview)
    is_array = getattr(pictures, "ndim", 1) in (2, 3)
    if is_bytes or is_array or isinstance(pictures, Image.Image) or is_file(pictures):
        raise ValueError("read reads one picture: give read_all a list of pictures")
    if not hasattr(pictures, "__iter__") and not hasattr(pictures, "__getitem__"):
        raise ValueError(f"pictures: {pictures!r}: give a folder, or a list of pictures")


def is_file(picture: Any) -> TypeGuard[BinaryIO]:
    """True for a file that is open, or bytes that behave like one."""
    return hasattr(picture, "read") and hasattr(picture, "seek")


def _content(file: BinaryIO) -> bytes:
    """Read an open file from its beginning, wherever it stands after being written."""
    if file.seekable():
        file.seek(0)
    content = file.read()
    if not isinstance(content, bytes):
        raise ValueError(f"{type(file).__name__} holds text: open the file in binary mode, 'rb'")
    return content


def _from_array(array: Any) -> Image:
    """Convert an array of grey values or colours to a picture. Refuse other arrays."""
    import numpy as np
    from PIL import Image

    values = np.asarray(array)
    if values.dtype == bool:
        values = values.astype(np.uint8) * 255
    if values.ndim == 3 and values.shape[2] == 1:
        values = values[..., 0]
    is_grey = values.ndim == 2 and values.dtype in (np.uint8, np.uint16)
    is_coloured = values.ndim == 3 and values.shape[2] in (3, 4) and values.dtype == np.uint8
    if not (is_grey or is_coloured) or 0 in values.shape:
        raise ValueError(
            f"{type(array).__name__} of shape {values.shape} and type {values.dtype}: give a path,"
            " bytes, a PIL image, or an array of height x width x 3 in uint8 (0 to 255, RGB)"
        )
    if values.dtype == np.uint16 and values.max() < _BRIGHT:
        raise ValueError(
            f"array of 16 bits with values up to {values.max()} of 65535: it would be read as"
            " nearly black; scale it to 8 bits first"
        )
    return Image.fromarray(np.ascontiguousarray(values))


def check_suffix(file: Path) -> None:
    """Refuse photographs in a format that cannot be opened here."""
    if file.suffix.lower() in UNREAD_SUFFIXES:
        raise ValueError(f"{file}: {file.suffix} is not read: save it as JPEG")


def is_picture(file: Path) -> bool:
    """Return True if the file's name has an extension of pictures."""
    return file.suffix.lower() in PICTURE_SUFFIXES


def find_pictures(path: Path) -> list[Path]:
    """List a folder's pictures by name, or the one picture that is named.

    Photographs that are not read, and pictures of subfolders, are counted in a warning.
    """
    if not path.exists():
        raise ValueError(f"{path}: there is no such file")
    if not path.is_dir():
        return [path]
    inside = sorted(path.iterdir())
    files = list(filter(is_picture, inside))
    counts = Counter(file.suffix for file in inside if file.suffix.lower() in UNREAD_SUFFIXES)
    notes = [f"{n:,} {suffix} (save as JPEG)" for suffix, n in counts.items()]
    notes += [f"the pictures in {each}" for each in inside if _holds_pictures(each)]
    if notes:
        warn(f"{path}: left out: {', '.join(notes)}")
    if not files:
        raise ValueError(f"{path}: no pictures ({', '.join(PICTURE_SUFFIXES)}) in it")
    return files


def _holds_pictures(folder: Path) -> bool:
    try:
        return folder.is_dir() and any(map(is_picture, folder.iterdir()))
    except OSError:  # a folder that may not be read, such as a card's lost+found
        return False


def pictures_in(data: str | None) -> Path | None:
    """Return DATA if it is a picture or a folder of pictures without labels, or else None."""
    if data is None:
        return None
    path = Path(data)
    check_suffix(path)
    # A run's own folder has data/ as well, so it is not taken for a folder of pictures.
    is_dataset = any((path / name).exists() for name in ("manifest.json", "data"))
    is_dataset = is_dataset or (path.is_dir() and is_user_data(path))
    return path if (path.is_dir() and not is_dataset) or is_picture(path) else None
