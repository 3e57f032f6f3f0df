"""Steps of answers about faces: what each pointer, card and window shows."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from gnomon.generators.faces.card import Card
from gnomon.generators.faces.description import DrawnFace, FaceReading
from gnomon.generators.faces.graduation import LABELLED
from gnomon.generators.faces.part import MountedPart
from gnomon.generators.faces.pointer import Pointer
from gnomon.generators.faces.scale_steps import between_labels
from gnomon.generators.faces.track import Track
from gnomon.generators.faces.window import Window
from gnomon.generators.wording import rounded_text

_FORMS = {"lcd": "digits", "led": "digits"}


def steps(face: DrawnFace, reading: FaceReading, facts: dict[str, Any]) -> str:
    """State what the parts of a reading show, and the value if the question asks for another."""
    question = facts["question"]
    if question in ("where", "find"):
        return ""
    mounts = [mount for mount in face.parts if _shows_value(mount, face.head.draws)]
    if reading.part is not None:
        mounts = [mount for mount in mounts if mount.name == reading.part]
    elif reading.drive not in (None, "value") and face.pointer_of(reading) is None:
        # A pointer's number is on its own scale, not on the second scale that is asked for.
        mounts = [mount for mount in mounts if isinstance(mount.part, Window)]
    parts = [_single(mounts[0])] if len(mounts) == 1 else [_position(mount) for mount in mounts]
    text = ", ".join(parts)
    if not text or question in ("read", "part"):
        return text
    target = f", target {facts['target']}" if question == "difference" else ""
    return f"{text}, reads {facts['readings'][facts['reading']].split()[0]}{target}"


def _shows_value(mount: MountedPart, draws: Mapping[str, Any]) -> bool:
    """Return True if a part moves with the value. An alarm pointer and an odometer do not."""
    if mount.number is None or not isinstance(mount.part, Pointer | Card | Window):
        return False
    names = set(re.findall(r"\w+", mount.part.drive_text or ""))
    for name in [*draws, *draws]:  # a draw may depend on an earlier draw
        if name in names:
            names |= set(re.findall(r"\w+", str(draws[name])))
    return "value" in names


def _single(mount: MountedPart) -> str:
    """State the labels around the only pointer, or the figures of the only window."""
    if isinstance(mount.part, Window):
        return _window(mount)
    track = mount.part if isinstance(mount.part, Track) else mount.track
    assert isinstance(track, Track)
    ticks = track.graduation.ticks
    if len(ticks) < 2:
        return _position(mount)
    cycle = Decimal(0)
    if track.graduation.goes_round:
        cycle = Decimal(repr(track.graduation.high)) - Decimal(repr(track.graduation.low))
    labels = [tick.value for tick in ticks if tick.rank == LABELLED]
    number = Decimal(repr(mount.scale_number))
    return between_labels(number, labels, [tick.value for tick in ticks], cycle)


def _position(mount: MountedPart) -> str:
    """State the position of a part."""
    if isinstance(mount.part, Window):
        return _window(mount)
    return f"pointer {mount.name} at {rounded_text(mount.scale_number, 2)}"


def _window(mount: MountedPart) -> str:
    window = mount.part
    assert isinstance(window, Window)
    assert mount.number is not None
    positions = window.positions(mount.number)
    style = "digits" if window.is_display else "dials" if window.style == "dials" else "wheels"
    return figures(style, [{"position": place} for place in positions], window.decimals)


def figures(style: str, cells: list[dict[str, Any]], decimals: int) -> str:
    """State the position of each wheel, dial or digit, and the number of decimals."""
    # Rounded down, a position keeps its figure.
    tenths = [math.floor(10 * cell["position"] + 1e-6) / 10 for cell in cells]
    positions = " ".join(rounded_text(tenth, 1) for tenth in tenths)
    return f"{_FORMS.get(style, style)} {positions}" + (
        f", decimals {decimals}" if decimals else ""
    )
