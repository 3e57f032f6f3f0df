"""Checking a dataset against its manifest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gnomon.progress import track
from gnomon.store import manifest as manifests
from gnomon.store.layout import MANIFEST


def verify(path: str | Path) -> list[str]:
    """What is wrong with a dataset, a line each; nothing, if every byte is as it was written."""
    return list(_problems(Path(path)))


def _problems(root: Path) -> Iterator[str]:
    if not (root / MANIFEST).is_file():
        if not root.exists():
            raise ValueError(f"{root}: there is no such directory")
        raise ValueError(f"{root} has no {MANIFEST}: there is nothing to check it against")
    manifest = manifests.read(root)
    form = manifests.format_of(manifest)
    splits = manifest["splits"].items()
    shards = [shard for _, split in splits for shard in split["shards"] if shard]
    for shard in track(shards, desc="checking", unit=" shards", delay=2):
        file = root / shard["file"]
        if not file.exists():
            yield f"{shard['file']}: it is missing"
        elif form.digest(file) != shard["sha256"]:
            yield f"{shard['file']}: its bytes are not those that were written"
    for name, split in splits:
        if missing := split["shards"].count(None):
            many = len(split["shards"])
            yield f"{name}: {many - missing} of {many} shards are written"
    for file in sorted(set(form.shards_in(root)) - {shard["file"] for shard in shards}):
        yield f"{file}: the manifest does not name it"
