"""Differences one under another on one axis: intervals, seeds, and what would have gone unseen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from gnomon.eval.report.plots import svg

_WIDTH, _SIDE, _TOP, _ROW = 380, 10, 4, 40
_LABEL, _MARK, _BAND = 12, 26, 20
"""Of a row's 40: where its label stands, where its dot, and how tall its band is."""


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
    scale = svg.Scale(*_ends(marks), _SIDE, _WIDTH - _SIDE)
    bottom = _TOP + _ROW * len(marks)
    parts = []
    for tick in svg.ticks(scale.low, scale.high):
        parts.append(svg.line(scale(tick), _TOP, scale(tick), bottom))
        parts.append(svg.text(scale(tick), bottom + 16, svg.tick_text(tick)))
    parts.append(svg.line(scale(0), _TOP, scale(0), bottom, "axis"))
    for row, mark in enumerate(marks):
        parts += _drawn(scale, _TOP + _ROW * row, mark)
    return svg.picture(_WIDTH, bottom + 24, label, parts)


def _ends(marks: Sequence[Mark]) -> tuple[float, float]:
    """The axis holds 0, every interval and every seed; bands may go on beyond it."""
    values = [0.0, *(mark.value for mark in marks)]
    for mark in marks:
        values += [*(mark.interval or ()), *mark.seeds]
    low, high = min(values), max(values)
    room = 0.04 * (high - low) or 1.0
    return low - room, high + room


def _drawn(scale: svg.Scale, top: float, mark: Mark) -> list[str]:
    """The label above its mark, so that both can be read in a narrow window."""
    y = top + _MARK
    left, right = (
        scale(min(max(end, scale.low), scale.high)) for end in (-mark.unseen, mark.unseen)
    )
    parts = [
        svg.bar(left, y - _BAND / 2, max(right - left, 0.1), _BAND, "unseen"),
        svg.text(_SIDE, top + _LABEL, mark.label, anchor="start", kind="halo"),
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
