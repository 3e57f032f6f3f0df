"""Reads the numbers in labels by whole-tensor arithmetic, never waiting for the device.

A number is digits that touch, with at most a sign, thousands commas and one decimal point:

    -12    1,234,567    0.05    007    .5    3.015

Anything else ends it, and nothing goes on across a row's end, padding or -100: 10:08 and 3/7 are
two numbers. So is 1e-5, 1 and 5: scientific notation is left out, for in the exponent one digit
more is a factor of ten, which no distance between digits says. Where a mark could mean something
else:

- A comma is a thousands separator where one to three digits, not beginning with 0, are followed
  by groups of just three, and the whole stands neither right after an opening bracket nor right
  before a closing one: boxes are written (123,456),(789,912), and [123,456.5,78,9] touches a
  bracket on one side alone. So (1,234) is a list of 1 and 234.
- 1.2.3 is three numbers.
- A minus after a word, a number or a closed bracket is no sign: 10-12, 2024-10-05.
- Digits in a name are no number, a name being ASCII letters, digits and underscores that touch and
  do not begin with a digit: bbox_2d, x1, USD100; but 640x480 and 10h30 are two numbers each.

Shapes: B batch, T tokens, P = B·T positions, R runs and numbers, N entries, V vocabulary. A run
is digits that touch; there are slots for as many runs, and numbers, as positions: R = P.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from gnomon.losses.numbers.marks import Mark
from gnomon.losses.numbers.spans import IGNORED, Spans, tally


@dataclass(frozen=True)
class Tokens:
    """What there is to know about each token; the last place is for a label that is none."""

    marks: Tensor  # [V + 1]
    entries: Tensor  # [V + 1]: N for one without digits, N + 1 for digits that are not read
    widths: Tensor  # [N + 2], digits
    values: Tensor  # [N + 2] float64


def read(labels: Tensor, tokens: Tokens) -> Spans:
    """The numbers in [B, T] labels."""
    batch, length = labels.shape
    kept = labels != IGNORED
    none = len(tokens.marks) - 1
    token = torch.where(kept & (labels >= 0) & (labels < none), labels, none)
    entry = tokens.entries[token].flatten()
    marks, width = tokens.marks[token], tokens.widths[entry]
    runs = _runs(marks, width)
    number, place = _numbers(runs, width)

    digits, unread = (_has(marks, mark).flatten() for mark in (Mark.DIGITS, Mark.UNREAD))
    spoilt = tally(number, (unread | digits & _named(marks)).long()) > 0  # 2024|5 is not 5
    numeric = digits & ~spoilt[number]
    number = torch.where(numeric, number, 0)
    place = torch.where(numeric, place, 0)
    negative = tally(number, (numeric & runs.signed).long()) > 0
    value = _values(number, place, torch.where(numeric, tokens.values[entry], 0))
    return Spans(
        batch=batch,
        kept=kept.flatten(),
        row=torch.arange(batch, device=labels.device).repeat_interleave(length),
        numeric=numeric,
        index=torch.where(numeric, entry, 0),
        place=place,
        number=number,
        exists=tally(number, numeric.long()) > 0,
        negative=negative,
        value=torch.where(negative, -value, value),
    )


@dataclass(frozen=True)
class _Runs:
    """Digits that touch, and how each run is tied to the one before it."""

    of: Tensor  # [P] the run a position is in; 0 outside runs
    signed: Tensor  # [P] where a run begins that a minus stands before
    width: Tensor  # [R] digits
    after_comma: Tensor  # [R] bool: 5 in 12,5
    after_point: Tensor  # [R] bool: 5 in 12.5
    after_bare_point: Tensor  # [R] bool: 5 in .5
    headless: Tensor  # [R] bool: no thousands come after this one
    closed: Tensor  # [R] bool: a closing bracket comes after it


def _runs(marks: Tensor, width: Tensor) -> _Runs:
    digits, point, word = (_has(marks, m) for m in (Mark.DIGITS, Mark.POINT, Mark.WORD))
    spaced = _has(marks, Mark.SPACED)
    begins = digits & (spaced | ~_before(digits))
    run = torch.where(digits.flatten(), begins.flatten().cumsum(0) - 1, 0)
    glued = begins & ~spaced

    minus, negative, opens = (_has(marks, m) for m in (Mark.MINUS, Mark.NEGATIVE, Mark.OPENS))
    sign = negative | minus & ~_before(word)
    opened = _before(opens | minus & _before(opens & ~negative))
    comma = glued & _before(_has(marks, Mark.COMMA) & _before(digits))
    decimal = glued & _before(point & _before(digits))
    bare = glued & _before(_has(marks, Mark.BARE_POINT) | point & ~_before(word))
    signed = glued & (_before(sign) | bare & _before(point & _before(sign)))
    headless = glued & opened | begins & _has(marks, Mark.ZERO) | decimal | bare
    closed = digits & _after(_has(marks, Mark.CLOSES))

    def has(flag: Tensor) -> Tensor:
        return tally(run, flag.flatten().long()) > 0

    return _Runs(
        of=run,
        signed=signed.flatten(),
        width=tally(run, width),
        after_comma=has(comma),
        after_point=has(decimal),
        after_bare_point=has(bare),
        headless=has(headless),
        closed=has(closed),
    )


def _numbers(runs: _Runs, width: Tensor) -> tuple[Tensor, Tensor]:
    """The number that each position belongs to, and the place of its last digit: both [P]."""
    thousands = runs.after_comma & _well_grouped(runs)
    fraction = _fractions(runs)
    goes_on = thousands | fraction & ~runs.after_bare_point
    number = (~goes_on).cumsum(0) - 1  # [R]

    # A number has a part before its point and one after it; the first has places 0 and up, from
    # its right end, and the second -1 and down, from its left end.
    part = ((~thousands).cumsum(0) - 1)[runs.of]  # [P]
    digits_in = tally(part, width)
    right_end = digits_in.cumsum(0)
    end = torch.where(fraction[runs.of], right_end[part] - digits_in[part], right_end[part])
    return number[runs.of], end - width.cumsum(0)


def _values(number: Tensor, place: Tensor, digit: Tensor) -> Tensor:
    """What each number says, without its sign: [R]."""
    # Whole numbers are exact to 2**53, so 3015 / 1000 is 3.015, and 3 + 1/100 + 5/1000 is not.
    last = torch.zeros_like(place).scatter_reduce(0, number, place, "amin")
    power = (place - last[number]).to(digit.dtype)
    worth = torch.where(digit > 0, digit * 10.0**power, 0)  # 0 · inf is NaN
    return tally(number, worth) / 10.0 ** -last.to(digit.dtype)


def _well_grouped(runs: _Runs) -> Tensor:
    """Whether each run is in a chain of commas that separate thousands: [R]."""
    chain = (~runs.after_comma).cumsum(0) - 1
    misfit = torch.where(runs.after_comma, runs.width != 3, (runs.width > 3) | runs.headless)
    return (tally(chain, (misfit | runs.closed).long()) == 0)[chain]


def _fractions(runs: _Runs) -> Tensor:
    """Whether each run is what stands after a decimal point: [R]."""
    pointed = runs.after_point | runs.after_bare_point
    second = runs.after_point & _before(pointed)  # the 3 of 1.2.3
    return pointed & ~second & ~_after(runs.after_point)


def _named(marks: Tensor) -> Tensor:
    """Whether each position goes on with a name, or ends with one: [P]."""
    begins = ~(_has(marks, Mark.GOES_ON) & _before(_has(marks, Mark.IN_NAME)))
    name = begins.flatten().cumsum(0) - 1
    return (tally(name, (begins & _has(marks, Mark.NAME)).flatten().long()) > 0)[name]


def _has(marks: Tensor, mark: Mark) -> Tensor:
    return (marks & mark.value) != 0


def _before(flags: Tensor) -> Tensor:
    """Whether the position before, in the same row, has the flag."""
    shifted = flags.roll(1, -1)
    shifted[..., :1] = False
    return shifted


def _after(flags: Tensor) -> Tensor:
    """Whether the next position, in the same row, has the flag."""
    shifted = flags.roll(-1, -1)
    shifted[..., -1:] = False
    return shifted
