"""A pen for shapes and texts over matplotlib's Agg renderer, used without figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from PIL import Image

from gnomon.generators.drawing.canvas import Pixels, Points
from gnomon.generators.drawing.lettering import font_path
from gnomon.sample import Size

Corners: TypeAlias = tuple[float, float, float, float]
# Red, green and blue from 0 to 1.
RGB: TypeAlias = tuple[float, float, float]
# Tip of a pen: the pixels that a line of one or two pixels covers around a point.
_ROUND = np.array([(np.cos(a), np.sin(a)) for a in np.arange(16) * np.pi / 8])


class Shape(NamedTuple):
    """Shape on the page. Its ink can be boxed."""

    path: Any
    """matplotlib's path, in pixels of the picture."""
    half: float
    """Half of the width of its line."""

    @property
    def box(self) -> Corners:
        """Box of its ink."""
        (x1, y1), (x2, y2) = self.path.get_extents().get_points().tolist()
        return x1 - self.half, y1 - self.half, x2 + self.half, y2 + self.half

    @property
    def outline(self) -> Points:
        """Points between which all of its ink lies."""
        return self._around(self.path.to_polygons(closed_only=False))

    @property
    def dense_outline(self) -> Points:
        """Points along its edges, at most about four pixels apart, for bent paper."""
        dense = []
        for polygon in self.path.to_polygons(closed_only=False):
            for start, end in pairwise(polygon):
                count = 2 + int(np.hypot(*(end - start)) / 4)
                dense.append(start + np.linspace(0, 1, count)[:, None] * (end - start))
        return self._around(dense)

    def _around(self, polygons: Sequence[Points]) -> Points:
        corners = np.concatenate(polygons)
        return np.concatenate([corners + self.half * tip for tip in _ROUND])


class Word(NamedTuple):
    """Text with the place of its ink."""

    text: str
    role: str
    box: Corners
    colour: RGB
    mask: np.ndarray

    @property
    def outline(self) -> Points:
        """Corners of the outermost pixels with ink."""
        ink = self.mask > 0
        rows = np.arange(len(ink))
        first, last = ink.argmax(1), ink.shape[1] - ink[:, ::-1].argmax(1)
        left, right = (np.stack([ends, rows], 1)[ink.any(1)] for ends in (first, last))
        sides = np.concatenate([left, right])
        corners: Points = np.concatenate([sides, sides + np.array([0, 1])]) + self.box[:2]
        return corners

    @property
    def dense_outline(self) -> Points:
        """Corners of the outermost pixels with ink in each row and each column."""
        ink = self.mask > 0
        columns = np.flatnonzero(ink.any(0))
        first, last = ink.argmax(0)[columns], len(ink) - ink[::-1].argmax(0)[columns]
        ends = np.concatenate([np.stack([columns, rows], 1) for rows in (first, last)])
        more: Points = np.concatenate([ends, ends + np.array([1, 0])]) + self.box[:2]
        return np.concatenate([self.outline, more])


Point: TypeAlias = tuple[float, float]
# Share of the text that lies before its anchor.
_ANCHOR_SHARES = {"l": 0.0, "c": 0.5, "r": 1.0, "t": 0.0, "m": 0.5, "b": 1.0}


class PenLine(NamedTuple):
    """Colour, width and dashes of a line."""

    colour: RGB
    width: float
    dashes: tuple[float, ...] = ()


