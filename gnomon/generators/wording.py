"""What the questions of several kinds are worded with."""

from __future__ import annotations

from collections.abc import Sequence

_IRREGULAR = {"leaf": "leaves", "fish": "fish", "axis": "axes"}


def plural(noun: str) -> str:
    """cross, crosses; city, cities; fish, fish."""
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return noun + ("es" if noun.endswith(("s", "x", "sh", "ch")) else "s")


def listed(words: Sequence[str]) -> str:
    """red, green or blue."""
    return f"{', '.join(words[:-1])} or {words[-1]}"


def duration(minutes: int) -> str:
    """1 hour and 5 minutes."""
    hours, rest = divmod(minutes, 60)
    parts = [f"{n} {unit}{'s' * (n > 1)}" for n, unit in ((hours, "hour"), (rest, "minute")) if n]
    return " and ".join(parts)
