"""The answer that nothing can be read, and the labels of users that mean it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, ClassVar, Self

from gnomon.answers.base.number_range import NumberRange
from gnomon.answers.base.target import Size, Target

WORD = "unreadable"
"""Answer that models learn and write, whatever word the label has."""
USUAL_LABELS = ("", "nan", "n/a", WORD, "not readable", "illegible")
"""Labels that mean it where `columns.unreadable` is true; the first is an empty cell."""


@dataclass(frozen=True, slots=True)
class Unreadable(Target):
    """Truth about a picture in which nobody can read what is asked."""

    # `form` is of an abstract class, which pydantic checks by isinstance.
    __pydantic_config__: ClassVar[dict[str, bool]] = {"arbitrary_types_allowed": True}

    name: ClassVar[str] = "unreadable"
    is_readable: ClassVar[bool] = False
    target_fields: ClassVar[tuple[str, ...]] = ("form",)

    form: Target
    """Answer of the form that the question has where it can be read."""

    def write(self, dialect: Any = None, size: Size | None = None) -> str:
        """Write the same word for every model."""
        return WORD

    def read_back(self, text: str, dialect: Any = None, size: Size | None = None) -> Self | None:
        """Read the word alone."""
        return self if text == WORD else None

    def pattern(self, dialect: Any) -> str:
        """Pattern of the word."""
        return WORD

    def scaled(self, old: Size, new: Size) -> Self:
        """The same with its form scaled."""
        return replace(self, form=self.form.scaled(old, new))

    # A question must not show by its list of answers that this picture cannot be read.
    @property
    def form_of_question(self) -> Target:  # type: ignore[override]
        """Form of the readable answers to the same question."""
        return self.form.form_of_question

    @property
    def is_listable(self) -> bool:
        """True if all readable answers can be listed."""
        return self.form.is_listable

    def possible_answers(self) -> tuple[Target, ...]:  # type: ignore[override]
        """Readable answers to the question."""
        return self.form.possible_answers()

    def on_grid(self, values: Sequence[Decimal]) -> tuple[Target, ...] | None:  # type: ignore[override]
        """Numbers of the question's form; None if it asks for none."""
        return self.form.on_grid(values)

    def number_range(
        self, grid: tuple[Decimal, Decimal, Decimal] | None = None
    ) -> NumberRange | None:
        """Numbers that are searched for a readable answer; None if these are listed."""
        return self.form.number_range(grid)

    def display(self) -> str:
        """Return the word, as it is answered."""
        return WORD

    def to_json(self) -> dict[str, Any]:
        """The form as `registry.target_to_json` writes it."""
        return {"form": {"type": self.form.name, **self.form.to_json()}}


def is_unreadable_label(value: Any, words: bool | Sequence[str]) -> bool:
    """True if a cell says that nothing can be read: by the user's words, or by the usual ones."""
    if not words or not isinstance(value, str | int | float | None):
        return False
    labels = USUAL_LABELS if words is True else words
    text = "" if value is None else " ".join(str(value).split())
    return text.casefold() in {label.casefold() for label in labels}
