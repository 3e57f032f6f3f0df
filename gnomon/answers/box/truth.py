"""A box in a picture, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any, ClassVar, Self

from gnomon.answers.box import label
from gnomon.answers.target import Corners, Size, Target

_SHARES = (0.001, 0.01, 0.04, 0.16, 0.64, 1.0)
_AREAS = ("under 0.1 %", *(f"{100 * low:g} to {100 * high:g} %" for low, high in pairwise(_SHARES)))


@dataclass(frozen=True, slots=True)
class Box(Target):
    """Corners in continuous pixels, origin at the picture's upper left: x1 < x2, y1 < y2."""

    name: ClassVar[str] = "box"
    histogram: ClassVar[str] = "boxes, share of the picture"
    bars: ClassVar[tuple[str, ...]] = _AREAS
    has_place: ClassVar[bool] = True

    x1: float
    y1: float
    x2: float
    y2: float

    def __post_init__(self) -> None:
        if not (-inf < self.x1 < self.x2 < inf and -inf < self.y1 < self.y2 < inf):
            raise ValueError(f"{self}: a box needs finite corners with x1 < x2 and y1 < y2")

    @property
    def corners(self) -> Corners:
        """x1, y1, x2, y2."""
        return self.x1, self.y1, self.x2, self.y2

    @property
    def boxes(self) -> tuple[Corners, ...]:
        """Its corners."""
        return (self.corners,)

    def scaled(self, old: Size, new: Size) -> Self:
        """The same box after the picture was resized from `old` to `new`."""
        sx, sy = new[0] / old[0], new[1] / old[1]
        return type(self)(self.x1 * sx, self.y1 * sy, self.x2 * sx, self.y2 * sy)

    def bar(self, size: Size | None) -> str:
        """The share of the picture."""
        if size is None:
            return "no picture"
        share = (self.x2 - self.x1) * (self.y2 - self.y1) / (size[0] * size[1])
        return _AREAS[sum(share >= low for low in _SHARES[:-1])]

    @classmethod
    def from_label(cls, value: Any, columns: Any, size: Size | None) -> Self:
        """Four numbers."""
        if size is None:
            raise ValueError("a box needs a picture: name the `image` column")
        return cls(*label.read(value, columns.box_format, size))

    def written(self, dialect: Any = None, size: Size | None = None) -> str:
        """In the form of the family."""
        text: str = dialect.write_box(self, sized(size))
        return text

    def read_back(self, text: str, dialect: Any = None, size: Size | None = None) -> Self | None:
        """The box that the family's form says, in pixels of the picture."""
        found: Self | None = dialect.read_box(text, size) if size else None
        return found


def sized(size: Size | None) -> Size:
    """A size, which a box cannot be written without."""
    if size is None:
        raise ValueError("a box is written for a picture: give its size as (width, height)")
    return size
