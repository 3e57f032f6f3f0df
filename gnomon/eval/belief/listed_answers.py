"""The answers that a belief is about, read as answers to the question, and what each is given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from gnomon.answers.base import AnswerType
from gnomon.answers.reading.choice import Value
from gnomon.answers.types import TYPES
from gnomon.sample import Prediction, Target

Floats: TypeAlias = NDArray[np.float64]

SAME = 1e-9
"""Minutes, or numbers, that are no difference."""


@dataclass(frozen=True)
class Listed:
    """The answers that were asked about, as a reader reads them."""

    answer_type: AnswerType
    answers: tuple[str, ...]
    values: tuple[Value | None, ...]
    places: Floats
    """[A]: minutes round the dial, or numbers; NaN for words and for what is not read."""
    apart: Floats
    """[A, A]: how far each is from each, the shorter way; 0 where one is not read."""
    digits: NDArray[np.int8] | None
    """[A, D]: the digits of each, from the left; None where answers are not all made of them."""

    @property
    def period(self) -> float:
        """Minutes of the dial; 0 where there is none."""
        return self.answer_type.period


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
        answers = self.listed.answer_type
        if answers.axis is None:
            said = [v is not None and answers.same(v, truth) for v in self.listed.values]
            return np.array(said)
        return distance(self.listed.places - answers.place(truth), answers.period) < SAME


def believed(prediction: Prediction, truth: Target, name: str) -> Belief:
    """A stored belief, its answers read as answers to this question."""
    if not TYPES[name].can_be_listed:
        raise ValueError(
            f"prediction {prediction.sample_id!r} has log-probabilities of a {name}:"
            " times, numbers and texts can be listed; leave `logprobs` out"
        )
    stored = prediction.logprobs or {}
    listed = _listed(tuple(stored), name, prediction.dialect, truth.form_of_question)
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
    listed = _listed(answers, name, prediction.dialect, truth.form_of_question)
    return Belief(listed, np.full(len(answers), -np.log(len(answers))))


def distance(differences: Floats, period: float) -> Floats:
    apart = np.abs(differences)
    return np.minimum(apart % period, period - apart % period) if period else apart


@lru_cache(maxsize=64)
def _listed(answers: tuple[str, ...], name: str, dialect: str, form: Target) -> Listed:
    """The answers as they are read to a question of that form."""
    found = TYPES[name]
    readings = [
        found.read(answer, form, which="final", dialect=dialect, size=None) for answer in answers
    ]
    values = tuple(reading.value if reading else None for reading in readings)
    places = np.array([math.nan if value is None else found.place(value) for value in values])
    apart = np.nan_to_num(distance(places[:, None] - places[None], found.period))
    return Listed(found, answers, values, places, apart, _digits(found, values))


def _digits(found: AnswerType, values: Sequence[Value | None]) -> NDArray[np.int8] | None:
    """Of all values in as many places as the longest has; None where one has no digits."""
    alone = [None if value is None else found.digits(value, 0) for value in values]
    width = max((len(digits) for digits in alone if digits), default=0)
    rows = [None if value is None else found.digits(value, width) for value in values]
    if None in rows or len({len(row) for row in rows if row}) != 1:
        return None
    return np.array(rows, dtype=np.int8)
