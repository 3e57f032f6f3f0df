"""Random draws that depend only on their key: a counter hashed by blake2b."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from struct import Struct
from typing import TypeVar

T = TypeVar("T")
_WORDS = Struct("<8Q").unpack


def digest(*parts: object, size: int = 8) -> bytes:
    """Hash the texts of the parts. ("a", "bc") and ("ab", "c") have different hashes."""
    texts = [str(part) for part in parts]
    # The lengths come first, so no separator within a text can imitate another list.
    text = "\x1f".join([f"{len(text)}:{text}" for text in texts])
    return blake2b(text.encode(), digest_size=size).digest()


@lru_cache(maxsize=1024)
def _keyed_hasher(key: bytes) -> blake2b:
    """Return a hasher with this key. A copy of it costs less than hashing the key again."""
    return blake2b(key=key)


class Rng:
    """Random draws from a key. The same key gives the same draws on any machine, in any process."""

    __slots__ = ("_blocks", "_hasher", "_index_bytes", "_words")

    def __init__(self, *key: object) -> None:
        self._hasher = blake2b(key=digest(*key, size=32))
        self._index_bytes = b""
        self._blocks = 0
        self._words: list[int] = []

    @classmethod
    def at(cls, key: bytes, index: int) -> Rng:
        """Start the draws of an index under a hashed key of up to 64 bytes."""
        rng = cls.__new__(cls)
        rng._hasher, rng._index_bytes = _keyed_hasher(key), index.to_bytes(8, "little")
        rng._blocks, rng._words = 0, []
        return rng

    def bits(self) -> int:
        """Draw an integer of 64 random bits."""
        return (self._words or self._next_words()).pop()

    def unit(self) -> float:
        """Draw a float in [0, 1)."""
        # A float has 53 bits. All multiples of 2^-53 are equally likely.
        return ((self._words or self._next_words()).pop() >> 11) * 2.0**-53

    def uniform(self, low: float, high: float) -> float:
        """Draw a float in [low, high)."""
        # Written out, as in `chance`: a call would take longer than the rest.
        unit = ((self._words or self._next_words()).pop() >> 11) * 2.0**-53
        return low + (high - low) * unit

    def integer(self, low: int, high: int) -> int:
        """Draw an integer in low..high, both ends included."""
        # A product and a shift are faster than a remainder. The bias is the range's share in
        # 2^64.
        return low + ((self._words or self._next_words()).pop() * (high - low + 1) >> 64)

    def within(self, ends: tuple[int, int]) -> int:
        """Draw an integer from one end to the other, both included."""
        low, high = ends
        return low + ((self._words or self._next_words()).pop() * (high - low + 1) >> 64)

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return ((self._words or self._next_words()).pop() >> 11) * 2.0**-53 < probability

    def choice(self, items: Sequence[T]) -> T:
        """Draw a random item."""
        return items[(self._words or self._next_words()).pop() * len(items) >> 64]

    def sample(self, items: Iterable[T], count: int) -> list[T]:
        """Draw `count` items without replacement, all if there are fewer, in random order."""
        rest = list(items)
        return [rest.pop(self.integer(0, len(rest) - 1)) for _ in range(min(count, len(rest)))]

    def _next_words(self) -> list[int]:
        """Hash the next block of eight words."""
        # The hash of the key is copied instead of computed again.
        hasher = self._hasher.copy()
        hasher.update(self._index_bytes + self._blocks.to_bytes(8, "little"))
        # The number of the block is hashed with the index, so a sample never runs out of draws.
        self._blocks += 1
        self._words = words = list(_WORDS(hasher.digest()))
        return words
