"""Parquet: shards as tables with embedded pictures, as the Hugging Face hub shows and streams."""

import json
import os
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from gnomon import files
from gnomon.atomic import replace_file
from gnomon.store.formats import Format
from gnomon.store.parquet import group_sizes
from gnomon.store.records import MORE_IMAGES, TEXTS, Record

# Reading a row reads its whole group. With pictures of 80 kB, groups of 100 took 1.4 ms and
# groups of 20 took 0.4 ms, about as long as decoding. Smaller groups only enlarge the footers.
_GROUP = 20
# Rows with text only are so small that groups of 20 would cost a sixth of drawing them.
_TEXT_GROUP = 200
_CACHED_GROUPS = 8
# Largest size of a decoded group in bytes, enough for twenty pictures of the largest size.
_LARGEST_GROUP = 2**32
_IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


class Parquet(Format):
    """Shards as Parquet files. Arrow's threads stay unused, so a process can always fork."""

    name: ClassVar[str] = "parquet"
    suffix: ClassVar[str] = ".parquet"
    loading: ClassVar[str] = """\
import datasets

rows = datasets.load_dataset("this/directory", split="{split}")"""
    holds_several_pictures: ClassVar[bool] = True

    def __init__(self) -> None:
        self._footer = cache(_footer)
        self.group = lru_cache(maxsize=_CACHED_GROUPS)(self._read_group)

    def write(self, final: Path, records: Iterable[Record], *, split: str, first: int) -> None:  # noqa: ARG002 - rows have no names here
        remaining = iter(records)
        group = list(islice(remaining, _GROUP))
        with (
            replace_file(final) as temporary,
            _open(temporary, "wb") as file,
            pq.ParquetWriter(
                file,
                _schema_of(group),
                compression=_COMPRESSION,
                # Texts rarely repeat within twenty rows, and readers do not filter by statistics.
                use_dictionary=False,
                write_statistics=False,
            ) as writer,
        ):
            while group:
                if group[0]["image"] is None:
                    group += islice(remaining, _TEXT_GROUP - _GROUP)
                writer.write_table(table(group))
                group = list(islice(remaining, _GROUP))

    def record(self, shard: Path, row: int) -> Record:
        _, starts = self._footer(shard)
        group = bisect_right(starts, row) - 1
        rows = self.group(shard, group).slice(row - starts[group], 1)
        record: Record = rows.to_pylist()[0]
        return record

    def _read_group(self, shard: Path, group: int) -> pa.Table:
        metadata = self._footer(shard)[0]
        with (
            _open(shard) as source,
            # pre_buffer would read ahead in Arrow's threads, which do not survive a fork.
            pq.ParquetFile(source, metadata=metadata, pre_buffer=False) as file,
        ):
            return file.read_row_group(group, use_threads=False)


def _open(file: Path, mode: str = "rb") -> pa.NativeFile:
    """Open a file for Arrow. The name is passed as bytes, since it may not be UTF-8."""
    return pa.OSFile(os.fsencode(file), mode)


def _footer(shard: Path) -> tuple[pq.FileMetaData, list[int]]:
    """Return the footer and the first row of each group. Refuse groups that are too large."""
    with files.open_bytes(shard) as source:
        footer = pq.read_metadata(source)
    for size in group_sizes(footer):
        if size > _LARGEST_GROUP:
            raise ValueError(f"a group of rows may take {size:,} bytes, more than gnomon writes")
    sizes = [footer.row_group(group).num_rows for group in range(footer.num_row_groups)]
    return footer, [0, *accumulate(sizes)][:-1]


def table(records: Sequence[Record]) -> pa.Table:
    """Return records as an Arrow table, with the column for further pictures if they have it."""
    return pa.Table.from_pylist(records, _schema_of(records))


def _schema_of(records: Sequence[Record]) -> pa.Schema:
    return SEVERAL if records and MORE_IMAGES in records[0] else SCHEMA


def _schema(*, has_several_pictures: bool = False) -> pa.Schema:
    """Build a schema whose metadata makes the Hugging Face libraries see pictures, not structs."""
    texts = {name: {"dtype": "string", "_type": "Value"} for name in TEXTS}
    features: dict[str, Any] = {"id": texts.pop("id"), "image": {"_type": "Image"}, **texts}
    types = [(name, _IMAGE if name == "image" else pa.string()) for name in features]
    if has_several_pictures:
        features[MORE_IMAGES] = {"_type": "List", "feature": {"_type": "Image"}}
        types.append((MORE_IMAGES, pa.list_(_IMAGE)))
    metadata = json.dumps({"info": {"features": features}})
    return pa.schema(types, metadata={"huggingface": metadata})


SCHEMA, SEVERAL = _schema(), _schema(has_several_pictures=True)
# PNG does not compress further, and decompression would cost time at every read.
_COMPRESSION = {name: "zstd" for name in SCHEMA.names if name != "image"} | {
    "image.bytes": "none",
    "image.path": "none",
    f"{MORE_IMAGES}.list.element.bytes": "none",
}
