"""Wide pictures: a drawn instrument somewhere in a scene, in perspective and in the scene's light.

A scene may be dark, lit unevenly, or behind glass, and something may hide a part of the instrument.
All places are exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import cv2
import numpy as np
from PIL import Image

from gnomon.generators.drawing.backgrounds import background_behind, crop_photograph
from gnomon.generators.drawing.canvas import Pixels, Points
from gnomon.generators.drawing.colours import Colour
from gnomon.generators.drawing.pose import HALF, Pose
from gnomon.generators.drawing.shapes import ellipse, oblong
from gnomon.generators.looks.photo import FloatImage, jpeg, mask_of, to_float, to_pixels
from gnomon.generators.rng import Rng
from gnomon.generators.user_files import UserFile

Dice: TypeAlias = np.random.Generator
UNIT = oblong(-1, -1, 1, 1)
STEEPEST = 50.0
"""Degrees from which an instrument is seen at most."""
_TURN, _MOST_TURN = 10.0, 30.0
"""Deviation and largest size of an instrument's turn in the picture, in degrees."""
_ASPECT = 0.6
"""Largest logarithm of a picture's width as a multiple of its height."""
_INSIDE = 0.98
_HIDDEN = 0.2
_MILD = 0.3
"""Share of the largest object in front of an instrument, so that the reading is not hidden."""


def wide_picture(
    picture: Image.Image, case: Points, background: str, shares: tuple[float, float], rng: Rng
) -> tuple[Image.Image, Pose]:
    """Put what `case` [n, 2] encloses in a picture into a scene. The homography maps its points.

    The scene's longer side is the picture's. `shares` is the range of the instrument's longer side
    as a share of it. The background is a drawn one or a photograph, as of the instrument.
    """
    dice = np.random.Generator(np.random.Philox(rng.bits()))
    side = max(picture.size)
    aspect = math.exp(dice.uniform(-_ASPECT, _ASPECT))
    width, height = round(side * min(1, aspect)), round(side / max(1, aspect))

    def scene() -> Pixels:
        if isinstance(background, UserFile):
            return crop_photograph(background, (width, height), (0, 0, 0), rng, None)
        square = background_behind(background, side, colour(dice), rng, ())
        return np.ascontiguousarray(square[:height, :width])

    canvas, low, high = scene(), case.min(0), case.max(0)
    places = in_perspective(
        dice, high - low, np.array([width, height]), shares,
        turn=float(np.clip(dice.normal(0, _TURN), -_MOST_TURN, _MOST_TURN)),
        steep=STEEPEST * dice.random(), most=_INSIDE,
    )  # fmt: skip
    hull = cv2.convexHull(case.astype(np.float32))[:, 0].astype(float)
    alpha = mask_of([hull], picture.size)
    # An instrument in a photograph always takes on its light, others only half of the time.
    is_lit = isinstance(background, UserFile) or dice.random() < 0.5
    light = dice.uniform(0.4, 0.8) if is_lit else 0.0
    pose = paste(canvas, np.asarray(picture), alpha, oblong(*low, *high), places, light=light)
    if dice.random() < _HIDDEN:
        hide(canvas, dice, places, _MILD)
    return Image.fromarray(take_picture(light_up(canvas, dice, scene), dice)), pose


def in_perspective(
    dice: Dice, extent: Points, size: Points, shares: tuple[float, float], *,
    turn: float, steep: float, most: float, beyond: float = 0.0, far: float = 1.0,
) -> Points:  # fmt: skip
    """Turn, tilt and place a rectangle of this extent: return its corners [4, 2] in a picture.

    `turn` and `steep` are degrees. `most` is its largest size as a share of what fits the picture,
    `beyond` the share of its half that may lie outside, and `far` how far from the middle it goes.
    """
    points = np.concatenate([UNIT * extent / extent.max(), np.zeros((4, 1))], 1)
    towards = dice.uniform(0, math.tau)
    for degrees, axis in ((turn, (0, 0, 1)), (steep, (math.cos(towards), math.sin(towards), 0))):
        points @= cv2.Rodrigues(math.radians(degrees) * np.array(axis, float))[0].T
    away = math.exp(dice.uniform(math.log(2.6), math.log(12)))
    view = points[:, :2] * away / (away + points[:, 2:])
    view -= (view.max(0) + view.min(0)) / 2
    share = math.exp(dice.uniform(math.log(shares[0]), math.log(shares[1])))
    view *= min(share * size.max() / np.ptp(view), most * (size / np.ptp(view, 0)).min())
    half = np.ptp(view, 0) / 2
    room = np.maximum(size / 2 - (1 - beyond) * half, 0.04 * half * (beyond > 0))
    corners: Points = view + size / 2 + far * dice.uniform(-1, 1, 2) * room
    return corners


