"""Metrics of numbers, ChartQA's of any answer's text, and the types."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from gnomon.answers.base.answer_type import (
    AnswerAxis,
    AnswerType,
    ErrorHistogram,
    Metric,
    ModelAnswer,
    Value,
    format_exact,
)
from gnomon.answers.base.dialect import Dialect
from gnomon.answers.base.target import Size
from gnomon.answers.number.answer import Number, NumberForm, wrap_around
from gnomon.answers.number.read import parse_number, read_number
from gnomon.answers.reading.base import Reading, Which

Numeric: TypeAlias = float | Decimal


def number_exact(prediction: Numeric, target: Numeric) -> bool:
    """True if the two are equal as decimals: 3.50 is 3.5, and the float 0.1 is 0.1.

    Units are ignored.
    """
    return _decimal(prediction) == _decimal(target)


def absolute_error(prediction: Numeric, target: Numeric) -> float:
    """|p − t| in decimals: 12.3 and 3.1 are 9.2 apart. The mean is the MAE."""
    return abs(residual(prediction, target))


def residual(prediction: Numeric, target: Numeric) -> float:
    """Difference p − t in decimals, without the rounding errors of floats."""
    return float(_ROUNDED.subtract(_decimal(prediction), _decimal(target)))


def relative_error(prediction: Numeric, target: Numeric) -> float | None:
    """|p − t| / |t|, or None if t is 0. The mean leaves such items out."""
    if target == 0:
        return None
    return absolute_error(prediction, target) / abs(float(target))


def symmetric_error(prediction: Numeric, target: Numeric) -> float:
    """2 |p − t| / (|p| + |t|), from 0 to 2, and 0 if both are 0. The mean is the sMAPE.

    Makridakis 1993, with absolute values in the denominator, because signs would cancel.
    """
    p, t = float(prediction), float(target)
    return 2 * abs(p - t) / (abs(p) + abs(t)) if p or t else 0.0


def order_of_magnitude(prediction: Numeric, target: Numeric) -> float | None:
    """|log10(p / t)|: 1 is ten times too much or too little. None if p / t is not above 0.

    It distinguishes a slipped decimal point from a misread digit.
    """
    p, t = float(prediction), float(target)
    # The product p · t of two small numbers would be 0.
    if p * math.copysign(1, t) <= 0 or t == 0:
        return None
    return abs(math.log10(abs(p)) - math.log10(abs(t)))


class RSquared(NamedTuple):
    """R² of the pairs whose answer was read, and the numbers of read and unread answers."""

    value: float | None
    n: int
    dropped: int


def r_squared(predictions: Sequence[Numeric | None], targets: Sequence[Numeric]) -> RSquared:
    """1 − Σ (p − t)² / Σ (t − mean t)², the coefficient of determination of the line p = t.

    Unread answers, None, are dropped. Always quote their number with the value. R² is below 0 if
    the mean truth would have been the better guess, and None if the remaining truths are equal.
    """
    if len(predictions) != len(targets):
        raise ValueError(f"{len(predictions)} predictions of {len(targets)} targets: give as many")
    pairs = [
        (float(p), float(t)) for p, t in zip(predictions, targets, strict=True) if p is not None
    ]
    dropped = len(targets) - len(pairs)
    if len({t for _, t in pairs}) < 2:
        return RSquared(None, len(pairs), dropped)
    size = max(max(abs(p), abs(t)) for p, t in pairs)  # squares of 1e300 do not fit into a float
    mean = math.fsum(t / size for _, t in pairs) / len(pairs)
    residual_squares = math.fsum((p / size - t / size) ** 2 for p, t in pairs)
    spread = math.fsum((t / size - mean) ** 2 for _, t in pairs)
    return RSquared(1 - residual_squares / spread if spread else None, len(pairs), dropped)


def number_within(prediction: Numeric, target: Numeric, tolerance: float = 0.05) -> bool:
    """|p − t| ≤ tolerance · |t|, in decimals: 44.1 is within 5 % of 42, and only 0 is near 0.

    Unlike `relaxed_correctness` it compares numbers that a reader has read: 1,000 is 1000, 0.0 is
    0, "about 41" is 41, and percent signs are ignored. 1984 is within 5 % of 2024, so judge years
    by `number_exact`.
    """
    guess, truth = _decimal(prediction), _decimal(target)
    if not (guess.is_finite() and truth.is_finite()):
        return False
    return abs(guess - truth) <= _decimal(tolerance) * abs(truth)


def relaxed_correctness(prediction: str, target: str, tolerance: float = 0.05) -> bool:
    """ChartQA's rule (Masry et al. 2022, section 5.1), as pix2struct's metrics.py has it.

    A trailing % divides by 100. An answer is right within 5 % of a numeric target other than 0.
    Otherwise the lower-cased strings must be equal, so 0.0 is not 0 and 1,000 is not 1000. The
    rule keeps these faults for comparison with published figures.
    """
    guess, truth = _pix2struct_float(prediction), _pix2struct_float(target)
    if guess is not None and truth:
        return abs(guess - truth) / abs(truth) <= tolerance
    return prediction.lower() == target.lower()


def digit_accuracy(prediction: Numeric, target: Numeric, digits: int) -> float:
    """Share of a counter's figures that are right, place by place, including leading zeros.

    `digits` is the number of figures before the point. The target decides how many follow it. An
    answer with more figures has 0, because each figure is in a wrong place.
    """
    guess, truth = _decimal(prediction), _decimal(target)
    exponent = truth.as_tuple().exponent
    decimals = max(0, -exponent) if isinstance(exponent, int) else 0
    if not guess.is_finite() or guess < 0:
        return 0.0
    if guess >= Decimal(10) ** (digits + decimals):  # all figures are in wrong places
        return 0.0
    # Truncated, because rounding could change figures that were read rightly.
    read, right = (f"{int(n.scaleb(decimals)):0{digits + decimals}}" for n in (guess, truth))
    same = sum(a == b for a, b in zip(reversed(read), reversed(right), strict=False))
    return same / max(len(read), len(right))


# More digits than a float has.
_ROUNDED = Context(prec=40, traps=[])


def _decimal(number: Numeric) -> Decimal:
    # Decimal cannot parse the repr of a numpy number, such as "np.float64(3.5)".
    plain = number.item() if hasattr(number, "item") else number
    # Decimal(0.1) would be 0.1000000000000000055...
    return Decimal(repr(plain)) if isinstance(plain, float) else Decimal(plain)


def _pix2struct_float(text: str) -> float | None:
    try:
        return float(text.rstrip("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return None


_error = partial(Metric, statistic="mean", among="read", unit="", better="lower")
_median = partial(_error, statistic="median")
_squared = partial(Metric, same_as="residual", against="truth", statistic="r_squared")
_RELATIVE = "Median relative error of read answers"
METRICS = (
    Metric("exact", "Exactly right", number_exact, headline=True),
    Metric("within_5pct", "Within 5 %", number_within, headline=True),
    Metric("relaxed", "Relaxed correctness (ChartQA)", public_function=relaxed_correctness),
    _median("relative_median", _RELATIVE, same_as="relative", unit="%", headline=True),
    Metric("unread", "Could not be read", better="lower", headline=True),
    _error("error", "Mean absolute error (MAE)", absolute_error),
    _error("charged", "Mean error, unread answers at the worst value", among="all"),
    _median("error_median", "Median absolute error", same_as="error"),
    _error("relative", "Mean relative error", relative_error, unit="%"),
    _error("symmetric", "Mean symmetric error (sMAPE)", symmetric_error, unit="%"),
    _error("magnitude", "Mean orders of magnitude off", order_of_magnitude),
    _squared("r_squared", "R² of read answers", public_function=r_squared, among="read", unit=""),
)
"""Shares count unread answers as wrong. Errors leave unread answers out."""


@dataclass(frozen=True)
class NumberType(AnswerType):
    """Units help the reader and are not compared. An unread answer costs as much as the worst."""

    target = Number
    error_histogram = ErrorHistogram(
        "Relative error",
        "relative",
        (0, 0.01, 0.05, 0.1, 0.25, 1),
        ("exact", "≤ 1 %", "1–5 %", "5–10 %", "10–25 %", "25–100 %", "> 100 %"),
        more_is_better=False,
    )
    cost_measure = "error"
    readers = (read_number, parse_number)
    is_listable = True
    axis = AnswerAxis(("truth", "answer"))

    title: str
    metrics: tuple[Metric, ...]

    def read(
        self, text: str, form: NumberForm, *, which: Which, dialect: Dialect, size: Size | None
    ) -> Reading[Value] | None:
        """Read the number in the unit of the form."""
        return read_number(text, unit=form.unit, which=which)

    def measures(self, truth: Number, answer: ModelAnswer, cost: float) -> dict[str, float]:
        """Add acceptance within the tolerance, ChartQA's rule, and the two measures of R²."""
        measures = super().measures(truth, answer, cost)
        measures["relaxed"] = float(relaxed_correctness(answer.text, truth.write()))
        if answer.value is None:
            return measures | {"accepted": 0.0}
        assert isinstance(answer.value, Decimal)
        return measures | {
            "accepted": float(abs(answer.value - truth.value) <= truth.within),
            "residual": residual(answer.value, truth.value),
            "truth": float(truth.value),
        }

    def is_correct(self, measures: dict[str, float]) -> bool:
        """True if the answer is within the tolerance, which is 0 by default."""
        return measures["accepted"] == 1

    def credit(self, measures: dict[str, float], truth: Number) -> float:
        """Return s / (s + e) for an error of e beyond the tolerance, and 0 for an unread answer.

        s is the largest of 5 % of the truth, five tolerances and one step of the truth's last
        digit. The credit has no jump, and answers far from the truth still differ in it.
        """
        if measures["accepted"] or "error" not in measures:
            return measures["accepted"]
        step = float(Decimal(1).scaleb(int(truth.value.as_tuple().exponent)))
        scale = max(abs(float(truth.value)) / 20, 5 * float(truth.within), step)
        return scale / (scale + measures["error"] - float(truth.within))

    def costs(self, truths: Sequence[Number]) -> list[float]:
        """Return the error charged for an unread answer to each truth: to the farthest truth.

        If all truths are equal, it is the truth itself, or 1 if the truth is 0.
        """
        values = [truth.value for truth in truths]
        # The farthest truth is the least or the greatest.
        ends = (min(values), max(values)) if values else ()
        worst = [max(absolute_error(value, end) for end in ends) for value in values]
        return [
            error or abs(float(value)) or 1.0 for error, value in zip(worst, values, strict=True)
        ]

    def position(self, value: Decimal) -> float:
        """Value as a float."""
        return float(value)

    def display(self, value: Decimal) -> str:
        """Write plain decimals, or an exponent if they would be very long."""
        text = f"{value:f}"
        # 24 characters are enough for any number in a picture.
        return text if len(text) <= 24 else f"{value:.6e}"

    def describe_result(self, measures: dict[str, float]) -> str:
        """Write the error to the digits of both numbers."""
        return "right" if self.is_correct(measures) else f"{format_exact(measures['error'])} off"

    def value_of(self, truth: Number) -> Decimal:
        """Return the decimal without its unit."""
        return truth.value

    def answer_of(self, value: Decimal, form: NumberForm) -> Number:
        """Return the number in the unit of the form, with zeros in front if it is small enough."""
        fits = 0 <= value < Decimal(10) ** form.digits
        return Number(value, form.unit, digits=form.digits if fits else 0)


