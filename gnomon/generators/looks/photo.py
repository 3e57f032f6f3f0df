"""The photo look: drawn layers in a scene's light, behind glass, seen by a small camera.

The steps follow the light: material, lamp and shadows, dirt on the glass or objects in front, the
lens, the sensor, the camera's processing and its JPEG. Nothing is moved except the pointer, whose
parallax the caller draws. The ranges were chosen by eye beside photographs of water meters, taken
with cheap cameras: 50 to 200 pixels wide, lit by one LED.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from gnomon.generators.drawing.canvas import Pixels, Points
from gnomon.generators.rng import Rng

# Image or mask, [height, width] or [height, width, 3], 0 to 1.
FloatImage: TypeAlias = NDArray[np.float32]

# Hexadecimal colours of real dials: white plastic, enamel, aged and tinted dials, metal, black.
_FLOORS = (*2 * ("f6f6f4", "eeeeea", "e4e4e2"), "d6d8d8", "f2eede", "e8dfc2", "dfe6ea", "c9cccc",
           "b9bcba", "f4f0ec", "e9ece2", "202224", "16181a")  # fmt: skip
_DARK_INKS = ("0c0c0e", "1a1a1c", "24262a", "2e2c2a", "101428")
_LIGHT_INKS = ("f2f2ee", "dcdcd6", "e8e4d0")
# Two pointers in three are red.
_POINTERS = ("c8141c", "d42a1e", "b01624", "e03c20", "c41e3a", "f04a22", "a01018", "d8402c",
             "e8641c", "141416", "26282a", "1c3c8c")  # fmt: skip
_LIGHT_POINTERS = ("f04a32", "ff6a3c", "f4f4f0", "ffd23c", "e83a3a")
_CASES = ("8a8c8e", "3a3c40", "c8cacc", "1a1a1c", "b89850", "2c4c86", "7c5a3a", "d8d8d4")
_GROUNDS = ("c8c8c4", "8e9090", "3e4044", "7a6c58", "dcdad4", "2c4c86", "50605a", "a89878")
# Smallest deviation of a picture in which something is visible, taken from the dullest real ones.
_FAINTEST = 0.065
NOISIEST = 0.3
"""Largest deviation of the noise, as a share of the picture's deviation."""
# After a larger block was freed once, glibc keeps the memory of pictures instead of returning it to
# the system. Otherwise each picture faults its pages in again, which takes a fifth of the time.
np.empty(16 << 20, np.uint8)


class Layers(NamedTuple):
    """Drawn layers, at the size of the picture."""

    without_pointer: Pixels
    """Everything except the pointer, [height, width, 3]."""
    with_pointer: Pixels
    pointer_mask: Pixels
    """255 on the pointer, [height, width]."""
    case_mask: Pixels
    """255 on the instrument, including its rim."""
    floor_mask: Pixels
    """255 on the floor of the instrument."""


def photo_palette(rng: Rng) -> str:
    """Colours of a real dial, as a palette's name: floor, hands, ink, pointer, case, ground."""
    floor = rng.choice(_FLOORS)
    dark = int(floor[:2], 16) < 0x80
    ink = rng.choice(_LIGHT_INKS if dark else _DARK_INKS)
    pointer = rng.choice(_LIGHT_POINTERS if dark else _POINTERS)
    return "-".join((floor, ink, ink, pointer, rng.choice(_CASES), rng.choice(_GROUNDS)))


def parallax(rng: Rng, unit: float) -> tuple[float, float]:
    """Return the shift in pixels of a pointer that stands above its floor and is seen at an angle.

    `unit` is half of a dial. The shift is at most 0.012 units, a fortieth of the distance between
    two of ten labels.
    """
    angle, distance = rng.uniform(0, math.tau), unit * rng.uniform(0, 0.012)
    return distance * math.cos(angle), distance * math.sin(angle)


def photograph(layers: Layers, rng: Rng, *, min_readable_side: int) -> Image.Image:
    """Photograph the layers: shrink them, degrade them, and enlarge them to their size.

    The shorter side of the shrunken picture has at least `min_readable_side` pixels, at which a
    person can still read the instrument. A pointer's direction needs fewer pixels than ticks beside
    a column. The limit also applies to blur.
    """
    noise_rng = np.random.Generator(np.random.Philox(rng.bits()))
    height, width = layers.pointer_mask.shape
    angle = rng.uniform(0, math.tau)
    # Direction of the light across the picture, away from the lamp.
    direction = math.cos(angle), math.sin(angle)
    scene = _materials(layers, direction, rng, noise_rng)
    scene *= lamp_field(height, width, rng, noise_rng)
    scene = _glass(scene, rng, noise_rng)
    scene = _obstruct(scene, layers.case_mask, rng)
    return Image.fromarray(camera(scene, min_readable_side, rng, noise_rng))


