"""Orders of samples: shuffled without a table, mixed by weights, or spread over their labels."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, count
from math import floor, gcd, isqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gnomon.generators.base import Generator
from gnomon.generators.rng import Rng, digest
from gnomon.sample import Sample
from gnomon.store.samples import Samples

Integers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class MixedSamples(Samples):
    """Samples of several sources. Each source has its exact share of every block of positions.

    Generated samples never repeat. A directory is read completely, in a shuffled order, before any
    of its samples repeats. Every pass has another order.
    """

    sources: tuple[Samples, ...]
    """Sources that are mixed."""
    weights: tuple[float, ...]
    """Share of each source, relative to the other sources."""
    split: str = "train"
    """Split of every source."""
    seed: int = 0
    """Seed that shuffles the pattern of the sources, and the passes through directories."""

    def __post_init__(self) -> None:
        assert self._pattern  # a weight too small is refused here, not at the first sample

    @property
    def length(self) -> int | None:
        """None, because a directory starts again when it ends."""
        return None

    @property
    def n_distinct(self) -> int | None:
        """Number of samples before the first source with an end starts again."""
        lengths = [(number, source.length) for number, source in enumerate(self.sources)]
        # An endless source never starts again.
        ends = [self._pattern.position_of(number, n) for number, n in lengths if n is not None]
        return min(ends, default=None)

    @property
    def n_per_pass(self) -> int | None:
        """Number of samples until the last source ends. Shorter sources have started again by
        then."""
        lengths = [source.length for source in self.sources]
        if None in lengths:
            return None
        # The position after the last new sample of the source that lasts longest.
        return 1 + max(
            self._pattern.position_of(number, n - 1) for number, n in enumerate(lengths) if n
        )

    def at(self, index: int) -> Sample:
        source, index_in_source = self.source_and_index(index)
        return self.sources[source][index_in_source]

    def id(self, index: int) -> str:
        source, index_in_source = self.source_and_index(index)
        return self.sources[source].id(index_in_source)

    def generators(self) -> Iterator[Generator]:
        return chain.from_iterable(source.generators() for source in self.sources)

    @property
    def has_several_pictures(self) -> bool:
        return any(source.has_several_pictures for source in self.sources)

    def source_and_index(self, index: int) -> tuple[int, int]:
        """Return the number of a position's source, and the index of the sample in that source."""
        source, rank = self._source_and_rank(index)
        length = self.sources[source].length
        if length is None:
            return source, rank
        # `number` counts the passes through this source. Each pass has another order.
        number, index = divmod(rank, length)
        return source, shuffled_index(index, length, "pass", self.seed, source, number)

    def describe(self) -> dict[str, Any]:
        return {
            "source": "mixture",
            "block": BLOCK,
            "split": self.split,
            "seed": self.seed,
            "sources": [
                {"weight": weight, **source.describe()}
                for weight, source in zip(self.weights, self.sources, strict=True)
            ],
        }

    def _source_and_rank(self, index: int) -> tuple[int, int]:
        return self._pattern.source_and_rank(index)

    @cached_property
    def _pattern(self) -> Pattern:
        return Pattern(self.weights, self.seed)


@dataclass(frozen=True)
class WholeMixture(MixedSamples):
    """Mixture that has each sample of its sources once, for the questions of an evaluation.

    It starts like `MixedSamples`. When a source ends, the others continue.
    """

    @property
    def length(self) -> int:
        """Number of samples of all sources."""
        return len(self._order[0])

    @property
    def n_distinct(self) -> int:
        return self.length

    @property
    def n_per_pass(self) -> int:
        return self.length

    def _source_and_rank(self, index: int) -> tuple[int, int]:
        sources, ranks = self._order
        return int(sources[index]), int(ranks[index])

    @cached_property
    def _order(self) -> tuple[Integers, Integers]:
        lengths = [source.length for source in self.sources]
        return self._pattern.to_the_end([length for length in lengths if length is not None])


_ROUNDS = 6  # four make a Feistel network look random; two more cost little


def shuffled_index(position: int, length: int, *key: object) -> int:
    """Return the item at `position` after range(length) was shuffled by the hash of `key`.

    A Feistel network permutes the smallest square that is not smaller than the range. It is applied
    again to results outside the range. So processes do not need a table of a million rows.
    """
    side = isqrt(length - 1) + 1
    for _ in count():
        # The square is hardly larger than the range, so a single round is nearly always enough.
        position = _permute(position, side, key)
        if position < length:
            break
    return position


