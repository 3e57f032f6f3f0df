"""Sources of the photo look, each of which can be left out of the drawings.

Training without one, and reading photographs, shows what it is worth. The stages of the look are
replaced by plain ones, so their names here are those of gnomon's own module.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np

from gnomon.generators.drawing.canvas import Pixels
from gnomon.generators.instruments import dial
from gnomon.generators.looks import photo

_OPTIONS: dict[str, Any] = {
    "look": {"look": "flat", "degrade": "light"},
    "turns": {"rotation": 0.0, "perspective": 0.0},
}
"""What a generator's option leaves out; light faults take the place of the whole look."""


def _plain_bodies(layers: photo.Layers, *_: object) -> photo.FloatImage:
    mask = np.float32(1 / 255) * layers.mask[..., None]
    still, pointer = (np.float32(1 / 255) * part for part in layers[:2])
    scene: photo.FloatImage = still + (pointer - still) * mask
    return scene


def _even_light(height: int, width: int, *_: object) -> photo.FloatImage:
    return np.ones((height, width, 1), np.float32)


def _unchanged(scene: photo.FloatImage, *_: object) -> photo.FloatImage:
    return scene


def _exact(image: photo.FloatImage, *_: object) -> Pixels:
    return np.rint(255 * np.clip(image, 0, 1)).astype(np.uint8)


_REPLACED: dict[str, list[tuple[ModuleType, str, object]]] = {
    "light": [(photo, "_materials", _plain_bodies), (photo, "_lamp_field", _even_light)],
    "glass": [(photo, "_glass", _unchanged), (photo, "_obstruct", _unchanged)],
    "camera": [(photo, "_lens", _unchanged), (photo, "_record", _exact)],
    "colours": [(photo, "_expose", _unchanged)],
    "pointers": [(dial, "POINTERS", {"needle": dial.POINTERS["needle"]})],
}
"""Bevels, shadows, dirt and lamps; reflections, haze and housings; few pixels, blur, noise and
JPEG; exposure, casts and contrast; all pointers of dials but the needle."""

SOURCES = (*_OPTIONS, *_REPLACED)


def options_without(source: str | None, drawn: dict[str, Any]) -> dict[str, Any]:
    """Return a recipe's source of drawings without the options that the name stands for."""
    changes = _OPTIONS.get(source or "", {})
    return {**drawn, "options": {**drawn["options"], **changes}}


@contextmanager
def leave_out(source: str | None) -> Iterator[None]:
    """Draw without one source of the look for a while, in this process."""
    with ExitStack() as stages:
        for module, name, plain in _REPLACED.get(source or "", []):
            assert hasattr(module, name)
            stages.enter_context(patch.object(module, name, plain))
        yield
