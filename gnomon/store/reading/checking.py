"""Checking a dataset against its manifest, and a part of its samples against a new drawing."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import Any

from gnomon.progress import track
from gnomon.sample import Sample
from gnomon.store import manifest as manifests
from gnomon.store.layout import MANIFEST, dealt
from gnomon.store.pixels import fingerprint
from gnomon.store.reading.dataset import Dataset
from gnomon.store.reading.files import find, shard_alone
from gnomon.store.reading.order import shuffled
from gnomon.store.reading.samples import Samples
from gnomon.store.reading.sources import redrawn
from gnomon.store.rows import texts_of
from gnomon.store.writing import formats
from gnomon.store.writing.formats.base import Format


def verify(path: str | Path, *, redraw: float = 0.05, progress: bool = True) -> list[str]:
    """What is wrong with a dataset, a line each; nothing, if it is sound.

    Every shard's bytes are checked against the manifest. Of what was drawn, the share `redraw` is
    drawn again and compared, one sample a shard at least; but nothing where a part of it is copied,
    or is of a kind whose version has changed since, as that draws something else.
    """
    if not 0 <= redraw <= 1:
        raise ValueError(f"redraw={redraw}: give a share from 0 to 1")
    root = Path(path)
    if not root.is_dir():
        find(root, "train")  # says what would make it
    try:
        manifest = manifests.read(root)
    except ValueError as error:
        return [str(error)]
    if manifest is None:
        return [f"{root} has no {MANIFEST}, so there is nothing to check it against"]
    return [*_of_shards(root, manifest, redraw, progress), *_of_the_whole(root, manifest)]


def _of_shards(
    root: Path, manifest: dict[str, Any], redraw: float, progress: bool
) -> Iterator[str]:
    form = manifests.format_of(manifest)
    total = sum(len(split["shards"]) for split in manifest["splits"].values())
    with track(total=total, desc="checking", unit=" shards", delay=2, disable=not progress) as bar:
        for name, split in manifest["splits"].items():
            for found in _of_split(root, name, form, split, redraw):
                yield from found
                bar.update()


def _of_split(
    root: Path, name: str, form: Format, split: dict[str, Any], share: float
) -> Iterator[list[str]]:
    """The problems of each shard in turn."""
    drawn = None
    try:
        drawn = redrawn(split["samples"]) if share else None
    except ValueError as error:  # a manifest that was changed by hand
        yield [f"{name}: its samples cannot be drawn again: {error}"]
    for number, shard in enumerate(split["shards"]):
        if shard is None:  # told with the whole
            yield []
            continue
        found = _of_file(root, form, shard)
        if drawn is not None and not found:
            stored = Dataset(shard_alone(root, name, form, shard))
            first = dealt(split["n"], len(split["shards"]), number).start
            found = _of_samples(shard, stored, drawn, first, share, split["versions"])
        yield found


def _of_samples(
    shard: dict[str, Any],
    stored: Dataset,
    drawn: Samples,
    first: int,
    share: float,
    versions: dict[str, str],
) -> list[str]:
    """How some rows of a shard, always the same ones, differ from a new drawing."""
    n = shard["rows"]
    rows = [shuffled(place, n, shard["sha256"]) for place in range(ceil(n * share))]
    found = []
    for row in sorted(rows):
        if what := _difference(stored[row], drawn[first + row]):
            found.append(f"row {row} ({stored[row].id}) in its {what}")
    if not found:
        return []
    told = f"{len(found)} of {len(rows)} samples drawn again differ, such as {found[0]}"
    # Other libraries may draw other pixels, which is no damage.
    changed = "; ".join(manifests.differences(versions, manifests.versions()))
    return [f"{shard['file']}: {told}{f' (but {changed})' if changed else ''}"]


def _difference(stored: Sample, drawn: Sample) -> str:
    old, new = texts_of(stored), texts_of(drawn)
    names = [name for name in old if old[name] != new[name]]
    if list(map(fingerprint, stored.images)) != list(map(fingerprint, drawn.images)):
        names.insert(0, "pixels")
    return ", ".join(names)


def _of_file(root: Path, form: Format, shard: dict[str, Any]) -> list[str]:
    """What is wrong with the shard; where anything is, its samples are not looked at."""
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
