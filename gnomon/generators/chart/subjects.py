"""What charts are about: measures with their units, and what they are counted over.

subjects.toml has them all.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

ALL = Path(__file__).with_name("subjects.toml").read_text(encoding="utf-8")
"""The file as it is: a font has to have its letters."""
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
    """What it may be told of, besides times."""


class Rows(NamedTuple):
    """What the values belong to."""

    each: str
    """One of them, in a question."""
    names: tuple[str, ...]
    ordered: bool = False


def _listed(names: str) -> tuple[str, ...]:
    return tuple(names.split(", "))


TOPICS = {name: [Topic(*told) for told in topics] for name, topics in _TABLE["topics"].items()}
"""By scale, or by the type of chart that has topics of its own."""
BINNED = [(Topic(name, *told[:3]), told[3]) for name, told in _TABLE["bins"].items()]
"""What is sorted into bins, within which limits, and how wide the bins may be."""
NAMES = {what: [_listed(names) for names in lists] for what, lists in _TABLE["names"].items()}
"""Of the series of a chart, of the parts of a whole and of the traits on a radar."""
AFFIXES: dict[str, tuple[str, str]] = _TABLE["affixes"]
"""What charts write before and after a number in place of its unit."""
_ROWS = [Rows(**told | {"names": _listed(told["names"])}) for told in _TABLE["rows"]]
LETTERS = tuple("ABCDEFGHIJKLMNOPQRST")
FIVE = ("minimum", "lower quartile", "median", "upper quartile", "maximum")
"""What a box plot shows of each group."""


@cache
def groups(topic: Topic, rows: int, longest: int, *, ordered: bool) -> tuple[Rows, ...]:
    """What a topic may be told of, with so many names at the least; only times where ordered."""
    short = (
        group._replace(names=tuple(name for name in group.names if len(name) <= longest))
        for group in _ROWS
        if group.ordered or (not ordered and group.each in topic.over.split())
    )
    return tuple(group for group in short if len(group.names) >= rows)
