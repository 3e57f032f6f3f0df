"""Differences one under another on one axis: intervals, seeds, and what would have gone unseen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import escape

from gnomon.eval.plots import svg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

_WIDTH, _LEFT, _RIGHT, _TOP, _ROW = 580, 212, 14, 8, 26


@dataclass(frozen=True, slots=True)
class Mark:
    """One line: the difference, its interval if there is one, and each seed's own."""

    label: str
    value: float
    interval: tuple[float, float] | None
    seeds: tuple[float, ...]
    unseen: float
    """Smaller true differences than this are mostly missed."""
    css: str
    tip: str


def forest(marks: Sequence[Mark], label: str) -> Markup:
    """Dots with their intervals; a band on either side of 0 for what would have gone unseen."""
    scale = svg.Scale(*_ends(marks), _LEFT, _WIDTH - _RIGHT)
    bottom = _TOP + _ROW * len(marks)
    parts = []
    for tick in svg.ticks(scale.low, scale.high):
        parts.append(svg.line(scale(tick), _TOP, scale(tick), bottom))
        parts.append(svg.text(scale(tick), bottom + 16, svg.tick_text(tick)))
    for row, mark in enumerate(marks):
        parts += _drawn(scale, _TOP + _ROW * (row + 0.5), mark)
    parts.append(svg.line(scale(0), _TOP, scale(0), bottom, "axis"))
    return svg.picture(_WIDTH, bottom + 24, label, parts)


def _ends(marks: Sequence[Mark]) -> tuple[float, float]:
    """The axis holds 0, every interval and every seed; bands may go on beyond it."""
    values = [0.0, *(mark.value for mark in marks)]
    for mark in marks:
        values += [*(mark.interval or ()), *mark.seeds]
    low, high = min(values), max(values)
    room = 0.04 * (high - low) or 1.0
    return low - room, high + room


def _drawn(scale: svg.Scale, y: float, mark: Mark) -> list[str]:
    left, right = (
        scale(min(max(end, scale.low), scale.high)) for end in (-mark.unseen, mark.unseen)
    )
    parts = [
        svg.text(_LEFT - 8, y + 4, mark.label, anchor="end"),
        svg.bar(left, y - _ROW / 2 + 3, max(right - left, 0.1), _ROW - 6, "unseen"),
    ]
    if mark.interval:
        low, high = (scale(end) for end in mark.interval)
        parts.append(svg.line(low, y, high, y, f"interval {mark.css}"))
    if len(mark.seeds) > 1:
        parts += [svg.line(scale(s), y + 5, scale(s), y + 10, "seed") for s in mark.seeds]
    return [*parts, _dot(scale(mark.value), y, mark)]


def _dot(x: float, y: float, mark: Mark) -> str:
    return (
        f'<circle class="point {mark.css}" cx="{svg.num(x)}" cy="{svg.num(y)}" r="4">'
        f"<title>{escape(mark.tip)}</title></circle>"
    )
