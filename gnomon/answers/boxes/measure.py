"""Metrics of lists of boxes, and the type.

Average precision is left out, because it needs a score for each box. Boxes are
matched one to one: first by the number of pairs, then by the sum of IoU. Labels are compared
without regard to capitals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

from gnomon.answers.base.answer_type import (
    SHARES,
    AnswerType,
    ErrorHistogram,
    Metric,
    ModelAnswer,
    PrecisionRecall,
    Value,
)
from gnomon.answers.base.dialect import Dialect, final_answer
from gnomon.answers.base.target import Corners, Size
from gnomon.answers.box.measure import (
    BoxListType,
    BoxType,
    centre_deviation,
    corner_deviation,
    iou,
)
from gnomon.answers.boxes.answer import Boxes, BoxesForm
from gnomon.answers.boxes.read import read_boxes
from gnomon.answers.reading.base import Reading, Which, is_sentence
from gnomon.answers.text.measure import text_exact

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# COCO's ten thresholds of IoU, 0.5 to 0.95.
_THRESHOLDS = tuple(percent / 100 for percent in range(50, 100, 5))
# Least IoU of a box that counts as found, as in PASCAL VOC.
_FOUND = _THRESHOLDS[0]


def detection(
    prediction: Boxes, target: Boxes, threshold: float = _FOUND, *, labels: bool = True
) -> PrecisionRecall:
    """Precision and recall of boxes, matched one to one at an IoU of at least `threshold`.

    With `labels`, both boxes of a pair need the same label. A box without a label fits a truth that
    has a single label. Invalid boxes of the answer are never matched. Both shares are 1 if both
    lists are empty, and 0 if only one list is empty.
    """
    matches = _matches(_overlaps(prediction, target, labels=labels), threshold)
    return _shares(len(matches), prediction, target)


def detection_f1(prediction: Boxes, target: Boxes) -> float:
    """Mean F1 at COCO's ten thresholds of IoU, from 0.5 to 0.95."""
    overlaps = _overlaps(prediction, target)
    return _mean_f1(overlaps, len(_matches(overlaps, _FOUND)), prediction, target)


def count_error(prediction: Boxes, target: Boxes) -> int:
    """Number of missing or surplus boxes. Invalid boxes count as boxes."""
    return abs(_count(prediction) - len(target.items))


def duplicates(prediction: Boxes, target: Boxes) -> int:
    """Number of boxes, at IoU 0.5, on an object that another box has found."""
    overlaps = _overlaps(prediction, target)
    return _n_duplicates(overlaps, len(_matches(overlaps, _FOUND)))


def false_alarm(prediction: Boxes, target: Boxes) -> bool | None:
    """True if an answer has boxes although the true list is empty; None if it is not empty."""
    return None if target.items else _count(prediction) > 0


def _count(prediction: Boxes) -> int:
    return len(prediction.items) + prediction.invalid


def _overlaps(prediction: Boxes, target: Boxes, *, labels: bool = True) -> NDArray[np.float64]:
    """Return the IoU of each answered box (row) and true box (column); -1 for other labels."""
    import numpy as np

    is_single = len(target.labels) < 2
    rows = np.full((len(prediction.items), len(target.items)), -1.0)
    for row, a in enumerate(prediction.items):
        for column, b in enumerate(target.items):
            # An answer about all mugs needs no labels.
            fits = not labels or not b.label or (is_single and not a.label)
            if fits or text_exact(a.label, b.label):
                rows[row, column] = iou(a.box.corners, b.box.corners)
    return rows


