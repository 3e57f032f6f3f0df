"""Types of charts and their subjects, from types.toml and subjects.toml.

Wordings name the {measure} and its {unit}, the names it is measured {across}, one {row} and its
category ({each}), and {in_series} or the {series} alone.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from gnomon.files import read_toml


class Type(NamedTuple):
    """Type of chart: its limits, its questions, and its wording."""

    never: list[str]
    """Questions that do not make sense for this type."""
    in_mix: bool = True
    """False if the type is drawn only if `charts` names it."""
    scales: tuple[str, ...] = ("zero",)
    series: tuple[int, int] = (1, 1)
    fewest: int = 3
    most: int = 14
    """Smallest and largest number of rows."""
    tied: bool = False
    """True if it may have near ties."""
    gaps: bool = False
    """True if a value may be missing."""
    only_labelled: bool = False
    """True if values can be read only where they are written."""
    legend: bool = False
    """True if a legend names the series or the parts."""
    shows: str = "bar"
    """Name of the mark that shows a value."""
    titles: tuple[str, ...] = ("{measure} by {each}", "{measure} for each {each}", "{measure}")
    cell: str = "the {measure} {at}{in_series}"
    column: str = "{measure}{in_series}"
    mark: str = "the {shows} of {row}{in_series}"


_TYPES = read_toml(__file__, "types.toml")
TYPES = {name: Type(**fields) for name, fields in _TYPES.items()}


# The file as text, because a font must have its letters.
ALL = Path(__file__).with_name("subjects.toml").read_text(encoding="utf-8")
_TABLE = tomllib.loads(ALL)


class Topic(NamedTuple):
    """Quantity that has values."""

    measure: str
    unit: str
    low: int
    high: int
    places: int = 0
    """Displayed decimals. `low` and `high` are multiples of the last decimal."""
    over: str = "city country"
    """Categories of rows, in addition to times."""


class Rows(NamedTuple):
    """Names of rows, such as months or cities."""

    each: str
    """A single name, in a question."""
    names: tuple[str, ...]
    ordered: bool = False


def _names(names: str) -> tuple[str, ...]:
    return tuple(names.split(", "))


# Topics by scale, or by the type of chart that has its own topics.
TOPICS = {name: [Topic(*fields) for fields in topics] for name, topics in _TABLE["topics"].items()}
# Measures that are sorted into bins, their limits, and possible widths of the bins.
BINNED = [(Topic(name, *fields[:3]), fields[3]) for name, fields in _TABLE["bins"].items()]
# Names of series, of parts of a whole, and of traits on a radar.
NAMES = {what: [_names(names) for names in lists] for what, lists in _TABLE["names"].items()}
# Texts before and after a number that replace its unit.
AFFIXES: dict[str, tuple[str, str]] = _TABLE["affixes"]
_ROWS = [Rows(**fields | {"names": _names(fields["names"])}) for fields in _TABLE["rows"]]
LETTERS = tuple("ABCDEFGHIJKLMNOPQRST")
# Columns of the types that have the same columns in every chart.
COLUMNS = {
    "box": ("minimum", "lower quartile", "median", "upper quartile", "maximum"),
    "candlestick": ("open", "high", "low", "close"),
    "bullet": ("actual", "target"),
}
# Names in the legends of types whose colours do not stand for series.
LEGENDS = {"waterfall": ("increase", "decrease", "total"), "candlestick": ("up", "down")}
# Types whose rows are parts of a whole, types that show each row by one mark for all its columns,
# types whose rows have an order of their own, and types with a colour for each value.
PARTS = ("pie", "ring", "treemap")
WHOLE_ROWS = ("scatter", "bubble", "box", "candlestick")
STAGED = ("waterfall", "funnel")
COLOURED = ("heatmap", "map")
# Types without an axis, and types without a frame around the plot.
WITHOUT_AXIS = (*PARTS, "funnel")
WITHOUT_FRAME = (*WITHOUT_AXIS, *COLOURED, "radar")


@cache
def row_groups(
    topic: Topic, rows: int, longest: int, *, times: bool = True, things: bool = True
) -> tuple[Rows, ...]:
    """Return the categories for a topic with at least `rows` names: times, things or both."""
    short = (
        # Long names are left out as long as enough names of the category remain.
        group._replace(names=tuple(name for name in group.names if len(name) <= longest))
        for group in _ROWS
        if (times and group.ordered) or (things and group.each in topic.over.split())
    )
    return tuple(group for group in short if len(group.names) >= rows)
