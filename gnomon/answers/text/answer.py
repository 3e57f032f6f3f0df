"""Words, phrases and verdicts, exactly."""

from dataclasses import dataclass, replace
from reprlib import repr  # noqa: A004 - a value may be long, and deep
from typing import Any, ClassVar, Self

from gnomon.answers.base.target import Size, Target, escape


@dataclass(frozen=True, slots=True)
class Text(Target):
    """A word, a phrase or a verdict, on one line."""

    name: ClassVar[str] = "text"

    text: str
    choices: tuple[str, ...] = ()
    """Possible answers, where the question lists them."""

    def __post_init__(self) -> None:
        for line in (self.text, *self.choices):
            # Readers join blanks, so that a text with two could never be met.
            if not line or line != " ".join(line.split()):
                raise ValueError(f"text={line!r}: give words with one space between them")
        if self.choices and self.text not in self.choices:
            raise ValueError(f"text={self.text!r}: not among the choices {self.choices!r}")

    @property
    def is_refusing_word(self) -> bool:
        """True if the text, or one of its choices, is of the words that others refuse with."""
        # Imported here: who draws or stores texts reads none.
        from gnomon.answers.unreadable.read import is_refusal

        return any(map(is_refusal, (self.text, *self.choices)))

    @classmethod
    def from_label(cls, value: Any, columns: Any, size: Size | None) -> Self:
        """Parse words, joined to one line."""
        if isinstance(value, dict | list | tuple | bytes | bool):
            raise ValueError(f"answer: {repr(value)}: give one text, in quotes")
        return cls(" ".join(str(value).split()), columns.listed_choices)

    @classmethod
    def form_of_labels(cls, columns: Any) -> Self:
        """Text of the choices that all rows share."""
        choices = columns.listed_choices
        return cls(choices[0] if choices else "-", choices)

    def write(self, dialect: Any = None, size: Size | None = None) -> str:
        """Write the text unchanged."""
        return self.text

    def read_back(self, text: str, dialect: Any = None, size: Size | None = None) -> Self | None:
        """Read the text; None if the question does not allow it."""
        try:
            return replace(self, text=text)
        except ValueError:
            return None

    def pattern(self, dialect: Any) -> str | None:
        """Pattern of the choices; None of a free text."""
        return f"({'|'.join(map(escape, self.choices))})" if self.choices else None

    @property
    def form_of_question(self) -> Self:
        """Text of the same choices that gives nothing away: the first of them, or a dash."""
        # A text without choices still needs one character.
        return type(self)(self.choices[0] if self.choices else "-", self.choices)

    @property
    def is_listable(self) -> bool:
        """True if the question lists choices."""
        return bool(self.choices)

    def possible_answers(self) -> tuple[Self, ...]:
        """Listed choices as answers."""
        return tuple(type(self)(choice, self.choices) for choice in self.choices)

    def display(self) -> str:
        """Return the text unchanged."""
        return self.text