class Pen:
    """Renderer for pictures of one size. `begin` erases everything drawn before."""

    def __init__(self, size: Size) -> None:
        from matplotlib.backends.backend_agg import RendererAgg
        from matplotlib.transforms import Affine2D

        self.size = size
        self.words: list[Word] = []
        self.is_sketch = False
        self._agg: Any = RendererAgg(*size, 72)  # at 72 dots an inch a point is a pixel
        self._flip: Any = Affine2D().scale(1, -1).translate(0, size[1])

    @classmethod
    @lru_cache(maxsize=4)
    def of(cls, size: Size) -> Pen:
        """Return the process's pen for pictures of this size."""
        return cls(size)

    def begin(self, ground: RGB, behind: Pixels | None = None) -> None:
        """Start an empty picture of one colour, or with a photograph in it."""
        self._agg.clear()
        self.words = []
        self.is_sketch = False
        width, height = self.size
        self.rectangle((0, 0, width, height), ground)
        if behind is not None:
            # The fourth channel stays opaque.
            np.asarray(self._agg.buffer_rgba())[..., :3] = behind

    def path(
        self,
        points: Any,
        fill: RGB | None = None,
        line: PenLine | None = None,
        *,
        codes: Any = None,
        alpha: float = 1.0,
        snap: bool = False,
        hatch: str | None = None,
    ) -> Shape:
        """Draw a shape or a line. Return it with the extent of its ink."""
        from matplotlib.path import Path

        # Agg snaps half pixels to the right or downwards, so shift by half a pixel first.
        shape: Any = Path(np.asarray(points) - 0.5 if snap else points, codes)
        gc = self._agg.new_gc()
        gc.set_snap(snap)
        gc.set_alpha(alpha)
        gc.set_joinstyle("round")  # a mitre would stand out of the box
        if self.is_sketch:  # waves of about a pixel, as by hand
            gc.set_sketch_params(1.0, 90, 10)
        gc.set_linewidth(line.width if line else 0)
        gc.set_foreground((*(line.colour if line else (0, 0, 0)), alpha), isRGBA=True)
        if line and line.dashes:
            gc.set_dashes(0, [line.width * dash for dash in line.dashes])
        if hatch:
            gc.set_hatch(hatch)
            gc.set_hatch_color((*(line.colour if line else (0, 0, 0)), alpha))
            gc.set_hatch_linewidth(1.0)
        self._agg.draw_path(gc, shape, self._flip, None if fill is None else (*fill, alpha))
        return Shape(shape, line.width / 2 if line else 0.0)

    def rectangle(
        self, corners: Corners, fill: RGB | None, line: PenLine | None = None, **options: Any
    ) -> Shape:
        """Draw an upright rectangle."""
        x1, y1, x2, y2 = corners
        return self.polygon([(x1, y1), (x2, y1), (x2, y2), (x1, y2)], fill, line, **options)

    def polygon(self, points: Sequence[Point], fill: RGB | None, line: PenLine | None = None,
                **options: Any) -> Shape:  # fmt: skip
        """Draw a closed shape."""
        # matplotlib's codes: 1 moves the pen, 2 draws a line, 79 closes the shape.
        codes = [1, *[2] * (len(points) - 1), 79]
        return self.path([*points, points[0]], fill, line, codes=codes, **options)

    def mark(self, at: Point, radius: float, shape: str, fill: RGB, line: PenLine | None = None,
             **options: Any) -> Shape:  # fmt: skip
        """Draw a marker with this centre: o, s, ^ or D."""
        points, codes = _outline(shape)
        return self.path(points * radius + np.array(at), fill, line, codes=codes, **options)

    def wedge(self, at: Point, radius: float, hole: float, angles: tuple[float, float], fill: RGB,
              line: PenLine | None = None) -> Shape:  # fmt: skip
        """Draw a slice of a pie or ring between two angles, counterclockwise from the right.

        Angles are in degrees. `hole` is a share of the radius.
        """
        from matplotlib.path import Path

        arc: Any = Path.arc(*angles)
        # The y axis of a picture points downwards, so arcs are mirrored.
        outer, codes = arc.vertices * (1, -1), list(arc.codes)
        # Back along the hole, or to the middle.
        inner = outer[::-1] * hole if hole else np.zeros((1, 2))
        back = [2, *codes[1:][::-1]] if hole else [2]
        points = np.concatenate([outer * radius, inner * radius, outer[:1] * radius]) + np.array(at)
        return self.path(points, fill, line, codes=[*codes, *back, 79])

    def text(self, text: str, at: Point, face: SizedFont, colour: RGB, role: str,
             anchor: str = "cm", *, vertical: bool = False, turned: bool = False,
             ) -> Corners:  # fmt: skip
        """Write a line of text above all shapes. Return the box of its ink.

        The anchor names the side that lies at `at`: l, c, r across; t, m, b down. The vertical
        anchor refers to the height of digits, so neighbouring texts are level even if letters hang
        below the line. `vertical` text reads from below. `turned` text reads from below at 45°,
        and ends at `at`.
        """
        mask, below = ink_mask(text, face)
        across, down = (_ANCHOR_SHARES[side] for side in anchor)
        if turned:
            mask = _turned_mask(mask)
            x, y = round(at[0] + 0.35 * face.line_height - mask.shape[1]), round(at[1])
        elif vertical:
            mask = np.rot90(mask)
            # After a turn by 90°, the vertical direction becomes the horizontal direction.
            x, y = round(at[0] - down * mask.shape[1]), round(at[1] - (1 - across) * mask.shape[0])
        else:
            base = at[1] + (1 - down) * face.digit_height
            x, y = round(at[0] - across * mask.shape[1]), round(base + below - mask.shape[0])
        box = (x, y, x + mask.shape[1], y + mask.shape[0])
        self.words.append(Word(text, role, box, colour, mask))
        return box

    def image(self) -> Image.Image:
        """Return the picture, with its texts."""
        pixels = np.asarray(self._agg.buffer_rgba())[..., :3].copy()
        for word in self.words:
            x1, y1, x2, y2 = (int(side) for side in word.box)
            part = pixels[y1:y2, x1:x2]
            # Texts lie above all shapes: ink · cover + picture · (1 − cover).
            cover = word.mask[..., None] / 255
            part[:] = np.rint(part * (1 - cover) + np.array(word.colour) * 255 * cover)
        return Image.fromarray(pixels)


