"""Texts with their boxes in a picture, and the form of such lists."""

from dataclasses import dataclass
from typing import Any, ClassVar

from gnomon.answers.base.target import AnswerForm, Corners, Size
from gnomon.answers.box.answer import Box, BoxForm
from gnomon.answers.boxes.answer import BoxItems
from gnomon.answers.text.answer import Text


@dataclass(frozen=True, slots=True)
class Spot:
    """A text and the box around it."""

    text: str
    box: Box

    def __post_init__(self) -> None:
        Text(self.text)  # refuses a text of several lines


@dataclass(frozen=True, slots=True)
class SpotsForm(AnswerForm):
    """Form of texts in their boxes. The model's dialect decides how they are written."""

    name: ClassVar[str] = "spots"
    has_place: ClassVar[bool] = True

    def read_back(self, text: str, dialect: Any = None, size: Size | None = None) -> "Spots | None":
        """Read spots in the dialect, in pixels of the picture."""
        pairs = dialect.read_spots(text, size) if size else None
        try:
            return Spots(tuple(Spot(label, Box(*corners)) for label, corners in pairs or ()))
        except ValueError:  # an empty list, or a text of several lines
            return None

    def to_json(self) -> dict[str, Any]:
        """Fields of one dash in a box of one pixel."""
        return {"items": [{"text": "-", "box": BoxForm().to_json()}]}


@dataclass(frozen=True, slots=True)
class Spots(BoxItems):
    """Several texts, each with its box, in any order."""

    name: ClassVar[str] = "spots"
    form_type: ClassVar[type[AnswerForm]] = SpotsForm

    items: tuple[Spot, ...]
    unread: int = 0
    """Number of items in a model's answer without a text or without a box."""

    def __post_init__(self) -> None:
        if not self.items:
            raise ValueError("items is empty: give at least one Spot")

    @property
    def pairs(self) -> list[tuple[str, Corners]]:
        """Text and corners of every spot."""
        return [(spot.text, spot.box.corners) for spot in self.items]

    def to_json(self) -> dict[str, Any]:
        """Fields as plain values, `unread` only if an answer has such items."""
        values = BoxItems.to_json(self)
        return values if self.unread else {"items": values["items"]}
