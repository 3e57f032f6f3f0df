"""An answer in a user's file as a typed target; what is not clearly one is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from gnomon import jsons
from gnomon.recipe import Columns
from gnomon.sample import Box, Number, Size, Target, Text, Time

_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?(?: ?([ap])\.?m\.?)?", re.ASCII | re.IGNORECASE)
_LABEL = re.compile(
    r"(?P<before>[%°$€£¥]?) ?(?P<number>[-+]?\d[\d.,'’ ]*?)"
    r" ?(?P<after>(?!e[-+]?\d)(?:[^\W\d_]|[%‰°$€£¥])\S*(?: [^\d\s]\S*)*)?",
    re.IGNORECASE,
)
"""A number with its unit, as a label has it."""
_WRITTEN = {
    mark: re.compile(
        rf"[-+]?(?:\d+|[1-9]\d{{0,2}}([{apart}'’ ])\d{{3}}(?:\1\d{{3}})*)(?:[{mark}]\d+)?", re.ASCII
    )
    for mark, apart in (".,", ",.")
}
"""Digits, in thousands or not, by the decimal mark."""
_EITHER = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}", re.ASCII)
"""Thousands to some, a decimal comma to others."""
_NUMBERS = re.compile(r"[-+]?\d+(?:\.\d+)?", re.ASCII)
_LARGEST = 300
"""Powers of ten: errors of larger numbers, and of smaller ones, have no float."""
_EDGE = 0.5
"""Pixels by which a labelled box may stick out of its picture: labellers round."""


def read_answer(value: Any, columns: Columns, size: Size | None) -> Target:
    """The answer of a row; `size` is its picture's."""
    match columns.kind:
        case "time":
            return _time(str(value), columns)
        case "number":
            return _number(value, columns)
        case "box":
            return _box(value, columns, size)
        case _:
            text = " ".join(str(value).split())
            return Text(text, columns.choices or ())


def _time(text: str, columns: Columns) -> Time:
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no time such as 10:08 or 10:08:30")
    hour, minute, second = (int(part or 0) for part in match.groups()[:3])
    if hour > 23 or minute > 59 or second > 59 or (match[4] and not 1 <= hour <= 12):
        raise ValueError(f"{text!r}: no clock shows it")
    if match[4]:
        hour = hour % 12 + 12 * (match[4] in "pP")
    seconds = hour % columns.hours * 3600 + minute * 60 + second
    return Time(seconds, columns.hours, match[3] is not None)


def _number(value: Any, columns: Columns) -> Number:
    text = " ".join(str(value).replace("−", "-").split())
    if isinstance(value, str) and (match := _LABEL.fullmatch(text)):
        _check_unit(text, match["before"] or match["after"] or "", columns.unit)
        text = _plain(match["number"], columns.decimal)
    try:
        number = Decimal(text)
        if number and abs(number.adjusted()) >= _LARGEST:
            raise ValueError
        return Number(number, columns.unit, Decimal(str(columns.within)))
    except (InvalidOperation, ValueError) as error:
        raise ValueError(f"{value!r} is no number such as 41 or 3.5") from error


def _check_unit(text: str, unit: str, wanted: str) -> None:
    if unit and not wanted:
        raise ValueError(f"{text!r} has a unit: set columns.unit={unit}, or give the number alone")
    if unit not in ("", wanted):
        raise ValueError(f"{text!r} is in {unit}, and columns.unit is {wanted}")


def _plain(digits: str, decimal: str | None) -> str:
    """The digits as Python reads them; what may be two numbers is refused."""
    mark, other = (",", ".") if decimal == "comma" else (".", ",")
    if decimal is None and _EITHER.fullmatch(digits):
        thousands, fraction = digits.replace(",", ""), digits.replace(",", ".")
        raise ValueError(
            f"{digits!r} is {thousands} with columns.decimal=point, {fraction} with"
            " columns.decimal=comma: give one"
        )
    if _WRITTEN[mark].fullmatch(digits):
        return re.sub(r"[^\d.+-]", "", digits.replace(other, "").replace(mark, "."))
    if _WRITTEN[other].fullmatch(digits):
        name = "comma" if other == "," else "point"
        told = f", and columns.decimal is {decimal}" if decimal else f": set columns.decimal={name}"
        raise ValueError(f"the decimal mark of {digits!r} is a {name}{told}")
    return digits


def _box(value: Any, columns: Columns, size: Size | None) -> Box:
    if size is None:
        raise ValueError("a box needs a picture: name the `image` column")
    found = _four(value)
    corners = _FORMATS[columns.box_format](found, size)
    try:
        box = Box(*corners)
    except ValueError as error:
        raise ValueError(f"{value!r} is no box in {columns.box_format}") from error
    wide, tall = size
    if box.x1 < -_EDGE or box.y1 < -_EDGE or box.x2 > wide + _EDGE or box.y2 > tall + _EDGE:
        raise ValueError(f"{value!r} lies outside its picture of {wide} by {tall} pixels")
    return Box(max(box.x1, 0), max(box.y1, 0), min(box.x2, wide), min(box.y2, tall))


def _four(value: Any) -> tuple[float, float, float, float]:
    """A list of four, also as text."""
    if isinstance(value, str):
        value = (
            jsons.loads(value, "the box")
            if value.strip().startswith("[")
            else _NUMBERS.findall(value)
        )
    try:
        numbers = tuple(float(number) for number in value)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != 4:
        raise ValueError(f"{value!r} is no box: give four numbers")
    return numbers


def _scaled(by: float) -> Callable[..., tuple[float, ...]]:
    def corners(found: tuple[float, ...], size: Size) -> tuple[float, ...]:
        return tuple(value * size[i % 2] / by for i, value in enumerate(found))

    return corners


def _from_corner(found: tuple[float, ...], _: Size) -> tuple[float, ...]:
    x, y, wide, tall = found
    return x, y, x + wide, y + tall


def _from_middle(found: tuple[float, ...], _: Size) -> tuple[float, ...]:
    x, y, wide, tall = found
    return x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2


_FORMATS: dict[str, Callable[..., tuple[float, ...]]] = {
    "xyxy": lambda found, _: found,
    "xywh": _from_corner,
    "cxcywh": _from_middle,
    "xyxy_1": _scaled(1),
    "xyxy_1000": _scaled(1000),
}
