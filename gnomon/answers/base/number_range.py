"""Ranges of numbers, for example on a counter. Long ranges are searched rather than listed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import islice
from math import ceil, floor
from typing import TypeAlias

MOST_ANSWERS = 10_000
"""Largest number of answers that a grid lists. Each answer takes a row of logits. A longer grid is
searched for its likeliest numbers."""
_DIGITS = "0123456789"
_SAME = 1e-9
"""Rounding error of an interval's ends."""

Grid: TypeAlias = tuple[float, float, float]
"""First, last and step of numbers."""
GridDecimals: TypeAlias = tuple[Decimal, Decimal, Decimal]


def wide_grid(grid: Grid) -> GridDecimals | None:
    """Return the grid in decimals if it is too long for a list; otherwise None."""
    first, last, step = grid_decimals(grid)
    return (first, last, step) if (last - first) / step > MOST_ANSWERS else None


def grid_decimals(grid: Grid) -> GridDecimals:
    """Return a grid in decimals."""
    # A whole step of 1.0 means 1: answers are written 7, as the labels are, and not 7.0.
    first, last, step = (
        Decimal(int(number)) if number == int(number) else Decimal(str(number)) for number in grid
    )
    return first, last, step


@dataclass(frozen=True)
class NumberRange:
    """Numbers from `first` to `last` in steps, as answers write them. `first` is at least 0."""

    first: Decimal
    last: Decimal
    step: Decimal
    digits: int = 0
    """Least number of figures before the point. Smaller numbers begin with zeros."""
    unit: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.first <= self.last or self.step <= 0:
            raise ValueError(f"{self.first} to {self.last} by {self.step}: give 0 or more, rising")

    @cached_property
    def decimals(self) -> int:
        """Figures after the point."""
        exponents = [int(number.as_tuple().exponent) for number in (self.first, self.step)]
        return max(0, *(-exponent for exponent in exponents))

    def answer(self, decimal_text: str) -> str:
        """Add the unit to a number's text."""
        return f"{decimal_text} {self.unit}" if self.unit else decimal_text

    def outcomes(self, prefix: str, n: int) -> dict[str, bool]:
        """Map each number that continues a prefix by at most n characters to True.

        One example of each longer continuation is mapped to False.
        """
        least_by_text = {prefix: self._least(prefix)}
        whole = [text for text, least in least_by_text.items() if text == least]
        for _ in range(n):
            least_by_text = dict(pair for text in least_by_text for pair in self._longer(text))
            whole += [text for text, least in least_by_text.items() if text == least]
        examples = [least for text in least_by_text for _, least in islice(self._longer(text), 1)]
        return dict.fromkeys(examples, False) | dict.fromkeys(whole, True)

    def holds(self, value: float) -> bool:
        """True for a value within half a step of the range."""
        room = float(self.step) / 2 + _SAME
        return float(self.first) - room <= value <= float(self.last) + room

    def around(self, value: float, radius: float) -> tuple[str, str]:
        """Return the answers at the ends of an interval, rounded outwards."""
        low, high = (
            pick((end - float(self.first)) / float(self.step))
            for pick, end in ((floor, value - radius + _SAME), (ceil, value + radius - _SAME))
        )
        count = int((self.last - self.first) / self.step)
        ends = [min(max(n, 0), count) for n in (low, high)]
        first, last = (
            self.answer(self._decimal_text(self._scaled(self.first + n * self.step))) for n in ends
        )
        return first, last

    def _scaled(self, number: Decimal) -> int:
        """Convert a number to units of the last figure."""
        return int(number.scaleb(self.decimals))

    def _decimal_text(self, scaled: int) -> str:
        text = str(scaled).zfill(max(self.digits, 1) + self.decimals)
        if not self.decimals:
            return text
        return f"{text[: -self.decimals]}.{text[-self.decimals :]}"

    def _longer(self, prefix: str) -> Iterator[tuple[str, str]]:
        """Yield each prefix with one more character, and the least number that begins with it."""
        for character in _DIGITS if "." in prefix else _DIGITS + ".":
            least = self._least(prefix + character)
            if least is not None:
                yield prefix + character, least

    def _least(self, prefix: str) -> str | None:
        """Return the least number that begins with the prefix, if there is such a number."""
        head, point, tail = prefix.partition(".")
        if point and (not head or len(tail) > self.decimals or not self.decimals):
            return None
        longest = len(self._decimal_text(self._scaled(self.last)).partition(".")[0])
        shortest = max(self.digits, 1)
        lengths = [len(head)] if point else range(max(len(head), shortest), longest + 1)
        for length in lengths:
            missing = self.decimals - len(tail) if point else self.decimals + length - len(head)
            low = int(head + tail or "0") * 10**missing
            number = self._first_between(low, low + 10**missing - 1)
            if number is None:
                continue
            text = self._decimal_text(number)
            if text.startswith(prefix):
                return text
        return None

    def _first_between(self, low: int, high: int) -> int | None:
        """Return the least number of the range between two, all in units of the last figure."""
        first, last, step = map(self._scaled, (self.first, self.last, self.step))
        number = first + max(0, -(-(low - first) // step)) * step
        return number if number <= min(high, last) else None
