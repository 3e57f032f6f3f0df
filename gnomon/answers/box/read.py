"""Reader of boxes, which are four numbers. read.toml has the patterns.

The dialect of the question defines the coordinate space, which is not guessed here. Swapped corners
stay swapped.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from gnomon.answers.base.dialect import DIALECTS, Dialect
from gnomon.answers.base.target import Corners, Size
from gnomon.answers.reading.base import Reading, Which, any_of, fill, longest, normalize, table
from gnomon.answers.reading.final import find


def read_box(text: str, *, which: Which = "final") -> Reading[Corners] | None:
    """Read the corners that `text` states, with their place and rule, or None.

    By default the final answer counts if the text has several boxes. Four numbers are two corners,
    x first, unless the text names another meaning such as a width and a height. A polygon is not a
    box. Some rules imply a coordinate space, which `to_pixels` knows.
    """
    return find(text, find_boxes, which)


def find_boxes(text: str) -> list[Reading[Corners]]:
    """Read all boxes of a text, in order."""
    text = normalize(text)
    candidates: list[Candidate] = _bare(text) or [*_in_brackets(text), *_in_fields(text)]
    readings: list[Reading[Corners]] = longest(candidates)
    if any(reading.rule in _EXPLAINED for reading in readings):
        legend = next((name for name, words in LEGENDS if words.search(text)), "")
        percent = bool(FORMS["percent"].search(text))
        return [_by_legend(reading, legend, percent=percent) for reading in readings]
    return readings


def parse_box(text: str, *, which: Which = "final") -> Corners | None:
    """Read the corners alone, or None. `read_box` also returns the place and the rule."""
    reading = read_box(text, which=which)
    return reading.value if reading else None


def to_pixels(reading: Reading[Corners], dialect: Dialect, size: Size) -> Reading[Corners]:
    """Convert a reading to pixels of the picture. Some rules imply their own space."""
    rule, (a, b, c, d) = reading.rule.rpartition(": ")[2], reading.value
    space = _SPACES.get(rule)
    # Qwen2.5-VL also writes Qwen2-VL's tokens, but in pixels. Numbers up to 1 are shares.
    counts_pixels = rule == "box tokens" and dialect.far is None
    if counts_pixels or (rule in _TAGS and max(reading.value) <= 1):
        space = None
    if space is None and dialect.y_first and rule in _UNNAMED:
        a, b, c, d = b, a, d, c
    return reading._replace(value=(space or dialect).to_pixels((a, b, c, d), size))


# Rules of numbers without names. The dialect gives their order.
_UNNAMED = ("bare", "list", "row")
# Rules of numbers whose meaning the text may give in words: "[left, top, width, height]".
_EXPLAINED = (*_UNNAMED, "bbox_2d")
# Rules of tags between which some models write shares from 0 to 1.
_TAGS = ("box tag", "box tokens")
# Spaces of the rules that imply a space.
_SPACES = {
    "box_2d": DIALECTS["gemini"],
    "box tag": DIALECTS["internvl"],
    "box tokens": DIALECTS["qwen2-vl"],
    "loc": DIALECTS["florence-2"],
    "loc, y first": DIALECTS["paligemma"],
    "percent": DIALECTS["percent"],
}


def _by_legend(reading: Reading[Corners], legend: str, *, percent: bool) -> Reading[Corners]:
    """Convert four numbers to corners by the legend in the text, such as width and height."""
    if reading.rule not in _EXPLAINED:
        return reading
    # "in percent" in a text about pixels cannot mean numbers above 100.
    if percent and max(reading.value) <= 100:
        reading = reading._replace(rule="percent")
    if not legend:
        return reading
    a, b, c, d = reading.value
    value = {
        "y first": (b, a, d, c),
        "width": (a, b, a + c, b + d),
        "centre": (a - c / 2, b - d / 2, a + c / 2, b + d / 2),
    }[legend]
    rule = reading.rule if reading.rule == "percent" else f"{reading.rule}, {legend}"
    return reading._replace(value=value, rule=rule)


_TABLE = table(__file__)
NAMES: dict[str, str] = {
    name: role for role, names in _TABLE["names"].items() for name in names.split()
}
"""Role of a number in a box, by its name in texts: "left" is x1."""
_NAME = any_of(map(re.escape, NAMES), letters="[a-z0-9_]")
FORMS = {
    name: re.compile(pattern)
    for name, pattern in fill({"name": _NAME} | _TABLE["patterns"]).items()
}
LEGENDS = tuple((name, re.compile(pattern)) for name, pattern in _TABLE["legends"].items())
NUMBERS_OF_FIELD = (2, 4, 7, 9, 11, 13, 16, 18)
"""Groups of a field's numbers. The group after each number is its unit."""


