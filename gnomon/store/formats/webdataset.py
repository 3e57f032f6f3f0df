"""WebDataset: shards as tar files with key.png and key.json for each sample."""

import json
import tarfile
from collections.abc import Iterable, Iterator
from functools import cache
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np

from gnomon import files, jsons
from gnomon.atomic import replace_file
from gnomon.store.formats import Format
from gnomon.store.records import Record, plain_columns, wrap_picture

_NO_PICTURE = (0, 0)


class WebDataset(Format):
    """Shards as tar files."""

    name: ClassVar[str] = "webdataset"
    suffix: ClassVar[str] = ".tar"
    loading: ClassVar[str] = """\
import datasets

# A row has the picture as `png`, and the other columns in `json`. The tar files themselves are
# data/{split}-{{00000..{last:05}}}-of-{shards:05}.tar, as the webdataset library takes them.
rows = datasets.load_dataset("this/directory", split="{split}")"""

    def __init__(self) -> None:
        self._offsets = cache(_offsets)

    def write(self, final: Path, records: Iterable[Record], *, split: str, first: int) -> None:
        has_picture = None  # of the record before
        with (
            replace_file(final) as temporary,
            # USTAR has one header of 512 bytes per file. pax adds headers that _members would not
            # follow.
            tarfile.open(temporary, "w", format=tarfile.USTAR_FORMAT) as tar,
        ):
            for index, record in enumerate(records, first):
                if has_picture not in (None, record["image"] is not None):
                    # The Hugging Face libraries expect the same columns in all samples as in the
                    # first.
                    article = "a" if record["image"] else "no"
                    raise ValueError(
                        f"sample {record['id']!r} has {article} picture, unlike"
                        " the sample before it, and readers of WebDataset expect a picture in all"
                        " samples or in none: give --format parquet"
                    )
                has_picture = record["image"] is not None
                _add(tar, f"{split}-{index:09}", record)

    def record(self, shard: Path, row: int) -> Record:
        json_start, json_size, picture_start, picture_size = map(int, self._offsets(shard)[row])
        # Sizes are what the shard claims. A forged size must not take the memory.
        if json_size > files.MAX_BYTES or picture_size > files.MAX_PICTURE_BYTES:
            raise ValueError(
                f"its sample of {json_size:,} bytes of JSON and {picture_size:,} bytes of picture"
                " is too large"
            )
        with files.open_bytes(shard) as stream:
            stream.seek(json_start)
            columns: dict[str, Any] = jsons.loads(stream.read(json_size), "its JSON")
            stream.seek(picture_start)
            picture = wrap_picture(stream.read(picture_size)) if picture_size else None
            return {**columns, "image": picture}


def _add(tar: tarfile.TarFile, key: str, record: Record) -> None:
    """Add a sample's files without times and owners, so the same records give the same bytes."""
    members = {"json": json.dumps(plain_columns(record), ensure_ascii=False).encode()}
    if record["image"] is not None:
        members = {"png": record["image"]["bytes"], **members}
    for extension, data in members.items():
        header = tarfile.TarInfo(f"{key}.{extension}")
        # All other fields keep tarfile's zeros, including time and owner.
        header.size = len(data)
        tar.addfile(header, BytesIO(data))


def _offsets(shard: Path) -> np.ndarray:
    """Return offset and length of each sample's JSON and picture, [samples, 4]. 0, 0 without a
    picture."""
    members: dict[str, dict[str, tuple[int, int]]] = {}
    with files.open_bytes(shard) as stream:
        for name, start, size in _members(stream):
            key, _, extension = name.rpartition(".")
            members.setdefault(key, {})[extension] = (start, size)
    return np.array(
        [(*each["json"], *each.get("png", _NO_PICTURE)) for each in members.values()], np.int64
    )


def _members(stream: BinaryIO) -> Iterator[tuple[str, int, int]]:
    """Yield name, offset and size of each file in a tar.

    The tarfile library would read unknown headers into memory, whatever their size.
    """
    end = stream.seek(0, SEEK_END)
    offset = stream.seek(0)
    while (header := stream.read(tarfile.BLOCKSIZE)).strip(b"\0"):
        try:
            member = tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
        except tarfile.TarError as error:
            raise ValueError(f"not a tar file: {error}") from error
        offset += tarfile.BLOCKSIZE
        if not member.isreg() or not 0 <= member.size <= end - offset:
            raise ValueError(
                f"not a tar file: {member.name!r} is not a file or extends beyond the end"
            )
        yield member.name, offset, member.size
        blocks = -(-member.size // tarfile.BLOCKSIZE)  # the last one is padded
        offset = stream.seek(offset + blocks * tarfile.BLOCKSIZE)
