"""What one token's text says to a reader of numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain

WIDEST = 3
"""Digits in the widest token that is read; GPT-2's `2024` in one token is not."""

_SPELT = rf"\s*([0-9]{{1,{WIDEST}}})\Z"
_DIGITS = r"(\s*[0-9]|.*[0-9]\Z)"
_OTHER = rf"(?!{_DIGITS})"
_WORDS = r"\w)\]}%°."
_NAMES = "[A-Za-z0-9_]"

MARKS = {
    # Digits that may join a neighbour's.
    "digits": _DIGITS,
    # Digits in a form that is not read, such as `2024` in one token: no number has them.
    "unread": rf"(?!{_SPELT}){_DIGITS}",
    # A space before the digits: they join nothing before them.
    "spaced": rf"(?=\s){_DIGITS}",
    # Its digits begin with 0.
    "zero": r"\s*0",
    "comma": r",\Z",
    # A point and nothing else.
    "point": r"\.\Z",
    # A point after what cannot be a word, such as ` .`: a number may begin with it.
    "bare point": rf"{_OTHER}.*[^{_WORDS}]\.\Z",
    # A minus and nothing else; and -.5 begins with the token `-.`.
    "minus": r"[-−]\.?\Z",
    # A minus after what cannot be a word, such as ` -` or `(-`: always a sign.
    "negative": rf"{_OTHER}.*[^{_WORDS}][-−]\.?\Z",
    # Ends as a word, a number or a closed bracket does: a minus after it is no sign.
    "word": rf"{_DIGITS}|.*[{_WORDS}]\Z",
    # Ends with an opening bracket, a minus apart.
    "opens": rf"{_OTHER}.*[(\[{{][-−]?\Z",
    # Begins with a closing bracket.
    "closes": rf"{_OTHER}[)\]}}]",
    # Ends with an ASCII letter, a digit or an underscore: a name may go on after it.
    "in name": rf".*{_NAMES}\Z",
    # Is made of those alone: it goes on with a name before it.
    "goes on": rf"{_NAMES}+\Z",
    # The last name in it begins with a letter or an underscore, and not with a digit.
    "name": rf"(.*[^A-Za-z0-9_])?[A-Za-z_]{_NAMES}*\Z",
}
"""What matters about a token for finding numbers around it: how its text begins, as a pattern."""


_LETTERS = re.compile("[A-Za-z]+")
_FOREIGN = re.compile(r"[^\W\d_A-Za-z]+")


def digits_of(text: str) -> str | None:
    """The one to three ASCII digits that a token consists of, but for a space before them."""
    match = re.match(_SPELT, text)
    return match[1] if match else None


def by_form(texts: Mapping[int, str]) -> dict[str, list[int]]:
    """The tokens of each form of text: a run of letters is one letter, for no mark sees more."""
    found: dict[str, list[int]] = {}
    for token, text in texts.items():
        form = _LETTERS.sub("a", text)
        found.setdefault(form if form.isascii() else _FOREIGN.sub("é", form), []).append(token)
    return found


def tokens_with(mark: str, forms: Mapping[str, list[int]]) -> list[int]:
    """Those of the tokens whose text has the mark, the first ones first."""
    pattern = re.compile(MARKS[mark], re.DOTALL)
    return sorted(chain.from_iterable(forms[form] for form in forms if pattern.match(form)))
