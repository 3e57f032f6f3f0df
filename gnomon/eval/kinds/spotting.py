"""Several texts with their boxes, in the pixels of the picture as the model saw it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gnomon import dialect
from gnomon.eval import metrics
from gnomon.eval.kinds.base import Answer, Kind, Line
from gnomon.eval.parse import Reading
from gnomon.eval.parse.reading import Value, Which
from gnomon.sample import Prediction, Size, Spots, Target

_FENCED = re.compile(r"```\w*\n(.*?)\n?```", re.DOTALL)


@dataclass(frozen=True)
class SpotsKind(Kind):
    """Each found text is matched to at most one true one, from IoU 0.5 on."""

    @property
    def lines(self) -> tuple[Line, ...]:
        """Means over pictures; an unread answer found nothing."""
        return (
            _mean("f1", "F1 of texts in their boxes", headline=True),
            _mean("precision", "Precision"),
            _mean("recall", "Recall"),
            _mean("boxes_f1", "F1 of boxes, whatever is read", headline=True),
            Line("exact", "All found and read", "exact", headline=True),
            Line("unread", "Could not be read", "unread", better="lower", headline=True),
        )

    def read(self, prediction: Prediction, truth: Target, which: Which) -> Reading[Value] | None:  # noqa: ARG002 - one list is asked for
        """What the dialect reads, in the last code fence or without one."""
        spoken = dialect.create(prediction.dialect)
        said = dialect.final(prediction.text)
        found = spoken.read(
            (_FENCED.findall(said) or [said])[-1].strip(), prediction.size, like=truth
        )
        if not isinstance(found, Spots):
            return None
        return Reading(found, (0, len(prediction.text)), f"dialect {spoken.name}")

    def measures(self, truth: Target, answer: Answer, cost: float) -> dict[str, float]:  # noqa: ARG002 - no cost
        """Precision, recall and F1 of this picture."""
        if answer.value is None:
            return {
                **dict.fromkeys(("precision", "recall", "f1", "boxes_f1", "exact"), 0.0),
                "unread": 1.0,
            }
        assert isinstance(answer.value, Spots)
        found = metrics.spotting(answer.value, _spots(truth))
        boxes = metrics.spotting(answer.value, _spots(truth), read=False)
        return {
            "precision": found.precision,
            "recall": found.recall,
            "f1": found.f1,
            "boxes_f1": boxes.f1,
            "exact": float(found.f1 == 1),
            "unread": 0.0,
        }

    def credit(self, measures: dict[str, float]) -> float:
        """F1 of texts in their boxes."""
        return measures["f1"]

    def badness(self, measures: dict[str, float]) -> float:
        """What is missed."""
        return 1 - measures["f1"]

    def value_of(self, truth: Target) -> Value:
        """The spots."""
        return _spots(truth)

    def scaled(self, value: Value, old: Size, new: Size) -> Value:
        """As shares of either picture."""
        assert isinstance(value, Spots)
        return value.scaled(old, new)


def _spots(target: Target) -> Spots:
    assert isinstance(target, Spots)
    return target


def _mean(name: str, label: str, *, headline: bool = False) -> Line:
    return Line(name, label, name, "mean", "all", "", headline=headline)
