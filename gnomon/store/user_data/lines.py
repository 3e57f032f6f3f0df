"""Raw rows of a user's file, each with the line on which it starts."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from reprlib import repr  # noqa: A004 - a row may be long, and deep
from typing import Any

from gnomon import files, jsons
from gnomon.store.user_data.annotations import coco_rows, cvat_rows, is_coco

SUFFIXES = (".jsonl", ".csv", ".tsv", ".json", ".parquet", ".xml")
# Largest length of a line or row in characters. A picture in base64 is a single line, and csv
# allows 131,072 by default.
_MAX_ROW = 2**28
MAX_ROWS = 2_000_000
"""Largest number of rows of a file. All rows are in memory during the check."""
# Largest size in bytes of a file that is read line by line, and of a file that is parsed as a
# whole. LLaVA's chats about 665,000 pictures are a .json of 1,030,000,000 bytes.
_MAX_STREAMED, _MAX_PARSED = 2**34, 2**30


def read_rows(file: Path, *, text: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line and row of a file. For .json, .parquet and .xml the line is the number of the row.

    An .xml contains CVAT's annotations, with a row per picture. A .json contains a list of rows,
    alone or as the only list of an object; COCO's annotations, with a row per picture; or an object
    of objects, whose names become the column `id`. A JSON string instead of a row is refused,
    unless `text` names a column for it.
    """
    files.check_regular(file)
    functions = _jsonl, _separated, _separated, _json, _parquet, _cvat
    readers = dict(zip(SUFFIXES, functions, strict=True))
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise ValueError(f"{file}: give one of {', '.join(SUFFIXES)}")
    try:
        for count, row in enumerate(reader(file, text)):
            if count == MAX_ROWS:
                raise ValueError(f"{file}: it has more than {MAX_ROWS:,} rows: split it")
            yield row
    except csv.Error as error:
        raise ValueError(f"{file}: it cannot be read as CSV: {error}") from error
    except UnicodeDecodeError as error:  # such as a spreadsheet's older export
        raise ValueError(f"{file}: it is not UTF-8 text ({error}): save it as UTF-8") from error


def _separated(file: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:  # noqa: ARG001 - of JSON
    """Read CSV or TSV, split at the most frequent separator of the header.

    Spreadsheets write semicolons in countries with a decimal comma.
    """
    # One limit for the whole process. It is only raised, so other readers keep working.
    csv.field_size_limit(max(csv.field_size_limit(), _MAX_ROW))
    with files.open_text(file, newline="", limit=_MAX_STREAMED) as stream:
        lines = files.read_lines(stream, limit=_MAX_ROW)
        header = next((line for line in lines if line.strip()), "")
        # The header was only inspected so far.
        stream.seek(0)
        source = _Lines(files.read_lines(stream, limit=_MAX_ROW), file)
        reader = csv.DictReader(source, delimiter=max("\t,;", key=header.count), strict=True)
        counts = Counter(name for name in reader.fieldnames or () if name)
        repeated = [name for name, count in counts.items() if count > 1]
        if repeated:
            raise ValueError(
                f"{file}: two columns are called {min(repeated)!r}: rename one of them"
            )
        source.length = 0
        for row in _quoted_rows(reader, source):
            if any(row.get(None, ())):  # csv's key of surplus cells
                raise ValueError(
                    f"{file}: line {source.first} has more cells than the header has columns: put"
                    f" a text with {reader.reader.dialect.delimiter!r} in it in quotes"
                )
            # Our own tables have an apostrophe before cells that a spreadsheet would run.
            cells = {n: files.unguarded(c) if isinstance(c, str) else c for n, c in row.items()}
            yield source.first, cells
            source.length = 0


def _quoted_rows(
    reader: csv.DictReader[str], source: _Lines
) -> Iterator[dict[str | Any, str | Any]]:
    try:
        yield from reader
    except csv.Error as error:  # else all rows up to the next mark would be one cell
        raise ValueError(
            f"{source.file}: line {source.first}: a cell that begins with a quotation mark does not"
            f" end with one ({error}): close it, or double the marks within"
        ) from error


class _Lines(Iterator[str]):
    """Numbered lines of a CSV, with a limit on the characters of a row.

    A row continues over lines while a quotation mark is open.
    """

    def __init__(self, lines: Iterator[str], file: Path) -> None:
        self.lines, self.file = lines, file
        self.number = 0
        """Number of lines so far."""
        self.first = 1
        """Number of the line on which the row starts."""
        self.length = 0
        """Number of characters since the last row."""

    def __next__(self) -> str:
        line = next(self.lines)
        self.number += 1
        if not self.length:
            while not line.strip("\r\n"):  # between two rows, or before the header
                line = next(self.lines)
                self.number += 1
            self.first = self.number
        self.length += len(line)
        if self.length > _MAX_ROW:
            raise ValueError(f"{self.file}: a row is longer than {_MAX_ROW:,} characters")
        return line


def _jsonl(file: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    with files.open_text(file, limit=_MAX_STREAMED) as stream:
        for line, text_of_line in enumerate(files.read_lines(stream, limit=_MAX_ROW), 1):
            if text_of_line.strip():
                yield (
                    line,
                    _object(jsons.loads(text_of_line, f"{file}: line {line}"), file, line, text),
                )


def _json(file: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    content = files.read_text(file, "a .json (a .jsonl may have more)", limit=_MAX_PARSED)
    try:
        root = jsons.loads(content, file)
    except ValueError as error:
        if "Extra data" in str(error) and content.lstrip().startswith("{"):
            return _jsonl(file, text)  # JSON lines under the name of JSON
        raise
    if isinstance(root, dict):
        if is_coco(root):
            return coco_rows(root, file)
        row_types = dict | str if len(root) == 1 else dict
        lists = [value for value in root.values() if isinstance(value, list) and value]
        if len(lists) == 1 and all(isinstance(row, row_types) for row in lists[0]):
            root = lists[0]
        else:
            # An object of objects, such as {"photo-1": {…}}. Its names are ids.
            root = [{"id": name, **_object(row, file, name, text)} for name, row in root.items()]
    if not isinstance(root, list):
        raise ValueError(f"{file}: give a list of objects, or an object of them")
    return ((line, _object(row, file, line, text)) for line, row in enumerate(root, 1))


def _parquet(file: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:  # noqa: ARG001 - of JSON
    from pyarrow import ArrowException

    from gnomon.store.parquet import read_parquet

    # For Parquet, the line is the number of the row.
    line = 0
    try:
        for row in read_parquet(file, MAX_ROWS):
            line += 1
            yield line, row
    except (ArrowException, OSError, MemoryError, ValueError) as error:
        message = f"{file}: it cannot be read as Parquet beyond row {line}: {error}"
        raise ValueError(message) from error


def _cvat(file: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:  # noqa: ARG001 - of JSON
    return cvat_rows(file)


def _object(row: Any, file: Path, line: object, text: str) -> dict[str, Any]:
    if text and isinstance(row, str):
        return {text: row}
    if not isinstance(row, dict):
        raise ValueError(f"{file}: line {line}: {repr(row)} is not an object with columns")
    return row
