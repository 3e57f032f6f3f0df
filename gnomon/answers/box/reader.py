"""Reads the box that a text states, as the four numbers that stand there.

The coordinate space belongs to the dialect of the question and is not guessed here; nor are
swapped corners put right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from gnomon.answers.box import forms
from gnomon.answers.box.rules import Found, corners, named, stands
from gnomon.answers.reading import cuts
from gnomon.answers.reading.choice import Reading, Which, answered, choose, every, plain
from gnomon.answers.reading.cuts import pieces
from gnomon.answers.reading.final import final
from gnomon.answers.target import Corners


def read_box(text: str, *, which: Which = "final") -> Reading[Corners] | None:
    """The corners that `text` states, with their place and rule, or None.

    Of several boxes the final answer counts, unless `which` says otherwise. Exactly four numbers
    make a box: a polygon is none. PaliGemma's <locDDDD> are written y first and come back x first.
    """
    if which == "answer":
        return answered(text, lambda part, one: read_box(part, which=one))
    if which == "final":
        return final(text, _every, lambda part: read_box(part, which="last"))
    text = plain(text)
    if bare := _bare(text):
        return bare
    tried = 0
    chosen: Reading[Corners] | None
    for start, end in pieces(text, _CUT, which, partial(_first, text), 2 * cuts.PIECE):
        found = [*_in_brackets(text, start, end), *named(text, start, end)]
        if chosen := choose(found, which):
            return chosen
        tried += 3 * len(found) // 2  # each takes more time than a number
        if tried > cuts.TRIED:
            break
    return None


def _every(text: str) -> list[Reading[Corners]]:
    """All boxes of a short text."""
    text = plain(text)
    if bare := _bare(text):
        return [bare]
    return every([*_in_brackets(text, 0, len(text)), *named(text, 0, len(text))])


def parse_box(text: str, *, which: Which = "final") -> Corners | None:
    """The (x1, y1, x2, y2) that stand in `text`, or None; see `read_box`."""
    reading = read_box(text, which=which)
    return reading.value if reading else None


def _first(text: str, start: int, end: int) -> int | None:
    """Where a box may begin, but for its tag."""
    bracket, fields = _OPENING.search(text, start, end), next(named(text, start, end), None)
    places = [bracket.start()] if bracket else []
    return min([*places, fields.span[0]] if fields else places, default=None)


# A blank after a sentence, unless the other corner or a named coordinate follows.
_CUT = re.compile(
    rf"\s(?<=[.!?]\s)(?=[a-z]{{2}})(?!(?:the|bottom|lower)\b)(?![\s\S]{{0,12}}?{forms.NAMED})",
    re.ASCII,
)


def _bare(text: str) -> Reading[Corners] | None:
    """Four numbers that are all of the text, but for what announces them."""
    if len(text) > forms.LONGEST_BARE or not (match := forms.BARE.fullmatch(text)):
        return None
    return Reading(corners(match.groups()), (match.start(1), match.end(4)), "bare")


def _in_brackets(text: str, place: int, end: int) -> Iterator[Found]:
    """Lists, pairs of points, and what stands between tags."""
    while opening := _OPENING.search(text, place, end):
        start = opening.start()
        found = stands(text, start, end) or [Reading(None, (start, start + 1), "refused")]
        yield from found
        place = found[-1].span[1]


# A bracket with two figures behind it, or a word that a box may begin with.
_OPENING = re.compile(
    rf"\[(?={forms.TWO})|\((?=[\s\u00a0]*+[\"']?[-+.\dx])(?={forms.TWO}|x_?1,)|\{{(?={forms.TWO})"
    r"|<(?=loc_?\d|b?box>)|t(?=op[\s-])(?<![a-z]t)|u(?=pper[\s-])(?<![a-z]u)",
    re.ASCII,
)
