"""Steps before the answers of a user's rows: a column, or a text with columns in braces."""

from __future__ import annotations

import re
from typing import Any

from gnomon.answers.reading.steps import OWN_STEPS, are_steps
from gnomon.recipe import Columns
from gnomon.store.user_data.choices import is_empty

_BRACES = re.compile(r"{([^{}]+)}")


def step_columns(columns: Columns) -> list[str]:
    """Return the columns that the steps are made of."""
    if columns.steps is None:
        return []
    return _BRACES.findall(columns.steps) or [columns.steps]


def row_steps(raw: dict[str, Any], columns: Columns) -> str:
    """Return the steps of a row. Empty if the row has none, or lacks a part of them."""
    cells = {name: raw.get(name) for name in step_columns(columns)}
    if not cells or any(map(is_empty, cells.values())):
        return ""
    assert columns.steps is not None
    texts = {name: str(cell).strip() for name, cell in cells.items()}
    template = columns.steps if _BRACES.search(columns.steps) else f"{{{columns.steps}}}"
    steps = _BRACES.sub(lambda match: texts[match[1]], template)
    # In other words than the kinds use, readers need a mark at which the steps begin.
    return steps if are_steps(steps) else OWN_STEPS + steps
