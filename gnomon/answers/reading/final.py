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
from gnomon.answers.reading.cues import ENCLOSED, KEY, PATTERNS
from gnomon.answers.reading.steps import value_start
from gnomon.answers.reading.weighing import (
    ANSWER_PLACES,
    MAX_VALUES,
    ReadValues,
    Region,
    name_reading,
)

V = TypeVar("V")

# Characters at both ends of a text in which values are looked for. The end is longer, because an
# explanation may follow the answer. CROWDED characters are enough if they hold MAX_VALUES values.
HEAD, TAIL, CROWDED = 300, 1200, 400


def find(text: str, read_values: ReadValues[V], which: Which = "final") -> Reading[V] | None:
    """Find the value that counts; `read_values` reads all values of a short text."""
    check_which(which)
    start = value_start(text)
    # "between 10 and 20" has a first and a last value, but no answer.
    if start and (start < len(text) or which not in ("first", "last")):
        reading = find(text[start:], read_values, which)
        return reading and shift(reading, start)
    if which in ("first", "last"):
        return _by_place(text, read_values, last=which == "last")
    if "<|object_ref_start|>" in text or "<point" in text:
        # The name of an object with a box or a point may contain numbers, so it is blanked out.
        text = PATTERNS["reference"].sub(lambda match: " " * len(match[0]), text)
    low = lower_case(text)
    read_values = cache(read_values)  # the parts of a short text are read twice
    span = _after_thinking(low)
    if span is None:
        return None
    # A base model may continue with another question, whose answer does not count.
    next_question = PATTERNS["runs_on"].search(low, *span)
    if next_question and low[span[0] : next_question.start()].strip():
        span = span[0], next_question.start()
    for place, start, end in _enclosed(low, *span):
        region = Region(text, low, start, end, read_values)
        if KEY.search(low, end, span[1]) or (place == "ticked" and region.has_numbers):
            continue  # reasons before the answer in JSON, or a step that was checked
        if region.is_formula:
            return None
        if region.readings or (place != "ticked" and region.refuses):
            return name_reading(region.best(), place, low)
    begin, end = span
    tail = _from_a_word(text, begin, end - CROWDED)
    if (
        len(read_values(text[tail:end])) < MAX_VALUES
    ):  # otherwise values before it would not be weighed
        tail = _from_a_word(text, begin, end - TAIL)
    regions = [Region(text, low, tail, end, read_values)]
    if tail > begin:
        head = min(tail, begin + HEAD)
        regions.append(Region(text, low, begin, head, read_values, reaches_end=False))
    only = ANSWER_PLACES if which == "answer" else ()
    return max(regions, key=lambda region: region.top_points(only)).best(only)


def _by_place(text: str, read_values: ReadValues[V], *, last: bool) -> Reading[V] | None:
    """Find the first or last value. Search short parts from that end of the text first."""
    for size in (HEAD, TAIL, 3 * TAIL):
        start = max(0, len(text) - size) if last else 0
        # A value must not be cut in two.
        while last and start > 0 and len(text) - start < 2 * size and not text[start - 1].isspace():
            start -= 1
        readings = read_values(text[start:] if last else text[:size])
        # A value at the end of the part may continue after it.
        if readings and (last or readings[0].span[1] < size or len(text) <= size):
            return shift(readings[-1 if last else 0], start)
        if len(text) <= size:
            break
    return None


def _from_a_word(text: str, begin: int, index: int) -> int:
    """Return the index after the first blank from `index` on. A word begins there."""
    if index <= begin:
        return begin
    blank = _BLANK.search(text, index, index + 40)
    return blank.end() if blank else index


_BLANK = re.compile(r"\s")


def _after_thinking(text: str) -> tuple[int, int] | None:
    """Return the span of the text after the thinking, if there is such text."""
    start = max((mark.end() for mark in PATTERNS["thought"].finditer(text)), default=0)
    thinks_again = PATTERNS["thinks"].search(text, start)
    end = thinks_again.start() if thinks_again else len(text)
    return (start, end) if text[start:end].strip() or not (start or thinks_again) else None


def _enclosed(text: str, begin: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Yield spans in boxes and tags near the text's end, from the most to the least trusted."""
    for place, pattern in ENCLOSED:
        # Two for each kind of place: if the last is empty, the other may hold the answer.
        for match in list(pattern.finditer(text, max(begin, end - TAIL), end))[:-3:-1]:
            yield place, *match.span(1)
