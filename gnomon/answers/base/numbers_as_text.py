"""Numbers of reports as text: shares in percent, three significant digits for the rest."""

import math
from decimal import Decimal

NONE = "–"


def figure(value: float | None, unit: str) -> str:
    """Format a figure with its unit; a share is written in percent, None as a dash."""
    if value is None:
        return NONE
    in_unit = to_unit(value, unit)
    return f"{format_decimals(in_unit, decimal_places(in_unit, unit))} {unit}".rstrip()


def format_exact(value: float) -> str:
    """Write one measurement: 9.2 and 5, where a mean would be 9.20 and 5.00; round long ones."""
    # repr gives the shortest decimals that make this float: 9.2, not 9.199999999999999.
    shortest = Decimal(repr(value)).normalize().as_tuple().exponent
    decimals = -shortest if isinstance(shortest, int) else 0
    return format_decimals(value, max(0, min(decimals, decimal_places(value, ""))))


def to_unit(value: float, unit: str) -> float:
    """Convert a share to percent where that is the unit."""
    return 100 * value if unit == "%" else value


def decimal_places(value: float, unit: str) -> int:
    """Decimals to show: one for percents, else three significant digits, none from 1,000 on."""
    if unit == "%":
        return 1
    exponent = 0 if value == 0 else math.floor(math.log10(abs(value)))
    # A figure without a unit is a share or an F1, of which three decimals are read.
    return max(0, min(3 if unit == "" else 2, 2 - exponent))


def format_decimals(value: float, places: int, *, sign: str = "") -> str:
    """Format with that many decimals. Zero has no minus; from 1e12 on the exponent is written."""
    return f"{value:{sign}z,.{places}f}" if abs(value) < 1e12 else f"{value:{sign}.3g}"
