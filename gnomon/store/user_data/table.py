"""A user's rows as samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gnomon.sample import Sample, Target
from gnomon.store.pictures import load_picture
from gnomon.store.samples import Outline, Samples
from gnomon.store.user_data.pictures import measure_picture
from gnomon.store.user_data.rows import Picture, UserRow, UserRows


class UserTable(Samples):
    """Samples of a split's rows, or of all rows, in the order of the file."""

    def __init__(
        self, name: str, origin: dict[str, Any], split: str, table: UserRows, content: str
    ) -> None:
        """`origin` is the part of the description that says how rows were read from the file."""
        self.name, self.origin, self.split = name, origin, split
        self.rows: Sequence[UserRow] = table if split == "all" else table.by_split[split]
        self.content = content
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
        """Return the table of a split, or this one for "all"; refuse a split without rows."""
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
            split: UserTable(self.name, self.origin, split, self._table, self.content)
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
        pixels = b"".join([pixel_hash for _, pixel_hash in measures])
        return Outline(self.id(index), row.question, row.target, self._facts(row), sizes, pixels)

    def _facts(self, row: UserRow) -> dict[str, Any]:
        facts = {"file": self.name, "line": row.line, "group": row.group}
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
        """Return the file's name and a hash of its rows, pictures counting by name and size."""
        return {
            "source": "own",
            "file": self.name,
            **self.origin,
            "split": self.split,
            "rows": self.length,
            "content": self.content,
        }