class SizedFont(NamedTuple):
    """Font in one size."""

    font: str
    pixels: float

    @property
    def digit_height(self) -> int:
        """Height of a digit."""
        return len(ink_mask("0", self)[0])

    def width(self, text: str) -> int:
        """Return the width of a text's ink in pixels."""
        return len(ink_mask(text, self)[0][0]) if text else 0

    @property
    def line_height(self) -> int:
        """Return the room for any letter above and below the line."""
        return len(ink_mask("Égj", self)[0])


@lru_cache(maxsize=8192)
def ink_mask(text: str, face: SizedFont) -> tuple[np.ndarray, int]:
    """Return the text cropped to its ink, and its number of rows under the base line.

    matplotlib's FreeType draws it, without matplotlib's settings.
    """
    font = _font(face.font)
    font.clear()
    font.set_size(face.pixels, 72)
    font.set_text(text, 0.0)
    font.draw_glyphs_to_bitmap(antialiased=True)
    mask = np.array(font.get_image())
    # FreeType counts in 64ths of a pixel.
    below = round(font.get_descent() / 64)
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    # Rows without ink under the lowest pixel are cut off.
    below -= mask.shape[0] - 1 - int(rows[-1])
    return mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1], below


def _turned_mask(mask: np.ndarray) -> np.ndarray:
    """Turn the mask of a text by 45°, cropped to its ink."""
    image = Image.fromarray(mask).rotate(45, Image.Resampling.BICUBIC, expand=True)
    turned = np.asarray(image)
    rows, columns = np.flatnonzero(turned.any(1)), np.flatnonzero(turned.any(0))
    return turned[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


@lru_cache
def _font(name: str) -> Any:
    from matplotlib.ft2font import FT2Font

    return FT2Font(str(font_path(name)))


@lru_cache
def _outline(shape: str) -> tuple[np.ndarray, Any]:
    """Return a marker within a circle of radius 1."""
    from matplotlib.path import Path

    if shape == "o":
        circle: Any = Path.unit_circle()
        return circle.vertices, circle.codes
    # Degrees of the first corner, and the number of corners.
    start, n_corners = {"s": (45, 4), "D": (0, 4), "^": (90, 3)}[shape]
    angles = np.radians(start + np.arange(n_corners + 1) * 360 / n_corners)
    points = np.stack([np.cos(angles), -np.sin(angles)], axis=1)
    return points, [1, *[2] * (n_corners - 1), 79]
