"""The words and signs by which models announce, correct, qualify and refuse an answer.

cues.toml has them for all languages; `final` knows only what a cue means. All patterns match
lower-case text, and their quantifiers are bounded, so that no text takes long.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_TABLE = tomllib.loads(Path(__file__).with_name("cues.toml").read_text(encoding="utf-8"))
POINTS: dict[str, int] = _TABLE["points"]
PENALTIES: dict[str, int] = _TABLE["penalties"]
"""What a value earns for the best place that it stands in, and loses for what is beside it."""


def _section(name: str) -> dict[str, str]:
    """A section's patterns, their parts put in."""
    found = {}
    for cue, pattern in _TABLE[name].items():
        for part, words in _TABLE["parts"].items():
            pattern = pattern.replace(f"<{part}>", words)
        found[cue] = pattern.replace("\n", "|").replace(" ", r"\s")
    return found


def _together(cues: dict[str, str], begins: str) -> re.Pattern[str]:
    groups = "|".join(f"(?P<{name.replace(' ', '_')}>{cue})" for name, cue in cues.items())
    return re.compile(f"{begins}(?:{groups})", re.MULTILINE)


_SIGNS = _section("signs")
_BY_WORDS = _together(_section("words"), r"\b(?=[a-zéü])")
_BY_SIGNS = _together(_SIGNS, r"(?=[\"'#\\∴⇒\u4e00-\u9fff])")
_BEGINS = {
    "no": re.compile(r"(?:\A|[.…,;:–—!?(\n)}\]-])\s{0,2}\Z"),
    "conclusion": re.compile(r"(?:\A|[.!?;:\n,*_)—–-])\s{0,3}(?:and\s)?\Z"),
}
"""What stands before words that are only cues where a clause begins."""


def cues(text: str) -> list[tuple[str, int, int]]:
    """Name, start and end of each cue of a text in lower case."""
    found = [
        (match.lastgroup or "", *match.span())
        for match in _BY_WORDS.finditer(text)
        if match.lastgroup not in _BEGINS
        or _BEGINS[match.lastgroup].search(text, max(0, match.start() - 8), match.start())
    ]
    found += [(match.lastgroup or "", *match.span()) for match in _BY_SIGNS.finditer(text)]
    return sorted(
        (("corrects" if name == "no" else name, start, end) for name, start, end in found),
        key=lambda cue: cue[1],
    )


ENCLOSED = tuple(
    (name.partition(":")[0], re.compile(pattern, re.MULTILINE))
    for name, pattern in _TABLE["enclosed"].items()
)
"""Places that enclose an answer, the most trusted first; each with what it holds as its group."""

KEY = re.compile(_SIGNS["key"])
_BESIDE = {name: re.compile(pattern) for name, pattern in _section("beside").items()}
THOUGHT, THINKS = _BESIDE["thought"], _BESIDE["thinks"]
IS, NEGATES, DENIED = _BESIDE["is"], _BESIDE["negates"], _BESIDE["denied"]
CONFIDENCE = _BESIDE["confidence"]
OR, ASIDE = _BESIDE["or"], _BESIDE["aside"]
"""An alternative in brackets, or that is called less likely, leaves the answer standing."""
TO, AND, ALL, BETWEEN = _BESIDE["to"], _BESIDE["and"], _BESIDE["all"], _BESIDE["between"]
LISTED = _BESIDE["listed"]
"""What stands between values of which none is the answer."""
CALCULATES, EQUALS = _BESIDE["calculates"], _BESIDE["equals"]
"""What stands between a value and the one that it comes to, and how that ends."""
OPERATES = _BESIDE["operates"]
AT_ANOTHER, WORKS_OUT = _BESIDE["at_another"], _BESIDE["works_out"]
"""What stands behind a value that is only a part of a calculation: 3 ticks past 40."""
EACH, IN_ALL = _BESIDE["each"], _BESIDE["in_all"]
"""What makes a number a step of the scale, and the sum of all."""
OTHER_BEFORE, OTHER_AFTER = _BESIDE["other_before"], _BESIDE["other_after"]
BESIDE_OTHERS = _BESIDE["beside_others"]
"""What makes a number another than the answer; the last, where there are more."""
LIMITS = _BESIDE["limits"]
"""What makes a number a bound of the answer."""
EXACT, RIGHT, WRONG = _BESIDE["exact"], _BESIDE["right"], _BESIDE["wrong"]
"""The exact value behind a rough one; what a check of each choice says behind it."""
SUPERIOR = _BESIDE["superior"]
"""What begins a comparison of which the subject comes first."""
O_CLOCK = _BESIDE["o_clock"]
"""Beside another number, a place on a dial."""
REFERENCE, RUNS_ON = _BESIDE["reference"], _BESIDE["runs_on"]
"""What a box is of; where a text goes on with another question."""
FORMULA, TWO_UNITS = _BESIDE["formula"], _BESIDE["two_units"]
"""What holds letters or roots, or a pair: no number, though numbers are in it."""
SENTENCE_END = _BESIDE["sentence_end"]


def is_year(part: str, span: tuple[int, int]) -> bool:
    """Whether a number is the year of a date, or the "ten" of "six of the ten bars"."""
    if _BESIDE["of_all"].search(part, max(0, span[0] - 30), span[0]):
        return True
    if not _BESIDE["year"].match(part, span[0]):
        return False
    near = part[max(0, span[0] - 16) : span[0]]
    return bool(_BESIDE["before_year"].search(near)) or part[span[1] : span[1] + 1] == "年"


def is_range(part: str, start: int, between: str) -> bool:
    """Whether `between` makes a range of two values, of which the first begins at `start`."""
    if TO.fullmatch(between):
        return True
    return bool(AND.fullmatch(between) and BETWEEN.search(part, max(0, start - 24), start))
