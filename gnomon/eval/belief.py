"""What stored log-probabilities of listed answers say beside the answer itself.

p is the belief over the listed answers, put in proportion to 1; y is the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from gnomon.eval.kinds import KINDS
from gnomon.eval.kinds.base import Line
from gnomon.eval.metrics import text_exact
from gnomon.sample import Number, Prediction, Text, Time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from gnomon.eval.kinds.base import Value
    from gnomon.eval.metrics import Hms
    from gnomon.sample import Target

    Floats: TypeAlias = NDArray[np.float64]

_SAME = 1e-9
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
        answers = tuple(prediction.logprobs or ())
        even = np.full(len(answers), -np.log(len(answers)))
        values = _listed(answers, _form(prediction, truth, name))
        found.append(_measured(Belief(values, even), KINDS[name].value_of(truth)))
    keys = dict.fromkeys(key for one in found for key in one)
    return {key: float(np.mean([one[key] for one in found if key in one])) for key in keys}


@dataclass(frozen=True)
class Listed:
    """The answers that were asked about, as a reader reads them."""

    answers: tuple[str, ...]
    values: tuple[Value | None, ...]
    places: Floats
    """[A]: minutes round the dial, or numbers; NaN for words and for what is not read."""
    period: float
    """Minutes of the dial; 0 where there is none."""
    apart: Floats
    """[A, A]: how far each is from each, the shorter way."""
    digits: NDArray[np.int8] | None
    """[A, D]: the digits of each, from the left; None where answers are not all made of them."""


@dataclass(frozen=True)
class Belief:
    """Listed answers and what the model gives them."""

    listed: Listed
    logprobs: Floats

    @property
    def p(self) -> Floats:
        """In proportion to 1."""
        shares = np.exp(self.logprobs - np.max(self.logprobs))
        return cast("Floats", shares / shares.sum())

    def truths(self, truth: Value) -> NDArray[np.bool_]:
        """[A]: which answers say that."""
        if isinstance(truth, str):
            said = [isinstance(v, str) and text_exact(v, truth) for v in self.listed.values]
            return np.array(said)
        away = _distance(self.listed.places - _place(truth, self.listed.period), self.listed.period)
        return away < _SAME


def believed(prediction: Prediction, truth: Target, name: str) -> Belief:
    """A stored belief, its answers read as answers to this question."""
    stored = prediction.logprobs or {}
    listed = _listed(tuple(stored), _form(prediction, truth, name))
    return Belief(listed, np.fromiter(stored.values(), dtype=np.float64))


def _measured(belief: Belief, truth: Value) -> dict[str, float]:
    is_true = belief.truths(truth)
    found = {"belief_listed": float(min(1.0, np.exp(belief.logprobs).sum()))}
    if is_true.any():
        found["belief_nll"] = float(-np.logaddexp.reduce(belief.logprobs[is_true]))
        found["belief_true"] = float(belief.p[is_true].sum())
    if not isinstance(truth, str) and np.isfinite(belief.listed.places).all():
        found |= _at_a_distance(belief, _place(truth, belief.listed.period))
    return found


def _at_a_distance(belief: Belief, truth: float) -> dict[str, float]:
    """What needs distances: on the dial they are circular."""
    listed, p = belief.listed, belief.p
    away = _distance(listed.places - truth, listed.period)
    crps = float(p @ away - p @ listed.apart @ p / 2)
    within = {f"belief_{m}": float(p[away <= m + _SAME].sum()) for m in (1, 5)}
    if not listed.period:
        within = {"belief_5pct": float(p[away <= 0.05 * abs(truth) + _SAME].sum())}
    off = float(_distance(np.array(expected(belief) - truth), listed.period))
    return {"belief_crps": max(0.0, crps), "belief_expected": off, **within}


def expected(belief: Belief) -> float:
    """The mean; on a dial the circular one, the direction of Σ p·e^(iθ) (Mardia and Jupp 2000)."""
    listed, p = belief.listed, belief.p
    if not listed.period:
        return float(p @ listed.places)
    turned = np.exp(2j * np.pi * listed.places / listed.period)
    return float(np.angle(p @ turned) / (2 * np.pi) * listed.period % listed.period)


def _distance(differences: Floats, period: float) -> Floats:
    apart = np.abs(differences)
    return np.minimum(apart % period, period - apart % period) if period else apart


@dataclass(frozen=True)
class _Form:
    """What must be known of a question to read answers to it."""

    name: str
    dialect: str
    truth: Target
    """A target of the question's form, whatever its value."""


def _form(prediction: Prediction, truth: Target, name: str) -> _Form:
    match truth:
        case Time(hours=hours, form=form):
            return _Form(name, prediction.dialect, Time(0, hours, form=form))
        case Number(unit=unit):
            return _Form(name, prediction.dialect, Number(Decimal(0), unit))
        case Text(choices=choices) if choices:
            return _Form(name, prediction.dialect, Text(choices[0], choices))
        case _:
            return _Form(name, prediction.dialect, Text("-"))


@lru_cache(maxsize=64)
def _listed(answers: tuple[str, ...], form: _Form) -> Listed:
    kind = KINDS[form.name]
    readings = [
        kind.read(Prediction("", answer, None, form.dialect), form.truth, "last")
        for answer in answers
    ]
    values = tuple(reading.value if reading else None for reading in readings)
    period = 60.0 * form.truth.hours if isinstance(form.truth, Time) else 0.0
    places = np.array([_place(value, period) for value in values])
    apart = _distance(places[:, None] - places[None], period)
    return Listed(answers, values, places, period, apart, _digits(values))


def digits_of(value: Value | None, width: int) -> list[int] | None:
    """A time as HHMM, a whole number in so many digits; None for what is not made of digits."""
    match value:
        case (int(hour), int(minute), _):
            text = f"{hour:02}{minute:02}"
        case Decimal() if value == int(value) and value >= 0:
            text = f"{int(value):0{width}d}"
        case _:
            return None
    return [int(digit) for digit in text]


def _digits(values: Sequence[Value | None]) -> NDArray[np.int8] | None:
    numbers = [int(value) for value in values if isinstance(value, Decimal)]
    width = len(str(max(numbers, default=0)))
    rows = [digits_of(value, width) for value in values]
    if None in rows or len({len(row) for row in rows if row}) != 1:
        return None
    return np.array(rows, dtype=np.int8)


def _place(value: Value | None, period: float) -> float:
    if isinstance(value, Decimal):
        return float(value)
    if value is None or not period:
        return np.nan
    hour, minute, second = cast("Hms", value)
    return (60 * hour + minute + (second or 0) / 60) % period


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
