"""Beliefs: their scores (log-likelihood, CRPS, mass near the truth), and the best answer.

A belief is a list of possible answers with the log-probability that a model gives to each. p is the
belief normalized to a sum of 1, and y is the truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import log, nan
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from gnomon.answers.base.answer_type import AnswerType, Metric, Value
from gnomon.answers.base.number_range import NumberRange, wide_grid
from gnomon.answers.base.target import AnswerForm
from gnomon.answers.number.answer import number_range_of
from gnomon.answers.registry import TYPES
from gnomon.answers.unreadable.answer import WORD
from gnomon.dialect import create
from gnomon.sample import Prediction, Target

if TYPE_CHECKING:  # it imports scipy, which predicting and listing do without
    from gnomon.eval.stats.intervals import Floats


SAME = 1e-9
"""Distances up to this, in minutes or in units of numbers, count as 0."""
RULES = ("mode", "median", "mean")
"""Rules that choose an answer from a belief."""
# A shorter mean vector has no direction, except by rounding errors.
_NO_DIRECTION = 1e-6


@dataclass(frozen=True)
class Belief:
    """Listed answers, as the type's reader reads them, with their log-probabilities."""

    answer_type: AnswerType
    values: tuple[Value | None, ...]
    positions: Floats
    """[A]: positions on the axis, in minutes or as numbers. NaN for words."""
    distances: Floats
    """[A, A]: distance between each pair of answers, the shorter way round on a circular scale."""
    logprobs: Floats
    period: float = 0.0
    """Length of a circular scale, such as a dial. 0 if the scale is not circular."""
    unreadable: float = 0.0
    """Probability of "unreadable" among the listed answers, or 0 if it is not listed.

    `p` and the arrays cover only the answers with a value."""

    @property
    def refuses(self) -> bool:
        """True if "unreadable" has a probability above one half."""
        return self.unreadable > 0.5

    @property
    def p(self) -> Floats:
        """Probabilities of the listed answers with a value, normalized to a sum of 1."""
        # Subtracting the maximum prevents underflow: all long answers have small probabilities.
        shares = np.exp(self.logprobs - np.max(self.logprobs))
        return cast("Floats", shares / shares.sum())

    def truths(self, truth: Value) -> NDArray[np.bool_]:
        """Return True for each answer that equals the truth: [A]."""
        answer_type = self.answer_type
        # Texts have no positions, so their type compares them.
        if answer_type.axis is None:
            return np.array([v is not None and answer_type.is_same(v, truth) for v in self.values])
        return distance(self.positions - answer_type.position(truth), self.period) < SAME


def read_belief(prediction: Prediction, truth: Target, type_name: str) -> Belief:
    """Read the belief of a stored prediction. Raises a ValueError that names the sample."""
    stored, form = prediction.logprobs or {}, truth.answer_form
    type_name = type_name if truth.is_readable else form.type_name
    try:
        return belief_of(stored, form, prediction.dialect, type_name)
    except ValueError as error:
        raise ValueError(f"prediction {prediction.sample_id!r} {error}") from error


def belief_of(
    logprobs: Mapping[str, float], form: AnswerForm, dialect: str, type_name: str
) -> Belief:
    """Return the belief about a question with this form, from log-probabilities by answer."""
    if not TYPES[type_name].is_listable:
        raise ValueError(
            f"has log-probabilities of a {type_name}, but only times, numbers and texts can be"
            " listed: leave `logprobs` out"
        )
    if not np.isfinite(np.array(list(logprobs.values()), np.float64)).all():
        raise ValueError("has log-probabilities that are not all finite: give finite numbers")
    answers = value_answers(logprobs, form)
    scores = np.array([logprobs[answer] for answer in answers], np.float64)
    fields = _read_answers(answers, type_name, dialect, form)
    # A word that cannot be read is wrong. A number that cannot be read would lack a position.
    if TYPES[type_name].axis is not None and None in fields[0]:
        unread = answers[fields[0].index(None)]
        raise ValueError(f"lists {unread!r}, which cannot be read as a {type_name}: leave it out")
    unreadable = _unreadable_share(logprobs, scores) if len(answers) < len(logprobs) else 0.0
    return Belief(TYPES[type_name], *fields, scores, form.period, unreadable)


