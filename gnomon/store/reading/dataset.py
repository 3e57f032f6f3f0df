"""A dataset on disk, read row by row. `gnomon.store.open` opens it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from gnomon import jsons
from gnomon.sample import Sample, Target, target_from_json
from gnomon.store.formats import Format
from gnomon.store.formats import manifest as manifests
from gnomon.store.records import MORE_IMAGES, from_record
from gnomon.store.samples import Samples
from gnomon.store.user_data.checked_pictures import PICTURE_SUFFIXES
from gnomon.store.user_data.row_files import no_rows_message


def open_dataset(path: str | Path, split: str = "train") -> Dataset:
    """Open a split of a dataset that `gnomon generate` wrote. Refuse an incomplete split."""
    root = Path(path)
    command = f"`gnomon generate KIND --n N --split {split} --out {root}`"
    manifest = manifests.read(root)
    splits = manifest["splits"]
    if not splits:
        raise ValueError(_no_dataset_message(root, command))
    if split not in splits:
        raise ValueError(
            f"{root} has no split {split!r}, only {', '.join(splits)}: {command} adds it"
        )
    # Absolute, because other processes open it again from other folders.
    dataset = Dataset(root.resolve(), split, manifests.format_of(manifest), splits[split])
    for shard in dataset.shards:
        if not shard.exists():
            raise ValueError(
                f"{shard} is missing: repeat the `gnomon generate` command that made it"
            )
    return dataset


def open_copy(path: str | Path, split: str) -> SourceCopy:
    """Open a split in place of its sources. `describe` returns the description of the sources."""
    dataset = open_dataset(path, split)
    origin = manifests.read(Path(path))["splits"][split]["samples"]
    return SourceCopy(dataset, origin)


class Dataset(Samples):
    """Samples of a split on disk. Each sample is read when it is looked up.

    No file stays open between two reads, so the object can be copied to other processes by fork or
    pickle at any time.
    """

    def __init__(self, root: Path, split: str, shard_format: Format, entry: dict[str, Any]) -> None:
        shards = entry["shards"]
        if None in shards:
            finished = len(shards) - shards.count(None)
            raise ValueError(
                f"{root}: the split {split!r} is not finished ({finished} of {len(shards)}"
                f" shards): repeat the `gnomon generate` command that began it"
            )
        self.root, self.split, self.format = root, split, shard_format
        self.shards = [root / shard["file"] for shard in shards]
        self.content_hash = manifests.content_hash(entry)
        self._starts: list[int] = [0, *accumulate(shard["rows"] for shard in shards)]

    @property
    def length(self) -> int:
        """Number of samples of the split."""
        return self._starts[-1]

    def __repr__(self) -> str:
        return f"<Dataset {self.root}, {self.split}: {self.length:,} samples, {self.format.name}>"

    def __len__(self) -> int:
        return self.length

    def at(self, index: int) -> Sample:
        shard, row = self._place(index)
        try:
            return from_record(self.format.record(shard, row))
        except (LookupError, TypeError, ValueError, OSError) as error:
            raise ValueError(f"{shard}: row {row}: {error}") from error

    def id(self, index: int) -> str:
        sample_id: str = self.format.record(*self._place(index))["id"]
        return sample_id

    def target(self, index: int) -> Target:
        return target_from_json(
            jsons.loads(self.format.record(*self._place(index))["target"], "target")
        )

    @property
    def has_several_pictures(self) -> bool:
        return MORE_IMAGES in self.format.record(*self._place(0))

    def describe(self) -> dict[str, Any]:
        """Return the directory's name and a hash of its samples. A moved directory counts as the
        same."""
        return {
            "source": "directory",
            "directory": self.root.name,
            "split": self.split,
            "rows": self.length,
            "content": self.content_hash,
        }

    def _place(self, index: int) -> tuple[Path, int]:
        """Return the shard of a sample, and its row in the shard."""
        shard_index = bisect_right(self._starts, index) - 1
        return self.shards[shard_index], index - self._starts[shard_index]


@dataclass(frozen=True)
class SourceCopy(Samples):
    """Stored samples that replace the generators or tables they came from. `describe` returns the
    description of these sources."""

    dataset: Dataset
    origin: dict[str, Any]
    """Description of the generators or tables of the samples."""

    @property
    def length(self) -> int:
        """Number of samples of the split."""
        return self.dataset.length

    def at(self, index: int) -> Sample:
        return self.dataset.at(index)

    def id(self, index: int) -> str:
        return self.dataset.id(index)

    def target(self, index: int) -> Target:
        return self.dataset.target(index)

    @property
    def has_several_pictures(self) -> bool:
        return self.dataset.has_several_pictures

    def describe(self) -> dict[str, Any]:
        """Return the description of the sources, so the copy counts as the same samples."""
        return self.origin


def _no_dataset_message(root: Path, command: str) -> str:
    if not root.is_dir():
        return f"{root} is not a directory: {command} makes it"
    names = sorted(entry.name for entry in root.iterdir())
    # The user may have meant a folder of pictures with a table of labels.
    tables = [name for name in names if name.lower().endswith((".csv", ".tsv", ".jsonl"))]
    if tables:
        return (
            f"{root} holds no dataset, and no metadata.csv or metadata.jsonl with labels: "
            f"rename {tables[0]} so, or give {root / tables[0]}"
        )
    if any(name.lower().endswith(PICTURE_SUFFIXES) for name in names):
        return no_rows_message(root)
    return f"{root} holds no dataset: {command} makes one in an empty directory"
