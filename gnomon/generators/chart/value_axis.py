"""The axis of values: where its ticks are, and how finely it can be read."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple


class Axis(NamedTuple):
    """From low to high, in the table's smallest unit, as every number here."""

    low: int
    high: int
    step: int
    """From tick to tick; 0 on a logarithmic axis, which has its ticks at the powers of ten."""

    def share(self, value: float) -> float:
        """How far along the axis a value stands, 0 to 1."""
        if self.step:
            return (value - self.low) / (self.high - self.low)
        return math.log(value / self.low) / math.log(self.high / self.low)

    @property
    def ticks(self) -> tuple[int, ...]:
        """The values with a number beside them."""
        if self.step:
            return tuple(range(self.low, self.high + 1, self.step))
        decades = round(math.log10(self.high / self.low))
        return tuple(self.low * 10**i for i in range(decades + 1))

    @property
    def small_ticks(self) -> tuple[int, ...]:
        """Two to nine times each power of ten on a logarithmic axis; none on a linear one."""
        if self.step:
            return ()
        return tuple(tick * i for tick in self.ticks[:-1] for i in range(2, 10))

    def gap(self, one: float, other: float, pixels: float) -> float:
        """How many pixels lie between two values on an axis of that length."""
        return abs(self.share(one) - self.share(other)) * pixels

    def reading(self, value: int, pixels: int) -> int:
        """How far off a careful reading may be: a tenth of a step, two pixels at the least.

        Where the smallest unit is six pixels high or more, a reading is exact: 0.
        """
        if not self.step:
            return max(1, math.ceil(value / 10))
        unit = pixels / (self.high - self.low)
        return 0 if unit >= 6 else max(math.ceil(self.step / 10), math.ceil(2 / unit))


@lru_cache(maxsize=4096)
def linear(low: int, high: int, most: int, from_zero: bool = True) -> Axis:
    """An axis over the values with at most so many steps of 1, 2 or 5 times a power of ten."""
    if from_zero:
        low, high = min(low, 0), max(high, 0)
    span = max(high - low, 1)
    power = 10 ** max(0, len(str(span // most)) - 1)
    for step in (power, 2 * power, 5 * power, 10 * power, 20 * power):
        first, last = low // step * step, -(-high // step) * step
        if (last - first) // step <= most:
            return Axis(first, max(last, first + step), step)
    raise AssertionError(f"no step for {low} to {high} in {most}")


@lru_cache(maxsize=1024)
def logarithmic(low: int, high: int) -> Axis:
    """An axis of whole decades around the values."""
    first = 10 ** (len(str(low)) - 1)
    last = 10 ** len(str(high - 1))
    return Axis(first, max(last, 10 * first), 0)
