"""Choices in a column of a user's table, for each row."""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from reprlib import repr  # noqa: A004 - a cell may be long, and deep
from string import ascii_uppercase
from typing import Any

from gnomon.answers.text.answer import TextForm
from gnomon.answers.unreadable.answer import is_unreadable_label
from gnomon.recipe import Columns
from gnomon.sample import Text

NAMES = ("options", "choices")
"""Usual names of such a column."""

# A letter with or without its text: B, (b), "B." or "B. dark blue".
_LETTER = re.compile(r"\(?([A-Za-z])[.):]*(?: (.+))?", re.ASCII)
# A text with its letter in a list.
_LETTERED = re.compile(r"\(?([A-Z])[.):]+ ?(.+)", re.ASCII)


@dataclass(frozen=True)
class Choices:
    """Texts of a row's choices in order, and whether its answer is a letter or a text."""

    texts: tuple[str, ...]
    by_letter: bool

    @property
    def answers(self) -> tuple[str, ...]:
        """Possible answers, as the model writes them."""
        return tuple(ascii_uppercase[: len(self.texts)]) if self.by_letter else self.texts

    @property
    def form(self) -> TextForm:
        """Form of the answers to the row's question."""
        return TextForm(self.answers)

    def target(self, label: Any) -> Text:
        """Return the answer of a label, which may be a letter or a text."""
        return Text(self.answers[_place(label, self.texts)], self.answers)

    def question(self, question: str) -> str:
        """Return the question with its choices, unless it lists them already."""
        line = " ".join(question.split())
        if not self.by_letter:
            is_listed = all(
                re.search(rf"(?<!\w){re.escape(text)}(?!\w)", line) for text in self.texts
            )
            lines = [*self.texts, "Answer with one of these."]
        else:
            pairs = list(zip(self.answers, self.texts, strict=True))
            is_listed = all(
                re.search(rf"(?<!\w){letter}[.):]+ ?{re.escape(text)}", line)
                for letter, text in pairs
            )
            lines = [*(f"{letter}. {text}" for letter, text in pairs), "Answer with the letter."]
        return question if is_listed else "\n".join((question, *lines))


def row_choices(raw: dict[str, Any], columns: Columns, *, by_letter: bool) -> Choices | None:
    """Return the choices of a row. None if they have no column, or if the cell is empty."""
    if not isinstance(columns.choices, str):
        return None
    texts = _texts(raw.get(columns.choices))
    return Choices(texts, by_letter) if texts else None


def are_letters(rows: Iterable[dict[str, Any]], columns: Columns) -> bool:
    """Return True if the first readable label is a letter. All answers are written in the same
    form.

    Otherwise a model could see from the form of a question how it is answered.
    """
    for raw in rows:
        label = raw.get(columns.answer)
        if is_unreadable_label(label, columns.unreadable):
            continue
        try:
            choices = row_choices(raw, columns, by_letter=False)
            if choices is not None:
                _place(label, choices.texts)
                return _words(label) not in choices.texts
        except ValueError:  # reported when the row is read
            continue
    return True


def is_empty(value: Any) -> bool:
    """Return True for a cell without content, including NaN."""
    return value in (None, "", []) or value != value  # NaN is not equal to itself


def _place(label: Any, texts: tuple[str, ...]) -> int:
    """Return the number of the choice that a label names by its text or its letter."""
    words = _words(label)
    if words in texts:
        if (n := texts.count(words)) > 1:
            raise ValueError(f"{words!r} is the text of {n} choices: give a letter")
        return texts.index(words)
    match = _LETTER.fullmatch(words)
    place = ascii_uppercase.index(match[1].upper()) if match else len(texts)
    if match is None or place >= len(texts) or match[2] not in (None, texts[place]):
        raise ValueError(
            f"{label!r} is not among its {len(texts)} choices: give a letter from A to"
            f" {ascii_uppercase[len(texts) - 1]}, or the text of a choice"
        )
    return place


def _texts(cell: Any) -> tuple[str, ...]:
    """Return the choices in a cell: a list, or an object whose keys are the letters.

    A text may be such a list as JSON or Python print it. An empty cell has no choices.
    """
    values = _parsed(cell) if isinstance(cell, str) else cell
    if is_empty(values):
        return ()
    if isinstance(values, dict) and values.keys() == {"label", "text"}:  # as ARC has them
        values = dict(zip(values["label"], values["text"], strict=False))
    if isinstance(values, list):
        texts = [_words(value) for value in values if value is not None]
        matches = map(_LETTERED.fullmatch, texts)
        values = {match[1]: match[2] for match in matches if match}
        if sorted(values) != list(
            ascii_uppercase[: len(texts)]
        ):  # letters do not stand before them
            values = dict(enumerate(texts))
    if not isinstance(values, dict) or not 2 <= len(values) <= len(ascii_uppercase):
        raise ValueError(f"{repr(cell)} is not a list of 2 to 26 choices")
    keys = sorted(values)
    if keys not in (list(ascii_uppercase[: len(keys)]), list(range(len(keys)))):
        raise ValueError(f"{repr(cell)} has letters other than A, B, C and so on")
    return tuple([_words(values[key]) for key in keys])


def _parsed(cell: str) -> Any:
    """Return the list in a text, or the text itself if it is not a list."""
    # As strings, 1.50 keeps its zero.
    for parse in (partial(json.loads, parse_float=str, parse_int=str), literal_eval):
        try:
            return parse(cell.strip())
        except (MemoryError, RecursionError, SyntaxError, ValueError):
            continue
    return cell.strip()


def _words(value: Any) -> str:
    """Return a text or a number on one line."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"{repr(value)} is not the text of a choice")
    return " ".join(str(value).split())
