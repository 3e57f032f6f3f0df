"""Finds the value that a text gives as its answer, for all readers: `which="final"`.

Places where models put their answers are tried in order of trust. Of a place's values one counts:
the first behind what announces it, or else the one that is said to be it. A correction replaces
it; where a range, alternatives or a refusal stand there, nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
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
    IS_SIGN,
    LIMITS,
    IS_THE_ANSWER,
    KEYS,
    NEGATES,
    OR,
    OTHER_AFTER,
    OTHER_BEFORE,
    RANGE,
    REFUSES,
    SENTENCE_END,
    SET_APART,
    SHOWN,
    SUMS_UP,
    THINKS,
    THOUGHT,
    WORKS,
    is_year,
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
    takes: Literal["first", "said", "is", "ends", "list", "alone", "opening"]
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
    return _last(text, span, values, last)


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
    corrected = CORRECTS.search(text, head, min(end, head + _TAIL))
    if not corrected:
        yield _Place("opening", begin, min(end, begin + _NEAR), "opening")
    for match in list(CONCLUDED.finditer(text, tail, end))[: -_TRIES - 1 : -1]:
        yield _Place("conclusion", match.end(), _sentence_end(text, match.end(), end), "said")
    yield from _last_lines(text, begin, end)
    if not WORKS.search(text, begin, head) and not corrected:
        yield _Place("first sentence", begin, head, "is")
    for pattern in SHOWN:
        first = pattern.search(text, begin, head)
        if first and not (WORKS.search(text, begin, head) or corrected):
            yield _Place("shows", first.end(), min(end, first.end() + _NEAR), "first")
        yield from _behind("shows", pattern, text, tail, end)
    for rule, pattern in SET_APART:
        for match in list(pattern.finditer(text, tail, end))[: -_TRIES - 1 : -1]:
            yield _Place(rule, *match.span(1), "alone")


def _last_lines(text: str, begin: int, end: int) -> Iterator[_Place]:
    """The last line and the last sentence, if anything stands before them."""
    lines = [m for m in _LINE.finditer(text, max(begin, end - 400), end)]
    if len(lines) > 1:
        listed = _ENTRY.match(lines[-2][0]) and _ENTRY.match(lines[-1][0]) and "\n\n" not in text[lines[-2].end() - 1 : lines[-1].start() + 1]
        if listed and not SUMS_UP.search(lines[-1][0]):
            yield _Place("list", lines[-2].start(), lines[-1].end(), "list")
        else:
            entry = _ENTRY.match(lines[-1][0])
            yield _Place("own line", lines[-1].start() + (entry.start(1) if entry else 0), lines[-1].end(), "alone")
    last = text[begin:end].rstrip()
    start = _sentence_start(text, begin, begin + len(last))
    if start > begin:
        yield _Place("last sentence", start, begin + len(last), "ends")


_LINE = re.compile(r"[^\n]*\w[^\n]*")
_ENTRY = re.compile(r"[ \t]{0,8}(?:[-*•+]|\(?\w{1,2}[.)])\s+([^\n]*)")


def _behind(
    rule: str, pattern: re.Pattern[str], text: str, start: int, end: int
) -> Iterator[_Place]:
    for match in list(pattern.finditer(text, start, end))[: -_TRIES - 1 : -1]:
        yield _Place(rule, match.end(), min(end, match.end() + _NEAR), "first")


def _last(
    text: str,
    span: tuple[int, int],
    values: Values[V],
    last: Callable[[str], Reading[V] | None],
) -> Reading[V] | None:
    """The last value of a text whose sentence gives it as the answer."""
    begin, end = span
    if WORKS.search(text, begin, min(end, begin + 60)) and _CUT_OFF.search(text, max(begin, end - 3), end):
        return None
    ending = _sentence_start(text, begin, len(text[:end].rstrip()))
    if ending > begin and REFUSES.search(text, ending, end) and not DESPITE.search(text, ending, end):
        return None
    for _ in range(_SENTENCES):
        found = last(text[begin:end])
        if found is None:
            return None
        found = moved(found, begin)
        start = _sentence_start(text, begin, found.span[0])
        end = _sentence_end(text, found.span[1], end)
        if REFUSES.search(text, start, end) and not DESPITE.search(text, start, end):
            return None
        sentence = _decided(values, text, _Place("", start, end, "said"))
        if sentence:
            return sentence.read()
        end = start
    return None


_SENTENCES = 4
"""Sentences, from the end of the text, that are tried."""
_CUT_OFF = re.compile(r"[\w,(+=-]\s*\Z")


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
    kept = _meant(part, found)
    refused: Reading[V | None] = Reading(None, (place.start, place.end), "refused")
    if found and not kept and place.takes == "first" and found[0].span[0] < near:
        return refused
    if not kept or (place.takes == "first" and kept[0].span[0] >= near):
        if place.takes == "first" or place.rule in ("boxed", "tag"):
            return refused if REFUSES.search(part[:near]) else None
        return None
    if place.takes == "list":
        return refused if len({str(r.value) for r in kept}) > 1 and part.count("\n") == 1 else None
    index = _said(part, kept) if place.takes in ("said", "is", "ends") else 0
    if place.takes in ("is", "ends"):
        begins = kept[index].span[0]
        before = max(0, begins - 40), begins
        if not IS.search(part, *before) and not (place.takes == "ends" and IS_SIGN.search(part, *before)):
            return None
        if place.takes == "ends" and not isinstance(kept[index].value, Decimal):
            return None
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
        if CORRECTS.search(between):
            index += 1
        elif solved := _solved(part, kept, index):
            index = solved
        else:
            break
    chosen = moved(kept[index], place.start)
    return chosen._replace(rule=f"{place.rule}: {chosen.rule}" if place.rule else chosen.rule)


def _said(part: str, kept: list[Reading[V]]) -> int:
    """Of a sentence's values the first that something "is", or else the last before "because"."""
    for pattern, order in ((IS, kept), (IS_SIGN, kept[::-1])):
        for reading in order:
            if pattern.search(part, max(0, reading.span[0] - 40), reading.span[0]):
                return kept.index(reading)
    because = EXPLAINS.search(part, kept[0].span[1])
    before = [r for r in kept if not because or r.span[0] < because.start()]
    return len(before) - 1


