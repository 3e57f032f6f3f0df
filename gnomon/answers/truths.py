"""The types of exact answers. A folder of this package joins by its line in TARGETS."""

from __future__ import annotations

from dataclasses import fields
from decimal import InvalidOperation
from typing import Any

from gnomon.answers.box.truth import Box
from gnomon.answers.number.truth import Number
from gnomon.answers.spots.truth import Spots
from gnomon.answers.table.truth import Table
from gnomon.answers.target import Target
from gnomon.answers.text.truth import Text
from gnomon.answers.time.truth import Time

TARGETS: dict[str, type[Target]] = {
    kind.name: kind for kind in (Time, Number, Box, Text, Spots, Table)
}


def target_to_json(target: Target) -> dict[str, Any]:
    """A plain dict that `target_from_json` turns back into the same target."""
    return {"type": target.name, **target.to_json()}


def target_from_json(row: dict[str, Any]) -> Target:
    """The target that `target_to_json` wrote; a ValueError names what is wrong with the row."""
    values = dict(row)
    name = values.pop("type", None)
    if name not in TARGETS:
        raise ValueError(f"target type {name!r}: expected one of {', '.join(TARGETS)}")
    kind = TARGETS[name]
    extra = values.keys() - {f.name for f in fields(kind)}  # type: ignore[arg-type]
    if extra:
        raise ValueError(f"a {name} target has no field {', '.join(sorted(extra))}")
    try:
        return kind.from_json(values)
    except (AttributeError, InvalidOperation, KeyError, TypeError) as error:
        raise ValueError(f"{name} target {row!r}: {error}") from error
