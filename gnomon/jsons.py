"""JSON from outside. Every error names the file and the line."""

from __future__ import annotations

import json
from pathlib import Path
from reprlib import repr  # noqa: A004 - a value may be long, and deep
from typing import TYPE_CHECKING, Any

from gnomon import files

if TYPE_CHECKING:
    from pydantic import ValidationError

_OBJECTS = 20_000_000
"""Largest number of objects and lists in a text. Each takes 64 to 200 bytes of memory, and `{}`
takes two bytes of the text. LLaVA's chats about 665,000 pictures have 6,000,000 in 1 GB."""


def read_lines(file: Path) -> list[dict[str, Any]]:
    """Read the objects of a file of JSON lines, without a last line that a kill cut short."""
    rows = []
    with files.open_bytes(file) as stream:
        for number, line in enumerate(files.read_lines(stream), 1):
            if not line.endswith(b"\n"):
                break  # never the case but in the last line
            row = loads(line, f"{file}, line {number}")
            if not isinstance(row, dict):
                raise ValueError(f"{file}, line {number}: not a JSON object")
            rows.append(row)
    return rows


def loads(text: str | bytes, where: object) -> Any:
    """Parse a JSON text. The ValueError for an invalid text names its place, `where`."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        # Also counted within strings, which is fast and only ever too strict.
        if len(text) <= _OBJECTS or text.count("{") + text.count("[") <= _OBJECTS:
            return json.loads(text)
    except RecursionError as error:
        raise ValueError(f"{where}: not JSON: nested too deeply") from error
    except ValueError as error:
        # Includes invalid UTF-8, and integers of more than 4,300 digits, which Python refuses.
        raise ValueError(f"{where}: not JSON: {error}") from error
    raise ValueError(
        f"{where}: it has more than {_OBJECTS:,} objects and lists, which would fill the memory:"
        " split it"
    )


def first_fault(error: ValidationError) -> str:
    """Return the key and the message of the first fault. pydantic's text has a page of them."""
    first = error.errors()[0]
    key = ".".join(map(str, first["loc"]))
    # A fault of the whole has no key, for example a list in place of an object.
    return f"{key}: {first['msg']}" if key else first["msg"]


def shape_error(location: object, value: object, way_out: str) -> ValueError:
    """Build the error for a value of the wrong type, shortened if it is long."""
    return ValueError(f"{location}: {repr(value)}: {way_out}")
