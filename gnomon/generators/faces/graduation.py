"""Graduations: the ticks and labels of a scale, and the place of each value."""

from __future__ import annotations

import math
from bisect import bisect_right
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gnomon.generators.faces.scale import plain

# Ranks of ticks: labelled with a numeral, of middle length, and all others.
LABELLED, MIDDLE, SMALL = 0, 1, 2
# Largest number of ticks that a picture has room for.
MOST_TICKS = 1000


class GraduatedPiece(NamedTuple):
    """A piece of a scale whose values are spaced evenly or logarithmically."""

    low: float
    high: float
    share: float
    """Position on the path at which the piece ends, 0 to 1."""
    ticks: float | None
    """Distance from tick to tick. None if there are no ticks."""
    middle: float | None
    labels: float | None
    origin: float = 0.0
    """Value from which ticks are counted."""


class ScaleTick(NamedTuple):
    """A tick of a scale."""

    value: Decimal
    share: float
    rank: int


class Graduation:
    """The ticks of a scale, which has one or several pieces."""

    def __init__(
        self, pieces: tuple[GraduatedPiece, ...], *, is_log: bool, goes_round: bool
    ) -> None:
        self.pieces, self.is_log, self.goes_round = pieces, is_log, goes_round
        self.low, self.high = pieces[0].low, pieces[-1].high
        self._values = [self.low, *(piece.high for piece in pieces)]
        self._shares = [0.0, *(piece.share for piece in pieces)]
        self.ticks = self._all_ticks()
        by_rank = [[tick for tick in self.ticks if tick.rank == rank] for rank in range(3)]
        self.labelled = by_rank[LABELLED]
        self.shares_by_rank = tuple(np.array([t.share for t in ticks]) for ticks in by_rank)

    def share(self, value: float) -> float:
        """Return the position of a value on the path, 0 to 1. Values beyond a ring's end wrap."""
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        if self.goes_round:
            return (value - self.low) / (self.high - self.low) % 1
        return float(np.interp(value, self._values, self._shares))

    def neighbours(self, value: float) -> list[ScaleTick]:
        """Return the tick at or before a value, and the next tick.

        Before the first tick and after the last, this tick is returned twice.
        """
        if not self.ticks:
            return []
        share = self.share(value)
        after = bisect_right([tick.share for tick in self.ticks], share + 1e-9)
        if after < len(self.ticks):
            last = self.ticks[after]
        else:
            last = self.ticks[0] if self.goes_round else self.ticks[-1]
        return [self.ticks[max(0, after - 1)], last]

    def around(self, value: float) -> tuple[Decimal, Decimal]:
        """Return the values of the two ticks around a value, or of the last two at the end."""
        values = [tick.value for tick in self.ticks]
        if self.goes_round:
            values.append(Decimal(repr(self.high)))
        after = bisect_right(values, Decimal(repr(value)))
        after = min(max(after, 1), len(values) - 1)
        return values[after - 1], values[after]

    @property
    def least_gap(self) -> float:
        """Smallest distance between neighbouring ticks, as a share of the path."""
        return min((b.share - a.share for a, b in pairwise(self.ticks)), default=1.0)

    def _all_ticks(self) -> tuple[ScaleTick, ...]:
        ranks: dict[Decimal, int] = {}
        for piece in self.pieces:
            ticks = _log_ticks(piece) if self.is_log else _even_ticks(piece)
            # Where two pieces meet, the longer tick of both is drawn.
            for value, rank in ticks:
                ranks[value] = min(rank, ranks.get(value, SMALL))
        every = sorted(ranks.items())
        if self.goes_round:  # the last tick is the first one again
            every = [(value, rank) for value, rank in every if float(value) < self.high]
        return tuple(ScaleTick(value, self.share(float(value)), rank) for value, rank in every)


def _even_ticks(piece: GraduatedPiece) -> list[tuple[Decimal, int]]:
    """Return ticks with their ranks, at multiples of the finest distance from the origin."""
    steps = [None if step is None else Decimal(repr(step)) for step in piece[3:6]]
    ticks, middle, labels = steps
    finest = ticks or middle or labels
    if finest is None:
        return []
    origin = Decimal(repr(piece.origin))
    low, high = (Decimal(repr(end)) - origin for end in (piece.low, piece.high))
    first, last = math.ceil(low / finest), math.floor(high / finest)
    every = []
    for n in range(first, last + 1):
        value = n * finest
        is_label = labels is not None and not value % labels
        is_middle = middle is not None and not value % middle
        rank = LABELLED if is_label else MIDDLE if is_middle else SMALL
        every.append((plain(origin + value), rank))
    return every


def _log_ticks(piece: GraduatedPiece) -> list[tuple[Decimal, int]]:
    """Return ticks with their ranks: 1 to 9 of each decade, with numerals at 1, 2 and 5."""
    low, high = Decimal(repr(piece.low)), Decimal(repr(piece.high))
    every = []
    for power in range(math.floor(math.log10(piece.low)), math.ceil(math.log10(piece.high)) + 1):
        for digit in range(1, 10):
            value = Decimal(digit).scaleb(power)
            if low <= value <= high:
                every.append((plain(value), LABELLED if digit in (1, 2, 5) else SMALL))
    return every


@lru_cache(maxsize=512)
def graduation(pieces: tuple[GraduatedPiece, ...], is_log: bool, goes_round: bool) -> Graduation:
    """Return the graduation of these pieces, from a cache that all pictures share."""
    return Graduation(pieces, is_log=is_log, goes_round=goes_round)
