"""Reader of times of day, in figures or as they are spoken in five languages.

read.toml has the patterns and words of all languages.
"""

import re
from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from gnomon.answers.reading.base import Reading, Which, fill, longest, normalize, table
from gnomon.answers.reading.final import find
from gnomon.answers.reading.number_words import WIDE, Digits
from gnomon.answers.time.answer import Form, Hms


def read_time(
    text: str,
    *,
    hours: Literal[12, 24] = 24,
    which: Which = "final",
    form: Form | None = None,
) -> Reading[Hms] | None:
    """Read the time that `text` states, with its place and rule, or None.

    With hours=24, 22:08 and 10:08 stay as they are, and "8 past 10 PM" is 22:08. With hours=12 the
    value is as a 12-hour dial shows it: 22:08 becomes 10:08, and the hour at the top is 12. By
    default the final answer counts if the text has several times.

    `form` is the style that the question asks for. With "digits", which means HH:MM, the whole text
    may also be 10-08, 1008 or 10:8.
    """
    return find(text, lambda part: _all_times(part, hours, form), which)


def _all_times(text: str, hours: int, form: Form | None) -> list[Reading[Hms]]:
    """Read all times of a short text, as a dial of 12 or 24 hours shows them."""
    digits = Digits(normalize(text))
    candidates = [*_times(digits)]
    if form == "digits" and (bare := _BARE.fullmatch(digits.text)):
        span = digits.span(bare.start("h"), max(bare.end("m"), bare.end("half")))
        candidates.append(Reading(_stated(bare, bare["half"]), span, "bare"))
    readings: list[Reading[Hms]] = longest(candidates)
    if hours == 12:
        readings = [r._replace(value=(r.value[0] % 12 or 12, *r.value[1:])) for r in readings]
    return readings


def parse_time(text: str, *, hours: Literal[12, 24] = 24, which: Which = "final") -> Hms | None:
    """Read the time alone, (hour, minute, second or None), or None.

    `read_time` also returns the place and the rule.
    """
    reading = read_time(text, hours=hours, which=which)
    return reading.value if reading else None


Candidate: TypeAlias = "Reading[Hms | None]"
"""A reading, or the place of an impossible time, with None as its value."""

# Most places that are tried, from the end of the text. This limits the time for long tables.
_MOST_PLACES = 64
# Most characters between two fields of a time, as in `"hours": 10,\n    "minutes": 8`.
_MAX_GAP = 44


def _times(digits: Digits) -> Iterator[Candidate]:
    """Read all possible times, with their places in the original text."""
    text = digits.text
    for position in [match.start() for match in _PLACE.finditer(text)][-_MOST_PLACES:]:
        # Four characters are enough for a Chinese half of the day or "las ".
        before = _BEFORE.search(text, max(0, position - 4), position)
        for rule, pattern, value in _RULES:
            if match := pattern.match(text, position):
                half = match.groupdict().get("half") or (before and before["half_before"])
                start = before.start() if before else position
                yield Reading(value(match, half), digits.span(start, match.end()), rule)
    for time, (start, end) in _fields(text):
        yield Reading(time, digits.span(start, end), "fields")
    for time, (start, end) in _table_rows(text):
        yield Reading(time, digits.span(start, end), "row of a table")


def _fields(text: str) -> Iterator[tuple[Hms | None, tuple[int, int]]]:
    """Read fields in JSON or lines, such as {"hours": 10, "minutes": 8}, in any order.

    Fields that stand near each other make a time.
    """
    groups: list[tuple[int, int, dict[str, int]]] = []
    for match in _FIELD.finditer(text):
        unit = "h" if match["h"] else "m" if match["m"] else "s"
        # A unit that the group has already begins the next time.
        start, end, group = groups.pop() if groups else (match.start(), match.start(), {})
        if unit in group or match.start() - end > _MAX_GAP:
            groups.append((start, end, group))
            start, group = match.start(), {}
        groups.append((start, match.end(), group | {unit: int(match["value"])}))
    for start, end, group in groups:
        # Hours alone, such as "hours": 24 of a dial, are not a time.
        if group.keys() >= {"h", "m"}:
            period = _PERIOD.match(text, end)
            half = period[1] if period else None
            time = _time_of(group["h"], group["m"], group.get("s"), half)
            yield time, (start, period.end() if period else end)


def _table_rows(text: str) -> Iterator[tuple[Hms | None, tuple[int, int]]]:
    """Read the rows of Markdown tables whose header names hours and minutes."""
    for match in _TABLES.finditer(text):
        names = [_CELL.fullmatch(cell) for cell in match["header"].split("|")]
        units = [name.lastgroup if name else None for name in names]
        end = match.start("rows")
        for line in match["rows"].splitlines(keepends=True):
            start, end = end, end + len(line)
            cells = [cell.strip(" \t\n*_`") for cell in line.split("|")]
            numbers = {u: int(c) for u, c in zip(units, cells, strict=False) if u and c.isdecimal()}
            if numbers.keys() >= {"h", "m"}:
                time = _time_of(numbers["h"], numbers["m"], numbers.get("s"), None)
                yield time, (start, start + len(line.rstrip()))


