"""Spans: which labels are digits of which numbers, found by whole-tensor arithmetic.

Nothing here waits for the device.

A number is digits that touch, with at most a sign, thousands commas and one decimal point:

    -12    1,234,567    0.05    007    .5    3.015

Anything else ends it, and nothing goes on across a row's end, padding or -100: 10:08 and 3/7 are
two numbers. So is 1e-5, 1 and 5: scientific notation is left out, since in the exponent one digit
more is a factor of ten, which no distance between digits expresses. Marks with several meanings:

- A comma is a thousands separator where one to three digits, not beginning with 0, are followed
  by groups of just three, and the whole stands neither right after an opening bracket nor right
  before a closing one: boxes are written (123,456),(789,912), and [123,456.5,78,9] touches a
  bracket on one side alone. So (1,234) is a list of 1 and 234.
- 1.2.3 is three numbers.
- A minus after a word, a number or a closed bracket is no sign: 10-12, 2024-10-05. A character
  that is cut into several tokens counts as no word.
- Digits in a name are no number, a name being ASCII letters, digits and underscores that touch and
  do not begin with a digit: bbox_2d, x1, USD100; but 640x480 and 10h30 are two numbers each.

Shapes: B batch, T tokens, P positions (all B·T of them, the labelled ones, or the numeric ones), S
slots for numbers, R runs. A run is digits that touch; there are slots for as many runs, and
numbers, as positions: R = S = P while labels are read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional

from gnomon.losses.numbers.tables import MARKS, Tables

IGNORED = -100
BACK, AHEAD = 3, 1
"""Tokens before and after a position that decide about it."""


@dataclass(frozen=True)
class Spans:
    """The numbers in [B, T] labels, position by position in row-major order.

    `vocab.spans` makes an entry for each of the B·T positions, because only the device knows how
    many of them are labelled; `for_rows` keeps these alone, once the logits say how many.
    """

    batch: int
    """B."""
    labelled: Tensor  # [P] bool
    """True where the label counts: it is not -100."""
    row: Tensor  # [P]
    """Row of the batch."""
    digits: Tensor  # [P] bool
    """True where the token has digits, readable or not."""
    numeric: Tensor  # [P] bool
    """True where the token is digits of a number that could be read."""
    index: Tensor  # [P]
    """Entry of the numeric vocabulary, below N; 0 where not numeric."""
    place: Tensor  # [P]
    """Place of the token's last digit, worth 10**place: 3, 2, 1, 0 and -1 in 1234.5."""
    number: Tensor  # [P]
    """Slot of the number that the token belongs to; 0 where not numeric."""
    exists: Tensor  # [S] bool, by number
    """True where the slot holds a number. There are as many slots as numbers could stand."""
    negative: Tensor  # [S] bool, by number
    """True where the number has a minus sign."""
    values: Tensor  # [N + 2] float64
    """Value of each entry of the numeric vocabulary."""

    @property
    def value(self) -> Tensor:
        """Value of each number with its sign: [S] float64. The losses work from the digits."""
        # Sum whole units of the last place, exact to 2**53, and divide once: 3015 / 1000 is 3.015,
        # and 3 + 1/100 + 5/1000 is not.
        last = self._reduce_by_number("amin", self.place)
        digit = torch.where(self.numeric, self.values[self.index], 0)
        power = (self.place - last[self.number]).to(digit.dtype)
        worth = torch.where(digit > 0, digit * 10.0**power, 0)  # 0 · inf is NaN
        value = self.sum_by_number(worth) / 10.0 ** -last.to(digit.dtype)
        return torch.where(self.negative, -value, value)

    def for_rows(self, rows: int) -> Spans:
        """Keep the labelled positions alone; `rows` is their number."""
        if rows == len(self.labelled):
            return self
        if self._can_sync and rows != int(self.labelled.sum()):
            count = int(self.labelled.sum())
            raise ValueError(f"{rows} rows of logits, but {count} labels are kept")
        order = torch.sort((~self.labelled).byte(), stable=True).indices[:rows]
        return self._select(order)

    def numeric_only(self) -> tuple[Spans, Tensor | None]:
        """Keep the numeric positions alone, and return which they are: [P].

        On a device all positions stay, and None is returned: counting the numeric ones would wait
        for it.
        """
        if not self._can_sync:
            return self, None
        indices = self.numeric.nonzero().flatten()
        return self._select(indices), indices

    def sum_by_number(self, amounts: Tensor) -> Tensor:
        """Sum [P] amounts, 0 where not numeric, over each number's digits: [S]."""
        return tally(self.number, amounts, len(self.exists))

    def highest_places(self) -> Tensor:
        """Highest place in each number, at least 0: [S]."""
        return self._reduce_by_number("amax", self.place)

    def rows_of_numbers(self) -> Tensor:
        """Row of the batch that each number stands in: [S]."""
        return self._reduce_by_number("amax", self.row * self.numeric)

    @property
    def _can_sync(self) -> bool:
        """True on a CPU outside torch.compile: reading a value back costs nothing there."""
        return self.labelled.is_cpu and not torch.compiler.is_compiling()

    def _select(self, indices: Tensor) -> Spans:
        return replace(self, **{name: getattr(self, name)[indices] for name in _BY_POSITION})

    def _reduce_by_number(self, reduction: str, amounts: Tensor) -> Tensor:
        """Take the minimum or maximum over each number's digits and 0: [S]."""
        slots = amounts.new_zeros(len(self.exists))
        return slots.scatter_reduce(0, self.number, amounts, reduction)


