"""How the training loss and its parts went, step by step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gnomon.eval.plots import svg

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 360, 240, 46, 66, 10, 40
_NOT_A_PART = frozenset(
    ("step", "epoch", "learning_rate", "grad_norm", "mean_token_accuracy", "num_tokens", "entropy")
)
_MOST_POINTS = 400


def curve(log: Sequence[Mapping[str, Any]], label: str) -> Markup | None:
    """Lines for the loss and each part; None where the log has fewer than two rows of loss."""
    series = {name: points for name, points in _series(log).items() if len(points) > 1}
    if "loss" not in series:
        return None
    values = [value for points in series.values() for _, value in points]
    logarithmic = min(values) > 0 and max(values) > 20 * min(values)
    if logarithmic:
        series = {n: [(s, math.log10(v)) for s, v in points] for n, points in series.items()}
        values = [math.log10(value) for value in values]
    low, high = _range(values, logarithmic)
    across = svg.Scale(_first(series), _last(series), _LEFT, _WIDTH - _RIGHT)
    up = svg.Scale(low, high, _HEIGHT - _BOTTOM, _TOP)
    parts = [*_axes(across, up, logarithmic), *_lines(series, across, up)]
    return svg.picture(_WIDTH, _HEIGHT, label, parts)


def _series(log: Sequence[Mapping[str, Any]]) -> dict[str, list[tuple[float, float]]]:
    """The loss first, then its parts: every finite number of a row that has a loss."""
    series: dict[str, list[tuple[float, float]]] = {"loss": []}
    for row in log:
        if "step" not in row or "loss" not in row:
            continue  # an evaluation's row, or the summary at the end
        flat = {**row, **row.get("parts", {})}
        for name, value in flat.items():
            is_part = name not in _NOT_A_PART and isinstance(value, int | float)
            if is_part and math.isfinite(value):
                series.setdefault(name, []).append((row["step"], value))
    return {
        name: points[:: -(-len(points) // _MOST_POINTS)]
        for name, points in series.items()
        if points
    }


def _range(values: Sequence[float], logarithmic: bool) -> tuple[float, float]:
    low, high = min(values), max(values)
    low = math.floor(low) if logarithmic else min(0.0, low)
    high = math.ceil(high) if logarithmic else high
    return (low, high) if high > low else (low, low + 1)


def _first(series: Mapping[str, Sequence[tuple[float, float]]]) -> float:
    return min(points[0][0] for points in series.values())


def _last(series: Mapping[str, Sequence[tuple[float, float]]]) -> float:
    return max(points[-1][0] for points in series.values())


def _axes(across: svg.Scale, up: svg.Scale, logarithmic: bool) -> list[str]:
    parts = []
    marks = range(int(up.low), int(up.high) + 1) if logarithmic else svg.ticks(up.low, up.high)
    for mark in marks:
        words = svg.tick_text(10.0**mark if logarithmic else mark)
        parts.append(svg.line(across.start, up(mark), across.end, up(mark)))
        parts.append(svg.text(across.start - 6, up(mark) + 4, words, anchor="end"))
    for mark in svg.ticks(across.low, across.high, 4):
        parts.append(svg.text(across(mark), up.start + 16, svg.tick_text(mark)))
    parts.append(svg.line(across.start, up.start, across.end, up.start, "axis"))
    return [*parts, svg.text((across.start + across.end) / 2, _HEIGHT - 6, "step")]


def _lines(
    series: Mapping[str, Sequence[tuple[float, float]]], across: svg.Scale, up: svg.Scale
) -> list[str]:
    """Each line with its name at its right end; names that would touch are moved apart."""
    parts = []
    ends = sorted(
        (up(points[-1][1]), index, name) for index, (name, points) in enumerate(series.items())
    )
    lowest = -math.inf
    for y, index, name in ends:
        place = lowest = max(y + 4, lowest + 12)
        parts.append(
            svg.polyline([(across(s), up(v)) for s, v in series[name]], f"line{index % 4}")
        )
        parts.append(svg.text(across.end + 5, place, name, anchor="start", kind=f"text{index % 4}"))
    return parts
