"""Several boxes with their labels, or none, exactly; and lists of boxes in users' files."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from reprlib import repr  # noqa: A004 - a label may be long, and deep
from typing import Any, ClassVar, Self

from gnomon.answers.base.target import Corners, DrawSteps, Size, Target
from gnomon.answers.box.answer import Box, parse_label, required_size


@dataclass(frozen=True, slots=True)
class LabelledBox:
    """A box and the name of what it is around; "" where the question names it."""

    label: str
    box: Box

    def __post_init__(self) -> None:
        if self.label != " ".join(self.label.split()):
            raise ValueError(f"label={self.label!r}: give words with one space between them")


@dataclass(frozen=True, slots=True)
class Boxes(Target):
    """Any number of boxes, or none.

    They are kept and written from the top down by their upper edge, then from the left: the order
    in which they are given does not matter.
    """

    name: ClassVar[str] = "boxes"
    has_place: ClassVar[bool] = True
    has_steps: ClassVar[bool] = True

    items: tuple[LabelledBox, ...] = ()
    invalid: int = 0
    """Number of an answer's boxes that are swapped, degenerate or no four numbers; 0 in a truth."""

    def __post_init__(self) -> None:
        # Frozen dataclasses refuse plain assignment, in their own methods as well.
        object.__setattr__(self, "items", tuple(sorted(self.items, key=_place)))

    @property
    def pairs(self) -> list[tuple[str, Corners]]:
        """Label and corners of every box."""
        return [(item.label, item.box.corners) for item in self.items]

    @property
    def boxes(self) -> tuple[Corners, ...]:
        """Corners of every box."""
        return tuple(item.box.corners for item in self.items)

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels that occur, each once and without regard to capitals."""
        return tuple(sorted({item.label.casefold() for item in self.items}))

    def scaled(self, old: Size, new: Size) -> Self:
        """The same boxes after the picture was resized from `old` to `new`."""
        items = tuple(replace(item, box=item.box.scaled(old, new)) for item in self.items)
        return replace(self, items=items)

    def map_boxes(self, move: Callable[[Corners], Corners]) -> Self:
        """The same labels at the boxes that `move` makes of theirs."""
        items = tuple(replace(item, box=item.box.map_boxes(move)) for item in self.items)
        return replace(self, items=items)

    def neighbour(self, draw_steps: DrawSteps, size: Size | None) -> Self:
        """The same labels, each at a box moved by a random number of steps."""
        items = tuple(
            replace(item, box=item.box.neighbour(draw_steps, size)) for item in self.items
        )
        return replace(self, items=items)

    @classmethod
    def form_of_labels(cls, columns: Any) -> Self:
        """An empty list: answers have the form of the family, whatever the labels have."""
        return cls()

    def pattern(self, dialect: Any) -> str | None:
        """Pattern of lists of boxes in the dialect, with any labels, and of its word for none."""
        text: str = dialect.list_regex
        return text

    def schema(self, dialect: Any) -> dict[str, Any] | None:
        """JSON Schema of lists of boxes in the dialect."""
        schema: dict[str, Any] | None = dialect.list_schema
        return schema

    @classmethod
    def from_label(cls, value: Any, columns: Any, size: Size | None) -> Self:
        """Parse a list of boxes in the form that the recipe names; an empty one means none."""
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

    def write(self, dialect: Any = None, size: Size | None = None) -> str:
        """Write the boxes in the form of the family, an empty list as its word for none."""
        text: str = dialect.write_spots(self.pairs, required_size(size))
        return text

    def read_back(self, text: str, dialect: Any = None, size: Size | None = None) -> Self | None:
        """Read boxes in the form of the family, in pixels of the picture."""
        pairs = dialect.read_spots(text, size) if size else None
        try:
            items = None if pairs is None else [LabelledBox(name, Box(*box)) for name, box in pairs]
        except ValueError:  # a label with two blanks in a row
            return None
        return None if items is None else type(self)(tuple(items))

    def to_json(self) -> dict[str, Any]:
        """Fields as plain values, `invalid` only where an answer has such boxes."""
        values = Target.to_json(self)
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
    """Label, numbers, form and id of each box in a cell: lists of four, or objects with a label.

    The Hugging Face form is understood, too: one object with a list of boxes and one of labels.
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
    """Refuse a turned box, whose corners are not where its numbers say."""
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
        raise ValueError(f"{repr(value)} is no list of boxes: give [[1, 2, 3, 4], …], or []")
    return values
