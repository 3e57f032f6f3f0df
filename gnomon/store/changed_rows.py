"""The rows in which two sets of samples differ, for messages that refuse to mix them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from gnomon.sample import Target

_NAMED = 3
"""Largest number of rows that a message names."""
_MOST = 2000
"""Largest number of rows that are compared. Decoding their pictures takes seconds."""


class ComparedRow(NamedTuple):
    """The fields of a sample that are compared."""

    id: str
    question: str
    target: Target
    facts: Mapping[str, Any]
    pictures: object
    """Hashes of its pictures."""

    @property
    def name(self) -> str:
        """File and line of a user's row, or the id of another sample."""
        file, line = self.facts.get("file"), self.facts.get("line")
        return self.id if file is None or line is None else f"{file} line {line}"


def explain_differences(
    differences: Iterable[str], stored: Iterable[ComparedRow], rows: Iterable[ComparedRow]
) -> list[str]:
    """Replace differences of a table's content hash by the names of the rows that differ.

    `differences` are texts about two descriptions of samples. They are returned unchanged if all
    rows are equal.
    """
    texts = list(differences)
    changes = list(_changes(stored, rows))
    if not changes:
        return texts
    more = [f"{len(changes) - _NAMED:,} more rows"] if len(changes) > _NAMED else []
    others = [text for text in texts if not re.match(r"(\S+\.)?content is ", text)]
    return [*changes[:_NAMED], *more, *others]


def _changes(stored: Iterable[ComparedRow], rows: Iterable[ComparedRow]) -> Iterable[str]:
    old_rows = {row.id: row for row in islice(stored, _MOST)}
    for new in islice(rows, _MOST):
        old = old_rows.get(new.id)
        if old is None:
            continue  # added, or beyond the rows that are compared
        if old.question != new.question:
            yield f"{new.name} asked {old.question!r}, and now {new.question!r}"
        elif old.target != new.target:
            yield f"{new.name} had the label {old.target.display()}, and now {new.target.display()}"
        elif old.pictures != new.pictures:
            yield f"{new.name} has another picture"
