"""How a time is written: 10:08, "eight minutes past ten", or JSON."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Literal, TypeAlias

from gnomon.answers.reading.word_tables import SMALL, TENS

Form: TypeAlias = Literal["digits", "words", "json"]
FORMS: tuple[Form, ...] = ("digits", "words", "json")
Hms: TypeAlias = tuple[int, int, int | None]
"""Hour, minute, and second or None."""

_DIGITS = re.compile(r"(\d{2}):(\d{2})(?::(\d{2}))?", re.ASCII)
_JSON = re.compile(
    r'\{"hours": (\d{1,2}), "minutes": (\d{1,2})(?:, "seconds": (\d{1,2}))?\}', re.ASCII
)
_ONES = tuple(SMALL)


def write(hms: Hms, form: Form) -> str:
    """A time in the form that is asked for; words have no seconds."""
    hour, minute, second = hms
    if form == "words":
        return _said(hour, minute)
    if form == "json":
        fields = {"hours": hour, "minutes": minute, "seconds": second}
        return json.dumps({name: value for name, value in fields.items() if value is not None})
    return f"{hour:02}:{minute:02}" + ("" if second is None else f":{second:02}")


def read(text: str, form: Form, hours: int) -> Hms | None:
    """The time that `write` wrote in that form, on a clock of so many hours."""
    if form == "words":
        return _times_in_words().get(text)
    match = (_JSON if form == "json" else _DIGITS).fullmatch(text)
    if match is None:
        return None
    hour, minute, second = (int(part or 0) for part in match.groups())
    first, last = (1, 12) if hours == 12 else (0, 23)
    if not first <= hour <= last or minute > 59 or second > 59:
        return None
    return hour, minute, second if match[3] is not None else None


def number_in_words(number: int) -> str:
    """0 to 59 in words."""
    if number < len(_ONES):
        return _ONES[number]
    tens, ones = divmod(number, 10)
    word = [*TENS][tens - 2]
    return f"{word}-{_ONES[ones]}" if ones else word


def _said(hour: int, minute: int) -> str:
    """As it is spoken: past the hour up to the half, then to the next."""
    this, following = number_in_words(hour), number_in_words(hour % 12 + 1)
    if minute == 0:
        return f"{this} o'clock"
    if minute <= 30:
        return f"{_minutes(minute)} past {this}"
    return f"{_minutes(60 - minute)} to {following}"


def _minutes(minute: int) -> str:
    if minute in (15, 30):
        return "quarter" if minute == 15 else "half"
    number = number_in_words(minute)
    return number if minute % 5 == 0 else f"{number} minute{'s' if minute > 1 else ''}"


@cache
def _times_in_words() -> dict[str, Hms]:
    times = [(hour, minute, None) for hour in range(1, 13) for minute in range(60)]
    return {write(time, "words"): time for time in times}
