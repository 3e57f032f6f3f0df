"""The answers that a belief is about, read as answers to the question, and what each is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from gnomon.eval.kinds import KINDS
from gnomon.eval.metrics import Hms, text_exact
from gnomon.eval.parse.reading import Value
from gnomon.sample import Number, Prediction, Target, Text, Time

Floats: TypeAlias = NDArray[np.float64]

SAME = 1e-9
"""Minutes, or numbers, that are no difference."""
_UNLISTED = ("box", "spots", "table")
"""Of these there are too many."""


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
    """[A, A]: how far each is from each, the shorter way; 0 where one is not read."""
    digits: NDArray[np.int8] | None
    """[A, D]: the digits of each, from the left; None where answers are not all made of them."""


@dataclass(frozen=True)
class Belief:
    """Listed answers and what the model gives them."""

    listed: Listed
    logprobs: Floats

    @property
    def unread(self) -> float:
        """What is given to listed answers that cannot be read."""
        return float(self.p[[value is None for value in self.listed.values]].sum())

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
        away = distance(self.listed.places - place(truth, self.listed.period), self.listed.period)
        return away < SAME


def believed(prediction: Prediction, truth: Target, name: str) -> Belief:
    """A stored belief, its answers read as answers to this question."""
    if name in _UNLISTED:
        raise ValueError(
            f"prediction {prediction.sample_id!r} has log-probabilities of a {name}:"
            " times, numbers and texts can be listed; leave `logprobs` out"
        )
    stored = prediction.logprobs or {}
    listed = _listed(tuple(stored), _form(prediction, truth, name))
    return Belief(listed, np.array([_finite(prediction, answer) for answer in stored]))


def _finite(prediction: Prediction, answer: str) -> float:
    """Of probabilities that are exactly 0 no mean of logarithms could be told."""
    found = (prediction.logprobs or {})[answer]
    if not isinstance(found, int | float) or not isfinite(found):
        raise ValueError(
            f"prediction {prediction.sample_id!r}: the log-probability of {answer!r} is {found!r}:"
            " give a finite one"
        )
    return found


def even(prediction: Prediction, truth: Target, name: str) -> Belief:
    """The same answers, each given as much."""
    answers = tuple(prediction.logprobs or ())
    listed = _listed(answers, _form(prediction, truth, name))
    return Belief(listed, np.full(len(answers), -np.log(len(answers))))


def distance(differences: Floats, period: float) -> Floats:
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
    places = np.array([place(value, period) for value in values])
    apart = np.nan_to_num(distance(places[:, None] - places[None], period))
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


def place(value: Value | None, period: float) -> float:
    if isinstance(value, Decimal):
        return float(value)
    if value is None or not period:
        return np.nan
    hour, minute, second = cast("Hms", value)
    return (60 * hour + minute + (second or 0) / 60) % period
