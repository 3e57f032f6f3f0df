"""Lists of boxes with their labels, the form of such lists, and labels in users' files."""

import json
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from reprlib import repr  # noqa: A004 - a label may be long, and deep
from typing import Any, ClassVar, Self

from gnomon.answers.base.target import AnswerForm, Corners, PlacedTarget, Size, required_size
from gnomon.answers.box.answer import Box, parse_label


@dataclass(frozen=True, slots=True)
class LabelledBox:
    """A box and the name of the object in it. The label is "" if the question names the object."""

    label: str
    box: Box

    def __post_init__(self) -> None:
        if self.label != " ".join(self.label.split()):
            raise ValueError(f"label={self.label!r}: give words with one space between them")


@dataclass(frozen=True, slots=True)
class BoxesForm(AnswerForm):
    """Form of a list of boxes. The model's dialect decides how it is written."""

    name: ClassVar[str] = "boxes"
    has_place: ClassVar[bool] = True

    def read_back(self, text: str, dialect: Any = None, size: Size | None = None) -> "Boxes | None":
        """Read boxes in the dialect, in pixels of the picture."""
        pairs = dialect.read_spots(text, size) if size else None
        if pairs is None:
            return None
        try:
            return Boxes(tuple(LabelledBox(label, Box(*corners)) for label, corners in pairs))
        except ValueError:  # a label with two blanks in a row
            return None

    def pattern(self, dialect: Any) -> str | None:
        """Pattern of lists with any labels, and of the dialect's word for an empty list."""
        text: str = dialect.list_regex
        return text

    def to_json(self) -> dict[str, Any]:
        """Fields of an empty list."""
        return {"items": []}


class BoxItems(PlacedTarget):
    """A list of items with a text and a box each: boxes with labels, or words in their boxes."""

    __slots__ = ()

    items: tuple[Any, ...]

    @property
    @abstractmethod
    def pairs(self) -> list[tuple[str, Corners]]:
        """Text and corners of every item."""

    @property
    def boxes(self) -> tuple[Corners, ...]:
        """Corners of every box."""
        return tuple(item.box.corners for item in self.items)

    def map_boxes(self, move: Callable[[Corners], Corners]) -> Self:
        """Keep the texts, and move their boxes."""
        items = tuple(replace(item, box=item.box.map_boxes(move)) for item in self.items)
        return replace(self, items=items)  # type: ignore[type-var]

    def write(self, dialect: Any = None, size: Size | None = None) -> str:
        """Write the items in the dialect, or its word for an empty list."""
        text: str = dialect.write_spots(self.pairs, required_size(size))
        return text


@dataclass(frozen=True, slots=True)
class Boxes(BoxItems):
    """A list of boxes, which may be empty.

    They are kept and written from the top down by their upper edge, then from the left, in whatever
    order you give them.
    """

    name: ClassVar[str] = "boxes"
    form_type: ClassVar[type[AnswerForm]] = BoxesForm

    items: tuple[LabelledBox, ...] = ()
    invalid: int = 0
    """Number of boxes in a model's answer that are swapped, degenerate or not four numbers."""

    def __post_init__(self) -> None:
        # Frozen dataclasses refuse plain assignment, in their own methods as well.
        object.__setattr__(self, "items", tuple(sorted(self.items, key=_place)))

    @property
    def pairs(self) -> list[tuple[str, Corners]]:
        """Label and corners of every box."""
        return [(item.label, item.box.corners) for item in self.items]

    @property
    def labels(self) -> tuple[str, ...]:
        """Distinct labels, casefolded and sorted."""
        return tuple(sorted({item.label.casefold() for item in self.items}))

    @classmethod
    def from_label(cls, value: Any, columns: Any, size: Size | None) -> Self:
        """Parse a list of boxes, which may be empty, in the format that the recipe names."""
        if size is None:
            raise ValueError("boxes need a picture: name the `image` column")
        items = []
        for label, numbers, box_format, note in _rows(value):
            try:
                corners = parse_label(numbers, box_format or columns.box_format, size)
            except ValueError as error:
                raise ValueError(f"annotation {note}: {error}" if note else str(error)) from error
            items.append(LabelledBox(" ".join(label.split()), Box(*corners)))
        return cls(tuple(items))

    def to_json(self) -> dict[str, Any]:
        """Fields as plain values, `invalid` only if an answer has such boxes."""
        values = BoxItems.to_json(self)
        return values if self.invalid else {"items": values["items"]}


def _place(item: LabelledBox) -> tuple[float, float, float, float, str]:
    x1, y1, x2, y2 = item.box.corners
    return y1, x1, y2, x2, item.label


# Keys of a box in users' files, with the form that the key itself names.
_BOX_KEYS = {
    **dict.fromkeys(("bbox", "box", "bbox_2d", "bboxes", "boxes"), ""),
    **{form: form for form in ("xyxy", "xywh", "cxcywh", "xyxy_1", "cxcywh_1", "xyxy_1000")},
}
_LABEL_KEYS = ("label", "category", "name", "class", "labels", "categories")


def _rows(value: Any) -> Iterable[tuple[str, Any, str, str]]:
    """Yield label, numbers, format and id of each box in a cell of lists, or objects with a label.

    A cell may also be one object with a list of boxes and a list of labels, as Hugging Face has it.
    """
    values = _from_json(value)
    if isinstance(values, Mapping):
        boxes, box_format = _cell(values)
        if boxes and not isinstance(boxes[0], list | tuple):  # one box, as an object
            return _rows([values])
        labels = next((values[key] for key in _LABEL_KEYS if key in values), [""] * len(boxes))
        if len(labels) != len(boxes):
            raise ValueError(f"{repr(value)} has {len(boxes)} boxes and {len(labels)} labels")
        return [(str(label), box, box_format, "") for label, box in zip(labels, boxes, strict=True)]
    rows = []
    for row in values:
        if isinstance(row, Mapping):
            label = next((row[key] for key in _LABEL_KEYS if row.get(key) is not None), "")
            note = row.get("id")
            _check_upright(row)
            rows.append((str(label), *_cell(row), "" if note is None else str(note)))
        else:
            rows.append(("", row, "", ""))
    return rows


def _check_upright(row: Mapping[str, Any]) -> None:
    """Raise if a box is rotated, because its numbers do not give its corners."""
    angle = row.get("rotation") or row.get("angle") or 0
    try:
        is_upright = float(angle) == 0
    except (TypeError, ValueError):
        is_upright = False
    if not is_upright:
        raise ValueError(f"{repr(row)} is turned: give the upright box around the thing")


def _cell(row: Mapping[str, Any]) -> tuple[Any, str]:
    key = next((key for key in _BOX_KEYS if key in row), None)
    if key is None:
        raise ValueError(f"{repr(row)} has no box: give it as {', '.join(_BOX_KEYS)}")
    return row[key], _BOX_KEYS[key]


def _from_json(value: Any) -> Any:
    """Parse a cell of a CSV; a list or an object stays as it is."""
    try:
        values = json.loads(value) if isinstance(value, str) else value
    except (RecursionError, ValueError):
        values = None
    if not isinstance(values, list | tuple | Mapping):
        raise ValueError(f"{repr(value)} is not a list of boxes: give [[1, 2, 3, 4], …], or []")
    return values
