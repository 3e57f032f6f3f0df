"""A picture drawn at twice its size with anti-aliased polygons, then averaged down.

Shapes that use finer masks can be drawn after that, at a quarter of the cost.

Points are in continuous pixels of the finished picture: (0, 0) is the upper left corner of the
upper left pixel. OpenCV puts integers on pixel centres, so half a pixel is subtracted for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from gnomon.generators.drawing.colours import Colour

# [n, 2]: x to the right, y downwards.
Points: TypeAlias = NDArray[np.float64]
Pixels: TypeAlias = NDArray[np.uint8]
Fixed: TypeAlias = NDArray[np.int32]

# Pixels of a new canvas per pixel of the picture. Four would be twice as slow and hardly
# smoother.
SCALE = 2
# Mask pixels per picture pixel for fine shapes. With these, hands are exact to 0.1 degrees.
MASK_SCALE = 8
# LINE_AA enlarges a polygon by this many of its pixels on each side (measured).
SWELL = 0.7
# Bits of the fraction in OpenCV's fixed-point coordinates: steps of 1/256 of a pixel.
_SHIFT = 8


class Canvas:
    """RGB picture during drawing: a square of `size` pixels, or width and height.

    Each side has SCALE times as many pixels until the canvas is halved.
    """

    def __init__(self, size: int | tuple[int, int], pixels: Pixels) -> None:
        self.size = (size, size) if isinstance(size, int) else size
        self.pixels = pixels  # [scale * height, scale * width, 3]
        self.scale = pixels.shape[1] // self.size[0]

    def fill(
        self, contours: Sequence[Points] | Points, colour: Colour, corner: tuple[int, int] = (0, 0)
    ) -> None:
        """Fill closed contours, a list or [n, points, 2]; one inside another is a hole.

        `corner` is the picture's pixel at the canvas's upper left corner.
        """
        left, top = corner
        begin = (left * self.scale, top * self.scale)
        if isinstance(contours, np.ndarray):
            points = list(_to_fixed_point(contours, self.scale, begin))
        else:
            joined = np.concatenate(contours)
            points = _split(_to_fixed_point(joined, self.scale, begin), contours)
        cv2.fillPoly(self.pixels, points, colour, cv2.LINE_AA, _SHIFT)

    def fill_fine(self, contours: Sequence[Points], colour: Colour) -> None:
        """Fill closed contours through a finer mask. A contour inside another is a hole.

        On the canvas itself, LINE_AA tilts a short hand by up to 0.35 degrees. The mask tilts it by
        0.1.
        """
        self.fill_fine_shapes([contours], colour)

    def fill_fine_shapes(
        self, shapes: Sequence[Sequence[Points]], colour: Colour, strength: float = 1.0
    ) -> None:
        """Fill shapes of one colour through a finer mask. Shapes must not contain each other.

        With `strength` below 1, the pixels below show through.
        """
        if mask := self._mask(shapes):
            self.stain(cv2.convertScaleAbs(mask[0], None, strength), mask[1], colour)

    def strokes(self, segments: Points, colour: Colour) -> None:
        """Draw the thinnest possible lines. `segments` is [n, 2, 2]."""
        points = list(_to_fixed_point(segments, self.scale))
        cv2.polylines(self.pixels, points, False, colour, 1, cv2.LINE_AA, _SHIFT)

    def pixels_around(self, points: Points, margin: int = 0) -> tuple[int, int, int, int]:
        """Return the canvas's pixels around the points and a margin, as x1, y1, x2, y2."""
        height, width = self.pixels.shape[:2]
        columns = points.T.copy()  # several times as fast as along the rows
        (x1, y1), (x2, y2) = columns.min(1).tolist(), columns.max(1).tolist()
        return (
            min(max(math.floor(x1 * self.scale) - margin, 0), width),
            min(max(math.floor(y1 * self.scale) - margin, 0), height),
            min(max(math.ceil(x2 * self.scale) + margin, 0), width),
            min(max(math.ceil(y2 * self.scale) + margin, 0), height),
        )

    def stain(self, mask: Pixels, corner: tuple[int, int], colour: Colour) -> None:
        """Lay `colour` through a mask whose upper left corner is at `corner` of the canvas."""
        # The colour times mask / 255 for every pixel, from a table.
        self.overlay(mask, cv2.applyColorMap(mask, _inks(colour)), corner)

    def overlay(self, mask: Pixels, light: Pixels, corner: tuple[int, int]) -> None:
        """Lay an image through a mask."""
        x, y = corner
        height, width = mask.shape
        part = self.pixels[y : y + height, x : x + width]
        # part · (1 − mask / 255) + light in bytes is several times faster than in floats.
        cv2.multiply(part, cv2.merge([cv2.bitwise_not(mask)] * 3), part, 1 / 255)
        cv2.add(part, light, part)

    def halve(self) -> Canvas:
        """Return a canvas at the size of its picture. Drawing on it costs a quarter."""
        return Canvas(self.size, half_size(self.pixels))

    def picture(self) -> Image.Image:
        """Return the picture at its own size."""
        pixels = self.pixels if self.scale == 1 else half_size(self.pixels)
        return Image.frombuffer("RGB", self.size, pixels, "raw", "RGB", 0, 1)

    def _mask(self, shapes: Sequence[Sequence[Points]]) -> tuple[Pixels, tuple[int, int]] | None:
        """Return the mask of the canvas pixels under the shapes, and its corner. None outside the
        canvas."""
        contours = [contour for shape in shapes for contour in shape]
        joined = np.concatenate(contours)
        # Two pixels of margin for the pixels that LINE_AA adds around a shape.
        x1, y1, x2, y2 = self.pixels_around(joined, 2)
        if x2 <= x1 or y2 <= y1:
            return None
        ratio = MASK_SCALE // self.scale  # mask pixels per canvas pixel
        mask = np.zeros(((y2 - y1) * ratio, (x2 - x1) * ratio), np.uint8)
        fixed = iter(
            _split(_to_fixed_point(joined, MASK_SCALE, (x1 * ratio, y1 * ratio)), contours)
        )
        for shape in shapes:
            cv2.fillPoly(mask, [next(fixed) for _ in shape], 255, cv2.LINE_AA, _SHIFT)
        # Halved repeatedly, because OpenCV averages two by two faster than four by four.
        while mask.shape[0] > y2 - y1:
            mask = half_size(mask)
        return mask, (x1, y1)


