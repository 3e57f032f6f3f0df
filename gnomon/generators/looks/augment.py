"""Augmentation of photographs, as if another camera had taken them on another day.

Colours, light, lens and sensor vary, and the camera moves a little. Pictures are never mirrored,
because digits and dials have a handedness. A reading keeps its value, and a box moves with the
picture.

The labels limit the moves. A turn moves pointer and scale together, so a reading against its scale
stays true. But a clock without numerals shows 12 only by hanging upright. So no direction from the
picture's middle changes by more than 1.5° (light) or 3° (heavy), a quarter or half of a minute. A
tilt changes no direction.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Literal, TypeAlias

import cv2
import numpy as np
from PIL import Image

from gnomon.answers.base.target import Corners
from gnomon.files import read_toml
from gnomon.generators.drawing import degrade
from gnomon.generators.drawing.canvas import Pixels
from gnomon.generators.drawing.pose import HALF, Pose
from gnomon.generators.drawing.shapes import oblong
from gnomon.generators.looks.photo import NOISIEST, FloatImage, to_float, to_pixels
from gnomon.generators.rng import Rng
from gnomon.sample import Sample

Augment: TypeAlias = Literal["off", "light", "heavy"]

# Limits of each property by strength. augment.toml describes the properties.
STRENGTHS = {
    strength: SimpleNamespace(**limits)
    for strength, limits in read_toml(__file__, "augment.toml").items()
}

# Smallest share of a labelled box that a move leaves in the picture.
_MIN_VISIBLE = 0.95
# Largest share of a labelled box that an object in front may hide.
_MAX_COVERED = 0.1
# Picture sides in pixels between which blur grows with the picture. Larger pictures are often
# documents whose letters do not grow.
_SMALL, _LARGE = 100, 300
# Limits of brightness: of a picture's mean plus deviation, and of its mean.
_BRIGHTEST, _DARKEST = 1.0, 0.18


def augment_sample(sample: Sample, strength: Augment, *key: object) -> Sample:
    """Augment the pictures of a sample, and move its answer with the first picture.

    The result depends only on the key. With strength "off", or without a picture, the sample is
    returned unchanged.
    """
    if strength == "off" or sample.image is None:
        return sample
    rng = Rng("augment", *key)
    first, move = augment_picture(sample.image, strength, rng, sample.target.boxes)
    more = tuple([augment_picture(image, strength, rng)[0] for image in sample.more_images])
    size = sample.image.size
    target = sample.target.map_boxes(lambda box: box_after(box, move, size))
    return replace(sample, image=first, more_images=more, target=target)


def augment_picture(
    picture: Image.Image, strength: Augment, rng: Rng, boxes: Sequence[Corners] = ()
) -> tuple[Image.Image, Pose]:
    """Augment a picture at its own size. The homography maps its points.

    At least 95 % of each box stays in the picture, and an object in front hides less than a tenth
    of it.
    """
    limits = STRENGTHS[strength]
    pixels = np.asarray(picture.convert("RGB"))
    height, width = pixels.shape[:2]
    move = draw_move((width, height), strength, rng, boxes)
    centred = np.linalg.inv(HALF) @ move.matrix @ HALF
    pixels = cv2.warpPerspective(
        pixels, centred, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    scene = to_float(pixels)
    scene = _light(scene, limits, rng)
    scene = _front(scene, limits, rng, [box_after(box, move, (width, height)) for box in boxes])
    scene = _develop(scene, limits, rng)
    return Image.fromarray(_camera(scene, strength, rng)), move


def box_after(box: Corners, move: Pose, size: tuple[int, int]) -> Corners:
    """Return the box around a box's moved corners, clipped to the picture."""
    corners = move(oblong(*box))
    low, high = np.clip([corners.min(0), corners.max(0)], 0, size)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def draw_move(
    size: tuple[int, int], strength: Augment, rng: Rng, boxes: Sequence[Corners] = ()
) -> Pose:
    """Draw the move of a picture. The move is smaller if it would push a box out of the picture."""
    limits = STRENGTHS[strength]
    units = [rng.uniform(-1, 1) for _ in range(7)]
    share = 1.0
    while True:
        move = _move(size, limits, [share * unit for unit in units])
        # At share 0 nothing moves. A hundredth is less than a pixel in most pictures.
        if share == 0 or all(_visible_share(box, move, size) >= _MIN_VISIBLE for box in boxes):
            return move
        share = share / 2 if share > 0.01 else 0.0


