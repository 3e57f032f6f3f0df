"""Checking a dataset against its manifest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gnomon.progress import track
from gnomon.store import manifest as manifests
from gnomon.store.layout import MANIFEST
from gnomon.store.reading.files import find
from gnomon.store.writing import formats
from gnomon.store.writing.formats.base import Format


def verify(path: str | Path, *, progress: bool = True) -> list[str]:
    """What is wrong with a dataset, a line each; nothing, if every byte is as it was written."""
    root = Path(path)
    if not root.is_dir():
        find(root, "train")  # says what would make it
    try:
        manifest = manifests.read(root)
    except ValueError as error:
        return [str(error)]
    if manifest is None:
        return [f"{root} has no {MANIFEST}, so there is nothing to check it against"]
    form = manifests.format_of(manifest)
    shards = [shard for split in manifest["splits"].values() for shard in split["shards"] if shard]
    bar = track(shards, desc="checking", unit=" shards", delay=2, disable=not progress)
    found = [problem for shard in bar for problem in _of_file(root, form, shard)]
    return [*found, *_of_the_whole(root, manifest)]


def _of_file(root: Path, form: Format, shard: dict[str, Any]) -> list[str]:
    """What is wrong with the shard."""
    file = root / shard["file"]
    if not form.there(file):
        return [f"{shard['file']}: it is missing"]
    if form.digest(file) != shard["sha256"]:
        return [f"{shard['file']}: its bytes are not those that were written"]
    rows = form.shape(file).rows
    if rows != shard["rows"]:
        return [f"{shard['file']}: it has {rows} rows, the manifest says {shard['rows']}"]
    return []


def _of_the_whole(root: Path, manifest: dict[str, Any]) -> Iterator[str]:
    known = set()
    for name, split in manifest["splits"].items():
        shards = [shard for shard in split["shards"] if shard]
        known |= {shard["file"] for shard in shards}
        rows = sum(shard["rows"] for shard in shards)
        if len(shards) < len(split["shards"]):
            yield f"{name}: {len(shards)} of {len(split['shards'])} shards are written"
        elif rows != split["n"]:
            yield f"{name}: {rows} rows in all, the manifest says n={split['n']}"
    for file in formats.shards_in(root):
        if file not in known:
            yield f"{file}: the manifest does not name it"
