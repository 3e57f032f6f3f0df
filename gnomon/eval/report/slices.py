"""The first measure of a kind by what was drawn, to see where a model fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gnomon.answers.base import Line
from gnomon.answers.types import TYPES
from gnomon.eval.comparing.runs import RunResult
from gnomon.eval.report.facts import Classes, described
from gnomon.eval.report.figures import NONE, amount, figure, interval
from gnomon.eval.scoring.columns import Floats, Ints, number
from gnomon.eval.scoring.score import estimated
from gnomon.eval.stats.intervals import Estimate
from gnomon.sample import Sample

FEWEST = 10
"""Answers that a slice has at least; what fewer show is mostly luck."""
_MOST_FACTS = 8
_ABSENT = -1


@dataclass(frozen=True, slots=True)
class Slice:
    """The answers to questions in which one fact had one value."""

    value: str
    n: int
    cells: tuple[tuple[str, str], ...]
    """Figure and interval of each run."""


@dataclass(frozen=True, slots=True)
class ByFact:
    """The slices of one fact, and how far the last run's best is from its worst."""

    name: str
    gap: str
    slices: tuple[Slice, ...]


@dataclass(frozen=True, slots=True)
class Slices:
    """One kind's facts, the largest gap first."""

    label: str
    facts: tuple[ByFact, ...]
    of: int
    """How many facts part the questions; those with the largest gaps are shown."""


class _Answers(NamedTuple):
    """One run's answers of a kind: what the measure is, whose picture, and each fact's class."""

    values: Floats
    pictures: Ints
    codes: Ints
    """[F, N], _ABSENT where a question has no such fact."""


def slices(
    runs: Sequence[RunResult],
    samples: Mapping[str, Sample],
    by_kind: Mapping[str, Sequence[Classes]],
) -> dict[str, Slices]:
    """For each kind whose facts are known and differ."""
    found = {
        kind: _slices(kind, [_answers(run, samples, kind, facts) for run in runs], facts)
        for kind, facts in by_kind.items()
        if facts
    }
    return {kind: some for kind, some in found.items() if some.facts}


def _answers(
    run: RunResult, samples: Mapping[str, Sample], kind: str, known: Sequence[Classes]
) -> _Answers:
    first = TYPES[kind].lines[0]
    values, pictures, codes = [], [], []
    for item, _, facts in described(run, samples):
        if item.kind == kind and (measured := TYPES[kind].counted(first, item.measures)):
            values.append(measured[0])
            pictures.append(number(item.picture or item.sample_id))
            places = [fact.of(facts[fact.key]) if fact.key in facts else None for fact in known]
            codes.append([_ABSENT if place is None else place for place in places])
    shape = len(codes), len(known)
    return _Answers(np.array(values), np.array(pictures), np.array(codes, int).reshape(shape).T)


def _slices(kind: str, coded: Sequence[_Answers], facts: Sequence[Classes]) -> Slices:
    line, last = TYPES[kind].lines[0], coded[-1]
    gaps: dict[bytes, tuple[float, int]] = {}
    for place, fact in enumerate(facts):
        means = [float(values.mean()) for _, values, _ in _parts(last, place, fact)]
        if len(means) > 1:  # of facts that part the questions alike the first is enough
            gaps.setdefault(_partition(last.codes[place]), (max(means) - min(means), place))
    chosen = sorted(gaps.values(), key=lambda gap: (-gap[0], gap[1]))[:_MOST_FACTS]
    by_fact = [
        ByFact(
            facts[place].name, amount(gap, line.unit), _by_value(line, coded, place, facts[place])
        )
        for gap, place in chosen
    ]
    return Slices(line.label, tuple(by_fact), len(gaps))


def _by_value(
    line: Line, coded: Sequence[_Answers], place: int, fact: Classes
) -> tuple[Slice, ...]:
    """The last run's worst first."""
    found = [
        {
            code: estimated(line, values, pictures)
            for code, values, pictures in _parts(column, place, fact)
        }
        for column in coded
    ]
    sign = -1 if line.better == "lower" else 1
    ranked = sorted(found[-1].items(), key=lambda one: (sign * (one[1].value or 0), one[0]))
    return tuple(
        Slice(fact.labels[code], last.n, tuple(_cell(of_run.get(code), line) for of_run in found))
        for code, last in ranked
    )


def _cell(estimate: Estimate | None, line: Line) -> tuple[str, str]:
    if estimate is None:
        return NONE, ""
    return figure(estimate.value, line.unit), interval(estimate, line.unit)


def _parts(column: _Answers, place: int, fact: Classes) -> Iterator[tuple[int, Floats, Ints]]:
    """Each class that has answers enough, with their values and pictures."""
    for code in range(len(fact.labels)):
        among = column.codes[place] == code
        if among.sum() >= FEWEST:
            yield code, column.values[among], column.pictures[among]


def _partition(codes: Ints) -> bytes:
    """The same for facts that part the answers alike, whatever they call the parts."""
    _, first, places = np.unique(codes, return_index=True, return_inverse=True)
    return bytes(np.argsort(np.argsort(first))[places].astype(np.uint8))