def _move(size: tuple[int, int], limits: SimpleNamespace, units: Sequence[float]) -> Pose:
    """Return the homography of a camera at another place. Units go from -1 to 1."""
    width, height = size
    side = min(size)
    small, large = limits.scale
    scale = large ** units[0] if units[0] > 0 else small ** -units[0]
    stretch = (1 + limits.aspect) ** units[1]
    turn = math.radians(limits.turn * units[2])
    cos, sin = scale * math.cos(turn), scale * math.sin(turn)
    middle = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1]])
    shape = np.diag([stretch, 1 / stretch, 1])
    turned = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    # A keystone about the middle keeps the directions from the middle.
    tilt_x, tilt_y = (2 * limits.tilt * unit / side for unit in units[3:5])
    tilted = np.array([[1, 0, 0], [0, 1, 0], [tilt_x, tilt_y, 1]])
    x, y = (limits.shift * side * unit for unit in units[5:7])
    back = np.array([[1, 0, width / 2 + x], [0, 1, height / 2 + y], [0, 0, 1]])
    move = back @ tilted @ turned @ shape @ middle
    # Labels often reach the edge of a picture, so it is shrunk until nearly all is in view.
    far_x, far_y = np.abs(Pose(move)(oblong(0, 0, width, height)) - (width / 2, height / 2)).max(0)
    cut = limits.cut * side
    zoom = min(1.0, (width / 2 + cut) / far_x, (height / 2 + cut) / far_y)
    away = (1 - zoom) * width / 2, (1 - zoom) * height / 2
    return Pose(np.array([[zoom, 0, away[0]], [0, zoom, away[1]], [0, 0, 1]]) @ move)


def _visible_share(box: Corners, move: Pose, size: tuple[int, int]) -> float:
    """Share of a moved box's area that lies within the picture."""
    corners = move(oblong(*box))
    whole = float(np.prod(corners.max(0) - corners.min(0)))
    x1, y1, x2, y2 = box_after(box, move, size)
    return (x2 - x1) * (y2 - y1) / whole


def _light(scene: FloatImage, limits: SimpleNamespace, rng: Rng) -> FloatImage:
    """Light the scene anew: uneven light, a shadow, a reflection on its glass, or haze."""
    height, width = scene.shape[:2]
    side = min(height, width)
    if rng.chance(0.6):
        coarse = np.array([rng.uniform(-1, 1) for _ in range(9)], np.float32).reshape(3, 3)
        field = cv2.resize(
            1 + limits.light * coarse, (width, height), interpolation=cv2.INTER_CUBIC
        )
        scene = scene * np.clip(field, 0.25, 2)[..., None]
    if rng.chance(0.3):
        # The edge is soft. A sharp edge would look like another hand on a dial.
        depth = _half_plane((height, width), rng, away=0.35, soft=rng.uniform(0.05, 0.3) * side)
        scene = scene * (1 - rng.uniform(*limits.shadow) * depth)[..., None]
    if rng.chance(0.35):
        shine = limits.shine * rng.uniform(0.3, 1) * _reflections((height, width), limits, rng)
        scene = scene + shine[..., None] * np.clip(1.05 - scene, 0, None)
    if rng.chance(0.2):
        haze = rng.uniform(0, limits.haze)
        scene = scene * (1 - haze) + haze * rng.uniform(0.4, 0.95)
    return scene


