"""A picture drawn at twice its size with anti-aliased polygons, then averaged down.

Points are in the finished picture's continuous pixels: (0, 0) is the upper left corner of the upper
left pixel. OpenCV puts integers on pixel centres, so half a pixel is taken off on the way.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.generators._palettes import Colour

Points: TypeAlias = NDArray[np.float64]
"""[n, 2]: x to the right, y downwards."""
Pixels: TypeAlias = NDArray[np.uint8]

SCALE = 2
SWELL = 0.7 / SCALE
"""LINE_AA swells a polygon by so many finished pixels on each side (measured)."""
FINE = 4
"""How much finer than the canvas an inlay's mask is."""
_SHIFT = 8


class Canvas:
    """An RGB picture in the making: a square of `size` pixels, or width and height."""

    def __init__(self, size: int | tuple[int, int], pixels: Pixels) -> None:
        self.size = (size, size) if isinstance(size, int) else size
        self.pixels = pixels  # [SCALE * height, SCALE * width, 3]

    def fill(self, contours: Sequence[Points], colour: Colour) -> None:
        """Fill closed contours; one inside another is a hole."""
        cv2.fillPoly(self.pixels, [_fixed(c) for c in contours], colour, cv2.LINE_AA, _SHIFT)

    def inlay(self, contours: Sequence[Points], colour: Colour, rim: float = 0) -> None:
        """Fill closed contours through a finer mask; one inside another is a hole.

        LINE_AA on the canvas itself tilts a short hand by up to 0.35 degrees, the mask by 0.1.
        A `rim` swells the contours by so many pixels.
        """
        x, y, w, h = _bounds([_fixed(c) for c in contours], self.pixels.shape, rim)
        if w <= 0 or h <= 0:
            return
        mask = np.zeros((h * FINE, w * FINE), np.uint8)
        points = [_fixed(c - np.array((x, y)) / SCALE, SCALE * FINE) for c in contours]
        cv2.fillPoly(mask, points, 255, cv2.LINE_AA, _SHIFT)
        if rim:
            width = round(2 * rim * SCALE * FINE)
            cv2.polylines(mask, points, True, 255, width, cv2.LINE_AA, _SHIFT)
        self.stain(cv2.resize(mask, (w, h), interpolation=cv2.INTER_AREA), (x, y), colour)

    def strokes(self, segments: Points, colour: Colour) -> None:
        """The thinnest lines there are; `segments` is [n, 2, 2]."""
        cv2.polylines(self.pixels, list(_fixed(segments)), False, colour, 1, cv2.LINE_AA, _SHIFT)

    def around(self, points: Points) -> tuple[int, int, int, int]:
        """The canvas's own pixels around the points, as x1, y1, x2, y2."""
        sides = self.pixels.shape[1::-1]
        low = np.clip(np.floor(points.min(0) * SCALE), 0, sides)
        high = np.clip(np.ceil(points.max(0) * SCALE), 0, sides)
        return int(low[0]), int(low[1]), int(high[0]), int(high[1])

    def shade(self, contours: Sequence[Points], strength: float) -> None:
        """Darken what lies under the contours by `strength` of its light."""
        points = [_fixed(c) for c in contours]
        x, y, w, h = _bounds(points, self.pixels.shape)
        if w <= 0 or h <= 0:
            return
        part = self.pixels[y : y + h, x : x + w]
        light = np.full((h, w), 255, np.uint8)
        level = round(255 * (1 - strength))
        offset = (-x, -y)
        cv2.fillPoly(light, points, level, cv2.LINE_AA, _SHIFT, offset)
        cv2.multiply(part, cv2.merge([light] * 3), part, 1 / 255)

    def stain(self, mask: Pixels, corner: tuple[int, int], colour: Colour) -> None:
        """Lay `colour` through a mask whose upper left corner stands at `corner` of the canvas."""
        x, y = corner
        h, w = mask.shape
        part = self.pixels[y : y + h, x : x + w]
        mask3 = cv2.merge([mask] * 3)
        ink = cv2.multiply(mask3, (*colour, 0), scale=1 / 255)
        cv2.multiply(part, cv2.bitwise_not(mask3), part, 1 / 255)
        cv2.add(part, ink, part)

    def picture(self) -> Image.Image:
        """The finished picture."""
        return Image.fromarray(cv2.resize(self.pixels, self.size, interpolation=cv2.INTER_AREA))


def _fixed(points: Points, scale: int = SCALE) -> NDArray[np.int32]:
    return np.rint((points * scale - 0.5) * (1 << _SHIFT)).astype(np.int32)


def _bounds(
    points: Sequence[NDArray[np.int32]], shape: tuple[int, ...], rim: float = 0
) -> tuple[int, int, int, int]:
    wider = math.ceil(rim * SCALE)
    low = np.min([p.min(0) for p in points], 0) // (1 << _SHIFT) - 2 - wider
    high = np.max([p.max(0) for p in points], 0) // (1 << _SHIFT) + 3 + wider
    x1, y1 = (int(v) for v in np.clip(low, 0, shape[1::-1]))
    x2, y2 = (int(v) for v in np.clip(high, 0, shape[1::-1]))
    return x1, y1, x2 - x1, y2 - y1
