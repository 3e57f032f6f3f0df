"""Sources of the photo look, each of which can be left out of the drawings.

Weights that have never seen the look, trained with and without one source, show what it is worth on
photographs. A source is a stage of the look that a plain one replaces, or options of the generator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np

from gnomon.generators.drawing.canvas import Pixels
from gnomon.generators.faces import pointer
from gnomon.generators.looks import photo

_OPTIONS: dict[str, dict[str, Any]] = {
    # Light faults take the place of the whole look.
    "look": {"look": "flat", "degrade": "light"},
    "turns": {"rotation": 0.0, "perspective": 0.0},
}


def _plain_bodies(layers: photo.Layers, *_: object) -> photo.FloatImage:
    still, pointer, mask = (photo.to_float(part) for part in layers[:3])
    scene: photo.FloatImage = still + (pointer - still) * mask[..., None]
    return scene


def _even_light(height: int, width: int, *_: object) -> photo.FloatImage:
    return np.ones((height, width, 1), np.float32)


def _same(scene: photo.FloatImage, *_: object) -> photo.FloatImage:
    return scene


def _pixels(image: photo.FloatImage, *_: object) -> Pixels:
    return photo.to_pixels(image)


_STAGES: dict[str, list[tuple[ModuleType, str, object]]] = {
    # Bevels, shadows, dirt; bright and dark places.
    "light": [(photo, "_materials", _plain_bodies), (photo, "lamp_field", _even_light)],
    # Reflections, haze, drops, scratches; a housing's edge.
    "glass": [(photo, "_glass", _same), (photo, "_obstruct", _same)],
    # Few pixels, blur, shake; noise, halos, JPEG.
    "camera": [(photo, "_lens", _same), (photo, "_record", _pixels)],
    # Brightness, casts, saturation and contrast.
    "exposure": [(photo, "_expose", _same)],
    # All pointers of dials but the slim needle.
    "pointers": [(pointer, "POINTERS", dict.fromkeys(pointer.POINTERS, pointer.POINTERS["pin"]))],
}

SOURCES = (*_OPTIONS, *_STAGES)


def check_is_drawn(source: str | None, drawn: Mapping[str, Any] | None) -> None:
    """Refuse to leave out what no drawing of the training has."""
    if source is None:
        return
    if drawn is None:
        raise ValueError(f"--without {source}: nothing is drawn here that could do without it")
    if source == "pointers" and drawn["kind"] != "gauge":
        raise ValueError(f"--without pointers: a {drawn['kind']} has none")


def options_without(source: str | None, drawn: dict[str, Any]) -> dict[str, Any]:
    """Return a recipe's source of drawings with the options that leave the source out."""
    return {**drawn, "options": {**drawn["options"], **_OPTIONS.get(source or "", {})}}


@contextmanager
def leave_out(source: str | None) -> Iterator[None]:
    """Draw without one source of the look for a while, in this process."""
    with ExitStack() as stages:
        for module, name, plain in _STAGES.get(source or "", []):
            stages.enter_context(patch.object(module, name, plain))
        yield
