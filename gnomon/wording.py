"""How times, numbers and tables are written and read back, the same in every dialect."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from decimal import Decimal
from functools import cache

from gnomon.sample import Number, Table, Text, Time

_DIGITS = re.compile(r"(\d{2}):(\d{2})(?::(\d{2}))?", re.ASCII)
_JSON = re.compile(
    r'\{"hours": (\d{1,2}), "minutes": (\d{1,2})(?:, "seconds": (\d{1,2}))?\}', re.ASCII
)
_NUMBER = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)(?: (\S+(?: \S+)*))?")
_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)


def write_time(time: Time) -> str:
    """The time in its own form."""
    hour, minute, second = time.hms
    if time.form == "words":
        return _said(hour, minute)
    if time.form == "json":
        fields = {"hours": hour, "minutes": minute, "seconds": second}
        return json.dumps({name: value for name, value in fields.items() if value is not None})
    return f"{hour:02}:{minute:02}" + ("" if second is None else f":{second:02}")


def read_time(text: str, like: Time) -> Time | None:
    """The time that `write_time` wrote in the form of `like`, on a clock of its hours."""
    if like.form == "words":
        return _times_in_words().get(text)
    match = (_JSON if like.form == "json" else _DIGITS).fullmatch(text)
    if match is None:
        return None
    hour, minute, second = (int(part or 0) for part in match.groups())
    first, last = (1, 12) if like.hours == 12 else (0, 23)
    if not first <= hour <= last or minute > 59 or second > 59:
        return None
    seconds = hour % like.hours * 3600 + minute * 60 + second
    return Time(seconds, like.hours, match[3] is not None, like.form)


def write_number(number: Number) -> str:
    """Plain decimals, never 1E+3, and the unit after a space."""
    digits = f"{number.value:f}"
    text = f"{digits} {number.unit}" if number.unit else digits
    if not _NUMBER.fullmatch(text):  # never trained on what cannot be read back
        raise ValueError(f"unit={number.unit!r}: give words with one space between them")
    return text


def read_number(text: str, like: Number) -> Number | None:
    """The number that `write_number` wrote, with the tolerance of `like`."""
    match = _NUMBER.fullmatch(text)
    return replace(like, value=Decimal(match[1]), unit=match[2] or "") if match else None


def read_text(text: str, like: Text) -> Text | None:
    """The text, if it is one that the question allows."""
    try:
        return replace(like, text=text)
    except ValueError:
        return None


def write_table(table: Table) -> str:
    """A line for each row, the header first, with | between the cells."""
    return "\n".join(" | ".join(row) for row in (table.header, *table.rows))


def read_table(text: str) -> Table | None:
    """The table that `write_table` wrote."""
    header, *rows = (tuple(line.split(" | ")) for line in text.split("\n"))
    try:
        return Table(header, tuple(rows))
    except ValueError:
        return None


def number_in_words(number: int) -> str:
    """0 to 59 in words."""
    if number < len(_ONES):
        return _ONES[number]
    tens, ones = divmod(number, 10)
    word = ("twenty", "thirty", "forty", "fifty")[tens - 2]
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
def _times_in_words() -> dict[str, Time]:
    times = (Time(minute * 60, form="words") for minute in range(720))
    return {write_time(time): time for time in times}
