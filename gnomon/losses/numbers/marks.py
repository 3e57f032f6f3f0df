"""What one token's text says to a reader of numbers."""

from __future__ import annotations

import re
import string
from enum import IntFlag, auto

WIDEST = 3
"""Digits in the widest token that is read; GPT-2's `2024` in one token is not."""

_MINUSES = ("-", "−")
_DIGITS = re.compile(rf"\s*([0-9]{{1,{WIDEST}}})")
_DIGIT_AT_AN_END = re.compile(r"\s*[0-9]|.*[0-9]\Z", re.DOTALL)
_IN_NAMES = string.ascii_letters + string.digits + "_"


class Mark(IntFlag):
    """What matters about a token for finding numbers around it."""

    DIGITS = auto()
    """Digits that may join a neighbour's."""
    UNREAD = auto()
    """Digits in a form that is not read, such as `2024` in one token: no number has them."""
    SPACED = auto()
    """A space before the digits: they join nothing before them."""
    ZERO = auto()
    """Its digits begin with 0."""
    COMMA = auto()
    POINT = auto()
    """A point and nothing else."""
    BARE_POINT = auto()
    """A point after what cannot be a word, such as ` .`: a number may begin with it."""
    MINUS = auto()
    """A minus and nothing else."""
    NEGATIVE = auto()
    """A minus after what cannot be a word, such as ` -` or `(-`: always a sign."""
    WORD = auto()
    """Ends as a word, a number or a closed bracket does: a minus after it is no sign."""
    OPENS = auto()
    """Ends with an opening bracket, a minus apart."""
    CLOSES = auto()
    """Begins with a closing bracket."""
    IN_NAME = auto()
    """Ends with an ASCII letter, a digit or an underscore: a name may go on after it."""
    GOES_ON = auto()
    """Is made of those alone: it goes on with a name before it."""
    NAME = auto()
    """The last name in it begins with a letter or an underscore, and not with a digit."""


def digits_of(text: str) -> str | None:
    """The one to three ASCII digits that a token consists of, but for a space before them."""
    match = _DIGITS.fullmatch(text)
    return match[1] if match else None


def marks_of(text: str) -> Mark:
    """Everything that matters about a token of this text."""
    if text.lstrip().isalpha():  # most are, and a vocabulary has 150,000
        return Mark.WORD | _marks_of_names(text)
    if _DIGIT_AT_AN_END.match(text):
        return _marks_of_digits(text) | _marks_of_names(text)
    return _marks_of_signs(text) | _marks_of_edges(text) | _marks_of_names(text)


def _marks_of_digits(text: str) -> Mark:
    marks = Mark.DIGITS | Mark.WORD
    if digits_of(text) is None:
        marks |= Mark.UNREAD
    if text[0].isspace():
        marks |= Mark.SPACED
    if text.lstrip().startswith("0"):
        marks |= Mark.ZERO
    return marks


def _marks_of_signs(text: str) -> Mark:
    if text == ",":
        return Mark.COMMA
    if text.endswith("."):  # and -.5 begins with the token `-.`
        return _alone_or_free(text, Mark.POINT, Mark.BARE_POINT) | _minus_of(text[:-1])
    return _minus_of(text)


def _minus_of(text: str) -> Mark:
    if text.endswith(_MINUSES):
        return _alone_or_free(text, Mark.MINUS, Mark.NEGATIVE)
    return Mark(0)


def _alone_or_free(text: str, alone: Mark, free: Mark) -> Mark:
    before = text[:-1]
    if not before:
        return alone
    return Mark(0) if _ends_a_word(before) else free


def _marks_of_edges(text: str) -> Mark:
    marks = Mark(0)
    if _ends_a_word(text):
        marks |= Mark.WORD
    unsigned = text[:-1] if text.endswith(_MINUSES) else text
    if unsigned.endswith(("(", "[", "{")):
        marks |= Mark.OPENS
    if text.startswith((")", "]", "}")):
        marks |= Mark.CLOSES
    return marks


def _ends_a_word(text: str) -> bool:
    return text[-1:].isalnum() or text.endswith((")", "]", "}", "%", "°", "_", "."))


def _marks_of_names(text: str) -> Mark:
    before = text.rstrip(_IN_NAMES)
    if before == text:
        return Mark(0)
    marks = Mark.IN_NAME
    if not before:
        marks |= Mark.GOES_ON
    if text[len(before)] not in string.digits:
        marks |= Mark.NAME
    return marks
