"""The forms in which a box is written: forms.toml has them, each as one pattern."""

from __future__ import annotations

import re

from gnomon.answers.reading.patterns import filled, table
from gnomon.answers.reading.word_tables import any_of

_TABLE = table(__file__)
NAMES: dict[str, str] = {
    name: role for role, names in _TABLE["names"].items() for name in names.split()
}
"""What a number is called, and which one of a box it is."""
_PATTERNS = filled(
    {"name": any_of(map(re.escape, NAMES), letters="[a-z0-9_]")} | _TABLE["patterns"]
)
TWO, TWO_BARE = _PATTERNS["two"], _PATTERNS["two_bare"]
LIST, ROW, RUN, TAG, PAIR, LOCS, LOC, BARE = (
    re.compile(_PATTERNS[name], re.ASCII)
    for name in ("list", "row", "run", "tag", "pair", "locs", "loc", "bare")
)
BETWEEN_POINTS, BEFORE_LIST, PERCENT, FURTHER, LOWER, ANY_FIELD, FIELD = (
    re.compile(_PATTERNS[name])
    for name in (
        "between_points",
        "before_list",
        "percent",
        "further",
        "lower",
        "any_field",
        "field",
    )
)
LEGENDS = tuple((name, re.compile(pattern)) for name, pattern in _TABLE["legends"].items())
NUMBERS_OF_FIELD = (2, 4, 7, 9, 11, 13, 16, 18)
"""The groups of FIELD that are numbers, each followed by that of its unit."""
LONGEST_BARE = 400
"""Characters of a text that may be four numbers alone."""
