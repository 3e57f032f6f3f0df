"""Random draws that depend on nothing but their key: a counter under blake2b."""

from __future__ import annotations

import struct
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")
_WORDS = struct.Struct("<8Q")


def digest(*parts: object, size: int = 8) -> bytes:
    """A hash of the parts' texts; ("a", "bc") and ("ab", "c") differ."""
    text = "\x1f".join(f"{len(str(part))}:{part}" for part in parts)
    return blake2b(text.encode(), digest_size=size).digest()


class Rng:
    """Draws from a key. The same key gives the same draws on any machine, in any process."""

    def __init__(self, *key: object) -> None:
        self._key = digest(*key, size=32)
        self._block = 0
        self._words: list[int] = []

    def bits(self) -> int:
        """64 random bits."""
        if not self._words:
            block = blake2b(self._block.to_bytes(8, "little"), key=self._key).digest()
            self._words = list(_WORDS.unpack(block))
            self._block += 1
        return self._words.pop()

    def unit(self) -> float:
        """A float in [0, 1)."""
        return (self.bits() >> 11) * 2.0**-53

    def uniform(self, low: float, high: float) -> float:
        """A float in [low, high)."""
        return low + (high - low) * self.unit()

    def integer(self, low: int, high: int) -> int:
        """An integer in low..high, both ends included."""
        return low + (self.bits() * (high - low + 1) >> 64)

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return self.unit() < probability

    def choice(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.integer(0, len(items) - 1)]
