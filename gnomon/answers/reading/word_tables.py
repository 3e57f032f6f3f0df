"""English number words: their values, and a text with the small ones turned into digits."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import accumulate, groupby

_TEENS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
SMALL = {word: value for value, word in enumerate(_TEENS.split())}
_TIES = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
TENS = {word: 10 * value for value, word in enumerate(_TIES, 2)} | {"fourty": 40}  # often written
SHARES = {"half": Decimal("0.5"), "quarter": Decimal("0.25")}
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12} | {
    **dict.fromkeys(("lakh", "lakhs", "lac", "lacs"), 10**5),  # as in India
    **dict.fromkeys(("crore", "crores"), 10**7),
}


WIDE = "０１２３４５６７８９"
"""The digits of numbers that were words. In a plain text there are none."""


def any_of(words: Iterable[str], then: str = "", *, letters: str = "[a-z]") -> str:
    """A pattern for any of these words, none of `letters` beside it, with `then` behind it.

    Each alternative begins with its letter, since such a pattern is found fast.
    """
    then = f"(?!{letters}){then}"
    return "|".join(
        rf"{letter}(?<!{letters}{letter})(?:{'|'.join(word[1:] for word in same)}){then}"
        for letter, same in groupby(sorted(words), lambda word: word[0])
    )


_DIGITS = "|".join(word for word, value in SMALL.items() if 1 <= value <= 9)
_TO_99 = rf"(?:[\s-]{{1,2}}(?:{_DIGITS})(?!\w))?"
_BELOW_100 = re.compile(
    "(" + any_of({*SMALL, *(word + _TO_99 for word in TENS)}, letters=r"\w") + ")"
)


@dataclass(frozen=True)
class Digits:
    """A text whose number words below 100 became digits, and the way back to the old places.

    These digits are wide ones, so that what was said can be told from what was written.
    """

    text: str
    start: int
    end: int
    """Where in `text` that begins and ends which was asked for, without what is around it."""
    _offset: int
    _said: list[str]
    """The old text from `_offset` on: what stands between number words, and these."""
    _written: list[str]
    """The same in digits."""

    @property
    def numbers(self) -> int:
        """How many are said in words."""
        return len(self._said) // 2

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The same span in the old text."""
        return self._old(start), self._old(end)

    def _old(self, place: int) -> int:
        """A place outside every number word is as far from the last one before it."""
        before = bisect_right(self._here, place) - 1
        return self._there[before] + place - self._here[before]

    @cached_property
    def _here(self) -> list[int]:
        return list(accumulate(map(len, self._written), initial=0))

    @cached_property
    def _there(self) -> list[int]:
        return list(accumulate(map(len, self._said), initial=self._offset))


def digits(text: str, start: int, end: int) -> Digits:
    """A text in lower case with "twenty-two" as ２２; "ten thirty" becomes "１０ ３０".

    What is around `start` and `end` is there for patterns that look at it.
    """
    offset = max(0, start - _BEHIND)
    behind, here, ahead = text[offset:start], text[start:end], text[end : end + _AHEAD]
    said, more = _BELOW_100.split(here), _BELOW_100.split(ahead)
    written, more_written = _in_digits(said), _in_digits(more)
    done = behind + "".join(written)
    return Digits(
        done + "".join(more_written),
        len(behind),
        len(done),
        offset,
        [behind, *said, *more],
        [behind, *written, *more_written],
    )


def _in_digits(said: list[str]) -> list[str]:
    written = said.copy()
    written[1::2] = [_VALUES.get(number) or _sum(number) for number in said[1::2]]
    return written


_BEHIND, _AHEAD = 40, 80
"""Characters around a piece that rules may look at, such as the words before a range."""
_WIDE = str.maketrans("0123456789", WIDE)
_VALUES = {word: str(value).translate(_WIDE) for word, value in (SMALL | TENS).items()}


@lru_cache(1000)
def _sum(number: str) -> str:
    """Of twenty and two."""
    parts = (int(_VALUES[word]) for word in re.split(r"[\s-]{1,2}", number))
    return str(sum(parts)).translate(_WIDE)