def searched_range(
    form: AnswerForm, grid: Sequence[float | str] | None, belief: object
) -> NumberRange | None:
    """Return the range of numbers that a belief was searched in, or None if it has a full list.

    A belief over a wide range lists only the most likely numbers. `grid` and `belief` are
    `eval.grid` and `eval.belief` of the recipe. A list of answers in `belief` is a full list.
    """
    if belief and not isinstance(belief, bool):
        return None
    if grid is None:
        return number_range_of(form)
    first, last, step = map(float, grid)
    wide = wide_grid((first, last, step))
    return None if wide is None else number_range_of(form, wide)


def range_of(prediction: Prediction, form: AnswerForm) -> NumberRange | None:
    """Return `searched_range` for the settings of a stored prediction."""
    settings = prediction.settings
    return searched_range(form, settings.get("grid"), settings.get("belief"))


def value_answers(logprobs: Iterable[str], form: AnswerForm) -> tuple[str, ...]:
    """Return the listed answers without "unreadable".

    "unreadable" stays if it can be the value of a text question, or is the only answer.
    """
    answers = tuple(logprobs)
    others = tuple([answer for answer in answers if answer != WORD])
    is_value = len(others) == len(answers) or form.read_back(WORD) is not None
    return answers if is_value or not others else others


def _unreadable_share(logprobs: Mapping[str, float], scores: Floats) -> float:
    return float(np.exp(logprobs[WORD] - np.logaddexp(logprobs[WORD], np.logaddexp.reduce(scores))))


def distance(differences: Floats, period: float) -> Floats:
    """Return absolute differences, the shorter way round if the period is above 0."""
    absolute = np.abs(differences)
    if not period:
        return absolute
    return np.minimum(absolute % period, period - absolute % period)


# All clocks list the same 720 answers, so these are read once instead of for each question.
@lru_cache(maxsize=64)
def _read_answers(
    answers: tuple[str, ...], type_name: str, dialect: str, form: AnswerForm
) -> tuple[tuple[Value | None, ...], Floats, Floats]:
    """Read listed answers to a question with this form. Return values, positions and distances."""
    answer_type = TYPES[type_name]
    dialect_of_model = create(dialect)
    readings = [
        answer_type.read(answer, form, which="final", dialect=dialect_of_model, size=None)
        for answer in answers
    ]
    values = tuple(reading.value if reading else None for reading in readings)
    positions = np.array(
        [nan if value is None else answer_type.position(value) for value in values]
    )
    return (
        values,
        positions,
        distance(positions[:, None] - positions[None], form.period),
    )


def metrics(type_name: str, rows: Iterable[Mapping[str, float]]) -> tuple[Metric, ...]:
    """Return the metrics of beliefs, or () if `rows`, the measures of all answers, lack them."""
    return METRICS[type_name] if any("belief_listed" in measures for measures in rows) else ()


def measures(prediction: Prediction, truth: Target, type_name: str) -> dict[str, float]:
    """Score a belief. Return measures by name, or {} if the prediction lacks a belief."""
    if not prediction.logprobs:
        return {}
    belief = read_belief(prediction, truth, type_name)
    # By rounding, the sum may be slightly above 1.
    total = float(np.exp(list(prediction.logprobs.values())).sum())
    figures = {"belief_listed": min(1.0, total)}
    if not truth.is_readable:
        if WORD in prediction.logprobs:
            figures["belief_nll"] = -prediction.logprobs[WORD]
        return figures | {"belief_true": belief.unreadable}
    answer_type = belief.answer_type
    value = answer_type.value_of(truth)
    is_true = belief.truths(value)
    if is_true.any():
        figures["belief_nll"] = float(-np.logaddexp.reduce(belief.logprobs[is_true]))
        figures["belief_true"] = float(belief.p[is_true].sum()) * (1 - belief.unreadable)
    elif range_of(prediction, truth.answer_form) is not None:
        # The probability of a number that the search left out is unknown, but close to 0.
        figures["belief_true"] = 0.0
    if answer_type.axis is not None:
        figures |= _distance_measures(belief, answer_type.position(value))
    return figures


