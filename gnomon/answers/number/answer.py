"""Numbers: the exact decimal, the form of a number, and lists and ranges of numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal, InvalidOperation
from typing import Any, ClassVar, Self

from gnomon.answers.base.number_range import GridDecimals, NumberRange
from gnomon.answers.base.target import AnswerForm, DrawSteps, Size, Target, escape
from gnomon.answers.number.labels import label_figures, parse_number

# Pattern of what `Number.write` writes.
_WRITTEN = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)(?: (\S+(?: \S+)*))?")
_ZERO = Decimal(0)
_ONE = Decimal(1)
# By default a belief lists the whole numbers from 0 to 100: counts and percents.
_LAST_LISTED = 100
# Most steps that are listed of a scale that goes round, as tenths of 100 or 360 degrees.
_MOST_STEPS = 1000
# Figures of a counter from which on its numbers are searched, not listed.
_LONG = 3
# As many digits as any label has, from 1e299 to 1e-299: the usual 28 would round long counters.
_EXACT = Context(prec=1000)


@dataclass(frozen=True, slots=True)
class NumberForm(AnswerForm):
    """Form of a number: its unit, its figures, and the scale if that goes round."""

    name: ClassVar[str] = "number"

    unit: str = ""
    step: Decimal = _ZERO
    """Step of the answers on a cycle; 0 if the scale does not go round."""
    cycle: Decimal = _ZERO
    """Value at which the scale begins again, as in `Number.cycle`."""
    digits: int = 0
    """Figures before the point, as in `Number.digits`."""
    decimals: int = 0
    """Figures after the point, if `form_with_decimals` has noted them."""

    @property
    def type_name(self) -> str:
        """Type by the scale: cyclic, a counter, or any other."""
        if self.cycle:
            return "cyclic"
        return "counter" if self.digits else "number"

    @property
    def period(self) -> float:
        """Length of the cycle."""
        return float(self.cycle)

    def read_back(
        self, text: str, dialect: Any = None, size: Size | None = None
    ) -> "Number | None":
        """Read a number and its unit. The unit may differ from the form's unit."""
        match = _WRITTEN.fullmatch(text)
        if not match:
            return None
        value = wrap_around(Decimal(match[1]), self.cycle)
        try:
            return replace(self.answer(value), unit=match[2] or "")
        except ValueError:  # more figures than the counter has
            return None

    def answer(self, value: Decimal) -> "Number":
        """Return a number of this form."""
        return Number(value, self.unit, self.step, self.cycle, self.digits)

    def pattern(self, dialect: Any) -> str | None:
        """Pattern of numbers in this unit, with as many figures as a counter has."""
        # On a cycle, and on a counter, numbers are never below zero.
        n_digits = len(f"{self.cycle:.0f}")
        whole = f"[0-9]{{1,{n_digits}}}" if self.cycle else "[0-9]+"
        if self.digits:
            whole = f"[0-9]{{{self.digits}}}"
        sign = "" if self.digits or self.cycle else "-?"
        unit = f" {escape(self.unit)}" if self.unit else ""
        return rf"{sign}{whole}(\.[0-9]+)?{unit}"

    def possible_answers(self) -> tuple["Number", ...]:
        """Whole numbers from 0 to 100, or the steps of a cycle."""
        step, count = _ONE, _LAST_LISTED + 1
        if self.cycle:
            step = self.step or _ONE
            count = int(self.cycle / step) if self.cycle / step <= _MOST_STEPS else 0
        elif self.digits:
            # A list to 100 would show that a long counter is at its beginning.
            count = min(count, 10**self.digits) if self.digits < _LONG else 0
        return tuple(self.answer(index * step) for index in range(count))

    def number_range(self, grid: GridDecimals | None = None) -> NumberRange | None:
        """Return the numbers of a long counter, or of a grid of first, last and step.

        None if the numbers can be listed instead.
        """
        if grid is not None:
            if self.cycle:
                raise ValueError(
                    "eval.grid: a scale that goes round is listed: give at most 10,000 numbers"
                )
            return NumberRange(*grid, self.digits, self.unit)
        # If labels have decimals, it is not known how many other numbers have.
        if self.cycle or self.digits < _LONG or self.decimals:
            return None
        return NumberRange(_ZERO, Decimal(10) ** self.digits - 1, _ONE, self.digits, self.unit)

    def to_json(self) -> dict[str, Any]:
        """Describe the form by zero."""
        return self.answer(_ZERO.scaleb(-self.decimals)).to_json()


def _check_finite(name: str, value: object) -> None:
    if not isinstance(value, Decimal) or not value.is_finite():
        raise ValueError(f"{name}={value!r}: give a finite Decimal, such as Decimal('3.5')")


