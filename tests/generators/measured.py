"""Hands found again from the pixels alone; nothing here knows how they were drawn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from types import ModuleType

    from PIL.Image import Image

    from gnomon.generators import Generator


def scene_of(generator: Generator, index: int, draw: ModuleType) -> Any:
    """The scene that a kind's module `draw` is given for sample `index`."""
    name = f"draw_{generator.kind}" if hasattr(draw, f"draw_{generator.kind}") else "draw_face"
    scenes, picture = [], getattr(draw, name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draw, name, lambda scene, rng: scenes.append(scene) or picture(scene, rng))
        generator.draw(index)
    return scenes[0]


def ink(image: Image) -> np.ndarray:
    """How dark each pixel is against the white floor, 0 to 1."""
    grey = np.asarray(image.convert("L"), dtype=float)
    return np.clip((grey.max() - grey) / (grey.max() - grey.min()), 0, 1)


def ring(
    dark: np.ndarray, centre: tuple[float, float], low: float, high: float
) -> tuple[np.ndarray, np.ndarray]:
    """Direction (degrees clockwise from up) and moment of the pixels between two radii.

    The ring fades out to both sides: a hard edge through pixels would tilt what is found.
    """
    ys, xs = np.mgrid[: dark.shape[0], : dark.shape[1]]
    dx, dy = xs + 0.5 - centre[0], ys + 0.5 - centre[1]
    radius = np.hypot(dx, dy)
    inside = (radius >= low) & (radius < high)
    fade = np.sin(np.pi * (radius - low) / (high - low)) ** 2
    return np.degrees(np.arctan2(dx[inside], -dy[inside])) % 360, (dark * radius * fade)[inside]


def direction(degrees: np.ndarray, weights: np.ndarray) -> float:
    """The darkest direction, then the weighted mean within 20 degrees of it."""
    bins = np.bincount((degrees / 2).astype(int), weights, minlength=180)
    smooth = bins + np.roll(bins, 1) + np.roll(bins, -1)
    guess = 2.0 * int(smooth.argmax()) + 1
    for _ in range(3):
        away = (degrees - guess + 180) % 360 - 180
        near = np.abs(away) < 20
        guess += float((away[near] * weights[near]).sum() / weights[near].sum())
    return guess % 360


def apart(one: float, other: float) -> float:
    """The angle between two directions."""
    return abs((one - other + 180) % 360 - 180)


def tip_radius(tip: tuple[float, float], centre: tuple[float, float]) -> float:
    return math.hypot(tip[0] - centre[0], tip[1] - centre[1])
