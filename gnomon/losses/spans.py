"""Which labels are digits of which numbers; `_reader` finds them.

Shapes: B batch, T tokens, P positions: all B·T of them, or the kept ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
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
    exists: Tensor  # [P] bool, by number
    """Whether there is a number in this slot; positions are as many as numbers can be."""
    negative: Tensor  # [P] bool, by number
    """Whether it has a minus sign."""
    value: Tensor  # [P] float64, by number
    """Its value, sign and all; the losses work from the digits, since 45 of them do not fit."""

    def for_rows(self, rows: int) -> Spans:
        """The same over the kept positions alone, of which there are `rows`."""
        if rows == len(self.kept):
            return self
        if not self.kept.is_cuda and rows != int(self.kept.sum()):  # free to ask on a CPU
            raise ValueError(f"{rows} rows of logits, but {int(self.kept.sum())} labels are kept")
        order = torch.sort((~self.kept).byte(), stable=True).indices[:rows]
        return replace(
            self,
            **{name: getattr(self, name)[order] for name in _BY_POSITION},
            **{name: getattr(self, name)[:rows] for name in _BY_NUMBER},
        )

    def of_number(self, amounts: Tensor) -> Tensor:
        """[P] amounts, 0 where not numeric, summed over each number's digits."""
        return tally(self.number, amounts)

    def first_places(self) -> Tensor:
        """The highest place in each number, 0 at least."""
        return self._highest(self.place)

    def number_rows(self) -> Tensor:
        """The row that each number stands in."""
        return self._highest(self.row)

    def _highest(self, amounts: Tensor) -> Tensor:
        amounts = torch.where(self.numeric, amounts, 0)
        return torch.zeros_like(amounts).scatter_reduce(0, self.number, amounts, "amax")


_BY_POSITION = ("kept", "row", "numeric", "index", "place", "number")
_BY_NUMBER = ("exists", "negative", "value")


def tally(slot: Tensor, amounts: Tensor, slots: int | None = None) -> Tensor:
    """The sum of what goes into each slot, the same to the bit at every call."""
    sums = amounts.new_zeros(len(slot) if slots is None else slots)
    if sums.is_cuda and sums.is_floating_point():  # index_add races there; this one sorts
        return sums.index_put((slot,), amounts, accumulate=True)
    return sums.index_add(0, slot, amounts)
