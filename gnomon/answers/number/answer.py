"""Numbers: the exact decimal, its written form, and labels of users."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal, InvalidOperation
from typing import Any, ClassVar, Self

from gnomon.answers.base.number_range import NumberRange
from gnomon.answers.base.target import DrawSteps, Size, Target, escape

# The form that `write` writes.
_WRITTEN = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)(?: (\S+(?: \S+)*))?")
_ZERO = Decimal(0)
# A belief about a number is measured over the whole numbers from 0 to 100: counts and percents.
_LAST_LISTED = 100
# The same about a scale that goes round: 1,000 steps, as tenths of 100 or 360 degrees.
_MOST_STEPS = 1000
# Figures of a counter from which on its numbers are searched and not listed.
_LONG = 3
_ONE = Decimal(1)
# As many digits as any label has, from 1e299 to 1e-299: the usual 28 would round long counters.
_EXACT = Context(prec=1000)


def _check_finite(name: str, value: object) -> None:
    if not isinstance(value, Decimal) or not value.is_finite():
        raise ValueError(f"{name}={value!r}: give a finite Decimal, such as Decimal('3.5')")


@dataclass(frozen=True, slots=True)
class Number(Target):
    """An exact decimal, with its unit if the answer names one."""

    name: ClassVar[str] = "number"
    has_steps: ClassVar[bool] = True

    value: Decimal
    unit: str = ""
    within: Decimal = _ZERO
    """Largest error that is still right, where a scale can be read no finer."""
    cycle: Decimal = _ZERO
    """Value at which the scale begins again, such as 10 on a meter's dial, where 9.9 is a tenth
    from 0.0, or 360 on a compass; 0 for a scale that ends."""
    digits: int = 0
    """Figures before the point that are written at least, zeros in front, as a counter's 05098 has
    five; 0 for as few as a number needs."""

    def __post_init__(self) -> None:
        _check_finite("value", self.value)
        if not self.value:  # -0.0, as rounding leaves it, is written without its sign
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
    def type_name(self) -> str:
        """Type by the scale: one that goes round, a counter's, one with a tolerance, or none."""
        if self.cycle:
            return "cyclic"
        if self.digits:
            return "counter"
        return "reading" if self.within else "number"

    @classmethod
    def from_label(cls, value: Any, columns: Any, size: Size | None) -> Self:
        """Parse figures with or without their unit."""
        text = _label_text(value, columns.units, columns.decimal)
        number = _parsed(value, text)
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
        # A column of tolerances says nothing of a label without its row.
        within = _ZERO if isinstance(columns.within, str) else Decimal(str(columns.within))
        cycle = Decimal(str(columns.cycle))
        return cls(number, columns.units[0], within, cycle, digits)

    @classmethod
    def loses_zero(cls, value: Any, columns: Any) -> bool:
        """True for 05098 as long as the columns do not say how many figures are kept."""
        is_open = columns.digits is None and isinstance(value, str)
        return is_open and bool(re.match(r"\D{0,2}0\d", value.strip()))

    @classmethod
    def form_of_labels(cls, columns: Any) -> Self:
        """Zero in the column's unit, on its cycle."""
        return cls.from_label("0", columns, None).form_of_question

    def write(self, dialect: Any = None, size: Size | None = None) -> str:
        """Write plain decimals, never 1E+3, and the unit after a space."""
        text = f"{self.decimal_text} {self.unit}" if self.unit else self.decimal_text
        if not _WRITTEN.fullmatch(text):  # such an answer must never be trained on
            raise ValueError(f"unit={self.unit!r}: give words with one space between them")
        return text

    def read_back(self, text: str, dialect: Any = None, size: Size | None = None) -> Self | None:
        """Read a number and its unit; tolerance and cycle are this one's."""
        match = _WRITTEN.fullmatch(text)
        if not match:
            return None
        value = wrap_around(Decimal(match[1]), self.cycle)
        return replace(self, value=value, unit=match[2] or "")

    @property
    def step(self) -> Decimal:
        """Unit of the last figure that is written, or the tolerance where that is finer."""
        last_figure = min(_ONE, Decimal(1).scaleb(_exponent(self.value)))
        return min(last_figure, self.within) if self.within else last_figure

    def neighbour(self, draw_steps: DrawSteps, size: Size | None = None) -> Self:
        """Number some steps away: round its cycle, never of another sign or with more figures."""
        shift = draw_steps(self._max_shift)
        if not shift:
            return self
        value = wrap_around(_EXACT.fma(self.step, Decimal(shift), self.value), self.cycle)
        return replace(self, value=_with_decimals(value, -_exponent(self.value)))

    @property
    def _max_shift(self) -> int | None:
        """Steps to zero, or to the counter's last number if that is nearer; None on a cycle."""
        last = Decimal(10) ** self.digits if self.digits else None
        if self.cycle and (last is None or self.cycle <= last):
            return None
        # No count turns negative, whatever its neighbours are.
        steps = _EXACT.divide_int(self.value.copy_abs(), self.step)
        if last is not None:
            above = _EXACT.subtract(_EXACT.subtract(last, self.step), self.value)
            steps = min(steps, _EXACT.divide_int(above, self.step))
        return int(steps)

    def pattern(self, dialect: Any) -> str | None:
        """Pattern of numbers in this one's unit, with as many figures as a counter has."""
        # What goes round, or has figures to fill, is never below zero.
        n_digits = len(f"{self.cycle:.0f}")
        whole = f"[0-9]{{1,{n_digits}}}" if self.cycle else "[0-9]+"
        if self.digits:
            whole = f"[0-9]{{{self.digits}}}"
        sign = "" if self.digits or self.cycle else "-?"
        unit = f" {escape(self.unit)}" if self.unit else ""
        return rf"{sign}{whole}(\.[0-9]+)?{unit}"

    @property
    def form_of_question(self) -> Self:
        """Zero in the same unit and as many figures; on a cycle also its length and steps."""
        within = self.within if self.cycle else _ZERO
        return type(self)(_ZERO, self.unit, within, self.cycle, self.digits)

    @property
    def form_with_decimals(self) -> Self:
        """Form of the question with as many decimals."""
        zero = _ZERO.scaleb(_exponent(self.value)) if _exponent(self.value) < 0 else _ZERO
        return replace(self.form_of_question, value=zero)

    @property
    def decimal_text(self) -> str:
        """Plain decimals with the zeros in front that a counter has."""
        whole, point, rest = f"{self.value:f}".partition(".")
        return f"{whole.zfill(self.digits)}{point}{rest}"

    def number_range(
        self, grid: tuple[Decimal, Decimal, Decimal] | None = None
    ) -> NumberRange | None:
        """Return the numbers of a long counter, or of a grid of first, last and step.

        None where there are few enough to be listed.
        """
        if grid is not None:
            if self.cycle:
                raise ValueError(
                    "eval.grid: a scale that goes round is listed: give at most 10,000 numbers"
                )
            return NumberRange(*grid, self.digits, self.unit)
        # Nobody knows how many decimals other numbers have.
        if self.cycle or self.digits < _LONG or _exponent(self.value) < 0:
            return None
        return NumberRange(_ZERO, Decimal(10) ** self.digits - 1, _ONE, self.digits, self.unit)

    @property
    def is_listable(self) -> bool:
        """True for whole numbers from 0 to 100, and for steps of a scale that goes round."""
        if self.cycle:
            step = self.within or _ONE
            return not self.value % step and self.cycle / step <= _MOST_STEPS
        if self.digits >= _LONG:  # a list to 100 would tell that the counter is at its beginning
            return False
        return self.value == int(self.value) and 0 <= self.value <= _LAST_LISTED

    def possible_answers(self) -> tuple[Self, ...]:
        """Whole numbers from 0 to 100 in the same unit; on a cycle its steps of the tolerance."""
        step, count = _ONE, _LAST_LISTED + 1
        if self.digits:
            count = min(count, 10**self.digits)
        if self.cycle:
            step = self.within or _ONE
            count = int(self.cycle / step)
        return tuple(replace(self, value=index * step) for index in range(count))

    @property
    def number(self) -> Decimal:
        """The value, which a grid may list."""
        return self.value

    @property
    def tolerance(self) -> float:
        """The same as `within`, for measures in floats."""
        return float(self.within)

    @classmethod
    def grid_of_labels(cls, truths: Sequence[Self]) -> tuple[Decimal, Decimal, Decimal] | None:
        """First, last and step of a scale that goes round, or of a counter with decimals."""
        scales = {(truth.cycle, truth.digits) for truth in truths}
        is_known = all(truth.is_listable or truth.number_range() is not None for truth in truths)
        if len(scales) != 1 or is_known:
            return None
        ((cycle, digits),), step = scales, min(truth.step for truth in truths)
        if cycle:
            is_listable = cls(_ZERO, within=step, cycle=cycle).is_listable
            return (_ZERO, cycle - step, step) if is_listable else None
        if digits < _LONG:
            return None
        return _ZERO, Decimal(10) ** digits - step, step

    def on_grid(self, values: Sequence[Decimal]) -> tuple[Self, ...]:
        """Numbers with these values, in the same unit and on the same cycle."""
        form = self.form_of_question
        return tuple(replace(form, value=value) for value in values)

    def display(self) -> str:
        """Value with its unit."""
        text = self.decimal_text if self.digits else str(self.value)
        return f"{text} {self.unit}".rstrip()

    def to_json(self) -> dict[str, Any]:
        """Fields with decimals as texts, which JSON numbers would round."""
        row = {"value": str(self.value), "unit": self.unit, "within": str(self.within)}
        # Most scales have neither, and every answer is a line of some file.
        later: dict[str, Any] = {"cycle": str(self.cycle)} if self.cycle else {}
        return row | later | ({"digits": self.digits} if self.digits else {})


