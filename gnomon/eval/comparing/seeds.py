"""What groups of runs come to over their seeds, each seed's own figure beside the mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from markupsafe import Markup

from gnomon.answers.base import Line
from gnomon.answers.types import TYPES
from gnomon.eval.comparing.groups import Group
from gnomon.eval.report.figures import figure, interval
from gnomon.eval.report.plots.forest import Mark, forest
from gnomon.eval.scoring.columns import Columns
from gnomon.eval.scoring.score import estimated, over_pictures
from gnomon.eval.scoring.scored import Scored
from gnomon.eval.stats.crossed import crossed
from gnomon.eval.stats.intervals import Estimate


def means_of_seeds(groups: Sequence[Group], kind: str) -> list[tuple[str, Markup]]:
    """For each headline mean over all answers a heading and a picture, in which a line is a group;
    nothing where no group has several seeds."""
    if not any(group.seeds[1:] for group in groups):
        return []
    drawn = []
    for line, found in marks(groups, kind):
        heading = f"{line.label} ({line.unit})" if line.unit else line.label
        drawn.append((heading, forest(found, f"{heading}: by seed", differences=False)))
    return drawn


def marks(groups: Sequence[Group], kind: str) -> Iterator[tuple[Line, list[Mark]]]:
    """Each headline mean over all answers, with a mark for each group that was asked the kind."""
    having = [group for group in groups if kind in group.runs[0].scores.summaries]
    columns = [[_columns(run.scores.items, kind) for run in group.runs] for group in having]
    for line in TYPES[kind].lines:
        if line.headline and line.among == "all" and line.statistic in ("share", "mean"):
            yield line, [_mark(g, c, line) for g, c in zip(having, columns, strict=True)]


def _columns(items: Iterable[Scored], kind: str) -> Columns:
    found = Columns()
    for item in items:
        if item.kind == kind:
            found.add(item)
    return found


def _mark(group: Group, of_seeds: Sequence[Columns], line: Line) -> Mark:
    values = [columns.of(line)[0] for columns in of_seeds]
    found = _estimate(line, of_seeds)
    scale = 100 if line.unit == "%" else 1
    ends = (
        None if found.low is None or found.high is None else (scale * found.low, scale * found.high)
    )
    told = f"{group.name}: {figure(found.value, line.unit)} {interval(found, line.unit)}".rstrip()
    seeds = tuple(scale * float(of_seed.mean()) for of_seed in values)
    return Mark(group.name, float(np.mean(seeds)), ends, seeds, 0.0, "", told)


def _estimate(line: Line, of_seeds: Sequence[Columns]) -> Estimate:
    """Over seeds and pictures, where all seeds answered the same questions."""
    values, pictures = zip(*(columns.of(line) for columns in of_seeds), strict=True)
    if not values[1:]:
        return estimated(line, values[0], pictures[0])
    if any(not np.array_equal(pictures[0], other) for other in pictures[1:]):
        mean = float(np.mean([of_seed.mean() for of_seed in values]))
        return Estimate(mean, None, None, "no interval: not the same questions", len(values[0]))
    found = crossed([np.array(values)], pictures[0]).estimate
    return over_pictures(line, found, np.unique(pictures[0]).size)
