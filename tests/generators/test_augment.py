"""Augmentation: another camera's photograph of the same, with every label still true."""

import json
import math
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from gnomon.generators.looks import augment
from gnomon.generators.looks.augment import augment_sample
from gnomon.generators.rng import Rng, digest
from gnomon.sample import TARGETS, Box, Boxes, LabelledBox, Number, Sample, Spot, Spots

strengths = pytest.mark.parametrize("strength", ["light", "heavy"])


def scene(*boxes: tuple[float, ...], size: tuple[int, int] = (224, 168)) -> Image.Image:
    """Dark boxes on a light ground."""
    picture = Image.new("RGB", size, (222, 224, 218))
    for x1, y1, x2, y2 in boxes:
        ImageDraw.Draw(picture).rectangle((x1, y1, x2 - 1, y2 - 1), (24, 30, 40))
    return picture


def sample(target, picture: Image.Image | None, *more: Image.Image) -> Sample:
    return Sample("a", picture, "?", target, {}, "", more)


def random_box(rng: np.random.Generator) -> tuple[float, ...]:
    """A box of 24 pixels or more, often at the edge of a picture of 224 by 168."""
    x, y, width, height = (int(v) for v in rng.integers([0, 0, 24, 24], [155, 113, 70, 56]))
    return float(x), float(y), float(x + width), float(y + height)


def dark_box(picture: Image.Image) -> np.ndarray:
    """The corners around all dark pixels."""
    rows, columns = np.nonzero(np.asarray(picture.convert("L")) < 123)
    return np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1], float)


@strengths
def test_a_box_is_where_its_mark_went(strength, monkeypatch):
    # Light and lens apart, pixels say exactly where the mark is.
    for stage in ("_light", "_front", "_develop"):
        monkeypatch.setattr(augment, stage, lambda scene, *_: scene)
    monkeypatch.setattr(augment, "_camera", lambda scene, *_: np.rint(255 * scene).astype(np.uint8))
    rng = np.random.default_rng(0)
    distances = []
    for number in range(40):
        box = random_box(rng)
        after = augment_sample(sample(Box(*box), scene(box)), strength, number)
        distances.append(np.abs(dark_box(after.image) - after.target.corners).max())
    # A turned corner is so sharp that its last pixel is half light.
    assert max(distances) < 1.5


@strengths
def test_a_mark_is_found_again_under_other_light(strength):
    rng = np.random.default_rng(1)
    contrasts = []
    for number in range(20):
        box = random_box(rng)
        after = augment_sample(sample(Box(*box), scene(box)), strength, number)
        assert after.image.size == (224, 168)
        x1, y1, x2, y2 = (round(edge) for edge in after.target.corners)
        pixels = np.asarray(after.image.convert("L"), float)
        frame = pixels.copy()
        frame[max(0, y1 - 2) : y2 + 2, max(0, x1 - 2) : x2 + 2] = np.nan
        ring = frame[max(0, y1 - 12) : y2 + 12, max(0, x1 - 12) : x2 + 12]
        contrasts.append(np.nanmedian(ring) - np.median(pixels[y1 + 3 : y2 - 3, x1 + 3 : x2 - 3]))
    assert min(contrasts) > 10  # of 255: the mark is the darker one in every picture


@strengths
def test_boxes_stay_in_the_picture_and_uncovered(strength):
    rng = np.random.default_rng(2)
    for number in range(40):
        boxes = [random_box(rng), (0.0, 0.0, 9.0, 9.0), (215.0, 120.0, 224.0, 168.0)]
        move = augment.draw_move((224, 168), strength, Rng(number), boxes)
        for box in boxes:
            corners = move(augment.oblong(*box))
            whole = np.prod(corners.max(0) - corners.min(0))
            x1, y1, x2, y2 = augment.box_after(box, move, (224, 168))
            assert 0 <= x1 < x2 <= 224
            assert 0 <= y1 < y2 <= 168
            assert (x2 - x1) * (y2 - y1) >= 0.949 * whole


@pytest.mark.parametrize(("strength", "bound"), [("light", 1.5), ("heavy", 3.0)])
def test_no_direction_turns_further_than_a_label_bears(strength, bound):
    rays = [(math.cos(a), math.sin(a)) for a in np.linspace(0, math.tau, 24, endpoint=False)]
    ends = np.array(rays) * 60
    turns, shifts = [], []
    for number in range(300):
        move = augment.draw_move((160, 160), strength, Rng(number))
        middle = move(np.array([[80.0, 80.0]]))[0]
        away = move(ends + 80) - middle
        change = np.degrees(np.arctan2(away[:, 1], away[:, 0]) - np.arctan2(*ends.T[::-1]))
        turns.append(np.abs((change + 180) % 360 - 180).max())
        shifts.append(np.abs(middle - 80).max() / 160)
        assert np.linalg.det(move.matrix) > 0  # no flip
        corners = move(augment.oblong(0, 0, 160, 160))
        assert np.abs(corners - 80).max() <= 80 + 160 * augment.STRENGTHS[strength].cut + 1e-6
    assert bound / 2 < max(turns) < bound
    assert max(shifts) <= augment.STRENGTHS[strength].shift


def test_every_answer_in_pixels_moves():
    box = Box(40.0, 30.0, 90.0, 80.0)
    other = Box(120, 90, 150, 130)
    targets = {
        "box": box,
        "boxes": Boxes((LabelledBox("bolt", box), LabelledBox("bolt", other))),
        "spots": Spots((Spot("12", box), Spot("9", other))),
    }
    assert set(targets) == {name for name, kind in TARGETS.items() if kind.has_place}
    for target in targets.values():
        after = augment_sample(sample(target, scene()), "light", 3).target
        assert type(after) is type(target)
        assert len(after.boxes) == len(target.boxes)
        assert all(a != b for a, b in zip(after.boxes, target.boxes, strict=True))
    number = sample(Number(Decimal(7)), scene())
    assert augment_sample(number, "heavy", 3).target == number.target


def test_off_and_samples_without_a_picture_stay_as_they_are():
    before = sample(Number(Decimal(7)), scene())
    assert augment_sample(before, "off", 1) is before
    text = sample(Number(Decimal(7)), None)
    assert augment_sample(text, "heavy", 1) is text


@strengths
def test_pictures_of_any_size_and_mode(strength):
    for size in [(1, 1), (2, 300), (33, 7), (640, 480)]:
        for mode in ("RGB", "L", "P", "RGBA"):
            picture = scene(size=size).convert(mode)
            after = augment_sample(sample(Number(Decimal(7)), picture, picture), strength, *size)
            assert {image.size for image in after.images} == {size}
            assert len(after.images) == 2


def picture_hashes() -> list[str]:
    before = sample(Number(Decimal(7)), scene((30.0, 40.0, 90.0, 120.0)))
    keys = [(strength, row, epoch) for strength in ("light", "heavy")
            for row in range(2) for epoch in range(2)]  # fmt: skip
    pictures = [augment_sample(before, strength, 5, *key).image for strength, *key in keys]
    return [digest(picture.tobytes()).hex() for picture in pictures]


def test_a_picture_depends_on_seed_row_and_epoch_alone():
    hashes = picture_hashes()
    assert len(set(hashes)) == len(hashes)
    code = "import json, test_augment; print(json.dumps(test_augment.picture_hashes()[::-1]))"
    other = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])},
    )  # fmt: skip
    assert json.loads(other.stdout)[::-1] == hashes
