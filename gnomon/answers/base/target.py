"""The base class of exact answers: how one is stored, written for a model, and shown to people."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

if TYPE_CHECKING:
    from gnomon.answers.base.number_range import NumberRange

Size: TypeAlias = tuple[int, int]
"""Width and height in pixels."""
Corners: TypeAlias = tuple[float, float, float, float]
"""x1, y1, x2, y2."""
DrawSteps: TypeAlias = Callable[[int | None], int]
"""Function that draws a whole number of steps, of at most the given size unless that is None."""


class Target(ABC):
    """An exact answer. Each folder of this package has a subclass, a frozen dataclass.

    Most are written the same for every model. Only those with `has_place` use the dialect and the
    size that methods take.
    """

    # Without it, subclasses with slots would have a __dict__ as well.
    __slots__ = ()

    name: ClassVar[str]
    """Name of the type in files."""
    has_place: ClassVar[bool] = False
    """True if the answer is in pixels of the picture."""
    has_steps: ClassVar[bool] = False
    """True if there is a next answer, as after 9.8 or 12:59, and `neighbour` moves it."""
    is_readable: ClassVar[bool] = True
    """False of the truth that nothing can be read, which no interval or distance is about."""
    target_fields: ClassVar[tuple[str, ...]] = ()
    """Fields that hold another target."""

    @property
    def is_refusing_word(self) -> bool:
        """True of a readable answer such as the word "unreadable" on a sign."""
        return False

    @property
    def type_name(self) -> str:
        """Key of its type in `registry.TYPES`, of which a 24-hour dial has one of its own."""
        return self.name

    @abstractmethod
    def write(self, dialect: Any = None, size: Size | None = None) -> str:
        """Training answer, in a picture of `size`."""

    @abstractmethod
    def read_back(self, text: str, dialect: Any = None, size: Size | None = None) -> Self | None:
        """Answer that `write` wrote as `text`, in the form of this one, or None."""

    def pattern(self, dialect: Any) -> str | None:  # noqa: ARG002 - for boxes
        """Regular expression of all answers of this one's form; None if any text may be one.

        It is of the syntax that guided decoders share: no look-around, no names, no classes.
        """
        return None

    def schema(self, dialect: Any) -> dict[str, Any] | None:  # noqa: ARG002 - for boxes
        """JSON Schema of all answers of this one's form; None if they are no JSON."""
        return None

    @classmethod
    def from_label(cls, value: Any, columns: Any, size: Size | None) -> Self:  # noqa: ARG003
        """Parse a label of a user's file; `columns` are the recipe's, `size` the picture's."""
        raise ValueError(f"a {cls.name} cannot be read from a label")

    @classmethod
    def loses_zero(cls, value: Any, columns: Any) -> bool:  # noqa: ARG003 - words and places keep all
        """True if a label begins with a zero that its answer leaves out, and nobody said so."""
        return False

    @classmethod
    def form_of_labels(cls, columns: Any) -> Target | None:  # noqa: ARG003 - a table has none
        """Form of the answers that a user's column holds; None where answers share none."""
        return None

    def scaled(self, old: Size, new: Size) -> Self:  # noqa: ARG002 - only what has a place moves
        """The same answer after the picture was resized from `old` to `new`."""
        return self

    def map_boxes(self, move: Callable[[Corners], Corners]) -> Self:  # noqa: ARG002
        """The same answer with `move` applied to each of its boxes, where a picture was moved."""
        return self

    def neighbour(self, draw_steps: DrawSteps, size: Size | None) -> Self:  # noqa: ARG002 - words have no steps
        """The same answer moved by a draw of steps in each coordinate, where it has steps.

        Limits are as wide below as above, so that draws from a bell have the answer as their mean.
        """
        return self

    @property
    def form_of_question(self) -> Self:
        """Answer of the same form with a value that gives nothing away, for readers."""
        return self

    @property
    def form_with_decimals(self) -> Self:
        """Form of the question that also keeps how many decimals a number has."""
        return self.form_of_question

    @property
    def is_listable(self) -> bool:
        """True if all answers to its question can be listed, this one among them."""
        return False

    def possible_answers(self) -> tuple[Self, ...]:
        """Answers to a question of its form, complete where `is_listable` is true."""
        return ()

    @classmethod
    def grid_of_labels(cls, truths: Sequence[Any]) -> tuple[Decimal, Decimal, Decimal] | None:  # noqa: ARG003
        """First, last and step of the numbers of these truths' scale, as fine as they are.

        None if nobody knows where their scale ends, or they need no grid.
        """
        return None

    def on_grid(self, values: Sequence[Decimal]) -> tuple[Self, ...] | None:  # noqa: ARG002 - of numbers
        """Answers of its form with these values; None if it is no number."""
        return None

    def number_range(
        self, grid: tuple[Decimal, Decimal, Decimal] | None = None,  # noqa: ARG002 - of numbers
    ) -> NumberRange | None:  # fmt: skip
        """Numbers that are searched for its answer: too many for a list; None if it is listed."""
        return None

    @property
    def number(self) -> Decimal | None:
        """Value of a number, which a grid may list; None for other answers."""
        return None

    @property
    def tolerance(self) -> float:
        """Largest distance from it that is still right."""
        return 0.0

    @property
    def boxes(self) -> tuple[Corners, ...]:
        """Corners of its boxes, if it has any."""
        return ()

    def display(self) -> str:
        """Text for people, as one would note the answer down."""
        return repr(self)

    def __str__(self) -> str:
        return self.display()

    def to_json(self) -> dict[str, Any]:
        """Fields as plain values."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]


def escape(text: str) -> str:
    """Escape a text for a pattern; Rust's engine refuses blanks that `re.escape` escapes."""
    return re.sub(r"[][\\.^$*+?{}()|]", r"\\\g<0>", text)