def _matches(overlaps: NDArray[np.float64], threshold: float) -> list[tuple[int, int]]:
    """Return the matching with the most pairs, and among these with the largest sum of IoU."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    candidates = overlaps >= threshold
    if not candidates.any():
        return []
    rows, columns = (places.tolist() for places in candidates.nonzero())
    # Assignment takes long, and most pictures have only one possible matching.
    if len(set(rows)) == len(set(columns)) == len(rows):
        return list(zip(rows, columns, strict=True))
    # All overlaps together weigh less than one more pair.
    small = 1 / (1 + min(overlaps.shape))
    weights = np.where(candidates, 1 + small * overlaps, 0)
    # The assignment also contains pairs with a weight of 0.
    assigned = zip(*linear_sum_assignment(weights, maximize=True), strict=True)
    return [(int(row), int(column)) for row, column in assigned if weights[row, column] > 0]


def _shares(n_matched: int, prediction: Boxes, target: Boxes) -> PrecisionRecall:
    n_answered, n_true = _count(prediction), len(target.items)
    # 0/0 is undefined: an empty answer is right only if the true list is empty.
    if not n_answered or not n_true:
        return PrecisionRecall(*[float(n_answered == n_true)] * 2)
    return PrecisionRecall(n_matched / n_answered, n_matched / n_true)


def _mean_f1(
    overlaps: NDArray[np.float64], n_found: int, prediction: Boxes, target: Boxes
) -> float:
    """Return the mean F1 over all thresholds. `n_found` is the number of matches at the first."""
    first = _shares(n_found, prediction, target).f1
    if not overlaps.size:
        return first
    # Above the largest overlap, F1 is 0.
    largest = float(overlaps.max())
    numbers = [len(_matches(overlaps, at)) for at in _THRESHOLDS[1:] if at <= largest]
    total = first + sum(_shares(number, prediction, target).f1 for number in numbers)
    return total / len(_THRESHOLDS)


def _n_duplicates(overlaps: NDArray[np.float64], n_found: int) -> int:
    # The matching is as large as possible, so a spare box lies on a matched true box.
    return int((overlaps >= _FOUND).any(axis=1).sum()) - n_found


_mean = partial(Metric, statistic="mean", unit="")
_deviation_metric = partial(Metric, statistic="mean", among="read", better="lower")
METRICS = (
    _mean("f1", "F1 of boxes with their labels", public_function=detection, headline=True),
    _mean("f1_50_95", "Mean F1 at IoU 0.5 to 0.95", public_function=detection_f1, headline=True),
    _mean("precision", "Precision"),
    _mean("recall", "Recall"),
    _mean("boxes_f1", "F1 of boxes, whatever their labels"),
    Metric("exact", "All found, and nothing else", headline=True),
    Metric("unread", "Could not be read", better="lower", headline=True),
    Metric(
        "false_alarms",
        "Boxes where there is nothing",
        among="read",
        better="lower",
        public_function=false_alarm,
        headline=True,
    ),
    _deviation_metric(
        "count_error", "Boxes too many or too few", unit="", public_function=count_error
    ),
    _deviation_metric(
        "duplicates", "Boxes on what is found already", unit="", public_function=duplicates
    ),
    _mean("iou", "Mean IoU of matched boxes", among="read"),
    _deviation_metric("centre", "Mean deviation of matched centres", unit="px"),
    _deviation_metric("centre_share", "The same as a share of the diagonal"),
    _deviation_metric("corners", "Mean deviation of matched corners", unit="px"),
    _deviation_metric("corners_share", "The same as a share of the diagonal"),
)
"""Means are over pictures. An unread answer has 0 in the first six metrics. Boxes match at an IoU
of at least 0.5. Deviations leave out pictures without a matched box."""


class BoxesType(BoxListType):
    """Boxes with labels, each matched to at most one true box at an IoU of at least 0.5."""

    target = Boxes
    title = "Boxes, several or none"
    readers = (read_boxes,)
    metrics = METRICS
    error_histogram = ErrorHistogram("F1 of boxes with their labels", "f1", *SHARES)

    def read(
        self, text: str, form: BoxesForm, *, which: Which, dialect: Dialect, size: Size | None
    ) -> Reading[Value] | None:
        """Read by the dialect, or by the tolerant reader in the dialect's space."""
        assert size is not None
        inner = final_answer(text)
        strict = form.read_back(inner, dialect, size)
        # Without marks around labels, the dialect takes "The mug is at" for a label.
        is_marked = bool(dialect.key) or "<" in dialect.box
        if strict is None or (not is_marked and any(map(is_sentence, strict.labels))):
            return read_boxes(text, dialect, size)
        start = text.rindex(inner)
        return Reading(strict, (start, start + len(inner)), f"dialect {dialect.name}")

    def measures(self, truth: Boxes, answer: ModelAnswer, cost: float) -> dict[str, float]:
        """Measure the share of found boxes, and their deviations."""
        if answer.value is None:
            shares = (metric.name for metric in self.metrics if metric.among == "all")
            return dict.fromkeys(shares, 0.0) | {"unread": 1.0}
        value = answer.value
        assert isinstance(value, Boxes)
        # Matched once for all measures, because reports measure thousands of guesses.
        overlaps = _overlaps(value, truth)
        matches = _matches(overlaps, _FOUND)
        with_labels = _shares(len(matches), value, truth)
        measures = {
            "f1": with_labels.f1,
            "f1_50_95": _mean_f1(overlaps, len(matches), value, truth),
            "precision": with_labels.precision,
            "recall": with_labels.recall,
            "boxes_f1": detection(value, truth, labels=False).f1,
            "exact": float(with_labels.f1 == 1),
            "unread": 0.0,
            "count_error": float(count_error(value, truth)),
            "duplicates": float(_n_duplicates(overlaps, len(matches))),
        }
        alarm = false_alarm(value, truth)
        if alarm is not None:
            measures["false_alarms"] = float(alarm)
        pairs = _matched_corners(matches, value, truth)
        if pairs:
            measures["iou"] = fmean(iou(a, b) for a, b in pairs)
            measures["centre"] = fmean(centre_deviation(a, b) for a, b in pairs)
            measures["corners"] = fmean(corner_deviation(a, b) for a, b in pairs)
        return measures

    def measures_without_chance(
        self, truth: Boxes, value: Boxes | None, size: Size | None
    ) -> dict[str, float]:
        """Measure deviations of matched boxes as shares of the picture's diagonal."""
        if value is None:
            return {}
        pairs = _matched_corners(_matches(_overlaps(value, truth), _FOUND), value, truth)
        return BoxType.diagonal_shares(pairs, size)

    def matched_boxes(self, truth: Boxes, value: Boxes) -> list[tuple[int, Corners]]:
        """Match boxes with the same label and an IoU of at least 0.5."""
        matches = _matches(_overlaps(value, truth), _FOUND)
        return [(row, truth.boxes[column]) for row, column in matches]

    def counts_by_label(self, truth: Any, value: Any) -> dict[str, tuple[int, int, int]]:
        """Count true, answered and matched boxes by label, without regard to capitals.

        An answered box without a label counts under the label of its match, or under the only true
        label.
        """
        true, answered, matched = (Counter[str]() for _ in range(3))
        true.update(item.label.casefold() for item in truth.items)
        if value is not None:
            matches = dict(_matches(_overlaps(value, truth), _FOUND))
            for index, item in enumerate(value.items):
                label = item.label or (truth.labels[0] if len(truth.labels) == 1 else "")
                if index in matches:
                    label = truth.items[matches[index]].label
                    matched[label.casefold()] += 1
                answered[label.casefold()] += 1
        labels = sorted(true.keys() | answered.keys())
        return {label: (true[label], answered[label], matched[label]) for label in labels}

    def display(self, value: Boxes) -> str:
        """List each label with its corners, and the number of invalid boxes."""
        invalid = f"{value.invalid} invalid" if value.invalid else ""
        return "; ".join(filter(None, (super().display(value), invalid))) or "none"


def _matched_corners(
    matches: Sequence[tuple[int, int]], prediction: Boxes, target: Boxes
) -> list[tuple[Corners, Corners]]:
    """Return the corners of the answered and the true box of each pair."""
    answered, true = prediction.boxes, target.boxes
    return [(answered[row], true[column]) for row, column in matches]


TYPES: dict[str, AnswerType] = {"boxes": BoxesType()}
