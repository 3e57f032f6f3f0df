"""Finding the files of a split; where there are none, saying what is there and what makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from gnomon.store import manifest as manifests
from gnomon.store.rows import COLUMNS, NEEDED
from gnomon.store.writing import formats
from gnomon.store.writing.formats.base import Format


@dataclass(frozen=True)
class Files:
    """The shards of one split, in order."""

    root: Path
    split: str
    format: Format
    paths: tuple[Path, ...]
    rows: tuple[int, ...]
    """How many rows each shard has."""
    columns: tuple[str, ...]
    """Those of a sample's columns that the shards have."""
    listed: str | None
    """The hash of what the shards hold, as the manifest lists it."""

    @cached_property
    def content(self) -> str:
        """The manifest's hash, or without a manifest that of the files, which are read for it."""
        if self.listed is not None:
            return self.listed
        return sha256("".join(self.format.digest(path) for path in self.paths).encode()).hexdigest()


def find(root: Path, split: str) -> Files:
    """The files of a split, by the manifest; without one, what is named as if it had one."""
    if root.is_file():
        raise ValueError(f"{root} is a file, not a dataset's directory")
    if not root.is_dir():
        raise ValueError(f"{root} is no directory: {_command(root, split)} makes it")
    manifest = manifests.read(root) or manifests.empty()
    splits = manifest["splits"]
    if split in splits:
        return _listed(root.resolve(), split, manifests.format_of(manifest), splits[split])
    if lying := formats.found_in(root, split):
        return _unlisted(root.resolve(), split, lying)
    raise ValueError(_absent(root, split, splits))


def _listed(root: Path, split: str, form: Format, entry: dict[str, Any]) -> Files:
    shards = entry["shards"]
    if None in shards:
        there = len(shards) - shards.count(None)
        raise ValueError(
            f"{root}: the split {split!r} is not finished ({there} of {len(shards)} shards): "
            f"the `gnomon generate` that began it, run again, goes on"
        )
    paths = tuple(root / shard["file"] for shard in shards)
    for path in paths:
        if not form.there(path):
            raise ValueError(
                f"{path} is missing: the `gnomon generate` that made it, run again, mends it"
            )
    rows = tuple(shard["rows"] for shard in shards)
    columns = _columns(form, paths[0])
    return Files(root, split, form, paths, rows, columns, manifests.content(entry))


def _unlisted(root: Path, split: str, form: Format) -> Files:
    paths = tuple(root / name for name in form.shards_in(root, split))
    rows = tuple(form.shape(path).rows for path in paths)
    if not sum(rows):
        raise ValueError(f"{root}: the split {split!r} has no rows")
    return Files(root, split, form, paths, rows, _columns(form, paths[0]), None)


def _absent(root: Path, split: str, splits: Mapping[str, Any]) -> str:
    known = sorted({*splits, *formats.splits_in(root)})
    if known:
        return (
            f"{root} has no split {split!r}, only {', '.join(known)}: "
            f"{_command(root, split)} adds it"
        )
    names = sorted(entry.name for entry in root.iterdir())
    if "dataset_dict.json" in names or {"dataset_info.json", "state.json"} <= set(names):
        return (
            f"{root} is what save_to_disk of the datasets library writes: make each split a file,"
            f" with datasets.load_from_disk({str(root)!r}).to_parquet('rows.parquet'), and give it"
        )
    if labels := [name for name in names if name.lower().endswith((".csv", ".tsv", ".jsonl"))]:
        return (
            f"{root} holds no dataset, and no metadata.csv or metadata.jsonl with labels: "
            f"rename {labels[0]} so, or give {root / labels[0]}"
        )
    holds = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return (
        f"{root} holds no dataset, but {holds or 'nothing'}: "
        f"{_command(root, split)} makes one in an empty directory"
    )


def _columns(form: Format, path: Path) -> tuple[str, ...]:
    names = form.shape(path).columns
    if missing := [name for name in NEEDED if name not in names]:
        raise ValueError(
            f"{path} has no column {', '.join(missing)}: a dataset has {', '.join(COLUMNS)}"
        )
    return tuple(name for name in COLUMNS if name in names)


def _command(root: Path, split: str) -> str:
    return f"`gnomon generate KIND --n N --split {split} --out {root}`"
