"""Degraded pictures: worn down by sample, with every point known to half a pixel."""

import json
import subprocess
import sys
from dataclasses import fields

import cv2
import numpy as np
from measured import apart, direction, ink, ring
from PIL import Image
from quick import strengths

from gnomon.generators import Clock, create
from gnomon.generators.drawing.canvas import SCALE, Canvas
from gnomon.generators.drawing.shapes import disc
from gnomon.generators.rng import digest

CORNERS = np.array([(0, 0), (224, 0), (224, 224), (0, 224)], float)


def dotted(at: np.ndarray, radius: float) -> Image.Image:
    canvas = Canvas(224, np.full((SCALE * 224, SCALE * 224, 3), 255, np.uint8))
    for point in at:
        canvas.fill([point + disc(radius)], (0, 0, 0))
    return canvas.picture()


def centroid(dark: np.ndarray, near: np.ndarray) -> np.ndarray:
    """The middle of the ink within 14 pixels."""
    ys, xs = np.mgrid[: dark.shape[0], : dark.shape[1]] + 0.5
    weights = dark * (np.hypot(xs - near[0], ys - near[1]) < 14)
    return np.array([(weights * xs).sum(), (weights * ys).sum()]) / weights.sum()


@strengths
def test_points_are_carried_to_within_half_a_pixel(degrade):
    at = np.array([(x, y) for x in (40, 112, 184) for y in (40, 112, 184)], float)
    clock = Clock(degrade=degrade)
    for index in range(30):
        picture, moved = clock.degrade_picture(index, dotted(at, 6))
        dark = 1 - np.asarray(picture.convert("L"), float) / 255
        dark[dark < 0.6] = 0  # shadows, noise
        for point in moved(at):
            assert np.abs(centroid(dark, point) - point).max() < 0.5


@strengths
def test_what_is_to_be_kept_stays_in_the_picture(degrade):
    keep = np.array([(20, 30), (200, 30), (200, 210), (20, 210)], float)
    clock, cut = Clock(degrade=degrade), 0
    picture = dotted(keep, 3)
    for index in range(60):
        _, moved = clock.degrade_picture(index, picture, keep)
        assert moved(keep).min() > -0.05
        assert moved(keep).max() < 224 + 0.05
        cut += moved(CORNERS).min() < -0.5
        _, moved = clock.degrade_picture(index, picture)
        assert moved(CORNERS).min() > -0.05
        assert moved(CORNERS).max() < 224 + 0.05
    assert cut > 20


@strengths
def test_hands_of_degraded_clocks_are_where_the_facts_say(degrade):
    clock = Clock(
        degrade=degrade, dials=("round",), hands=("baton",), numerals=("none",),
        palettes=("white",), backgrounds=("plain",), second_hand=0.0, shadow=0.0,
        variety=0.0, split_by="none",
    )  # fmt: skip
    for index in range(30):
        sample = clock[index]
        onto = np.array([[100, 0, 112], [0, 100, 112], [0, 0, 1]]) @ np.linalg.inv(
            np.array(sample.facts["homography"])
        )
        half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
        upright = cv2.warpPerspective(
            np.asarray(sample.image), np.linalg.inv(half) @ onto @ half, (224, 224)
        )
        dark = ink(Image.fromarray(upright))
        dark[dark < 0.5] = 0
        found = direction(*ring(dark, (112, 112), 64, 74))
        assert apart(found, sample.facts["angles"]["minute"]) < 1


def test_what_is_off_loads_and_changes_nothing():
    code = (
        "import sys\nfrom gnomon.generators import create\n"
        "create('clock', degrade='off')[0]\nassert 'albumentations' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_option_that_is_off_renames_no_dataset():
    """The name is the hash of the options without it."""
    for kind in ("clock", "text_spotting"):
        later = {option.name for option in fields(create(kind)) if option.metadata}
        options = {k: v for k, v in create(kind).options.items() if k not in later}
        written = digest(json.dumps(options, sort_keys=True), size=4).hex()
        assert create(kind, degrade="off").name == create(kind).name
        assert written in create(kind).name
        assert written not in create(kind, degrade="light").name
