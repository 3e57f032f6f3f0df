"""manifest.json: a dataset's splits and shards, the descriptions of their samples, and versions.

A missing shard is null, so the manifest of a killed run shows its progress. The manifest has no
times, so the same samples give the same manifest.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from dataclasses import field
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from gnomon import files
from gnomon.atomic import put_text
from gnomon.jsons import first_fault
from gnomon.progress import track
from gnomon.store import formats
from gnomon.store.formats import Format
from gnomon.version import __version__

MANIFEST = "manifest.json"
FORMAT = 1
_STRICT = ConfigDict(strict=True)
# Largest manifest in bytes. A shard takes about 500.
_LARGEST = 2**26
_WAY_OUT = "delete the directory and repeat the `gnomon generate` command that made it"


# Number of rows. Without a limit, a forged count of 10^30 would be looped over.
_Count = Annotated[int, Field(ge=0, le=10**9)]


@dataclass(frozen=True, config=_STRICT)
class _Shard:
    file: Annotated[str, Field(pattern=r"^\w+(/\w[\w.-]*)+$")]
    """Path below the dataset. A manifest from a stranger must not name other files."""
    sha256: str
    pixels: str
    labels: str
    rows: _Count
    counts: dict[str, dict[str, int]]


@dataclass(frozen=True, config=_STRICT)
class _Samples:
    source: str
    kind: str | None = None
    options: dict[str, Any] | None = None
    seed: int | None = None
    weight: float | int = 1
    files: dict[str, str] = field(default_factory=dict)
    sources: list[_Samples] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.source == "drawn" and (self.kind is None or self.options is None):
            raise ValueError("samples from a generator need a kind and options")


@dataclass(frozen=True, config=_STRICT)
class _Split:
    samples: _Samples
    n: _Count
    versions: dict[str, Any]
    shards: Annotated[list[_Shard | None], Field(min_length=1)]

    def __post_init__(self) -> None:
        rows = sum(shard.rows for shard in self.shards if shard)
        # Fewer rows mean that the dataset is not finished.
        if rows > self.n:
            raise ValueError(f"its shards have {rows:,} rows, but n is {self.n:,}")


@dataclass(frozen=True, config=_STRICT)
class _Manifest:
    """Keys that are checked."""

    format: Literal[1]
    splits: dict[str, _Split]
    shards: Annotated[str, AfterValidator(formats.create)]


def empty(shards: str = formats.DEFAULT) -> dict[str, Any]:
    """Return the manifest of a dataset without splits. `shards` names its format."""
    return {"format": FORMAT, "shards": shards, "splits": {}}


def format_of(manifest: dict[str, Any]) -> Format:
    """Return the format of the shards."""
    return formats.create(manifest["shards"])


def read(root: Path) -> dict[str, Any]:
    """Read and check the manifest of a directory. Return an empty manifest if the file is
    missing."""
    file = root / MANIFEST
    if not file.exists():
        return empty()
    data = files.read_bytes(file, "a manifest", limit=_LARGEST)
    try:
        # Unknown keys are accepted, because a newer gnomon may have written them.
        TypeAdapter(_Manifest).validate_json(data)
    except ValidationError as error:
        raise ValueError(f"{file} is not a manifest: {first_fault(error)}; {_WAY_OUT}") from error
    # The text is validated, so unknown keys stay in it.
    manifest: dict[str, Any] = json.loads(data)
    return manifest


def save(root: Path, manifest: dict[str, Any]) -> None:
    """Replace the manifest in one step, so a killed run leaves the old or the new manifest."""
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    put_text(root / MANIFEST, text + "\n")


def versions() -> dict[str, str]:
    """Return the versions on which the bytes depend: gnomon, Python, and the libraries."""
    import cv2

    libraries = {name: version(name) for name in ("numpy", "pillow", "pyarrow", "zlib-ng")}
    libraries |= {"cv2": cv2.__version__, "gnomon": __version__}
    return dict(sorted({**libraries, "python": platform.python_version()}.items()))


def content_hash(split: dict[str, Any]) -> str:
    """Return a hash of all pictures and labels of a split, the same for every file format."""
    # In the order of the shards, which is the order of the samples.
    prints = [(shard["pixels"], shard["labels"]) for shard in split["shards"]]
    return sha256(json.dumps(prints).encode()).hexdigest()


def differences(stored: object, requested: object, path: str = "") -> Iterator[str]:
    """Yield a text for each value in which two descriptions differ, with its path of keys."""
    if isinstance(stored, list) and isinstance(requested, list) and len(stored) == len(requested):
        # Lists of equal length are compared item by item, dicts key by key.
        stored, requested = dict(enumerate(stored)), dict(enumerate(requested))
    if isinstance(stored, dict) and isinstance(requested, dict):
        for key in sorted(stored.keys() | requested.keys()):
            inner = f"{path}.{key}" if path else key
            yield from differences(stored.get(key), requested.get(key), inner)
    elif stored != requested:
        yield f"{path} is {json.dumps(stored)} there, {json.dumps(requested)} here"


def user_file_hashes(split: dict[str, Any]) -> dict[str, str]:
    """Return the hashes of the user's files that a split is drawn with, such as fonts, by path."""
    return {
        path: digest
        for samples in (split["samples"], *split["samples"].get("sources", []))
        for path, digest in samples.get("files", {}).items()
    }


def verify(path: str | Path) -> list[str]:
    """Return a line for each fault of a dataset. Empty if every byte is as it was written."""
    return list(_problems(Path(path)))


def _problems(root: Path) -> Iterator[str]:
    if not (root / MANIFEST).is_file():
        if not root.exists():
            raise ValueError(f"{root}: there is no such directory")
        raise ValueError(f"{root} has no {MANIFEST}, so it cannot be checked")
    manifest = read(root)
    shard_format = format_of(manifest)
    splits = manifest["splits"].items()
    shards = [shard for _, split in splits for shard in split["shards"] if shard]
    for shard in track(shards, desc="checking", unit=" shards", delay=2):
        file = root / shard["file"]
        if not file.exists():
            yield f"{shard['file']}: it is missing"
        elif shard_format.digest(file) != shard["sha256"]:
            yield f"{shard['file']}: its bytes have changed since it was written"
    for name, split in splits:
        missing, total = split["shards"].count(None), len(split["shards"])
        if missing:
            yield f"{name}: {total - missing} of {total} shards are written"
    for file in sorted(set(shard_format.find_shards(root)) - {shard["file"] for shard in shards}):
        yield f"{file}: the manifest does not name it"