def _time_of(hour: int, minute: int, second: int | None, half: str | None) -> Hms | None:
    """Return the time, or None if it is impossible; `half` names a half of the day."""
    if hour > 23 or minute > 59 or (second or 0) > 59:
        return None
    if half:
        late = _is_late(hour, half)
        if (hour > 12 and not late) or (hour == 0 and late):
            return None  # 22:08 AM and 0:08 PM contradict themselves
        hour = hour % 12 + 12 * late
    return hour, minute, second


def _is_late(hour: int, half: str) -> bool:
    """True if the word for the half of the day means an hour from noon to midnight.

    "11 at night" is 23:00, but "1 at night" is 1:00, and "11:30 at noon" is before noon.
    """
    if _AT_NIGHT.fullmatch(half):
        return 6 <= hour <= 11 or hour > 12
    if _IN_THE_EVENING.fullmatch(half):  # 晚上 is evening and night
        return 5 <= hour <= 11 or hour > 12
    if _AT_NOON.fullmatch(half):
        return hour not in (10, 11)
    return bool(_IS_LATE.fullmatch(half))


def _stated(match: re.Match[str], half: str | None) -> Hms | None:
    """Return the time of the groups h, m, s, more and marked. Only h is required."""
    parts = match.groupdict()
    second = parts.get("s") or parts.get("more") or parts.get("marked")
    return _time_of(
        int(parts["h"]), int(parts.get("m") or 0), int(second) if second else None, half
    )


def _relative(match: re.Match[str], half: str | None) -> Hms | None:
    """Return the time of the groups past, less or s: an amount after or before h.

    The hour may be a word such as noon. "halb elf" is half an hour before eleven.
    """
    parts = match.groupdict("")
    if parts.get("to") and _RANGE.search(match.string, max(0, match.start() - 20), match.start()):
        return None
    is_word = not parts["h"].isdigit()  # noon or midnight
    half = parts["h"] if is_word else half
    minute = int(parts.get("m") or 0)
    base = _time_of(12 if is_word else int(parts["h"]), minute, None, half)
    amount = _amount(parts.get("past") or parts.get("less") or "0")
    second, more = int(parts.get("s") or 0), int(parts.get("more") or 0)
    if base is None or amount > 59 or second > 59 or more > 59:
        return None
    shift = 60 * amount + second
    shift = (-shift if parts.get("to") or parts.get("less") else shift) + more
    # "halb elf" is 10:30. The day goes round: ten to midnight is 23:50.
    seconds = (3600 * base[0] + 60 * minute + shift - 1800 * bool(parts.get("halb"))) % 86400
    hour, minute, second = seconds // 3600, seconds // 60 % 60, seconds % 60
    if hour == 0 and base[0] and half is None:
        hour = 12  # "ten to one" is 12:50, unless the text says "at night"
    return hour, minute, second if parts.get("s") or parts.get("more") else None


def _amount(text: str) -> int:
    """Convert a figure, or the words for a half and a quarter, to minutes."""
    if text[-1] == "刻":  # a quarter of an hour: 三刻 is 45 minutes
        return 15 * int(text[0])
    return _SHARES[text[0]] if text[0] in _SHARES else int(text)


# By the first letter: half, media, demie; quarter, cuarto, Viertel; "a minute".
_SHARES = {**dict.fromkeys("hmd半", 30), **dict.fromkeys("qcv", 15), "a": 1}
_TABLE = table(__file__)
_FORMS = ("patterns", "stated", "relative", "whole")
_PATTERNS = fill({"wide": WIDE} | {k: v for form in _FORMS for k, v in _TABLE[form].items()})
# The place where a time may begin, and the words before it, such as 下午 or "las".
_PLACE, _BEFORE = (re.compile(_PATTERNS[name]) for name in ("place", "before"))
# Words for halves of the day: "at night" is late before midnight and early after it.
_AT_NIGHT, _IN_THE_EVENING, _AT_NOON, _IS_LATE = (
    re.compile(_PATTERNS[name]) for name in ("at_night", "in_the_evening", "at_noon", "is_late")
)
# Words that make numbers a range: "the numerals 1 to 12" are not times.
_RANGE = re.compile(_PATTERNS["range"])
# A field such as "hours": 10, and the half of the day after the last one.
_FIELD, _PERIOD = (re.compile(_PATTERNS[name]) for name in ("field", "period"))
# A Markdown table, and a cell of its header that names a field.
_TABLES, _CELL = (re.compile(_PATTERNS[name]) for name in ("table", "cell"))
# The whole text of a time, if the question asks for HH:MM.
_BARE = re.compile(_PATTERNS["bare"])
_Rule: TypeAlias = "tuple[str, re.Pattern[str], Callable[[re.Match[str], str | None], Hms | None]]"
_RULES: list[_Rule] = [
    # A rule has several patterns, named after a colon: "past or to:german" is "past or to".
    (name.partition(":")[0], re.compile(_PATTERNS[name]), means)
    for key, means in (("stated", _stated), ("relative", _relative))
    for name in _TABLE[key]
]
