"""Numbers spelled out in English: "one hundred and twenty-three", "minus twelve point five"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from gnomon.eval.parse.reading import Reading
from gnomon.eval.parse.words import SCALES, SMALL, TENS

if TYPE_CHECKING:
    from collections.abc import Iterator


def spelled(text: str, start: int = 0) -> Iterator[Reading[Decimal | None]]:
    """Every number from `start` on that stands in words; the rule of a lone "one" is "one"."""
    if _NUMBERS.isdisjoint(_WORD.findall(text.lower(), start)):
        return
    for run in _runs(text, start):
        yield from _numbers(run)


@dataclass(frozen=True, slots=True)
class _Token:
    word: str
    start: int
    end: int


def _runs(text: str, start: int) -> Iterator[list[_Token]]:
    """Number words that follow one another, with nothing but a blank or a hyphen between."""
    run: list[_Token] = []
    for match in _WORD.finditer(text, start):
        word = match[0].lower()
        if word not in VOCABULARY:
            continue
        if run and not _BETWEEN.fullmatch(text, run[-1].end, match.start()):
            yield run
            run = []
        run.append(_Token(word, match.start(), match.end()))
    if run:
        yield run


def _numbers(run: list[_Token]) -> Iterator[Reading[Decimal | None]]:
    """The numbers of a run: "three four" are two."""
    place = 0
    while place < len(run):
        words = [token.word for token in run[place : place + _LONGEST]]
        value, used = _longest_number(words)
        if used:
            rule = "one" if words[:used] == ["one"] else "words"
            yield Reading(value, (run[place].start, run[place + used - 1].end), rule)
        place += max(used, 1)


def _longest_number(words: list[str]) -> tuple[Decimal | None, int]:
    """The value of the longest number that the words begin with, and how many words it takes."""
    negative = len(words) > 1 and words[0] in ("minus", "negative")
    whole, used = _whole(words[negative:])
    if not used:
        return _half_alone(words)
    value, more = _after(words[negative + used :], whole)
    used += negative + more
    if words[used : used + 1] and words[used] in _MULTIPLES:
        return None, used  # "two thousand million" is said, but not here
    return (-value if negative else value), used


def _half_alone(words: list[str]) -> tuple[Decimal | None, int]:
    """ "a half", "half": nothing else stands for a number without a numerator."""
    if words[:2] == ["a", "half"]:
        return Decimal("0.5"), 2
    return (Decimal("0.5"), 1) if words[:1] == ["half"] else (None, 0)


def _whole(words: list[str]) -> tuple[int, int]:
    """The whole number that the words begin with, and how many of them it takes."""
    total = current = used = 0
    ceiling = 10**15  # each scale must be smaller than the last: "two thousand million" is not one
    previous = ""
    for place, word in enumerate(words):
        if word == "and":
            if previous not in ("hundred", *SCALES):
                break
            previous = "and"
            continue
        if word == "a" and place == 0 and words[1:2] and words[1] in ("hundred", *SCALES):
            current, previous = 1, "a"
            continue
        if word in SCALES and current and SCALES[word] < ceiling:
            ceiling = SCALES[word]
            total, current = total + current * ceiling, 0
        elif word == "hundred" and 0 < current < 100 and previous != "and":
            current *= 100
        elif _joins(word, current, previous):
            current += SMALL.get(word, 0) + TENS.get(word, 0)
        else:
            break
        previous, used = word, place + 1
    return total + current, used


def _joins(word: str, current: int, previous: str) -> bool:
    """Whether a word below 100 goes on with the number so far."""
    if word in TENS:
        return current % 100 == 0 and previous != "zero"
    if word not in SMALL:
        return False
    if previous in TENS:
        return 1 <= SMALL[word] <= 9
    return current % 100 == 0 and previous != "zero" and (previous == "" or word != "zero")


def _after(words: list[str], whole: int) -> tuple[Decimal, int]:
    """What a decimal or a fraction makes of the whole number before it, and its words."""
    if words[:1] == ["point"]:
        figures = []
        for word in words[1:]:
            if SMALL.get(word, 10) > 9:
                break
            figures.append(str(SMALL[word]))
        if figures:
            return Decimal(f"{whole}.{''.join(figures)}"), 1 + len(figures)
    if words[:3] == ["and", "a", "half"]:
        return whole + Decimal("0.5"), 3
    if words[:3] == ["and", "a", "quarter"]:
        return whole + Decimal("0.25"), 3
    if words[:1] and words[0] in _PARTS and 0 < whole < 100:
        return Decimal(whole) / _PARTS[words[0]], 1
    return Decimal(whole), 0


_PARTS = {
    name: number
    for names, number in (
        (("half", "halves"), 2),
        (("third", "thirds"), 3),
        (("quarter", "quarters", "fourth", "fourths"), 4),
        (("fifths",), 5),
        (("sixths",), 6),
        (("eighths",), 8),
        (("tenths",), 10),
    )
    for name in names
}
_NUMBERS = frozenset(SMALL) | frozenset(TENS) | {"hundred", "half"} | frozenset(SCALES)
_MULTIPLES = frozenset(SCALES) | {"hundred"}
VOCABULARY = _NUMBERS | {"and", "a", "point", "minus", "negative"} | frozenset(_PARTS)
"""Every word that a spelled number may have."""
_LONGEST = 24
"""Words that a number below a trillion can have; a longer run is several numbers."""
_WORD = re.compile(r"[A-Za-z]+")
_BETWEEN = re.compile(r"[\s-]{1,2}|,\s")