def paste(
    canvas: Pixels, pixels: Pixels, alpha: Pixels, corners: Points, places: Points, *,
    light: float = 0.0, contrast: float = 1.0, opacity: float = 1.0,
) -> Pose:  # fmt: skip
    """Paste pixels, so that `corners` come to `places`. Return the homography of their points.

    `light` is the share of the colour of the canvas around it that the pixels take on.
    """
    ends = corners.astype(np.float32), places.astype(np.float32)
    pose = Pose(cv2.getPerspectiveTransform(*ends))
    longest = np.linalg.norm(places - np.roll(places, 1, 0), axis=1).max()
    # Averaged down first, because the warp skips pixels. Half a pixel more keeps it sharp.
    small = min(1.0, 1.5 * longest / np.ptp(corners, axis=0).max())
    look, mask = (
        cv2.resize(part, None, fx=small, fy=small, interpolation=cv2.INTER_AREA)
        for part in (pixels.astype(np.float32), opacity * to_float(alpha))
    )
    look = look.mean() + (look - look.mean()) * contrast
    shrink = np.diag([mask.shape[1] / alpha.shape[1], mask.shape[0] / alpha.shape[0], 1])
    move = np.linalg.inv(HALF) @ pose.matrix @ np.linalg.inv(shrink) @ HALF
    size = canvas.shape[1::-1]
    look = cv2.warpPerspective(look, move, size, borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.warpPerspective(mask, move, size)[..., None]
    (x1, y1), (x2, y2) = np.clip([places.min(0), places.max(0) + 1], 0, size).astype(int)
    if light and x2 > x1 and y2 > y1:
        tone = canvas[y1:y2, x1:x2].mean((0, 1)) / 160
        look *= 1 - light + light * np.clip(tone, 0.25, 1.5)
    canvas[:] = np.clip(canvas + (look - canvas) * mask, 0, 255).astype(np.uint8)
    return pose


def colour(dice: Dice) -> Colour:
    """Draw a colour, most of them dull."""
    spread = 25 if dice.random() < 0.65 else 110
    red, green, blue = dice.uniform(5, 250) + dice.normal(0, spread, 3)
    return tuple(int(min(max(c, 0), 255)) for c in (red, green, blue))  # type: ignore[return-value]


def hide(canvas: Pixels, dice: Dice, places: Points, size: float = 1.0) -> None:
    """Hide a part of an instrument behind a bar or an object at its edge, 1 being the largest."""
    middle, extent = places.mean(0), np.ptp(places, 0)
    angle = dice.uniform(0, math.tau)
    towards, radius = np.array([math.cos(angle), math.sin(angle)]), dice.uniform(0.15, 0.5)
    if dice.random() < 0.5:  # a bar, wire or branch
        thick = dice.uniform(0.01, 0.1) * size * extent.max() / 2
        at, across = middle + dice.uniform(-0.45, 0.45, 2) * extent, thick * towards[::-1] * (-1, 1)
        ends = [at + side * sum(canvas.shape) * towards for side in (-1, 1)]
        shape = np.array([ends[0] + across, ends[1] + across, ends[1] - across, ends[0] - across])
    else:  # something in front of its edge
        deep = size * (0.15 + 0.4 * radius)
        corners = int(dice.integers(3, 20))
        shape = ellipse(0, 0, radius, corners=corners) * extent + middle
        shape = shape + towards * extent * (0.5 + radius - deep)
    cv2.fillPoly(canvas, [np.rint(shape * 16).astype(np.int32)], colour(dice), cv2.LINE_AA, 4)


def light_up(canvas: Pixels, dice: Dice, other: Callable[[], Pixels]) -> FloatImage:
    """Light a scene: lamps, shadows, haze, and a reflection of `other` in glass in front of it."""
    height, width = canvas.shape[:2]
    scene = to_float(canvas)
    if dice.random() < 0.6:
        coarse = 1 + dice.uniform(0.05, 0.45) * dice.standard_normal((3, 3)).astype(np.float32)
        field = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
        scene *= np.clip(field, 0.25, 2)[..., None]
    if dice.random() < 0.15:  # a shadow with an edge
        corners = dice.uniform(-0.3, 1.3, (4, 2)) * (width, height)
        hull = cv2.convexHull(corners.astype(np.float32))[:, 0]
        mask = cv2.GaussianBlur(mask_of([hull], (width, height)), (0, 0), dice.uniform(0.6, 6))
        scene *= (1 - dice.uniform(0.2, 0.65) * to_float(mask))[..., None]
    if dice.random() < 0.12:
        scene += dice.uniform(0.05, 0.3) * to_float(other())
    if dice.random() < 0.12:
        haze = dice.uniform(0.1, 0.5)
        scene = scene * (1 - haze) + haze * dice.uniform(0.3, 0.95)
    return scene.astype(np.float32)


def take_picture(scene: FloatImage, dice: Dice) -> Pixels:
    """Take the picture, one of eight at night: exposure, colours, focus, noise and file."""
    scene = scene * dice.uniform(0.85, 1.15, 3).astype(np.float32)
    grey = scene.mean(2, keepdims=True)
    saturation = 0.0 if dice.random() < 0.12 else dice.uniform(0.4, 1.4)
    scene = grey + (scene - grey) * np.float32(saturation)
    middle = float(scene.mean())
    scene = middle + (scene - middle) * np.float32(dice.uniform(0.5, 1.4))
    target = dice.uniform(0.1, 0.3) if dice.random() < 0.12 else dice.uniform(0.3, 0.65)
    scene = np.clip(scene * np.float32(min(3.0, target / (middle + 0.02))), 0, 1)
    if dice.random() < 0.4:
        scene = cv2.GaussianBlur(scene, (0, 0), dice.uniform(0.3, 1.3))
    if dice.random() < 0.6:
        noise = dice.standard_normal(scene.shape, np.float32)
        scene = scene + np.float32(dice.uniform(0.003, 0.05)) * noise
    pixels = to_pixels(scene)
    return jpeg(pixels, int(dice.integers(25, 90))) if dice.random() < 0.5 else pixels
