"""Families that cut pictures into tiles: how many, of which size, within which limits."""

import numpy as np
import pytest
from PIL import Image
from small_models import CONFIGS, TOKENIZERS, build, processor_of
from transformers.models.gemma4.image_processing_pil_gemma4 import (
    get_aspect_ratio_preserving_size,
)
from transformers.models.got_ocr2.image_processing_pil_got_ocr2 import get_optimal_tiled_canvas
from transformers.models.idefics3.image_processing_pil_idefics3 import Idefics3ImageProcessorPil

from gnomon.pipeline import families
from gnomon.pipeline.checkpoint import open_processor
from gnomon.pipeline.families import gemma, idefics3
from gnomon.pipeline.families.internvl import _grid
from gnomon.recipe import Model

SIZES = [(84, 84), (300, 90), (90, 200), (20, 30), (640, 480), (97, 89), (33, 64), (171, 40),
         (1, 1), (129, 128), (65, 128), (1000, 7), (7, 1000), (63, 64), (3, 4)]  # fmt: skip
TILE = 32


def picture(size):
    return Image.fromarray(np.full((size[1], size[0], 3), 90, np.uint8))


@pytest.fixture(scope="module", params=["idefics3", "smolvlm"])
def name(request):
    return request.param


@pytest.fixture(scope="module")
def folder(name, tmp_path_factory):
    return build(name, tmp_path_factory.mktemp(name))


@pytest.mark.parametrize("edge", [64, 128])
def test_the_resized_size_is_that_of_the_tiles_the_processor_cuts(name, edge):
    """Edges are of whole tiles, as in the checkpoints and as a recipe's limits make them."""
    settings = {"size": {"longest_edge": edge}, "max_image_size": {"longest_edge": TILE}}
    processor = processor_of(name, TOKENIZERS[name](), settings)
    for size in SIZES:
        found = processor.image_processor([[picture(size)]], return_row_col_info=True)
        (rows,), (columns,) = found["rows"][0], found["cols"][0]
        assert len(found["pixel_values"][0]) == rows * columns + 1
        seen = max(columns, 1) * TILE, max(rows, 1) * TILE
        assert families.create(name).resized_size(processor, size) == seen, size


def test_a_picture_that_is_not_cut_is_one_tile(name, folder):
    family, processor = open_processor(Model(name=str(folder)))
    processor.image_processor.do_image_splitting = False
    assert family.resized_size(processor, (300, 90)) == (TILE, TILE)


@pytest.mark.parametrize(
    ("limits", "edge"),
    [
        ({}, 2),
        ({"max_pixels": 96 * 96 - 1}, 2),
        ({"max_pixels": TILE**2}, 1),
        ({"min_pixels": 64 * 64 + 1}, 3),
        ({"min_pixels": 90 * 90, "max_pixels": 100 * 100}, 3),
    ],
)
def test_limits_are_of_a_square_of_whole_tiles(name, folder, limits, edge):
    model = Model(name=str(folder), **limits)
    family, processor = open_processor(model)
    text = family.prompt(processor, "Q?", image=True)
    for size in ((500, 500), (20, 20), (300, 90)):
        wide, tall = family.resized_size(processor, size)
        assert max(wide, tall) == edge * TILE
        found = family.encode(processor, [text], [picture(size)], side="right")
        tiles = found["pixel_values"].shape[1]
        assert tiles == wide * tall // TILE**2 + (wide * tall > TILE**2)
        assert wide * tall <= limits.get("max_pixels", wide * tall)


def test_a_limit_below_a_tile_gives_one(folder):
    family, processor = open_processor(Model(name=str(folder), max_pixels=1023))
    assert family.resized_size(processor, (300, 90)) == (TILE, TILE)


@pytest.fixture(scope="module")
def internvl(tmp_path_factory):
    return build("internvl", tmp_path_factory.mktemp("internvl"))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "limits",
    [{}, {"max_pixels": 5 * 28 * 28}, {"min_pixels": 3 * 28 * 28, "max_pixels": 4 * 28 * 28}],
)
def test_internvls_grid_is_within_the_limits_and_what_the_processor_cuts(internvl, limits, size):
    family, processor = open_processor(Model(name=str(internvl), **limits))
    wide, tall = family.resized_size(processor, size)
    assert limits.get("min_pixels", 28 * 28) <= wide * tall
    assert wide * tall <= limits.get("max_pixels", 12 * 28 * 28)
    text = family.prompt(processor, "Q?", image=True)
    found = family.encode(processor, [text], [picture(size)], side="right")
    tiles = wide * tall // 28**2
    assert len(found["pixel_values"]) == tiles + (tiles > 1)
    config = CONFIGS["internvl"](processor.tokenizer)
    tokens, seen = family.image_cost(config, size, Model(**limits))
    assert tokens == (found["input_ids"] == processor.image_token_id).sum() + 2
    assert seen == len(found["pixel_values"]) * (4 * 4 + 1)


def test_a_limit_below_internvls_tile_gives_one(internvl):
    family, processor = open_processor(Model(name=str(internvl), max_pixels=783))
    assert family.resized_size(processor, (300, 90)) == (28, 28)


def test_sizes_computed_for_a_plan_are_those_of_transformers_processors():
    """A plan of a known checkpoint computes them itself: the processors import slowly."""
    random = np.random.default_rng(0)
    for _ in range(2000):
        size = tuple(int(side) for side in 2 ** random.uniform(0, 12.5, 2))
        tokens = int(random.choice([70, 280, 1120]))
        theirs = get_aspect_ratio_preserving_size(size[1], size[0], 16, tokens * 9, 3)
        assert gemma._fit(size, 16, 3, tokens) == theirs[::-1]
        tiles = ((1, 12), (2, 12), (3, 5), (1, 1))[random.integers(4)]
        theirs = get_optimal_tiled_canvas(size[::-1], (448, 448), *tiles)
        assert _grid(size, (448, 448), tiles) == theirs
        tile = int(random.choice([364, 384, 512]))
        edge = int(random.choice([1, 2, 4, 11, 16])) * tile
        pictures = Idefics3ImageProcessorPil(
            size={"longest_edge": edge}, max_image_size={"longest_edge": tile}
        )
        assert idefics3._count_tiles(size, edge, tile) == idefics3._tiles(pictures, size)
