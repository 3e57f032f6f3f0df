"""Boxes: the exact corners in pixels, and labels of users."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from reprlib import repr  # noqa: A004 - a label may be long, and deep
from typing import Any, ClassVar, Self

from gnomon.answers.base.target import Corners, DrawSteps, Size, Target


@dataclass(frozen=True, slots=True)
class Box(Target):
    """Corners in continuous pixels, origin at the picture's upper left: x1 < x2, y1 < y2."""

    name: ClassVar[str] = "box"
    has_place: ClassVar[bool] = True
    has_steps: ClassVar[bool] = True

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

    def scaled(self, old: Size, new: Size) -> Self:
        """The same box after the picture was resized from `old` to `new`."""
        sx, sy = new[0] / old[0], new[1] / old[1]
        return type(self)(self.x1 * sx, self.y1 * sy, self.x2 * sx, self.y2 * sy)

    def map_boxes(self, move: Callable[[Corners], Corners]) -> Self:
        """The box that `move` makes of this one."""
        return type(self)(*move(self.corners))

    def neighbour(self, draw_steps: DrawSteps, size: Size | None) -> Self:
        """Box with each edge some thousandths of the picture's side away, never beyond its end."""
        wide, tall = required_size(size)
        x1, x2 = _neighbour_edges(self.x1, self.x2, wide, draw_steps)
        y1, y2 = _neighbour_edges(self.y1, self.y2, tall, draw_steps)
        return type(self)(x1, y1, x2, y2)

    @classmethod
    def form_of_labels(cls, columns: Any) -> Self:
        """A box of one pixel: answers have the form of the family, whatever the labels have."""
        return cls(0, 0, 1, 1)

    @property
    def form_of_question(self) -> Self:
        """Box of a pixel, which gives nothing away."""
        return type(self)(0, 0, 1, 1)

    def pattern(self, dialect: Any) -> str | None:
        """Pattern of boxes in the dialect. That corners are in order no pattern can say."""
        text: str = dialect.box_regex
        return text

    def schema(self, dialect: Any) -> dict[str, Any] | None:
        """JSON Schema of boxes in the dialect."""
        schema: dict[str, Any] | None = dialect.box_schema
        return schema

    @classmethod
    def from_label(cls, value: Any, columns: Any, size: Size | None) -> Self:
        """Parse four numbers in the form that the recipe names."""
        if size is None:
            raise ValueError("a box needs a picture: name the `image` column")
        return cls(*parse_label(value, columns.box_format, size))

    def write(self, dialect: Any = None, size: Size | None = None) -> str:
        """Write the box in the form of the family."""
        text: str = dialect.write_box(self.corners, required_size(size))
        return text

    def read_back(self, text: str, dialect: Any = None, size: Size | None = None) -> Self | None:
        """Read a box in the form of the family, in pixels of the picture."""
        corners = dialect.read_box(text, size) if size else None
        return type(self)(*corners) if corners else None


def required_size(size: Size | None) -> Size:
    """Return the size, without which no box can be written."""
    if size is None:
        raise ValueError("a box is written for a picture: give its size as (width, height)")
    return size


# Steps along a side: most families write boxes in thousandths of it.
_STEPS = 1000


def _neighbour_edges(
    low: float, high: float, side: int, draw_steps: DrawSteps
) -> tuple[float, float]:
    """Move both edges along one side by a draw of steps."""
    step = side / _STEPS
    # Below half the length, so that the edges stay in order; an edge on the picture's stays there.
    between = int((high - low) / step - 1) // 2
    rooms = [max(0, min(between, int(room / step))) for room in (low, side - high)]
    return low + step * draw_steps(rooms[0]), high + step * draw_steps(rooms[1])


_NUMBERS = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
# Pixels by which a labelled box may stick out of its picture: labellers round.
_EDGE = 0.5
# Largest number of a box on 0 to 1, with a rounding of its far edges.
_SHARE = 1.001


def parse_label(value: Any, box_format: str, size: Size) -> Corners:
    """Parse the corners in pixels; a box that leaves its picture is refused."""
    numbers = _four(value)
    if not box_format.endswith("_1") and max(map(abs, numbers)) <= _SHARE:
        raise ValueError(
            f"{repr(value)} lies within one pixel in {box_format}: numbers from 0 to 1 are shares"
            " of the picture, in the form xyxy_1 or cxcywh_1"
        )
    corners = _corners(numbers, box_format, size)
    x1, y1, x2, y2 = corners
    if not (-inf < x1 < x2 < inf and -inf < y1 < y2 < inf):
        raise ValueError(f"{repr(value)} is no box in {box_format}")
    wide, tall = size
    if x1 < -_EDGE or y1 < -_EDGE or x2 > wide + _EDGE or y2 > tall + _EDGE:
        raise ValueError(f"{repr(value)} lies outside its picture of {wide} by {tall} pixels")
    return max(x1, 0), max(y1, 0), min(x2, wide), min(y2, tall)


def _four(label: Any) -> Corners:
    """Parse a list of four numbers, or a text of them."""
    numbers: list[float] = []
    try:
        values = label
        if isinstance(label, str):
            is_json = label.strip().startswith("[")
            values = json.loads(label) if is_json else _NUMBERS.findall(label)
        # JSON's true is no 1 here, as float() would have it.
        numbers = [float(value) for value in values if not isinstance(value, bool)]
    except (RecursionError, TypeError, ValueError):
        pass
    if len(numbers) != 4:
        hint = ", without an angle or a confidence" if len(numbers) == 5 else ""
        raise ValueError(f"{repr(label)} is no box: give four numbers{hint}")
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
