"""A picture drawn at twice its size with anti-aliased polygons, then averaged down.

Points are in the finished picture's continuous pixels: (0, 0) is the upper left corner of the upper
left pixel. OpenCV puts integers on pixel centres, so half a pixel is taken off on the way.
"""

from __future__ import annotations

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
    """A square RGB picture of `size` pixels in the making."""

    def __init__(self, size: int, pixels: Pixels) -> None:
        self.size = size
        self.pixels = pixels  # [SCALE * size, SCALE * size, 3]

    def fill(self, contours: Sequence[Points], colour: Colour) -> None:
        """Fill closed contours; one inside another is a hole."""
        cv2.fillPoly(self.pixels, [_fixed(c) for c in contours], colour, cv2.LINE_AA, _SHIFT)

    def inlay(self, contours: Sequence[Points], colour: Colour) -> None:
        """Fill closed contours through a finer mask; one inside another is a hole.

        LINE_AA on the canvas itself tilts a short hand by up to 0.35 degrees, the mask by 0.1.
        """
        x, y, w, h = _bounds([_fixed(c) for c in contours], self.pixels.shape[0])
        if w <= 0 or h <= 0:
            return
        mask = np.zeros((h * FINE, w * FINE), np.uint8)
        points = [_fixed(c - np.array((x, y)) / SCALE, SCALE * FINE) for c in contours]
        cv2.fillPoly(mask, points, 255, cv2.LINE_AA, _SHIFT)
        self.stain(cv2.resize(mask, (w, h), interpolation=cv2.INTER_AREA), (x, y), colour)

    def strokes(self, segments: Points, colour: Colour) -> None:
        """The thinnest lines there are; `segments` is [n, 2, 2]."""
        cv2.polylines(self.pixels, list(_fixed(segments)), False, colour, 1, cv2.LINE_AA, _SHIFT)

    def around(self, points: Points) -> tuple[int, int, int, int]:
        """The canvas's own pixels around the points, as x1, y1, x2, y2."""
        side = self.pixels.shape[0]
        low = np.clip(np.floor(points.min(0) * SCALE), 0, side)
        high = np.clip(np.ceil(points.max(0) * SCALE), 0, side)
        return int(low[0]), int(low[1]), int(high[0]), int(high[1])

    def shade(self, contours: Sequence[Points], strength: float) -> None:
        """Darken what lies under the contours by `strength` of its light."""
        points = [_fixed(c) for c in contours]
        x, y, w, h = _bounds(points, self.pixels.shape[0])
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
        side = (self.size, self.size)
        return Image.fromarray(cv2.resize(self.pixels, side, interpolation=cv2.INTER_AREA))


def _fixed(points: Points, scale: int = SCALE) -> NDArray[np.int32]:
    return np.rint((points * scale - 0.5) * (1 << _SHIFT)).astype(np.int32)


def _bounds(points: Sequence[NDArray[np.int32]], side: int) -> tuple[int, int, int, int]:
    low = np.min([p.min(0) for p in points], 0) // (1 << _SHIFT) - 2
    high = np.max([p.max(0) for p in points], 0) // (1 << _SHIFT) + 3
    x1, y1 = (int(v) for v in np.clip(low, 0, side))
    x2, y2 = (int(v) for v in np.clip(high, 0, side))
    return x1, y1, x2 - x1, y2 - y1
