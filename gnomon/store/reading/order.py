"""A shuffled order that is computed place by place, without a table."""

from __future__ import annotations

from itertools import count
from math import isqrt

from gnomon.generators.rng import digest

_ROUNDS = 6


def shuffled(place: int, length: int, *key: object) -> int:
    """What stands at `place` when range(length) is shuffled by the hash of `key`.

    A Feistel network permutes the smallest square that holds the range; what falls outside the
    range is sent through again until it falls inside. So a process needs no table of a million
    rows to know where its own row is.
    """
    side = isqrt(length - 1) + 1
    for _ in count():
        place = _permuted(place, side, key)
        if place < length:
            break
    return place


def _permuted(place: int, side: int, key: tuple[object, ...]) -> int:
    left, right = divmod(place, side)
    for turn in range(_ROUNDS):
        mixed = int.from_bytes(digest(*key, turn, right), "little")
        left, right = right, (left + mixed) % side
    return left * side + right