def uniform(group: Iterable[tuple[Prediction, Target]], type_name: str) -> dict[str, float]:
    """Average each measure for a guesser that gives all listed answers the same probability.

    Beliefs from a search are left out, because the model chose their list.
    """
    rows = [
        measures(_uniform(prediction), truth, type_name)
        for prediction, truth in group
        if range_of(prediction, truth.answer_form) is None
    ]
    keys = dict.fromkeys(key for row in rows for key in row)
    axis = TYPES[type_name].axis
    if axis is not None and axis.is_cyclic:
        keys.pop("belief_expected", None)  # a uniform belief on a circle lacks a mean direction
    return {key: float(np.mean([row[key] for row in rows if key in row])) for key in keys}


def _uniform(prediction: Prediction) -> Prediction:
    listed = prediction.logprobs or {}
    return replace(prediction, logprobs=dict.fromkeys(listed, -log(len(listed))))


def _distance_measures(belief: Belief, truth: float) -> dict[str, float]:
    """Compute the measures that need distances, which are circular on a circular scale."""
    p, period = belief.p, belief.period
    distances = distance(belief.positions - truth, period)
    # Clocks have a tolerance in minutes. Numbers of any size need a relative tolerance. It
    # has no meaning on a circular scale, because the 0 of such a scale is arbitrary.
    near = {}
    axis = belief.answer_type.axis
    if axis is not None and axis.period:
        near = {f"belief_{m}": float(p[distances <= m + SAME].sum()) for m in (1, 5)}
    elif not period:
        near = {"belief_5pct": float(p[distances <= 0.05 * abs(truth) + SAME].sum())}
    return {
        # A certain belief gives exactly 0, which rounding may turn into −1e-17.
        "belief_crps": max(0.0, float(p @ distances - p @ belief.distances @ p / 2)),
        "belief_expected": float(distance(np.array(expected(belief) - truth), period)),
        **near,
    }


def expected(belief: Belief) -> float:
    """Return the mean of a belief.

    On a circular scale, it is the direction of Σ p·e^(iθ) (Mardia and Jupp 2000).
    """
    period = belief.period
    if not period:
        return float(belief.p @ belief.positions)
    # 11:55 and 0:05 average to midnight, not to six.
    return float(np.angle(resultant(belief)) / (2 * np.pi) * period % period)


def resultant(belief: Belief) -> complex:
    """Return the mean vector Σ p·e^(iθ) of a belief on a circle, of length 1 if p is certain."""
    return complex(belief.p @ np.exp(2j * np.pi * belief.positions / belief.period))


_mean = partial(Metric, statistic="mean")
_PLAIN = (
    _mean("belief_true", "Probability of the truth", headline=True),
    _mean("belief_nll", "Negative log-likelihood of the truth", unit="nats", better="lower"),
    _mean("belief_listed", "Probability of any listed answer"),
)
_TIME = (
    _mean("belief_crps", "CRPS of the belief, circular", unit="min", better="lower", headline=True),
    _mean("belief_1", "Probability within 1 minute"),
    _mean("belief_5", "Probability within 5 minutes", headline=True),
    _mean(
        "belief_expected", "Deviation of the expected time, circular", unit="min", better="lower"
    ),
    *_PLAIN,
)
_NUMBER = (
    _mean("belief_crps", "CRPS of the belief", unit="", better="lower", headline=True),
    _mean("belief_5pct", "Probability within 5 %"),
    _mean("belief_expected", "Error of the expected number", unit="", better="lower"),
    *_PLAIN,
)
_CYCLIC = (
    _mean("belief_crps", "CRPS of the belief, round the scale", unit="", better="lower",
          headline=True),
    _mean("belief_expected", "Distance of the expected number, round the scale", unit="",
          better="lower"),
    *_PLAIN,
)  # fmt: skip


