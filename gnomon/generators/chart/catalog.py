"""Types of charts and subjects that charts are about, from types.toml and subjects.toml.

Wordings name the {measure} and its {unit}, what is measured {across}, one of the {row}s and what
they are ({each}), {in_series} or the {series} alone.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from gnomon.files import read_toml


class Type(NamedTuple):
    """A type of chart: its limits, what it can show, and the words for it."""

    never: list[str]
    """Questions that make no sense there."""
    scales: tuple[str, ...] = ("zero",)
    series: tuple[int, int] = (1, 1)
    fewest: int = 3
    most: int = 14
    """Rows, from and to."""
    tied: bool = False
    """True if it may have near ties."""
    gaps: bool = False
    """True if a value may be missing."""
    only_labelled: bool = False
    """True if values can be told only where they are written."""
    legend: bool = False
    """True if the series, or the parts, stand in a legend."""
    shows: str = "bar"
    """Name of what shows a value."""
    titles: tuple[str, ...] = ("{measure} by {each}", "{measure} for each {each}", "{measure}")
    cell: str = "the {measure} {at}{in_series}"
    column: str = "{measure}{in_series}"
    mark: str = "the {shows} of {row}{in_series}"


_TYPES = read_toml(__file__, "types.toml")
TYPES = {name: Type(**fields) for name, fields in _TYPES.items()}


# The file as it is: a font has to have its letters.
ALL = Path(__file__).with_name("subjects.toml").read_text(encoding="utf-8")
_TABLE = tomllib.loads(ALL)


class Topic(NamedTuple):
    """Something that has a value."""

    measure: str
    unit: str
    low: int
    high: int
    places: int = 0
    """Decimals that are shown; low and high count the last of them."""
    over: str = "city country"
    """Rows that it may have, besides times."""


class Rows(NamedTuple):
    """Names of rows, such as months or cities."""

    each: str
    """One of them, in a question."""
    names: tuple[str, ...]
    ordered: bool = False


def _names(names: str) -> tuple[str, ...]:
    return tuple(names.split(", "))


# Topics by scale, or by the type of chart that has topics of its own.
TOPICS = {name: [Topic(*fields) for fields in topics] for name, topics in _TABLE["topics"].items()}
# Measures that are sorted into bins, their limits, and possible widths of the bins.
BINNED = [(Topic(name, *fields[:3]), fields[3]) for name, fields in _TABLE["bins"].items()]
# Names of series, of parts of a whole, and of traits on a radar.
NAMES = {what: [_names(names) for names in lists] for what, lists in _TABLE["names"].items()}
# Texts before and after a number that replace its unit.
AFFIXES: dict[str, tuple[str, str]] = _TABLE["affixes"]
_ROWS = [Rows(**fields | {"names": _names(fields["names"])}) for fields in _TABLE["rows"]]
LETTERS = tuple("ABCDEFGHIJKLMNOPQRST")
# The five numbers that a box plot shows of each group.
FIVE = ("minimum", "lower quartile", "median", "upper quartile", "maximum")


@cache
def row_groups(topic: Topic, rows: int, longest: int, *, ordered: bool) -> tuple[Rows, ...]:
    """Rows that a topic can have, with at least `rows` names; only times if `ordered`."""
    short = (
        # Long names are left out, not the group, as long as enough remain.
        group._replace(names=tuple(name for name in group.names if len(name) <= longest))
        for group in _ROWS
        if group.ordered or (not ordered and group.each in topic.over.split())
    )
    return tuple(group for group in short if len(group.names) >= rows)
