"""Metrics of texts in their boxes, and the type."""

import re
from functools import partial

from gnomon.answers.base.answer_type import (
    SHARES,
    ErrorHistogram,
    Metric,
    ModelAnswer,
    PrecisionRecall,
    Value,
)
from gnomon.answers.base.dialect import Dialect, final_answer
from gnomon.answers.base.target import Size
from gnomon.answers.box.measure import BoxListType, iou
from gnomon.answers.reading.base import Reading, Which, shift
from gnomon.answers.spots.answer import Spot, Spots, SpotsForm
from gnomon.answers.spots.read import read_spots
from gnomon.answers.text.measure import text_exact


def spotting(
    prediction: Spots, target: Spots, threshold: float = 0.5, *, read: bool = True
) -> PrecisionRecall:
    """Precision and recall of texts in their boxes, matched one to one.

    A pair can match if its IoU is at least the threshold and, with `read`, its texts are equal. The
    matching with the most pairs counts, as in ICDAR's end-to-end protocol. Unread items of a
    prediction are never matched.
    """
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    pairs = np.array(
        [[_match(p, t, threshold, read) for t in target.items] for p in prediction.items]
    )
    # True counts as 1, so this is the matching with the most pairs.
    rows, columns = linear_sum_assignment(pairs, maximize=True)
    matched = float(pairs[rows, columns].sum())
    n_answered = len(prediction.items) + prediction.unread
    return PrecisionRecall(matched / n_answered, matched / len(target.items))


def _match(a: Spot, b: Spot, threshold: float, read: bool) -> bool:
    return iou(a.box.corners, b.box.corners) >= threshold and (
        not read or text_exact(a.text, b.text)
    )


_mean = partial(Metric, statistic="mean", unit="")
METRICS = (
    _mean("f1", "F1 of texts in their boxes", public_function=spotting, headline=True),
    _mean("precision", "Precision"),
    _mean("recall", "Recall"),
    _mean("boxes_f1", "F1 of boxes, whatever is read", headline=True),
    Metric("exact", "All found and read", headline=True),
    Metric("unread", "Could not be read", better="lower", headline=True),
)
"""Means are over pictures. An unread answer counts as 0."""


# The content of a code fence.
_FENCED = re.compile(r"```\w*\n(.*?)\n?```", re.DOTALL)


class SpotsType(BoxListType):
    """Texts with boxes, each matched to at most one true text at an IoU of at least 0.5."""

    target = Spots
    title = "Texts and their boxes"
    readers = (read_spots,)
    metrics = METRICS
    error_histogram = ErrorHistogram("F1 of texts in their boxes", "f1", *SHARES)

    def read(
        self, text: str, form: SpotsForm, *, which: Which, dialect: Dialect, size: Size | None
    ) -> Reading[Value] | None:
        """Read by the dialect, in the last code fence or in the whole text, or item by item."""
        assert size is not None
        answer = final_answer(text)
        parts = [*_FENCED.findall(answer)[-1:], answer]
        for part in parts:
            inner = part.strip()
            spots = form.read_back(inner, dialect, size)
            if spots:
                start = text.rindex(inner)
                return Reading(spots, (start, start + len(inner)), f"dialect {dialect.name}")
        for part in parts:
            reading = read_spots(part, dialect, size)
            if reading:
                return shift(reading, text.rindex(part))
        return None

    def measures(self, truth: Spots, answer: ModelAnswer, cost: float) -> dict[str, float]:
        """Measure precision, recall and F1 of this picture."""
        if answer.value is None:
            # Every metric of an unread answer is 0.
            return dict.fromkeys((metric.name for metric in self.metrics), 0.0) | {"unread": 1.0}
        assert isinstance(answer.value, Spots)
        spots = spotting(answer.value, truth)
        boxes = spotting(answer.value, truth, read=False)
        return {
            "precision": spots.precision,
            "recall": spots.recall,
            "f1": spots.f1,
            "boxes_f1": boxes.f1,
            "exact": float(spots.f1 == 1),
            "unread": 0.0,
        }


TYPES = {"spots": SpotsType()}
