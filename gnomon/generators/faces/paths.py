"""Paths along which a scale runs: an arc, an outline or a line. Half the face is 1 long."""

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
    """The path from a scale's first value to its last. A share of 0 is its start, 1 its end."""

    @abstractmethod
    def points(self, shares: Shares, inward: Shares | float = 0.0) -> Points:
        """Return the points at these shares, moved by `inward` towards the numerals' side."""

    @abstractmethod
    def direction(self, share: float) -> float:
        """Return the direction of a pointer at this share, in degrees clockwise from up."""

    @property
    @abstractmethod
    def length(self) -> float:
        """Length of the path."""

    def point(self, share: float, inward: float = 0.0) -> tuple[float, float]:
        """Return the point at a share of the path."""
        x, y = self.points(np.array([share], float), inward)[0].tolist()
        return x, y

    def band(self, begin: float, end: float, near: float, far: float) -> Points:
        """Return the outline of a band along the path, between two distances from it."""
        # A corner every fortieth of the path: a chord stays within a pixel of its arc.
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
        radius = np.asarray(self.radius - inward)[..., None]
        return radius * _rays(self.start, self.sweep, shares.tobytes()) + self.pivot

    def direction(self, share: float) -> float:
        return self.start + self.sweep * share

    @property
    def length(self) -> float:
        return self.radius * math.radians(abs(self.sweep))


@lru_cache(maxsize=512)
def _rays(start: float, sweep: float, shares: bytes) -> Points:
    """Return unit vectors from the pivot to the shares of an arc, [n, 2]."""
    a = np.radians(start + sweep * np.frombuffer(shares))
    return np.stack([np.sin(a), -np.cos(a)], 1)


@dataclass(frozen=True, slots=True)
class OutlinePath(RoundPath):
    """A path along the outline of a dial that is not round, for example a square dial."""

    shape: str

    def points(self, shares: Shares, inward: Shares | float = 0.0) -> Points:
        far, ways = _outline_rays(self.shape, self.start, self.sweep, shares.tobytes())
        radius: Points = self.radius * far - np.asarray(inward)[..., None]
        return radius * ways + self.pivot


@lru_cache(maxsize=512)
def _outline_rays(shape: str, start: float, sweep: float, shares: bytes) -> tuple[Points, Points]:
    """Return the distances from pivot to outline, [n, 1], and unit vectors, [n, 2]."""
    degrees = start + sweep * np.frombuffer(shares)
    far = np.array([radius_at(shape, each) for each in degrees.tolist()]).reshape(-1, 1)
    a = np.radians(degrees)
    return far, np.stack([np.sin(a), -np.cos(a)], 1)


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
        # At a right angle to the path, away from the numerals' side.
        return math.degrees(math.atan2(y2 - y1, x2 - x1))

    @property
    def length(self) -> float:
        return math.dist(self.begin, self.end)
