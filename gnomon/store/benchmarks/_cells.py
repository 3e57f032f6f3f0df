"""Cells of several benchmarks' layouts: columns, pictures, answers."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from gnomon.sample import Number, Text
from gnomon.store.user_data.opening import picture_folders

# Folder of pictures that the user allows besides the file's own. A context variable, because the
# benchmarks' functions do not take it.
_ALLOWED: ContextVar[str | None] = ContextVar("pictures", default=None)
# Parts of a picture's path that are tried, from its end.
_MAX_TAIL = 20
_DECIMAL = re.compile(r"[-+]?\d+(?:\.\d+)?", re.ASCII)


def cell(raw: dict[str, Any], *columns: str) -> Any:
    """Return the first of the columns that is not empty."""
    for column in columns:
        if raw.get(column) not in (None, ""):
            return raw[column]
    raise ValueError(
        f"column {columns[0]!r} is empty or not there (there are {', '.join(map(str, raw))})"
    )


@contextmanager
def allow_pictures(pictures: str | None) -> Iterator[None]:
    """Allow pictures in this folder, too, while a benchmark's file is read."""
    token = _ALLOWED.set(pictures)
    try:
        yield
    finally:
        _ALLOWED.reset(token)


def find_picture(raw: dict[str, Any], file: Path, column: str, *folders: str) -> Path | bytes:
    """Return the picture at the path in a column, or the bytes that the row has as `image`.

    The path is looked for beside the file, in its `folders`, and in the folder that the user
    allows. Published paths begin elsewhere: any tail of data/coco/train2014/a.jpg may exist here.
    """
    value = raw.get(column) or cell(raw, "image")
    path = value.get("bytes") if isinstance(value, dict) else value  # the datasets library wraps it
    if isinstance(path, bytes):
        return path
    if not isinstance(path, str):
        raise ValueError("the `image` column holds no picture")
    parts = PurePosixPath(path).parts[-_MAX_TAIL:]
    # The longest tail first: the more of a published path exists here, the better.
    tails = ["/".join(parts[first:]) for first in range(len(parts))]
    roots = [file.parent, *(file.parent / folder for folder in folders)]
    try:
        return picture_folders(*roots, pictures=_ALLOWED.get()).find(*tails)
    except ValueError as error:
        raise ValueError(f"{error} ({path!r} is looked for beside {file.name})") from error


def picture_group(image: Path | bytes) -> str:
    """Return a name that rows of the same picture share."""
    return image.name if isinstance(image, Path) else sha256(image).hexdigest()[:16]


def number_or_text(answer: Any) -> Number | Text:
    """Take a plain decimal as a number, and anything else as a text."""
    text = " ".join(str(answer).split())
    return Number(Decimal(text)) if _DECIMAL.fullmatch(text) else Text(text)