def _reflections(shape: tuple[int, int], limits: SimpleNamespace, rng: Rng) -> FloatImage:
    """Blurred reflections of lamps and windows."""
    height, width = shape
    side = min(shape)
    glare = np.zeros(shape, np.float32)
    for _ in range(rng.integer(1, 2)):
        centre = rng.integer(0, width - 1), rng.integer(0, height - 1)
        long, short = (max(1, round(side * rng.uniform(*limits.glare))) for _ in range(2))
        turn = rng.uniform(0, 180)
        if rng.chance(0.6):
            cv2.ellipse(glare, centre, (long, short), turn, 0, 360, 1.0, -1)
        else:
            corners = cv2.boxPoints((centre, (2 * long, 2 * short), turn)).astype(np.int32)
            cv2.fillPoly(glare, [corners], 1.0)
    soft: FloatImage = cv2.GaussianBlur(glare, (0, 0), max(0.5, rng.uniform(0.005, 0.03) * side))
    return soft


def _half_plane(shape: tuple[int, int], rng: Rng, *, away: float, soft: float) -> FloatImage:
    """Mask that is 1 beyond a line across the picture. `away` is the distance of the line from the
    middle, as a share of the side."""
    height, width = shape
    side = min(shape)
    angle = rng.uniform(0, math.tau)
    x = (np.arange(width, dtype=np.float32) + 0.5 - width / 2) * math.cos(angle)
    y = (np.arange(height, dtype=np.float32) + 0.5 - height / 2) * math.sin(angle)
    beyond = x + y[:, None] - away * side
    mask: FloatImage = np.clip(beyond / max(1.0, soft) + 0.5, 0, 1)
    return mask


def _front(
    scene: FloatImage, limits: SimpleNamespace, rng: Rng, boxes: Sequence[Corners]
) -> FloatImage:
    """Cover an edge or a corner, as a housing would, and put specks on the glass."""
    height, width = scene.shape[:2]
    side = min(height, width)
    if rng.chance(0.2):
        away, soft = rng.uniform(0.4, 0.65), rng.uniform(0.01, 0.06) * side
        cover = _half_plane((height, width), rng, away=away, soft=soft)
        colour = np.array([rng.uniform(0, 0.9) for _ in range(3)], np.float32)
        covers_box = any(_mean_in(cover, box) > _MAX_COVERED for box in boxes)
        if cover.mean() <= limits.cover and not covers_box:
            scene = scene + (colour - scene) * cover[..., None]
    if rng.chance(0.25):
        specks = np.zeros((height, width), np.float32)
        for _ in range(rng.integer(1, 6)):
            centre = rng.integer(0, width - 1), rng.integer(0, height - 1)
            cv2.circle(specks, centre, round(side * rng.uniform(0, 0.012)), 1.0, -1)
        specks = cv2.GaussianBlur(specks, (0, 0), max(0.6, 0.006 * side))
        scene = scene + rng.uniform(-0.5, 0.5) * specks[..., None]
    return scene


def _mean_in(mask: FloatImage, box: Corners) -> float:
    """Mean of a mask within a box, or 0 if the box contains no pixel centre."""
    x1, y1, x2, y2 = (round(edge) for edge in box)
    part = mask[y1:y2, x1:x2]
    return float(part.mean()) if part.size else 0.0


def _develop(scene: FloatImage, limits: SimpleNamespace, rng: Rng) -> FloatImage:
    """Change balance, mix and saturation of the channels, exposure, contrast and gamma."""
    balance = np.diag([1 + rng.uniform(-limits.balance, limits.balance) for _ in range(3)])
    mix = np.array([rng.uniform(-limits.mix, limits.mix) for _ in range(9)]).reshape(3, 3)
    np.fill_diagonal(mix, 0)
    mix -= np.diag(mix.sum(1))  # grey stays grey
    # Luma of BT.601, as cameras and JPEG weigh the channels.
    luma = np.tile([0.299, 0.587, 0.114], (3, 1))
    saturation = 0.0 if rng.chance(limits.grey) else rng.uniform(*limits.saturation)
    colours = balance @ (saturation * (np.eye(3) + mix) + (1 - saturation) * luma)
    # The limits keep bright pictures from burning out and dark pictures from turning black.
    mean, deviation = float(scene.mean()), float(scene.std())
    exposure = min(rng.uniform(*limits.exposure), _BRIGHTEST / (mean + deviation + 1e-3))
    exposure = max(exposure, _DARKEST / (mean + 1e-3)) if exposure < 1 else exposure
    scene = cv2.transform(scene, (exposure * colours).astype(np.float32))
    middle = exposure * mean
    scene = middle + (scene - middle) * rng.uniform(*limits.contrast)
    scene = np.clip(scene, 0, 1)
    developed: FloatImage = cv2.pow(scene, rng.uniform(*limits.gamma))
    return developed


