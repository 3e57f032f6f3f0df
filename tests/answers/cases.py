"""Texts as they stand in answers, with what must be read from them: cases/*.jsonl, one per type.

asked       what the reader is told: `hours`, `unit`, `choices`; or the `dialect` ("*" for each of
            them) and the `size` of the picture
value       value of the final answer; null for none
rule        form by which the last value is read; the row then says the last value, too
final       value of the final answer where it is not the last value: ranges, alternatives and
            bare lists are no answer
final_rule  place and form by which the final answer is read
which       values by the way of choosing among several, as in {"first": 7, "last": 43}
place       the piece of the text that is read
within      tolerance of a box, in pixels
"""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from case_tables import rows

from gnomon.answers.box.answer import BoxForm
from gnomon.answers.registry import TYPES
from gnomon.answers.spots.answer import SpotsForm
from gnomon.answers.table.read import read_table
from gnomon.dialect import create
from gnomon.eval import read_box, read_number, read_text, read_time
from gnomon.sample import Spots, Table

FORMS = {"box": BoxForm(), "spots": SpotsForm()}
READERS = {
    "time": read_time,
    "number": read_number,
    "box": read_box,
    "text": read_text,
    "table": lambda text, which: read_table(text),
}


FILES = {file.stem for file in Path(__file__).with_name("cases").iterdir()}
CASES = {name: rows(__file__, f"cases/{name}") for name in TYPES if name in FILES}


def read(name: str, text: str, asked: dict[str, Any], which: str = "final") -> Any:
    """Read a text by its type's reader for users, or in a dialect."""
    asked = {key: tuple(v) if isinstance(v, list) else v for key, v in asked.items()}
    if "dialect" in asked:
        dialect = create(asked["dialect"])
        return TYPES[name].read(text, FORMS[name], which=which, dialect=dialect, size=asked["size"])
    return READERS[name](text, which=which, **asked)


def plain(value: Any) -> Any:
    """Value of a reading, texts with their boxes as pairs and the number of unread ones."""
    if isinstance(value, Spots):
        return [(spot.text, spot.box.corners) for spot in value.items], value.unread
    return value


def expected(name: str, value: Any, within: float) -> Any:
    """Value in a file as one that compares with `plain` of what is read."""
    if value is None:
        return None
    if name == "number":
        return Decimal(value)
    if name == "table":
        return Table(tuple(value["header"]), tuple(map(tuple, value["rows"])))
    if name == "spots":
        return [(text, pytest.approx(box, abs=0.1)) for text, box in value["items"]], value[
            "unread"
        ]
    if name == "box" and within:
        return pytest.approx(tuple(value), abs=within)
    return tuple(value) if isinstance(value, list) else value
