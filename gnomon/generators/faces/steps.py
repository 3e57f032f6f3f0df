"""Steps of answers about faces: what each pointer, card and window shows."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from gnomon.generators.faces.card import Card
from gnomon.generators.faces.description import DrawnFace, FaceReading
from gnomon.generators.faces.graduation import LABELLED
from gnomon.generators.faces.part import MountedPart
from gnomon.generators.faces.pointer import Pointer
from gnomon.generators.faces.scale_steps import between_labels, with_reading
from gnomon.generators.faces.track import Track
from gnomon.generators.faces.window import Window
from gnomon.generators.wording import rounded_text

_FORMS = {"lcd": "digits", "led": "digits", "dials": "dials"}


def steps(face: DrawnFace, reading: FaceReading, facts: dict[str, Any]) -> str:
    """State what the parts of a reading show, and the value if the question asks for another."""
    mounts = [mount for mount in face.parts if _shows_value(mount, face.head.draws)]
    if reading.part is not None:
        mounts = [mount for mount in mounts if mount.name == reading.part]
    elif reading.drive not in (None, "value") and face.pointer_of(reading) is None:
        # A pointer's number is on its own scale, not on the second scale that is asked for.
        mounts = [mount for mount in mounts if isinstance(mount.part, Window)]
    text = ", ".join(_observation(mount, is_single=len(mounts) == 1) for mount in mounts)
    return text and with_reading(text, facts, facts["readings"][facts["reading"]].split()[0])


def _shows_value(mount: MountedPart, draws: Mapping[str, Any]) -> bool:
    """Return True if a part moves with the value. An alarm pointer and an odometer do not."""
    if mount.number is None or not isinstance(mount.part, Pointer | Card | Window):
        return False
    names = set(re.findall(r"\w+", mount.part.drive_text or ""))
    for name in [*draws, *draws]:  # a draw may depend on an earlier draw
        if name in names:
            names |= set(re.findall(r"\w+", str(draws[name])))
    return "value" in names


def _observation(mount: MountedPart, *, is_single: bool) -> str:
    """State the figures of a window, the labels around a single pointer, or a pointer's number."""
    part = mount.part
    if isinstance(part, Window):
        assert mount.number is not None
        return figures(part.style, part.positions(mount.number), part.decimals)
    track = part if isinstance(part, Track) else mount.track
    if not is_single or not isinstance(track, Track) or len(track.graduation.ticks) < 2:
        return f"pointer {mount.name} at {rounded_text(mount.scale_number, 2)}"
    scale = track.graduation
    low, high, number = (Decimal(repr(n)) for n in (scale.low, scale.high, mount.scale_number))
    labels = [tick.value for tick in scale.ticks if tick.rank == LABELLED]
    cycle = high - low if scale.goes_round else Decimal(0)
    values = [tick.value for tick in scale.ticks] if cycle else track.ticks_and_ends
    return between_labels(number, labels, values, cycle)


def figures(style: str, positions: Sequence[float], decimals: int) -> str:
    """State the position of each wheel, dial or digit, and the number of decimals."""
    # Rounded down, a position keeps its figure.
    tenths = [math.floor(10 * position + 1e-6) / 10 for position in positions]
    text = " ".join([_FORMS.get(style, "wheels"), *(rounded_text(tenth, 1) for tenth in tenths)])
    return f"{text}, decimals {decimals}" if decimals else text