def wrap_around(value: Decimal, cycle: Decimal) -> Decimal:
    """The value brought to 0 up to the cycle, so that 10.0 on a dial of 10 is 0.0."""
    if not cycle:
        return value
    try:
        rest = _EXACT.remainder(value, cycle)
    except InvalidOperation:
        # A quotient of more digits is refused, and a model may well write such a number.
        return _wrap_large(value, cycle)
    # Decimal's remainder has the sign of the dividend.
    return _EXACT.add(rest, cycle) if rest < 0 else rest.copy_abs()


def _exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)  # no infinity is an answer
    return exponent


def _with_decimals(value: Decimal, decimals: int) -> Decimal:
    """The value with so many decimals, or with as many as it needs if these are too few."""
    short = value.normalize(_EXACT)
    decimals = max(decimals, -_exponent(short), 0)
    return short.quantize(Decimal(1).scaleb(-decimals), context=_EXACT)


def _wrap_large(value: Decimal, cycle: Decimal) -> Decimal:
    """Remainder of a large number by whole steps of the last decimal of the two."""
    sign, digits, _ = value.as_tuple()
    exponent = _exponent(value)
    step = min(exponent, _exponent(cycle))
    steps = int(cycle.scaleb(-step))
    rest = 0
    for digit in digits:  # int() of a text refuses more than 4,300
        rest = (rest * 10 + digit) % steps
    rest = rest * pow(10, exponent - step, steps) % steps
    return Decimal(-rest % steps if sign else rest).scaleb(step)


