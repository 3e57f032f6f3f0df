"""How processors size and cut pictures, and what they save."""

import json
import shutil

import numpy as np
import pytest
import transformers
from PIL import Image
from pipeline_toys import BLANK
from small_models import config_of, processor_of, tokenizer_of
from transformers import AutoProcessor
from transformers.models.gemma4.image_processing_pil_gemma4 import get_aspect_ratio_preserving_size
from transformers.models.got_ocr2.image_processing_pil_got_ocr2 import get_optimal_tiled_canvas
from transformers.models.idefics3.image_processing_pil_idefics3 import Idefics3ImageProcessorPil
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import smart_resize
from transformers.utils import is_torchvision_available
from transformers.video_processing_utils import BaseVideoProcessor

from gnomon.pipeline import families
from gnomon.pipeline.checkpoint import open_processor
from gnomon.pipeline.families import _processors, base, gemma, idefics3
from gnomon.pipeline.families.internvl import _grid
from gnomon.pipeline.families.qwen import _smart_resize
from gnomon.pipeline.load import load
from gnomon.recipe import Model

SIZES = [(84, 84), (300, 90), (90, 200), (20, 30), (640, 480), (97, 89), (33, 64), (171, 40),
         (1, 1), (129, 128), (65, 128), (1000, 7), (7, 1000), (63, 64), (3, 4)]  # fmt: skip
TILE = 32
IN_TILES = pytest.mark.parametrize("family", ["idefics3", "smolvlm"])


def picture(size):
    return Image.fromarray(np.full((size[1], size[0], 3), 90, np.uint8))


def encode(family, processor, size):
    text = family.prompt(processor, "Q?", n_images=1)
    return base.encode(processor, [text], [picture(size)], side="right")


def test_sizes_computed_here_are_those_of_transformers_processors():
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
        factor, low = int(random.choice([28, 32])), int(random.integers(1, 300)) ** 2
        high = low * int(random.integers(1, 50))
        if max(size) > 200 * min(size):
            with pytest.raises(ValueError, match="more than 200 times the other"):
                _smart_resize(size, factor, low, high)
        else:
            assert _smart_resize(size, factor, low, high) == smart_resize(*size, factor, low, high)


@pytest.mark.parametrize(
    ("low", "high"),
    [(None, 336 * 336), (200 * 200, 300 * 300), (56 * 56, None), (56 * 56, 14 * 14 * 4 * 1280)],
)
def test_qwens_size_is_what_the_processor_makes_within_the_recipes_limits(checkpoint, low, high):
    """By the grid that it returns, in patches."""
    model = Model(name=str(checkpoint), min_pixels=low, max_pixels=high)
    family, processor = open_processor(model)
    pictures = processor.image_processor
    for size in (size for size in SIZES if max(size) <= 40 * min(size)):
        grid = pictures(images=[picture(size)], return_tensors="pt")["image_grid_thw"][0]
        width, height = family.resized_size(processor, size)
        patch = pictures.patch_size
        assert (width, height) == (int(grid[2]) * patch, int(grid[1]) * patch), size
        if max(size) <= 2 * min(size):
            assert (low or 84 * 84) <= width * height <= (high or 120 * 120), size


@IN_TILES
@pytest.mark.parametrize("edge", [64, 128])
def test_the_resized_size_is_that_of_the_tiles_the_processor_cuts(family, edge):
    """Edges are of whole tiles, as in the checkpoints and as a recipe's limits make them."""
    settings = {"size": {"longest_edge": edge}, "max_image_size": {"longest_edge": TILE}}
    processor = processor_of(family, tokenizer_of(family), settings)
    for size in SIZES:
        batch = processor.image_processor([[picture(size)]], return_row_col_info=True)
        (rows,), (columns,) = batch["rows"][0], batch["cols"][0]
        assert len(batch["pixel_values"][0]) == rows * columns + 1
        whole = max(columns, 1) * TILE, max(rows, 1) * TILE
        assert families.create(family).resized_size(processor, size) == whole, size
    processor.image_processor.do_image_splitting = False
    assert families.create(family).resized_size(processor, (300, 90)) == (TILE, TILE)


@IN_TILES
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
def test_limits_are_of_a_square_of_whole_tiles(family, small, limits, edge):
    family, processor = open_processor(Model(name=str(small(family)), **limits))
    for size in ((500, 500), (20, 20), (300, 90)):
        wide, tall = family.resized_size(processor, size)
        assert max(wide, tall) == edge * TILE
        tiles = encode(family, processor, size)["pixel_values"].shape[1]
        assert tiles == wide * tall // TILE**2 + (wide * tall > TILE**2)
        assert wide * tall <= limits.get("max_pixels", wide * tall)


@pytest.mark.parametrize(
    "limits",
    [{}, {"max_pixels": 5 * 28 * 28}, {"min_pixels": 3 * 28 * 28, "max_pixels": 4 * 28 * 28}],
)
def test_internvls_grid_is_within_the_limits_and_what_the_processor_cuts(small, limits):
    family, processor = open_processor(Model(name=str(small("internvl")), **limits))
    config = config_of("internvl", processor.tokenizer)
    for size in SIZES:
        wide, tall = family.resized_size(processor, size)
        assert limits.get("min_pixels", 28 * 28) <= wide * tall
        assert wide * tall <= limits.get("max_pixels", 12 * 28 * 28)
        batch = encode(family, processor, size)
        tiles = wide * tall // 28**2
        assert len(batch["pixel_values"]) == tiles + (tiles > 1)
        tokens, patches = family.image_cost(config, size, Model(**limits))
        assert tokens == (batch["input_ids"] == processor.image_token_id).sum() + 2
        assert patches == len(batch["pixel_values"]) * (4 * 4 + 1)


