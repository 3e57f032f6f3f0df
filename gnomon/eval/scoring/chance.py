"""What guessers who never saw the picture would score on the same questions.

"constant" gives one answer to all questions, the best for each line among up to 48 of the truths;
"uniform" guesses evenly among all possible answers, where a kind has such.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from gnomon.answers.base import Answer, AnswerType, Statistic
from gnomon.answers.number.metrics import r_squared
from gnomon.answers.reading.choice import Value
from gnomon.answers.types import TYPES
from gnomon.eval.scoring.columns import Columns
from gnomon.sample import Size

if TYPE_CHECKING:
    from gnomon.eval.scoring.scored import Scored

T = TypeVar("T")

_CANDIDATES = 48
_FURTHER_CANDIDATES, _FURTHER_ITEMS = 8, 48
"""Of measures that take milliseconds."""
_UNIT: Size = (1, 1)
"""The picture whose pixels are shares of it: there answers to different questions compare."""


def chance(name: str, items: Sequence[Scored]) -> dict[str, dict[str, float]]:
    """For each line, each guesser's value, where it has one; 1,000 items are enough."""
    kind = TYPES[name]
    guessers = {
        "uniform": kind.uniform([item.truth for item in items]),
        "constant": _constant(kind, items),
    }
    return {
        line.name: {who: found[line.name] for who, found in guessers.items() if line.name in found}
        if line.measure != "unread"  # a guesser always says something that can be read
        else {}
        for line in kind.lines
    }


def _constant(kind: AnswerType, items: Sequence[Scored]) -> dict[str, float]:
    """The best value that one answer to all reaches, for each line on its own."""
    candidates = _candidates(kind, items)
    further = set(_evenly(range(len(candidates)), _FURTHER_CANDIDATES))
    tried = [
        _lines(kind, items, [Answer(value, str(value))] * len(items), further=place in further)
        for place, value in enumerate(candidates)
    ]
    best = {
        line.name: max if line.better == "higher" else min for line in kind.lines if line.better
    }
    reached = {name: [found[name] for found in tried if name in found] for name in best}
    return {name: best[name](values) for name, values in reached.items() if values}


def _candidates(kind: AnswerType, items: Sequence[Scored]) -> list[Value | None]:
    """The commonest truths, and as many again evenly spread from the least to the greatest."""
    counts = Counter(_shared(kind, kind.value_of(item.truth), item) for item in items)
    common = [value for value, _ in counts.most_common(_CANDIDATES // 2)]
    return list(dict.fromkeys(common + _evenly(sorted(counts, key=repr), _CANDIDATES // 2)))


def _lines(
    kind: AnswerType, items: Sequence[Scored], answers: Iterable[Answer], *, further: bool
) -> dict[str, float]:
    """Each line's value, without an interval; `further` measures are those of a few items."""
    columns = Columns()
    costs = kind.costs([item.truth for item in items])
    few = set(_evenly(range(len(items)), _FURTHER_ITEMS)) if further else set()
    for place, (item, answer, cost) in enumerate(zip(items, answers, costs, strict=True)):
        value = answer.value
        if value is not None and item.size is not None:
            value = kind.scaled(value, _UNIT, item.size)
        measures = kind.measures(item.truth, Answer(value, answer.text), cost)
        if place in few:
            measures |= kind.further(item.truth, value, item.size)
        columns.put(measures, read=value is not None, correct=kind.correct(measures))
    found = {}
    for line in kind.lines:
        values = [columns.of(line, measure)[0] for measure in line.measures]
        if values[0].size:
            found[line.name] = STATISTICS[line.statistic](*values)
    return {name: value for name, value in found.items() if not np.isnan(value)}


def _shared(kind: AnswerType, value: Value | None, item: Scored) -> Value | None:
    """A value of the item's picture as shares of it."""
    if value is None or item.size is None:
        return value
    shared: Value = kind.scaled(value, item.size, _UNIT)
    return shared


def _evenly(some: Sequence[T], most: int) -> list[T]:
    return list(some[:: -(-len(some) // most)])


def _r_squared(residuals: Sequence[float], truths: Sequence[float]) -> float:
    said = [truth + residual for truth, residual in zip(truths, residuals, strict=True)]
    value = r_squared(said, truths).value
    return np.nan if value is None else value


STATISTICS: dict[Statistic, Callable[..., float]] = {
    "share": lambda values: float(np.mean(values)),
    "mean": lambda values: float(np.mean(values)),
    "median": lambda values: float(np.median(values)),
    "p90": lambda values: float(np.quantile(values, 0.9)),
    "r_squared": _r_squared,
}
"""What a line comes to, of the columns that go into it; NaN where they cannot show it."""
