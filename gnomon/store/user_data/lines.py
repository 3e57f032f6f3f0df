"""The raw rows of a file, each with the line that it begins on."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from reprlib import repr  # noqa: A004 - a row may be long, and deep
from typing import Any

from gnomon import jsons

_COCO = (
    "these are COCO's annotations: make a table of them, with columns of file names, questions"
    ' and boxes ("From COCO\'s annotations" in docs/howto/boxes.md does it)'
)
SUFFIXES = (".jsonl", ".csv", ".tsv", ".json", ".parquet")
_LONGEST = 2**30
"""Characters of a field: a picture in base64 is one, and csv takes 131,072 where it is not told."""


def lines_of(file: Path, *, text: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a .jsonl, .csv, .tsv, .json or .parquet file; in the last two they are counted.

    A .json may hold a list of rows, alone or as the only list of an object; or an object of
    objects: there each row has its name as `id`. A JSON string in the place of a row is refused,
    unless `text` names the column that it stands for.
    """
    readers = dict(zip(SUFFIXES, (_jsonl, _separated, _separated, _json, _parquet), strict=True))
    if (reader := readers.get(file.suffix.lower())) is None:
        raise ValueError(f"{file}: give one of {', '.join(SUFFIXES)}")
    try:
        yield from reader(file, text)
    except csv.Error as error:
        raise ValueError(f"{file}: it cannot be read as CSV: {error}") from error
    except UnicodeDecodeError as error:  # such as a spreadsheet's older export
        raise ValueError(f"{file}: it is no UTF-8 text ({error}): save it as UTF-8") from error


def _separated(file: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:  # noqa: ARG001 - of JSON
    """By what the header has most: spreadsheets write ; where the comma is decimal."""
    csv.field_size_limit(_LONGEST)
    with file.open(encoding="utf-8-sig", newline="") as opened:
        header = opened.readline()
        opened.seek(0)
        reader = csv.DictReader(opened, delimiter=max("\t,;", key=header.count))
        names = [name for name in reader.fieldnames or () if name]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"{file}: two columns are called {min(twice)!r}: rename one of them")
        before = 1
        for row in reader:
            if any(row.get(None, ())):  # csv's key of what is left over
                raise ValueError(
                    f"{file}: line {before + 1} has more cells than the header has columns: put a"
                    f" text with {reader.reader.dialect.delimiter!r} in it in quotes"
                )
            yield before + 1, row
            before = reader.line_num


def _jsonl(file: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    with file.open(encoding="utf-8-sig") as opened:
        for line, said in enumerate(opened, 1):
            if said.strip():
                yield line, _object(jsons.loads(said, f"{file}: line {line}"), file, line, text)


def _json(file: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    said = file.read_text(encoding="utf-8-sig")
    try:
        whole = jsons.loads(said, file)
    except ValueError as error:
        if "Extra data" in str(error) and said.lstrip().startswith("{"):
            return _jsonl(file, text)  # JSON lines, whatever the file is called
        raise
    if isinstance(whole, dict):
        if {"images", "annotations", "categories"} <= whole.keys():
            raise ValueError(f"{file}: {_COCO}")
        row = dict | str if len(whole) == 1 else dict
        lists = [value for value in whole.values() if isinstance(value, list) and value]
        if len(lists) == 1 and all(isinstance(one, row) for one in lists[0]):
            whole = lists[0]
        else:
            whole = [{"id": name, **_object(row, file, name, text)} for name, row in whole.items()]
    if not isinstance(whole, list):
        raise ValueError(f"{file}: give a list of objects, or an object of them")
    return ((line, _object(row, file, line, text)) for line, row in enumerate(whole, 1))


def _parquet(file: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:  # noqa: ARG001 - of JSON
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    line = 0
    try:
        for batch in ParquetFile(file).iter_batches(256):
            for row in batch.to_pylist():
                line += 1
                yield line, row
    except (ArrowException, OSError, MemoryError) as error:
        told = f"{file}: it cannot be read as Parquet beyond row {line}: {error}"
        raise ValueError(told) from error


def _object(row: Any, file: Path, line: object, text: str) -> dict[str, Any]:
    if text and isinstance(row, str):
        return {text: row}
    if not isinstance(row, dict):
        raise ValueError(f"{file}: line {line}: {repr(row)} is no object with columns")
    return row
