"""Boxes: exact corners in pixels, the form of a box, and labels in users' files."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from reprlib import repr  # noqa: A004 - a label may be long, and deep
from typing import Any, ClassVar, Self

from gnomon.answers.base.target import AnswerForm, Corners, PlacedTarget, Size, required_size


@dataclass(frozen=True, slots=True)
class BoxForm(AnswerForm):
    """Form of a box. The model's dialect decides how it is written."""

    name: ClassVar[str] = "box"
    has_place: ClassVar[bool] = True

    def read_back(self, text: str, dialect: Any = None, size: Size | None = None) -> "Box | None":
        """Read a box in the dialect, in pixels of the picture."""
        corners = dialect.read_box(text, size) if size else None
        return Box(*corners) if corners else None

    def pattern(self, dialect: Any) -> str | None:
        """Pattern of boxes in the dialect. It cannot say that corners are in order."""
        text: str = dialect.box_regex
        return text

    def to_json(self) -> dict[str, Any]:
        """Fields of a box of one pixel."""
        return {"x1": 0, "y1": 0, "x2": 1, "y2": 1}


@dataclass(frozen=True, slots=True)
class Box(PlacedTarget):
    """Corners in continuous pixels, origin at the picture's upper left: x1 < x2, y1 < y2."""

    name: ClassVar[str] = "box"
    form_type: ClassVar[type[AnswerForm]] = BoxForm

    x1: float
    y1: float
    x2: float
    y2: float

    def __post_init__(self) -> None:
        if not (-inf < self.x1 < self.x2 < inf and -inf < self.y1 < self.y2 < inf):
            raise ValueError(f"{self!r}: a box needs finite corners with x1 < x2 and y1 < y2")

    @property
    def corners(self) -> Corners:
        """Corners as (x1, y1, x2, y2)."""
        return self.x1, self.y1, self.x2, self.y2

    @property
    def boxes(self) -> tuple[Corners, ...]:
        """Corners of this box alone."""
        return (self.corners,)

    def map_boxes(self, move: Callable[[Corners], Corners]) -> Self:
        """Return the box that `move` makes of this one."""
        return type(self)(*move(self.corners))

    @classmethod
    def from_label(cls, value: Any, columns: Any, size: Size | None) -> Self:
        """Parse four numbers in the format that the recipe names."""
        if size is None:
            raise ValueError("a box needs a picture: name the `image` column")
        return cls(*parse_label(value, columns.box_format, size))

    def write(self, dialect: Any = None, size: Size | None = None) -> str:
        """Write the box in the dialect."""
        text: str = dialect.write_box(self.corners, required_size(size))
        return text


_NUMBERS = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
# Pixels by which a labelled box may reach beyond its picture: labelling tools round.
_EDGE = 0.5
# Largest number of a box on 0 to 1; rounding can lift a far edge above 1.
_SHARE = 1.001


def parse_label(value: Any, box_format: str, size: Size) -> Corners:
    """Parse the corners in pixels; raise if the box is outside its picture."""
    numbers = _four(value)
    if not box_format.endswith("_1") and max(map(abs, numbers)) <= _SHARE:
        raise ValueError(
            f"{repr(value)} lies within one pixel in {box_format}: numbers from 0 to 1 are shares"
            " of the picture, in the form xyxy_1 or cxcywh_1"
        )
    corners = _corners(numbers, box_format, size)
    x1, y1, x2, y2 = corners
    if not (-inf < x1 < x2 < inf and -inf < y1 < y2 < inf):
        raise ValueError(f"{repr(value)} is not a box in {box_format}")
    wide, tall = size
    if x1 < -_EDGE or y1 < -_EDGE or x2 > wide + _EDGE or y2 > tall + _EDGE:
        raise ValueError(f"{repr(value)} lies outside its picture of {wide} by {tall} pixels")
    return max(x1, 0), max(y1, 0), min(x2, wide), min(y2, tall)


def _four(label: Any) -> Corners:
    """Parse a list of four numbers, or a text that contains four numbers."""
    numbers: list[float] = []
    try:
        values = label
        if isinstance(label, str):
            is_json = label.strip().startswith("[")
            values = json.loads(label) if is_json else _NUMBERS.findall(label)
        # float() would turn JSON's true into 1.
        numbers = [float(value) for value in values if not isinstance(value, bool)]
    except (RecursionError, TypeError, ValueError):
        pass
    if len(numbers) != 4:
        hint = ", without an angle or a confidence" if len(numbers) == 5 else ""
        raise ValueError(f"{repr(label)} is not a box: give four numbers{hint}")
    a, b, c, d = numbers
    return a, b, c, d


def _corners(numbers: Corners, box_format: str, size: Size) -> Corners:
    a, b, c, d = numbers
    if box_format == "xywh":
        return a, b, a + c, b + d
    if box_format == "cxcywh":
        return a - c / 2, b - d / 2, a + c / 2, b + d / 2
    if box_format == "xyxy":
        return numbers
    wide, tall = size
    if box_format == "cxcywh_1":
        return _corners((a * wide, b * tall, c * wide, d * tall), "cxcywh", size)
    # Shares of the picture, or thousandths of it.
    by = {"xyxy_1": 1, "xyxy_1000": 1000}[box_format]
    return a * wide / by, b * tall / by, c * wide / by, d * tall / by
