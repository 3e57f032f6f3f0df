"""Metrics of words, phrases and verdicts, and the type."""

import unicodedata

from gnomon.answers.base.answer_type import AnswerType, ErrorHistogram, Metric, ModelAnswer, Value
from gnomon.answers.base.dialect import Dialect, bare_text
from gnomon.answers.base.target import Size
from gnomon.answers.number.measure import relaxed_correctness
from gnomon.answers.reading.base import Reading, Which
from gnomon.answers.text.answer import Text, TextForm
from gnomon.answers.text.read import read_text


def text_exact(prediction: str, target: str) -> bool:
    """True if two texts are equal, without regard to capitals, blanks and the code of an accent.

    An é is one character, or an e with an accent after it.
    """
    return _folded(prediction) == _folded(target)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text.casefold()).split())


def _exact_chance(truth: Text) -> float | None:
    return 1 / len(truth.choices) if truth.choices else None


def _relaxed_chance(truth: Text) -> float | None:
    right = [relaxed_correctness(choice, truth.text) for choice in truth.choices]
    return sum(right) / len(right) if right else None


METRICS = (
    Metric("exact", "Exactly right", text_exact, headline=True, chance=_exact_chance),
    Metric("unread", "Could not be read", better="lower", headline=True),
    Metric(
        "relaxed",
        "Relaxed correctness (ChartQA)",
        public_function=relaxed_correctness,
        chance=_relaxed_chance,
    ),
)
"""Shares count unread answers as wrong, except `relaxed`, which compares the raw text."""


class TextType(AnswerType):
    """Capitals, quotation marks and a final full stop are ignored, except in `relaxed`."""

    target = Text
    title = "Text"
    readers = (read_text,)
    metrics = METRICS
    is_listable = True
    error_histogram = ErrorHistogram("Right or wrong", "exact", (1,), ("wrong", "right"))

    def read(
        self, text: str, form: TextForm, *, which: Which, dialect: Dialect, size: Size | None
    ) -> Reading[Value] | None:
        """Read the text, or a listed choice.

        The reader strips signs, so a text of signs is read here.
        """
        reading = read_text(text, choices=form.choices, which=which)
        answer = " ".join(text.split())
        if reading or not form.is_signs or not answer:
            return reading
        return Reading(answer, (0, len(text)), "text")

    def measures(self, truth: Text, answer: ModelAnswer, cost: float) -> dict[str, float]:
        """Add ChartQA's rule, which compares the raw text, not the value that was read."""
        relaxed = float(relaxed_correctness(answer.text, truth.text))
        return super().measures(truth, answer, cost) | {"relaxed": relaxed}

    def is_same(self, value: str, other: str) -> bool:
        """True if the texts are the same by `text_exact`."""
        return text_exact(value, other)

    def display(self, value: str) -> str:
        """Return the text unchanged."""
        return value

    def value_of(self, truth: Text) -> str:
        """Return the true text as the reader gives it, without the final full stop of "U.S."."""
        return truth.text if truth.choices else bare_text(truth.text) or truth.text

    def answer_of(self, value: str, form: TextForm) -> Text:
        """Return the text as an answer to the question of the form."""
        return Text(" ".join(value.split()), form.choices if value in form.choices else ())


TYPES: dict[str, AnswerType] = {"text": TextType()}
