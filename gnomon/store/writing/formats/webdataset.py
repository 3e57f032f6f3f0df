"""WebDataset: a tar file a shard, in it key.png and key.json for each sample."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterable, Sequence
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from gnomon import jsons
from gnomon.atomic import naming, whole_or_absent
from gnomon.store.rows import Row, embedded, plain_texts
from gnomon.store.writing.formats.base import FileFormat, Reader, Shape

_PICTURES = ("png", "jpg", "jpeg", "webp")
_NONE = (0, 0)


class WebDataset(FileFormat):
    """One tar file a shard."""

    name: ClassVar[str] = "webdataset"
    suffix: ClassVar[str] = ".tar"
    loading: ClassVar[str] = """\
import datasets

# A row has the picture as `png`, and the other columns in `json`. The tar files themselves are
# data/{split}-{{00000..{last:05}}}-of-{shards:05}.tar, as the webdataset library takes them.
rows = datasets.load_dataset("this/directory", split="{split}")"""

    def write(self, final: Path, rows: Iterable[Row], *, split: str, first: int) -> None:
        pictured = None
        with whole_or_absent(final) as temporary:
            with naming(final):
                tar = tarfile.open(temporary, "w", format=tarfile.USTAR_FORMAT)  # noqa: SIM115 - its errors are named
            try:
                for index, row in enumerate(rows, first):
                    pictured = _check_alike(row, pictured)
                    with naming(final):
                        _add(tar, f"{split}-{index:09}", row)
            finally:
                with naming(final):
                    tar.close()

    def shape(self, shard: Path) -> Shape:
        try:
            places = _places(shard)
            line = jsons.loads(_read(shard, *places[0, :2]), "row 0") if len(places) else {}
        except (OSError, ValueError) as error:
            raise ValueError(f"{shard} cannot be read: {error}") from error
        return Shape(len(places), ("image", *line))

    def reader(self, shards: Sequence[Path], columns: Sequence[str]) -> Reader:  # noqa: ARG002 - a member is read whole
        return Members(shards)


class Members(Reader):
    """Looks a tar file's headers through once, and from then on goes to where a sample lies."""

    def __init__(self, shards: Sequence[Path]) -> None:
        self._shards = shards
        self._places = lru_cache(maxsize=None)(lambda shard: _places(shards[shard]))

    def record(self, shard: int, row: int) -> dict[str, Any]:
        path, place = self._shards[shard], self._places(shard)[row]
        line: dict[str, Any] = jsons.loads(_read(path, *place[:2]), "its JSON")
        picture = _read(path, *place[2:]) if place[3] else None
        return {**line, "image": picture and embedded(picture)}


def _check_alike(row: Row, pictured: bool | None) -> bool:
    """The Hugging Face libraries take the members of the first samples for those of all."""
    if pictured is not None and pictured != (row.image is not None):
        raise ValueError(
            f"sample {row.texts['id']!r} has {'a' if row.image else 'no'} picture, unlike the one "
            f"before it, and readers of WebDataset want them alike: give --format parquet"
        )
    return row.image is not None


def _add(tar: tarfile.TarFile, key: str, row: Row) -> None:
    """A member's header says nothing of when and by whom: the same rows are the same bytes."""
    members = {"json": json.dumps(plain_texts(row), ensure_ascii=False).encode()}
    if row.image is not None:
        members = {"png": row.image, **members}
    for extension, data in members.items():
        header = tarfile.TarInfo(f"{key}.{extension}")
        header.size = len(data)
        tar.addfile(header, BytesIO(data))


def _places(shard: Path) -> np.ndarray:
    """For each sample where its JSON and its picture begin, and how long they are: [samples, 4]."""
    found: dict[str, dict[str, tuple[int, int]]] = {}
    try:
        with tarfile.open(shard, "r:") as tar:
            for member in tar:
                key, kind = _split(member.name)
                if kind in ("json", "image"):  # others are of other tools, as a README is
                    found.setdefault(key, {})[kind] = (member.offset_data, member.size)
    except tarfile.TarError as error:
        raise ValueError(f"no tar file: {error}") from error
    if lacking := next((key for key, members in found.items() if "json" not in members), None):
        raise ValueError(f"{lacking}.json is not in {shard.name}")
    rows = [(*members["json"], *members.get("image", _NONE)) for members in found.values()]
    return np.array(rows, np.int64).reshape(-1, 4)


def _split(name: str) -> tuple[str, str]:
    """A member's key, which ends at the first dot behind its folders, and what it holds."""
    folders, slash, file = name.rpartition("/")
    key, _, extension = file.partition(".")
    return f"{folders}{slash}{key}", "image" if extension.lower() in _PICTURES else extension


def _read(shard: Path, start: int, size: int) -> bytes:
    with shard.open("rb") as opened:
        opened.seek(int(start))
        return opened.read(int(size))