@dataclass(frozen=True, slots=True)
class Number(Target):
    """An exact decimal, with a unit if the answer names it."""

    name: ClassVar[str] = "number"
    form_type: ClassVar[type[AnswerForm]] = NumberForm
    has_steps: ClassVar[bool] = True

    value: Decimal
    unit: str = ""
    within: Decimal = _ZERO
    """Largest error that still counts as right, because the scale cannot be read more finely."""
    cycle: Decimal = _ZERO
    """Value at which the scale begins again, for example 360 on a compass, or 0 if the scale ends.
    On a meter's dial it is 10, and 9.9 is a tenth from 0.0."""
    digits: int = 0
    """Least number of figures before the point, for example 5 for a counter's 05098. Smaller
    numbers are written with leading zeros."""

    def __post_init__(self) -> None:
        _check_finite("value", self.value)
        if not self.value:  # rounding may leave -0.0, which is written without its sign
            object.__setattr__(self, "value", self.value.copy_abs())
        _check_finite("within", self.within)
        if self.within < 0:
            raise ValueError(f"within={self.within}: a distance is 0 or more")
        _check_finite("cycle", self.cycle)
        if self.cycle < 0:
            raise ValueError(f"cycle={self.cycle}: give a length above 0, or 0 for none")
        if self.cycle and not 0 <= self.value < self.cycle:
            raise ValueError(
                f"{self.value:f} is not from 0 to below {self.cycle:f}, where the scale begins"
                f" again: write {wrap_around(self.value, self.cycle):f}"
            )
        if self.digits < 0 or (self.digits and not 0 <= self.value < Decimal(10) ** self.digits):
            raise ValueError(
                f"{self.value:f} has no {self.digits} figures before the point: give"
                " columns.digits as many as the counter has"
            )

    def __float__(self) -> float:
        return float(self.value)

    @property
    def answer_form(self) -> NumberForm:
        """Form of the same unit, cycle and figures."""
        return NumberForm(self.unit, self.within if self.cycle else _ZERO, self.cycle, self.digits)

    @property
    def type_name(self) -> str:
        """Type of the form, or the type of scales with a tolerance."""
        name = self.answer_form.type_name
        return "reading" if name == "number" and self.within else name

    @classmethod
    def from_label(cls, value: Any, columns: Any, size: Size | None) -> Self:
        """Parse figures with or without their unit."""
        text = label_figures(value, columns.units, columns.decimal)
        number = parse_number(value, text)
        figures = len(text.lstrip("+-").partition(".")[0])
        digits = columns.digits or 0
        if digits == "label":
            if not isinstance(value, str):
                raise ValueError(
                    f"{value!r} is a number without quotes, which keeps no zeros in front: write"
                    " labels as texts, such as '05098', or set columns.digits to the number of"
                    " figures that the counter has"
                )
            digits = figures
        elif isinstance(value, str) and 0 < digits < figures:
            raise ValueError(
                f"{value!r} has {figures} figures before the point, and columns.digits is {digits}:"
                f" set columns.digits={figures}, or label if counters differ"
            )
        # A column of tolerances has a tolerance for each row, which is not known here.
        within = _ZERO if isinstance(columns.within, str) else Decimal(str(columns.within))
        cycle = Decimal(str(columns.cycle))
        return cls(number, columns.units[0], within, cycle, digits)

    @classmethod
    def form_of_labels(cls, columns: Any) -> NumberForm:
        """Form of the column's unit, cycle and figures."""
        return cls.from_label("0", columns, None).answer_form

    def write(self, dialect: Any = None, size: Size | None = None) -> str:
        """Write plain decimals, never 1E+3, and the unit after a space."""
        text = f"{self.decimal_text} {self.unit}" if self.unit else self.decimal_text
        if not _WRITTEN.fullmatch(text):  # it could not be read back
            raise ValueError(f"unit={self.unit!r}: give words with one space between them")
        return text

    @property
    def step(self) -> Decimal:
        """Unit of the last written figure, or the tolerance if it is smaller."""
        last_figure = min(_ONE, Decimal(1).scaleb(exponent_of(self.value)))
        return min(last_figure, self.within) if self.within else last_figure

    def neighbour(self, draw_steps: DrawSteps, size: Size | None = None) -> Self:
        """Move by some steps, round the cycle. The sign and the number of figures stay the same."""
        shift = draw_steps(self._max_shift)
        if not shift:
            return self
        value = wrap_around(_EXACT.fma(self.step, Decimal(shift), self.value), self.cycle)
        return replace(self, value=_with_decimals(value, -exponent_of(self.value)))

    @property
    def _max_shift(self) -> int | None:
        """Steps to zero, or to the counter's last number if it is nearer. None on a cycle."""
        last = Decimal(10) ** self.digits if self.digits else None
        if self.cycle and (last is None or self.cycle <= last):
            return None
        # A count must not become negative.
        steps = _EXACT.divide_int(self.value.copy_abs(), self.step)
        if last is not None:
            above = _EXACT.subtract(_EXACT.subtract(last, self.step), self.value)
            steps = min(steps, _EXACT.divide_int(above, self.step))
        return int(steps)

    @property
    def decimal_text(self) -> str:
        """Plain decimals, with the leading zeros of a counter."""
        whole, point, rest = f"{self.value:f}".partition(".")
        return f"{whole.zfill(self.digits)}{point}{rest}"

    def display(self) -> str:
        """Value with its unit."""
        text = self.decimal_text if self.digits else str(self.value)
        return f"{text} {self.unit}".rstrip()

    def to_json(self) -> dict[str, Any]:
        """Fields with decimals as texts, which JSON numbers would round."""
        row = {"value": str(self.value), "unit": self.unit, "within": str(self.within)}
        # Most numbers have neither a cycle nor digits, and files stay smaller without the fields.
        later: dict[str, Any] = {"cycle": str(self.cycle)} if self.cycle else {}
        return row | later | ({"digits": self.digits} if self.digits else {})


