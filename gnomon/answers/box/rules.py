"""The rules that read a box where one may begin: what stands there, or that it is none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from gnomon.answers.box import forms
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


def four(match: re.Match[str], rule: str, span: tuple[int, int], first: int = 1) -> Found:
    """Four numbers with their units, from that group on; all are percent, or none is."""
    said = match.groups()[first - 1 : first + 7]
    return reading([float(number) for number in said[::2]], said[1::2], rule, span)


def reading(
    numbers: Sequence[float], units: Sequence[str | None], rule: str, span: tuple[int, int]
) -> Found:
    """Two corners, x first."""
    percent = [unit in ("%", "percent") for unit in units]
    if any(percent) and not all(percent):
        return Reading(None, span, "refused")
    a, b, c, d = numbers
    if rule in _Y_FIRST:
        a, b, c, d = b, a, d, c
    return Reading((a, b, c, d), span, "percent" if all(percent) else rule)


_Y_FIRST = ("loc, y first", "box_2d")


def _list(text: str, start: int, end: int) -> list[Found]:
    """[1, 2, 3, 4], with what names it."""
    if (match := forms.LIST.match(text, start, end)) is None:
        return []
    before = forms.BEFORE_LIST.search(text[max(0, start - 16) : start])
    if before is None:
        return [four(match, "list", match.span())]
    rule = {"box_2d": "box_2d", "box": "list"}.get(before["key"], "bbox_2d")
    rule = f"{before['tag']} tag" if before["tag"] else rule
    return [four(match, rule, (start - len(before[0]), match.end()))]


def _run(text: str, start: int, end: int) -> list[Found]:
    """1, 2, 3, 4 behind what announces it."""
    match = forms.RUN.match(text, start, end)
    return [four(match, "bare", (match.start(1), max(match.end(7), match.end(8))))] if match else []


def _row(text: str, start: int, end: int) -> list[Found]:
    """| 1 | 2 | 3 | 4 | under its header."""
    match = forms.ROW.match(text, start, end)
    return [four(match, "row", match.span())] if match else []


def _points(text: str, start: int, end: int) -> list[Found]:
    """(1, 2), (3, 4): two points are a box, more a polygon, or several boxes."""
    points: list[re.Match[str]] = []
    joints: list[str] = []
    point = forms.PAIR.match(text, start, end)
    while point:
        points.append(point)
        joint = forms.BETWEEN_POINTS.match(text, point.end(), end)
        point = forms.PAIR.match(text, joint.end(), end) if joint else None
        if joint and point:
            joints.append(joint["word"] or joint[0].strip() or ("\n" if "\n" in joint[0] else " "))
    if len(points) < 2:
        return [Reading(None, point.span(), "polygon") for point in points]
    groups = _pairs(points, joints) if len(points) > 2 else [points]
    if any(len(group) != 2 for group in groups):
        return [Reading(None, point.span(), "polygon") for point in points]
    return [_between_points(text, *group) for group in groups]


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
    (a, one, b, two), (c, three, d, other) = first.groups(), second.groups()
    return reading([*map(float, (a, b, c, d))], [one, two, three, other], rule, (start, end))


def _tag(text: str, start: int, end: int) -> list[Found]:
    """<box>1 2 3 4</box>."""
    match = forms.TAG.match(text, start, end)
    return [four(match, f"{match[1]} tag", match.span(), 2)] if match else []


def _locs(text: str, start: int, end: int) -> list[Found]:
    """PaliGemma's <loc0123>, of which y comes first, and Florence's <loc_123>."""
    if (match := forms.LOCS.match(text, start, end)) is None:
        return []
    locs = list(forms.LOC.finditer(match[0]))
    if len(locs) % 4 or len({loc[1] for loc in locs}) > 1:
        return [Reading(None, match.span(), "refused")]
    rule = "loc" if locs[0][1] else "loc, y first"
    return [
        reading(
            [float(loc[2]) for loc in group],
            [None] * 4,
            rule,
            (start + group[0].start(), start + group[-1].end()),
        )
        for group in (locs[place : place + 4] for place in range(0, len(locs), 4))
    ]


_FORMS: dict[str, tuple[Form, ...]] = {
    "[": (_list, _points),
    "(": (_list, _points),
    "{": (_list,),
    "|": (_row,),
    **dict.fromkeys(":=：ia", (_run,)),
    "<": (_locs, _tag),
}


def named(text: str, start: int, end: int) -> Iterator[Found]:
    """Neighbouring fields that make a box: x1=10, y1=20, x2=30, y2=40; left, top, width, height;
    corners with their points; x from 10 to 30 and y from 20 to 40.
    """
    group: dict[str, float] = {}
    units: list[str | None] = []
    first = last = 0
    rule = "named"
    if not forms.ANY_FIELD.search(text, start, end):
        return
    for match in forms.FIELD.finditer(text, start, end):
        fields, of = _fields(match)
        if group and _are_apart(text, last, match.start()):
            group = {}
        placed = _placed(group, fields)
        if placed is None:
            point = not any(match.group("corner", "name", "behind", "along", "size"))
            group, placed = {}, None if point else _placed({}, fields)
        if placed is None:
            continue
        if not group:
            first, units, rule = match.start(), [], "named"
        group, last = placed, match.end()
        units += of
        rule = "corners" if match["corner"] or match["behind"] else rule
        if found := _complete(group):
            yield reading(found, units, rule, (first, last))
            group = {}


def _are_apart(text: str, start: int, end: int) -> bool:
    """Whether too much stands between two fields, or a number that is no entry's and no aside."""
    if end - start > 2 * _APART:
        return True
    between = _ENTRY.sub("", text[start:end])
    return len(between) > _APART or any(map(str.isdigit, between))