def _camera(scene: FloatImage, strength: Augment, rng: Rng) -> Pixels:
    """Photograph the scene: lens, sensor, noise, sharpening and JPEG file."""
    limits = STRENGTHS[strength]
    height, width = scene.shape[:2]
    size = min(max(min(height, width), _SMALL), _LARGE)
    optics, file = _pipelines(strength, round(size / _SMALL))
    scene = degrade.call(optics, rng, image=scene)["image"]
    if rng.chance(0.4):
        share = rng.uniform(*limits.resolution)
        # With fewer pixels, little of an instrument is left.
        share = min(1.0, max(share, 32 / min(height, width)))
        small = max(1, round(width * share)), max(1, round(height * share))
        scene = cv2.resize(scene, small, interpolation=cv2.INTER_AREA)
    if rng.chance(0.7):
        level = min(rng.uniform(*limits.noise), NOISIEST * float(scene.std()))
        scene = scene + level * _noise(scene.shape[:2], rng)
    pixels: Pixels = to_pixels(scene)
    pixels = degrade.call(file, rng, image=pixels)["image"]
    if pixels.shape[:2] != (height, width):
        way = rng.choice((cv2.INTER_LINEAR, cv2.INTER_CUBIC))
        pixels = cv2.resize(pixels, (width, height), interpolation=way)
    return pixels


@lru_cache
def _pipelines(strength: Augment, scale: int) -> tuple[Any, Any]:
    """Albumentations' lens for float images, and its camera file for bytes."""
    a, limits = degrade.albumentations(), STRENGTHS[strength]
    sigma = (limits.blur[0] * scale / 2, limits.blur[1] * scale / 2)
    shake = tuple(2 * round((pixels * scale - scale) / 2) + 1 for pixels in limits.shake)
    # With a kernel of 0, sigma chooses the size.
    lens = [a.GaussianBlur(0, sigma, p=1), a.MotionBlur(shake, p=0.25)]
    optics = a.Compose([a.OneOf(lens, p=0.6)])
    file = a.Compose(
        [
            a.Sharpen((0.1, 0.5), p=0.3),
            a.ImageCompression("jpeg", tuple(limits.jpeg), p=0.7),
        ]
    )
    return optics, file


def _noise(shape: tuple[int, int], rng: Rng) -> FloatImage:
    """Return noise of unit deviation, per pixel or in lumps like those of a sensor's filter.

    It is cut from a stored tile, because drawing new noise takes longer than everything else here.
    """
    tile = _noise_tile(rng.chance(0.5))
    side, (height, width) = tile.shape[0], shape
    noise: FloatImage
    if max(shape) <= side // 2:
        top, x = rng.integer(0, side - height), rng.integer(0, side - width)
        noise = tile[top : top + height, x : x + width]
    else:
        rows, columns = ((rng.integer(0, side - 1) + np.arange(n)) % side for n in shape)
        noise = tile[rows][:, columns]
    return noise


@lru_cache
def _noise_tile(lumps: bool) -> FloatImage:
    """Square of noise with 3 channels that repeats at its edges."""
    noise = np.random.Generator(np.random.Philox(7)).standard_normal((768, 768, 3), np.float32)
    if not lumps:
        return noise
    soft = cv2.GaussianBlur(noise, (0, 0), 0.8, borderType=cv2.BORDER_REFLECT)
    lumpy: FloatImage = soft / soft.std()
    return lumpy
