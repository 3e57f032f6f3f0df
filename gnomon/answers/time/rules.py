"""The forms in which a time is written or spoken: a pattern each, and what its groups mean.

Patterns run on lower-case text whose small number words are digits already, and are tried only
where a figure or one of ANCHOR_WORDS stands. Every quantifier over blanks is bounded, so that no
text takes more than linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from gnomon.answers.time.writing import Hms

"""Hour, minute, and second where one is stated."""
Value: TypeAlias = "Callable[[re.Match[str]], Hms | None]"
Rule: TypeAlias = "tuple[str, re.Pattern[str], Value]"

ANCHOR_WORDS = ("quarter", "half", "noon", "midday", "midnight")


def time_of(hour: int, minute: int, second: int | None, half: str | None = None) -> Hms | None:
    """The time, or None where there is no such time; `half` names a half of the day."""
    if hour > 23 or minute > 59 or (second or 0) > 59:
        return None
    if half:
        late = _is_late(half, hour)
        if (hour > 12 and not late) or (hour == 0 and late):
            return None  # 22:08 AM and 0:08 PM contradict themselves
        hour = hour % 12 + 12 * late
    return hour, minute, second


def _is_late(half: str, hour: int) -> bool:
    """Whether the named half of the day is the second one."""
    if half in ("at night", "tonight"):
        return 6 <= hour <= 11 or hour > 12
    return half[0] == "p" or half.endswith(("noon", "evening", "midday"))


def _stated(match: re.Match[str]) -> Hms | None:
    """Groups h, m, s, more and half, of which only h must be there."""
    parts = match.groupdict()
    second = parts.get("s") or parts.get("more")
    return time_of(
        int(parts["h"]),
        int(parts.get("m") or 0),
        int(second) if second else None,
        parts.get("half"),
    )


def _past_or_to(match: re.Match[str]) -> Hms | None:
    amount, before = match["m"], match["way"] not in ("past", "after")
    if before and (amount == "half" or _is_range(match)):
        return None
    minute = {"quarter": 15, "half": 30}.get(amount) or int(amount)
    second, more = int(match["s"] or 0), int(match["more"] or 0)
    named = match["h"] in ANCHOR_WORDS
    half = match["h"] if named else match["half"]
    base = time_of(12 if named else int(match["h"]), 0, None, half)
    if base is None or minute > 59 or second > 59 or more > 59:
        return None
    shift = 60 * minute + second
    shows_seconds = bool(match["s"] or match["more"])
    return _shifted(base[0], (-shift if before else shift) + more, shows_seconds, half)


def _shifted(hour: int, seconds: int, shows_seconds: bool, half: str | None) -> Hms:
    minutes, second = divmod((3600 * hour + seconds) % 86400, 60)
    new_hour, minute = divmod(minutes, 60)
    if new_hour == 0 and hour and half is None:
        new_hour = 12  # "ten to one" is 12:50 unless it is said to be at night
    return new_hour, minute, second if shows_seconds else None


def _is_range(match: re.Match[str]) -> bool:
    """Bare figures with "to" may be a range, as in "numbers from 1 to 12"; with "of", a count."""
    if match["unit"] or match["m"] == "quarter":
        return False
    if match["way"] == "of" or (match["m"], match["h"]) in _ONE_TO_TWELVE:
        return True
    words = match.string[max(0, match.start() - 20) : match.start()].split()
    return bool(words) and words[-1] in _BEFORE_A_RANGE


_ONE_TO_TWELVE = [(one, twelve) for one in ("1", "１") for twelve in ("12", "１２")]
# fmt: off
_BEFORE_A_RANGE = frozenset({
    "from", "between", "number", "numbers", "numeral", "numerals", "digit", "digits", "hour",
    "hours", "mark", "marks", "marked", "labeled", "labelled", "numbered", "minute", "minutes",
})
# fmt: on


def _rule(name: str, pattern: str, value: Value = _stated) -> Rule:
    return name, re.compile(pattern), value


_ALONE = r"(?<![\d:])(?<!\d[.,])"
_ENDS = r"(?!\d|[:.,]\d)"
_DAY = (
    r"in\sthe\s(?:early\s|late\s)?(?:morning|afternoon|evening)|this\s(?:morning|afternoon|evening)"
    r"|at\snight|tonight|noon|midday|midnight"
)
_HALF = rf"(?:[\s,]{{0,2}}\(?(?P<half>(?:[ap]\.?\s?m|{_DAY})\b))"
_HOUR = rf"{_ALONE}(?P<h>\d{{1,2}})"
_MINUTES = r"\s?(?:minutes?|mins?|m)(?![a-z])"
_SECONDS = r"\s?(?:seconds?|secs?|s)(?![a-z])"
_MONEY = "$€£¥₹"
_UNITS = (
    "degrees?|deg|percent|pixels?|px|[ckm]?m|k?g|s|secs?|seconds?|usd|eur|dollars?|euros?|k|million"
)
_AND = r"[\s,]{0,2}(?:and\s{1,2})?"
# 10:08 and 30 seconds, but not "10:08, and 30 seconds later".
_MORE = (
    r",?\sand\s(?P<more>\d{1,2})\sseconds?(?![a-z])(?!\s(?:later|earlier|after|before|past|to|ago))"
)

AFTER_COLON = (
    _rule(
        "colon",  # 10:08, 10:08:30 AM, 2024-05-01T10:08:30.5+02:00
        rf"{_HOUR}(?P<sep>\s?:\s?)(?P<m>\d{{2}})"
        rf"(?:(?P=sep)(?P<s>\d{{2}})(?:[.,]\d{{1,9}})?(?:\+\d\d:\d\d)?|{_MORE})?"
        rf"(?!\d|(?P=sep)\d|:\d|[.,]\d){_HALF}?",  # no 2:10 in "is at 2: 10:10"
    ),
)
AFTER_DOT = (
    _rule(
        "dot",  # 10.08; never 1.08.2024, v10.08, 10.08 %, $12.50 or 12.50 degrees
        rf"(?<![a-z{_MONEY}])(?<![{_MONEY}]\s){_HOUR}\.(?P<m>\d{{2}})(?:\.(?P<s>\d{{2}}))?{_ENDS}"
        rf"(?!\s?(?:[%°{_MONEY}]|(?:{_UNITS})\b)){_HALF}?",
    ),
)
SPOKEN = (
    _rule(
        "spoken",  # twenty-two oh eight, ten thirty-five; in figures only with an "oh"
        rf"(?<!\d[\s-]){_ALONE}(?:[0０][\s-])?(?P<h>\d{{1,2}})[\s-]{{1,2}}"
        rf"(?P<m>(?:oh?|[0０])[\s-]{{1,2}}\d|[1-5１-５]\d){_ENDS}"
        rf"(?![\s-]\d)(?:{_MORE})?{_HALF}?",
        lambda m: time_of(
            int(m["h"]),
            int(re.split(r"[\s-]", m["m"])[-1]),
            int(m["more"]) if m["more"] else None,
            m["half"],
        ),
    ),
)
AFTER_HOURS = (
    _rule(
        "hours",  # 10h08, 10 hours 8 minutes, 10 hrs and 8 min
        rf"{_HOUR}[\s-]?(?:hours?|hrs?\.?|h)(?![a-z]){_AND}(?P<m>\d{{1,2}}){_ENDS}"
        rf"(?:{_MINUTES})?(?:{_AND}(?P<s>\d{{1,2}}){_SECONDS})?{_HALF}?",
    ),
    _rule(
        "four figures",  # 2208 hours
        r"(?<![\d.,:])(?P<h>\d\d)(?P<m>\d\d)\s{0,2}(?:hours|hrs|h)\b",
    ),
    _rule("hundred hours", rf"{_HOUR}[\s-]hundred\shours"),  # twenty-two hundred hours
)
PAST_OR_TO = (
    _rule(
        "past or to",  # 8 past 10, a quarter to four, half past ten, five minutes to noon
        rf"{_ALONE}\b(?P<m>\d{{1,2}}|quarter|half)(?P<unit>[\s-]{{0,2}}(?:minutes?|mins?)\b)?"
        rf"(?:\s(?:and\s)?(?P<s>\d{{1,2}})\sseconds?)?"
        r"[\s-]{1,2}(?P<way>past|after|to|before|till|til|until|of)[\s-]{1,2}"
        rf"(?P<h>\d{{1,2}}|noon|midday|midnight)\b(?::00)?{_ENDS}"
        rf"(?:\s{{0,2}}o'?\s?clock)?(?:{_MORE})?{_HALF}?",
        _past_or_to,
    ),
)
AFTER_CLOCK = (
    _rule(
        "o'clock",  # 10 o'clock, 10 o'clock and 8 minutes; not "the 10 o'clock position"
        rf"{_HOUR}[\s-]{{0,2}}o'?\s?clock\b(?!\s(?:position|direction|mark|hour))"
        rf"(?:{_AND}(?P<m>\d{{1,2}}){_MINUTES}(?:{_MORE})?)?{_HALF}?",
    ),
)
AFTER_HALF = (
    _rule("half day", rf"{_HOUR}{_HALF}"),  # 10 PM, 3 in the afternoon, 12 noon
)
NOON = (
    _rule(
        "noon",
        r"\b(?P<half>noon|midday|midnight)\b(?!\sblue\b)",
        lambda m: time_of(12, 0, None, m["half"]),
    ),
)
