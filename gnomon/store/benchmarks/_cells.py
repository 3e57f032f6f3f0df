"""What the layouts of several benchmarks have in common: columns, pictures, answers."""

from __future__ import annotations

import base64
import binascii
import re
from decimal import Decimal
from hashlib import sha256
from os.path import isfile
from pathlib import Path, PurePosixPath
from typing import Any

from gnomon.sample import Number, Text
from gnomon.store.user_data.photograph import size_of

_FOLDERS = 20
"""Of a picture's path, from its end."""
_DECIMAL = re.compile(r"[-+]?\d+(?:\.\d+)?", re.ASCII)


def cell(raw: dict[str, Any], *columns: str) -> Any:
    """The first of the columns that holds something."""
    for column in columns:
        if raw.get(column) not in (None, ""):
            return raw[column]
    raise ValueError(
        f"column {columns[0]!r} is empty or not there (there are {', '.join(map(str, raw))})"
    )


def picture(raw: dict[str, Any], file: Path, column: str, *folders: str) -> Path | bytes:
    """The picture at the path in a column, or the one that the row holds as `image`."""
    if raw.get(column):
        image: Path | bytes = picture_at(str(raw[column]), file, *folders)
    else:
        image = picture_in(cell(raw, "image"))
    size_of(image)
    return image


def picture_at(said: str, file: Path, *folders: str) -> Path:
    """The picture of that name beside the file or beside its folder, or in one of the `folders`.

    Its own folders may have lain elsewhere: of data/coco/train2014/a.jpg any tail may be here.
    """
    parts = PurePosixPath(said).parts[-_FOLDERS:]
    for tail in (PurePosixPath(*parts[first:]) for first in range(len(parts))):
        for place in (file.parent, file.parent.parent):
            for folder in ("", *folders):
                if isfile(found := place / folder / tail):
                    return found
    raise ValueError(f"no picture {said!r} beside {file.name} or beside its folder")


def picture_in(value: Any) -> bytes:
    """A picture that the row itself holds: bytes, also as the datasets library wraps them."""
    held = value.get("bytes") if isinstance(value, dict) else value
    if not isinstance(held, bytes):
        raise ValueError("the `image` column holds no picture")
    return held


def picture_coded(text: str) -> bytes:
    """A picture in base64."""
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"the `image` column is no base64: {error}") from error


def group_of(image: Path | bytes) -> str:
    """What tells one picture from another."""
    return image.name if isinstance(image, Path) else sha256(image).hexdigest()[:16]


def number_or_text(answer: Any) -> Number | Text:
    """A plain decimal is a number; all else is a text as it stands."""
    said = " ".join(str(answer).split())
    return Number(Decimal(said)) if _DECIMAL.fullmatch(said) else Text(said)
