"""What stored log-probabilities of listed answers say beside the answer itself.

p is the belief over the listed answers, put in proportion to 1; y is the truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from gnomon.answers.base import AnswerType, Line
from gnomon.answers.types import TYPES
from gnomon.eval.belief.listed_answers import SAME, Belief, believed, distance, even
from gnomon.sample import Prediction, Target


def lines(name: str, measured: Sequence[Mapping[str, float]]) -> tuple[Line, ...]:
    """A kind's lines, and those of belief where any answer has one."""
    held = {measure for measures in measured for measure in measures}
    return (
        TYPES[name].lines
        + (LINES[name] if "belief_listed" in held else ())
        + (_UNREAD if "belief_unread" in held else ())
    )


def measures(prediction: Prediction, truth: Target, name: str) -> dict[str, float]:
    """A belief's measures by name; nothing where none was stored."""
    if not prediction.logprobs:
        return {}
    return _measured(believed(prediction, truth, name), TYPES[name], truth)


def uniform(group: Iterable[tuple[Prediction, Target]], name: str) -> dict[str, float]:
    """Each measure's mean for one who gives all listed answers the same probability."""
    found = [_measured(even(p, truth, name), TYPES[name], truth) for p, truth in group]
    keys = dict.fromkeys(key for one in found for key in one)
    return {key: float(np.mean([one[key] for one in found if key in one])) for key in keys}


def _measured(belief: Belief, answers: AnswerType, target: Target) -> dict[str, float]:
    truth = answers.value_of(target)
    is_true = belief.truths(truth)
    found = {"belief_listed": float(min(1.0, np.exp(belief.logprobs).sum()))}
    if is_true.any():
        found["belief_nll"] = float(-np.logaddexp.reduce(belief.logprobs[is_true]))
        found["belief_true"] = float(belief.p[is_true].sum())
    if None in belief.listed.values:
        found["belief_unread"] = belief.unread
    if answers.axis is not None:
        found |= _at_a_distance(belief, answers.place(truth))
    return found


def _at_a_distance(belief: Belief, truth: float) -> dict[str, float]:
    """What needs distances: on the dial they are circular.

    What cannot be read, u of the belief, is as far from the truth and from every other answer as
    the farthest of them, D: that adds u D to E|X − y| and u (1 − u) D to E|X − X′|/2.
    """
    listed, p, unread = belief.listed, belief.p, belief.unread
    away = distance(listed.places - truth, listed.period)
    farthest = listed.period / 2 or float(np.nanmax(away, initial=0)) or abs(truth) or 1.0
    crps = float(p @ np.nan_to_num(away) - p @ listed.apart @ p / 2) + unread**2 * farthest
    within = {f"belief_{m}": float(p[away <= m + SAME].sum()) for m in (1, 5)}
    if not listed.period:
        within = {"belief_5pct": float(p[away <= 0.05 * abs(truth) + SAME].sum())}
    off = unread * farthest
    if any(value is not None for value in listed.values):
        mean = np.array(expected(belief) - truth)
        off += (1 - unread) * float(distance(mean, listed.period))
    return {"belief_crps": max(0.0, crps), "belief_expected": off, **within}


def expected(belief: Belief) -> float:
    """The mean of what can be read; on a dial the circular one, the direction of Σ p·e^(iθ)
    (Mardia and Jupp 2000)."""
    read = np.isfinite(belief.listed.places)
    places, p, period = belief.listed.places[read], belief.p[read], belief.listed.period
    if not period:
        return float(p @ places / p.sum())
    turned = np.exp(2j * np.pi * places / period)
    return float(np.angle(p @ turned) / (2 * np.pi) * period % period)


_mean = partial(Line, statistic="mean")
_PLAIN = (
    _mean("belief_true", "Belief in the truth", headline=True),
    _mean("belief_nll", "Negative log-likelihood of the truth", unit="nats", better="lower"),
    _mean("belief_listed", "Probability of any listed answer"),
)
_UNREAD = (_mean("belief_unread", "Belief in what cannot be read", better="lower"),)
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
