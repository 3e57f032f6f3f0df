"""Scales of instruments: ends, ticks and labels, and the values between two ticks."""

import math
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cache
from typing import NamedTuple


class ScaleReading(NamedTuple):
    """Value on a scale, and how closely it can be read."""

    value: Decimal
    tick: Decimal
    """Distance of the two ticks around the value."""
    tolerance: Decimal
    """Largest error of a right answer, half a tick on most instruments."""


class Scale(NamedTuple):
    """Graduation. Both ends carry labels. On a cyclic scale the last tick is the first."""

    unit: str
    log: bool
    labels: tuple[Decimal, ...]
    ticks: tuple[Decimal, ...]
    cycle: Decimal | None = None
    """Distance of one turn, back to the first tick. None for a scale with two ends."""

    @property
    def low(self) -> Decimal:
        """Value of the first tick."""
        return self.ticks[0]

    @property
    def high(self) -> Decimal:
        """Value of the last tick, or of the first tick a turn later."""
        return self.ticks[-1] if self.cycle is None else self.low + self.cycle

    @property
    def numbers(self) -> dict[str, Fraction]:
        """Numbers of the scale by the names that formulas use."""
        return {
            "low": Fraction(self.low),
            "high": Fraction(self.high),
            "label": Fraction(self.labels[1] - self.labels[0]),
            "tick": Fraction(self.ticks[1] - self.ticks[0]),
            "log": Fraction(self.log),
        }

    def share(self, value: Decimal) -> float:
        """Return the place of a value along the scale, 0 to 1."""
        if self.log:
            # All decades are equally long.
            return math.log(value / self.low) / math.log(self.high / self.low)
        return float((value - self.low) / (self.high - self.low))

    def reading(self, place: int, parts: int) -> ScaleReading:
        """Return the value at a position, read to half a tick.

        Positions count from the first tick, `parts` of them from each tick to the next.
        """
        # The last tick ends the gap before it.
        gap = min(place // parts, len(self.ticks) - 2)
        tick = self.ticks[gap + 1] - self.ticks[gap]
        value = plain(self.ticks[gap] + tick * (place - gap * parts) / parts)
        return ScaleReading(value, tick, plain(tick / 2))


def plain(value: Decimal) -> Decimal:
    """Return the value without trailing zeros, and never as 1E+2."""
    short = value.normalize()
    exponent = short.as_tuple().exponent
    return short.quantize(Decimal(1)) if isinstance(exponent, int) and exponent > 0 else short


# More ticks do not fit into any picture.
_MOST_TICKS = 1000


@cache
def parse_scale(text: str) -> Scale:
    """Parse a user's scale, such as "km/h 0 220 20 5": unit, ends, label distance and tick
    distance."""
    fault = f"scales={text!r}: give first, last, label distance and tick distance"
    words = text.split()
    unit, words = " ".join(words[:-4]), words[-4:]
    try:
        numbers = [Decimal(word) for word in words]
    except InvalidOperation:
        numbers = []
    if len(numbers) != 4 or not all(number.is_finite() for number in numbers):
        raise ValueError(f"{fault}, after the unit if there is one, such as 'km/h 0 220 20 5'")
    low, high, apart, tick = numbers
    if not (low < high and 0 < tick <= apart):
        raise ValueError(
            f"{fault}: the last must be above the first, and ticks no farther apart than labels"
        )
    if (high - low) / tick > _MOST_TICKS:
        raise ValueError(f"{fault}: at most {_MOST_TICKS:,} ticks can be drawn")
    if (high - low) % apart or apart % tick:
        raise ValueError(f"{fault}: each label must be at a tick, and the last value at a label")
    return _graduate(unit, low, high, apart, int(apart / tick))


@cache
def parse_scales(text: str, *, is_cyclic: bool = False) -> tuple[Scale, ...]:
    """Parse scales that differ in their ticks, such as "bar 0 10 1 0.5,0.2", or a logarithmic
    scale of whole decades, such as "Pa 1 1000 log".

    On a cyclic scale, the last value is the first value again.
    """
    *words, ticks = text.split()
    if ticks == "log":
        return (_logarithmic(" ".join(words[:-2]), *words[-2:]),)
    scales = tuple(parse_scale(" ".join([*words, tick])) for tick in ticks.split(","))
    return tuple(map(_cyclic, scales)) if is_cyclic else scales


def _cyclic(scale: Scale) -> Scale:
    return Scale(scale.unit, False, scale.labels[:-1], scale.ticks[:-1], scale.high - scale.low)


def _graduate(unit: str, low: Decimal, high: Decimal, apart: Decimal, division: int) -> Scale:
    """Build a scale with a label every `apart`, and ticks that divide this distance."""
    count = int((high - low) / apart)
    labels = tuple(plain(low + apart * i) for i in range(count + 1))
    ticks = tuple(plain(low + apart * i / division) for i in range(count * division + 1))
    return Scale(unit, False, labels, ticks)


def _logarithmic(unit: str, low: str, high: str) -> Scale:
    """Return labels at 1, 2 and 5 of each decade."""
    start, end = Decimal(low), plain(Decimal(high))
    count = int((Decimal(high) / start).log10())
    ticks = [plain(start * 10**d * k) for d in range(count) for k in range(1, 10)]
    labels = [plain(start * 10**d * k) for d in range(count) for k in (1, 2, 5)]
    return Scale(unit, True, (*labels, end), (*ticks, end))
