"""Metrics of answers about unreadable pictures, and the type."""

from gnomon.answers.base.answer_type import AnswerType, ErrorHistogram, Metric, ModelAnswer, Value
from gnomon.answers.base.dialect import Dialect
from gnomon.answers.base.target import AnswerForm, Size
from gnomon.answers.reading.base import Reading, Which
from gnomon.answers.unreadable.answer import WORD, Unreadable
from gnomon.answers.unreadable.read import is_refusal, is_whole_refusal, read_refusal

METRICS = (
    Metric("exact", "Said to be unreadable, rightly", headline=True),
    Metric("missed", "Missed: not said to be unreadable", better="lower", headline=True),
    Metric("unread", "No answer at all", better="lower"),
)
"""Shares of the questions whose picture is unreadable."""


class UnreadableType(AnswerType):
    """An answer is right if it says that the picture is unreadable, in any known words."""

    target = Unreadable
    title = "Unreadable"
    metrics = METRICS
    readers = (is_refusal, is_whole_refusal, read_refusal)
    error_histogram = ErrorHistogram("Said or missed", "exact", (1,), ("missed", "said"))

    def read(
        self, text: str, form: AnswerForm, *, which: Which, dialect: Dialect, size: Size | None
    ) -> Reading[Value] | None:
        """Read the word, or another answer as its text.

        With `which="answer"` only the word counts.
        """
        if which == "answer":
            return read_refusal(text, which)
        span = (0, len(text))
        if is_refusal(text):
            return Reading(WORD, span, "unreadable")
        answer = " ".join(text.split())
        return Reading(answer, span, "text") if answer else None

    def measures(self, truth: Unreadable, answer: ModelAnswer, cost: float) -> dict[str, float]:
        """Measure if the answer is right. An unread answer is a miss as well."""
        exact = float(answer.value == WORD)
        return super().measures(truth, answer, cost) | {"exact": exact, "missed": 1 - exact}

    def describe_result(self, measures: dict[str, float]) -> str:
        """Say what a wrong answer does."""
        return "right" if self.is_correct(measures) else "gave an answer for an unreadable picture"

    def display(self, value: str) -> str:
        """Return the text unchanged."""
        return value

    def value_of(self, truth: Unreadable) -> str:
        """Return the word "unreadable", which is also the value read from any correct answer."""
        return WORD


TYPES: dict[str, AnswerType] = {"unreadable": UnreadableType()}
"""Unreadable pictures have a separate type, because their answers have no distance."""
