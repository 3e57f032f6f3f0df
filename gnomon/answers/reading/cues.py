"""Words and signs with which models announce, correct, qualify and refuse an answer.

cues.toml has the words of all languages, and `weighing` the meaning of cues. All patterns match
lower-case text. Their quantifiers are bounded, which limits the time for any text.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from gnomon.answers.reading.base import fill, table

_TABLE = table(__file__)
POINTS: dict[str, int] = _TABLE["points"]
PENALTIES: dict[str, int] = _TABLE["penalties"]
"""Points that a value earns for its best place and loses for an adjacent cue."""
# Penalties only for values after the cue: "7, because there are 3 rows".
ONLY_AFTER = ("because", "contrasts", "doubts")
# Points of a value that is called wrong. Other points cannot outweigh them.
DENIED = -1000


def _filled(rows: Mapping[str, str]) -> dict[str, str]:
    """Return regular expressions. Parts are filled in, lines are alternatives, blanks are \\s."""
    patterns = fill({**_TABLE["parts"], **rows})
    return {cue: patterns[cue].replace("\n", "|").replace(" ", r"\s") for cue in rows}


def _together(cues: dict[str, str], begins: str) -> re.Pattern[str]:
    groups = "|".join(f"(?P<{name.replace(' ', '_')}>{cue})" for name, cue in cues.items())
    return re.compile(f"{begins}(?:{groups})", re.MULTILINE)


# One pattern for all words and one for all signs. They are tried only where a cue may begin.
_SIGNS = _filled(_TABLE["signs"])
_BY_WORDS = _together(_filled(_TABLE["words"]), r"\b(?=[a-zéü])")
_BY_SIGNS = _together(_SIGNS, r"(?=[\"'#\\∴⇒\u4e00-\u9fff])")
_BEGINS = {
    "no": re.compile(r"(?:\A|[.…,;:–—!?(\n)}\]-])\s{0,2}\Z"),
    "conclusion": re.compile(r"(?:\A|[.!?;:\n,*_)—–-])\s{0,3}(?:and\s)?\Z"),
}
"""Text before words that are cues only at the beginning of a clause, such as "no"."""


def cues(text: str) -> list[tuple[str, int, int]]:
    """Find name, start and end of each cue in a lower-case text."""
    matches = [
        (match.lastgroup or "", *match.span())
        for match in _BY_WORDS.finditer(text)
        if match.lastgroup not in _BEGINS
        or _BEGINS[match.lastgroup].search(text, max(0, match.start() - 8), match.start())
    ]
    matches += [(match.lastgroup or "", *match.span()) for match in _BY_SIGNS.finditer(text)]
    return sorted(
        (("corrects" if name == "no" else name, start, end) for name, start, end in matches),
        key=lambda cue: cue[1],
    )


ENCLOSED = tuple(
    (name.partition(":")[0], re.compile(pattern, re.MULTILINE))
    for name, pattern in _TABLE["enclosed"].items()
)
"""Patterns of enclosed answers, the most trusted first. The group is the content."""
KEY = re.compile(_SIGNS["key"])
PATTERNS = {name: re.compile(pattern) for name, pattern in _filled(_TABLE["patterns"]).items()}


class Evidence(NamedTuple):
    """Points that a value gains or loses by the text before it, at its place and after it."""

    points: float
    applies_to: str
    """Kind of values: "numbers", "several numbers" (with other numbers near), or "" for all."""
    before: re.Pattern[str]
    here: re.Pattern[str]
    behind: re.Pattern[str]

    def fits(self, low: str, span: tuple[int, int]) -> bool:
        """True if all three patterns match around a value."""
        start, end = span
        return bool(
            # 60 characters are enough for the longest of these patterns.
            self.before.search(low, max(0, start - 60), start)
            and self.here.match(low, start)
            and self.behind.match(low, end)
        )


EVIDENCE = [
    Evidence(
        row["points"],
        row.get("applies_to", ""),
        *map(
            re.compile, _filled({k: row.get(k, "") for k in ("before", "here", "behind")}).values()
        ),
    )
    for row in _TABLE["evidence"]
]


def is_range(part: str, start: int, between: str) -> bool:
    """True if the text between two values makes them a range. The first begins at `start`."""
    if PATTERNS["to"].fullmatch(between):
        return True
    both = PATTERNS["between"].search(part, max(0, start - 24), start)
    return bool(both and PATTERNS["and"].fullmatch(between))
