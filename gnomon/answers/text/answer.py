"""Words, phrases and verdicts, and the form of a text."""

from dataclasses import dataclass
from reprlib import repr  # noqa: A004 - a value may be long, and deep
from typing import Any, ClassVar, Self

from gnomon.answers.base.target import AnswerForm, Size, Target, escape


@dataclass(frozen=True, slots=True)
class TextForm(AnswerForm):
    """Form of a text, which is a listed choice or any line of words."""

    name: ClassVar[str] = "text"

    choices: tuple[str, ...] = ()
    """Possible answers, if the question lists them."""
    is_signs: bool = False
    """True if the answer consists of signs, such as a quotation mark, which readers strip."""

    def read_back(self, text: str, dialect: Any = None, size: Size | None = None) -> "Text | None":
        """Read the text; None if the question does not allow it."""
        try:
            return Text(text, self.choices)
        except ValueError:
            return None

    def pattern(self, dialect: Any) -> str | None:
        """Pattern of the choices, if there are any."""
        return f"({'|'.join(map(escape, self.choices))})" if self.choices else None

    def possible_answers(self) -> tuple["Text", ...]:
        """Listed choices as answers."""
        return tuple(Text(choice, self.choices) for choice in self.choices)

    def to_json(self) -> dict[str, Any]:
        """Fields of the first choice, or of a text of one sign."""
        text = '"' if self.is_signs else "-"
        return {"text": self.choices[0] if self.choices else text, "choices": self.choices}


ANY_TEXT = TextForm()
"""Form of the answers if all that is known is the question."""


@dataclass(frozen=True, slots=True)
class Text(Target):
    """A word, a phrase or a verdict, on one line."""

    name: ClassVar[str] = "text"
    form_type: ClassVar[type[AnswerForm]] = TextForm

    text: str
    choices: tuple[str, ...] = ()
    """Possible answers, if the question lists them."""

    def __post_init__(self) -> None:
        for line in (self.text, *self.choices):
            # Readers join blanks, so no answer could equal a text with two blanks in a row.
            if not line or line != " ".join(line.split()):
                raise ValueError(f"text={line!r}: give words with one space between them")
        if self.choices and self.text not in self.choices:
            raise ValueError(f"text={self.text!r}: not among the choices {self.choices!r}")

    @property
    def answer_form(self) -> TextForm:
        """Form of the same choices."""
        # Imported here: drawing and storing texts needs no reader.
        from gnomon.answers.base.dialect import bare_text

        return TextForm(self.choices, is_signs=not self.choices and not bare_text(self.text))

    @classmethod
    def from_label(cls, value: Any, columns: Any, size: Size | None) -> Self:
        """Parse words, joined to one line."""
        if isinstance(value, dict | list | tuple | bytes | bool):
            raise ValueError(f"answer: {repr(value)}: give one text, in quotes")
        return cls(" ".join(str(value).split()), columns.listed_choices)

    @classmethod
    def form_of_labels(cls, columns: Any) -> TextForm:
        """Form of the choices that all rows share."""
        return TextForm(columns.listed_choices)

    def write(self, dialect: Any = None, size: Size | None = None) -> str:
        """Write the text unchanged."""
        return self.text

    def display(self) -> str:
        """Return the text unchanged."""
        return self.text