_BY_POSITION = ("labelled", "row", "digits", "numeric", "index", "place", "number")


def tally(slot: Tensor, amounts: Tensor, slots: int | None = None) -> Tensor:
    """Sum the amounts of each slot along the last dimension, with the same bits at every call."""
    sums = amounts.new_zeros(*amounts.shape[:-1], len(slot) if slots is None else slots)
    if sums.is_cuda and sums.is_floating_point():  # index_add races there; index_put sorts
        assert sums.dim() == 1
        return sums.index_put((slot,), amounts, accumulate=True)
    return sums.index_add(-1, slot, amounts)


def read_spans(labels: Tensor, tables: Tables) -> Spans:
    """Read the numbers in [B, T] labels."""
    (batch, length), device = labels.shape, labels.device
    entries = tables.entry_of_token.on(device)
    # Labels that are no token, such as -100, take the tables' last column, which -1 is, too.
    context = functional.pad(labels, (BACK, AHEAD), value=IGNORED).clamp(-1, len(entries) - 1)
    marks = _Marks(tables.marks.on(device)[:, context], length)
    entry = entries[context[:, BACK : BACK + length]].flatten()
    width = tables.widths.on(device)[entry]
    number, place, signed = _assign_numbers(marks, width)

    digits = marks.has("digits").flatten()
    spoiling = marks.has("unread").flatten() | digits & _in_name(marks)  # 2024|5 is not 5
    flags = torch.stack([digits, spoiling, signed]).long()
    exists, spoilt, negative = tally(number, flags) > 0
    numeric = digits & ~spoilt[number]
    values = tables.values_by_width.on(device, torch.float32 if device.type == "mps" else None)
    return Spans(
        batch=batch,
        labelled=(labels != IGNORED).flatten(),
        row=torch.arange(batch, device=device)[:, None].expand(batch, length).flatten(),
        digits=digits,
        numeric=numeric,
        index=entry * numeric,
        place=place * numeric,
        number=number * numeric,
        exists=exists & ~spoilt,
        negative=negative & ~spoilt,
        values=values[0],
    )


class _Marks:
    """Marks of each label and of its neighbours in the same row."""

    def __init__(self, flags: Tensor, length: int) -> None:
        self._flags: dict[str, Tensor] = dict(zip(MARKS, flags, strict=True))  # [B, T + 4], each
        self._length = length  # T

    def has(self, mark: str, back: int = 0) -> Tensor:
        """Return True where the token `back` places before has the mark: [B, T] bool."""
        start = BACK - back
        return self._flags[mark][:, start : start + self._length]

    def sign(self, back: int) -> Tensor:
        """Return True where the token is a minus sign, and not a dash as in 10-12: [B, T] bool."""
        return self.has("negative", back) | self.has("minus", back) & ~self.has("word", back + 1)


def _assign_numbers(marks: _Marks, width: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return each position's number, place, and True where a minus begins its number: [P] each."""
    has, digits, spaced = marks.has, marks.has("digits"), marks.has("spaced")
    begins = digits & (spaced | ~has("digits", 1))
    run = (begins.flatten().cumsum(0) - 1).clamp(min=0)  # [P]: the run at or before it
    glued = begins & ~spaced

    opened = has("opens", 1) | has("minus", 1) & has("opens", 2) & ~has("negative", 2)
    after_comma = glued & has("comma", 1) & has("digits", 2)  # 5 in 12,5
    after_point = glued & has("point", 1) & has("digits", 2)  # 5 in 12.5
    bare = glued & (has("bare point", 1) | has("point", 1) & ~has("word", 2))  # 5 in .5
    signed = glued & (marks.sign(1) | bare & has("point", 1) & marks.sign(2))
    headless = glued & opened | begins & has("zero") | after_point | bare  # no thousands follow
    closed = digits & has("closes", -1)
    flags = torch.stack([after_comma, after_point, bare, headless, closed]).flatten(1)
    # From here on by run: [R] each.
    after_comma, after_point, bare, headless, closed = tally(run, flags.long()) > 0
    run_width = tally(run, width)

    # A chain of commas separates thousands only if each of its runs allows it.
    chain = (~after_comma).cumsum(0) - 1
    misfit = torch.where(after_comma, run_width != 3, (run_width > 3) | headless) | closed
    thousands = after_comma & (tally(chain, misfit.long()) == 0)[chain]
    pointed = after_point | bare
    second = after_point & functional.pad(pointed, (1, 0))[:-1]  # the 3 of 1.2.3
    fraction = pointed & ~second & ~functional.pad(after_point, (0, 1))[1:]
    continues = thousands | fraction & ~bare

    # A number has a part before its point and one after it; the first has places 0 and up, from
    # its right end, and the second -1 and down, from its left end.
    starts = torch.stack([~continues, ~thousands]).cumsum(1) - 1  # [2, R]
    number, part = starts[:, run]  # [P] each
    part_width = tally(part, width)
    end = part_width.cumsum(0)[part] - part_width[part] * fraction[run]
    return number, end - width.cumsum(0), signed.flatten()


def _in_name(marks: _Marks) -> Tensor:
    """Return True where a position belongs to a name, as the 1 of x1 does: [P] bool."""
    begins = ~(marks.has("continues name") & marks.has("ends in name", 1))
    name = begins.flatten().cumsum(0) - 1
    return (tally(name, (begins & marks.has("starts name")).flatten().long()) > 0)[name]
