"""The charts of each kind of target, from scored answers."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from gnomon.answers.types import TYPES
from gnomon.eval.comparing.runs import RunResult
from gnomon.eval.report.plots import svg
from gnomon.eval.report.plots.dial import SECTORS, Dial, draw, outer_ring
from gnomon.eval.report.plots.histogram import histogram
from gnomon.eval.report.plots.scatter import scatter

if TYPE_CHECKING:
    from gnomon.eval.scoring.scored import Scored

UNREAD = "not read"
_DIAL = 720
"""Minutes of the dials that are drawn."""


def errors(runs: Sequence[RunResult], kind: str) -> Markup:
    """The share of answers in each class of error, all runs together."""
    tallies = [Counter(map(error_class, of_kind(run, kind))) for run in runs]
    names = [*TYPES[kind].errors.names, UNREAD]
    counts = [[tally[name] for name in names] for tally in tallies]
    return histogram(names, counts, [run.name for run in runs], TYPES[kind].errors.title)


def error_class(item: Scored) -> str:
    """By how far off it is, in the words of its type's chart."""
    if item.value is None:
        return UNREAD
    classes = TYPES[item.kind].errors
    side = bisect_right if classes.more_is_better else bisect_left  # IoU 0.5 is 0.5–0.75
    error = item.measures.get(classes.measure, 0 if item.correct else math.inf)
    return classes.names[side(classes.edges, error)]


def against_truth(run: RunResult, index: int, kind: str) -> Markup | None:
    """Answers against truths; None for what is no point on a line, such as a box."""
    answers = TYPES[kind]
    if answers.axis is None:
        return None
    per = answers.axis.per
    points = [
        (answers.place(answers.value_of(item.truth)) / per, answers.place(item.value) / per)
        for item in of_kind(run, kind)
        if item.value is not None
    ]
    if answers.axis.end is None and not points:
        return None
    if end := answers.axis.end:
        ends = 0.0, end
        marks = [(end * quarter / 4, f"{end * quarter / 4:g}") for quarter in range(5)]
    else:
        ends = _axis([truth for truth, _ in points])
        marks = [(value, svg.tick_text(value)) for value in svg.ticks(*ends)]
    label = f"{run.name}: answers against truths"
    css = svg.colour("line", index)
    return scatter(points, ends, marks, css, names=answers.axis.names, label=label)


def dial_of_errors(run: RunResult, index: int, kind: str) -> tuple[str, Markup] | None:
    """Where the hands stand when the answer is wrong, with a caption; for dials of 12 hours."""
    answers = TYPES[kind]
    if answers.period != _DIAL:
        return None
    hours, minutes = ([[0, 0] for _ in range(SECTORS)] for _ in range(2))
    for item in of_kind(run, kind):
        hour, minute = divmod(int(answers.place(answers.value_of(item.truth))), 60)
        for sector in (hours[hour], minutes[minute // 5]):
            sector[0] += not item.correct
            sector[1] += 1
    dials = [
        Dial("by the hour hand", hours, [str(h or 12) for h in range(12)]),
        Dial("by the minute hand", minutes, [str(5 * m) for m in range(12)]),
    ]
    ring = (
        f"Share of wrong answers by sector; the outer ring is {100 * outer_ring(dials):.0f}\u00a0%."
    )
    return ring, draw(dials, svg.colour("run", index), f"{run.name}: {ring}")


def of_kind(run: RunResult, kind: str) -> list[Scored]:
    """The run's answers to questions of a kind."""
    return [item for item in run.scores.items if item.kind == kind]


def _axis(truths: Sequence[float]) -> tuple[float, float]:
    """The truths with some room, so that one wild answer does not press all others together."""
    low, high = min(truths), max(truths)
    room = 0.05 * (high - low) or abs(high) or 1.0
    return low - room, high + room
