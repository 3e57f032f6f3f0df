"""What foreign pictures show and are asked: labels, in the words that gnomon's own kinds use.

The wording stands here as text, so that only the picture is foreign.
"""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gnomon.sample import Number, Target, Time

if TYPE_CHECKING:
    from PIL import Image

    Drawn: TypeAlias = tuple[Image.Image, str, Target]
    """What a renderer's `draw` gives: a picture, its question, the answer."""

_CLOCK = (
    "What time does the clock show? Answer HH:MM.",
    "Read the clock. Answer HH:MM.",
    "What is the time on this clock? Answer as HH:MM.",
    "Which time do the hands show? Write it as HH:MM.",
)
_GAUGE = (
    "What does the {name} read? Answer in {unit}.",
    "Read the {name}. Answer in {unit}.",
    "Which value does the {name} show? Answer in {unit}.",
)
_CHART = ("What is {cell}?", "Read {cell} off the chart.", "How much is {cell}?")


class Hands(NamedTuple):
    """Where the hands of a clock stand, in degrees clockwise from twelve."""

    hour: float
    minute: float
    second: float | None


def rng_of(name: str, index: int) -> Random:
    """The draws of one picture, which no other renderer or index shares."""
    return Random(f"{name} {index}")  # a text is hashed by SHA-512, the same everywhere


def clock(rng: Random, *, seconds: bool) -> tuple[Hands, str, Time]:
    """Any minute of twelve hours; with a second hand the minute that has begun is asked for."""
    shown = 60 * rng.randrange(720) + (rng.randrange(60) if seconds else 0)
    second = 6.0 * (shown % 60) if seconds else None
    hands = Hands(shown / 120, shown / 10 % 360, second)
    return hands, rng.choice(_CLOCK), Time(shown // 60 * 60)


def gauge(rng: Random, name: str, unit: str) -> str:
    """The question what an instrument reads."""
    return rng.choice(_GAUGE).format(name=name, unit=unit)


def number(value: float | str | Decimal) -> Number:
    """A label of a few decimals, without the zeros at its end."""
    plain = Decimal(str(value)).normalize()
    return Number(plain.quantize(Decimal(1)) if plain == plain.to_integral() else plain)


class Table(NamedTuple):
    """What a chart shows: a value for each name, and for each series where there are several."""

    measure: str
    unit: str
    over: str
    """What one of the names is, as an axis would be labelled."""
    at: str
    """In or for, before a name."""
    names: tuple[str, ...]
    series: tuple[str, ...]
    """("",) where there is one."""
    rows: tuple[tuple[int, ...], ...]
    """A tuple for each name."""

    def columns(self) -> list[list[int]]:
        """The values of each series."""
        return [list(column) for column in zip(*self.rows, strict=True)]


_TOPICS = (
    ("snowfall", "cm", 5, 120),
    ("coffee export", "tonnes", 40, 900),
    ("ticket count", "tickets", 30, 480),
    ("download volume", "gigabytes", 10, 260),
    ("number of repairs", "jobs", 4, 95),
    ("milk yield", "litres", 60, 780),
    ("parking income", "EUR", 100, 1500),
    ("noise level", "dB", 30, 110),
    ("solar output", "kWh", 20, 640),
    ("number of guests", "persons", 12, 340),
    ("delivery time", "minutes", 8, 90),
    ("page count", "pages", 40, 720),
)
"""Measure, unit, and the range of its values."""
_NAMES = (
    ("month", "in", "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"),
    ("year", "in", "2014 2015 2016 2017 2018 2019 2020 2021 2022 2023"),
    ("city", "for", "Bergen Malmo Graz Basel Lyon Leeds Cork Ghent Turku Brno Split Riga"),
    ("branch", "for", "Harbour Station Market Airport Campus Castle Stadium Museum"),
)
_SERIES = (("2023", "2024"), ("online", "in store"), ("plan", "actual"), ("men", "women"),
           ("spring", "summer", "autumn"), ("small", "medium", "large"))  # fmt: skip


def table(rng: Random, *, several: bool = False, ordered: bool = False) -> Table:
    """A level with a spread around it, as a rule without a trend."""
    measure, unit, low, high = rng.choice(_TOPICS)
    over, at, listed = rng.choice(_NAMES[:2] if ordered else _NAMES)
    names, many = listed.split(), rng.randint(3, 6 if several else 8)
    if at == "in":
        start = rng.randrange(len(names) - many + 1)
        names = names[start : start + many]
    else:
        names = rng.sample(names, many)
    series = rng.choice(_SERIES if over != "year" else _SERIES[1:]) if several else ("",)
    top = rng.randint(low + (high - low) // 3, high)
    rows = tuple(tuple(rng.randint(low, top) for _ in series) for _ in names)
    return Table(measure, unit, over, at, tuple(names), series, rows)


def cell(rng: Random, shown: Table) -> tuple[str, Number]:
    """The question for one value of a chart, and the value."""
    row, column = rng.randrange(len(shown.names)), rng.randrange(len(shown.series))
    named = f"the {shown.measure} {shown.at} {shown.names[row]}"
    named += f" ({shown.series[column]})" if shown.series[column] else ""
    asked = rng.choice(_CHART).format(cell=named)
    return f"{asked} Answer in {shown.unit}, as a whole number.", number(shown.rows[row][column])
