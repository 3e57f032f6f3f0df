"""The pixels of a face: its parts are printed on the floor first, pointers stand above them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import cv2
import numpy as np

from gnomon.generators.drawing.canvas import MASK_SCALE, SCALE, SWELL, Canvas, Pixels, Points
from gnomon.generators.drawing.colours import Colour, Palette
from gnomon.generators.drawing.lettering import Lettering
from gnomon.generators.drawing.pose import HALF, Pose
from gnomon.generators.faces.floor_print import FloorPrint
from gnomon.generators.faces.paints import colour_of
from gnomon.generators.looks.photo import mask_of
from gnomon.generators.rng import Rng

# Ticks thinner than this many pixels are drawn as the thinnest lines there are.
_THINNEST = 0.9
# Share of a unit by which a shadow falls: light from above, a little from the left.
_FALL = np.array([0.03, 0.04])
Frame = tuple[float, float, float]
WHOLE: Frame = (1.0, 0.0, 0.0)
"""The frame of parts on the face itself."""


class FacePainter:
    """Draws shapes, ticks, texts and flat pictures of a face as its pose has them.

    Print is collected and drawn at twice the size. Windows and pointers wait until that is done,
    because they use finer masks.
    """

    def __init__(
        self, canvas: Canvas, pose: Pose, palette: Palette, font: str, unit: str, rng: Rng
    ) -> None:
        self.canvas, self.pose, self.palette, self.unit, self.rng = canvas, pose, palette, unit, rng
        self.font = font
        self.frame: Frame = WHOLE
        self.right_edge = math.inf
        """x coordinate of the body's right edge."""
        self.room: tuple[float, float] | None = None
        """Half the width and height of a window. Texts whose middles lie outside are left out."""
        self._print = FloorPrint(palette)
        self._late: list[Callable[[], None]] = []
        self._fine: list[tuple[Colour, list[Sequence[Points]]]] = []

    def colour(self, name: str) -> Colour:
        """Return the colour that a name has on this face."""
        return colour_of(name, self.palette)

    @property
    def scale(self) -> float:
        """Number of pixels per unit of the part's frame."""
        return self.pose.scale * self.frame[0]

    def place(self, points: Points) -> Points:
        """Convert points in the part's frame to pixels."""
        scale, x, y = self.frame
        return self.pose(points if self.frame == WHOLE else scale * points + (x, y))

    def fill(self, contours: Sequence[Points], colour: str) -> None:
        """Fill contours on the floor. A contour inside another is a hole."""
        self._print.add_shape([self.place(contour) for contour in contours], colour)

    def fill_below(self, contours: Sequence[Points], colour: str) -> None:
        """Fill contours on the floor, below later print, exact to a tenth of a pixel."""
        self._print.add_shape([self.place(contour) for contour in contours], colour, "fine")

    def bars(self, ends: Points, width: float, colour: str) -> None:
        """Draw ticks between pairs of ends, [n, 2, 2]."""
        scale = self.scale
        if width * scale < _THINNEST:
            places = self.place(ends.reshape(-1, 2)).reshape(-1, 2, 2)
            self._print.add_shape(places, colour, "line")
            return
        # LINE_AA makes a bar broader by this, so it is taken off before.
        broad = max(width - 2 * SWELL / SCALE / scale, 0.4 * width)
        along = ends[:, 1] - ends[:, 0]
        across = along[:, ::-1] * (-0.5, 0.5) * (broad / np.hypot(*along.T))[:, None]
        side = across[:, None]
        corners = np.concatenate([ends + side, ends[:, ::-1] - side], 1)
        places = self.place(corners.reshape(-1, 2)).reshape(-1, 4, 2)
        self._print.add_shape(places, colour)

    def write(self, texts: Sequence[Lettering], colour: str, font: str | None) -> None:
        """Write texts above all shapes of the floor."""
        scale, x, y = self.frame
        if self.frame != WHOLE:
            texts = [
                t._replace(x=scale * t.x + x, y=scale * t.y + y, height=scale * t.height)
                for t in texts
            ]
        if self.room is not None:
            wide, high = self.room
            texts = [t for t in texts if abs(t.x) < wide and abs(t.y) < high]
        self._print.add_texts(texts, colour, font or self.font)

    def later(self, paint: Callable[[], None]) -> None:
        """Call `paint` after the floor's texts are drawn, in the present frame."""
        frame = self.frame

        def in_frame() -> None:
            self.frame = frame
            paint()

        self._late.append(in_frame)

    def finish_floor(self) -> None:
        """Draw the print, then make the calls that `later` collected."""
        self._print.draw(self.canvas, self.pose)
        late, self._late = self._late, []
        for paint in late:
            paint()
        self.finish_fine()

    def fill_fine(self, contours: Sequence[Points], colour: Colour) -> None:
        """Fill contours above the floor, exact to a tenth of a pixel."""
        if not self._fine or self._fine[-1][0] != colour:
            self._fine.append((colour, []))
        self._fine[-1][1].append([self.place(contour) for contour in contours])

    def finish_fine(self, shadow: float = 0.0) -> None:
        """Draw the fine shapes that were collected, above their shadow of this darkness.

        Successive shapes of a colour are drawn together.
        """
        fine, self._fine = self._fine, []
        if shadow and fine:
            fall = _FALL * self.pose.scale
            shadows = [[c + fall for c in shape] for _, shapes in fine for shape in shapes]
            self.canvas.fill_fine_shapes(shadows, (0, 0, 0), shadow)
        for colour, shapes in fine:
            self.canvas.fill_fine_shapes(shapes, colour)

    @property
    def fine_swell(self) -> float:
        """Growth of a fine shape on each side, in units of the part's frame."""
        return SWELL / MASK_SCALE / self.scale

    def clipped(self, window: Points, paint: Callable[[], None]) -> None:
        """Paint on the floor, but change only the pixels within a window."""
        self.finish_fine()
        outline, before = self.place(window), self.canvas.pixels.copy()
        paint()
        self.finish_floor()
        x1, y1, x2, y2 = self.canvas.pixels_around(outline, 1)
        mask = mask_of([outline - (x1, y1)], (x2 - x1, y2 - y1))
        part = self.canvas.pixels[y1:y2, x1:x2]
        part = cv2.multiply(part, cv2.merge([mask] * 3), None, 1 / 255)
        self.canvas.pixels = before
        rest = before[y1:y2, x1:x2]
        cv2.multiply(rest, cv2.merge([cv2.bitwise_not(mask)] * 3), rest, 1 / 255)
        cv2.add(rest, part, rest)

    def paste(self, picture: Pixels, corners: tuple[float, float, float, float]) -> None:
        """Draw a flat picture on the face, between an upper left and a lower right corner."""
        self.finish_fine()
        x1, y1, x2, y2 = corners
        outline = self.place(np.array([(x1, y1), (x2, y1), (x2, y2), (x1, y2)]))
        corner_x, top, right, bottom = self.canvas.pixels_around(outline, 1)
        if right <= corner_x or bottom <= top:
            return
        height, width = picture.shape[:2]
        scale, x, y = self.frame
        onto_part = np.array([[(x2 - x1) / width, 0, x1], [0, (y2 - y1) / height, y1], [0, 0, 1]])
        onto_face = np.array([[scale, 0, x], [0, scale, y], [0, 0, 1]])
        onto_region = np.array([[1, 0, -corner_x], [0, 1, -top], [0, 0, 1]])
        way = np.linalg.inv(HALF) @ onto_region @ self.pose.matrix @ onto_face @ onto_part @ HALF
        size = (right - corner_x, bottom - top)
        # Averaged before it shrinks, or thin strokes would be lost.
        warped = cv2.warpPerspective(
            picture, way, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
        )
        mask = mask_of([outline - (corner_x, top)], size)[..., None] * np.float32(1 / 255)
        part = self.canvas.pixels[top:bottom, corner_x:right]
        part[:] = np.rint(part + (warped - part.astype(np.float32)) * mask).astype(np.uint8)
