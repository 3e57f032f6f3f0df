"""The answer that a picture is unreadable, and the labels of users that mean it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from gnomon.answers.base.target import FormOnly, Size

WORD = "unreadable"
"""Answer that models learn and write, whatever the word of the label."""
USUAL_LABELS = ("", "nan", "n/a", WORD, "not readable", "illegible")
"""Labels that mean it if `columns.unreadable` is true. The first is an empty cell."""


@dataclass(frozen=True, slots=True)
class Unreadable(FormOnly):
    """The right answer about a picture whose value is unreadable.

    `form` belongs to the readable answers to the same question, because the listed answers must not
    show that the picture is unreadable.
    """

    name: ClassVar[str] = "unreadable"

    @property
    def type_name(self) -> str:
        """Key of a separate type without distances."""
        return self.name

    def write(self, dialect: Any = None, size: Size | None = None) -> str:
        """Write the same word for every model."""
        return WORD

    def display(self) -> str:
        """Return the word, as it is answered."""
        return WORD


def is_unreadable_label(value: Any, words: bool | Sequence[str]) -> bool:
    """True if a cell says in the user's words, or in the usual words, that it is unreadable."""
    if not words or not isinstance(value, str | int | float | None):
        return False
    labels = USUAL_LABELS if words is True else words
    text = "" if value is None else " ".join(str(value).split())
    return text.casefold() in {label.casefold() for label in labels}
