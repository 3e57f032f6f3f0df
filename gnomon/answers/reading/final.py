"""Finds the value that a text gives as its answer, for all readers: `which="final"`.

Places where models put their answers are tried in order of trust. Of a place's values one counts:
the first behind what announces it, or else the one that is said to be it. A correction replaces
it; where a range, alternatives or a refusal stand there, nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from gnomon.answers.reading.choice import Reading, moved
from gnomon.answers.reading.final_words import (
    ANNOUNCED,
    CALCULATES,
    CONCLUDED,
    CORRECTS,
    DESPITE,
    ENCLOSED,
    EXPLAINS,
    IS,
    IS_THE_ANSWER,
    KEYS,
    NEGATES,
    OR,
    RANGE,
    REFUSES,
    SENTENCE_END,
    SET_APART,
    SHOWN,
    THINKS,
    THOUGHT,
    WORKS,
)

V = TypeVar("V")
Values: TypeAlias = "Callable[[str], list[Reading[V]]]"
"""Finds every value of a short text, in its order."""

_NEAR = 240
"""Characters behind what announces an answer in which it is looked for."""
_TAIL = 3000
"""Characters before a text's end in which announcements are looked for."""
_TRIES = 3
"""Announcements of one kind that are tried."""


class _Place(NamedTuple):
    rule: str
    start: int
    end: int
    takes: Literal["first", "said", "alone", "opening"]
    """The first value, in the first sentence; the one that something "is"; one without other words
    beside it; or one that opens the text."""


def final(
    text: str, values: Values[V], last: Callable[[str], Reading[V] | None]
) -> Reading[V] | None:
    """The value that a person takes for the answer; `last` finds the last one of a long text."""
    span = after_thinking(text)
    if span is None:
        return None
    for place in _places(text, *span):
        if found := _decided(values, text, place):
            return found.read()
    found = last(text[slice(*span)])
    return _in_its_sentence(text, moved(found, span[0]), span, values) if found else None


def after_thinking(text: str) -> tuple[int, int] | None:
    """What follows the thinking; None where nothing does, or the thinking was cut off."""
    start = max((mark.end() for mark in THOUGHT.finditer(text)), default=0)
    opened = THINKS.search(text, start)
    end = opened.start() if opened else len(text)
    return (start, end) if text[start:end].strip() or not (start or opened) else None


def _places(text: str, begin: int, end: int) -> Iterator[_Place]:
    """Places that may hold the answer, the most trusted first."""
    tail = max(begin, end - _TAIL)
    for rule, pattern in ENCLOSED:
        for match in list(pattern.finditer(text, tail, end))[:-2:-1]:
            yield _Place(rule, *match.span(1), "said")
    for pattern in KEYS:
        yield from _behind("json key", pattern, text, tail, end)
    for rule, pattern in ANNOUNCED:
        yield from _behind(rule, pattern, text, tail, end)
    for match in list(IS_THE_ANSWER.finditer(text, tail, end))[:-2:-1]:
        yield _Place("is the answer", _sentence_start(text, begin, match.start()), match.start(), "said")
    head = _sentence_end(text, begin, end)
    yield _Place("opening", begin, min(end, begin + _NEAR), "opening")
    for match in list(CONCLUDED.finditer(text, tail, end))[: -_TRIES - 1 : -1]:
        yield _Place("conclusion", match.end(), _sentence_end(text, match.end(), end), "said")
    for pattern in SHOWN:
        if not WORKS.search(text, begin, head) and (first := pattern.search(text, begin, head)):
            yield _Place("shows", first.end(), min(end, first.end() + _NEAR), "first")
        yield from _behind("shows", pattern, text, tail, end)
    for rule, pattern in SET_APART:
        for match in list(pattern.finditer(text, tail, end))[: -_TRIES - 1 : -1]:
            yield _Place(rule, *match.span(1), "alone")


def _behind(
    rule: str, pattern: re.Pattern[str], text: str, start: int, end: int
) -> Iterator[_Place]:
    for match in list(pattern.finditer(text, start, end))[: -_TRIES - 1 : -1]:
        yield _Place(rule, match.end(), min(end, match.end() + _NEAR), "first")


