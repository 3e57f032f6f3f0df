"""Scales of instruments: ends, ticks and labels, and the values that stand between two ticks."""

import math
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import NamedTuple

# Parts into which ticks divide the space between two labels, as decimals are counted.
DIVISIONS = (2, 4, 5, 10)
# Divisions on scales in inches.
BINARY_DIVISIONS = (2, 4, 8)


class Reading(NamedTuple):
    """A value on a scale, and how closely it can be read."""

    value: Decimal
    tick: Decimal
    """Distance of the two ticks around the value."""
    tolerance: Decimal
    """Largest error of an answer that is right: half a tick on most instruments."""


class Scale(NamedTuple):
    """A graduation; both ends carry labels, and where it goes round the last is the first."""

    unit: str
    log: bool
    labels: tuple[Decimal, ...]
    ticks: tuple[Decimal, ...]
    cycle: Decimal | None = None
    """How far it is once round, back to the first tick; None for a scale with two ends."""

    @property
    def low(self) -> Decimal:
        """The value of the first tick."""
        return self.ticks[0]

    @property
    def high(self) -> Decimal:
        """The value of the last tick, or of the first one a turn later."""
        return self.ticks[-1] if self.cycle is None else self.low + self.cycle

    def share(self, value: Decimal) -> float:
        """The place of a value along the scale, 0 to 1."""
        if self.log:
            # Every decade is as long.
            return math.log(value / self.low) / math.log(self.high / self.low)
        return float((value - self.low) / (self.high - self.low))

    def reading(self, place: int, parts: int) -> Reading:
        """Return the value at a place, to be read to half a tick.

        Places count from the first tick, `parts` of them from each tick to the next.
        """
        # The last tick has no gap after it, and ends the one before.
        gap = min(place // parts, len(self.ticks) - 2)
        tick = self.ticks[gap + 1] - self.ticks[gap]
        value = plain(self.ticks[gap] + tick * (place - gap * parts) / parts)
        return Reading(value, tick, plain(tick / 2))


def plain(value: Decimal) -> Decimal:
    """The value without zeros at its end, and never as 1E+2."""
    short = value.normalize()
    exponent = short.as_tuple().exponent
    return short.quantize(Decimal(1)) if isinstance(exponent, int) and exponent > 0 else short


# More ticks fit on no picture.
_MOST_TICKS = 1000


@cache
def parse_scale(text: str) -> Scale:
    """A user's scale, such as "km/h 0 220 20 5": unit, ends, label distance and tick distance."""
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
            f"{fault}: the last must be above the first, and no tick farther apart than labels"
        )
    if (high - low) / tick > _MOST_TICKS:
        raise ValueError(f"{fault}: no more than {_MOST_TICKS:,} ticks can be drawn")
    if (high - low) % apart or apart % tick:
        raise ValueError(f"{fault}: ticks must lead to each label, and labels to the last")
    return _graduate(unit, low, high, apart, int(apart / tick))


@cache
def linear(*ranges: str, divisions: tuple[int, ...] = DIVISIONS) -> tuple[Scale, ...]:
    """Linear scales of ranges in each division. "bar 0 10 1": unit, both ends, label distance."""
    return tuple(_linear(text, division) for text in ranges for division in divisions)


@cache
def logarithmic(*ranges: str) -> tuple[Scale, ...]:
    """Scales of whole decades, nine ticks in each. "Pa 1 1000": unit and both ends."""
    return tuple(_logarithmic(*text.split()) for text in ranges)


@cache
def cyclic(turn: str, *, divisions: tuple[int, ...]) -> tuple[Scale, ...]:
    """Scales that go round. "- 0 10 1": unit or -, first label, the same a turn on, distance."""
    return tuple(_cyclic(turn, division) for division in divisions)


def _cyclic(text: str, division: int) -> Scale:
    unit, *ends = text.split()
    scale = _linear(" ".join([unit, *ends]), division)
    return Scale(
        unit.strip("-"), False, scale.labels[:-1], scale.ticks[:-1], scale.high - scale.low
    )


def _linear(text: str, division: int) -> Scale:
    unit, low, high, apart = text.split()
    return _graduate(unit, Decimal(low), Decimal(high), Decimal(apart), division)


def _graduate(unit: str, low: Decimal, high: Decimal, apart: Decimal, division: int) -> Scale:
    """A scale with a label every `apart`, and that distance divided by ticks."""
    count = int((high - low) / apart)
    labels = tuple(plain(low + apart * i) for i in range(count + 1))
    ticks = tuple(plain(low + apart * i / division) for i in range(count * division + 1))
    return Scale(unit, False, labels, ticks)


def _logarithmic(unit: str, low: str, high: str) -> Scale:
    """Labels at 1, 2 and 5 of each decade."""
    start, end = Decimal(low), plain(Decimal(high))
    count = int((Decimal(high) / start).log10())
    ticks = [plain(start * 10**d * k) for d in range(count) for k in range(1, 10)]
    labels = [plain(start * 10**d * k) for d in range(count) for k in (1, 2, 5)]
    return Scale(unit, True, (*labels, end), (*ticks, end))
