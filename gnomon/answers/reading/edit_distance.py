"""Levenshtein's distances, of one text to many at once.

Myers 1999, as Hyyrö 2003 has it for the distance of whole texts: a column of the table is two sets
of bits, where it rises and where it falls from one row to the next. Here the columns of all texts
lie side by side in one long integer, with a free bit between them that catches carries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]


def distances(first: Sequence[str], second: Sequence[str]) -> Ints:
    """How many letters to put in, leave out or change, from each of the first to each other."""
    room = max(map(len, second), default=0) // 8 + 1  # bytes; a bit at least stays free
    many = _SideBySide(second, 8 * room)
    found = [len(text) + many.rises(text, room) for text in first]
    return np.array(found, dtype=np.int64).reshape(len(first), len(second))


class _SideBySide:
    """Texts in one integer, each from a multiple of `wide` bits on."""

    def __init__(self, texts: Sequence[str], wide: int) -> None:
        self._count = len(texts)
        self._starts = sum(1 << place * wide for place in range(len(texts)))
        self._places: dict[str, int] = defaultdict(int)
        self._all = 0
        for place, text in enumerate(texts):
            self._all |= ((1 << len(text)) - 1) << place * wide
            for offset, letter in enumerate(text, place * wide):
                self._places[letter] |= 1 << offset

    def rises(self, text: str, room: int) -> Ints:
        """What each column comes to from its first row to its last, after all letters of `text`."""
        everywhere, rise, fall = self._all, self._all, 0
        for letter in text:
            same = self._places.get(letter, 0)
            down = same | fall
            across = (((same & rise) + rise) ^ rise) | same
            up = fall | (everywhere & ~(across | rise))
            up, back = up << 1 | self._starts, (rise & across) << 1
            rise = everywhere & (back | ~(down | up))
            fall = everywhere & up & down
        return self._counted(rise, room) - self._counted(fall, room)

    def _counted(self, bits: int, room: int) -> Ints:
        """How many bits each text has."""
        laid = np.frombuffer(bits.to_bytes(self._count * room, "little"), dtype=np.uint8)
        bits_of = np.bitwise_count(laid).reshape(self._count, room)
        return np.asarray(bits_of.sum(axis=1), dtype=np.int64)
