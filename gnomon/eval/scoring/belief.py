"""Beliefs, their measures (log-likelihood, CRPS, mass near the truth), and the answer they support.

A belief is the list of a model's answers with their log-probabilities. p is the belief normalized
to sum to 1; y is the truth.
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
"""Differences in minutes, or in numbers, that count as none."""
RULES = ("mode", "median", "mean")
"""Ways from a belief to an answer. Greedy decoding is none: it needs no list."""
# Length of the mean direction below which rounding decides where it points.
_NO_DIRECTION = 1e-6


@dataclass(frozen=True)
class Belief:
    """Listed answers, as a reader reads them, with their log-probabilities."""

    answer_type: AnswerType
    values: tuple[Value | None, ...]
    positions: Floats
    """[A]: coordinates on the axis, as minutes round the dial or numbers; NaN for words."""
    distances: Floats
    """[A, A]: distance of each answer from each, the shorter way round."""
    logprobs: Floats
    period: float = 0.0
    """Length after which positions begin again, as on a dial; 0 if they never do."""
    unreadable: float = 0.0
    """Share of the probability that nothing can be read, where that is listed as an answer, too;
    `p` and all positions are about the answers that give a value."""

    @property
    def refuses(self) -> bool:
        """True if it is likelier than not that nothing can be read."""
        return self.unreadable > 0.5

    @property
    def p(self) -> Floats:
        """Probabilities of the listed answers with a value, normalized to sum to 1."""
        # Subtracting the greatest keeps exp() from underflowing for long answers, all of which have
        # small probabilities.
        shares = np.exp(self.logprobs - np.max(self.logprobs))
        return cast("Floats", shares / shares.sum())

    def truths(self, truth: Value) -> NDArray[np.bool_]:
        """Mark the answers that equal the truth: [A]."""
        answer_type = self.answer_type
        # Texts have no positions: equal means what the type calls the same.
        if answer_type.axis is None:
            return np.array([v is not None and answer_type.is_same(v, truth) for v in self.values])
        return distance(self.positions - answer_type.position(truth), self.period) < SAME


def read_belief(prediction: Prediction, truth: Target, type_name: str) -> Belief:
    """Read a stored belief, its listed answers as answers to this question."""
    stored, form = prediction.logprobs or {}, truth.answer_form
    type_name = type_name if truth.is_readable else form.type_name
    try:
        return belief_of(stored, form, prediction.dialect, type_name)
    except ValueError as error:
        raise ValueError(f"prediction {prediction.sample_id!r} {error}") from error


def belief_of(
    logprobs: Mapping[str, float], form: AnswerForm, dialect: str, type_name: str
) -> Belief:
    """Return the belief about a question of that form, from log-probabilities by answer."""
    if not TYPES[type_name].is_listable:
        raise ValueError(
            f"has log-probabilities of a {type_name}: times, numbers and texts can be listed; leave"
            " `logprobs` out"
        )
    if not np.isfinite(np.array(list(logprobs.values()), np.float64)).all():
        raise ValueError("has log-probabilities that are not all finite")
    answers = value_answers(logprobs, form)
    scores = np.array([logprobs[answer] for answer in answers], np.float64)
    fields = _read_answers(answers, type_name, dialect, form)
    # Words need no distance: a word that cannot be read is simply wrong. A number would be nowhere.
    if TYPES[type_name].axis is not None and None in fields[0]:
        unread = answers[fields[0].index(None)]
        raise ValueError(f"lists {unread!r}, which cannot be read as a {type_name}: leave it out")
    unreadable = _unreadable_share(logprobs, scores) if len(answers) < len(logprobs) else 0.0
    return Belief(TYPES[type_name], *fields, scores, form.period, unreadable)


def searched_range(
    form: AnswerForm, grid: Sequence[float | str] | None, belief: object
) -> NumberRange | None:
    """Return the numbers of which a belief has the likeliest alone; None if it has a whole list.

    `grid` and `belief` are the recipe's: a list of answers of the user's own is whole.
    """
    if belief and not isinstance(belief, bool):
        return None
    if grid is None:
        return number_range_of(form)
    first, last, step = map(float, grid)
    wide = wide_grid((first, last, step))
    return None if wide is None else number_range_of(form, wide)


def range_of(prediction: Prediction, form: AnswerForm) -> NumberRange | None:
    """Return the numbers of which an answer's belief has the likeliest; None if it has a list."""
    settings = prediction.settings
    return searched_range(form, settings.get("grid"), settings.get("belief"))