@pytest.mark.parametrize(("family", "tile"), [("idefics3", 32), ("smolvlm", 32), ("internvl", 28)])
def test_a_limit_below_a_tile_gives_one(family, tile, small):
    family, processor = open_processor(Model(name=str(small(family)), max_pixels=tile**2 - 1))
    assert family.resized_size(processor, (300, 90)) == (tile, tile)


def test_smolvlms_gives_what_transformers_idefics3s_does(small):
    """Which needs neither torchvision nor num2words, and treats pictures the same."""
    ours = open_processor(Model(name=str(small("smolvlm"))))[1]
    theirs = transformers.Idefics3Processor(ours.image_processor, ours.tokenizer, image_seq_len=4)
    pictures = [[Image.effect_noise((300, 90), 90)], [], [Image.effect_noise((40, 70), 90)]]
    texts = ["User:<image>Q?", "User: Q?", "User:<image>Which?"]
    options = {"text": texts, "images": pictures, "padding": True, "return_tensors": "pt"}
    batch, expected = ours(**options), theirs(**options)
    assert batch.keys() == expected.keys()
    assert all((batch[key] == expected[key]).all() for key in expected)


# What is saved


@pytest.mark.parametrize("name", ["smolvlm", "internvl"])
def test_what_is_saved_names_its_own_video_part(name, small):
    saved, _ = BaseVideoProcessor.get_video_processor_dict(small(name))
    prefix = {"smolvlm": "SmolVLM", "internvl": "InternVL"}[name]
    assert saved["video_processor_type"] == f"{prefix}VideoProcessor"


@pytest.mark.parametrize("kind", ["Qwen2VLProcessor", "Qwen2_5_VLProcessor", "Qwen3VLProcessor"])
def test_what_is_saved_lacks_nothing_that_transformers_looks_for(blank, kind, tmp_path):
    """AutoProcessor opens it where torchvision is, and says that it needs that where it is not."""
    parts, kind = blank.processor, getattr(transformers, kind)
    made = _processors.assemble(kind, parts.image_processor, parts.tokenizer)
    made.save_pretrained(tmp_path)
    video, _ = BaseVideoProcessor.get_video_processor_dict(tmp_path)
    assert video["video_processor_type"] == "Qwen2VLVideoProcessor"
    assert video["size"] == {"shortest_edge": 105 * 105, "longest_edge": 120 * 120}
    if is_torchvision_available():
        assert type(AutoProcessor.from_pretrained(tmp_path)) is kind
    else:
        with pytest.raises(ImportError, match="VideoProcessor requires the Torchvision library"):
            AutoProcessor.from_pretrained(tmp_path)


def test_it_saves_and_opens_again_under_a_name_that_opens_elsewhere(blank, checkpoint):
    assert type(blank.processor).__name__ == "Qwen2VLProcessor"
    assert isinstance(blank.processor, transformers.Qwen2VLProcessor)
    assert blank.processor.get_attributes() == ["image_processor", "tokenizer"]
    opened = blank.family.load_processor(checkpoint, BLANK)
    for file in ("processor_config.json", "tokenizer_config.json"):
        saved = json.loads((checkpoint / file).read_text())
        assert saved.get("processor_class", "Qwen2VLProcessor") == "Qwen2VLProcessor"
    prompt = blank.family.prompt(blank.processor, "Time?", n_images=1)
    assert blank.family.prompt(opened, "Time?", n_images=1) == prompt
    image = Image.new("RGB", (97, 89), (10, 200, 30))
    batch, again = (
        processor(text=[prompt], images=[image], return_tensors="pt")
        for processor in (blank.processor, opened)
    )
    assert batch.keys() == again.keys()
    assert all((batch[name] == again[name]).all() for name in batch)


@pytest.fixture
def gemma4(small, tmp_path):
    """A copy that a test may change."""
    return shutil.copytree(small("gemma4"), tmp_path / "gemma4")


def test_gemma_4_keeps_the_settings_of_what_hears(gemma4):
    """Its processor is assembled without them; what is merged opens with AutoProcessor again."""
    file = gemma4 / "processor_config.json"
    settings = json.loads(file.read_text())
    settings |= {"feature_extractor": {"feature_size": 128}, "audio_seq_length": 750}
    file.write_text(json.dumps(settings))
    _, processor = open_processor(Model(name=str(gemma4)))
    processor.save_pretrained(gemma4 / "again")
    assert json.loads((gemma4 / "again" / file.name).read_text()) == settings


def test_gemma_4_of_experts_is_refused(gemma4):
    file = gemma4 / "config.json"
    config = json.loads(file.read_text())
    config["text_config"] |= {"enable_moe_block": True, "num_experts": 2, "top_k_experts": 1}
    file.write_text(json.dumps(config))
    with pytest.raises(ValueError, match="a mixture of experts is not supported"):
        load(Model(name=str(gemma4), load_in_4bit=False))
