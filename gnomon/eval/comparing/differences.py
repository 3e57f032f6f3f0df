"""What comparisons come to, written out: for the terminal and for the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from markupsafe import Markup

from gnomon.answers.types import TYPES
from gnomon.eval.report.figures import amount, difference_text, figure, p_text
from gnomon.eval.report.plots.forest import Mark, forest

if TYPE_CHECKING:
    from gnomon.eval.comparing.comparison import Comparison
    from gnomon.eval.comparing.difference import Difference

TOO_FEW = "not with so few"
"""Where not even the largest difference that can be would show."""
HEADER = ("difference", "p", "test", "80 % power from", "verdict")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a summary in two models, and what its difference shows."""

    label: str
    first: str
    second: str
    difference: str
    p: str
    test: str
    detectable: str
    verdict: str
    by_seed: tuple[tuple[str, str, str, str, str], ...]
    """Seed, first, second, difference and p of a kind's first line, where there are several."""


@dataclass(frozen=True, slots=True)
class Differences:
    """All lines of one kind of target in one comparison."""

    title: str
    first: str
    second: str
    lines: tuple[Line, ...]
    note: str
    """What p is corrected for."""
    forests: tuple[tuple[str, Markup], ...]
    """For each unit, a heading and a picture."""


def written(comparison: Comparison) -> list[Differences]:
    """Each kind's differences."""
    return [
        Differences(
            title=TYPES[kind].title,
            first=comparison.a,
            second=comparison.b,
            lines=tuple(_line(found, first=found is of_kind[0]) for found in of_kind),
            note=_note(comparison, of_kind),
            forests=tuple(_forests(comparison, of_kind)),
        )
        for kind, of_kind in _by_kind(comparison).items()
    ]


def _by_kind(comparison: Comparison) -> dict[str, list[Difference]]:
    found: dict[str, list[Difference]] = {}
    for difference in comparison.differences:
        found.setdefault(difference.kind, []).append(difference)
    return found


def _note(comparison: Comparison, differences: Sequence[Difference]) -> str:
    """What the figures of p and the intervals stand for."""
    first, *others = differences
    said = f"p corrected by Holm: the first line's among {first.family} of tasks and comparisons"
    if others:
        said += f", the others' among {others[0].family}"
    said += f"; a seed's own is of {first.by_seed[0].test}" if first.by_seed[1:] else ""
    said += "; each interval holds by itself"
    sides = zip((comparison.a, comparison.b), comparison.seeds, strict=True)
    alone = [name for name, seeds in sides if len(seeds) == 1]
    return said + (f"; nothing is said of other seeds of {' and '.join(alone)}" if alone else "")


def _line(found: Difference, *, first: bool) -> Line:
    unit = found.unit
    by_seed = [
        (
            f"seed {one.seed}",
            figure(one.first, unit),
            figure(one.second, unit),
            amount(one.second - one.first, unit, sign="+"),
            p_text(one.p).removeprefix("= "),
        )
        for one in found.by_seed
    ]
    return Line(
        label=found.label,
        first=figure(found.first, unit),
        second=figure(found.second, unit),
        difference=difference_text(found.estimate, unit),
        p=p_text(found.adjusted).removeprefix("= "),
        test=found.test,
        detectable=TOO_FEW if found.detectable == inf else amount(found.detectable, unit),
        verdict=found.verdict,
        by_seed=tuple(by_seed) if first and len(by_seed) > 1 else (),
    )


def _forests(comparison: Comparison, differences: Sequence[Difference]) -> list[tuple[str, Markup]]:
    """A picture for the lines of each unit, for they share an axis."""
    drawn = []
    for unit in dict.fromkeys(found.unit for found in differences):
        marks = [_mark(found) for found in differences if found.unit == unit]
        words = "points" if unit == "%" else unit
        heading = f"{comparison.b} minus {comparison.a}" + (f", {words}" if words else "")
        drawn.append((heading, forest(marks, heading)))
    return drawn


def _mark(found: Difference) -> Mark:
    scale = 100 if found.unit == "%" else 1
    low, value, high, detectable = (
        None if x is None else scale * x
        for x in (found.estimate.low, found.estimate.value, found.estimate.high, found.detectable)
    )
    return Mark(
        label=found.label,
        value=value or 0.0,
        interval=None if low is None or high is None else (low, high),
        seeds=tuple(scale * (one.second - one.first) for one in found.by_seed),
        unseen=detectable or 0.0,
        css=found.verdict,
        tip=f"{found.label}: {difference_text(found.estimate, found.unit)}, {found.verdict}",
    )
