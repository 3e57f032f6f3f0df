"""Search for the value that a text gives as its answer, for all readers.

Only the text after the thinking counts. The value in a box or a tag is trusted most; otherwise
the values near both ends of the text are weighed against each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TypeVar

from gnomon.answers.reading.base import Reading, Which, check_which, lower_case, shift
from gnomon.answers.reading.cues import BESIDE, ENCLOSED, KEY
from gnomon.answers.reading.weighing import ANSWERS, MAX_VALUES, Region, Values, name_reading

V = TypeVar("V")

# Characters at the ends of a text in which values are looked for: the first sentences, and the last
# paragraphs, since an answer at the end may be explained after it. CROWDED are enough where they
# hold as many values as are weighed.
HEAD, TAIL, CROWDED = 300, 1200, 400


def find(text: str, values: Values[V], which: Which = "final") -> Reading[V] | None:
    """Find the value that counts; `values` reads all of a short text."""
    check_which(which)
    if which in ("first", "last"):
        return _by_place(text, values, last=which == "last")
    if "<|object_ref_start|>" in text or "<point" in text:
        # The name of the object that a box or a point belongs to may hold numbers: blank it out.
        text = BESIDE["reference"].sub(lambda match: " " * len(match[0]), text)
    low = lower_case(text)
    values = cache(values)  # the parts of a short text are read twice
    span = _after_thinking(low)
    if span is None:
        return None
    # A base model goes on with a question of its own: what it answers there does not count.
    next_question = BESIDE["runs_on"].search(low, *span)
    if next_question and low[span[0] : next_question.start()].strip():
        span = span[0], next_question.start()
    for rule, start, end in _enclosed(low, *span):
        region = Region(text, low, start, end, values)
        if KEY.search(low, end, span[1]) or (rule == "ticked" and region.has_numbers):
            continue  # the reasons that JSON gives before its answer; a step that was checked
        if region.is_formula:
            return None
        if region.readings or (rule != "ticked" and region.refuses):
            return name_reading(region.best(), rule, low)
    begin, end = span
    tail = _from_a_word(text, begin, end - CROWDED)
    if len(values(text[tail:end])) < MAX_VALUES:  # else no value before it would be weighed
        tail = _from_a_word(text, begin, end - TAIL)
    regions = [Region(text, low, tail, end, values)]
    if tail > begin:
        head = min(tail, begin + HEAD)
        regions.append(Region(text, low, begin, head, values, reaches_end=False))
    only = ANSWERS if which == "answer" else ()
    return max(regions, key=lambda region: region.top_points(only)).best(only)


def _by_place(text: str, values: Values[V], *, last: bool) -> Reading[V] | None:
    """Find the first or last value, in growing parts from that end of the text."""
    for size in (HEAD, TAIL, 3 * TAIL):
        start = max(0, len(text) - size) if last else 0
        # A value must not be cut in two.
        while last and start > 0 and len(text) - start < 2 * size and not text[start - 1].isspace():
            start -= 1
        readings = values(text[start:] if last else text[:size])
        # A value that ends where the part does may go on after it.
        if readings and (last or readings[0].span[1] < size or len(text) <= size):
            return shift(readings[-1 if last else 0], start)
        if len(text) <= size:
            break
    return None


def _from_a_word(text: str, begin: int, index: int) -> int:
    """Index after the first blank from `index` on, so that no word is cut in two."""
    if index <= begin:
        return begin
    blank = _BLANK.search(text, index, index + 40)
    return blank.end() if blank else index


_BLANK = re.compile(r"\s")


def _after_thinking(text: str) -> tuple[int, int] | None:
    """Span of the text after the thinking; None if it is empty, or the thinking was cut off."""
    start = max((mark.end() for mark in BESIDE["thought"].finditer(text)), default=0)
    thinks_again = BESIDE["thinks"].search(text, start)
    end = thinks_again.start() if thinks_again else len(text)
    return (start, end) if text[start:end].strip() or not (start or thinks_again) else None


def _enclosed(text: str, begin: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Spans in boxes and tags near the text's end, the most trusted rule and the last first."""
    for rule, pattern in ENCLOSED:
        # Two of each rule: if the last is empty, the one before it may hold the answer.
        for match in list(pattern.finditer(text, max(begin, end - TAIL), end))[:-3:-1]:
            yield rule, *match.span(1)
