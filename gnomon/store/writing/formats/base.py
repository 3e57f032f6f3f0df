"""What every format is: it writes one shard from rows, and reads the rows of shards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from glob import escape
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from gnomon.store.rows import Row


DATA = "data"
"""The folder of a dataset that holds its shards."""


class Shape(NamedTuple):
    """What a shard says of itself."""

    rows: int
    columns: tuple[str, ...]


class Reader(ABC):
    """The rows of some shards, read as they are asked for; nothing stays open between two reads."""

    @abstractmethod
    def record(self, shard: int, row: int) -> dict[str, Any]:
        """One row by columns, the picture as `{"bytes": …, "path": …}` or None."""


class Format(ABC):
    """A shard is one file, put in its place at once, beside the others."""

    name: ClassVar[str]
    suffix: ClassVar[str]
    loading: ClassVar[str]
    """Lines of Python that read a `{split}` of `{shards}` shards, from 0 to `{last}`."""
    takes_several: ClassVar[bool] = False
    """Whether it holds a sample with several pictures."""

    def file(self, split: str, number: int, shards: int) -> str:
        """A shard's path under the root."""
        return f"{DATA}/{split}-{number:05}-of-{shards:05}{self.suffix}"

    def split_of(self, file: str) -> str:
        """The split of the shard with that path."""
        return file.removeprefix(f"{DATA}/").partition("-")[0]

    def shards(self, split: str) -> str:
        """A pattern of the paths of all shards of a split."""
        return f"{DATA}/{split}-*{self.suffix}"

    def shards_in(self, root: Path, split: str | None) -> list[str]:
        """The shards of a split, or of all, that lie there, as relative paths in order."""
        found = root.glob(self.shards("*" if split is None else escape(split)))
        return sorted(shard.relative_to(root).as_posix() for shard in found if shard.is_file())

    @abstractmethod
    def write(self, final: Path, rows: Iterable[Row], *, split: str, first: int) -> None:
        """Write a shard whose first row is sample `first` of the split.

        Only what touches the disk names the file: a drawing that fails keeps its own message.
        """

    @abstractmethod
    def shape(self, shard: Path) -> Shape:
        """How many rows it has, and which columns; a ValueError names a shard that is none."""

    @abstractmethod
    def reader(self, shards: Sequence[Path], columns: Sequence[str]) -> Reader:
        """What reads the rows of these shards."""


def sha256_of(file: Path) -> str:
    """The hash of a file's bytes."""
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()
