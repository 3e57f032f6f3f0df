"""The numbers in labels: which tokens are digits, and to which number they belong.

Labels are read by operations on whole tensors that never wait for the device.

A number is a run of digits that may have a sign, thousands commas and one decimal point:

    -12    1,234,567    0.05    007    .5    3.015

Anything else ends a number. A number never crosses padding, a label of -100 or the end of a row.
10:08 and 3/7 are two numbers each. 1e-5 is read as two numbers, 1 and 5. Scientific notation is not
supported, because one more in the exponent is a factor of ten, which a distance between digits
cannot express. Some marks have several meanings:

- A comma separates thousands if one to three digits without a leading 0 are followed by groups of
  exactly three digits. The number must not touch an opening bracket on its left or a closing
  bracket on its right, because boxes are written (123,456),(789,912), and in [123,456.5,78,9] each
  number touches at most one bracket. So (1,234) is a list of 1 and 234.
- 1.2.3 is three numbers.
- A minus after a word, a number or a closed bracket is not a sign: 10-12, 2024-10-05. A character
  that is split into several tokens does not count as a word.
- Digits in a name are not a number. A name is a run of ASCII letters, digits and underscores that
  does not begin with a digit, for example bbox_2d, x1 or USD100. 640x480 and 10h30 begin with a
  digit, so each of them is two numbers.

Shapes: B batch, T tokens, P positions (all B·T, only the labelled, or only the numeric positions),
S slots for numbers, R slots for runs. A run is a sequence of adjacent digits. While labels are
read, there is a slot for a run and for a number at each position: R = S = P.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional

from gnomon.losses.numbers.tables import MARKS, Tables

IGNORED = -100
BACK, AHEAD = 3, 1
"""Number of tokens before and after a position that decide how it is read."""


@dataclass(frozen=True)
class Spans:
    """The numbers in [B, T] labels, as tensors over positions in row-major order.

    `vocab.spans` returns all B·T positions, because only the device knows how many are labelled.
    `for_rows` keeps only the labelled positions, once their number is known from the logits.
    """

    batch: int
    """Number of rows of the labels, B."""
    labelled: Tensor  # [P] bool
    """True if the label is not -100."""
    row: Tensor  # [P]
    """Index of the batch row."""
    digits: Tensor  # [P] bool
    """True if the token has digits, readable or not."""
    numeric: Tensor  # [P] bool
    """True if the token has digits of a number that could be read."""
    index: Tensor  # [P]
    """Entry of the numeric vocabulary, below N. It is 0 if the token is not numeric."""
    place: Tensor  # [P]
    """Place of the token's last digit, worth 10**place: 3, 2, 1, 0 and -1 in 1234.5."""
    number: Tensor  # [P]
    """Slot of the number that the token belongs to. It is 0 if the token is not numeric."""
    exists: Tensor  # [S] bool, by number
    """True if the slot holds a number. Most slots are empty."""
    negative: Tensor  # [S] bool, by number
    """True if the number has a minus sign."""
    values: Tensor  # [N + 2] float64
    """Value of each entry of the numeric vocabulary, then two zeros for tokens without a value."""

    @property
    def value(self) -> Tensor:
        """Value of each number with its sign: [S] float64. The losses use the digits instead."""
        # Sum whole units of the last place, which are exact up to 2**53, and divide once:
        # 3015 / 1000 is 3.015, but 3 + 1/100 + 5/1000 is not.
        last = self._reduce_by_number("amin", self.place)
        digit = torch.where(self.numeric, self.values[self.index], 0)
        power = (self.place - last[self.number]).to(digit.dtype)
        worth = torch.where(digit > 0, digit * 10.0**power, 0)  # 0 · inf is NaN
        value = self.sum_by_number(worth) / 10.0 ** -last.to(digit.dtype)
        return torch.where(self.negative, -value, value)

    def for_rows(self, rows: int) -> Spans:
        """Keep only the labelled positions. `rows` is their number, the row count of the logits."""
        if rows == len(self.labelled):
            return self
        if self._can_sync and rows != int(self.labelled.sum()):
            count = int(self.labelled.sum())
            raise ValueError(f"{rows} rows of logits, but {count} labels are kept")
        order = torch.sort((~self.labelled).byte(), stable=True).indices[:rows]
        return self._select(order)

    def numeric_only(self) -> tuple[Spans, Tensor | None]:
        """Keep only the numeric positions, and also return their indices: [P].

        On a GPU and under torch.compile, all positions stay and the indices are None, because the
        program would have to wait for the device to count the numeric positions.
        """
        if not self._can_sync:
            return self, None
        indices = self.numeric.nonzero().flatten()
        return self._select(indices), indices

    def sum_by_number(self, amounts: Tensor) -> Tensor:
        """Sum [P] amounts over the digits of each number: [S].

        Amounts must be 0 at positions that are not numeric.
        """
        return tally(self.number, amounts, len(self.exists))

    def highest_places(self) -> Tensor:
        """Return the highest place in each number, at least 0: [S]."""
        return self._reduce_by_number("amax", self.place)

    def rows_of_numbers(self) -> Tensor:
        """Return the batch row of each number: [S]."""
        return self._reduce_by_number("amax", self.row * self.numeric)

    @property
    def _can_sync(self) -> bool:
        """True if reading a value back is cheap: on a CPU, outside torch.compile."""
        return self.labelled.is_cpu and not torch.compiler.is_compiling()

    def _select(self, indices: Tensor) -> Spans:
        return replace(self, **{name: getattr(self, name)[indices] for name in _BY_POSITION})

    def _reduce_by_number(self, reduction: str, amounts: Tensor) -> Tensor:
        """Reduce the amounts of each number's digits, and 0, by `amin` or `amax`: [S]."""
        slots = amounts.new_zeros(len(self.exists))
        return slots.scatter_reduce(0, self.number, amounts, reduction)


