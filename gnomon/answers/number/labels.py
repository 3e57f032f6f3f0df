"""Labels of numbers in users' files: figures, units and decimal marks."""

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

# A number with its unit before or after it. The "e5" of 1e5 is not a unit.
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
# A number such as 1,234: the comma may group thousands or be the decimal mark.
_AMBIGUOUS_COMMA = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}", re.ASCII)
# Largest power of ten. Errors of larger or smaller numbers do not fit into a float.
_MAX_EXPONENT = 300


def label_figures(value: Any, units: Sequence[str], decimal: str | None) -> str:
    """Return a label's figures as Python reads them, with leading zeros.

    Raise if the label is ambiguous or has another unit.
    """
    # JSON and YAML may have parsed the number. A text may have blanks and a real minus sign.
    text = _SPACED_SIGN.sub(r"\1", " ".join(re.sub("[−–]", "-", str(value)).split()))
    if isinstance(value, str) and (match := _LABEL.fullmatch(text)):
        _check_unit(text, match["before"] or match["after"] or "", units)
        text = _plain(match["number"], decimal)
    return text


def parse_number(value: Any, text: str) -> Decimal:
    """Parse a label's figures, or raise if they are not a number."""
    try:
        number = Decimal(text)
        # Decimal also accepts NaN and 1e999.
        if not number.is_finite() or (number and abs(number.adjusted()) >= _MAX_EXPONENT):
            raise ValueError
        return number
    except (InvalidOperation, ValueError) as error:
        raise ValueError(f"{value!r} is not a number such as 41 or 3.5") from error


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
    """Rewrite digits as Python reads them, or raise if they are ambiguous."""
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