def form_with_decimals(target: Target) -> AnswerForm:
    """Return the form of an answer, including the decimals if it is a number."""
    form = target.answer_form
    if isinstance(target, Number) and isinstance(form, NumberForm):
        return replace(form, decimals=max(0, -exponent_of(target.value)))
    return form


def numbers_of(form: AnswerForm, values: Sequence[Decimal]) -> tuple[Number, ...] | None:
    """Return numbers with these values in the given form. None for a form of another type."""
    if not isinstance(form, NumberForm):
        return None
    return tuple([form.answer(value) for value in values])


def number_range_of(form: AnswerForm, grid: GridDecimals | None = None) -> NumberRange | None:
    """Return the range to search for the answer. None if the numbers are few enough to list."""
    return form.number_range(grid) if isinstance(form, NumberForm) else None


def value_of_number(target: Target) -> Decimal | None:
    """Return the value of a number; None for another type of answer."""
    return target.value if isinstance(target, Number) else None


def tolerance_of(target: Target) -> float:
    """Return the largest distance from an answer that still counts as right."""
    return float(target.within) if isinstance(target, Number) else 0.0


def loses_zero(value: Any, columns: Any) -> bool:
    """True for a label such as 05098, if the columns do not say how many figures are kept."""
    is_open = columns.kind == Number.name and columns.digits is None and isinstance(value, str)
    return is_open and bool(re.match(r"\D{0,2}0\d", value.strip()))


def grid_of_labels(truths: Sequence[Target]) -> GridDecimals | None:
    """Return first, last and step of a scale that goes round, or of a counter with decimals.

    The step is as fine as the labels. None if the end of the scale is not known.
    """
    numbers = [truth for truth in truths if isinstance(truth, Number)]
    scales = {(number.cycle, number.digits) for number in numbers}
    if len(numbers) < len(truths) or len(scales) != 1:
        return None
    ((cycle, digits),), step = scales, min(number.step for number in numbers)
    if cycle:
        steps = NumberForm(step=step, cycle=cycle).possible_answers()
        return (_ZERO, cycle - step, step) if steps else None
    if digits < _LONG:
        return None
    return _ZERO, Decimal(10) ** digits - step, step


def wrap_around(value: Decimal, cycle: Decimal) -> Decimal:
    """Wrap a value into its cycle: 10.0 on a dial of 10 becomes 0.0."""
    if not cycle:
        return value
    try:
        rest = _EXACT.remainder(value, cycle)
    except InvalidOperation:
        # Decimal refuses a quotient of more digits, and a model may write such a number.
        return _wrap_large(value, cycle)
    # Decimal's remainder has the sign of the dividend.
    return _EXACT.add(rest, cycle) if rest < 0 else rest.copy_abs()


def exponent_of(value: Decimal) -> int:
    """Power of ten of the last figure."""
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)  # no infinity is an answer
    return exponent


def _with_decimals(value: Decimal, decimals: int) -> Decimal:
    """Return the value with this many decimals, or with as many as it needs."""
    short = value.normalize(_EXACT)
    decimals = max(decimals, -exponent_of(short), 0)
    return short.quantize(Decimal(1).scaleb(-decimals), context=_EXACT)


def _wrap_large(value: Decimal, cycle: Decimal) -> Decimal:
    """Return the remainder of a large number, in whole steps of the finer last decimal."""
    sign, digits, _ = value.as_tuple()
    exponent = exponent_of(value)
    step = min(exponent, exponent_of(cycle))
    steps = int(cycle.scaleb(-step))
    rest = 0
    for digit in digits:  # int() of a text refuses more than 4,300
        rest = (rest * 10 + digit) % steps
    rest = rest * pow(10, exponent - step, steps) % steps
    return Decimal(-rest % steps if sign else rest).scaleb(step)
