"""Places in a picture: homographies, a wide lens, bent paper, and slots."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from gnomon.generators.drawing.canvas import Points, bounding_box
from gnomon.generators.rng import Rng
from gnomon.sample import Size

# Strongest lens that counts as mild.
WIDEST = 0.1
# Steps of Newton's method. Each step doubles the exact digits, and the start is 0.1 away.
_STEPS = 6


@dataclass(frozen=True, slots=True)
class Lens:
    """Barrel distortion. The corners stay in place, and all other points move inwards.

    With radii in half diagonals, a point seen at t comes from r = t (1 + strength (1 - t²)).
    """

    strength: float
    size: Size

    def __call__(self, points: Points) -> Points:
        """Return the places of the picture's points as seen through the lens."""
        k, away = self.strength, (points - self._middle) / self._radius
        true = np.linalg.norm(away, axis=1)
        distorted = true.copy()
        for _ in range(_STEPS):
            # Newton on f(t) = t (1 + k (1 − t²)) − r, whose slope is 1 + k − 3 k t².
            distorted -= (distorted * (1 + k - k * distorted**2) - true) / (
                1 + k - 3 * k * distorted**2
            )
        # The middle of the picture does not have a direction and stays in place.
        shrunk = np.divide(distorted, true, out=np.ones_like(true), where=true > 0)
        moved: Points = away * shrunk[:, None] * self._radius + self._middle
        return moved

    def distort(self, picture: Image.Image) -> Image.Image:
        """Distort a picture. Colours at its edges continue beyond them."""
        (middle_x, middle_y), radius = self._middle, self._radius
        x, y, inner = _grid(self.size)
        factor = radius * (1 + self.strength * inner)
        # OpenCV counts pixels by their centres.
        x, y = x * factor + middle_x - 0.5, y * factor + middle_y - 0.5
        distorted = cv2.remap(
            np.asarray(picture), x.astype(np.float32), y.astype(np.float32), cv2.INTER_CUBIC,
            borderMode=cv2.BORDER_REPLICATE,
        )  # fmt: skip
        return Image.fromarray(distorted)

    @property
    def _middle(self) -> NDArray[np.float64]:
        return np.array(self.size) / 2

    @property
    def _radius(self) -> float:
        return float(np.hypot(*self._middle))


@lru_cache(maxsize=8)
def _grid(size: Size) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return x and y of a picture's pixels in half diagonals from its middle, and 1 - x² - y²."""
    width, height = size
    radius = float(np.hypot(width / 2, height / 2))
    x = (np.arange(width) + 0.5 - width / 2) / radius
    y = (np.arange(height)[:, None] + 0.5 - height / 2) / radius
    return x, y, 1 - x**2 - y**2