class Turn(NamedTuple):
    """A value on a scale that begins again after `cycle`."""

    value: Decimal
    cycle: Decimal


def cyclic_distance(prediction: Turn, target: Turn) -> float:
    """Shorter distance round the scale: 9.9 and 0.0 are 0.1 apart on a dial of 10."""
    return float(_apart(prediction, target))


def share_of_turn(prediction: Turn, target: Turn) -> float:
    """Shorter distance as a share of the turn, from 0 to 1/2."""
    return float(_apart(prediction, target) / target.cycle)


def cyclic_exact(prediction: Turn, target: Turn) -> bool:
    """True if both are the same place on the scale."""
    return not _apart(prediction, target)


def _apart(prediction: Turn, target: Turn) -> Decimal:
    # An answer may have thousands of digits, but 40 digits are enough on the cycle.
    apart = _ROUNDED.subtract(prediction.value, target.value)
    # A constant answer may come from a longer scale: 350 of a compass is 0 on a dial of 10.
    apart = wrap_around(apart, target.cycle)
    return min(apart, target.cycle - apart)


def _step_chance(truth: Number, steps: int) -> float:
    """Share of uniform guesses that lie in this many steps of the tolerance."""
    step = truth.within or Decimal(1)
    return min(1.0, float(steps * step / truth.cycle))


