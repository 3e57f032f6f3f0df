"""What stored log-probabilities of listed answers say beside the answer itself.

p is the belief over the listed answers, put in proportion to 1; y is the truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from math import log

import numpy as np

from gnomon.answers.base import Line
from gnomon.answers.types import TYPES
from gnomon.eval.belief.listed_answers import SAME, Belief, believed, distance
from gnomon.sample import Prediction, Target


def lines(name: str, measured: Iterable[Mapping[str, float]]) -> tuple[Line, ...]:
    """A kind's lines, and those of belief where any answer has one."""
    believed = any("belief_listed" in measures for measures in measured)
    return TYPES[name].lines + (LINES[name] if believed else ())


def measures(prediction: Prediction, truth: Target, name: str) -> dict[str, float]:
    """A belief's measures by name; nothing where none was stored."""
    if not prediction.logprobs:
        return {}
    belief = believed(prediction, truth, name)
    answers = belief.answer_type
    true = answers.value_of(truth)
    is_true = belief.truths(true)
    found = {"belief_listed": float(min(1.0, np.exp(belief.logprobs).sum()))}
    if is_true.any():
        found["belief_nll"] = float(-np.logaddexp.reduce(belief.logprobs[is_true]))
        found["belief_true"] = float(belief.p[is_true].sum())
    if answers.axis is not None:
        found |= _at_a_distance(belief, answers.place(true))
    return found


def uniform(group: Iterable[tuple[Prediction, Target]], name: str) -> dict[str, float]:
    """Each measure's mean for one who gives all listed answers the same probability."""
    found = [measures(_even(prediction), truth, name) for prediction, truth in group]
    keys = dict.fromkeys(key for one in found for key in one)
    if TYPES[name].period:
        keys.pop("belief_expected", None)  # evenly round a dial has no direction
    return {key: float(np.mean([one[key] for one in found if key in one])) for key in keys}


def _even(prediction: Prediction) -> Prediction:
    listed = prediction.logprobs or {}
    return replace(prediction, logprobs=dict.fromkeys(listed, -log(len(listed))))


def _at_a_distance(belief: Belief, truth: float) -> dict[str, float]:
    """What needs distances: on the dial they are circular."""
    p, period = belief.p, belief.answer_type.period
    away = distance(belief.places - truth, period)
    within = {f"belief_{m}": float(p[away <= m + SAME].sum()) for m in (1, 5)}
    if not period:
        within = {"belief_5pct": float(p[away <= 0.05 * abs(truth) + SAME].sum())}
    return {
        "belief_crps": max(0.0, float(p @ away - p @ belief.apart @ p / 2)),
        "belief_expected": float(distance(np.array(expected(belief) - truth), period)),
        **within,
    }


def expected(belief: Belief) -> float:
    """The mean; on a dial the circular one, the direction of Σ p·e^(iθ) (Mardia and Jupp 2000)."""
    places, p, period = belief.places, belief.p, belief.answer_type.period
    if not period:
        return float(p @ places)
    turned = np.exp(2j * np.pi * places / period)
    return float(np.angle(p @ turned) / (2 * np.pi) * period % period)


_mean = partial(Line, statistic="mean")
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
LINES = {
    name: _TIME if answers.period else _NUMBER if answers.axis else _PLAIN
    for name, answers in TYPES.items()
}
"""CRPS: E|X − y| − E|X − X′|/2 for X, X′ from p (Gneiting and Raftery 2007), on a dial with the
shorter way round for |·| (Grimit et al. 2006); for a sure answer it is the deviation."""
