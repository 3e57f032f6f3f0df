"""A user's rows, compressed in memory, as samples.

A table of 100,000 rows stays open while a model trains on three thousand pictures, and every worker
process gets a copy. As objects, its rows would take half a kilobyte each. In compressed blocks they
take some tens of bytes, and each picture is stored once, however many rows name it.
"""

from __future__ import annotations

import pickle
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, overload

from gnomon.sample import Sample, Target
from gnomon.store.pictures import load_picture
from gnomon.store.samples import Outline, Samples
from gnomon.store.user_data.checked_pictures import Picture, measure_picture

# Rows of a block. Reading a row decodes its block, in a quarter of a millisecond. Larger blocks
# hardly compress better.
_BLOCK = 64


class UserRow(NamedTuple):
    """Usable row of a user's file, or one of the samples of a row."""

    line: int
    image: Path | bytes | None
    question: str
    target: Target
    group: str
    """Name shared by all rows that must be in the same split, such as the name of the picture."""
    split: str
    rationale: str = ""
    part: str = ""
    """Distinguishes the samples of a line that has several, such as a chat of several questions."""
    more_images: tuple[Path | bytes, ...] = ()
    """Pictures after the first."""
    shared_names: tuple[str, ...] = ()
    """Names of its pictures, if rows with the same pictures must be in the same split."""
    instrument: str = ""
    """Kind of instrument in the picture, if the file names it. Reports score each kind."""

    @property
    def pictures(self) -> tuple[Path | bytes, ...]:
        return () if self.image is None else (self.image, *self.more_images)


_IMAGE, _MORE = UserRow._fields.index("image"), UserRow._fields.index("more_images")


class _Pictures:
    """Distinct pictures in the order of the rows, and their numbers."""

    def __init__(self) -> None:
        self.items: list[Picture] = []
        self.numbers: dict[Picture, int] = {}

    def add(self, picture: Picture) -> None:
        if self.numbers.setdefault(picture, len(self.items)) == len(self.items):
            self.items.append(picture)


class SplitRows(Sequence[UserRow]):
    """Rows of one split, in the order of the file."""

    def __init__(self, pictures: _Pictures, number: int) -> None:
        self.number = number
        """Place among the splits of the table."""
        self.has_several_pictures = False
        """True if a row has more than one picture."""
        self._pictures = pictures
        self._blocks: list[bytes] = []
        self._tail: list[UserRow] = []  # the last rows, fewer than a block
        self._latest: tuple[int, list[UserRow]] = (-1, [])  # the block decoded last, by its number

    def append(self, row: UserRow) -> None:
        """Add a row. A full block is packed."""
        for picture in row.pictures:
            self._pictures.add(picture)
        self.has_several_pictures |= bool(row.more_images)
        self._tail.append(row)
        if len(self._tail) == _BLOCK:
            self._blocks.append(self._encode(self._tail))
            self._tail = []

    def __len__(self) -> int:
        return len(self._blocks) * _BLOCK + len(self._tail)

    @overload
    def __getitem__(self, index: int) -> UserRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[UserRow]: ...
    def __getitem__(self, index: int | slice) -> UserRow | list[UserRow]:
        if isinstance(index, slice):
            return [self[row] for row in range(len(self))[index]]
        # range() takes negative indices, and refuses indices beyond the end.
        number, offset = divmod(range(len(self))[index], _BLOCK)
        if number == len(self._blocks):
            return self._tail[offset]
        if self._latest[0] != number:
            self._latest = number, self._decode(self._blocks[number])
        return self._latest[1][offset]

    def __iter__(self) -> Iterator[UserRow]:
        for block in self._blocks:
            yield from self._decode(block)
        yield from self._tail

    # Workers get a copy, and decode the blocks that they need.
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_latest": (-1, [])}

    def _encode(self, rows: Sequence[UserRow]) -> bytes:
        numbers, table = self._pictures.numbers, []
        for row in rows:
            cells: list[Any] = list(row)  # pickle would call Python code for each named tuple
            cells[_IMAGE] = None if row.image is None else numbers[row.image]
            cells[_MORE] = [numbers[picture] for picture in row.more_images]
            table.append(cells)
        # Level 1 is the fastest. Every row is packed once and unpacked for every pass.
        return zlib.compress(pickle.dumps(table), 1)

    def _decode(self, block: bytes) -> list[UserRow]:
        items, rows = self._pictures.items, []
        for cells in pickle.loads(zlib.decompress(block)):  # noqa: S301 - of this process
            if cells[_IMAGE] is not None:
                cells[_IMAGE] = items[cells[_IMAGE]]
            cells[_MORE] = tuple([items[number] for number in cells[_MORE]])
            rows.append(UserRow._make(cells))
        return rows