def _solved(part: str, kept: list[Reading[V]], index: int) -> int:
    """Where 12 + 30 goes on with "= 42", the place of that; else 0."""
    start = kept[index].span[1]
    line = part.find("\n", start)
    for later in range(len(kept) - 1, index, -1):
        place = kept[later].span[0]
        if (line < 0 or place < line) and CALCULATES.fullmatch(part, start, place):
            return later
    return 0


def _meant(part: str, found: list[Reading[V]]) -> list[Reading[V]]:
    """Without what is denied, a bound, or a number that is no answer: a confidence, a scale's."""
    kept = []
    for reading in found:
        start, end = reading.span
        behind = max(0, start - 60)
        if NEGATES.search(part, behind, start):
            continue
        if isinstance(reading.value, Decimal) and (
            LIMITS.search(part, behind, start)
            or OTHER_BEFORE.search(part, behind, start)
            or OTHER_AFTER.match(part, end)
        ):
            continue
        kept.append(reading)
    answers = [r for r in kept if not (isinstance(r.value, Decimal) and is_year(part, r.span))]
    return answers or kept


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
    """Whether a part begins with the value and a unit, and is no list."""
    return bool(
        _LEAD.fullmatch(part, 0, span[0])
        and _BREAK.match(part, span[1])
        and not (_ITEM.match(part) and _ITEM.search(part, span[1]))
    )


_LEAD = re.compile(r"[\W_]{0,12}(?:(?:about|around|roughly|approximately|a|an|the|ca\.|etwa|environ|probably|possibly|[A-Z][.):])\s)?", re.IGNORECASE)
_BREAK = re.compile(
    r"(?:\s?[^\W\d][\w/²³°]{0,14}|\s?[%°]C?){0,2}?[\s*_)\]}\"'`]{0,6}(?:[.,:;!)\n。，–—]|-\s|\Z|because|since|as\b|\(|out\sof)", re.IGNORECASE
)
_ITEM = re.compile(r"^[\s*_-]{0,6}\(?\w[.)]\s", re.MULTILINE)
