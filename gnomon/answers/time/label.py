"""A time as a label of a user's file says it."""

from __future__ import annotations

import re

_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?(?: ?([ap])\.?m\.?)?", re.ASCII | re.IGNORECASE)


def read(text: str, hours: int) -> tuple[int, bool]:
    """The seconds on a clock of so many hours, and whether it shows seconds."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no time such as 10:08 or 10:08:30")
    hour, minute, second = (int(part or 0) for part in match.groups()[:3])
    if hour > 23 or minute > 59 or second > 59 or (match[4] and not 1 <= hour <= 12):
        raise ValueError(f"{text!r}: no clock shows it")
    if match[4]:
        hour = hour % 12 + 12 * (match[4] in "pP")
    seconds = hour % hours * 3600 + minute * 60 + second
    return seconds, match[3] is not None
