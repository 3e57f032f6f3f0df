"""Words, phrases and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from gnomon.eval import metrics
from gnomon.eval.kinds.base import Answer, Kind, Line
from gnomon.eval.parse import Reading
from gnomon.eval.parse.reading import Value, Which
from gnomon.eval.parse.texts import read_text
from gnomon.sample import Prediction, Target, Text


@dataclass(frozen=True)
class TextKind(Kind):
    """Capitals, quotation marks and a final full stop do not count."""

    @property
    def lines(self) -> tuple[Line, ...]:
        """Shares count unread answers as wrong."""
        return (
            Line("exact", "Exactly right", "exact", headline=True),
            Line("unread", "Could not be read", "unread", better="lower", headline=True),
            Line("relaxed", "Relaxed correctness (ChartQA)", "relaxed"),
        )

    def read(self, prediction: Prediction, truth: Target, which: Which) -> Reading[Value] | None:
        """What the tolerant reader finds; where choices were listed, one of them."""
        return read_text(prediction.text, choices=_text(truth).choices, which=which)

    def measures(self, truth: Target, answer: Answer, cost: float) -> dict[str, float]:  # noqa: ARG002 - no cost
        """Whether it is the text; ChartQA's rule takes 12% and 1,000 as they stand."""
        relaxed = float(metrics.relaxed_correctness(answer.text, _text(truth).text))
        if answer.value is None:
            return {"exact": 0.0, "unread": 1.0, "relaxed": relaxed}
        exact = metrics.text_exact(cast("str", answer.value), _text(truth).text)
        return {"exact": float(exact), "unread": 0.0, "relaxed": relaxed}

    def badness(self, measures: dict[str, float]) -> float:
        """Wrong is wrong."""
        return 1 - measures["exact"]

    def uniform(self, truths: Sequence[Target]) -> dict[str, float]:
        """A guess among the listed choices, each as likely; nothing where a question lists none."""
        choices = [len(_text(truth).choices) for truth in truths]
        return {"exact": sum(1 / n for n in choices) / len(choices)} if all(choices) else {}

    def value_of(self, truth: Target) -> Value:
        """The text."""
        return _text(truth).text


def _text(target: Target) -> Text:
    assert isinstance(target, Text)
    return target