# A number with its unit before or after it; 1e5 has no unit "e5".
_LABEL = re.compile(
    r"(?P<before>[%°$€£¥]?) ?(?P<number>[-+]?\d[\d.,'’ ]*?)"
    r" ?(?P<after>(?!e[-+]?\d)(?:[^\W\d_]|[%‰°$€£¥])\S*(?: [^\d\s]\S*)*)?",
    re.IGNORECASE,
)
# The sign of "- 12.3".
_SPACED_SIGN = re.compile(r"\A([-+]) (?=\d)", re.ASCII)
# Digits by their decimal mark, grouped in thousands or not.
_BY_MARK = {
    mark: re.compile(
        rf"[-+]?(?:\d+|[1-9]\d{{0,2}}([{apart}'’ ])\d{{3}}(?:\1\d{{3}})*)(?:[{mark}]\d+)?", re.ASCII
    )
    for mark, apart in (".,", ",.")
}
# A number such as 1,234, which is thousands to some and has a decimal comma to others.
_AMBIGUOUS_COMMA = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}", re.ASCII)
# Powers of ten: errors of larger numbers, and of smaller ones, have no float.
_MAX_EXPONENT = 300


def _label_text(value: Any, units: Sequence[str], decimal: str | None) -> str:
    """A label's figures as Python reads them, the zeros in front kept.

    One that is unclear, or has a unit that is none of these, is refused.
    """
    # JSON and YAML may have read the number already; a text may have blanks and a real minus.
    text = _SPACED_SIGN.sub(r"\1", " ".join(re.sub("[−–]", "-", str(value)).split()))
    if isinstance(value, str) and (match := _LABEL.fullmatch(text)):
        _check_unit(text, match["before"] or match["after"] or "", units)
        text = _plain(match["number"], decimal)
    return text


def _parsed(value: Any, text: str) -> Decimal:
    """The number that a label's figures stand for; ones that stand for none are refused."""
    try:
        number = Decimal(text)
        # NaN and 1e999 are Decimals, too.
        if not number.is_finite() or (number and abs(number.adjusted()) >= _MAX_EXPONENT):
            raise ValueError
        return number
    except (InvalidOperation, ValueError) as error:
        raise ValueError(f"{value!r} is no number such as 41 or 3.5") from error


def _check_unit(text: str, unit: str, units: Sequence[str]) -> None:
    if not unit or unit in units:
        return
    if not any(units):
        raise ValueError(f"{text!r} has a unit: set columns.unit={unit}, or give the number alone")
    raise ValueError(
        f"{text!r} is in {unit}, and columns.unit is {', '.join(units)}: if they are the same, set"
        f" columns.unit=[{', '.join([*units, unit])}]"
    )


def _plain(digits: str, decimal: str | None) -> str:
    """Rewrite digits as Python reads them; those that may be two numbers are refused."""
    mark, other = (",", ".") if decimal == "comma" else (".", ",")
    if decimal is None and _AMBIGUOUS_COMMA.fullmatch(digits):
        thousands, fraction = digits.replace(",", ""), digits.replace(",", ".")
        raise ValueError(
            f"{digits!r} is {thousands} with columns.decimal=point, {fraction} with"
            " columns.decimal=comma: give one"
        )
    if _BY_MARK[mark].fullmatch(digits):
        return re.sub(r"[^\d.+-]", "", digits.replace(other, "").replace(mark, "."))
    if _BY_MARK[other].fullmatch(digits):
        name = "comma" if other == "," else "point"
        hint = f", and columns.decimal is {decimal}" if decimal else f": set columns.decimal={name}"
        raise ValueError(f"the decimal mark of {digits!r} is a {name}{hint}")
    return digits
