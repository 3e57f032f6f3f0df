"""Labels and questions of foreign pictures.

Most questions have the wording of gnomon's own kinds, which stands here as text. Charts are also
asked three short questions that users type.
"""

from __future__ import annotations

import re
from decimal import Decimal
from random import Random
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gnomon.sample import Number, Target, Time

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def number(value: float | str | Decimal, ends: tuple[float | Decimal, float | Decimal]) -> Number:
    """Label a value on a scale between two ends, with a tolerance of 5 % of the scale."""
    within = abs(Decimal(str(ends[1])) - Decimal(str(ends[0]))) / 20
    return Number(plain(Decimal(str(value))), within=plain(round(within, 6)))


def plain(value: Decimal) -> Decimal:
    """Remove the zeros at the end of the decimals."""
    value = value.normalize()
    return value.quantize(Decimal(1)) if value == value.to_integral() else value


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


def shares(rng: Random) -> Table:
    """Draw percentages of a whole for a pie."""
    measure, listed = rng.choice(_WHOLES)
    names = rng.sample(listed.split(), rng.randint(3, 6))
    cuts = sorted(rng.sample(range(1, 20), len(names) - 1))
    parts = [5 * (b - a) for a, b in zip([0, *cuts], [*cuts, 20], strict=True)]
    rows = tuple((part,) for part in parts)
    return Table(measure, "%", "part", "for", tuple(names), ("",), rows)


_WHOLES = (
    ("share of waste", "Paper Glass Metal Plastic Garden Other"),
    ("share of staff", "Kitchen Office Garage Cleaning Security Reception"),
    ("share of flights", "Europe Asia Africa Oceania America Arctic"),
)


def axis(rng: Random, shown: Table, *, zero: bool = True) -> tuple[int, int]:
    """Choose both ends of the value axis: round numbers around the values, and mostly zero."""
    values = [value for row in shown.rows for value in row]
    least, most = min(values), max(values) * rng.uniform(1, 1.15)
    power = 10 ** (len(str(int(most))) - 1)
    top = next(step * power // 10 for step in _TOPS if step * power >= 10 * most)
    if zero or least < 0.3 * top:
        return 0, top
    return int(0.8 * least) // (power // 10 or 1) * (power // 10 or 1), top


_TOPS = (12, 14, 15, 16, 18, 20, 25, 30, 35, 40, 50, 60, 70, 80, 90, 100)


def cell(rng: Random, shown: Table, ends: tuple[float, float]) -> tuple[str, Number]:
    """Ask for one value of a chart in gnomon's words. Return the question and the value."""
    row, column = rng.randrange(len(shown.names)), rng.randrange(len(shown.series))
    named = f"the {shown.measure} {shown.at} {shown.names[row]}"
    named += f" ({shown.series[column]})" if shown.series[column] else ""
    asked = rng.choice(_CHART).format(cell=named)
    question = f"{asked} Answer in {shown.unit}, as a whole number."
    return question, number(shown.rows[row][column], ends)


FORMS = {
    "n-th": r"What is the value of (bar|point) \d\d?\?",
    "highest": r"What is the highest value\?",
    "named": r"What is the value of ",
    "gnomon's words": "",
}
"""Forms of questions about charts, and the beginning of their text. The first match counts."""


def form_of(question: str) -> str:
    """Return the form of a question about a chart."""
    return next(form for form, text in FORMS.items() if re.match(text, question))


def short(
    rng: Random, turn: int, mark: str, names: Sequence[str], values: Sequence[float | str]
) -> tuple[str, float | str]:
    """Ask for the n-th, the highest or a named value, in turns. Return the question and the value.

    Slices of a pie have no first, so pies are not asked for the n-th.
    """
    form = list(FORMS)[turn % 3]
    place = rng.randrange(len(names))
    if form == "highest":
        return "What is the highest value? Answer with a number.", max(values, key=float)
    named = f"{mark} {place + 1}" if form == "n-th" and mark != "slice" else names[place]
    return f"What is the value of {named}? Answer with a number.", values[place]


PLAIN = ("bar", "lying bar", "line", "pie")
"""Designs of the sources that ask all forms of questions. They are drawn in turns."""


def plain_chart(rng: Random, index: int) -> tuple[str, Table, tuple[int, int], str, Number]:
    """Choose design, table and axis of a chart of one series. Return them with a question."""
    design = PLAIN[index % len(PLAIN)]
    shown = shares(rng) if design == "pie" else table(rng, ordered=design == "line")
    ends = axis(rng, shown, zero=design != "line" or rng.random() < 0.5)
    if design == "pie":
        ends = (0, 100)
    turn = index // len(PLAIN) % len(FORMS)
    if turn == len(FORMS) - 1:
        return design, shown, ends, *cell(rng, shown, ends)
    mark = {"line": "point", "pie": "slice"}.get(design, "bar")
    question, value = short(rng, turn, mark, shown.names, [row[0] for row in shown.rows])
    return design, shown, ends, question, number(value, ends)