def _in_its_sentence(
    text: str, found: Reading[V], span: tuple[int, int], values: Values[V]
) -> Reading[V] | None:
    """The last value of a text, if its sentence gives it, and no other one, as the answer."""
    start = _sentence_start(text, span[0], found.span[0])
    end = _sentence_end(text, found.span[1], span[1])
    if REFUSES.search(text, start, end) and not DESPITE.search(text, start, end):
        return None
    sentence = _decided(values, text, _Place("", start, end, "said"))
    return sentence.read() if sentence else found


def _sentence_start(text: str, begin: int, place: int) -> int:
    begin = max(begin, place - _NEAR)
    return max((match.end() for match in SENTENCE_END.finditer(text, begin, place)), default=begin)


def _sentence_end(text: str, begin: int, end: int) -> int:
    """Where the sentence ends that begins here; blank lines and signs before it do not count."""
    word = _WORD.search(text, begin, end)
    end = min(end, begin + _NEAR)
    match = SENTENCE_END.search(text, word.start() if word else begin, end)
    return match.start() if match else end


_WORD = re.compile(r"\w")


def _decided(values: Values[V], text: str, place: _Place) -> Reading[V | None] | None:
    """A place's value, which is None where it gives none; None where it is no place for any."""
    part = text[place.start : place.end]
    near = _sentence_end(part, 0, len(part))
    found = values(part)
    kept = [r for r in found if not NEGATES.search(part, max(0, r.span[0] - 60), r.span[0])]
    kept = kept or (found if place.takes != "said" else [])
    refused = Reading(None, (place.start, place.end), "refused")
    if not kept or (place.takes == "first" and kept[0].span[0] >= near):
        if place.takes == "first" or place.rule in ("boxed", "tag"):
            return refused if REFUSES.search(part[:near]) else None
        return None
    index = _said(part, kept) if place.takes == "said" else 0
    if place.takes == "alone" and not _alone(part, kept):
        return None
    if place.takes == "opening" and not _opens(part, kept[0].span):
        return None
    if index and _apart(part, kept[index - 1], kept[index]):
        return refused
    while index + 1 < len(kept):
        one, other = kept[index : index + 2]
        between = part[one.span[1] : other.span[0]]
        if _apart(part, one, other):
            return refused
        if CORRECTS.search(between[-120:]) or (CALCULATES.fullmatch(between) and _is_solved(part, kept[index:])):
            index += 1
        else:
            break
    chosen = moved(kept[index], place.start)
    return chosen._replace(rule=f"{place.rule}: {chosen.rule}" if place.rule else chosen.rule)


def _said(part: str, kept: list[Reading[V]]) -> int:
    """Of a sentence's values the first that something "is", or else the last before "because"."""
    for index, reading in enumerate(kept):
        if IS.search(part, max(0, reading.span[0] - 40), reading.span[0]):
            return index
    because = EXPLAINS.search(part, kept[0].span[1])
    before = [r for r in kept if not because or r.span[0] < because.start()]
    return len(before) - 1


def _is_solved(part: str, kept: list[Reading[V]]) -> bool:
    """Whether 12 + 30 goes on with "= 42"."""
    return "=" in part[kept[0].span[1] : kept[-1].span[0]] or "≈" in part


def _apart(part: str, one: Reading[V], other: Reading[V]) -> bool:
    """Whether two values are the ends of a range, or alternatives."""
    between = part[one.span[1] : other.span[0]]
    if one.value == other.value or len(between) > 40 or CORRECTS.search(between):
        return False
    return bool(OR.search(between) or RANGE(part, one.span[0], between))


def _alone(part: str, kept: list[Reading[V]]) -> bool:
    """Whether one value is all, but for a unit."""
    start, end = kept[0].span
    return len(kept) == 1 and sum(map(str.isalpha, part[:start] + part[end:])) <= 12


def _opens(part: str, span: tuple[int, int]) -> bool:
    return not any(map(str.isalnum, part[: span[0]])) and bool(_BREAK.match(part, span[1]))


_BREAK = re.compile(r"[\s*_)\]}\"'`]{0,6}(?:[.,:;!\n–—]|[-]\s|\Z|because|since|as\b|\()")
