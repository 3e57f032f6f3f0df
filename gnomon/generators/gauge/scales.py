"""What instruments are graduated in: ranges, ticks, labels, and the readings between the ticks."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from gnomon.generators.base import Split, split_of

_LINEAR = {
    "gauge": (
        "bar 0 10 1", "bar 0 16 2", "bar 0 4 0.5", "bar 0 6 1", "bar -1 5 1", "psi 0 100 10",
        "psi 0 160 20", "kPa 0 400 50", "°C 0 120 20", "°C -20 60 10", "km/h 0 180 20",
    ),
    "meter": ("V 0 30 5", "V 0 10 2", "V -10 10 5", "A 0 5 1", "A 0 3 0.5", "mA 0 100 20",
              "dB -20 20 10"),
    "thermometer": ("°C -20 50 10", "°C -30 50 10", "°C 0 100 10", "°C 35 42 1", "°F 0 120 20",
                    "°F -40 120 20"),
    "ruler": ("cm 0 15 1", "cm 0 10 1", "cm 0 5 1", "in 0 6 1", "in 0 12 1", "mm 0 100 10"),
    "scale": ("kg 0 10 1", "kg 0 5 0.5", "kg 0 2 0.2", "g 0 500 50", "g 0 1000 100", "lb 0 20 2"),
    "cylinder": ("mL 0 100 10", "mL 0 50 5", "mL 0 25 5", "mL 0 250 25", "mL 0 500 50"),
}  # fmt: skip
"""Unit, both ends, and how far the labels stand apart."""
_LOG = {
    "gauge": ("Pa 1 1000", "mbar 0.1 100", "mbar 1 1000"),
    "meter": ("Hz 1 100", "lx 1 100", "kΩ 0.1 10"),
}
"""Unit and both ends; each decade has nine ticks."""
INSTRUMENTS = tuple(_LINEAR)
DIVISIONS = (2, 4, 5, 10)
"""Into how many parts the ticks divide the space between two labels."""


class Scale(NamedTuple):
    """A graduation; its ends carry labels."""

    instrument: str
    unit: str
    log: bool
    labels: tuple[Decimal, ...]
    ticks: tuple[Decimal, ...]

    @property
    def low(self) -> Decimal:
        """The first tick."""
        return self.ticks[0]

    @property
    def high(self) -> Decimal:
        """The last tick."""
        return self.ticks[-1]

    @property
    def name(self) -> str:
        """What is hashed beside the reading."""
        return f"{self.instrument}|{self.unit}|{self.low}..{self.high}{' log' * self.log}"

    def share(self, value: Decimal) -> float:
        """How far along the scale a value stands, 0 to 1."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return float((value - self.low) / (self.high - self.low))

    def reading(self, place: int, parts: int) -> tuple[Decimal, Decimal]:
        """A value and the distance of the ticks there; places count parts of these distances."""
        gap = min(place // parts, len(self.ticks) - 2)
        wide = self.ticks[gap + 1] - self.ticks[gap]
        return plain(self.ticks[gap] + wide * (place - gap * parts) / parts), wide


@cache
def places(scale: Scale, parts: int, split: Split) -> tuple[int, ...]:
    """The readings of a split: no value of a scale stands in two."""
    first = parts if scale.instrument == "ruler" else 0  # a bar of no length is no bar
    every = range(first, (len(scale.ticks) - 1) * parts + 1)
    return tuple(p for p in every if split_of("gauge", meaning(scale, p, parts)) == split)


def meaning(scale: Scale, place: int, parts: int) -> str:
    """A scale and a value on it, however finely it is divided."""
    return f"{scale.name}|{scale.reading(place, parts)[0]:f}"


def plain(value: Decimal) -> Decimal:
    """Without zeros at its end, and never as 1E+2."""
    short = value.normalize()
    exponent = short.as_tuple().exponent
    return short.quantize(Decimal(1)) if isinstance(exponent, int) and exponent > 0 else short


@cache
def linear(instrument: str) -> tuple[Scale, ...]:
    """Every range of an instrument in every division that decimals can name."""
    return tuple(
        _even(instrument, *line.split(), divisions=divisions)
        for line in _LINEAR[instrument]
        for divisions in (DIVISIONS if line[:3] != "in " else (2, 4, 8))
    )


@cache
def logarithmic(instrument: str) -> tuple[Scale, ...]:
    """The logarithmic scales of an instrument; most have none."""
    return tuple(_decades(instrument, *line.split()) for line in _LOG.get(instrument, ()))


def _even(instrument: str, unit: str, low: str, high: str, apart: str, *, divisions: int) -> Scale:
    start, step = Decimal(low), Decimal(apart)
    count = int((Decimal(high) - start) / step)
    return Scale(
        instrument, unit, False,
        tuple(plain(start + step * i) for i in range(count + 1)),
        tuple(plain(start + step * i / divisions) for i in range(count * divisions + 1)),
    )  # fmt: skip


def _decades(instrument: str, unit: str, low: str, high: str) -> Scale:
    """Labels at 1, 2, 5 of each decade."""
    start = Decimal(low)
    count = int((Decimal(high) / start).log10())
    ticks = [plain(start * 10**d * k) for d in range(count) for k in range(1, 10)]
    labels = [plain(start * 10**d * k) for d in range(count) for k in (1, 2, 5)]
    end = plain(Decimal(high))
    return Scale(instrument, unit, True, (*labels, end), (*ticks, end))