def half_size(pixels: Pixels) -> Pixels:
    """Halve the size by averaging, which OpenCV does much faster than averaging by four."""
    height, width = pixels.shape[:2]
    half: Pixels = cv2.resize(pixels, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    return half


def _split(joined: Fixed, contours: Sequence[Points]) -> list[Fixed]:
    """Split joined points again. One conversion of all is faster than one for each contour."""
    ends = accumulate(map(len, contours))
    return [joined[end - len(c) : end] for end, c in zip(ends, contours, strict=True)]


def _to_fixed_point(points: Points, scale: int, corner: tuple[int, int] = (0, 0)) -> Fixed:
    """Fixed-point numbers for OpenCV, counted from a corner in its pixels."""
    unit = 1 << _SHIFT
    # OpenCV's (0, 0) is the middle of the first pixel, ours is its corner.
    begin = np.array([(corner[0] + 0.5) * unit, (corner[1] + 0.5) * unit])
    fixed: Fixed = np.rint(points * (scale * unit) - begin).astype(np.int32)
    return fixed


def bounding_box(points: Points) -> list[float]:
    """Return the box around points, as x1, y1, x2, y2."""
    columns = points.T.copy()
    return [*columns.min(1).tolist(), *columns.max(1).tolist()]


@lru_cache(maxsize=1024)
def _inks(colour: Colour) -> Pixels:
    """Return a colour at each strength, for `applyColorMap`."""
    inks: Pixels = np.rint(np.arange(256)[:, None, None] * np.array(colour) / 255).astype(np.uint8)
    return inks