def value_answers(logprobs: Iterable[str], form: AnswerForm) -> tuple[str, ...]:
    """Return the listed answers but the one that nothing can be read.

    A text that may be that very word is a value like any other.
    """
    answers = tuple(logprobs)
    others = tuple([answer for answer in answers if answer != WORD])
    is_value = len(others) == len(answers) or form.read_back(WORD) is not None
    return answers if is_value or not others else others


def _unreadable_share(logprobs: Mapping[str, float], scores: Floats) -> float:
    return float(np.exp(logprobs[WORD] - np.logaddexp(logprobs[WORD], np.logaddexp.reduce(scores))))


def distance(differences: Floats, period: float) -> Floats:
    """Return absolute differences; on a dial of that period, the shorter way round."""
    absolute = np.abs(differences)
    if not period:
        return absolute
    return np.minimum(absolute % period, period - absolute % period)


# All clocks list the same 720 answers: they are read once, and not for each question.
@lru_cache(maxsize=64)
def _read_answers(
    answers: tuple[str, ...], type_name: str, dialect: str, form: AnswerForm
) -> tuple[tuple[Value | None, ...], Floats, Floats]:
    """Read the answers to a question of that form; return values, positions and distances."""
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
    """Return the metrics of beliefs, if any answer of the type has one."""
    return METRICS[type_name] if any("belief_listed" in measures for measures in rows) else ()


def measures(prediction: Prediction, truth: Target, type_name: str) -> dict[str, float]:
    """Measure a belief, by name; empty if none was stored."""
    if not prediction.logprobs:
        return {}
    belief = read_belief(prediction, truth, type_name)
    # Rounding may lift the sum a little above 1.
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
        # What a search does not come to has next to no probability, and no known one.
        figures["belief_true"] = 0.0
    if answer_type.axis is not None:
        figures |= _distance_measures(belief, answer_type.position(value))
    return figures


def uniform(group: Iterable[tuple[Prediction, Target]], type_name: str) -> dict[str, float]:
    """Average each measure for a guesser that gives all listed answers the same probability.

    Of long numbers the list is the model's own choice, and nothing to guess from.
    """
    rows = [
        measures(_uniform(prediction), truth, type_name)
        for prediction, truth in group
        if range_of(prediction, truth.answer_form) is None
    ]
    keys = dict.fromkeys(key for row in rows for key in row)
    axis = TYPES[type_name].axis
    if axis is not None and axis.is_cyclic:
        keys.pop("belief_expected", None)  # uniform round a dial has no mean direction
    return {key: float(np.mean([row[key] for row in rows if key in row])) for key in keys}


def _uniform(prediction: Prediction) -> Prediction:
    listed = prediction.logprobs or {}
    return replace(prediction, logprobs=dict.fromkeys(listed, -log(len(listed))))


def _distance_measures(belief: Belief, truth: float) -> dict[str, float]:
    """Measure what needs distances, circular on a dial."""
    p, period = belief.p, belief.period
    distances = distance(belief.positions - truth, period)
    # On a clock minutes are a fair tolerance; numbers of any size need a relative one, which has no
    # meaning where 0 is a place like any other.
    near = {}
    axis = belief.answer_type.axis
    if axis is not None and axis.period:
        near = {f"belief_{m}": float(p[distances <= m + SAME].sum()) for m in (1, 5)}
    elif not period:
        near = {"belief_5pct": float(p[distances <= 0.05 * abs(truth) + SAME].sum())}
    return {
        # A sure belief gives exactly 0, which rounding may turn into −1e-17.
        "belief_crps": max(0.0, float(p @ distances - p @ belief.distances @ p / 2)),
        "belief_expected": float(distance(np.array(expected(belief) - truth), period)),
        **near,
    }


