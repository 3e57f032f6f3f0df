"""The Hugging Face image folder: PNG files, and a metadata.jsonl that says the rest of each.

A shard is a subfolder of its split with a metadata.jsonl of its own, so that it is whole or absent
like any other, and no folder holds a million files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from gnomon import jsons
from gnomon.atomic import naming, whole_or_absent
from gnomon.store.rows import Row, embedded, plain_texts
from gnomon.store.writing.formats.base import Format, Reader, Shape, sha256_of

METADATA, PICTURE = "metadata.jsonl", "file_name"


class ImageFolder(Format):
    """One folder a shard."""

    name: ClassVar[str] = "imagefolder"
    loading: ClassVar[str] = """\
import datasets

# In each folder the rows are in order; which folder comes first is up to the library.
rows = datasets.load_dataset("imagefolder", data_dir="this/directory", split="{split}")"""
    needs_pictures: ClassVar[bool] = True

    def file(self, split: str, number: int, shards: int) -> str:
        return f"{split}/{number:05}-of-{shards:05}"

    def split_of(self, file: str) -> str:
        return file.partition("/")[0]

    def shards(self, split: str) -> str:
        return f"{split}/[0-9]*-of-[0-9]*"

    def files(self, split: str) -> str:
        return f"{self.shards(split)}/*"

    def write(self, final: Path, rows: Iterable[Row], *, split: str, first: int) -> None:
        with whole_or_absent(final) as temporary:
            with naming(final):
                temporary.mkdir()
            lines = (
                _put(temporary, final, f"{split}-{index:09}.png", row)
                for index, row in enumerate(rows, first)
            )
            text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
            with naming(final / METADATA):
                (temporary / METADATA).write_text(text, encoding="utf-8")

    def there(self, shard: Path) -> bool:
        return shard.is_dir()

    def digest(self, shard: Path) -> str:
        """Over every file's name and hash, in order: an extra file shows as well."""
        files = sorted(file for file in shard.rglob("*") if file.is_file())
        told = [(file.relative_to(shard).as_posix(), sha256_of(file)) for file in files]
        return sha256(json.dumps(told).encode()).hexdigest()

    def shape(self, shard: Path) -> Shape:
        try:
            starts = _lines(shard)
            first = _line(shard, starts[0]) if starts else {}
            return Shape(len(starts), ("image", *first))
        except (OSError, ValueError) as error:
            raise ValueError(f"{shard / METADATA} cannot be read: {error}") from error

    def reader(self, shards: Sequence[Path], columns: Sequence[str]) -> Reader:  # noqa: ARG002 - a line is read whole
        return Lines(shards)


class Lines(Reader):
    """Finds the lines of a metadata.jsonl once, and from then on reads a line and its picture."""

    def __init__(self, shards: Sequence[Path]) -> None:
        self._shards = shards
        self._starts = lru_cache(maxsize=None)(lambda shard: _lines(shards[shard]))

    def record(self, shard: int, row: int) -> dict[str, Any]:
        folder = self._shards[shard]
        line = _line(folder, self._starts(shard)[row])
        return {**line, "image": embedded(_inside(folder, line[PICTURE]).read_bytes())}


def _inside(folder: Path, name: str) -> Path:
    """A folder from elsewhere shall not make us read what lies beside it."""
    if not (file := (folder / name).resolve()).is_relative_to(folder.resolve()):
        raise ValueError(f"{PICTURE} {name!r} lies outside the folder")
    return file


def _put(folder: Path, final: Path, name: str, row: Row) -> dict[str, str]:
    """Write a row's picture, and return its line of the metadata."""
    if row.image is None:
        raise ValueError(
            f"sample {row.texts['id']!r} has no picture, and an image folder is made of pictures: "
            f"give --format parquet"
        )
    with naming(final / name):
        (folder / name).write_bytes(row.image)
    return {PICTURE: name, **plain_texts(row)}


def _line(folder: Path, start: int) -> dict[str, Any]:
    with (folder / METADATA).open("rb") as opened:
        opened.seek(start)
        found: dict[str, Any] = jsons.loads(opened.readline(), METADATA)
    return found


def _lines(folder: Path) -> list[int]:
    """Where each line begins. Other tools write blank ones, and a last one without its break."""
    starts, place = [], 0
    with (folder / METADATA).open("rb") as opened:
        for line in opened:
            if line.strip():
                starts.append(place)
            place += len(line)
    return starts
