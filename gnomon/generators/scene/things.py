"""Shapes and icons: names, contours (those of icons are in icons.toml), places and drawing."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np

from gnomon.files import read_toml
from gnomon.generators.drawing import shapes
from gnomon.generators.drawing.canvas import Canvas, Points
from gnomon.generators.drawing.colours import SHADES, Colour, lighten
from gnomon.generators.drawing.pose import Slot
from gnomon.generators.drawing.shapes import SHAPES, rotation_matrix
from gnomon.generators.rng import Rng

# Contours filled with one tone (main, dark or light) of the thing's colour. Inner contours are
# holes.
Part: TypeAlias = "tuple[str, list[Points]]"


def _places(*numbers: float) -> Points:
    return np.reshape(numbers, (-1, 2))


_SHAPES: dict[str, Callable[..., Points]] = {
    "oblong": shapes.oblong,
    "ellipse": shapes.ellipse,
    "arc": shapes.arc,
    "polygon": _places,
    "line": _places,
    "mirrored": lambda *half: shapes.mirrored(_places(*half).tolist()),
    "heart": lambda size, x, y: size * shapes.heart() + np.array([x, y]),
    "star": lambda size, x, y: size * shapes.star() + np.array([x, y]),
    "petal": lambda number: shapes.ellipse(across=0.36) + 0.62 * shapes.regular(6)[int(number)],
}


def _part(text: str) -> Part:
    tone, contours = text.split(maxsplit=1)
    return tone, [
        shapes.joined(*map(_shape, contour.split(" + "))) for contour in contours.split("; ")
    ]


def _shape(text: str) -> Points:
    name, *numbers = text.split()
    return _SHAPES[name](*map(float, numbers))


_ICONS_TABLE = read_toml(__file__, "icons.toml")
# Parts of the drawing, from bottom to top.
ICONS: dict[str, list[Part]] = {
    name: list(map(_part, parts)) for name, parts in _ICONS_TABLE.items()
}


# x1, y1, x2, y2.
Edges: TypeAlias = tuple[float, float, float, float]
# Shapes and icons that are drawn only with `ood`.
UNSEEN = ("crescent", "semicircle", "arrow", "boat", "hat", "leaf", "lock", "medal", "rocket")
SEEN = tuple(name for name in (*SHAPES, *ICONS) if name not in UNSEEN)
# Sizes as shares of the largest possible size. They differ so much that a viewer can always tell
# which of two things is larger.
SIZES = {"small": 0.55, "large": 1.0}
# Radius of a large thing, as a share of its slot's shorter side.
REACH = 0.46
_ICONS_TURN = 15.0
_TONES = {"main": 0, "dark": -60, "light": 70}


class Thing(NamedTuple):
    """Thing of a scene. Two things differ in at least one of the three properties."""

    size: str
    colour: str
    name: str

    @property
    def meaning(self) -> str:
        """Size, colour and shape in words."""
        return f"{self.size} {self.colour} {self.name}"

    def place(self, slot: Slot, side: float, rng: Rng) -> PlacedThing:
        """Put the thing at a random place in its slot. `side` is the shorter side of the slot."""
        # Up to 8 % smaller, so sizes with the same word vary.
        radius = REACH * side * SIZES[self.size] * rng.uniform(0.92, 1)
        most = SHAPES[self.name][1] if self.name in SHAPES else _ICONS_TURN
        return PlacedThing(
            self,
            rng.uniform(slot.x1 + radius, slot.x2 - radius),
            rng.uniform(slot.y1 + radius, slot.y2 - radius),
            radius,
            rng.uniform(-most, most),
            rng.integer(0, len(SHADES[self.colour]) - 1),
        )


class PlacedThing(NamedTuple):
    """Thing with the circle that contains it, in pixels."""

    thing: Thing
    x: float
    y: float
    radius: float
    turn: float
    """Turn in degrees, clockwise."""
    shade: int
    """Index among the shades of the colour."""

    @property
    def outer_box(self) -> Edges:
        """Box of the circle. The box of the ink is never larger."""
        (x, y), radius = self.middle, self.radius
        return x - radius, y - radius, x + radius, y + radius

    @property
    def middle(self) -> tuple[float, float]:
        """Centre of the circle, in pixels."""
        return self.x, self.y

    @property
    def colour(self) -> Colour:
        """Colour in which the thing is drawn."""
        return SHADES[self.thing.colour][self.shade]

    def draw(self, canvas: Canvas) -> Points:
        """Draw the thing and return the points of its contours."""
        turn = rotation_matrix(self.turn)
        # The furthest point of a contour lies on the circle around the thing.
        turn *= self.radius / _reach(self.thing.name)
        ink = []
        for tone, contours in _contours(self.thing.name):
            outlines = [contour @ turn + self.middle for contour in contours]
            canvas.fill_fine(outlines, lighten(self.colour, _tone(tone, self.colour)))
            ink += outlines
        return np.concatenate(ink)


def _contours(name: str) -> list[tuple[str, list[Points]]]:
    return [("main", SHAPES[name][0])] if name in SHAPES else list(ICONS[name])


@cache
def _reach(name: str) -> float:
    """Distance from the middle to the furthest point."""
    ink = np.concatenate([c for _, contours in _contours(name) for c in contours])
    return float(np.linalg.norm(ink, axis=1).max())


def _tone(tone: str, colour: Colour) -> int:
    """Return what a tone adds to each channel. Black has no darker tone, and white has no lighter
    tone."""
    by = _TONES[tone]
    if max(colour) + by > 300 or (max(colour) < 60 and by < 0):
        return -by
    return by
