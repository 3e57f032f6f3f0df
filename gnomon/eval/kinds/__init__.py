"""How each kind of target is read, measured and summed up. KINDS names them."""

from __future__ import annotations

from gnomon.eval.kinds.base import Kind
from gnomon.eval.kinds.boxes import BoxKind
from gnomon.eval.kinds.numbers import NumberKind
from gnomon.eval.kinds.spotting import SpotsKind
from gnomon.eval.kinds.tables import TableKind
from gnomon.eval.kinds.texts import TextKind
from gnomon.eval.kinds.times import TimeKind
from gnomon.sample import Box, Number, Spots, Table, Target, Text, Time

KINDS: dict[str, Kind] = {
    "time": TimeKind(hours=12),
    "time24": TimeKind(hours=24),
    "number": NumberKind(),
    "reading": NumberKind(on_a_scale=True),
    "box": BoxKind(),
    "text": TextKind(),
    "spots": SpotsKind(),
    "table": TableKind(),
}

TITLES = {
    "time": "Time on a 12-hour dial",
    "time24": "Time on a 24-hour dial",
    "number": "Number",
    "reading": "Number on a scale",
    "box": "Box",
    "text": "Text",
    "spots": "Texts and their boxes",
    "table": "Table",
}
"""What the kinds are called for people."""


def kind_of(target: Target) -> str:
    """The name of a target's kind; dials of 12 and of 24 hours are never averaged together."""
    match target:
        case Time(hours=12):
            return "time"
        case Time():
            return "time24"
        case Number():
            return "reading" if target.within else "number"
        case Box():
            return "box"
        case Text():
            return "text"
        case Spots():
            return "spots"
        case Table():
            return "table"
