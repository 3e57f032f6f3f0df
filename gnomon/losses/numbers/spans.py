"""Which labels are digits of which numbers; `_reader` finds them.

Shapes: B batch, T tokens, P positions: all B·T of them, the kept ones, or the numeric ones; S
slots for numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

IGNORED = -100


@dataclass(frozen=True)
class Spans:
    """The numbers in [B, T] labels, position by position in row-major order.

    `vocab.spans` gives an entry to each of the B·T positions, because how many of them are kept
    is only known to the device; `for_rows` cuts it down to those, once the logits tell how many.
    """

    batch: int
    """B."""
    kept: Tensor  # [P] bool
    """Whether the label counts at all: it is not -100."""
    row: Tensor  # [P]
    """The row of the batch that it stands in."""
    numeric: Tensor  # [P] bool
    """Whether it is a token of digits in a number that could be read."""
    index: Tensor  # [P]
    """Which of the vocabulary's N entries it is; 0 where not numeric."""
    place: Tensor  # [P]
    """The place of its last digit, worth 10**place: 3, 2, 1, 0 and -1 in 1234.5."""
    number: Tensor  # [P]
    """Which number it belongs to; 0 where not numeric."""
    exists: Tensor  # [S] bool, by number
    """Whether there is a number in this slot; there are as many as numbers there can be."""
    negative: Tensor  # [S] bool, by number
    """Whether it has a minus sign."""
    value: Tensor  # [S] float64, by number
    """Its value, sign and all; the losses work from the digits, since 45 of them do not fit."""

    def for_rows(self, rows: int) -> Spans:
        """The same over the kept positions alone, of which there are `rows`."""
        if rows == len(self.kept):
            return self
        if self._may_be_asked and rows != int(self.kept.sum()):
            raise ValueError(f"{rows} rows of logits, but {int(self.kept.sum())} labels are kept")
        order = torch.sort((~self.kept).byte(), stable=True).indices[:rows]
        return replace(
            self._positions(order), **{name: getattr(self, name)[:rows] for name in _BY_NUMBER}
        )

    def of_numbers(self) -> tuple[Spans, Tensor | None]:
        """The same over the numeric positions alone, and which those are: [P].

        None, and all positions, where a device would have to be waited for to tell how many.
        """
        if not self._may_be_asked:
            return self, None
        which = self.numeric.nonzero().flatten()
        return self._positions(which), which

    def of_number(self, amounts: Tensor) -> Tensor:
        """[P] amounts, 0 where not numeric, summed over each number's digits: [S]."""
        return tally(self.number, amounts, len(self.exists))

    def first_places(self) -> Tensor:
        """The highest place in each number, 0 at least: [S]."""
        return self._highest(self.place)

    def number_rows(self) -> Tensor:
        """The row that each number stands in: [S]."""
        return self._highest(self.row)

    @property
    def _may_be_asked(self) -> bool:
        return self.kept.is_cpu and not torch.compiler.is_compiling()

    def _positions(self, which: Tensor) -> Spans:
        return replace(self, **{name: getattr(self, name)[which] for name in _BY_POSITION})

    def _highest(self, amounts: Tensor) -> Tensor:
        amounts = torch.where(self.numeric, amounts, 0)
        slots = amounts.new_zeros(len(self.exists))
        return slots.scatter_reduce(0, self.number, amounts, "amax")


_BY_POSITION = ("kept", "row", "numeric", "index", "place", "number")
_BY_NUMBER = ("exists", "negative", "value")


def tally(slot: Tensor, amounts: Tensor, slots: int | None = None) -> Tensor:
    """The sum of what goes into each slot, the same to the bit at every call."""
    sums = amounts.new_zeros(len(slot) if slots is None else slots)
    if sums.is_cuda and sums.is_floating_point():  # index_add races there; this one sorts
        return sums.index_put((slot,), amounts, accumulate=True)
    return sums.index_add(0, slot, amounts)