def _materials(
    layers: Layers, direction: tuple[float, float], rng: Rng, noise_rng: np.random.Generator
) -> FloatImage:
    """Draw floor, rim and pointer as bodies with grain, bevels and shadows."""
    without_pointer, with_pointer, pointer_mask, case_mask, floor_mask = (
        to_float(part) for part in layers
    )
    height, width = pointer_mask.shape
    side = max(height, width)
    without_pointer *= (
        1 + rng.uniform(0, 0.05) * grain((height, width), rng.uniform(0.5, 3), noise_rng)[..., None]
    )
    if rng.chance(0.35):
        without_pointer = _dirt(without_pointer, floor_mask, rng, noise_rng)
    # A round rim is bright towards the lamp and dark on the other side.
    rim = np.clip(case_mask - floor_mask, 0, 1)
    bevel = _relief(case_mask, 0.02 * side, direction) - _relief(
        floor_mask, 0.012 * side, direction
    )
    without_pointer += (rng.uniform(0.1, 0.6) * rim * bevel)[..., None]
    # The rim stands above the floor and darkens the floor's edge on the lamp's side.
    rim_height = rng.uniform(0.0, 0.05) * side
    under_rim = (
        _cast_shadow(1 - floor_mask, direction, rim_height, 0.4 * rim_height + 0.5) * floor_mask
    )
    without_pointer *= 1 - (rng.uniform(0.1, 0.6) * under_rim)[..., None]
    pointer_height = rng.uniform(0.004, 0.045) * side
    shadow = _cast_shadow(
        pointer_mask, direction, pointer_height, rng.uniform(0.3, 1.0) * pointer_height + 0.5
    ) * (1 - pointer_mask)
    without_pointer *= 1 - (rng.uniform(0.05, 0.55) * shadow)[..., None]
    body = (
        with_pointer
        * (1 + rng.uniform(0, 0.5) * _relief(pointer_mask, 0.012 * side, direction))[..., None]
    )
    if rng.chance(0.4):  # a highlight on shiny plastic
        body += rng.uniform(0.1, 0.5) * _spot(pointer_mask, direction, 0.03 * side)[..., None]
    if rng.chance(0.1):  # worn paint lets the floor through
        pointer_mask = pointer_mask * (
            1 - 0.2 * np.clip(grain((height, width), 0.03 * side, noise_rng), 0, 1)
        )
    scene: FloatImage = without_pointer + (body - without_pointer) * pointer_mask[..., None]
    return scene


def lamp_field(height: int, width: int, rng: Rng, noise_rng: np.random.Generator) -> FloatImage:
    """Return uneven light: brighter towards one side, or with the bright patch of a near lamp."""
    coarse = 1 + rng.uniform(0.0, 0.35) * noise_rng.standard_normal((3, 3)).astype(np.float32)
    field = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    # The rest of the picture stays visible, and no place gets as bright as the lamp.
    lit: FloatImage = np.clip(field, 0.3, 1.8)[..., None]
    return lit


