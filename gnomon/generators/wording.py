"""Texts that several kinds write: plurals, alternatives, durations and decimals."""

from collections.abc import Sequence
from decimal import Decimal

from gnomon.sample import Number

_IRREGULAR = {"leaf": "leaves", "fish": "fish", "axis": "axes"}


def plural(noun: str) -> str:
    """Form the plural of a noun: crosses, cities, fish."""
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    # days, but cities.
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return noun + ("es" if noun.endswith(("s", "x", "sh", "ch")) else "s")


def alternatives(words: Sequence[str]) -> str:
    """Join words with commas and "or": red, green or blue."""
    return f"{', '.join(words[:-1])} or {words[-1]}"


def duration(minutes: int) -> str:
    """Write a duration in words, such as 1 hour and 5 minutes."""
    hours, rest = divmod(minutes, 60)
    parts = [f"{n} {unit}{'s' * (n > 1)}" for n, unit in ((hours, "hour"), (rest, "minute")) if n]
    return " and ".join(parts)


def decimal_text(whole: int, places: int) -> str:
    """Write whole / 10^places in plain decimals: decimal_text(-305, 2) is -3.05."""
    if not places:
        return str(whole)
    digits = f"{abs(whole):0{places + 1}}"
    return f"{'-' if whole < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def short_decimal(whole: int, places: int) -> str:
    """Write whole / 10^places without trailing zeros."""
    return decimal_text(whole, places).rstrip("0").rstrip(".") if places else str(whole)


def rounded_text(value: float, places: int) -> str:
    """Round a number, without trailing zeros and without a minus zero: 4.70 is 4.7."""
    return f"{value:z.{places}f}".rstrip("0").rstrip(".")


def exact_number(text: str, unit: str = "") -> Number:
    """Make the exact answer of a number. A text keeps all digits, whatever the decimal context."""
    return Number(Decimal(text), unit)