def _accepted_chance(truth: Number) -> float:
    return _step_chance(truth, 3 if truth.within else 1)


def _quarter(truth: Number) -> float:
    """Return the mean distance of a uniform guess, which is also the median."""
    return float(truth.cycle) / 4


def _quarter_turn(truth: Number) -> float:  # noqa: ARG001 - the same on every scale
    return 0.25


_distance = partial(_error, chance=_quarter)
_CYCLIC_METRICS = (
    Metric(
        "accepted",
        "Right as far as the scale can be read",
        headline=True,
        chance=_accepted_chance,
    ),
    Metric("exact", "Exactly right", cyclic_exact, headline=True,
         chance=partial(_step_chance, steps=1)),
    _distance("error", "Mean distance round the scale", cyclic_distance, headline=True),
    Metric("unread", "Could not be read", better="lower", headline=True),
    _distance("error_median", "Median distance round the scale", same_as="error",
              statistic="median"),
    _distance("charged", "Mean distance, unread as half a turn", among="all"),
    _error("turn", "Mean distance as a share of the turn", share_of_turn, unit="%",
           chance=_quarter_turn),
)  # fmt: skip


@dataclass(frozen=True)
class CyclicType(NumberType):
    """Readings of a cyclic scale. An unread answer costs half a turn, the largest distance."""

    axis = AnswerAxis(("truth", "answer"), is_cyclic=True)
    error_histogram = ErrorHistogram(
        "Share of a turn",
        "turn",
        (0, 0.01, 0.02, 0.05, 0.1, 0.25),
        ("exact", "≤ 1 %", "1–2 %", "2–5 %", "5–10 %", "10–25 %", "> 25 %"),
        more_is_better=False,
    )

    def read(
        self, text: str, form: NumberForm, *, which: Which, dialect: Dialect, size: Size | None
    ) -> Reading[Value] | None:
        """Read the number modulo the cycle: on a scale from 0 to 10, a 10 is read as 0."""
        reading = super().read(text, form, which=which, dialect=dialect, size=size)
        if reading is None:
            return None
        assert isinstance(reading.value, Decimal)
        turn = Turn(wrap_around(reading.value, form.cycle), form.cycle)
        return Reading(turn, reading.span, reading.rule)

    def measures(self, truth: Number, answer: ModelAnswer, cost: float) -> dict[str, float]:
        """Add 1 or 0 for an answer within the tolerance, measured around the cycle."""
        measures = AnswerType.measures(self, truth, answer, cost)
        if not isinstance(answer.value, Turn):
            return measures | {"accepted": 0.0}
        accepted = _apart(answer.value, self.value_of(truth)) <= truth.within
        return measures | {"accepted": float(accepted)}

    def credit(self, measures: dict[str, float], truth: Number) -> float:
        """Return 1 − d / (P/2) for the distance d and the cycle P, or 0 for an unread answer."""
        return 1 - 2 * measures["turn"] if "turn" in measures else 0.0

    def costs(self, truths: Sequence[Number]) -> list[float]:
        """Charge half a turn."""
        return [float(truth.cycle) / 2 for truth in truths]

    def position(self, value: Turn) -> float:  # type: ignore[override]
        """Value as a float, from 0 to below the cycle."""
        return float(value.value)

    def display(self, value: Turn) -> str:  # type: ignore[override]
        """Write the value in plain decimals."""
        return super().display(value.value)

    def present(self, metrics: Sequence[Metric], truths: Sequence[Number]) -> list[Metric]:
        """Drop the second headline of right answers if all tolerances are 0."""
        if any(truth.within for truth in truths):
            return list(metrics)
        changes: dict[str, dict[str, Any]] = {
            "accepted": {"label": "Exactly right"},
            "exact": {"label": "Exactly right, without tolerance", "headline": False},
        }
        return [replace(metric, **changes.get(metric.name, {})) for metric in metrics]

    def value_of(self, truth: Number) -> Turn:  # type: ignore[override]
        """Return the decimal with its cycle."""
        return Turn(truth.value, truth.cycle)

    def answer_of(self, value: Turn, form: NumberForm) -> Number:  # type: ignore[override]
        """Return the number on the scale of the form."""
        return form.answer(wrap_around(value.value, form.cycle))


