"""What stored log-probabilities of listed answers say beside the answer itself.

p is the belief over the listed answers, put in proportion to 1; y is the truth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.eval.kinds import KINDS
from gnomon.eval.kinds.base import Line
from gnomon.eval.listed import SAME, Belief, believed, distance, even, place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.eval.kinds.base import Value
    from gnomon.sample import Prediction, Target

_MOST_TRUTHS = 48
"""Truths that a uniform belief is held against."""


def lines(name: str, measured: Sequence[Mapping[str, float]]) -> tuple[Line, ...]:
    """A kind's lines, and those of belief where any answer has one."""
    believed = any("belief_listed" in measures for measures in measured)
    return KINDS[name].lines + (LINES.get(name, _PLAIN) if believed else ())


def measures(prediction: Prediction, truth: Target, name: str) -> dict[str, float]:
    """A belief's measures by name; nothing where none was stored."""
    if not prediction.logprobs:
        return {}
    return _measured(believed(prediction, truth, name), KINDS[name].value_of(truth))


def uniform(group: Sequence[tuple[Prediction, Target]], name: str) -> dict[str, float]:
    """Each measure's mean for one who gives all listed answers the same probability."""
    stored = [(prediction, truth) for prediction, truth in group if prediction.logprobs]
    found = []
    for prediction, truth in stored[:: -(-len(stored) // _MOST_TRUTHS) or 1]:
        found.append(_measured(even(prediction, truth, name), KINDS[name].value_of(truth)))
    keys = dict.fromkeys(key for one in found for key in one)
    return {key: float(np.mean([one[key] for one in found if key in one])) for key in keys}


def _measured(belief: Belief, truth: Value) -> dict[str, float]:
    is_true = belief.truths(truth)
    found = {"belief_listed": float(min(1.0, np.exp(belief.logprobs).sum()))}
    if is_true.any():
        found["belief_nll"] = float(-np.logaddexp.reduce(belief.logprobs[is_true]))
        found["belief_true"] = float(belief.p[is_true].sum())
    if not isinstance(truth, str) and np.isfinite(belief.listed.places).all():
        found |= _at_a_distance(belief, place(truth, belief.listed.period))
    return found


def _at_a_distance(belief: Belief, truth: float) -> dict[str, float]:
    """What needs distances: on the dial they are circular."""
    listed, p = belief.listed, belief.p
    away = distance(listed.places - truth, listed.period)
    crps = float(p @ away - p @ listed.apart @ p / 2)
    within = {f"belief_{m}": float(p[away <= m + SAME].sum()) for m in (1, 5)}
    if not listed.period:
        within = {"belief_5pct": float(p[away <= 0.05 * abs(truth) + SAME].sum())}
    off = float(distance(np.array(expected(belief) - truth), listed.period))
    return {"belief_crps": max(0.0, crps), "belief_expected": off, **within}


def expected(belief: Belief) -> float:
    """The mean; on a dial the circular one, the direction of Σ p·e^(iθ) (Mardia and Jupp 2000)."""
    listed, p = belief.listed, belief.p
    if not listed.period:
        return float(p @ listed.places)
    turned = np.exp(2j * np.pi * listed.places / listed.period)
    return float(np.angle(p @ turned) / (2 * np.pi) * listed.period % listed.period)


def _mean(name: str, label: str, unit: str, better: str, *, headline: bool = False) -> Line:
    return Line(
        name,
        label,
        name,
        "mean",
        "all",
        unit,
        "higher" if better == "higher" else "lower",
        headline,
    )


_PLAIN = (
    _mean("belief_true", "Belief in the truth", "%", "higher", headline=True),
    _mean("belief_nll", "Negative log-likelihood of the truth", "nats", "lower"),
    _mean("belief_listed", "Probability of any listed answer", "%", "higher"),
)
_TIME = (
    _mean("belief_crps", "CRPS of the belief, circular", "min", "lower", headline=True),
    _mean("belief_1", "Belief within 1 minute", "%", "higher"),
    _mean("belief_5", "Belief within 5 minutes", "%", "higher", headline=True),
    _mean("belief_expected", "Deviation of the expected time, circular", "min", "lower"),
    *_PLAIN,
)
_NUMBER = (
    _mean("belief_crps", "CRPS of the belief", "", "lower", headline=True),
    _mean("belief_5pct", "Belief within 5 %", "%", "higher"),
    _mean("belief_expected", "Error of the expected number", "", "lower"),
    *_PLAIN,
)
LINES = {"time": _TIME, "time24": _TIME, "number": _NUMBER, "reading": _NUMBER}
"""CRPS: E|X − y| − E|X − X′|/2 for X, X′ from p (Gneiting and Raftery 2007), on a dial with the
shorter way round for |·| (Grimit et al. 2006); for a sure answer it is the deviation."""
