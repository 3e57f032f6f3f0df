"""What a preview shows is what the model gets: pixel by pixel, token by token."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from pipeline_toys import CLOCKS, SUMS, boxed
from small_models import SEEING

from gnomon import dialect
from gnomon.pipeline.checkpoint import open_processor
from gnomon.pipeline.collate import write_answer
from gnomon.pipeline.families.base import encode
from gnomon.recipe import Model
from gnomon.runs.sheets import model_sheet, resize_sample, trained_answer
from gnomon.sample import Box, Sample

IN_TILES = ("idefics3", "smolvlm", "internvl")
TWICE = ("idefics3", "smolvlm")
"""Resized to the longest edge, and then to whole tiles."""
SIZES = [(84, 84), (300, 90), (90, 200), (20, 30), (640, 480), (97, 89), (56, 56), (171, 40)]


@pytest.fixture(scope="module")
def reader(folder):
    return open_processor(Model(name=str(folder)))


def smooth(size):
    """A picture whose every place has its own colour."""
    across = np.linspace(0, 255, size[0])[None, :].repeat(size[1], 0)
    down = np.linspace(0, 255, size[1])[:, None].repeat(size[0], 1)
    pixels = np.stack([across, down, 255 - across], -1).round().astype(np.uint8)
    return Sample("smooth/0", Image.fromarray(pixels), "Where?", Box(2, 3, size[0] - 4, size[1]))


def given_to(family, processor, sample):
    """The picture as the model gets it, put together again from its patches or tiles."""
    pictures = processor.image_processor
    prompt = family.prompt(processor, sample.question, n_images=1)
    batch = encode(processor, [prompt], [sample.image], side="right")
    values = batch["pixel_values"].numpy()
    if "image_grid_thw" in batch:
        _, high, wide = batch["image_grid_thw"][0].tolist()
        patch, merge = pictures.patch_size, pictures.merge_size
        grid = (high // merge, wide // merge, merge, merge)
        blocks = values.reshape(*grid, 3, pictures.temporal_patch_size, patch, patch)[..., 0, :, :]
        whole = blocks.transpose(4, 0, 2, 5, 1, 3, 6).reshape(3, high * patch, wide * patch)
    elif "image_position_ids" in batch:
        places = batch["image_position_ids"][0].numpy()
        side, (wide, high) = pictures.patch_size, places.max(0) + 1
        whole = np.zeros((3, high * side, wide * side))
        for (x, y), patch in zip(places, values[0], strict=True):
            if x >= 0:  # the rest is filled up
                across, down = slice(x * side, (x + 1) * side), slice(y * side, (y + 1) * side)
                whole[:, down, across] = patch.reshape(side, side, 3).transpose(2, 0, 1)
    elif "aspect_ratio_ids" in batch:
        shapes = [(h, w) for h in range(1, 5) for w in range(1, 5) if h * w <= 4]
        high, wide = shapes[int(batch["aspect_ratio_ids"][0, 0]) - 1]
        tiles = values[0, 0, : high * wide].reshape(high, wide, 3, 56, 56)
        whole = tiles.transpose(2, 0, 3, 1, 4).reshape(3, high * 56, wide * 56)
    elif family.name in IN_TILES:
        tiles = values.reshape(-1, *values.shape[-3:])  # the last is the whole picture once more
        wide, high = (
            n // tiles.shape[-1] for n in family.resized_size(processor, sample.image.size)
        )
        assert len(tiles) == wide * high + (wide * high > 1)
        tiles = tiles[: high * wide].reshape(high, wide, *tiles.shape[1:])
        whole = np.block([list(row) for row in tiles])
    else:
        whole = values[0]
    mean, std = (np.array(v)[:, None, None] for v in (pictures.image_mean, pictures.image_std))
    return (255 * (whole * std + mean)).transpose(1, 2, 0)


@pytest.mark.parametrize("size", SIZES)
def test_the_picture_is_the_one_that_the_model_gets(name, reader, size):
    if name not in SEEING:
        return
    sample = smooth(size)
    shown = np.asarray(resize_sample(*reader, sample).image).astype(float)
    given = given_to(*reader, sample)
    high, wide = shown.shape[:2]
    if name == "llava":  # in the middle of a square, to the nearest pixel
        assert given.shape[:2] == (max(high, wide),) * 2
        top, left = (round((max(high, wide) - side) / 2) for side in (high, wide))
        within, shown = given[top : top + high, left : left + wide], shown
        assert np.abs(within - shown)[1:-1, 1:-1].mean() < 6
        return
    assert given.shape[:2] == (high, wide) or name == "mllama"
    if name in TWICE:
        assert np.abs(given - shown)[2:-2, 2:-2].mean() < 6
        return
    assert np.abs(given[:high, :wide] - shown).max() < 1.5
    assert np.abs(given[high:]).max(initial=0) < 1e-3
    assert np.abs(given[:, wide:]).max(initial=0) < 1e-3


def test_boxes_lie_on_the_resized_picture_where_the_label_says(name, reader):
    if name not in SEEING:
        return
    family, processor = reader
    for sample in (boxed(0), boxed(1, (300, 90)), boxed(2, (90, 200))):
        seen = resize_sample(family, processor, sample)
        spoken = dialect.create(family.dialect)
        answer = write_answer(family, processor, sample)
        read = spoken.read(answer, seen.image.size, like=sample.target)
        across, down = spoken.precision(seen.image.size)
        assert read.x1 == pytest.approx(seen.target.x1, abs=across)
        assert read.y2 == pytest.approx(seen.target.y2, abs=down)


def test_the_answer_is_decoded_from_the_labels(name, reader):
    family, processor = reader
    for sample in (SUMS[0], CLOCKS[0], boxed()) if name in SEEING else (SUMS[0], SUMS[1]):
        answer = write_answer(family, processor, sample)
        assert trained_answer(family, processor, sample) == answer + family.end


def test_a_sheet_has_room_for_what_is_supervised(name, reader):
    """The working before an answer is supervised as well, and makes the cards taller."""
    long = replace(SUMS[1], rationale="\n".join(f"{i} and {i} is {2 * i}" for i in range(5)))
    assert (
        model_sheet(*reader, [SUMS[0], long]).height
        > model_sheet(*reader, [SUMS[0], SUMS[1]]).height + 40
    )