def expected(belief: Belief) -> float:
    """Return the mean; on a dial, the direction of Σ p·e^(iθ) (Mardia and Jupp 2000)."""
    period = belief.period
    if not period:
        return float(belief.p @ belief.positions)
    # 11:55 and 0:05 average to midnight, not to six.
    return float(np.angle(resultant(belief)) / (2 * np.pi) * period % period)


def resultant(belief: Belief) -> complex:
    """Return Σ p·e^(iθ) on a dial; the shorter it is, the less the mean direction means."""
    return complex(belief.p @ np.exp(2j * np.pi * belief.positions / belief.period))


_mean = partial(Metric, statistic="mean")
_PLAIN = (
    _mean("belief_true", "Belief in the truth", headline=True),
    _mean("belief_nll", "Negative log-likelihood of the truth", unit="nats", better="lower"),
    _mean("belief_listed", "Probability of any listed answer"),
)
_TIME = (
    _mean("belief_crps", "CRPS of the belief, circular", unit="min", better="lower", headline=True),
    _mean("belief_1", "Belief within 1 minute"),
    _mean("belief_5", "Belief within 5 minutes", headline=True),
    _mean(
        "belief_expected", "Deviation of the expected time, circular", unit="min", better="lower"
    ),
    *_PLAIN,
)
_NUMBER = (
    _mean("belief_crps", "CRPS of the belief", unit="", better="lower", headline=True),
    _mean("belief_5pct", "Belief within 5 %"),
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
    # Clocks of a type have one period, and minutes as a unit.
    return _TIME if answer_type.axis.period else _CYCLIC


METRICS = {type_name: _metrics_of(answer_type) for type_name, answer_type in TYPES.items()}
"""CRPS: E|X − y| − E|X − X′|/2 for X, X′ from p (Gneiting and Raftery 2007), on a dial with the
shorter way round for |·| (Grimit et al. 2006); for a sure answer it is the deviation."""


# Ten, as reliability diagrams usually have (Guo et al. 2017): with more, a bin has few answers.
BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of which a model was about equally sure."""

    confidence: float
    accuracy: float
    n: int


def calibration_bins(pairs: Sequence[tuple[float, bool]]) -> list[Bin]:
    """Sort pairs of confidence and correctness into bins of equal width, without empty ones."""
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

    The truth can be read, so that it is wrong to say that nothing can be.
    """
    best = int(np.argmax(belief.p))
    confidence = float(belief.p[best]) * (1 - belief.unreadable)
    if belief.unreadable > confidence:
        return belief.unreadable, False
    return confidence, bool(belief.truths(truth)[best])


def best_answer(logprobs: Mapping[str, float], form: AnswerForm, dialect: str, rule: str) -> str:
    """Return the listed answer that has the least expected loss under the belief.

    The mode is right most often, the median is nearest on average, and the mean has the least
    squared distance; on a dial all go the shorter way round. Words have no distances, so that
    theirs is the mode whatever the rule. Where it is likelier than not that nothing can be read,
    and that is listed, it is the answer.
    """
    belief = belief_of(logprobs, form, dialect, form.type_name)
    if belief.refuses:
        return WORD
    return value_answers(logprobs, form)[best_index(belief, rule)]


def best_index(belief: Belief, rule: str) -> int:
    """Return the index of the best answer in the list, as `best_answer` chooses it."""
    if rule not in RULES:
        raise ValueError(f"answer={rule!r}: give one of {', '.join(RULES)}")
    if rule == "mode" or belief.answer_type.axis is None:
        return int(np.argmax(belief.p))
    return _median(belief) if rule == "median" else _nearest_to_mean(belief)


def _median(belief: Belief) -> int:
    """The answer with the least expected distance, which on a line is the median."""
    return int(np.argmin(belief.distances @ belief.p))


def _nearest_to_mean(belief: Belief) -> int:
    mean = expected(belief)
    # On a dial a belief that looks both ways alike has no mean direction.
    if belief.period and abs(resultant(belief)) < _NO_DIRECTION:
        return _median(belief)
    return int(np.argmin(distance(belief.positions - mean, belief.period)))
