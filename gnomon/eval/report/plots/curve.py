"""How the training loss and its parts went, step by step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from markupsafe import Markup

from gnomon.eval.report.plots import svg

Log: TypeAlias = Sequence[Mapping[str, Any]]

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 360, 240, 46, 84, 10, 40
_NOT_A_PART = frozenset(
    ("step", "epoch", "learning_rate", "grad_norm", "mean_token_accuracy", "num_tokens", "entropy")
)
_MOST_POINTS = 400


def curves(logs: Mapping[str, Log]) -> list[Markup | None]:
    """A picture of each log by its label, all on the same axes so that they can be compared.

    Lines for the loss and each part; None where a log has fewer than two rows of loss.
    """
    drawn = {
        label: found
        for label, log in logs.items()
        if len((found := _series(log)).get("loss", ())) > 1
    }
    points = [point for series in drawn.values() for line in series.values() for point in line]
    if not points:
        return [None] * len(logs)
    steps, values = ([point[side] for point in points] for side in (0, 1))
    logarithmic = min(values) > 0 and max(values) > 20 * min(values)
    across = svg.Scale(min(steps), max(steps), _LEFT, _WIDTH - _RIGHT)
    up = svg.Scale(*_range(values, logarithmic), _HEIGHT - _BOTTOM, _TOP)
    axes = _axes(across, up, logarithmic)
    names = list(dict.fromkeys(name for series in drawn.values() for name in series))
    pictures = {}
    for label, series in drawn.items():
        lines = {
            name: [(across(step), up(math.log10(v) if logarithmic else v)) for step, v in line]
            for name, line in series.items()
        }
        parts = [*axes, *_lines(lines, names, across.end)]
        pictures[label] = svg.picture(_WIDTH, _HEIGHT, label, parts)
    return [pictures.get(label) for label in logs]


def _series(log: Log) -> dict[str, list[tuple[float, float]]]:
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
        if len(points) > 1
    }


def _range(values: Sequence[float], logarithmic: bool) -> tuple[float, float]:
    low, high = min(values), max(values)
    low = math.floor(math.log10(low)) if logarithmic else min(0.0, low)
    high = math.ceil(math.log10(high)) if logarithmic else high
    return (low, high) if high > low else (low, low + 1)


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
    lines: Mapping[str, Sequence[tuple[float, float]]], names: Sequence[str], right: float
) -> list[str]:
    """Each line leads to its name on the right; names that would touch are moved apart."""
    parts = []
    lowest = -math.inf
    for name, points in sorted(lines.items(), key=lambda line: line[1][-1][1]):
        css = svg.colour("line", names.index(name))
        lowest = max(points[-1][1], lowest + 12)
        parts.append(svg.polyline(points, css))
        parts.append(svg.polyline([points[-1], (right + 11, lowest)], f"{css} leader"))
        parts.append(svg.text(right + 14, lowest + 4, name, anchor="start"))
    return parts
