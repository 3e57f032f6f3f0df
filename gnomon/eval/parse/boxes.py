"""Reads the box that a text states, as the four numbers that stand there.

The coordinate space belongs to the dialect of the question and is not guessed here; nor are
swapped corners put right.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from gnomon.eval.parse.reading import Reading, Which, choose, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

Corners: TypeAlias = tuple[float, float, float, float]
"""x1, y1, x2, y2 as they are written."""


def read_box(text: str, *, which: Which = "last") -> Reading[Corners] | None:
    """The corners that `text` states, with their place and rule, or None.

    Of several boxes the last stated counts, unless `which` says otherwise. Exactly four numbers
    make a box: a polygon is none. PaliGemma's <locDDDD> are written y first and come back x first.
    """
    text = plain(text)
    return choose(_candidates(text), text, which)


def _candidates(text: str) -> Iterator[Reading[Corners | None]]:
    for rule, pattern in _RULES:
        for match in pattern.finditer(text):
            a, b, c, d = (float(number) for number in match.groups())
            corners = (b, a, d, c) if rule == "loc, y first" else (a, b, c, d)
            yield Reading(corners, match.span(), rule)
    yield from _named(text)
    if bare := _BARE.fullmatch(text):
        a, b, c, d = (float(number) for number in bare.groups())
        yield Reading((a, b, c, d), bare.span(), "bare")


_N = r"([-+]?(?:\d{1,7}(?:\.\d{1,17})?|\.\d{1,17}))"
_SEP = r"(?:\s{0,3},\s{0,3}|\s{1,3})"
_LIST = rf"\s{{0,3}}{_N}{_SEP}{_N}{_SEP}{_N}{_SEP}{_N}\s{{0,3}}"
_PAIR = rf"\s{{0,3}}{_N}{_SEP}{_N}\s{{0,3}}"
_RULES = tuple(
    (rule, re.compile(pattern))
    for rule, pattern in (
        ("bbox_2d", rf"\"?bbox(?:_2d)?\"?\s?[:=]\s?\[{_LIST}\]"),
        ("box tokens", rf"<\|box_start\|>\({_PAIR}\),\({_PAIR}\)(?:<\|box_end\|>)?"),
        ("box tag", rf"<box>\s?\[?\[{_LIST}\]\]?\s?(?:</box>)?"),
        ("box tag", rf"<box>\s?\({_PAIR}\),\({_PAIR}\)\s?(?:</box>)?"),
        ("loc, y first", r"<loc(\d{4})><loc(\d{4})><loc(\d{4})><loc(\d{4})>"),
        ("loc", r"<loc_(\d{1,3})><loc_(\d{1,3})><loc_(\d{1,3})><loc_(\d{1,3})>"),
        ("list", rf"[\[({{]{_LIST}[\])}}]"),
        (
            "pairs",  # two of them; a third before or after makes a polygon
            rf"(?<![\])],)(?<![\])],\s)[\[(]{_PAIR}[\])](?:,?\s{{0,3}}|\s(?:and|to)\s|\s?-\s?)"
            rf"[\[(]{_PAIR}[\])](?!,\s{{0,3}}[\[(])",
        ),
    )
)
_BARE = re.compile(rf"\s{{0,3}}(?:answer:\s)?{_LIST}\.?\s{{0,3}}")


def _named(text: str) -> Iterator[Reading[Corners | None]]:
    """Neighbouring fields such as x1=10, y1=20, x2=30, y2=40, or left, top, right, bottom."""
    group: dict[int, float] = {}
    start = end = 0
    for match in _FIELD.finditer(text):
        corner = _CORNERS[match[1]]
        if corner in group or match.start() - end > 8:
            group, start = {}, match.start()
        start = start if group else match.start()
        group[corner] = float(match[2])
        end = match.end()
        if len(group) == 4:
            yield Reading((group[0], group[1], group[2], group[3]), (start, end), "named")
            group = {}


_CORNERS = {
    name: corner
    for corner, names in enumerate(
        (
            ("x1", "xmin", "x_min", "left", "x_1"),
            ("y1", "ymin", "y_min", "top", "y_1"),
            ("x2", "xmax", "x_max", "right", "x_2"),
            ("y2", "ymax", "y_max", "bottom", "y_2"),
        )
    )
    for name in names
}
_FIELD = re.compile(rf"\b({'|'.join(_CORNERS)})[\"']?\s?[:=]\s?{_N}(?![\d.]*\d)")