class UserRows(Sequence[UserRow]):
    """Rows of a table, in the order of the file."""

    def __init__(self, rows: Iterable[UserRow] = ()) -> None:
        self.by_split: dict[str, SplitRows] = {}
        self._pictures = _Pictures()
        self._splits, self._ranks = array("B"), array("I")  # of each row, and its place in that
        self.extend(rows)

    @property
    def pictures(self) -> list[Picture]:
        """Distinct pictures of all rows."""
        return self._pictures.items

    def extend(self, rows: Iterable[UserRow]) -> None:
        """Add rows to their splits."""
        for row in rows:
            part = self.by_split.get(row.split)
            if part is None:
                part = SplitRows(self._pictures, len(self.by_split))
                self.by_split[row.split] = part
            self._splits.append(part.number)
            self._ranks.append(len(part))
            part.append(row)

    def __len__(self) -> int:
        return len(self._ranks)

    @overload
    def __getitem__(self, index: int) -> UserRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[UserRow]: ...
    def __getitem__(self, index: int | slice) -> UserRow | list[UserRow]:
        if isinstance(index, slice):
            return [self[row] for row in range(len(self))[index]]
        return list(self.by_split.values())[self._splits[index]][self._ranks[index]]

    def __iter__(self) -> Iterator[UserRow]:
        parts = [iter(part) for part in self.by_split.values()]
        for split in self._splits:
            # Every split has its rows in order, so taking the next of each gives the order of the
            # file.
            yield next(parts[split])


class UserTable(Samples):
    """Samples of a split's rows, or of all rows, in the order of the file."""

    def __init__(
        self,
        name: str,
        origin: dict[str, Any],
        split: str,
        table: UserRows,
        content: str,
        n_skipped: int = 0,
    ) -> None:
        """`origin` is the part of the description that says how rows were read from the file."""
        self.name, self.origin, self.split = name, origin, split
        self.rows: Sequence[UserRow] = table if split == "all" else table.by_split[split]
        self.content = content
        self.n_skipped = n_skipped
        """Rows of the whole file that are unusable and left out."""
        self._table = table

    @property
    def pictures(self) -> list[Picture]:
        """Distinct pictures of all splits."""
        return self._table.pictures

    def __repr__(self) -> str:
        return f"<UserTable {self.name}, {self.split}: {self.length:,} rows>"

    @property
    def length(self) -> int:
        """Number of rows of the split."""
        return len(self.rows)

    def part(self, split: str) -> UserTable:
        """Return the table of a split, or this table for "all". Refuse a split without rows."""
        if split == "all":
            return self
        parts = self.parts()
        if split not in parts:
            raise ValueError(
                f"{self.name}: no row belongs to the {split} split, only to"
                f" {', '.join(sorted(parts))}; a benchmark's split is in its file's name, your own"
                " rows in a column that columns.split names"
            )
        return parts[split]

    def parts(self) -> dict[str, UserTable]:
        """Return the tables of the splits that have rows."""
        return {
            split: UserTable(
                self.name, self.origin, split, self._table, self.content, self.n_skipped
            )
            for split in self._table.by_split
        }

    def at(self, index: int) -> Sample:
        row = self.rows[index]
        with self._line_in_errors(row):
            pictures = [load_picture(image) for image in row.pictures]
        first, more = (pictures[0], tuple(pictures[1:])) if pictures else (None, ())
        facts = self._facts(row)
        return Sample(self.id(index), first, row.question, row.target, facts, row.rationale, more)

    def target(self, index: int) -> Target:
        return self.rows[index].target

    def outline(self, index: int) -> Outline:
        row = self.rows[index]
        with self._line_in_errors(row):
            measures = [measure_picture(image) for image in row.pictures]
        sizes = tuple([size for size, _ in measures])
        hashes = b"".join([pixel_hash for _, pixel_hash in measures])
        return Outline(self.id(index), row.question, row.target, self._facts(row), sizes, hashes)

    def _facts(self, row: UserRow) -> dict[str, Any]:
        facts: dict[str, Any] = {"file": self.name, "line": row.line, "group": row.group}
        if row.instrument:
            facts["instrument"] = row.instrument
        return {**facts, "picture": row.image.name} if isinstance(row.image, Path) else facts

    @contextmanager
    def _line_in_errors(self, row: UserRow) -> Iterator[None]:
        """Put the line before errors of a picture that has changed since the table was opened."""
        try:
            yield
        except ValueError as error:
            raise ValueError(f"{self.name}: line {row.line}: {error}") from error

    def id(self, index: int) -> str:
        row = self.rows[index]
        return f"{self.name}-{row.line:07}{row.part and '-'}{row.part}"

    @property
    def has_several_pictures(self) -> bool:
        parts = [
            part for split, part in self._table.by_split.items() if self.split in ("all", split)
        ]
        return any(part.has_several_pictures for part in parts)

    def describe(self) -> dict[str, Any]:
        """Return the file's name and a hash of its rows and of the content of their pictures."""
        return {
            "source": "own",
            "file": self.name,
            **self.origin,
            "split": self.split,
            "rows": self.length,
            "content": self.content,
        }
