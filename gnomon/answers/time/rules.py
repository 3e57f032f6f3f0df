"""The forms in which a time is written or spoken: what the groups of each pattern mean.

rules.toml has the patterns, and the words of all languages; what a form means is the same in each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from gnomon.answers.reading.patterns import filled, table
from gnomon.answers.time.writing import Hms

Value: TypeAlias = "Callable[[re.Match[str]], Hms | None]"
Rule: TypeAlias = "tuple[str, re.Pattern[str], Value]"

_TABLE = table(__file__)
PATTERNS = filled(_TABLE["patterns"])
BEFORE, ARTICLE = re.compile(PATTERNS["before"]), re.compile(PATTERNS["article"])
"""What names the half of the day before a time, and what makes a time of figures behind it."""
_AT_NIGHT, _IS_LATE = re.compile(PATTERNS["at_night"]), re.compile(PATTERNS["is_late"])


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
    if _AT_NIGHT.fullmatch(half):
        return 6 <= hour <= 11 or hour > 12
    return bool(_IS_LATE.fullmatch(half))


def _half(match: re.Match[str]) -> str | None:
    """The half of the day that stands behind a time, or in Chinese before it."""
    before = BEFORE.search(match.string, max(0, match.start() - 4), match.start())
    return match.groupdict().get("half") or (before[0].strip() if before else None)


def _stated(match: re.Match[str]) -> Hms | None:
    """Groups h, m, s, more and half, of which only h must be there."""
    parts = match.groupdict()
    second = parts.get("s") or parts.get("more")
    return time_of(
        int(parts["h"]), int(parts.get("m") or 0), int(second) if second else None, _half(match)
    )


def _amount(said: str) -> int:
    """Minutes of a figure or of the words for a half and a quarter."""
    if said[0] in "hm半d":  # half, media, demie
        return 30
    return 15 if said[0] in "qvc" or said[-1] == "刻" else int(said)


def _past_or_to(match: re.Match[str]) -> Hms | None:
    amount, before = match["m"], not re.fullmatch(PATTERNS["past"], match["way"])
    if before and (amount == "half" or _is_range(match)):
        return None
    seconds = 60 * _amount(amount) + int(match["s"] or 0)
    named = not match["h"].isdigit()
    half = match["h"] if named else match["half"]
    base = time_of(12 if named else int(match["h"]), 0, None, half)
    more = int(match["more"] or 0)
    if base is None or seconds >= 3600 or more > 59 or int(match["s"] or 0) > 59:
        return None
    shift = (-seconds if before else seconds) - (1800 if match["halb"] else 0) + more
    return _shifted(base[0], shift, bool(match["s"] or match["more"]), half)


def _hour_first(match: re.Match[str]) -> Hms | None:
    """Three hours and a quarter, or less ten."""
    named = not match["h"].isdigit()
    half = (match["h"] if named else None) or _half(match)
    base = time_of(12 if named else int(match["h"]), 0, None, half)
    minutes = 15 * int(match["quarters"] or 0) if "quarters" in match.re.groupindex else 0
    minutes = minutes or _amount(match["past"] or match["minus"] or "0")
    if base is None or minutes > 59:
        return None
    return _shifted(base[0], 60 * (-minutes if match["minus"] else minutes), False, half)


def _towards(match: re.Match[str]) -> Hms | None:
    """Halb vier is half an hour before four, viertel vier three quarters."""
    base = time_of(int(match["h"]), 0, None, match["half"])
    said = match["share"]
    minutes = 30 if said == "halb" else 15 if said[0] in "d３3" else 45
    return base and _shifted(base[0], -60 * minutes, False, match["half"])


def _shifted(hour: int, seconds: int, shows_seconds: bool, half: str | None) -> Hms:
    minutes, second = divmod((3600 * hour + seconds) % 86400, 60)
    new_hour, minute = divmod(minutes, 60)
    if new_hour == 0 and hour and half is None:
        new_hour = 12  # "ten to one" is 12:50 unless it is said to be at night
    return new_hour, minute, second if shows_seconds else None


def _is_range(match: re.Match[str]) -> bool:
    """Bare figures with "to" may be a range, as in "numbers from 1 to 12"; with "of", a count."""
    if match["unit"] or match["m"] in ("quarter", "viertel") or match["way"] == "vor":
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


def _spoken(match: re.Match[str]) -> Hms | None:
    """Twenty-two oh eight."""
    minute, more = re.split(r"[\s-]", match["m"])[-1], match["more"]
    return time_of(int(match["h"]), int(minute), int(more) if more else None, match["half"])


def _half_hour(match: re.Match[str]) -> Hms | None:
    return time_of(int(match["h"]), 30, None, match["half"])


def _noon(match: re.Match[str]) -> Hms | None:
    return time_of(12, 0, None, match["half"])


_MEANS: dict[str, Value] = {
    "spoken": _spoken,
    "hour and share": _hour_first,
    "past or to": _past_or_to,
    "half hour": _half_hour,
    "点": _hour_first,
    "点: 差": _hour_first,
    "towards": _towards,
    "noon": _noon,
}
"""What the groups of a form mean, where they are not what `_stated` reads."""


def _rule(form: str) -> Rule:
    pattern = re.compile(PATTERNS[form])
    return form.partition(":")[0], pattern, _MEANS.get(form, _stated)


RULES: dict[str, tuple[Rule, ...]] = {
    cue: tuple(map(_rule, forms)) for cue, forms in _TABLE["tried"].items()
}
"""By what makes a place one where a time may begin: the rules to try there."""
