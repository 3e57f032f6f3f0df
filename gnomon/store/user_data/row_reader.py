"""Reader of a user's rows: cells become pictures, a question and a target."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container
from dataclasses import replace
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from gnomon.answers.number.answer import loses_zero
from gnomon.answers.unreadable.answer import is_unreadable_label
from gnomon.files import Folders
from gnomon.generators.base import split_of
from gnomon.jsons import shape_error
from gnomon.recipe import Columns
from gnomon.sample import TARGETS, Target, Unreadable
from gnomon.store.user_data.annotated_sizes import SIZE_COLUMN, place_boxes
from gnomon.store.user_data.checked_pictures import Picture
from gnomon.store.user_data.choices import Choices, is_empty, row_choices
from gnomon.store.user_data.row_steps import row_steps
from gnomon.store.user_data.split_files import SPLIT_COLUMN, SPLIT_NAMES
from gnomon.store.user_data.table import UserRow

# Largest number of distinct labels and groups whose targets and splits are cached.
_CACHE = 2**12
_WAY_OUT = "if the picture cannot be read, set columns.unreadable=true"


class RowReader:
    """Reader of a file's rows by its columns. Repeated cells are parsed once."""

    def __init__(
        self, columns: Columns, at: Folders, names: Container[str], *, by_letter: bool
    ) -> None:
        """`by_letter`: answers to questions with choices are letters, not texts."""
        self._columns, self._at, self._by_letter = columns, at, by_letter
        self._row_cells = _RowCells(columns, names)
        self._type = TARGETS[columns.kind]
        self._pictures: dict[str, tuple[Picture, str]] = {}
        self._text_target = lru_cache(_CACHE)(self._new_target)
        self._split = lru_cache(_CACHE)(partial(split_of, "own"))
        self._unreadable = lru_cache(_CACHE)(self._new_unreadable)
        self.example: str | None = None
        """Label with a leading zero that its answer lacks."""
        self.notes: Counter[str] = Counter()
        """Kinds of changes to boxes, with the number of rows."""

    def row(self, line: int, raw: dict[str, Any]) -> UserRow:
        """Return the row, or raise a ValueError with its fault."""
        columns = self._columns
        name = image_column(raw, columns)
        cells = [_cell(raw, name)] if name is not None else []
        cells += [raw.get(more) or [] for more in columns.more_images]
        values: list[Any] = []
        for value in cells:
            values += value if isinstance(value, list) else [value]
        pictures = [self._picture(value) for value in values]
        image = pictures[0][0] if pictures else None
        question = columns.ask or _words(raw, columns.question)
        choices = row_choices(raw, columns, by_letter=self._by_letter)
        label = raw.get(columns.answer)
        # A row without the cell is a fault, whatever an empty cell means.
        if columns.answer in raw and is_unreadable_label(label, columns.unreadable):
            unreadable = self._unreadable(self._row_cells.columns(raw))
            target: Target = Unreadable(choices.form) if choices else unreadable
        else:
            target = self._readable_target(raw, label, image, choices)
        group = columns.group and _words(raw, columns.group)
        names = tuple([name for _, name in pictures])
        split = _split_in(raw, columns.split) if columns.split else raw.get(SPLIT_COLUMN)
        shared_names = () if group or split else names
        # Without a group column, rows of one picture are a group, and texts are grouped by their
        # question.
        group = group or (names[0] if names else question)
        return UserRow(
            line,
            image,
            choices.question(question) if choices else question,
            target,
            group,
            split or self._split(group),
            row_steps(raw, columns) if target.is_readable else "",
            more_images=tuple([picture for picture, _ in pictures[1:]]),
            shared_names=shared_names,
        )

    def _picture(self, cell: Any) -> tuple[Picture, str]:
        """Return the picture of a cell, and the name that rows with the same picture share."""
        pair = self._pictures.get(cell) if isinstance(cell, str) else None
        if pair is None:
            image = _image(cell, self._at)
            pair = image, _picture_name(cell, image)
            if isinstance(cell, str):
                self._pictures[cell] = pair
        return pair

    def _readable_target(
        self, raw: dict[str, Any], label: Any, image: Picture | None, choices: Choices | None
    ) -> Target:
        """Return the truth of a row whose label is not one for unreadable pictures.

        If the label looks like such a word, the error explains how to allow it.
        """
        columns = self._columns
        try:
            # [] means that there is nothing to find. Answers of other types are not lists.
            if label != []:
                label = _cell(raw, columns.answer)
            return choices.target(label) if choices else self._target(raw, label, image)
        except ValueError as error:
            is_open = not columns.unreadable and columns.answer in raw
            if is_open and is_unreadable_label(label, words=True):
                raise ValueError(f"{error}; {_WAY_OUT}") from error
            raise

    def _target(self, raw: dict[str, Any], label: Any, image: Picture | None) -> Target:
        """Return the truth of a label. Boxes need the size of their picture."""
        if self._type.has_place and image is not None:
            parse = partial(self._type.from_label, label, self._columns)
            return place_boxes(parse, image, raw.get(SIZE_COLUMN), self.notes)
        columns = self._row_cells.columns(raw)
        is_text = isinstance(label, str)
        return self._text_target(label, columns) if is_text else self._new_target(label, columns)

    def _new_target(self, label: Any, columns: Columns) -> Target:
        if loses_zero(label, columns):
            self.example = label
        return self._type.from_label(label, columns, None)

    def _new_unreadable(self, columns: Columns) -> Unreadable:
        # A box needs its picture for an empty form, so any text is read as its answer.
        return Unreadable(self._type.form_of_labels(columns))


