"""Metrics of boxes (x1, y1, x2, y2) in pixels, and the type."""

import math
from collections.abc import Sequence
from functools import partial
from statistics import fmean
from typing import Any

from gnomon.answers.base.answer_type import (
    SHARES,
    AnswerType,
    ErrorHistogram,
    Metric,
    PlacedType,
    Value,
)
from gnomon.answers.base.dialect import Dialect
from gnomon.answers.base.target import Corners, Size
from gnomon.answers.box.answer import Box, BoxForm
from gnomon.answers.box.read import find_boxes, parse_box, read_box, to_pixels
from gnomon.answers.reading.base import Reading, Which


def iou(a: Corners, b: Corners) -> float:
    """Area of the intersection over area of the union of two boxes (x1, y1, x2, y2).

    It is 0 if a box is degenerate or has swapped corners. Such answers are not repaired.
    """
    if not (a[0] < a[2] and a[1] < a[3] and b[0] < b[2] and b[1] < b[3]):
        return 0.0
    # Width times height of the intersection; 0 if the boxes do not meet.
    shared = max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(
        0.0, min(a[3], b[3]) - max(a[1], b[1])
    )
    union = _area(a) + _area(b) - shared
    return min(1.0, shared / union) if 0 < union < math.inf else 0.0  # 1e-200 squared is 0


def overlaps(a: Corners, b: Corners, threshold: float = 0.5) -> bool:
    """True if the IoU of two boxes is at least the threshold."""
    return iou(a, b) >= threshold


def centre_deviation(a: Corners, b: Corners) -> float:
    """Pixels between the centres of two boxes. Degenerate boxes have centres as well."""
    return math.hypot((a[0] + a[2] - b[0] - b[2]) / 2, (a[1] + a[3] - b[1] - b[3]) / 2)


def corner_deviation(a: Corners, b: Corners) -> float:
    """Mean distance in pixels of the upper left corners and of the lower right corners.

    Swapped corners are not put in order, so their distance is large.
    """
    return (math.hypot(a[0] - b[0], a[1] - b[1]) + math.hypot(a[2] - b[2], a[3] - b[3])) / 2


def diagonal_share(pixels: float, size: Size) -> float:
    """Distance as a share of the picture's diagonal, to compare pictures of any size."""
    return pixels / math.hypot(*size)


def _area(box: Corners) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


_deviation_metric = partial(Metric, statistic="mean", among="read", better="lower")
METRICS = (
    Metric("iou_50", "IoU at least 0.5", overlaps, headline=True),
    Metric("iou_75", "IoU at least 0.75", partial(overlaps, threshold=0.75), headline=True),
    Metric("iou_90", "IoU at least 0.9", partial(overlaps, threshold=0.9), headline=True),
    Metric("iou", "Mean IoU, unread as 0", iou, statistic="mean", unit="", headline=True),
    Metric("unread", "Could not be read", better="lower", headline=True),
    Metric(
        "iou_read",
        "Mean IoU of read answers",
        statistic="mean",
        among="read",
        unit="",
        same_as="iou",
    ),
    _deviation_metric("centre", "Mean deviation of the centre", centre_deviation, unit="px"),
    _deviation_metric(
        "centre_share", "The same as a share of the diagonal", public_function=diagonal_share
    ),
    _deviation_metric("corners", "Mean deviation of the corners", corner_deviation, unit="px"),
    _deviation_metric(
        "corners_share", "The same as a share of the diagonal", public_function=diagonal_share
    ),
)
"""Shares and the mean IoU count unread answers as 0."""


# IoU from which a box counts as right, as in PASCAL VOC.
_RIGHT = 0.5


class BoxType(PlacedType):
    """An unread, degenerate or swapped box has IoU 0."""

    target = Box
    title = "Box"
    metrics = METRICS
    reward_measure = "iou"
    readers = (read_box, parse_box, find_boxes, to_pixels)
    error_histogram = ErrorHistogram("Intersection over union", "iou", *SHARES)

    def read(
        self, text: str, form: BoxForm, *, which: Which, dialect: Dialect, size: Size | None
    ) -> Reading[Value] | None:
        """Read by the dialect, or by the tolerant reader in the dialect's space."""
        assert size is not None
        if strict := form.read_back(text.strip(), dialect, size):
            start = len(text) - len(text.lstrip())
            span = start, start + len(text.strip())
            return Reading(strict.corners, span, f"dialect {dialect.name}")
        reading = read_box(text, which=which)
        return to_pixels(reading, dialect, size) if reading else None

    def measures_without_chance(
        self, truth: Box, value: Corners | None, size: Size | None
    ) -> dict[str, float]:
        """Measure deviations of centre and corners as shares of the diagonal."""
        return {} if value is None else self.diagonal_shares([(value, truth.corners)], size)

    @staticmethod
    def diagonal_shares(
        pairs: Sequence[tuple[Corners, Corners]], size: Size | None
    ) -> dict[str, float]:
        """Measure the mean deviations of pairs of boxes as shares of the diagonal."""
        if not pairs or size is None:
            return {}
        functions = {"centre_share": centre_deviation, "corners_share": corner_deviation}
        return {
            key: diagonal_share(fmean(deviation(a, b) for a, b in pairs), size)
            for key, deviation in functions.items()
        }

    def is_correct(self, measures: dict[str, float]) -> bool:
        """True if the IoU is at least 0.5."""
        return measures["iou"] >= _RIGHT

    def boxes(self, value: Corners) -> Sequence[Corners]:
        """Return the value, which is one box."""
        return [value]

    def matched_boxes(self, truth: Box, value: Corners) -> list[tuple[int, Corners]]:
        """Match the answer's only box with the true box, whatever their overlap."""
        return [(0, truth.corners)]

    def display(self, value: Corners) -> str:
        """Write the corners in pixels, to a tenth."""
        return "(" + ", ".join(f"{edge:.1f}" for edge in value) + ")"

    def describe_result(self, measures: dict[str, float]) -> str:
        """Write the IoU, whether the answer is right or wrong."""
        return f"IoU {measures['iou']:.2f}"

    def value_of(self, truth: Box) -> Corners:
        """Return the corners of the true box."""
        return truth.corners

    def answer_of(self, value: Corners, form: BoxForm) -> Box:
        """Return the box; corners that the model swapped are put in order."""
        x1, y1, x2, y2 = value
        return Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))

    def scaled(self, value: Corners, old: Size, new: Size) -> Corners:
        """Scale the corners. Swapped corners stay swapped."""
        x1, y1, x2, y2 = value
        wide, tall = new[0] / old[0], new[1] / old[1]
        return x1 * wide, y1 * tall, x2 * wide, y2 * tall


_BOX = BoxType()


class BoxListType(PlacedType):
    """Base of the types whose answers are lists of boxes with texts, measured by F1."""

    reward_measure = "f1"

    def boxes(self, value: Any) -> Sequence[Corners]:
        """Box of every item."""
        corners: Sequence[Corners] = value.boxes
        return corners

    def display(self, value: Any) -> str:
        """List each text with its corners."""
        return "; ".join(f"{text} {_BOX.display(box)}".lstrip() for text, box in value.pairs)

    def describe_result(self, measures: dict[str, float]) -> str:
        """Write the F1 of the picture."""
        return "right" if self.is_correct(measures) else f"F1 {measures['f1']:.2f}"

    def scaled(self, value: Any, old: Size, new: Size) -> Any:
        """Items at the same shares of the new picture."""
        return value.scaled(old, new)


TYPES: dict[str, AnswerType] = {"box": _BOX}