def _permute(index: int, side: int, key: tuple[object, ...]) -> int:
    left, right = divmod(index, side)
    for number in range(_ROUNDS):
        # Whatever the noise, a round can be undone, so two positions never get the same item.
        noise = int.from_bytes(digest(*key, number, right), "little")
        left, right = right, (left + noise) % side
    return left * side + right


BLOCK = 1000
"""Positions after which the pattern repeats. Weights are rounded to thousandths of the sum."""


class Pattern:
    """Source and rank of every position, computed in constant time.

    Every block has the exact shares. It consists of the smallest pieces that have these shares, and
    each piece is shuffled separately. Two equal shares are therefore even after every two
    positions, not only after a thousand.
    """

    def __init__(self, weights: Sequence[float], seed: int) -> None:
        self.shares = shares(weights)
        # Shares of 500 and 500 make 500 pieces of two positions.
        rng, pieces = Rng("mixture", seed, *self.shares), gcd(*self.shares)
        piece: list[int] = []
        for source, share in enumerate(self.shares):
            piece += [source] * (share // pieces)
        self._sources = [source for _ in range(pieces) for source in _shuffle(piece, rng)]
        self._offsets: list[list[int]] = [[] for _ in self.shares]
        for index, source in enumerate(self._sources):
            self._offsets[source].append(index)

    def source_of(self, index: int) -> int:
        """Return the number of the source that a position belongs to."""
        return self._sources[index % BLOCK]

    def source_and_rank(self, index: int) -> tuple[int, int]:
        """Return a position's source, and how many earlier positions have the same source."""
        source = self.source_of(index)
        block, offset = divmod(index, BLOCK)
        # All of the earlier blocks, and the earlier positions of this block.
        return source, block * self.shares[source] + bisect_left(self._offsets[source], offset)

    def position_of(self, source: int, rank: int) -> int:
        """Return the position of a sample of this rank, the inverse of `source_and_rank`."""
        block, number = divmod(rank, self.shares[source])
        return block * BLOCK + self._offsets[source][number]

    def to_the_end(self, lengths: Sequence[int]) -> tuple[Integers, Integers]:
        """Return source and rank of each sample of sources with these lengths, each sample once.

        They are in the pattern's order. A source that has ended is skipped.
        """
        places, sources, ranks = [], [], []
        for source, length in enumerate(lengths):
            rank = np.arange(length)
            block, number = np.divmod(rank, self.shares[source])
            places.append(block * BLOCK + np.array(self._offsets[source])[number])
            sources.append(np.full(length, source))
            ranks.append(rank)
        order = np.argsort(np.concatenate(places))
        return np.concatenate(sources)[order], np.concatenate(ranks)[order]


def shares(weights: Sequence[float]) -> tuple[int, ...]:
    """Divide a block's positions by weights. The largest remainders get the rest."""
    total = sum(map(Fraction, weights))
    # As fractions, because 0.1 + 0.2 as floats would leave a remainder.
    exact = [Fraction(weight) * BLOCK / total for weight in weights]
    counts = [floor(share) for share in exact]
    by_remainder = sorted(range(len(counts)), key=lambda source: counts[source] - exact[source])
    for source in by_remainder[: BLOCK - sum(counts)]:
        counts[source] += 1
    if 0 in counts:
        weight = weights[counts.index(0)]
        raise ValueError(
            f"weight={weight} of {float(total):g} in total is less than 1 in {BLOCK}, so its source"
            " would never be drawn: raise the weight, or leave the source out"
        )
    return tuple(counts)


def _shuffle(items: Sequence[int], rng: Rng) -> list[int]:
    """Shuffle by Fisher and Yates."""
    copy = list(items)
    for last in range(len(copy) - 1, 0, -1):
        other = rng.integer(0, last)
        copy[last], copy[other] = copy[other], copy[last]
    return copy


# Number of samples whose labels are compared, for each returned sample.
_CANDIDATES = 64


def varied_indices(samples: Samples, n: int, *, seed: int) -> list[int]:
    """Return the indices of n random samples. A label repeats only after each label has occurred.

    If there are at most n samples, all are returned in order. Endless samples are already drawn or
    shuffled by a seed, so the first are returned.
    """
    length = samples.length
    if length is None or length <= n:
        return list(range(n if length is None else length))
    by_label: dict[str, list[int]] = {}
    for candidate in range(min(length, _CANDIDATES * n)):
        index = shuffled_index(candidate, length, "spread", seed)
        # Labels are read without pictures.
        by_label.setdefault(samples.target(index).display(), []).append(index)
    # Pairs of rank and index: the first of each label, then the second of each.
    ranked = [item for indices in by_label.values() for item in enumerate(indices)]
    ranked.sort(key=lambda item: item[0])  # stable: within a rank the order is random already
    return [index for _, index in ranked[:n]]
