"""Metrics of boxes (x1, y1, x2, y2), in pixels."""

from __future__ import annotations

import math

from gnomon.answers.target import Corners, Size


def iou(a: Corners, b: Corners) -> float:
    """Area of the intersection over area of the union of two boxes (x1, y1, x2, y2).

    0 where either box is degenerate or has its corners swapped: such an answer is never repaired.
    """
    if not (a[0] < a[2] and a[1] < a[3] and b[0] < b[2] and b[1] < b[3]):
        return 0.0
    shared = max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(
        0.0, min(a[3], b[3]) - max(a[1], b[1])
    )
    union = _area(a) + _area(b) - shared
    return min(1.0, shared / union) if 0 < union < math.inf else 0.0  # 1e-200 squared is 0


def centre_deviation(a: Corners, b: Corners) -> float:
    """Pixels between the middles of two boxes, also of degenerate ones."""
    return math.hypot((a[0] + a[2] - b[0] - b[2]) / 2, (a[1] + a[3] - b[1] - b[3]) / 2)


def corner_deviation(a: Corners, b: Corners) -> float:
    """Pixels between the upper left corners and between the lower right ones, their mean.

    Swapped corners are not put right: they are far from where they belong.
    """
    return (math.hypot(a[0] - b[0], a[1] - b[1]) + math.hypot(a[2] - b[2], a[3] - b[3])) / 2


def diagonal_share(pixels: float, size: Size) -> float:
    """A distance as a share of the picture's diagonal, so that pictures of any size compare."""
    return pixels / math.hypot(*size)


def _area(box: Corners) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