def _glass(scene: FloatImage, rng: Rng, noise_rng: np.random.Generator) -> FloatImage:
    """Add haze, scratches and drops on the glass, and the reflection of the lamp."""
    height, width = scene.shape[:2]
    side = max(height, width)
    haze = rng.uniform(0, 0.3) if rng.chance(0.4) else 0.0
    scene = scene * (1 - haze) + haze * rng.uniform(0.5, 0.95)
    glare = np.zeros((height, width), np.float32)
    for _ in range(rng.integer(0, 2)):
        centre = rng.integer(0, width), rng.integer(0, height)
        axes = (
            max(1, round(side * rng.uniform(0.02, 0.16))),
            max(1, round(side * rng.uniform(0.01, 0.09))),
        )
        turn = rng.uniform(0, 180)
        if rng.chance(0.6):
            cv2.ellipse(glare, centre, axes, turn, 0, 360, 1.0, -1)
        else:  # a window or a tube
            corners = cv2.boxPoints((centre, (4 * axes[0], axes[1]), turn)).astype(np.int32)
            cv2.fillPoly(glare, [corners], 1.0)
        cv2.GaussianBlur(glare, (0, 0), rng.uniform(0.004, 0.03) * side, glare)
    if rng.chance(0.12):  # moisture
        drops = (noise_rng.random((height // 4, width // 4), np.float32) > 0.985).astype(np.float32)
        soft = cv2.resize(drops, (width, height), interpolation=cv2.INTER_CUBIC)
        glare += rng.uniform(0.1, 0.5) * np.clip(soft, 0, 1)
    if rng.chance(0.15):
        for _ in range(rng.integer(1, 4)):
            begin, end = ((rng.integer(0, width), rng.integer(0, height)) for _ in range(2))
            cv2.line(glare, begin, end, rng.uniform(0.05, 0.3), 1, cv2.LINE_AA)
    glare *= rng.uniform(0.3, 1.0)
    lit: FloatImage = scene + np.clip(glare, 0, 1)[..., None] * (1.05 - np.clip(scene, 0, 1))
    return lit


def _obstruct(scene: FloatImage, case: Pixels, rng: Rng) -> FloatImage:
    """Cover a corner with the edge of a housing, at most 3 % of the picture within the case."""
    if not rng.chance(0.2):
        return scene
    height, width = scene.shape[:2]
    angle, distance = rng.uniform(0, math.tau), rng.uniform(0.42, 0.62)
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, width), np.linspace(-0.5, 0.5, height))
    edge = (math.cos(angle) * x + math.sin(angle) * y - distance).astype(np.float32)
    cover = np.clip(edge * width / rng.uniform(0.8, 4) + 0.5, 0, 1)
    if (cover * to_float(case)).mean() > 0.03:  # never a part that must be read
        return scene
    colour = np.array([rng.uniform(0, 0.9) for _ in range(3)], np.float32)
    covered: FloatImage = scene + (colour - scene) * cover[..., None]
    return covered


def camera(
    scene: FloatImage, min_readable_side: int, rng: Rng, noise_rng: np.random.Generator,
    least: float = 0.0,
) -> Pixels:  # fmt: skip
    """Apply lens, sensor, processing and file of a cheap camera.

    Pale and faint pictures keep at least this share of their colours and of their contrast.
    """
    height, width = scene.shape[:2]
    image = _expose(_lens(scene, min_readable_side, rng), rng, least)
    pixels = _record(image, rng, noise_rng)
    how = rng.choice((cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_NEAREST))
    grown: Pixels = cv2.resize(pixels, (width, height), interpolation=how)
    return grown


def _lens(scene: FloatImage, min_readable_side: int, rng: Rng) -> FloatImage:
    """Reduce the resolution, and add defocus and shake."""
    height, width = scene.shape[:2]
    # An instrument in the middle of a wider picture has few pixels. One in four is near.
    low = min(1.0, min_readable_side / min(height, width))
    share = min(1.0, rng.uniform(low, max(low, 0.7)) if rng.chance(0.75) else rng.uniform(0.7, 1.3))
    small = (max(24, round(width * share)), max(24, round(height * share)))
    image = cv2.resize(scene, small, interpolation=cv2.INTER_AREA)
    # Pixels of this image per pixel of the smallest readable image.
    unit = min(small) / min_readable_side
    blurred: FloatImage = cv2.GaussianBlur(image, (0, 0), max(0.25, unit * rng.uniform(0.05, 0.65)))
    if rng.chance(0.15):
        blurred = _shake(blurred, rng.uniform(0, 180), max(1, round(unit * rng.uniform(0.5, 2))))
    return blurred


def _expose(image: FloatImage, rng: Rng, least: float) -> FloatImage:
    """Change exposure, white balance, saturation and contrast. One picture in seven is faint, as in
    fog."""
    cast = 0.36 if rng.chance(0.2) else 0.12
    balance = np.array([1 + rng.uniform(-cast, cast) for _ in range(3)], np.float32)
    image = np.clip(image * balance * rng.uniform(0.7, 1.3), 0, None)
    grey = image.mean(2, keepdims=True)
    saturation = rng.uniform(least, 0.5) if rng.chance(0.12) else rng.uniform(0.5, 1.4)
    image = grey + (image - grey) * saturation
    if rng.chance(1 / 7):
        middle, contrast = rng.uniform(0.25, 0.75), rng.uniform(max(0.15, least), 0.6)
    else:
        middle, contrast = rng.uniform(0.35, 0.6), rng.uniform(0.6, 1.25)
    contrast = max(contrast, min(1.0, _FAINTEST / (float(image.std()) + 1e-3)))
    image = middle + (image - middle) * contrast
    developed: FloatImage = np.clip(image, 0, None) ** np.float32(rng.uniform(0.75, 1.35))
    return developed


def _record(image: FloatImage, rng: Rng, noise_rng: np.random.Generator) -> Pixels:
    """Add the sensor's noise, halos of sharpening, and JPEG artefacts."""
    level = rng.uniform(0, 0.025) if rng.chance(0.75) else rng.uniform(0.025, 0.07)
    level = min(level, NOISIEST * float(image.std()))
    grain = noise_rng.standard_normal(image.shape, np.float32)
    if rng.chance(0.5):  # smeared by the sensor's own filter
        grain = 1.7 * cv2.GaussianBlur(grain, (0, 0), 0.8)
    image = image + level * grain
    if rng.chance(0.45):  # sharpening leaves halos
        soft = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.8, 2.0))
        image = image + rng.uniform(0.3, 1.6) * (image - soft)
    pixels = to_pixels(image)
    return jpeg(pixels, rng.integer(25, 92)) if rng.chance(0.85) else pixels


