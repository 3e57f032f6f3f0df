"""Degradation of pictures, as by a camera, a print or a bad connection.

Only this file imports Albumentations. Pictures are never mirrored, because a mirrored dial shows
another time.
"""

import math
import os
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Literal, TypeAlias

import cv2
import numpy as np
from PIL import Image

from gnomon.files import read_toml
from gnomon.generators.drawing.canvas import Pixels, Points
from gnomon.generators.drawing.pose import HALF, Pose
from gnomon.generators.drawing.shapes import oblong
from gnomon.generators.rng import Rng

Degrade: TypeAlias = Literal["off", "light", "heavy"]


_TABLE = read_toml(__file__, "degrade.toml")
# Limits of each property by strength. degrade.toml describes the properties.
STRENGTHS = {degrade: SimpleNamespace(**strength) for degrade, strength in _TABLE.items()}


# Homography of a picture whose points stay in place.
UNMOVED = Pose(np.eye(3))


def max_turn(degrade: Degrade) -> float:
    """Return the largest turn in degrees, in either direction."""
    degrees: float = STRENGTHS[degrade].rotation
    return degrees


def max_shear(degrade: Degrade) -> float:
    """Return the largest sideways move of one end of a distance, as a share of the distance."""
    perspective: float = STRENGTHS[degrade].perspective
    return math.tan(math.radians(max_turn(degrade))) + 2 * perspective


def degraded(
    picture: Image.Image, degrade: Degrade, rng: Rng, keep: Points | None, stroke: int | None
) -> tuple[Image.Image, Pose]:
    """Degrade the picture at its own size. Also return the homography of its points."""
    pixels, pose = _warp(np.asarray(picture.convert("RGB")), degrade, keep, rng)
    # A dial of 224 pixels has strokes of two pixels. A wider blur would remove its ticks.
    stroke = stroke or max(1, round(min(picture.size) / 112))
    degraded_pixels = call(_photometric(degrade, stroke), rng, image=pixels)["image"]
    return Image.fromarray(degraded_pixels), pose


def _warp(pixels: Pixels, degrade: str, keep: Points | None, rng: Rng) -> tuple[Pixels, Pose]:
    """Turn and tilt the picture with everything in view, then crop it, at most as far as `keep`
    allows.

    Albumentations moves the corners of a blank picture. The picture itself is then warped a single
    time, because each resampling would blur its letters.
    """
    height, width = pixels.shape[:2]
    corners = oblong(0, 0, width, height)
    # Albumentations counts from pixel centres. Without the half pixel, its points are 0.1 pixels
    # off.
    blank = np.zeros((height, width), np.uint8)
    done = call(_geometric(degrade), rng, image=blank, keypoints=corners - 0.5)
    turned = Pose(cv2.findHomography(corners, np.asarray(done["keypoints"], float) + 0.5)[0])
    x1, y1, x2, y2 = _crop(done["image"].shape, turned(corners if keep is None else keep),
                          STRENGTHS[degrade].crop, rng)  # fmt: skip
    # The remaining part is enlarged to the size of the whole picture.
    scale = np.diag([width / (x2 - x1), height / (y2 - y1), 1])
    shift = np.array([[1, 0, -x1], [0, 1, -y1], [0, 0, 1]])
    pose = Pose(scale @ shift @ turned.matrix)
    centred = np.linalg.inv(HALF) @ pose.matrix @ HALF
    warped = cv2.warpPerspective(
        pixels, centred, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return warped, pose


def _crop(shape: tuple[int, ...], keep: Points, most: float, rng: Rng) -> tuple[int, int, int, int]:
    """Draw the remaining part of the picture, as x1, y1, x2, y2."""
    size = np.array(shape[1::-1])
    low, high = np.clip([np.floor(keep.min(0)), np.ceil(keep.max(0))], 0, size)
    # The crop on each side is limited by the free room there and by the strength.
    left, above = (int(rng.unit() * free) for free in np.minimum(low, most * size))
    right, below = (int(rng.unit() * free) for free in np.minimum(size - high, most * size))
    return left, above, int(size[0]) - right, int(size[1]) - below


def call(compose: Any, rng: Rng, **data: Any) -> dict[str, Any]:
    """Run a pipeline with a fresh seed, because each call moves its random sequence on."""
    compose.set_random_seed(rng.bits() >> 32)
    result: dict[str, Any] = compose(**data)
    return result


@lru_cache
def _geometric(degrade: str) -> Any:
    a, s = albumentations(), STRENGTHS[degrade]
    border = {"border_mode": cv2.BORDER_REPLICATE, "fit_output": True, "p": 1}
    points = a.KeypointParams(format="xy", remove_invisible=False)
    return a.Compose(
        [
            a.Affine(rotate=(-s.rotation, s.rotation), **border),
            a.Perspective(scale=(0, s.perspective), keep_size=False, **border),
        ],
        keypoint_params=points,
    )


@lru_cache
def _photometric(degrade: str, stroke: int) -> Any:
    """Light on the scene, then the lens, the sensor and the file.

    RandomShadow is not used, because its triangles with sharp tips look like another hand.
    """
    a, s = albumentations(), STRENGTHS[degrade]
    sigma = (s.blur[0] * stroke / 2, s.blur[1] * stroke / 2)
    return a.Compose(
        [
            a.RandomBrightnessContrast((-s.light, s.light), (-s.light, s.light), p=0.8),
            a.HueSaturationValue(s.hue, 2 * s.hue, 0, p=0.5),
            a.OneOf(
                [
                    a.PlasmaShadow((0.5 * s.uneven, 2 * s.uneven), p=1),
                    a.Illumination("gaussian", (0.5 * s.uneven, s.uneven), "brighten", p=1),
                    a.Illumination("linear", (0.5 * s.uneven, s.uneven), p=1),
                ],
                p=0.6,
            ),
            # With a kernel of 0, sigma chooses the size.
            a.GaussianBlur(0, sigma, p=0.6),
            a.OneOf([a.GaussNoise(s.noise, p=1), a.ISONoise((0.01, 0.03), s.noise, p=1)], p=0.6),
            a.ImageCompression("jpeg", s.jpeg, p=0.7),
        ]
    )


def albumentations() -> Any:
    """Import Albumentations on first use, which takes seconds, without its check for new
    releases."""
    os.environ.setdefault("NO_ALBUMENTATIONS_UPDATE", "1")
    import albumentations

    return albumentations