_ENTRY = re.compile(r"(?:\A|\s)[0-9]{1,2}[.)](?=\s)|\([^()\n]{0,16}\)")
_APART = 40
"""Characters that may stand between two named coordinates."""


def _fields(match: re.Match[str]) -> tuple[list[tuple[str, float]], list[str | None]]:
    """Roles with their numbers, and the units of these."""
    groups = [g for g in forms.NUMBERS_OF_FIELD if match[g] is not None]
    numbers = [float(match[group]) for group in groups]
    units = [match[group + 1] for group in groups]
    if corner := match["corner"] or match["behind"]:
        if corner[0] in "cm中" and not corner.startswith("("):
            return [("cx", numbers[0]), ("cy", numbers[1])], units
        roles = [
            "x2" if forms.FURTHER.search(corner) else "x1",
            "y2" if forms.LOWER.search(corner) else "y1",
        ]
    elif not any(match.group("name", "along", "size")):
        roles = ["x1", "y1"]  # a point: a corner if a width and a height follow
    elif size := match["size"]:
        roles = ["h" if size in ("high", "tall", "in height") else "w"]
    else:
        role = forms.NAMES[match["name"]] if match["name"] else ""
        axis = role or ("x" if _ACROSS.search(match["along"]) else "y")
        roles = [axis] * len(numbers)
    return list(zip(roles, numbers, strict=True)), units


_ACROSS = re.compile(r"horiz|width|\bx")


def _placed(group: dict[str, float], fields: list[tuple[str, float]]) -> dict[str, float] | None:
    """The group with these fields; None where it has them already, or they come too early."""
    group = dict(group)
    for role, number in fields:
        axis, zero = role[0], f"{role[0]}0"
        if role in ("x", "y"):
            role = f"{axis}2" if f"{axis}1" in group else f"{axis}1"
        elif role == zero:
            group[zero], role = 0.0, f"{axis}1"
        elif zero in group and role == f"{axis}1":
            role = f"{axis}2"  # x0, y0, x1, y1
        if role in group and group[role] != number:
            return None
        if role in ("w", "h") and not {"y1", "cy"} & group.keys():
            return None
        group[role] = number
    return group


def _complete(group: dict[str, float]) -> list[float] | None:
    """Two corners, from what is known."""
    for across, down, half in (("x1", "y1", 0.0), ("cx", "cy", 0.5)):
        if group.keys() == {across, down, "w", "h"}:
            x, y = group[across] - half * group["w"], group[down] - half * group["h"]
            return [x, y, x + group["w"], y + group["h"]]
    corners = [group[role] for role in ("x1", "y1", "x2", "y2") if role in group]
    return corners if len(corners) == 4 else None
