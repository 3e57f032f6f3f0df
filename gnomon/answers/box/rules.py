"""The rules that read a box where one may begin: what stands there, or that it is none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from gnomon.answers.box import forms
from gnomon.answers.reading import cuts
from gnomon.answers.reading.choice import Reading
from gnomon.answers.target import Corners

Found: TypeAlias = "Reading[Corners | None]"
Form: TypeAlias = "Callable[[str, int, int], list[Found]]"


def stands(text: str, start: int, end: int) -> list[Found]:
    """The first form that stands here."""
    for form in _FORMS[text[start]]:
        if found := form(text, start, end):
            return found
    return []


def _list(text: str, start: int, end: int) -> list[Found]:
    """[1, 2, 3, 4], with what names it."""
    if (match := forms.LIST.match(text, start, end + cuts.AHEAD)) is None:
        return []
    before = forms.BEFORE_LIST.search(text[max(0, start - 12) : start])
    if before is None:
        return [Reading(corners(match.groups()), match.span(), "list")]
    span = start - len(before[0]), match.end()
    return [Reading(corners(match.groups()), span, "bbox_2d" if before[1] else "box tag")]


def _points(text: str, start: int, end: int) -> list[Found]:
    """(1, 2), (3, 4): two points are a box, more a polygon, or several boxes."""
    points: list[re.Match[str]] = []
    joints: list[str] = []
    point = forms.PAIR.match(text, start)
    while point:
        points.append(point)
        joint = forms.BETWEEN_POINTS.match(text, point.end())
        more = joint and (len(points) < _MANY or joint.end() < end)
        point = forms.PAIR.match(text, joint.end()) if joint and more else None
        if joint and point:
            joints.append(joint["word"] or joint[0].strip() or ("\n" if "\n" in joint[0] else " "))
    if len(points) < 2:
        return [Reading(None, point.span(), "polygon") for point in points]
    groups = _pairs(points, joints) if len(points) > 2 else [points]
    if any(len(group) != 2 for group in groups):
        return [Reading(None, point.span(), "polygon") for point in points]
    return [_between_points(text, *group) for group in groups]


_MANY = 6
"""Points that are looked at even where a piece ends among them."""


def _pairs(points: list[re.Match[str]], joints: list[str]) -> list[list[re.Match[str]]]:
    """The points in pairs if what stands between pairs is not what stands within."""
    groups = [points[i : i + 2] for i in range(0, len(points), 2)]
    within, between = set(joints[::2]), set(joints[1::2])
    return [points] if within & between else groups


def _between_points(text: str, first: re.Match[str], second: re.Match[str]) -> Found:
    start, end, rule = first.start(), second.end(), "pairs"
    for opening, closing, name in (
        ("<|box_start|>", "<|box_end|>", "box tokens"),
        ("<box>", "</box>", "box tag"),
    ):
        if text.endswith(opening, 0, start):
            start, rule = start - len(opening), name
            end += len(closing) if text.startswith(closing, end) else 0
    return Reading(corners(first.groups() + second.groups()), (start, end), rule)


def _words(text: str, start: int, end: int) -> list[Found]:
    """The top left corner is (1, 2) and the bottom right (3, 4)."""
    if text.startswith("(", start) and not text.startswith("(x", start):
        return []
    match = forms.CORNERS.match(text, start, end + cuts.AHEAD)
    return [Reading(corners(match.groups()), match.span(), "corners")] if match else []


def _tag(text: str, start: int, end: int) -> list[Found]:
    """<box>1 2 3 4</box>."""
    match = forms.TAG.match(text, start, end + cuts.AHEAD)
    return [Reading(corners(match.groups()), match.span(), "box tag")] if match else []


def _locs(text: str, start: int, end: int) -> list[Found]:
    """PaliGemma's <loc0123>, of which y comes first, and Florence's <loc_123>."""
    if (match := forms.LOCS.match(text, start, end + cuts.AHEAD)) is None:
        return []
    locs = list(forms.LOC.finditer(match[0]))
    if len(locs) % 4 or len({loc[1] for loc in locs}) > 1:
        return [Reading(None, match.span(), "refused")]
    return [_from_locs(start, locs[place : place + 4]) for place in range(0, len(locs), 4)]


def _from_locs(start: int, locs: list[re.Match[str]]) -> Found:
    a, b, c, d = (float(loc[2]) for loc in locs)
    span = start + locs[0].start(), start + locs[-1].end()
    return (
        Reading((a, b, c, d), span, "loc")
        if locs[0][1]
        else Reading((b, a, d, c), span, "loc, y first")
    )


_FORMS: dict[str, tuple[Form, ...]] = {
    "[": (_list, _points),
    "(": (_list, _points, _words),
    "{": (_list,),
    "<": (_locs, _tag),
    "t": (_words,),
    "u": (_words,),
}


def named(text: str, start: int, end: int) -> Iterator[Found]:
    """Neighbouring fields such as x1=10, y1=20, x2=30, y2=40, or left, top, right, bottom."""
    group: dict[int, float] = {}
    first = last = 0
    if text.find(":", start, end) < 0 and text.find("=", start, end) < 0:
        return
    for match in forms.FIELD.finditer(text, start, end):
        corner = forms.NAMES[match[1]]
        if corner in group or match.start() - last > _APART:
            if group:
                yield Reading(None, (first, last), "refused")
            group = {}
        first = first if group else match.start()
        group[corner] = float(match[2])
        last = match.end()
        if len(group) == 4:
            yield Reading((group[0], group[1], group[2], group[3]), (first, last), "named")
            group = {}


_APART = 8
"""Characters that may stand between two named coordinates."""


def corners(figures: Iterable[str]) -> Corners:
    a, b, c, d = map(float, figures)
    return a, b, c, d
