"""Base classes of answers, of the forms that answers have, and of answers that are places."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self, TypeAlias

Size: TypeAlias = tuple[int, int]
"""Width and height in pixels."""
Corners: TypeAlias = tuple[float, float, float, float]
"""x1, y1, x2, y2."""
DrawSteps: TypeAlias = Callable[[int | None], int]
"""Function that draws a whole number of steps. The argument limits its size unless it is None."""


class AnswerForm(ABC):
    """The form of the answers to a question: how they are read back, and which are possible.

    A form does not depend on the true answer. A question without a label also has a form.
    Each folder of this package has a subclass, a frozen dataclass.
    """

    # Without it, subclasses with slots would have a __dict__ as well.
    __slots__ = ()

    name: ClassVar[str]
    """Name of the type in files: the `name` of the answer's class."""
    has_place: ClassVar[bool] = False
    """True if answers are in pixels of the picture."""

    @property
    def type_name(self) -> str:
        """Key of the type in `registry.TYPES`. A 24-hour dial has a separate type."""
        return self.name

    @property
    def period(self) -> float:
        """Length after which positions begin again, for example on a dial, otherwise 0."""
        return 0.0

    @abstractmethod
    def read_back(self, text: str, dialect: Any = None, size: Size | None = None) -> Target | None:
        """Return the answer that `Target.write` wrote as `text`; None for any other text."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Fields of an example answer of this form. Files describe the form by it.

        The example must not depend on the true answer.
        """

    def pattern(self, dialect: Any) -> str | None:  # noqa: ARG002 - for boxes
        """Regular expression of the answers; None if any text may be an answer.

        It uses only syntax that all guided decoders know: no look-around, names or classes.
        """
        return None

    def possible_answers(self) -> tuple[Target, ...]:
        """List every answer to a question of this form. It is empty if it would be too long."""
        return ()


class Target(ABC):
    """An answer with its exact value. Each folder of this package has a subclass.

    Subclasses are frozen dataclasses. Only an answer with `has_place` uses the dialect and the
    size that methods take.
    """

    __slots__ = ()

    name: ClassVar[str]
    """Name of the type in files."""
    form_type: ClassVar[type[AnswerForm]]
    """Class of the forms of such answers."""
    has_place: ClassVar[bool] = False
    """True if the answer is in pixels of the picture."""
    has_steps: ClassVar[bool] = False
    """True if `neighbour` can move the answer, for example from 12:59 to 13:00."""
    is_readable: ClassVar[bool] = True
    """False if the value is unknown, for example in an unreadable picture."""

    @property
    def answer_form(self) -> AnswerForm:
        """Form of the question. It does not depend on the true value."""
        return self.form_type()

    @property
    def type_name(self) -> str:
        """Key of the type in `registry.TYPES`."""
        return self.answer_form.type_name

    @abstractmethod
    def write(self, dialect: Any = None, size: Size | None = None) -> str:
        """Write the training answer for a picture of `size`."""

    @classmethod
    def from_label(cls, value: Any, columns: Any, size: Size | None) -> Self:  # noqa: ARG003
        """Parse a label of a user's file; `columns` are the recipe's, `size` the picture's."""
        raise ValueError(f"a {cls.name} cannot be read from a label")

    @classmethod
    def form_of_labels(cls, columns: Any) -> AnswerForm:  # noqa: ARG003
        """Form of the answers in a user's column."""
        return cls.form_type()

    @property
    def boxes(self) -> tuple[Corners, ...]:
        """Corners of all boxes in the answer."""
        return ()

    def map_boxes(self, move: Callable[[Corners], Corners]) -> Self:  # noqa: ARG002
        """Apply `move` to each box, for example after the picture was turned."""
        return self

    def scaled(self, old: Size, new: Size) -> Self:
        """Scale all boxes as a picture that is resized from `old` to `new`."""
        across, down = new[0] / old[0], new[1] / old[1]
        return self.map_boxes(lambda c: (c[0] * across, c[1] * down, c[2] * across, c[3] * down))

    def neighbour(self, draw_steps: DrawSteps, size: Size | None) -> Self:  # noqa: ARG002
        """Move the answer by drawn steps in each coordinate, if it has steps.

        Limits are the same in both directions, so the mean of symmetric draws is the answer.
        """
        return self

    def display(self) -> str:
        """Text for people, as one would note the answer down."""
        return repr(self)

    def __str__(self) -> str:
        return self.display()

    def to_json(self) -> dict[str, Any]:
        """Fields as plain values."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]


@dataclass(frozen=True, slots=True)
class FormOnly(Target):
    """An answer without a value: only the form of the question's answers is known."""

    is_readable: ClassVar[bool] = False

    form: AnswerForm
    """Form of the answers that have a value."""

    @property
    def answer_form(self) -> AnswerForm:
        """The same as `form`."""
        return self.form

    def to_json(self) -> dict[str, Any]:
        """The form, as `registry.form_to_json` writes it."""
        return {"form": {"type": self.form.name, **self.form.to_json()}}


@dataclass(frozen=True, slots=True)
class Unlabelled(FormOnly):
    """The answer to a question without a label."""

    name: ClassVar[str] = "unlabelled"

    @property
    def has_place(self) -> bool:  # type: ignore[override]
        """True if answers of the form are in pixels."""
        return self.form.has_place

    def write(self, dialect: Any = None, size: Size | None = None) -> str:  # noqa: ARG002
        """Raise, because the answer is unknown."""
        raise ValueError("a question without a label has no answer to write")


class PlacedTarget(Target):
    """An answer of boxes in pixels of the picture."""

    __slots__ = ()

    has_place: ClassVar[bool] = True
    has_steps: ClassVar[bool] = True

    def neighbour(self, draw_steps: DrawSteps, size: Size | None) -> Self:
        """Move each edge by some thousandths of the picture's side, but not out of the picture."""
        wide, tall = required_size(size)

        def move(corners: Corners) -> Corners:
            x1, x2 = _neighbour_edges(corners[0], corners[2], wide, draw_steps)
            y1, y2 = _neighbour_edges(corners[1], corners[3], tall, draw_steps)
            return x1, y1, x2, y2

        return self.map_boxes(move)


# Steps along a side: most families write boxes in thousandths of it.
_STEPS = 1000


def _neighbour_edges(
    low: float, high: float, side: int, draw_steps: DrawSteps
) -> tuple[float, float]:
    """Move both edges along one side by drawn steps."""
    step = side / _STEPS
    # Less than half the length keeps the edges in order. An edge at the picture's end stays.
    between = int((high - low) / step - 1) // 2
    rooms = [max(0, min(between, int(room / step))) for room in (low, side - high)]
    return low + step * draw_steps(rooms[0]), high + step * draw_steps(rooms[1])


def required_size(size: Size | None) -> Size:
    """Return the size; raise if it is None, because boxes cannot be written without it."""
    if size is None:
        raise ValueError("a box is written for a picture: give its size as (width, height)")
    return size


def escape(text: str) -> str:
    """Escape a text for a pattern. Rust's engine refuses the escaped blanks of `re.escape`."""
    return re.sub(r"[][\\.^$*+?{}()|]", r"\\\g<0>", text)
