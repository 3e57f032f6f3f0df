"""Ways along which a scale runs, round or straight; lengths are in units of half the face."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gnomon.generators.drawing.canvas import Points
from gnomon.generators.drawing.shapes import radius_at

Shares = NDArray[np.float64]


class ScalePath(ABC):
    """The way from a scale's first value to its last. Shares of it are 0 to 1."""

    @abstractmethod
    def points(self, shares: Shares, inward: Shares | float = 0.0) -> Points:
        """Points at shares of the way, so far from it towards the numerals' side."""

    @abstractmethod
    def direction(self, share: float) -> float:
        """Direction of a pointer at this share, in degrees clockwise from up."""

    @property
    @abstractmethod
    def length(self) -> float:
        """Length of the way."""

    def point(self, share: float, inward: float = 0.0) -> tuple[float, float]:
        """Return the point at a share of the way."""
        x, y = self.points(np.array([share]), inward)[0].tolist()
        return x, y

    def band(self, begin: float, end: float, near: float, far: float) -> Points:
        """The outline of a band along the way, between two distances from it."""
        # A corner every fortieth of the way: a chord stays within a pixel of its arc.
        steps = np.linspace(begin, end, max(2, round(40 * abs(end - begin)) + 2))
        return np.concatenate([self.points(steps, near), self.points(steps[::-1], far)])


@dataclass(frozen=True, slots=True)
class RoundPath(ScalePath):
    """An arc around a pivot. Inward is towards the pivot."""

    pivot: tuple[float, float]
    radius: float
    start: float
    sweep: float

    def points(self, shares: Shares, inward: Shares | float = 0.0) -> Points:
        a = np.radians(self.start + self.sweep * shares)
        radius = self.radius - inward
        x, y = self.pivot
        return np.stack([x + radius * np.sin(a), y - radius * np.cos(a)], 1)

    def direction(self, share: float) -> float:
        return self.start + self.sweep * share

    @property
    def length(self) -> float:
        return self.radius * math.radians(abs(self.sweep))


@dataclass(frozen=True, slots=True)
class OutlinePath(RoundPath):
    """A way along the outline of a dial that is not round, such as a square one."""

    shape: str

    def points(self, shares: Shares, inward: Shares | float = 0.0) -> Points:
        degrees = self.start + self.sweep * shares
        far = _outline_radii(self.shape, tuple(degrees.tolist()))
        radius, a = self.radius * far - inward, np.radians(degrees)
        x, y = self.pivot
        return np.stack([x + radius * np.sin(a), y - radius * np.cos(a)], 1)


@lru_cache(maxsize=512)
def _outline_radii(shape: str, degrees: tuple[float, ...]) -> Shares:
    return np.array([radius_at(shape, each) for each in degrees])


@dataclass(frozen=True, slots=True)
class StraightPath(ScalePath):
    """A line. Inward is to the right if the line rises, and below if it runs to the right."""

    begin: tuple[float, float]
    end: tuple[float, float]

    def points(self, shares: Shares, inward: Shares | float = 0.0) -> Points:
        begin, end = np.array(self.begin), np.array(self.end)
        along = (end - begin) / self.length
        points: Points = (
            begin
            + shares[:, None] * (end - begin)
            + np.multiply.outer(inward, np.array([-along[1], along[0]]))
        )
        return points

    def direction(self, share: float) -> float:  # noqa: ARG002 - the same everywhere
        (x1, y1), (x2, y2) = self.begin, self.end
        # From the numerals' side across the way.
        return math.degrees(math.atan2(y2 - y1, x2 - x1))

    @property
    def length(self) -> float:
        return math.dist(self.begin, self.end)
