"""How a dataset's shards lie on disk. FORMATS names the ways; a directory has one of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gnomon import names
from gnomon.store.writing.formats.base import Format

FORMATS = {
    "parquet": "gnomon.store.writing.formats.parquet:Parquet",
    "imagefolder": "gnomon.store.writing.formats.imagefolder:ImageFolder",
    "webdataset": "gnomon.store.writing.formats.webdataset:WebDataset",
}
DEFAULT = "parquet"


def create(name: str) -> Format:
    """The format of that name."""
    found: Format = names.load(FORMATS, name, what="format", listing="gnomon generate --help")()
    return found


def shards_in(root: Path, split: str | None = None) -> list[str]:
    """The shards of a split, or of all splits, that lie there in any format, as relative paths."""
    return sorted(file for _, file in _lying(root, split))


def splits_in(root: Path) -> list[str]:
    """The splits that have a shard there."""
    return sorted({form.split_of(file) for form, file in _lying(root, None)})


def found_in(root: Path, split: str) -> Format | None:
    """The format of a split's shards where no manifest says it; None where there are no shards."""
    return next((form for form, _ in _lying(root, split)), None)


def _lying(root: Path, split: str | None) -> Iterator[tuple[Format, str]]:
    for form in map(create, FORMATS):
        yield from ((form, file) for file in form.shards_in(root, split))
