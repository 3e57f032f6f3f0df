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
    """A shard is one file or one folder; it is put in its place at once."""

    name: ClassVar[str]
    loading: ClassVar[str]
    """Lines of Python that read a `{split}` of `{shards}` shards, from 0 to `{last}`."""
    needs_pictures: ClassVar[bool] = False
    """Whether it cannot hold a question that is text alone."""
    takes_several: ClassVar[bool] = False
    """Whether it holds a sample with several pictures."""

    @abstractmethod
    def file(self, split: str, number: int, shards: int) -> str:
        """A shard's path under the root."""

    @abstractmethod
    def split_of(self, file: str) -> str:
        """The split of the shard with that path."""

    @abstractmethod
    def shards(self, split: str) -> str:
        """A pattern of the paths of all shards of a split."""

    def files(self, split: str) -> str:
        """A pattern of all files of a split, as the Hugging Face libraries take it."""
        return self.shards(split)

    def shards_in(self, root: Path, split: str | None) -> list[str]:
        """The shards of a split, or of all, that lie there, as relative paths in order."""
        found = root.glob(self.shards("*" if split is None else escape(split)))
        return sorted(shard.relative_to(root).as_posix() for shard in found if self.there(shard))

    @abstractmethod
    def write(self, final: Path, rows: Iterable[Row], *, split: str, first: int) -> None:
        """Write a shard whose first row is sample `first` of the split.

        Only what touches the disk names the file: a drawing that fails keeps its own message.
        """

    @abstractmethod
    def there(self, shard: Path) -> bool:
        """Whether the shard lies there, sound or not."""

    @abstractmethod
    def digest(self, shard: Path) -> str:
        """The hash of all that the shard holds."""

    @abstractmethod
    def shape(self, shard: Path) -> Shape:
        """How many rows it has, and which columns; a ValueError names a shard that is none."""

    @abstractmethod
    def reader(self, shards: Sequence[Path], columns: Sequence[str]) -> Reader:
        """What reads the rows of these shards."""


class FileFormat(Format):
    """A format with a file for each shard, beside each other."""

    suffix: ClassVar[str]

    def file(self, split: str, number: int, shards: int) -> str:
        return f"{DATA}/{split}-{number:05}-of-{shards:05}{self.suffix}"

    def split_of(self, file: str) -> str:
        return file.removeprefix(f"{DATA}/").partition("-")[0]

    def shards(self, split: str) -> str:
        return f"{DATA}/{split}-*{self.suffix}"

    def there(self, shard: Path) -> bool:
        return shard.is_file()

    def digest(self, shard: Path) -> str:
        return sha256_of(shard)


def sha256_of(file: Path) -> str:
    """The hash of a file's bytes."""
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()
