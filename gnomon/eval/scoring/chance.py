"""What guessers who never saw the picture would score on the same questions.

"constant" gives one answer to all questions, the best for each line among up to 48 of the truths;
"shuffled" gives this model's own answers, each to another question; "uniform" guesses evenly
among all possible answers, where a kind has such.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from gnomon.answers.base import Answer, AnswerType, Statistic
from gnomon.answers.number.metrics import r_squared
from gnomon.answers.reading.choice import Value
from gnomon.answers.types import TYPES
from gnomon.sample import Size

if TYPE_CHECKING:
    from gnomon.eval.scoring.scored import Scored

    Measure: TypeAlias = Callable[[AnswerType, Scored, str, float], dict[str, float]]

T = TypeVar("T")

_SHUFFLES = 5
_CANDIDATES = 48
_MOST_ITEMS = 1000
"""A constant is tried on so many of the questions, evenly chosen."""
_FURTHER_CANDIDATES, _FURTHER_ITEMS = 8, 48
"""Where a measure takes milliseconds."""
_UNIT: Size = (1, 1)
"""The picture whose pixels are shares of it: there answers to different questions compare."""


def chance(name: str, items: Sequence[Scored], *, seed: int = 0) -> dict[str, dict[str, float]]:
    """For each line, each guesser's value, where it has one."""
    kind = TYPES[name]
    asked, few = _evenly(items, _MOST_ITEMS), _evenly(items, _FURTHER_ITEMS)
    spoken = _candidates(kind, items, _CANDIDATES)
    less = _evenly(spoken, _FURTHER_CANDIDATES)
    guessers = {
        "uniform": kind.uniform([item.truth for item in items]),
        "constant": _constant(kind, few, less, _everything) | _constant(kind, asked, spoken, _own),
        "shuffled": _shuffled(kind, few, seed, _everything) | _shuffled(kind, items, seed, _own),
    }
    return {
        line.name: {who: found[line.name] for who, found in guessers.items() if line.name in found}
        if line.measure != "unread"  # a guesser always says something that can be read
        else {}
        for line in kind.lines
    }


def _own(kind: AnswerType, item: Scored, text: str, cost: float) -> dict[str, float]:
    return kind.measures(item.truth, Answer(item.value, text), cost)


def _everything(kind: AnswerType, item: Scored, text: str, cost: float) -> dict[str, float]:
    further = kind.further(item.truth, item.value, item.size)
    return _own(kind, item, text, cost) | further


def _constant(
    kind: AnswerType, asked: Sequence[Scored], spoken: Sequence[Value | None], measure: Measure
) -> dict[str, float]:
    """The best value that one answer to all reaches, for each line on its own."""
    tried = [
        _lines(kind, asked, [Answer(value, str(value))] * len(asked), measure) for value in spoken
    ]
    best = {
        line.name: max if line.better == "higher" else min for line in kind.lines if line.better
    }
    return {
        name: choose(found[name] for found in tried if name in found)
        for name, choose in best.items()
        if any(name in found for found in tried)
    }


def _candidates(kind: AnswerType, items: Sequence[Scored], n: int) -> list[Value | None]:
    """The commonest truths, and as many again evenly spread from the least to the greatest."""
    counts = Counter(_shared(kind, kind.value_of(item.truth), item) for item in items)
    common = [value for value, _ in counts.most_common(n // 2)]
    return list(dict.fromkeys(common + _evenly(sorted(counts, key=repr), n // 2)))


def _shuffled(
    kind: AnswerType, items: Sequence[Scored], seed: int, measure: Measure
) -> dict[str, float]:
    """The mean over some shuffles."""
    rng = np.random.default_rng(seed)
    answers = [Answer(_shared(kind, item.value, item), item.text) for item in items]
    found = [
        _lines(kind, items, [answers[i] for i in rng.permutation(len(answers))], measure)
        for _ in range(_SHUFFLES)
    ]
    names = {name: None for one in found for name in one}
    return {name: float(np.mean([one[name] for one in found if name in one])) for name in names}


def _lines(
    kind: AnswerType, items: Sequence[Scored], answers: Sequence[Answer], measure: Measure
) -> dict[str, float]:
    """Each line's value, without an interval."""
    costs = kind.costs([item.truth for item in items])
    measured = [
        measure(kind, _answered(kind, item, answer.value), answer.text, cost)
        for item, answer, cost in zip(items, answers, costs, strict=True)
    ]
    found = {}
    for line in kind.lines:
        values = [value for m in measured if (value := kind.counted(line, m)) is not None]
        if values:
            found[line.name] = STATISTICS[line.statistic](*zip(*values, strict=True))
    return {name: value for name, value in found.items() if not np.isnan(value)}


def _shared(kind: AnswerType, value: Value | None, item: Scored) -> Value | None:
    """A value of the item's picture as shares of it."""
    if value is None or item.size is None:
        return value
    return kind.scaled(value, item.size, _UNIT)


def _answered(kind: AnswerType, item: Scored, value: Value | None) -> Scored:
    """The item with another's answer, in its own pixels."""
    if value is not None and item.size is not None:
        value = kind.scaled(value, _UNIT, item.size)
    return replace(item, value=value)


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