Candidate: TypeAlias = "Reading[Corners | None]"
"""A reading of a box. Its value is None for numbers that are not a valid box."""
# Most characters of a text that consists of four numbers and a sentence before them.
_LONGEST_BARE = 400


def _bare(text: str) -> list[Candidate]:
    """Read four numbers that are the whole text, apart from words that announce them."""
    match = FORMS["bare"].fullmatch(text) if len(text) <= _LONGEST_BARE else None
    return [_four(match, "bare")] if match else []


def _in_brackets(text: str) -> Iterator[Candidate]:
    """Read lists, pairs of points, rows, and numbers between tags or after a word."""
    end = 0
    while opening := FORMS["opening"].search(text, end):
        start = opening.start()
        results = (reader(text, start) for reader in (_list, _points, _locs, _others))
        candidates = next(filter(None, results), [Reading(None, (start, start + 1), "refused")])
        yield from candidates
        end = candidates[-1].span[1]


def _four(match: re.Match[str], rule: str) -> Candidate:
    """Read four numbers with their units, the last groups of a match."""
    groups = match.groups()[-8:]
    return _corners([float(number) for number in groups[::2]], groups[1::2], rule, match.span())


def _corners(
    numbers: Sequence[float], units: Sequence[str | None], rule: str, span: tuple[int, int]
) -> Candidate:
    """Make two corners, x first, from four numbers, or None if their units differ."""
    percent = [unit in ("%", "percent") for unit in units]
    if len(set(percent)) > 1:
        return Reading(None, span, "refused")
    a, b, c, d = numbers
    if rule in _Y_FIRST:
        a, b, c, d = b, a, d, c
    return Reading((a, b, c, d), span, "percent" if any(percent) else rule)


# Rules of PaliGemma and Gemini, which write y first.
_Y_FIRST = ("loc, y first", "box_2d")


def _list(text: str, start: int) -> list[Candidate]:
    """Read [1, 2, 3, 4] with the key or tag before it."""
    if (match := FORMS["list"].match(text, start)) is None:
        return []
    # The key or tag stands right before the bracket. 16 characters are enough.
    before = FORMS["before_list"].search(text, max(0, start - 16), start)
    if before is None:
        return [_four(match, "list")]
    rule = {"box_2d": "box_2d", "box": "list"}.get(before["key"], "bbox_2d")
    reading = _four(match, f"{before['tag']} tag" if before["tag"] else rule)
    return [reading._replace(span=(before.start(), match.end()))]


def _others(text: str, start: int) -> list[Candidate]:
    """Read "box: 1, 2, 3, 4", | 1 | 2 | 3 | 4 | under its header, or <box>1 2 3 4</box>."""
    for name, rule in (("run", "bare"), ("row", "row"), ("tag", "")):
        if match := FORMS[name].match(text, start):
            return [_four(match, rule or f"{match['tag']} tag")]
    return []


def _points(text: str, start: int) -> list[Candidate]:
    """Read (1, 2), (3, 4): two points are a box, more are a polygon or several boxes."""
    # The text between the points shows if they are a box, a row of boxes or a polygon.
    points: list[re.Match[str]] = []
    joints: list[str] = []
    end = start
    while point := FORMS["pair"].match(text, end):
        points.append(point)
        if (joint := FORMS["between_points"].match(text, point.end())) is None:
            break
        joints.append(joint["word"] or joint[0].strip() or ("\n" if "\n" in joint[0] else " "))
        end = joint.end()
    groups = [points[i : i + 2] for i in range(0, len(points), 2)]
    in_boxes, between_boxes = set(joints[::2]), set(joints[1 : len(points) - 1 : 2])
    if len(points) % 2 or in_boxes & between_boxes:  # boxes are joined in another way than corners
        return [Reading(None, point.span(), "polygon") for point in points]
    return [_between_points(text, *group) for group in groups]


def _between_points(text: str, first: re.Match[str], second: re.Match[str]) -> Candidate:
    start, end, rule = first.start(), second.end(), "pairs"
    for opening, closing, name in (
        ("<|box_start|>", "<|box_end|>", "box tokens"),
        ("<box>", "</box>", "box tag"),
    ):
        if text.endswith(opening, 0, start):
            start, rule = start - len(opening), name
            end += len(closing) if text.startswith(closing, end) else 0
    groups = (*first.groups(), *second.groups())
    return _corners([float(number) for number in groups[::2]], groups[1::2], rule, (start, end))