_ACCEPTED = Metric("accepted", "Right as far as the scale can be read", headline=True)
_DIGITS = Metric(
    "digits", "Figures right", statistic="mean", headline=True, public_function=digit_accuracy
)


@dataclass(frozen=True)
class CounterType(NumberType):
    """Numbers with leading zeros, which are also measured figure by figure."""

    def measures(self, truth: Number, answer: ModelAnswer, cost: float) -> dict[str, float]:
        """Add the share of figures that are right."""
        measures = super().measures(truth, answer, cost)
        if answer.value is None:
            return measures | {"digits": 0.0}
        assert isinstance(answer.value, Decimal)
        return measures | {"digits": digit_accuracy(answer.value, truth.value, truth.digits)}

    def credit(self, measures: dict[str, float], truth: Number) -> float:
        """Return 1 if accepted, otherwise half the share of figures that are right."""
        return max(measures["accepted"], measures["digits"] / 2)


@dataclass(frozen=True)
class ReadingType(NumberType):
    """Readings of a scale. Errors are in its unit if all questions share the unit."""

    def present(self, metrics: Sequence[Metric], truths: Sequence[Number]) -> list[Metric]:
        """Make the mean error a headline, with its unit, instead of relative errors.

        Relative errors say little here: 1 km/h off is as good a reading at 5 km/h as at 200 km/h.
        """
        units = {truth.unit for truth in truths}
        if len(units) != 1:
            return list(metrics)
        unit = f", {units.pop()}".removesuffix(", ")
        headlines: dict[str, dict[str, Any]] = {
            "within_5pct": {"headline": False},
            "relative_median": {"headline": False},
            "error": {"headline": True, "label": f"Mean error of read answers{unit}"},
        }
        return [replace(metric, **headlines.get(metric.name, {})) for metric in metrics]


TYPES: dict[str, AnswerType] = {
    "number": NumberType("Number", METRICS),
    "counter": CounterType("Number of a counter", (_ACCEPTED, _DIGITS, *METRICS)),
    "reading": ReadingType("Number on a scale", (_ACCEPTED, *METRICS)),
    "cyclic": CyclicType("Number on a scale that goes round", _CYCLIC_METRICS),
}
"""A reading is right if it is within the tolerance of the scale."""
