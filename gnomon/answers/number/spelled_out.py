"""Numbers spelled out in English: "one hundred and twenty-three", "minus twelve point five"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from gnomon.answers.number.word_values import FIRST, LONE, MULTIPLES, PARTS, longest_number
from gnomon.answers.reading.choice import Reading
from gnomon.answers.reading.word_tables import OTHER, SMALL, TENS, any_of, chinese


def spelled(text: str) -> Iterator[Reading[Decimal | None]]:
    """Every number of a text in lower case; a lone "one" has its own rule."""
    if _ANY_NUMBER.search(text):
        for run in _runs(text):
            word, first, last = run[0]
            if len(run) > 1:
                alone = word == "point" and not _AT_A_POINT.search(text[max(0, first - 20) : first])
                yield from _numbers(run, point_alone=alone)
            else:
                rule = "one" if word == "one" else "words" if word in LONE else "refused"
                yield Reading(LONE.get(word), (first, last), rule)


def said_otherwise(text: str) -> Iterator[Reading[Decimal | None]]:
    """German, French and Spanish words up to 99, and Chinese numerals."""
    if not _ENGLISH.search(text):
        for match in _OTHER_WORD.finditer(text):
            yield Reading(Decimal(OTHER[match[0]]), match.span(), "words")
    for match in _CHINESE.finditer(text) if not text.isascii() else ():
        rule = "one" if match[0] == "一" else "words"
        yield Reading(Decimal(chinese(match[0])), match.span(), rule)


ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
    *("tenth", "eleventh", "twelfth"),
)
_ENGLISH = re.compile(r"\b(?:the|of|is|are|and|to)\b")
_OTHER_WORD = re.compile(any_of(OTHER, letters=r"[^\W\d_]"))
_CHINESE = re.compile(
    r"(?<![第十百千])[零〇一二两三四五六七八九十百千万亿]{1,12}"
    r"(?=[个個只隻人张条本辆座种名位家次台块元度层棵头颗朵岁页支把杯份项组排列行架艘匹根扇盏。，,.]|\Z)"
)
"""Before what is counted, or alone: 一共 and 十分 are no numbers."""


class _Token(NamedTuple):
    word: str
    start: int
    end: int


def _runs(text: str) -> Iterator[list[_Token]]:
    """Number words that follow one another, with nothing but a blank or a hyphen between."""
    run: list[_Token] = []
    for match in _WORD.finditer(text):
        word = match[0]
        first, last = match.span()
        if run and (first - run[-1].end > 2 or not _BETWEEN.fullmatch(text, run[-1].end, first)):
            yield run
            run = []
        run.append(_Token(word, first, last))
    if run:
        yield run


def _numbers(run: list[_Token], *, point_alone: bool) -> Iterator[Reading[Decimal | None]]:
    """The numbers of a run: "three four" are two; "point five" may only begin one."""
    place = 0
    said = [token.word for token in run]
    while place < len(run):
        words = said[place : place + _LONGEST]
        value, used = longest_number(words)
        if used and (words[0] != "point" or (place == 0 and point_alone)):
            rule = "one" if words[:used] == ["one"] else "words"
            yield Reading(value, (run[place].start, run[place + used - 1].end), rule)
        else:
            used = 1
            yield Reading(None, (run[place].start, run[place].end), "refused")
        place += used


_NUMBERS = frozenset(SMALL) | frozenset(TENS) | {"half", "quarter"} | frozenset(MULTIPLES)
VOCABULARY = _NUMBERS | {"and", "a", "point", "minus", "negative", "oh"} | frozenset(PARTS) | FIRST
"""Every word that a spelled number may have."""
_LONGEST = 24
"""Words that a number below a trillion can have; a longer run is several numbers."""
_AT_A_POINT = re.compile(r"\b(?!is\b|was\b|about\b|answer\b|be\b|of\b|or\b)[a-z]+\s\Z")
"""What makes the "point five" of "at this point five" no decimal."""
_ANY_NUMBER, _WORD = (re.compile(any_of(words)) for words in (_NUMBERS, VOCABULARY))
_BETWEEN = re.compile(r"[\s-]{1,2}|,\s")
