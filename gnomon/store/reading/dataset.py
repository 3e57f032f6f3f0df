"""Reading a dataset from disk, row by row."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from pathlib import Path
from typing import Any

from gnomon.sample import Sample
from gnomon.store.reading.files import Files, find
from gnomon.store.reading.samples import Samples
from gnomon.store.rows import MORE, from_record


def open(path: str | Path, split: str = "train") -> Dataset:  # noqa: A001 - read as store.open
    """One split of a dataset directory: what `gnomon generate` wrote, or shards like these."""
    return Dataset(find(Path(path), split))


class Dataset(Samples):
    """The samples of one split on disk, read as they are asked for.

    Nothing stays open between two reads: so it may be copied into other processes by fork or
    pickle at any time.
    """

    def __init__(self, files: Files) -> None:
        self.files = files
        self._starts = [0, *accumulate(files.rows)]
        self._reader = files.format.reader(files.paths, files.columns)

    def __reduce__(self) -> tuple[type[Dataset], tuple[Files]]:
        return Dataset, (self.files,)

    @property
    def length(self) -> int:
        """How many samples the split has."""
        return self._starts[-1]

    def __repr__(self) -> str:
        files = self.files
        return (
            f"<Dataset {files.root}, {files.split}: {self.length:,} samples, {files.format.name}>"
        )

    def __len__(self) -> int:
        return self.length

    def at(self, index: int) -> Sample:
        shard, row = self._place(index)
        try:
            return from_record(self._reader.record(shard, row))
        except (KeyError, TypeError, ValueError, OSError) as error:
            raise ValueError(f"{self.files.paths[shard]}: row {row}: {error}") from error

    def id(self, index: int) -> str:
        found: str = self._reader.record(*self._place(index))["id"]
        return found

    @property
    def several(self) -> bool:
        return MORE in self.files.columns

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
