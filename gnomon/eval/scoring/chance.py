"""Chance: the scores of guessers that do not see the picture, on the same questions.

"constant" gives the same answer to all questions. For each metric, it is the best of up to 48
truths. These are labels of the same questions, so its score is optimistic. "uniform" guesses with
equal probability among all possible answers, for types of answers that can be listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from gnomon.answers.base.answer_type import (
    AnswerType,
    ModelAnswer,
    PlacedType,
    Statistic,
    Value,
    metric_rows,
)
from gnomon.answers.number.measure import r_squared
from gnomon.answers.registry import TYPES
from gnomon.sample import Size, Target

if TYPE_CHECKING:
    from gnomon.eval.scoring.runs import ScoredAnswer

T = TypeVar("T")

# Number of truths tried as the constant answer: half are the most common, half evenly spread.
_CANDIDATES = 48
# Number of items on which the constant answer is chosen. It is then measured on all items.
_CHOSEN_ON = 1000
# Size of a picture in shares, in which boxes of pictures of all sizes are comparable.
_UNIT: Size = (1, 1)


@dataclass(frozen=True, slots=True)
class Chance:
    """The figures of both guessers on the questions of a type."""

    metrics: dict[str, dict[str, float]]
    """The figure of each guesser, by metric."""
    constant_measures: tuple[float, ...]
    """Measure of each item in the first metric, under the constant answer that is best in it."""


def chance(type_name: str, items: Sequence[ScoredAnswer]) -> Chance:
    """Score both guessers in each metric. Constant answers are chosen on up to 1,000 items."""
    answer_type = TYPES[type_name]
    if not answer_type.target.is_readable:  # a constant refusal would always be right
        return Chance({}, ())
    # A random selection: every fifteenth of sorted clocks would be at quarters of an hour.
    indices = sorted(np.random.default_rng(0).permutation(len(items))[:_CHOSEN_ON])
    chosen_on = [items[index] for index in indices]
    constants = _best_constants(answer_type, chosen_on)
    all_items = _ItemSet(answer_type, items)
    # Metrics may share their best answer, which is measured once.
    by_answer = {answer: all_items.measures(answer) for answer in {*constants.values()}}
    values_by_metric = {
        metric: all_items.metrics(by_answer[answer]) for metric, answer in constants.items()
    }
    uniform = _uniform(answer_type, [item.truth for item in chosen_on])
    missing = {
        metric.name for metric in answer_type.metrics if metric.key != "unread"
    } - uniform.keys()
    assert not (uniform and missing), (
        f"uniform guesses at {type_name} lack {missing}: add these to it"
    )
    guessers = {
        "uniform": uniform,
        "constant": {
            metric: values[metric]
            for metric, values in values_by_metric.items()
            if metric in values
        },
    }
    metrics = {
        metric.name: {
            guesser: values[metric.name]
            for guesser, values in guessers.items()
            if metric.name in values
        }
        if metric.key != "unread"  # a guesser's answer can always be read
        else {}
        for metric in answer_type.metrics
    }
    first = answer_type.metrics[0]
    if first.name not in guessers["constant"]:
        return Chance(metrics, ())
    rows = by_answer[constants[first.name]]
    return Chance(metrics, tuple(rows[index][first.key] for index in all_items.index_of_item))


def _uniform(answer_type: AnswerType, truths: Sequence[Target]) -> dict[str, float]:
    """Return the expected value of each metric under uniform guesses, if it is known."""
    levels = {}
    for metric in answer_type.metrics:
        if metric.chance is None:
            continue
        values = [metric.chance(truth) for truth in truths]
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            levels[metric.name] = fmean(known)
    return levels


def _best_constants(
    answer_type: AnswerType, items: Sequence[ScoredAnswer]
) -> dict[str, Value | None]:
    """Find the best constant answer for each metric."""
    item_set = _ItemSet(answer_type, items)
    best: dict[str, tuple[float, Value | None]] = {}
    for answer in _candidates(answer_type, items):
        values = item_set.metrics(item_set.measures(answer))
        for metric in answer_type.metrics:
            if metric.better and metric.name in values:
                # With this sign, a larger value is better.
                value = values[metric.name] * (1 if metric.better == "higher" else -1)
                if metric.name not in best or value > best[metric.name][0]:
                    best[metric.name] = value, answer
    return {metric: answer for metric, (_, answer) in best.items()}


def _candidates(answer_type: AnswerType, items: Sequence[ScoredAnswer]) -> list[Value | None]:
    """List the most common truths, and as many truths at even distances in sorted order."""
    counts = Counter(
        _as_share(answer_type, answer_type.value_of(item.truth), item) for item in items
    )
    common = [value for value, _ in counts.most_common(_CANDIDATES // 2)]
    return list(dict.fromkeys(common + _spread(sorted(counts, key=repr), _CANDIDATES // 2)))


class _ItemSet:
    """The items of a type. Items with the same truth and size are measured once."""

    def __init__(self, answer_type: AnswerType, items: Sequence[ScoredAnswer]) -> None:
        self.answer_type = answer_type
        costs = answer_type.costs([item.truth for item in items])
        # Datasets repeat truths, and metrics of tables are slow.
        distinct = {(item.truth, item.size): cost for item, cost in zip(items, costs, strict=True)}
        self._distinct = list(distinct.items())
        rank = {key: index for index, key in enumerate(distinct)}
        self.index_of_item = np.array([rank[item.truth, item.size] for item in items], np.int64)
        """[N]: index of each item among the distinct questions."""

    def measures(self, answer: Value | None) -> list[dict[str, float]]:
        """Measure the answer for each distinct question, without `measures_without_chance`."""
        text, rows = str(answer), []
        for (truth, size), cost in self._distinct:
            value = answer
            if isinstance(self.answer_type, PlacedType) and answer is not None and size is not None:
                value = self.answer_type.scaled(answer, _UNIT, size)
            rows.append(self.answer_type.measures(truth, ModelAnswer(value, text), cost))
        return rows

    def metrics(self, rows_of_questions: Sequence[dict[str, float]]) -> dict[str, float]:
        """Compute each metric over all items, from the measures of the distinct questions."""
        values = {}
        for metric in self.answer_type.metrics:
            rows = metric_rows(self.answer_type, metric, rows_of_questions)
            counts = np.array([row is not None for row in rows])[self.index_of_item]
            if counts.any():
                filled = np.array([(np.nan,) * len(metric.keys) if r is None else r for r in rows])
                columns = filled[self.index_of_item[counts]].T
                values[metric.name] = STATISTICS[metric.statistic](*columns)
        return {name: value for name, value in values.items() if not np.isnan(value)}


def _as_share(answer_type: AnswerType, value: Value | None, item: ScoredAnswer) -> Value | None:
    """Convert a value from pixels of the item's picture to shares of its size."""
    if isinstance(answer_type, PlacedType) and value is not None and item.size is not None:
        scaled: Value = answer_type.scaled(value, item.size, _UNIT)
        return scaled
    return value


def _spread(items: Sequence[T], most: int) -> list[T]:
    """Take at most `most` items, evenly spaced."""
    return list(items[:: -(-len(items) // most)])


def _r_squared(residuals: Sequence[float], truths: Sequence[float]) -> float:
    """Compute R² from residuals and truths. It is NaN if the truths are all equal."""
    answers = [truth + residual for truth, residual in zip(truths, residuals, strict=True)]
    value = r_squared(answers, truths).value
    return np.nan if value is None else value


STATISTICS: dict[Statistic, Callable[..., float]] = {
    "share": lambda values: float(np.mean(values)),
    "mean": lambda values: float(np.mean(values)),
    "median": lambda values: float(np.median(values)),
    "p90": lambda values: float(np.quantile(values, 0.9)),
    "r_squared": _r_squared,
}
"""Functions that compute a metric from the columns of its measures, by statistic."""