def image_column(present: Container[Any], columns: Columns) -> str | None:
    """Return the column of pictures: the recipe's, or file_name as in Hugging Face's folders."""
    is_default = columns.image == "image"
    if is_default and "image" not in present and "file_name" in present:
        return "file_name"
    return columns.image


def _image(value: Any, at: Folders) -> Picture:
    """Return a path in the folders, or the bytes that the Hugging Face libraries wrap."""
    # Parquet may contain bytes, with or without a path.
    if isinstance(value, bytes):
        return value
    if isinstance(value, dict):
        data = value.get("bytes")
        if isinstance(data, bytes):
            return data
        value = value.get("path") or ""
    return at.find(str(value))


def _picture_name(value: Any, image: Picture) -> str:
    """Return the path as in the row, wherever the table lies, or a hash of bytes."""
    if isinstance(image, bytes):
        return sha256(image).hexdigest()[:16]
    path = value["path"] if isinstance(value, dict) else value
    return str(PurePosixPath(str(path)))


def _split_in(raw: dict[str, Any], column: str) -> str:
    """Return the split that a row names."""
    text = _words(raw, column)
    split = SPLIT_NAMES.get(text.lower())
    if split is None:
        raise ValueError(f"column {column!r} says {text!r}: give train, val or test")
    return split


def _cell(raw: dict[str, Any], name: str) -> Any:
    """Return the content of a cell. An empty cell is refused."""
    value = raw.get(name)
    if is_empty(value):
        raise ValueError(f"column {name!r} is {'empty' if name in raw else 'not there'}")
    return value


def _words(raw: dict[str, Any], name: str) -> str:
    """Return the text of a cell, or a number as text."""
    value = _cell(raw, name)
    if isinstance(value, dict | list | tuple | bytes):
        raise shape_error(f"column {name!r}", value, "give a text")
    return str(value)


class _RowCells:
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
            unit = "" if is_empty(raw.get(self._unit)) else _words(raw, self._unit)
            if unit != self._unit and isinstance(label, str) and label.endswith(self._unit):
                raise ValueError(
                    f"{label!r} has a unit that is also the name of a column: rename the column, or"
                    f" set columns.unit=[{self._unit}] if the unit is meant"
                )
        return self._filled(unit, self._within and _words(raw, self._within))

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
