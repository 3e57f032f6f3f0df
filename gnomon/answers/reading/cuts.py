"""A long text in pieces, in the order in which its answers count.

No answer reaches over a cut, so that the pieces together say what the whole text does, and for the
last answer the last piece that has one is enough. Two limits keep 10,000 characters of nearly any
text within a millisecond: what has no place to cut in LONGEST characters is cut all the same,
between words where it can be; and of a text of several pieces a reader tries no further piece once
TRIED things that might have been answers were none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from gnomon.answers.reading.choice import Which, check

C = TypeVar("C", bound="tuple[int, object]")

CHUNK = 1000
"""Characters that are looked through at once; a text of up to twice as many is one chunk."""
PIECE = 120
"""Characters of a piece; a chunk of up to twice as many is one."""
LONGEST = 200
"""Characters without a place to cut that are still one piece."""
AHEAD = 128
"""Characters behind a piece that patterns may look at."""
SEEN = 32
"""Characters behind a cut that its own pattern looks at."""
TRIED = 140
"""Figures, number words and brackets in a long text that are tried before a reader gives up.

An answer is read that has 3,000 characters of talk behind it, with dates, durations and brackets;
none is looked for behind a hundred things and more that are none.
"""


def chunks(text: str, cut: re.Pattern[str], which: Which) -> Iterator[tuple[int, int]]:
    """Start and end of each chunk, from the end of the text if the last answer counts.

    No answer reaches over a place that `cut` finds.
    """
    check(which)
    return _parts(text, cut, which, (0, len(text)), CHUNK)


def pieces(
    text: str,
    cut: re.Pattern[str],
    which: Which,
    first: Callable[[int, int], int | None],
    size: int = 0,
) -> Iterator[tuple[int, int]]:
    """Start and end of each piece of chunks in which there is anything to try.

    Of a chunk `first` says where that may begin, or None; pieces before it are left out.
    """
    for start, end in chunks(text, cut, which):
        place = first(start, end)
        if place is not None:
            for part in _parts(text, cut, which, (start, end), size or PIECE):
                if part[1] > place:
                    yield part
                elif which == "last":
                    break


def groups(found: list[C], text: str, cut: re.Pattern[str], which: Which) -> Iterator[Sequence[C]]:
    """What was found in the order of the text, each with its place: parted where a cut is.

    Only what is as far apart as two pieces are long, since to look for a cut takes time as well.
    """
    places = [each[0] for each in found]
    if which == "last":
        last = len(found)
        for here in range(last - 1, 0, -1):
            wide = places[last - 1] - places[here - 1]
            if _parted(places[here - 1], places[here], wide, text, cut):
                yield found[here:last]
                last = here
        yield found[:last]
        return
    first = 0
    for here in range(1, len(found)):
        if _parted(places[here - 1], places[here], places[here] - places[first], text, cut):
            yield found[first:here]
            first = here
    yield found[first:]


def _parted(one: int, two: int, wide: int, text: str, cut: re.Pattern[str]) -> bool:
    """Whether there is a cut between these places of a group so wide, or has to be one."""
    if not 2 * PIECE < wide <= 2 * LONGEST:
        return wide > 2 * PIECE
    match = cut.search(text, one + 1, two + SEEN)
    return match is not None and match.start() < two


def _parts(
    text: str, cut: re.Pattern[str], which: Which, span: tuple[int, int], size: int
) -> Iterator[tuple[int, int]]:
    start, end = span
    longest = size * LONGEST // PIECE
    while end - start > 2 * size:
        if which == "last":
            far = max(start, end - longest)
            middle = _place(text, cut, range(end - size, far, -PIECE), far, (start, end))
            yield middle, end
            end = middle
        else:
            far = min(end, start + longest)
            middle = _place(text, cut, range(start + size, far, PIECE), far, (start, end))
            yield start, middle
            start = middle
    yield start, end


def _place(text: str, cut: re.Pattern[str], starts: range, far: int, span: tuple[int, int]) -> int:
    """The first cut in the first piece from `starts` that has one, or else a place near `far`."""
    for start in starts:
        match = cut.search(text, max(start, 1), start + PIECE + SEEN)
        if match and match.start() < start + PIECE:
            return match.start()
    if far in span:
        return far
    found = (pattern.search(text, far, min(far + PIECE, span[1])) for pattern in _BETWEEN_WORDS)
    return next((match.end() for match in found if match), far)


_BETWEEN_WORDS = [re.compile(pattern) for pattern in (r"\s(?=[^\W\d_])", r"\s", r"\W(?=\w)")]
"""From the place where a cut does least harm to the one where it does most."""