def _dirt(
    picture: FloatImage, floor: FloatImage, rng: Rng, noise_rng: np.random.Generator
) -> FloatImage:
    """Add specks and stains to the floor."""
    height, width = floor.shape
    stains = np.clip(grain((height, width), rng.uniform(0.02, 0.12) * width, noise_rng) - 0.6, 0, 2)
    specks = (noise_rng.random((height, width), np.float32) > 0.9985).astype(np.float32)
    specks = cv2.GaussianBlur(specks, (0, 0), 0.7) * 3
    amount = rng.uniform(0.05, 0.35) * stains + rng.uniform(0.1, 0.6) * np.clip(specks, 0, 1)
    brown = np.array((0.35, 0.28, 0.2), np.float32)
    dirty: FloatImage = picture + (brown - picture) * (np.clip(amount, 0, 0.8) * floor)[..., None]
    return dirty


def grain(shape: tuple[int, int], size: float, noise_rng: np.random.Generator) -> FloatImage:
    """Return noise with lumps of `size` pixels, of about unit deviation."""
    step = max(1, round(size))
    coarse = noise_rng.standard_normal((shape[0] // step + 2, shape[1] // step + 2), np.float32)
    grain: FloatImage = cv2.resize(coarse, shape[::-1], interpolation=cv2.INTER_CUBIC)
    return grain


def _relief(mask: FloatImage, radius: float, direction: tuple[float, float]) -> FloatImage:
    """Return the light on a body with round edges: 1 towards the lamp, -1 away from it."""
    soft = cv2.GaussianBlur(mask, (0, 0), max(0.6, radius))
    x = cv2.Sobel(soft, cv2.CV_32F, 1, 0, ksize=3)
    y = cv2.Sobel(soft, cv2.CV_32F, 0, 1, ksize=3)
    relief: FloatImage = (direction[0] * x + direction[1] * y) * max(0.6, radius) / 3
    return relief


def _cast_shadow(
    mask: FloatImage, direction: tuple[float, float], distance: float, blur: float
) -> FloatImage:
    """Return the mask moved away from the lamp and blurred, as a shadow."""
    shift = np.array([[1, 0, distance * direction[0]], [0, 1, distance * direction[1]]], np.float32)
    size = mask.shape[::-1]
    moved = cv2.warpAffine(mask, shift, size, borderMode=cv2.BORDER_REPLICATE)
    shadow: FloatImage = cv2.GaussianBlur(moved, (0, 0), max(0.5, blur))
    return shadow


def _spot(mask: FloatImage, direction: tuple[float, float], radius: float) -> FloatImage:
    """Return a highlight on a body, from its middle a little towards the lamp."""
    ys, xs = np.nonzero(mask > 0.5)
    spot = np.zeros_like(mask)
    if len(xs):
        centre = (
            round(xs.mean() - 2 * radius * direction[0]),
            round(ys.mean() - 2 * radius * direction[1]),
        )
        cv2.circle(spot, centre, max(1, round(radius)), 1.0, -1)
    highlight: FloatImage = cv2.GaussianBlur(spot, (0, 0), max(0.6, 0.6 * radius)) * mask
    return highlight


def _shake(image: FloatImage, degrees: float, length: int) -> FloatImage:
    """Apply motion blur along a line."""
    kernel = np.zeros((2 * length + 1, 2 * length + 1), np.float32)
    a = math.radians(degrees)
    x, y = round(length * math.cos(a)), round(length * math.sin(a))
    cv2.line(kernel, (length - x, length - y), (length + x, length + y), 1.0, 1)
    blurred: FloatImage = cv2.filter2D(image, -1, kernel / kernel.sum())
    return blurred


def jpeg(pixels: Pixels, quality: int) -> Pixels:
    # OpenCV treats the channels as blue, green, red on the way in and out, so their order is
    # kept.
    _, data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR))


def mask_of(points: Sequence[Points], size: tuple[int, int]) -> Pixels:
    """Return an anti-aliased mask of contours in a picture of this width and height."""
    mask = np.zeros(size[::-1], np.uint8)
    fixed = [np.rint(256 * (p - 0.5)).astype(np.int32) for p in points]
    for contour in fixed:
        cv2.fillPoly(mask, [contour], 255, cv2.LINE_AA, 8)
    return mask


def to_float(pixels: Pixels) -> FloatImage:
    """Return pixels as light, 0 to 1."""
    light: FloatImage = pixels * np.float32(1 / 255)
    return light


def to_pixels(light: FloatImage) -> Pixels:
    """Return light as pixels. Values outside 0 to 1 are clipped."""
    return np.rint(255 * np.clip(light, 0, 1)).astype(np.uint8)
