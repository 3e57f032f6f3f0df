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
_CUE = (
    rf"(?=\s?(?P<colon>:)(?!\s?[{WIDE}])|\s?(?P<chinese>[点點时時]|分(?:钟)?\S{{0,3}}[点點])"
    r"|[\s,(-]{0,3}+(?:"  # nobody says 3:ten
    r"(?P<dot>\.(?=[0-9]{2}))|(?=h|[abdefimnoptuvy][a-zü'.\s-])(?:"
    r"(?P<hours>h(?:ours?|rs?|eures?|oras?)?(?![a-z])|hundred\shours)"
    r"|(?P<way>min|and\s|(?:past|after|to|before|till?|until|of|nach|vor)(?=[\s-]))"
    r"|(?P<clock>o'?\s?clock|uhr)"
    r"|(?P<oh>oh?(?=[\s-]))"
    r"|(?P<y>(?:y|et|menos|moins|en)(?=\s))"
    r"|(?P<half>[ap]\.?\s?m|in\sthe|at\snight|noon|mid|this|tonight|d[ue]\s|morgens|vormittags|mittags|nachmittags|abends|nachts|früh))))"
)
"""What may follow the last digit of an hour or of minutes."""
_CUED = re.compile(rf"[0-9](?=[\s,(-]{{0,3}}+[:.abdefhimnoptuvy点點时時分]){_CUE}")
_SAID = re.compile(rf"[{WIDE}](?![{WIDE}])(?:{_CUE}|(?=(?P<said>[\s-]{{1,2}}[0-9{WIDE}])))")
_LAS = re.compile(rf"(?<=\bla)(?:s)?\s[0-9{WIDE}]{{0,1}}(?P<las>[0-9{WIDE}])(?![0-9{WIDE}:])")
_NAMED = re.compile(
    rf"(?P<amount>quarter|half|viertel(?=\s(?:nach|vor)))|(?P<towards>halb|(?:drei|[3３]\s)?viertel)"
    rf"|(?P<noon>{rules.PATTERNS['anchor_words']})"
)


_APART = 16
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
_PERIOD = re.compile(
    r"[\s,;]{0,12}[\"']?(?:period|am_?pm|am/pm|meridiem)[\"']?\s?[:=]\s?[\"']?([ap]\.?m)\b\.?[\"']?"
)
"""A field behind the others that names the half of the day."""


_FIELD = re.compile(
    r"(?<!\w)(?:(?P<h>h(?:ours?|eures?|oras?|rs?|h)?|stunden?|小?时)|(?P<m>m(?:inutes?|inuten|inutos?|ins?|m)?|分钟?)"
    r"|(?P<s>s(?:econds?|econdes?|ekunden?|egundos?|ecs?|s)?|秒))[\"']?\s?[:=>]\s?[\"']?(?P<value>\d{1,2})(?:\.0)?(?!\d|[:.]\d)[\"']?"
)
