"""Checks of the losses' options; a wrong one is refused with its name, value and way out."""

import math
from collections.abc import Sequence
from typing import TypeGuard


def one_of(name: str, value: object, choices: Sequence[str]) -> str:
    """Return the value if it is among the choices."""
    if isinstance(value, str) and value in choices:
        return value
    raise ValueError(f"{name}={value!r}: give {' or '.join(choices)}")


def positive(name: str, value: object) -> float:
    """Return the value as a float if it is a finite number above 0."""
    if _is_number(value) and value > 0:
        return float(value)
    raise ValueError(f"{name}={value!r}: give a number above 0")


def positive_list(name: str, values: object) -> tuple[float, ...]:
    """Return the values as floats if there is at least one and all are finite and above 0."""
    if isinstance(values, list | tuple) and values and all(_is_number(v) and v > 0 for v in values):
        return tuple(map(float, values))
    raise ValueError(f"{name}={values!r}: give a list of numbers above 0, such as [2.0]")


def part_weights(name: str, values: object, parts: Sequence[str]) -> dict[str, float]:
    """Return a weight of 0 or more for each part, in order; at least one is above 0."""
    listed = values if isinstance(values, list | tuple) else []
    if len(listed) == len(parts) and all(_is_number(v) and v >= 0 for v in listed) and any(listed):
        return dict(zip(parts, map(float, listed), strict=True))
    usage = f"{len(parts)} numbers of 0 or more, not all 0, for {', '.join(parts)}"
    raise ValueError(f"{name}={values!r}: give {usage}")


def bounded(name: str, value: float, maximum: float = math.inf) -> float:
    """Return the value as a float if it lies between 0 and the maximum."""
    if 0 <= value <= maximum and math.isfinite(value):
        return float(value)
    usage = "0 or more" if maximum > 1 else "a share, 0 to 1"
    raise ValueError(f"{name}={value}: give {usage}")


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