def _locs(text: str, start: int) -> list[Candidate]:
    """Read PaliGemma's <loc0123>, with y first, and Florence's <loc_123>."""
    if (match := FORMS["locs"].match(text, start)) is None:
        return []
    # Florence writes <loc_12>, PaliGemma <loc0012>. A box has four tokens of one kind.
    locs = list(FORMS["loc"].finditer(text, start, match.end()))
    if len(locs) % 4 or len({loc[1] for loc in locs}) > 1:
        return [Reading(None, match.span(), "refused")]
    rule = "loc" if locs[0][1] else "loc, y first"
    fours = [locs[index : index + 4] for index in range(0, len(locs), 4)]
    return [
        _corners([float(loc[2]) for loc in four], [], rule, (four[0].start(), four[-1].end()))
        for four in fours
    ]


def _in_fields(text: str) -> Iterator[Candidate]:
    """Read neighbouring fields that make a box.

    Examples are x1=10, y1=20, x2=30, y2=40, or left, top, width and height, or corners with their
    points, or x from 10 to 30 and y from 20 to 40.
    """
    group: dict[str, float] = {}
    units: list[str | None] = []
    first = last = 0
    rule = "named"
    if not FORMS["any_field"].search(text):
        return
    for match in FORMS["field"].finditer(text):
        fields, field_units = _fields(match)
        if group and _are_apart(text, last, match.start()):
            group = {}
        extended = _extend(group, fields)
        if extended is None:
            # Fields that do not fit begin a new box, but a point without a name does not.
            is_point = not any(match.group("corner", "name", "behind", "along", "size"))
            group, extended = {}, None if is_point else _extend({}, fields)
        if extended is None:
            continue
        if not group:
            first, units, rule = match.start(), [], "named"
        group, last = extended, match.end()
        units += field_units
        rule = "corners" if match["corner"] or match["behind"] else rule
        corners = _complete(group)
        if corners:
            yield _corners(corners, units, rule, (first, last))
            group = {}


def _are_apart(text: str, start: int, end: int) -> bool:
    """True if two fields are far apart or have a number between them.

    The number of a list entry and a number in brackets do not count.
    """
    if end - start > 2 * _MAX_GAP:
        return True
    between = _ENTRY.sub("", text[start:end])
    return len(between) > _MAX_GAP or any(map(str.isdigit, between))


_ENTRY = re.compile(r"(?:\A|\s)[0-9]{1,2}[.)](?=\s)|\([^()\n]{0,16}\)")
# Most characters between two named coordinates.
_MAX_GAP = 40


def _fields(match: re.Match[str]) -> tuple[list[tuple[str, float]], list[str | None]]:
    """Return roles with their numbers, and the units of these numbers."""
    groups = [g for g in NUMBERS_OF_FIELD if match[g] is not None]
    numbers = [float(match[group]) for group in groups]
    units = [match[group + 1] for group in groups]
    if corner := match["corner"] or match["behind"]:
        # "c" of centre, "m" of middle, 中.
        if corner[0] in "cm中" and not corner.startswith("("):
            return [("cx", numbers[0]), ("cy", numbers[1])], units
        roles = [
            "x2" if FORMS["further"].search(corner) else "x1",
            "y2" if FORMS["lower"].search(corner) else "y1",
        ]
    elif not any(match.group("name", "along", "size")):
        roles = ["x1", "y1"]  # a point: a corner if a width and a height follow
    elif size := match["size"]:
        roles = ["h" if size in ("high", "tall", "in height") else "w"]
    else:
        role = NAMES[match["name"]] if match["name"] else ""
        axis = role or ("x" if _ACROSS.search(match["along"]) else "y")
        roles = [axis] * len(numbers)
    return list(zip(roles, numbers, strict=True)), units


_ACROSS = re.compile(r"horiz|width|\bx")


def _extend(group: dict[str, float], fields: list[tuple[str, float]]) -> dict[str, float] | None:
    """Add fields to a group; None if the group has other values for them, or they come too early.

    A width must follow a corner or a centre.
    """
    group = dict(group)
    for role, number in fields:
        axis, zero = role[0], f"{role[0]}0"
        # The first x or y of a group is the near edge, the second the far one.
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
    """Return two corners once the fields of a group give them."""
    # A width and a height start from a corner or, by halves, from the centre.
    for across, down, half in (("x1", "y1", 0.0), ("cx", "cy", 0.5)):
        if group.keys() == {across, down, "w", "h"}:
            x, y = group[across] - half * group["w"], group[down] - half * group["h"]
            return [x, y, x + group["w"], y + group["h"]]
    corners = [group[role] for role in ("x1", "y1", "x2", "y2") if role in group]
    return corners if len(corners) == 4 else None
