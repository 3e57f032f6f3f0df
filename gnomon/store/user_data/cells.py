"""Cells of a user's rows, and the columns as the cells of each row fill them."""

import math
from collections.abc import Container
from dataclasses import replace
from functools import lru_cache
from typing import Any

from gnomon.jsons import shape_error
from gnomon.recipe import Columns


def is_empty(value: Any) -> bool:
    """Return True for a cell without content, including NaN."""
    return value in (None, "", []) or value != value  # NaN is not equal to itself


def cell(raw: dict[str, Any], name: str) -> Any:
    """Return the content of a cell. An empty cell is refused."""
    value = raw.get(name)
    if is_empty(value):
        raise ValueError(f"column {name!r} is {'empty' if name in raw else 'not there'}")
    return value


def words(raw: dict[str, Any], name: str) -> str:
    """Return the text of a cell, or a number as text."""
    value = cell(raw, name)
    if isinstance(value, dict | list | tuple | bytes):
        raise shape_error(f"column {name!r}", value, "give a text")
    return str(value)


class RowCells:
    """Unit and tolerance of each row in a table of many instruments, if columns contain them."""

    def __init__(self, columns: Columns, names: Container[str]) -> None:
        used = (columns.image, columns.question, columns.answer, columns.group, columns.split)
        self._columns = columns
        self._unit: str | None = None
        if isinstance(columns.unit, str) and columns.unit in names and columns.unit not in used:
            self._unit = columns.unit
        self._within = columns.within if isinstance(columns.within, str) else None
        self._filled = lru_cache(2**12)(self._fill)

    def columns(self, raw: dict[str, Any]) -> Columns:
        """Return the columns with the unit and the tolerance of a row in place of their names."""
        if self._unit is None and self._within is None:
            return self._columns
        label, unit = raw.get(self._columns.answer), None
        if self._unit is not None:
            # Some instruments do not have a unit.
            unit = "" if is_empty(raw.get(self._unit)) else words(raw, self._unit)
            if unit != self._unit and isinstance(label, str) and label.endswith(self._unit):
                raise ValueError(
                    f"{label!r} has a unit that is also the name of a column: rename the column, or"
                    f" set columns.unit=[{self._unit}] if the unit is meant"
                )
        return self._filled(unit, self._within and words(raw, self._within))

    def _fill(self, unit: str | None, within: str | None) -> Columns:
        columns = self._columns
        if unit is not None:
            if _number(unit) is not None:
                raise ValueError(
                    f"column {self._unit!r} says {unit!r}, which is not a unit: rename the column"
                    f" if its name is the unit itself, or set columns.unit=[{self._unit}]"
                )
            columns = replace(columns, unit=unit)
        if within is not None:
            number = _number(within.replace(",", ".") if columns.decimal == "comma" else within)
            if number is None or not 0 <= number < math.inf:
                raise ValueError(
                    f"column {self._within!r} says {within!r}: give a distance such as 0.5"
                )
            columns = replace(columns, within=number)
        return columns


def _number(text: str) -> float | None:
    """Return the number that a text is. None for any other text."""
    try:
        return float(text)
    except ValueError:
        return None
