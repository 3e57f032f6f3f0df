"""Texts as they stand in answers, with the values that readers must read: cases/*.jsonl.

value   the last value of the text, null for none
rule    name of the form by which it is read
final   the value that a person takes for the answer, where that is not the last one: ranges,
        alternatives and bare lists are no answer
choices the listed choices, [] for a free text
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def load(name: str) -> list[dict[str, Any]]:
    """Read a table of cases, lists in it as tuples."""
    text = (Path(__file__).parent / "cases" / f"{name}.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.split("\n") if line]
    return [{key: _as_tuple(value) for key, value in row.items()} for row in rows]


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


TIMES, NUMBERS, BOXES, CHOICES = (load(name) for name in ("time", "number", "box", "text"))
