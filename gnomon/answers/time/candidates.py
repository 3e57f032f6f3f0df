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


def candidates(text: str) -> list[Candidate]:
    """Where a time may begin, with the rules that what follows allows.

    Trying every rule at every character would take ten times as long.
    """
    found: list[Candidate] = [
        (_begin(text, match.end() - 1), rules.RULES[match.lastgroup or ""])
        for match in chain(_CUED.finditer(text), _SAID.finditer(text), _LAS.finditer(text))
    ]
    found += [
        (match.start(), rules.RULES[match.lastgroup or ""]) for match in _NAMED.finditer(text)
    ]
    if ":" in text or "=" in text or ">" in text:
        found += [(match.start(), match) for match in _FIELD.finditer(text)]
    return sorted(found, key=itemgetter(0))[-_MOST:]


_MOST = 64
"""Places near the end of a text that are tried."""


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
                before = rules.BEFORE.search(said.text, max(0, place - 4), place)
                if not before and rule in _WITH_ARTICLE:
                    before = rules.ARTICLE.search(said.text, max(0, place - 4), place)
                start = before.start() if before else place
                found.append(Reading(value(match), said.span(start, match.end()), rule))
    for time, span in _fields(said.text, fields):
        found.append(Reading(time, said.span(*span), "fields" if time else "refused"))
    return found


_WITH_ARTICLE = ("o'clock", "hour and minutes", "点")
_DIGITS = f"0123456789{WIDE}"
_CUED, _SAID, _LAS, _NAMED, _FIELD, _PERIOD = (
    re.compile(rules.PATTERNS[name]) for name in ("cued", "said", "las", "named", "field", "period")
)


_APART = 44
"""Characters that may stand between two fields of a time."""


def _fields(text: str, fields: list[re.Match[str]]) -> Iterator[_Field]:
    """JSON or lines such as {"hours": 10, "minutes": 8}: neighbours, in any order."""
    group: dict[str, int] = {}
    start = end = 0
    for match in fields:
        unit = "h" if match["h"] else "m" if match["m"] else "s"
        if group and (unit in group or match.start() - end > _APART):
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
