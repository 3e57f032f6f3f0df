"""Texts with their boxes in a picture, exactly."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from gnomon.answers.base.target import Corners, DrawSteps, Size, Target
from gnomon.answers.box.answer import Box, required_size
from gnomon.answers.text.answer import Text


@dataclass(frozen=True, slots=True)
class Spot:
    """A text and the box around it."""

    text: str
    box: Box

    def __post_init__(self) -> None:
        Text(self.text)  # refuses what is not one line


@dataclass(frozen=True, slots=True)
class Spots(Target):
    """Several texts, each with its box; their order does not matter."""

    name: ClassVar[str] = "spots"
    has_place: ClassVar[bool] = True
    has_steps: ClassVar[bool] = True

    items: tuple[Spot, ...]
    unread: int = 0
    """Number of an answer's items that have no text or no box; 0 in a truth."""

    def __post_init__(self) -> None:
        if not self.items:
            raise ValueError("items is empty: give at least one Spot")

    @property
    def pairs(self) -> list[tuple[str, Corners]]:
        """Text and corners of every spot."""
        return [(spot.text, spot.box.corners) for spot in self.items]

    @property
    def boxes(self) -> tuple[Corners, ...]:
        """Corners of every spot."""
        return tuple(spot.box.corners for spot in self.items)

    def scaled(self, old: Size, new: Size) -> Self:
        """The same spots after the picture was resized from `old` to `new`."""
        items = tuple(Spot(spot.text, spot.box.scaled(old, new)) for spot in self.items)
        return replace(self, items=items)

    def map_boxes(self, move: Callable[[Corners], Corners]) -> Self:
        """The same texts in the boxes that `move` makes of theirs."""
        items = tuple(Spot(spot.text, spot.box.map_boxes(move)) for spot in self.items)
        return replace(self, items=items)

    def neighbour(self, draw_steps: DrawSteps, size: Size | None) -> Self:
        """The same texts, each in a box moved by a random number of steps."""
        items = tuple(Spot(spot.text, spot.box.neighbour(draw_steps, size)) for spot in self.items)
        return replace(self, items=items)

    def write(self, dialect: Any = None, size: Size | None = None) -> str:
        """Write the spots in the form of the family."""
        text: str = dialect.write_spots(self.pairs, required_size(size))
        return text

    def read_back(self, text: str, dialect: Any = None, size: Size | None = None) -> Self | None:
        """Read spots in the form of the family, in pixels of the picture."""
        pairs = dialect.read_spots(text, size) if size else None
        try:
            return type(self)(tuple(Spot(label, Box(*box)) for label, box in pairs or ()))
        except ValueError:  # none at all, or a text of several lines
            return None

    def to_json(self) -> dict[str, Any]:
        """Fields as plain values, `unread` only where there is something unread."""
        values = Target.to_json(self)
        return values if self.unread else {"items": values["items"]}
