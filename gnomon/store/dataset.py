"""Reading a dataset from disk, row by row."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from gnomon.store.files import Files, find
from gnomon.store.rows import from_record
from gnomon.store.samples import Samples

if TYPE_CHECKING:
    import pyarrow as pa

    from gnomon.sample import Sample

_CACHED_GROUPS = 8


def open(path: str | Path, split: str = "train") -> Dataset:  # noqa: A001 - read as store.open
    """One split of a dataset directory: what `gnomon generate` wrote, or shards like these."""
    return Dataset(find(Path(path), split))


class Dataset(Samples):
    """The samples of one split on disk, read as they are asked for.

    Nothing stays open between two reads, and Arrow's threads are not used: so it may be copied
    into other processes by fork or pickle at any time.
    """

    def __init__(self, files: Files) -> None:
        self.files = files
        self._starts = [0, *accumulate(files.rows)]
        self._footer = lru_cache(maxsize=None)(self._read_footer)
        self._group = lru_cache(maxsize=_CACHED_GROUPS)(self._read_group)

    def __reduce__(self) -> tuple[type[Dataset], tuple[Files]]:
        return Dataset, (self.files,)

    @property
    def length(self) -> int:
        """How many samples the split has."""
        return self._starts[-1]

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Sample:
        shard, row = self._place(index)
        try:
            return from_record(self._record(shard, row))
        except (TypeError, ValueError, OSError) as error:
            raise ValueError(f"{self.files.paths[shard]}: row {row}: {error}") from error

    def id(self, index: int) -> str:
        found: str = self._record(*self._place(index))["id"]
        return found

    def describe(self) -> dict[str, Any]:
        """The directory's name and the hash of what it holds; where it lies does not matter."""
        return {
            "source": "directory",
            "directory": self.files.root.name,
            "split": self.files.split,
            "rows": self.length,
            "content": self.files.content,
        }

    def _place(self, index: int) -> tuple[int, int]:
        """The shard of a sample, and its row there."""
        if not 0 <= index < self.length:
            raise IndexError(f"index {index}: {self.files.root} has samples 0 to {self.length - 1}")
        shard = bisect_right(self._starts, index) - 1
        return shard, index - self._starts[shard]

    def _record(self, shard: int, row: int) -> dict[str, Any]:
        _, starts = self._footer(shard)
        group = bisect_right(starts, row) - 1
        table = self._group(shard, group).slice(row - starts[group], 1)
        record: dict[str, Any] = table.to_pylist()[0]
        return record

    def _read_footer(self, shard: int) -> tuple[pq.FileMetaData, list[int]]:
        """The footer, and the row with which each group begins."""
        footer = pq.read_metadata(self.files.paths[shard])
        sizes = [footer.row_group(group).num_rows for group in range(footer.num_row_groups)]
        return footer, [0, *accumulate(sizes)][:-1]

    def _read_group(self, shard: int, group: int) -> pa.Table:
        path, footer = self.files.paths[shard], self._footer(shard)[0]
        with pq.ParquetFile(path, metadata=footer, pre_buffer=False) as file:
            return file.read_row_group(group, self.files.columns, use_threads=False)
