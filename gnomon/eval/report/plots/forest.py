"""Means or differences one under another on one axis: intervals, seeds, and what would have gone
unseen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from gnomon.eval.report.plots import svg

_WIDTH, _SIDE, _TOP, _ROW = 380, 10, 4, 40
_LABEL, _MARK, _BAND = 12, 26, 20
"""Of a row's 40: where its label stands, where its dot, and how tall its band is."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One line: the mean or difference, its interval if there is one, and each seed's own."""

    label: str
    value: float
    interval: tuple[float, float] | None
    seeds: tuple[float, ...]
    unseen: float
    """Smaller true differences than this are mostly missed."""
    css: str
    tip: str


def forest(marks: Sequence[Mark], label: str, *, differences: bool = True) -> Markup:
    """Dots with their intervals and seeds behind them.

    Differences have 0 on their axis, with a band on either side for what would have gone unseen.
    """
    scale = svg.Scale(*_ends(marks, [0.0] * differences), _SIDE, _WIDTH - _SIDE)
    bottom = _TOP + _ROW * len(marks)
    parts = []
    for tick in svg.ticks(scale.low, scale.high):
        parts.append(svg.line(scale(tick), _TOP, scale(tick), bottom))
        parts.append(svg.text(scale(tick), bottom + 16, svg.tick_text(tick)))
    if differences:
        parts.append(svg.line(scale(0), _TOP, scale(0), bottom, "axis"))
    for row, mark in enumerate(marks):
        parts += _drawn(scale, _TOP + _ROW * row, mark)
    return svg.picture(_WIDTH, bottom + 24, label, parts)


def _ends(marks: Sequence[Mark], others: Sequence[float]) -> tuple[float, float]:
    """The axis holds every interval and every seed; bands may go on beyond it."""
    values = [*others, *(mark.value for mark in marks)]
    for mark in marks:
        values += [*(mark.interval or ()), *mark.seeds]
    low, high = min(values), max(values)
    room = 0.04 * (high - low) or 1.0
    return low - room, high + room


def _drawn(scale: svg.Scale, top: float, mark: Mark) -> list[str]:
    """The label above its mark, so that both can be read in a narrow window."""
    y = top + _MARK
    parts = []
    if mark.unseen:
        ends = (min(max(end, scale.low), scale.high) for end in (-mark.unseen, mark.unseen))
        left, right = map(scale, ends)
        parts.append(svg.bar(left, y - _BAND / 2, right - left, _BAND, "unseen"))
    parts.append(svg.text(_SIDE, top + _LABEL, mark.label, anchor="start", kind="halo"))
    if len(mark.seeds) > 1:
        parts += [svg.dot(scale(seed), y, 6, "seed") for seed in mark.seeds]
    if mark.interval:
        low, high = (scale(end) for end in mark.interval)
        parts.append(svg.line(low, y, high, y, f"interval {mark.css}"))
    return [*parts, svg.dot(scale(mark.value), y, 4, f"point {mark.css}".rstrip(), mark.tip)]
