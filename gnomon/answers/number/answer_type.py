"""Exact decimals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

import numpy as np

from gnomon.answers.base import Among, Answer, AnswerType, Axis, Errors, Line, Statistic
from gnomon.answers.dialect import Dialect
from gnomon.answers.figures import figure
from gnomon.answers.number import metrics
from gnomon.answers.number.reader import read_number
from gnomon.answers.number.truth import Number
from gnomon.answers.reading.choice import Reading, Value, Which
from gnomon.answers.target import Size, Target

_LARGEST = 1e300
"""A relative error beyond this is this: sums of it must stay finite."""


@dataclass(frozen=True)
class NumberType(AnswerType):
    """Units are read by, not judged. An unread answer costs as much as the farthest wrong one."""

    errors = Errors(
        "Relative error",
        "relative",
        (0, 0.01, 0.05, 0.1, 0.25, 1),
        ("exact", "≤ 1 %", "1–5 %", "5–10 %", "10–25 %", "25–100 %", "> 100 %"),
        more_is_better=False,
    )
    can_be_listed = True
    axis = Axis(("truth", "answer"))

    on_a_scale: bool = False
    """Read off a scale: right is what lies as near to the truth as the scale can be read."""

    @property
    def title(self) -> str:
        """For people."""
        return "Number on a scale" if self.on_a_scale else "Number"

    @property
    def lines(self) -> tuple[Line, ...]:
        """Shares count unread answers as wrong; errors are of the answers that were read."""
        accepted = Line(
            "accepted", "Right as far as the scale can be read", "accepted", headline=True
        )
        return (
            *((accepted,) if self.on_a_scale else ()),
            Line("exact", "Exactly right", "exact", headline=True),
            Line("within_5pct", "Within 5 %", "within_5pct", headline=True),
            Line("relaxed", "Relaxed correctness (ChartQA)", "relaxed", headline=True),
            _error(
                "relative_median",
                "Median relative error of read answers",
                "relative",
                "median",
                headline=True,
            ),
            Line("unread", "Could not be read", "unread", better="lower", headline=True),
            _error("error", "Mean absolute error (MAE)", "error"),
            _error("charged", "MAE, wild and unread as the farthest truth", "charged", among="all"),
            _error("error_median", "Median absolute error", "error", "median"),
            _error("relative", "Mean relative error", "relative"),
            _error("symmetric", "Mean symmetric error (sMAPE)", "symmetric"),
            _error("magnitude", "Mean orders of magnitude off", "magnitude"),
            Line(
                "r_squared",
                "R² of read answers",
                "residual",
                "r_squared",
                "read",
                unit="",
                against="truth",
            ),
        )

    def read(
        self, text: str, truth: Target, *, which: Which, dialect: str, size: Size | None
    ) -> Reading[Value] | None:
        """What the tolerant reader finds."""
        return read_number(text, unit=_number(truth).unit, which=which)

    def measures(self, truth: Target, answer: Answer, cost: float) -> dict[str, float]:
        """Shares and errors; where the truth is 0 there is no relative error."""
        target = _number(truth).value
        relaxed = float(metrics.relaxed_correctness(answer.text, Dialect().write(truth)))
        if answer.value is None:
            shares = {"exact": 0.0, "accepted": 0.0, "within_5pct": 0.0, "relaxed": relaxed}
            return {**shares, "unread": 1.0, "charged": cost}
        assert isinstance(answer.value, Decimal)
        error = metrics.absolute_error(answer.value, target)
        relative = metrics.relative_error(answer.value, target)
        magnitude = metrics.order_of_magnitude(answer.value, target)
        return {
            "exact": float(metrics.number_exact(answer.value, target)),
            "accepted": float(abs(answer.value - target) <= _number(truth).within),
            "within_5pct": float(metrics.number_within(answer.value, target)),
            "relaxed": relaxed,
            "unread": 0.0,
            "error": error,
            "charged": min(error, cost),
            "residual": float(answer.value) - float(target),
            "truth": float(target),
            "symmetric": metrics.symmetric_error(answer.value, target),
            **({} if relative is None else {"relative": min(relative, _LARGEST)}),
            **({} if magnitude is None else {"magnitude": magnitude}),
        }

    def correct(self, measures: dict[str, float]) -> bool:
        """What is accepted; without a scale that is what is exact."""
        return measures["accepted"] == 1

    def credit(self, measures: dict[str, float]) -> float:
        """1 where it is accepted, 1/2 where it is off by no more than 5 % of the truth, else 0."""
        return max(measures["accepted"], measures["within_5pct"] / 2)

    def costs(self, truths: Sequence[Target]) -> list[float]:
        """How far each truth is from the farthest of all; no wrong answer is charged with more.

        Where all are the same, the truth itself, or 1 if that is 0.
        """
        values = np.array([float(_number(truth).value) for truth in truths])
        farthest = np.maximum(
            values - values.min(initial=np.inf), values.max(initial=-np.inf) - values
        )
        return [
            float(far or abs(value) or 1.0) for far, value in zip(farthest, values, strict=True)
        ]

    def badness(self, measures: dict[str, float]) -> float:
        """How far off, without the limit on what is charged."""
        return measures["error"]

    def place(self, value: Value) -> float:
        """The number."""
        return float(cast("Decimal", value))

    def digits(self, value: Value, width: int) -> list[int] | None:
        """Of whole numbers."""
        number = cast("Decimal", value)
        if number != int(number) or number < 0:
            return None
        return [int(digit) for digit in f"{int(number):0{width}d}"]

    def shown(self, value: Value) -> str:
        """Plain, unless it is very long."""
        text = f"{value:f}"
        return text if len(text) <= 24 else f"{value:.6e}"

    def how_far(self, measures: dict[str, float], *, correct: bool) -> str:
        """The error."""
        if correct:
            return "right"
        return f"{figure(measures['error'], '')} off"

    def value_of(self, truth: Target) -> Value:
        """The decimal."""
        return _number(truth).value


def _number(target: Target) -> Number:
    assert isinstance(target, Number)
    return target


def _error(
    name: str,
    label: str,
    measure: str,
    statistic: Statistic = "mean",
    *,
    among: Among = "read",
    headline: bool = False,
) -> Line:
    unit = "%" if measure in ("relative", "symmetric") else ""
    return Line(name, label, measure, statistic, among, unit, "lower", headline)


TYPES: dict[str, AnswerType] = {"number": NumberType(), "reading": NumberType(on_a_scale=True)}
