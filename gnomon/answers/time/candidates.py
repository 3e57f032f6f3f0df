"""Where in a text a time may be stated, and what the rules make of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import TypeAlias

from gnomon.answers.reading.choice import Reading
from gnomon.answers.reading.word_tables import WIDE, Digits
from gnomon.answers.time import rules
from gnomon.answers.time.writing import Hms

Candidate: TypeAlias = "tuple[int, tuple[rules.Rule, ...] | re.Match[str]]"
"""A place, with the rules to try there or the field that stands there."""


def candidates(text: str, start: int, end: int) -> list[Candidate]:
    """Where a time may begin from `start` to `end`, with the rules that what follows allows.

    Trying every rule at every character would take ten times as long.
    """
    far = end + _CUE_LENGTH
    cued = _CUED.finditer(text, start, far)
    said = _SAID.finditer(text, start, far) if not text.isascii() else ()
    found: list[Candidate] = [
        (_begin(text, match.start()), _AFTER_FIGURES[match.lastgroup or ""])
        for match in chain(cued, said)
    ]
    for match in _NAMED.finditer(text, start, far):
        found.append((match.start(), rules.PAST_OR_TO if match[0] in _AMOUNTS else rules.NOON))
    if text.find(":", start, far) >= 0 or text.find("=", start, far) >= 0:
        found += [(match.start(), match) for match in _FIELD.finditer(text, start, far)]
    found.sort(key=_place)
    while found and found[-1][0] >= end:
        found.pop()
    return found


_place = itemgetter(0)


def _begin(text: str, last: int) -> int:
    """Where the figures begin whose last digit this is; of more than four no time is made."""
    begin = last
    while begin and last - begin < 4 and text[begin - 1] in _DIGITS:
        begin -= 1
    return begin


def read(said: Digits, group: Sequence[Candidate]) -> list[Reading[Hms | None]]:
    """What the rules make of candidates, in any order, in its place in the old text."""
    found: list[Reading[Hms | None]] = []
    fields: list[re.Match[str]] = []
    for place, allowed in group:
        if isinstance(allowed, re.Match):
            fields.append(allowed)
            continue
        for rule, pattern, value in allowed:
            if match := pattern.match(said.text, place):
                found.append(Reading(value(match), said.span(*match.span()), rule))
    for time, span in _fields(said.text, fields):
        found.append(Reading(time, said.span(*span), "fields" if time else "refused"))
    return found


_AFTER_FIGURES = {
    "colon": rules.AFTER_COLON,
    "dot": rules.AFTER_DOT,
    "hours": rules.AFTER_HOURS,
    "way": rules.PAST_OR_TO,
    "clock": rules.AFTER_CLOCK,
    "oh": rules.SPOKEN,
    "half": rules.AFTER_HALF,
    "said": rules.SPOKEN,
}
_DIGITS = f"0123456789{WIDE}"
_CUE = (
    rf"(?=\s?(?P<colon>:)(?!\s?[{WIDE}])|[\s,(-]{{0,3}}+(?:"  # nobody says 3:ten
    r"(?P<dot>\.(?=[0-9]{2}))|(?=h|[abimnoptu][a-z'.\s-])(?:"
    r"(?P<hours>h(?:ours?|rs?)?(?![a-z])|hundred\shours)"
    r"|(?P<way>min|and\s|(?:past|after|to|before|till?|until|of)(?=[\s-]))"
    r"|(?P<clock>o'?\s?clock)"
    r"|(?P<oh>oh?(?=[\s-]))"
    r"|(?P<half>[ap]\.?\s?m|in\sthe|at\snight|noon|mid|this|tonight))))"
)
"""What may follow the last digit of an hour or of minutes."""
_CUED = re.compile(rf"[0-9](?=[\s,(-]{{0,3}}+[:.abhimnoptu]){_CUE}")
_SAID = re.compile(rf"[{WIDE}](?![{WIDE}])(?:{_CUE}|(?=(?P<said>[\s-]{{1,2}}[0-9{WIDE}])))")
_CUE_LENGTH = 24
"""More characters than a figure and its cue have."""
_AMOUNTS = ("quarter", "half")
_NAMED = re.compile("|".join(rules.ANCHOR_WORDS))


APART = 12
"""Characters that may stand between two fields of a time."""


def _fields(text: str, fields: list[re.Match[str]]) -> Iterator[_Field]:
    """JSON or lines such as {"hours": 10, "minutes": 8}: neighbours, in any order."""
    group: dict[str, int] = {}
    start = end = 0
    for match in fields:
        unit = match[0][0]
        if group and (unit in group or match.start() - end > APART):
            yield _field_time(text, group, (start, end))
            group = {}
        start = start if group else match.start()
        end = match.end()
        group[unit] = int(match["value"])
    if group:
        yield _field_time(text, group, (start, end))


def _field_time(text: str, group: dict[str, int], span: tuple[int, int]) -> _Field:
    if "h" not in group or "m" not in group:
        return None, span
    period = _PERIOD.match(text, span[1])
    half, end = (period[1], period.end()) if period else (None, span[1])
    return rules.time_of(group["h"], group["m"], group.get("s"), half), (span[0], end)


_Field: TypeAlias = "tuple[Hms | None, tuple[int, int]]"
_PERIOD = re.compile(
    r"[\s,;]{0,12}[\"']?(?:period|am_?pm|am/pm|meridiem)[\"']?\s?[:=]\s?[\"']?([ap]\.?m)\b\.?[\"']?"
)
"""A field behind the others that names the half of the day."""


_FIRST = r"[hms](?<!\w[hms])"
_NAMED_UNIT = r"(?:our|inute|econd|in|ec|r|h|m|s)?s?[\"']?\s?[:=]"
UNIT = _FIRST + _NAMED_UNIT
"""What stands before the value of a field."""
_WORTH_A_TRY = r"(?=[a-z]{0,6}+[\"']?\s?[:=]\s?[\"']?\d)"  # or else `s= s= s=` takes a fifth longer
_FIELD = re.compile(
    rf"{_FIRST}{_WORTH_A_TRY}{_NAMED_UNIT}\s?[\"']?(?P<value>\d{{1,2}})(?:\.0)?(?!\d|[:.]\d)[\"']?"
)