_BY_POSITION = ("labelled", "row", "digits", "numeric", "index", "place", "number")


def tally(slot: Tensor, amounts: Tensor, slots: int | None = None) -> Tensor:
    """Sum the amounts of each slot along the last dimension. Repeated calls agree to the bit."""
    sums = amounts.new_zeros(*amounts.shape[:-1], len(slot) if slots is None else slots)
    if sums.is_cuda and sums.is_floating_point():  # index_add races there; index_put sorts
        assert sums.dim() == 1
        return sums.index_put((slot,), amounts, accumulate=True)
    return sums.index_add(-1, slot, amounts)


def read_spans(labels: Tensor, tables: Tables) -> Spans:
    """Read the numbers in [B, T] labels by the tables of a tokenizer."""
    (batch, length), device = labels.shape, labels.device
    entries = tables.entry_of_token.on(device)
    # Labels that are not tokens, such as -100, become -1, the last column of the tables.
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
    """The marks of each label and of its neighbours in the same row."""

    def __init__(self, flags: Tensor, length: int) -> None:
        self._flags: dict[str, Tensor] = dict(zip(MARKS, flags, strict=True))  # [B, T + 4], each
        self._length = length  # T

    def has(self, mark: str, back: int = 0) -> Tensor:
        """Return True if the token `back` places earlier has the mark: [B, T] bool."""
        start = BACK - back
        return self._flags[mark][:, start : start + self._length]

    def sign(self, back: int) -> Tensor:
        """Return True if the token `back` places earlier is a minus sign: [B, T] bool.

        A dash, as in 10-12, is not a minus sign.
        """
        return self.has("negative", back) | self.has("minus", back) & ~self.has("word", back + 1)


def _assign_numbers(marks: _Marks, width: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return three [P] tensors: the slot of each position's number, its place, and its sign.

    The sign is True only at the first digits of a number with a minus.
    """
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

    # A number has a part before its point and a part after it. In the first part, places count up
    # from 0 at the right end. In the second part, they count down from -1 at the left end.
    starts = torch.stack([~continues, ~thousands]).cumsum(1) - 1  # [2, R]
    number, part = starts[:, run]  # [P] each
    part_width = tally(part, width)
    end = part_width.cumsum(0)[part] - part_width[part] * fraction[run]
    return number, end - width.cumsum(0), signed.flatten()


def _in_name(marks: _Marks) -> Tensor:
    """Return True if a position belongs to a name, for example the 1 in x1: [P] bool."""
    begins = ~(marks.has("continues name") & marks.has("ends in name", 1))
    name = begins.flatten().cumsum(0) - 1
    return (tally(name, (begins & marks.has("starts name")).flatten().long()) > 0)[name]
