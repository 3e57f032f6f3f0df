"""A line of text as a mask that a homography maps into the picture."""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from gnomon.generators.drawing.canvas import SCALE, Canvas, Pixels, Points
from gnomon.generators.drawing.colours import Colour
from gnomon.generators.drawing.lettering import font_at_size
from gnomon.generators.drawing.pose import HALF, Pose, Slot
from gnomon.generators.drawing.shapes import oblong, rotation_matrix

# Font size of the flat mask in pixels, finer than in any picture.
_FONT_SIZE = 96
# Level (of 255) from which a pixel of a mask counts as ink.
_INK = 40


class FlatText(NamedTuple):
    """Flat text: its ink, and the place of each word's ink."""

    mask: Pixels
    words: tuple[tuple[str, tuple[float, float, float, float]], ...]


class TextLook(NamedTuple):
    """Look of a text."""

    font: str
    colour: Colour
    turn: float
    """Turn in degrees, clockwise."""
    tilt: tuple[float, float]
    """Shares by which the left side is shorter than the right, and the upper side than the
    lower."""


class PlacedText(NamedTuple):
    """Places of a text: the hull of its ink, its four corners, and the corners of its words."""

    ink: Points
    quad: Points
    words: tuple[tuple[str, Points], ...]


def flat_text(text: str, font: str) -> FlatText:
    """Render a text and crop the mask to its ink."""
    face = font_at_size(font, _FONT_SIZE)
    x1, y1, x2, y2 = (int(v) for v in face.getbbox(text))
    image = Image.new("L", (x2 - x1 + 4, y2 - y1 + 4))
    ImageDraw.Draw(image).text((2 - x1, 2 - y1), text, 255, face)
    left, top, right, bottom = image.getbbox() or (0, 0, *image.size)
    mask = np.asarray(image)[top:bottom, left:right]
    # Each word is rendered at its place in the line, so its box holds only its own ink.
    words, start = [], 0
    for word in text.split(" "):
        alone = Image.new("L", image.size)
        at = (2 - x1 + face.getlength(text[:start]), 2 - y1)
        ImageDraw.Draw(alone).text(at, word, 255, face)
        a, b, c, d = alone.getbbox() or (left, top, right, bottom)
        words.append((word, (a - left, b - top, c - left, d - top)))
        start += len(word) + 1
    return FlatText(np.ascontiguousarray(mask), tuple(words))


def scale_to_fit(slot: Slot, shape: tuple[int, ...], look: TextLook) -> float:
    """Return the scale at which the turned and tilted text just fits its slot."""
    low, high = _extent(_corners(shape, look))
    wide, tall = high - low
    return float(min((slot.x2 - slot.x1) / wide, (slot.y2 - slot.y1) / tall))


def draw_text(
    canvas: Canvas,
    text: FlatText,
    look: TextLook,
    slot: Slot,
    scale: float,
    at: tuple[float, float],
) -> PlacedText:
    """Draw the text into its slot and return its places. `at` gives the position within the free
    room, from 0 to 1 on both axes."""
    quad = scale * _corners(text.mask.shape, look)
    low, high = _extent(quad)
    free = np.array([slot.x2 - slot.x1, slot.y2 - slot.y1]) - (high - low)
    # Start at the slot's corner and move by a share of the free room.
    quad = quad - low + np.array([slot.x1, slot.y1]) + free * np.array(at)
    tall, wide = text.mask.shape
    flat_corners = oblong(0, 0, wide, tall).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(flat_corners, quad.astype(np.float32))
    ink = _stain(canvas, text.mask, matrix, quad, look.colour)
    words = tuple((word, Pose(matrix)(oblong(*edges))) for word, edges in text.words)
    return PlacedText(ink, quad, words)


def _stain(canvas: Canvas, mask: Pixels, matrix: Points, quad: Points, colour: Colour) -> Points:
    """Warp the mask onto the canvas. Return the hull of its ink, accurate to half a canvas
    pixel."""
    x1, y1, x2, y2 = canvas.pixels_around(quad)
    # Resize the mask to about the size on the canvas first, because a warp alone would skip
    # pixels.
    height = float(np.linalg.norm(quad[3] - quad[0]))  # about that of the letters
    shrink = max(1, round(mask.shape[0] / (SCALE * height)))
    # Averaging keeps the ink of thin strokes.
    small = cv2.resize(mask, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA)
    sx, sy = mask.shape[1] / small.shape[1], mask.shape[0] / small.shape[0]
    to_flat = np.diag([sx, sy, 1.0])
    to_canvas = np.array([[SCALE, 0, -x1 - 0.5], [0, SCALE, -y1 - 0.5], [0, 0, 1]])
    whole = to_canvas @ matrix @ to_flat @ HALF
    warped = cv2.warpPerspective(small, whole, (x2 - x1, y2 - y1), flags=cv2.INTER_LINEAR)
    canvas.stain(warped, (x1, y1), colour)
    pixels = np.concatenate(
        [hull(warped > _INK) + corner for corner in ((0, 0), (1, 0), (1, 1), (0, 1))]
    )
    ink: Points = (pixels + np.array([x1, y1])) / SCALE
    return ink


def hull(ink: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the convex hull of a mask's pixels, from the first and last pixel of each row."""
    rows = np.flatnonzero(ink.any(1))
    first, last = ink.argmax(1)[rows], ink.shape[1] - 1 - ink[:, ::-1].argmax(1)[rows]
    ends = np.stack([np.concatenate([first, last]), np.concatenate([rows, rows])], 1)
    corners: NDArray[np.int32] = cv2.convexHull(ends.astype(np.int32))[:, 0]
    return corners


def _corners(shape: tuple[int, ...], look: TextLook) -> Points:
    """Tilt and turn the corners of the flat rectangle around its middle, in pixels of the flat
    mask."""
    half_height, half_width = shape[0] / 2, shape[1] / 2
    left, upper = (1 - share for share in look.tilt)
    tilted = np.array([[upper, left], [upper, 1], [1, 1], [1, left]])
    straight = oblong(-half_width, -half_height, half_width, half_height)
    corners: Points = straight * tilted @ rotation_matrix(look.turn)
    return corners


def _extent(points: Points) -> tuple[Points, Points]:
    return points.min(0), points.max(0)
