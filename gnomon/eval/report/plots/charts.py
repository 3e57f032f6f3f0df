"""The charts of each kind of target, from scored answers."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING

from markupsafe import Markup

from gnomon.eval.metrics import Hms
from gnomon.eval.report.plots import svg
from gnomon.eval.report.plots.dial import SECTORS, Dial, draw, outer_ring
from gnomon.eval.report.plots.histogram import histogram
from gnomon.eval.report.plots.scatter import MOST_DOTS, scatter
from gnomon.sample import Number, Time

if TYPE_CHECKING:
    from gnomon.eval.comparing.runs import RunResult
    from gnomon.eval.scoring.scored import Scored

UNREAD = "not read"


@dataclass(frozen=True, slots=True)
class _Classes:
    """How errors of a kind are sorted: edges between neighbouring classes, and all their names."""

    title: str
    measure: str
    edges: tuple[float, ...]
    names: tuple[str, ...]


_MINUTES = _Classes(
    "How far off, the shorter way round the dial",
    "deviation",
    (0, 1, 5, 15, 30, 60, 180),
    ("exact", "≤ 1 min", "1–5 min", "5–15 min", "15–30 min", "30–60 min", "1–3 h", "> 3 h"),
)
_RELATIVE = _Classes(
    "Relative error",
    "relative",
    (0, 0.01, 0.05, 0.1, 0.25, 1),
    ("exact", "≤ 1 %", "1–5 %", "5–10 %", "10–25 %", "25–100 %", "> 100 %"),
)
_SHARE_EDGES = (5e-324, 0.25, 0.5, 0.75, 0.9)
_SHARES = ("0", "< 0.25", "0.25–0.5", "0.5–0.75", "0.75–0.9", "≥ 0.9")
_CLASSES = {
    "time": _MINUTES,
    "time24": _MINUTES,
    "number": _RELATIVE,
    "reading": _RELATIVE,
    "box": _Classes("Intersection over union", "iou", _SHARE_EDGES, _SHARES),
    "text": _Classes("Right or wrong", "exact", (1,), ("wrong", "right")),
    "spots": _Classes("F1 of texts in their boxes", "f1", _SHARE_EDGES, _SHARES),
    "table": _Classes("Share of the cells that are right", "cells", _SHARE_EDGES, _SHARES),
}
_UPWARDS = {"iou", "exact", "f1", "cells"}
"""Measures of which more is better: an edge belongs to the class above it."""


def title(kind: str) -> str:
    """What the chart of errors shows."""
    return _CLASSES[kind].title


def errors(runs: Sequence[RunResult], kind: str) -> Markup:
    """The share of answers in each class of error, all runs together."""
    counts = [_counted(of_kind(run, kind), kind) for run in runs]
    names = [*_CLASSES[kind].names, UNREAD]
    return histogram(names, counts, [run.name for run in runs], title(kind))


def _counted(items: Iterable[Scored], kind: str) -> list[int]:
    classes = _CLASSES[kind]
    side = bisect_right if classes.measure in _UPWARDS else bisect_left  # IoU 0.5 is 0.5–0.75
    counts = [0] * (len(classes.names) + 1)
    for item in items:
        if item.value is None:
            counts[-1] += 1
        else:
            error = item.measures.get(classes.measure, 0 if item.correct else math.inf)
            counts[side(classes.edges, error)] += 1
    return counts


def against_truth(run: RunResult, index: int, kind: str) -> Markup | None:
    """Answers against truths; None for what is no point on a line, such as a box."""
    items = _dots(run, kind)
    label = f"{run.name}: answers against truths"
    css = svg.colour("line", index)
    if kind in ("time", "time24"):
        hours = 12 if kind == "time" else 24
        points = [(_hours(_truth(item), hours), _hours(item.value, hours)) for item in items]
        marks = [(float(hour), str(hour)) for hour in range(0, hours + 1, hours // 4)]
        names = ("true time in hours", "answer in hours")
        return scatter(points, (0, hours), marks, css, names=names, label=label)
    if kind in ("number", "reading") and items:
        points = [pair for item in items if (pair := _numbers(item))]
        axis = _axis([truth for truth, _ in points])
        ticks = [(value, svg.tick_text(value)) for value in svg.ticks(*axis)]
        return scatter(points, axis, ticks, css, names=("truth", "answer"), label=label)
    return None


def dial_of_errors(run: RunResult, index: int, kind: str) -> tuple[str, Markup] | None:
    """Where the hands stand when the answer is wrong, with a caption; for dials of 12 hours."""
    if kind != "time":
        return None
    hours, minutes = ([[0, 0] for _ in range(SECTORS)] for _ in range(2))
    for item in of_kind(run, kind):
        hour, minute, _ = _truth(item)
        for sector in (hours[hour % 12], minutes[minute // 5]):
            sector[0] += not item.correct
            sector[1] += 1
    dials = [
        Dial("by the hour hand", _pairs(hours), [str(h or 12) for h in range(12)]),
        Dial("by the minute hand", _pairs(minutes), [str(5 * m) for m in range(12)]),
    ]
    ring = (
        f"Share of wrong answers by sector; the outer ring is {100 * outer_ring(dials):.0f}\u00a0%."
    )
    return ring, draw(dials, svg.colour("run", index), f"{run.name}: {ring}")


def _pairs(sectors: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    return [(wrong, asked) for wrong, asked in sectors]


def of_kind(run: RunResult, kind: str) -> Iterator[Scored]:
    """The run's answers to questions of a kind, one after another: there may be very many."""
    return (item for item in run.scores.items if item.kind == kind)


def _dots(run: RunResult, kind: str) -> list[Scored]:
    """The answers that were read; as many as can be told apart, evenly chosen, where there are
    more."""
    summary = run.scores.summaries.get(kind)
    step = -(-(summary.n - summary.unread) // MOST_DOTS) if summary else 1
    read = (item for item in of_kind(run, kind) if item.value is not None)
    return list(islice(read, 0, None, max(1, step)))


def _truth(item: Scored) -> Hms:
    assert isinstance(item.truth, Time)
    return item.truth.hms


def _hours(value: object, hours: int) -> float:
    assert isinstance(value, tuple)
    hour, minute, second = value
    return float(hour % hours + minute / 60 + (second or 0) / 3600)


def _numbers(item: Scored) -> tuple[float, float] | None:
    if isinstance(item.truth, Number) and isinstance(item.value, Decimal):
        return float(item.truth.value), float(item.value)
    return None


def _axis(truths: Sequence[float]) -> tuple[float, float]:
    """The truths with some room, so that one wild answer does not press all others together."""
    low, high = min(truths), max(truths)
    room = 0.05 * (high - low) or abs(high) or 1.0
    return low - room, high + room
