"""Where an answer falls in the histogram of its type."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from typing import Any

from gnomon.sample import Box, Number, Sample, Size, Spots, Table, Text, Time

_HOURS = [f"{hour}:00 to {hour}:59" for hour in range(24)]
_POWERS = [Decimal(10) ** power for power in range(-3, 7)]
_EDGES = ["0", *(f"{power:,f}" for power in _POWERS)]
_UP = [*(f"{low} to {high}" for low, high in pairwise(_EDGES)), f"{_EDGES[-1]} or more"]
_DOWN = [*(f"−{high} to −{low}" for low, high in pairwise(_EDGES)), f"−{_EDGES[-1]} or less"]
_NUMBERS = [*reversed(_DOWN), "exactly 0", *_UP]
_SHARES = (0.001, 0.01, 0.04, 0.16, 0.64, 1.0)
_AREAS = ["under 0.1 %", *(f"{100 * low:g} to {100 * high:g} %" for low, high in pairwise(_SHARES))]
_DOUBLES = [1 << power for power in range(9)]
_COUNTS = ["1", *(f"{low} to {2 * low - 1}" for low in _DOUBLES[1:-1]), f"{_DOUBLES[-1]} or more"]
ORDER = {
    label: place for bars in (_HOURS, _NUMBERS, _AREAS, _COUNTS) for place, label in enumerate(bars)
}
"""The bars that have an order of their own, from the least."""


def binned(sample: Sample) -> tuple[str, str]:
    """The histogram that the answer belongs to, and its bar there."""
    axis, bar_of = _BINS[type(sample.target)]
    bar: str = bar_of(sample.target, sample.image.size if sample.image else None)
    return axis, bar


def counted(many: int) -> str:
    """The bar of a length or a count: it doubles from bar to bar."""
    return _COUNTS[sum(many >= low for low in _DOUBLES[1:])]


def _hour(target: Time, size: Size | None) -> str:  # noqa: ARG001 - only boxes need it
    hour = target.seconds // 3600
    return _HOURS[12 if target.hours == 12 and hour == 0 else hour]


def _magnitude(target: Number, size: Size | None) -> str:  # noqa: ARG001
    if not target.value:
        return "exactly 0"
    place = sum(abs(target.value) >= power for power in _POWERS)
    return _UP[place] if target.value > 0 else _DOWN[place]


def _area(target: Box, size: Size | None) -> str:
    if size is None:
        return "no picture"
    share = (target.x2 - target.x1) * (target.y2 - target.y1) / (size[0] * size[1])
    return _AREAS[sum(share >= low for low in _SHARES[:-1])]


def _length(target: Text, size: Size | None) -> str:  # noqa: ARG001
    return counted(len(target.text))


def _texts(target: Spots, size: Size | None) -> str:  # noqa: ARG001
    return counted(len(target.items))


def _cells(target: Table, size: Size | None) -> str:  # noqa: ARG001
    return counted(len(target.rows) * len(target.header))


_BINS: dict[type, tuple[str, Callable[[Any, Size | None], str]]] = {
    Time: ("times", _hour),
    Number: ("numbers", _magnitude),
    Box: ("boxes, share of the picture", _area),
    Text: ("texts, characters", _length),
    Spots: ("lists of texts, how many", _texts),
    Table: ("tables, cells", _cells),
}
