"""Formats of a dataset's shards on disk, by name in FORMATS. A dataset uses a single format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from gnomon import names
from gnomon.files import open_bytes

if TYPE_CHECKING:
    from gnomon.store.records import Record


FORMATS = {
    "parquet": "gnomon.store.formats.parquet:Parquet",
    "imagefolder": "gnomon.store.formats.imagefolder:ImageFolder",
    "webdataset": "gnomon.store.formats.webdataset:WebDataset",
}
DEFAULT = "parquet"


def create(name: str) -> Format:
    """Return the format of this name. An unknown name is refused with the list of names."""
    # A new instance each time, because instances cache offsets of the files that they read.
    kind: type[Format] = names.load(FORMATS, name, what="format", command="gnomon generate --help")
    return kind()


DATA = "data"
"""Folder of the shards in a dataset, for formats whose shards are files."""


class Format(ABC):
    """Format that writes a shard as a file or folder. A shard appears completely or not at all.

    No file stays open between two reads. An instance may cache offsets of a shard. A pickled copy
    for another process starts without them.
    """

    name: ClassVar[str]
    suffix: ClassVar[str] = ""
    """End of a shard's file name."""
    loading: ClassVar[str]
    """Python code for the dataset's card that reads a `{split}` of `{shards}` shards, 0 to
    `{last}`."""
    holds_several_pictures: ClassVar[bool] = False
    """True if the format can store a sample with several pictures."""

    # Otherwise a copy for another process would carry the offsets of all shards.
    def __reduce__(self) -> tuple[type[Format], tuple[()]]:
        return type(self), ()

    def file(self, split: str, number: int, shards: int) -> str:
        """Return a shard's path below the dataset's folder."""
        return f"{DATA}/{split}-{number:05}-of-{shards:05}{self.suffix}"

    def shards(self, split: str) -> str:
        """Return a glob pattern of all shards of a split."""
        return f"{DATA}/{split}-*{self.suffix}"

    def files(self, split: str) -> str:
        """Return a glob pattern of all files of a split, for the Hugging Face libraries."""
        return self.shards(split)

    def find_shards(self, root: Path, split: str = "*") -> list[str]:
        """Return the shards on disk, of one split or of all, as sorted relative paths."""
        paths = root.glob(self.shards(split))
        return sorted(shard.relative_to(root).as_posix() for shard in paths)

    @abstractmethod
    def write(self, final: Path, records: Iterable[Record], *, split: str, first: int) -> None:
        """Write a shard whose first record is sample `first` of the split."""

    def foreign_files(self, shard: Path, split: str) -> list[str]:  # noqa: ARG002 - a file has none
        """Return the files in a shard's folder that do not belong to it, except hidden files."""
        return []

    def digest(self, shard: Path) -> str:
        """Return a hash over everything in the shard."""
        return file_sha256(shard)

    @abstractmethod
    def record(self, shard: Path, row: int) -> Record:
        """Read a record by its row. Its picture is `{"bytes": …, "path": None}` or None."""


def file_sha256(file: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    with open_bytes(file) as stream:
        return file_digest(stream, "sha256").hexdigest()