def _metrics_of(answer_type: AnswerType) -> tuple[Metric, ...]:
    if answer_type.axis is None:
        return _PLAIN
    if not answer_type.axis.is_cyclic:
        return _NUMBER
    # All clocks of a type have the same period, and the unit is minutes.
    return _TIME if answer_type.axis.period else _CYCLIC


METRICS = {type_name: _metrics_of(answer_type) for type_name, answer_type in TYPES.items()}
"""Metrics of beliefs for each type of answer.

CRPS is E|X − y| − E|X − X′|/2 for X and X′ drawn from p (Gneiting and Raftery 2007). On a circular
scale, |·| is the distance the shorter way round (Grimit et al. 2006). For a certain belief, CRPS is
the distance from the truth."""


# Reliability diagrams usually have ten bins (Guo et al. 2017). More bins have too few answers.
BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers with about the same confidence. `confidence` and `accuracy` are means."""

    confidence: float
    accuracy: float
    n: int


def calibration_bins(pairs: Sequence[tuple[float, bool]]) -> list[Bin]:
    """Sort (confidence, correctness) pairs into bins of equal width. Empty bins are left out."""
    confidence, right = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    # A confidence of exactly 1 belongs to the last bin.
    bin_of_pair = np.minimum((confidence * BINS).astype(int), BINS - 1)
    return [
        Bin(float(confidence[mask].mean()), float(right[mask].mean()), int(mask.sum()))
        for mask in (bin_of_pair == b for b in np.unique(bin_of_pair))
    ]


def expected_error(bins: Sequence[Bin]) -> float:
    """Compute the expected calibration error: Σ n_b/n · |accuracy_b − confidence_b|.

    By Naeini et al. 2015.
    """
    return sum(b.n * abs(b.accuracy - b.confidence) for b in bins) / max(1, sum(b.n for b in bins))


def top_answer(belief: Belief, truth: Value) -> tuple[float, bool]:
    """Return the confidence in the most likely answer, and True if that answer is right.

    `truth` is a value, so the answer "unreadable" is wrong.
    """
    best = int(np.argmax(belief.p))
    confidence = float(belief.p[best]) * (1 - belief.unreadable)
    if belief.unreadable > confidence:
        return belief.unreadable, False
    return confidence, bool(belief.truths(truth)[best])


def best_answer(logprobs: Mapping[str, float], form: AnswerForm, dialect: str, rule: str) -> str:
    """Return the listed answer that has the least expected loss under the belief.

    The rule "mode" maximizes accuracy, "median" minimizes the expected distance, and "mean" the
    expected squared distance. On a circular scale, distances go the shorter way round. Words have
    no distances, so every rule returns their mode. If "unreadable" is listed and has a probability
    above one half, it is the answer.
    """
    belief = belief_of(logprobs, form, dialect, form.type_name)
    if belief.refuses:
        return WORD
    return value_answers(logprobs, form)[best_index(belief, rule)]


def best_index(belief: Belief, rule: str) -> int:
    """Return the index of the answer that `best_answer` chooses among those with a value."""
    if rule not in RULES:
        raise ValueError(f"answer={rule!r}: give one of {', '.join(RULES)}")
    if rule == "mode" or belief.answer_type.axis is None:
        return int(np.argmax(belief.p))
    return _median(belief) if rule == "median" else _nearest_to_mean(belief)


def _median(belief: Belief) -> int:
    """Return the answer with the smallest expected distance. On a line, it is the median."""
    return int(np.argmin(belief.distances @ belief.p))


def _nearest_to_mean(belief: Belief) -> int:
    mean = expected(belief)
    # On a circle, a belief in two opposite answers lacks a mean direction.
    if belief.period and abs(resultant(belief)) < _NO_DIRECTION:
        return _median(belief)
    return int(np.argmin(distance(belief.positions - mean, belief.period)))
