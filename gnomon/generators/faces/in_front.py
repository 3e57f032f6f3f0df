"""Glare on a face's glass, and an object that covers part of its edge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gnomon.generators.drawing.canvas import Canvas, Points
from gnomon.generators.drawing.colours import Colour
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import disc, polar, rotation_matrix
from gnomon.generators.rng import Rng

# Leaves, wood, a post, a finger.
COVER_COLOURS: tuple[Colour, ...] = (
    (96, 124, 70), (150, 104, 78), (58, 62, 70), (186, 148, 118),
)  # fmt: skip
# Radius of the object, in the face's unit.
_COVER = 0.4
# Degrees between the object and a direction that it must not cover.
_CLEAR = 36.0


class InFront(NamedTuple):
    """Glare on a face, and the object that covers part of it. Directions are degrees from up."""

    glare: float | None = None
    """Direction of the glare from the middle. None for no glare."""
    cover: float | None = None
    """Direction of the object that covers part of the edge. None for no object."""
    cover_colour: Colour = COVER_COLOURS[0]


CLEAR = InFront()
"""Nothing in front."""
ANYWHERE = (-math.inf, math.inf)
"""Ends from left to right of an object that may lie anywhere."""


def random_cover(
    edge: Points, pose: Pose, visible_at: Sequence[float], ends: tuple[float, float], rng: Rng
) -> float | None:
    """Draw the direction of an object at the edge that covers none of `visible_at`.

    `ends` are the pixels from left to right between which the object must lie. None if there is no
    such direction.
    """
    turn = rng.uniform(0, 15)
    # Every 15 degrees from a random start: fine enough to find a free place.
    free = [
        at
        for at in (turn + 15 * step for step in range(24))
        if all(abs((at - other + 180) % 360 - 180) >= _CLEAR for other in visible_at)
        and (ends == ANYWHERE or _lies_within(ends, cover_outline(edge, pose, at)))
    ]
    return rng.choice(free) if free else None


def cover_outline(edge: Points, pose: Pose, at: float) -> Points:
    """Return the outline in pixels of an object that covers the edge in direction `at`."""
    distances = np.linalg.norm(edge, axis=1)
    nearest = (edge @ polar(at, 1.0) / distances).argmax()
    middle = polar(at, float(distances[nearest]) + 0.05)
    return pose(_COVER * disc(1.0) * (1.0, 1.15) @ rotation_matrix(at) + middle)


def draw_in_front(canvas: Canvas, pose: Pose, edge: Points, front: InFront) -> None:
    """Draw a glare on the face's glass, and an object that covers part of its edge."""
    if front.glare is not None:
        # An ellipse of light across the glass.
        light = disc(1.0) * (0.5, 0.16) @ rotation_matrix(front.glare) + polar(front.glare, 0.42)
        canvas.fill_fine_shapes([[pose(light)]], (255, 255, 255), 0.4)
    if front.cover is not None:
        thing = cover_outline(edge, pose, front.cover)
        # Its shadow, a little below and to the right.
        canvas.fill_fine_shapes([[thing + 0.03 * pose.scale]], (0, 0, 0), 0.3)
        canvas.fill_fine([thing], front.cover_colour)


def _lies_within(ends: tuple[float, float], thing: Points) -> bool:
    return bool(ends[0] <= thing[:, 0].min() and thing[:, 0].max() <= ends[1])
