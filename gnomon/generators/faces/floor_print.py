"""The print on a face: shapes and texts, drawn at twice the picture's size around the face alone.

A print in the colours of body, floor and ink only is drawn in one channel: 0 outside the case, 85
on the case, 170 on the floor and 255 for ink. Edges are then smoothed once, and a table turns the
steps into colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import cv2
import numpy as np

from gnomon.generators.drawing.canvas import SCALE, Canvas, Pixels, Points
from gnomon.generators.drawing.colours import Colour, Palette
from gnomon.generators.drawing.lettering import Lettering, draw_texts, text_mask
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.faces.paints import colour_of

_STEPS = {"case": 85, "floor": 170, "glass": 181, "faint": 200, "ink": 255}


class PrintedShape(NamedTuple):
    """A shape to print, in pixels of the picture, with its colour."""

    contours: Sequence[Points] | Points
    colour: str
    way: Literal["fill", "fine", "line"]
    """fill: filled; fine: filled through a finer mask; line: each contour is the thinnest line."""


class FloorPrint:
    """Collects shapes and texts of a face, then draws them on a canvas of the picture's size."""

    def __init__(self, palette: Palette) -> None:
        self._palette = palette
        self._shapes: list[PrintedShape] = []
        self._texts: dict[tuple[str, str], list[Lettering]] = {}

    def add_shape(
        self, contours: Sequence[Points] | Points, colour: str,
        way: Literal["fill", "fine", "line"] = "fill",
    ) -> None:  # fmt: skip
        """Add contours, a list or [n, points, 2]. One inside another is a hole."""
        self._shapes.append(PrintedShape(contours, colour, way))

    def add_texts(self, texts: Sequence[Lettering], colour: str, font: str) -> None:
        """Add texts above all shapes."""
        self._texts.setdefault((font, colour), []).extend(texts)

    def draw(self, canvas: Canvas, pose: Pose) -> None:
        """Draw everything that was added. The pose is that of the texts."""
        if self._shapes:
            points = np.concatenate([_points(shape.contours) for shape in self._shapes])
            x1, y1, x2, y2 = canvas.pixels_around(points, 2)
            if x2 > x1 and y2 > y1:
                has_steps = all(s.colour in _STEPS and s.way != "fine" for s in self._shapes)
                # Only the case's own edges may fade into the ground.
                has_steps = has_steps and self._shapes[0].colour == "case"
                if has_steps:
                    self._draw_steps(canvas, pose, (x1, y1, x2, y2))
                else:
                    self._draw_colours(canvas, (x1, y1, x2, y2))
        for (font, colour), texts in self._texts.items():
            draw_texts(canvas, texts, font, pose, colour_of(colour, self._palette))
        self._shapes, self._texts = [], {}

    def _draw_colours(self, canvas: Canvas, box: tuple[int, int, int, int]) -> None:
        x1, y1, x2, y2 = box
        part = canvas.pixels[y1:y2, x1:x2]
        size = (SCALE * (x2 - x1), SCALE * (y2 - y1))
        # Each pixel fourfold: halved again, it is as before where nothing was drawn.
        plate = Canvas((x2 - x1, y2 - y1), cv2.resize(part, size, interpolation=cv2.INTER_NEAREST))
        self._draw_shapes(plate, (x1, y1))
        part[:] = plate.halve().pixels

    def _draw_steps(self, canvas: Canvas, pose: Pose, box: tuple[int, int, int, int]) -> None:
        x1, y1, x2, y2 = box
        plate = Canvas(
            (x2 - x1, y2 - y1), np.zeros((SCALE * (y2 - y1), SCALE * (x2 - x1)), np.uint8)
        )
        self._draw_shapes(plate, (x1, y1))
        for font, colour in list(self._texts):
            if colour == "ink":
                texts = self._texts.pop((font, colour))
                _write_ink(plate, texts, font, pose.moved(-x1, -y1))
        steps = plate.halve().pixels
        # From the case's step on, the ground is covered wholly.
        covered = cv2.convertScaleAbs(steps, None, 255 / _STEPS["case"])
        palette = self._palette
        ladder = _ladder(palette.case, palette.floor, palette.ink)
        canvas.overlay(covered, cv2.applyColorMap(steps, ladder), (x1, y1))

    def _draw_shapes(self, plate: Canvas, corner: tuple[int, int]) -> None:
        is_single = plate.pixels.ndim == 2
        for contours, name, way in self._shapes:
            step = _STEPS[name] if is_single else 0
            colour = (step, step, step) if is_single else colour_of(name, self._palette)
            if way == "line":
                plate.strokes(np.asarray(contours) - corner, colour)
            elif way == "fine":
                plate.fill_fine([contour - corner for contour in contours], colour)
            else:
                plate.fill(contours, colour, corner)


def _points(contours: Sequence[Points] | Points) -> Points:
    if isinstance(contours, np.ndarray):
        return contours.reshape(-1, 2)
    return np.concatenate(contours)


def _write_ink(plate: Canvas, texts: Sequence[Lettering], font: str, pose: Pose) -> None:
    written = text_mask(texts, font, pose, plate)
    if written:
        mask, (x, y) = written
        part = plate.pixels[y : y + mask.shape[0], x : x + mask.shape[1]]
        cv2.add(part, cv2.multiply(cv2.bitwise_not(part), mask, None, 1 / 255), part)


# Shares of case, floor and ink in each of the 256 steps, [256, 3].
_SHARES = np.stack(
    [
        np.interp(np.arange(256), (0, _STEPS["case"], _STEPS["floor"], _STEPS["ink"]), part)
        for part in ((0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
    ],
    1,
)


def _ladder(case: Colour, floor: Colour, ink: Colour) -> Pixels:
    """Return the colour of each step, less what is seen through it, for `applyColorMap`."""
    ladder: Pixels = np.rint(_SHARES @ np.array((case, floor, ink))).astype(np.uint8)[:, None]
    return ladder
