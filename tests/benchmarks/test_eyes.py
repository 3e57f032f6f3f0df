"""The embedded model's eyes, before it learns to speak."""

import json

import numpy as np
import pytest
import torch
from PIL import Image
from transformers import Qwen2VLForConditionalGeneration

from benchmarks.making import eyes
from benchmarks.making.tokens import picture_processor
from gnomon import generators
from gnomon.pipeline.families import tiny


@pytest.fixture
def labelled():
    return eyes.draw(0, range(16))


def test_no_picture_of_a_round_stands_in_another_or_twice(labelled):
    pixels = np.concatenate([labelled[0], eyes.draw(1, range(16, 32))[0]])
    assert len({one.tobytes() for one in pixels}) == 32


def test_the_tip_is_told_where_the_hand_ends(labelled):
    """Of a clock's hands and of a gauge's pointer, in the direction that is told."""
    _, truth = labelled
    upright = generators.create("clock", level="easy", size=224, second_hand=1.0)
    for index in range(4):
        sample = upright[index]
        hour, minute, second, *others = eyes.truth_of(sample)
        assert np.isnan(others).all()
        x, y = sample.facts["centre"]
        for degrees, right, down in (hour, minute, second):
            found = np.degrees(np.arctan2(right * 224 - x, y - down * 224)) % 360
            assert abs((found - degrees + 180) % 360 - 180) < 1
    by_kind = dict(zip([kind for kind, *_ in eyes.SORTS], truth, strict=True))  # the last of each
    assert np.isnan(by_kind["gauge"][[0, 1, 2, 4]]).all()
    assert 0 <= by_kind["gauge"][3, 0] <= 300


def test_a_dial_and_a_wheel_turn_by_36_degrees_a_figure():
    for kind, options, hand in (("gauge", eyes.DIALS, 3), ("counter", eyes.WHEELS, 4)):
        for index in range(6):
            sample = generators.create(kind, **options)[index]
            degrees = eyes.truth_of(sample)[hand][0]
            apart = (degrees - 36 * float(sample.target.value) + 180) % 360 - 180
            assert abs(apart) <= 36 * 0.051  # the answer is to a tenth


def test_pictures_are_cut_as_the_processor_cuts_them(labelled):
    pixels, settings = labelled[0][:3], picture_processor()
    expected = settings([Image.fromarray(one) for one in pixels], return_tensors="pt")
    found = eyes.patches_of(torch.from_numpy(pixels), settings.image_mean, settings.image_std)
    assert torch.allclose(found.flatten(0, 1), expected["pixel_values"], atol=1e-6)
    assert expected["image_grid_thw"].tolist() == [[1, eyes.CELLS, eyes.CELLS]] * 3


def test_the_best_answer_has_the_least_loss(labelled):
    """The cells' places on the picture, too: row by row from the top left."""
    truth = torch.from_numpy(labelled[1])
    found = eyes.Eyes(tiny.blank().model.visual)(torch.randn(16, 64, 1176))
    directions, cells = (torch.zeros_like(one, requires_grad=True) for one in found)
    optimizer = torch.optim.Adam([directions, cells], 0.5)
    for _ in range(200):
        optimizer.zero_grad()
        eyes.loss_of(directions, cells, truth).backward()
        optimizer.step()
    known = ~truth[..., 0].isnan()
    assert (eyes.degrees_off(directions, truth)[known] <= 3).all()
    inside = ((truth[..., 1:] >= 0) & (truth[..., 1:] < 1)).all(-1)
    x, y = (truth[..., 1:][inside] * eyes.CELLS).unbind(-1)
    best = cells.argmax(-1)[inside]
    assert ((best % eyes.CELLS + 0.5 - x).abs() <= 0.51).all()
    assert ((best // eyes.CELLS + 0.5 - y).abs() <= 0.51).all()


@pytest.mark.slow
def test_a_round_writes_a_model_that_goes_on_and_opens(tmp_path, monkeypatch):
    monkeypatch.setattr(eyes, "which", lambda name: None)  # compiling takes longer than the rounds
    for last in (1, 2):
        assert eyes.main([str(tmp_path), "--rounds", str(last), "--pictures", "64"]) == 0
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == [2, 4]
    model = Qwen2VLForConditionalGeneration.from_pretrained(tmp_path / "model")
    kept = torch.load(tmp_path / "checkpoint.pt")[1]
    for name, weight in model.model.visual.named_parameters():
        assert torch.equal(weight, kept[f"tower.{name}"])