@dataclass(frozen=True, slots=True)
class Curl:
    """Waves of a sheet of paper: points move up and down with their place across."""

    height: float
    """Largest move in pixels."""
    length: float
    """Pixels from wave to wave."""
    start: float
    """Phase at the left edge, in radians."""

    def __call__(self, points: Points) -> Points:
        """Return the places of the points on the bent sheet."""
        moved: Points = points + np.stack([0 * points[:, 0], self.rise(points[:, 0])], axis=1)
        return moved

    def rise(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the moves of these columns."""
        waves: NDArray[Any] = self.height * np.sin(2 * np.pi * x / self.length + self.start)
        return waves


Matrix: TypeAlias = NDArray[np.float64]

# Homography from OpenCV's places, which count from pixel centres, to ours.
HALF = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
# Distance of the viewer's eye from the dial, in radii of the dial.
DISTANCE = 4.0
# Strongest perspective: a tilt of asin(0.15 · 4) = 37°.
STEEPEST = 0.15


@dataclass(frozen=True, slots=True)
class Pose:
    """Homography from the dial's frame (axis at 0, unit radius, y downwards) to pixels.

    For a picture seen through a lens or on bent paper, the lens or the curl follows, and then the
    moves of the finished picture.
    """

    matrix: Matrix  # [3, 3]
    lens: Lens | Curl | None = None
    beyond: Matrix | None = None

    def __call__(self, points: Points) -> Points:
        """Return the places of the points in the picture."""
        moved: Points = cv2.perspectiveTransform(np.asarray(points[None], float), self.matrix)[0]
        if self.lens:
            moved = self.lens(moved)
        return moved if self.beyond is None else Pose(self.beyond)(moved)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the place of one point in the picture."""
        u, v = self(np.array([[x, y]]))[0].tolist()
        return u, v

    def moved(self, x: float, y: float) -> Pose:
        """Return the pose moved to the right and downwards, in pixels."""
        return Pose(np.array([[1, 0, x], [0, 1, y], [0, 0, 1]]) @ self.matrix)

    def mirrored(self) -> Pose:
        """Return the pose of a dial seen in a mirror."""
        return Pose(self.matrix @ np.diag([-1.0, 1.0, 1.0]))

    def after(self, before: Pose) -> Pose:
        """Return the pose that applies `before` and then this pose."""
        if before.lens is None:
            return replace(self, matrix=self.matrix @ before.matrix)
        # Homographies apply from the right, so the later homography is multiplied from the left.
        beyond = self.matrix if before.beyond is None else self.matrix @ before.beyond
        return replace(before, beyond=beyond)

    @property
    def scale(self) -> float:
        """Pixels per unit of the dial, at its axis. If the dial is tilted, other places differ."""
        # Square root of the area that a unit square at the axis covers, by the linear part.
        (a, b, _), (c, d, _), _ = self.matrix.tolist()
        return math.sqrt(abs(a * d - b * c))


def upright_corners(outline: Points, pose: Pose) -> list[list[float]]:
    """Return the corners in pixels of the rectangle around an outline, from its top left clockwise.

    The rectangle is upright in the outline's frame, and turned and tilted in the picture.
    """
    (x1, y1), (x2, y2) = outline.min(0), outline.max(0)
    corners: list[list[float]] = pose(np.array([(x1, y1), (x2, y1), (x2, y2), (x1, y2)])).tolist()
    return corners


def place(
    outline: Points, *, turn: float, tilt: float, towards: float, length: float, room: float,
    shift: tuple[float, float],
) -> Pose:  # fmt: skip
    """Turn by `turn` degrees and tilt, then scale the outline to `length` pixels in `room`.

    `length` is the longer side of the outline. `shift`, -1 to 1, moves it within the free room.
    """
    bent = Pose(_tilt(tilt, towards) @ _rotation(turn))
    x1, y1, x2, y2 = bounding_box(bent(outline))
    # The length is measured on the outline as seen, because a tilt makes it shorter.
    scale = length / max(x2 - x1, y2 - y1)
    left = (room - scale * (x2 - x1)) / 2 * (1 + shift[0]) - scale * x1
    top = (room - scale * (y2 - y1)) / 2 * (1 + shift[1]) - scale * y1
    move = np.array([[scale, 0, left], [0, scale, top], [0, 0, 1]])
    return Pose(move @ bent.matrix)


def _rotation(degrees: float) -> Matrix:
    a = math.radians(degrees)
    sin, cos = math.sin(a), math.cos(a)
    return np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])


def _tilt(strength: float, towards: float) -> Matrix:
    """Return the view of a pinhole at DISTANCE after a tilt of asin(strength · DISTANCE)."""
    # sin = strength · DISTANCE: the matrix divides by 1 + strength · x, so nearer parts grow.
    cos = math.sqrt(1 - (strength * DISTANCE) ** 2)
    away = np.array([[cos, 0, 0], [0, 1, 0], [strength, 0, 1]])
    tilted: Matrix = _rotation(towards) @ away @ _rotation(-towards)
    return tilted


# Smallest share of an even grid's cell that a slot keeps. The cuts move so that grids look
# natural.
LEAST = 0.8


class Slot(NamedTuple):
    """Slot in a picture: its corners in pixels."""

    x1: float
    y1: float
    x2: float
    y2: float


def cell(count: int, room: float) -> float:
    """Return the shorter side that each of `count` slots in a square room has at least."""
    return LEAST * room / _columns(count)


def slots(count: int, room: Slot, rng: Rng) -> list[Slot]:
    """Cut a room into slots: some cells of an uneven grid, in random order."""
    many = _columns(count)
    few = -(-count // many)
    # Half of the grids are wide, half are tall.
    columns, rows = (many, few) if rng.chance(0.5) else (few, many)
    across, down = _cuts(room.x1, room.x2, columns, rng), _cuts(room.y1, room.y2, rows, rng)
    every = [Slot(x1, y1, x2, y2) for x1, x2 in pairwise(across) for y1, y2 in pairwise(down)]
    return rng.sample(every, count)


def strips(count: int, room: Slot, rng: Rng) -> list[Slot]:
    """Cut a room into wide slots in random order: rows of one slot or, beyond four, of two
    slots."""
    # Five rows would leave too little height for letters.
    columns = 1 if count <= 4 else 2
    down = _cuts(room.y1, room.y2, -(-count // columns), rng)
    every = [
        Slot(x1, y1, x2, y2)
        for y1, y2 in pairwise(down)
        for across in [_cuts(room.x1, room.x2, columns, rng)]
        for x1, x2 in pairwise(across)
    ]
    return rng.sample(every, count)


def _columns(count: int) -> int:
    # The smallest square grid with room for all.
    return next(n for n in range(1, count + 1) if n * n >= count)


def _cuts(start: float, end: float, parts: int, rng: Rng) -> list[float]:
    """Return the ends and the cuts between, each moved by up to half of what LEAST allows."""
    even = (end - start) / parts
    by = (1 - LEAST) / 2 * even
    inner = [start + i * even + rng.uniform(-by, by) for i in range(1, parts)]
    return [start, *inner, end]
