"""Small pictures of things, of a few flat parts each: icons.toml has them, and says how."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np

from gnomon.generators.drawing.canvas import Points
from gnomon.generators.drawing.shapes import (  # fmt: skip
    arc,
    ellipse,
    heart,
    joined,
    mirrored,
    oblong,
    regular,
    star,
)

Part: TypeAlias = "tuple[str, list[Points]]"
"""Contours filled with a tone of the thing's colour, main, dark or light; inner ones are holes."""


def _places(*numbers: float) -> Points:
    return np.reshape(numbers, (-1, 2))


_SHAPES: dict[str, Callable[..., Points]] = {
    "oblong": oblong,
    "ellipse": ellipse,
    "arc": arc,
    "polygon": _places,
    "line": _places,
    "mirrored": lambda *half: mirrored(_places(*half).tolist()),
    "heart": lambda size, x, y: size * heart() + np.array([x, y]),
    "star": lambda size, x, y: size * star() + np.array([x, y]),
    "petal": lambda number: ellipse(across=0.36) + 0.62 * regular(6)[int(number)],
}


def _part(text: str) -> Part:
    tone, contours = text.split(maxsplit=1)
    return tone, [joined(*map(_shape, one.split(" + "))) for one in contours.split("; ")]


def _shape(text: str) -> Points:
    name, *numbers = text.split()
    return _SHAPES[name](*map(float, numbers))


_TABLE = tomllib.loads(Path(__file__).with_name("icons.toml").read_text(encoding="utf-8"))
ICONS: dict[str, list[Part]] = {name: list(map(_part, parts)) for name, parts in _TABLE.items()}
"""Parts, the lowest first."""
