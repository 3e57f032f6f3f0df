"""Many things in order, of which only some are in memory."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import IO, Any, Generic, TypeVar, overload
from weakref import finalize

T = TypeVar("T")

IN_MEMORY = 20_000
"""So many are kept as they are; from there on blocks go to a temporary file."""
_BLOCK = 500


class Spool(Sequence[T], Generic[T]):
    """A list that is only appended to, read from the beginning, or at a few places."""

    def __init__(self, *, in_memory: int = IN_MEMORY) -> None:
        self._held: list[T] = []
        self._in_memory = in_memory
        self._starts: list[int] = []
        self._file: IO[bytes] | None = None
        self._last: tuple[int, list[T]] = (-1, [])

    def append(self, item: T) -> None:
        """Add one at the end."""
        self._held.append(item)
        if len(self._held) > (_BLOCK if self._file else self._in_memory):
            self._spill()

    def whole(self) -> Sequence[T]:
        """A plain tuple where nothing went to the file; the spool itself otherwise."""
        return self if self._file else tuple(self._held)

    def __len__(self) -> int:
        return len(self._starts) * _BLOCK + len(self._held)

    def __iter__(self) -> Iterator[T]:
        for block in range(len(self._starts)):
            yield from self._block(block)
        yield from self._held

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"index {index}: there are {len(self)}")
        block, within = divmod(place, _BLOCK)
        if block >= len(self._starts):
            return self._held[place - len(self._starts) * _BLOCK]
        if self._last[0] != block:
            self._last = (block, self._block(block))
        return self._last[1][within]

    def _spill(self) -> None:
        """Whole blocks to the file; what is left of one stays."""
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the spool lives
            finalize(self, self._file.close)
        while len(self._held) >= _BLOCK:
            block, self._held = self._held[:_BLOCK], self._held[_BLOCK:]
            self._starts.append(self._file.seek(0, 2))
            _Pickler(self._file, protocol=pickle.HIGHEST_PROTOCOL).dump(block)

    def _block(self, block: int) -> list[T]:
        assert self._file is not None
        self._file.seek(self._starts[block])
        found: list[T] = pickle.load(self._file)  # noqa: S301 - what this process wrote
        return found


class _Pickler(pickle.Pickler):
    """Frozen dataclasses by what makes them: their own way back takes ten times as long."""

    def reducer_override(self, obj: Any) -> Any:
        if not is_dataclass(obj) or isinstance(obj, type):
            return NotImplemented
        return type(obj), tuple(getattr(obj, name) for name in _names(type(obj)))


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))
