import json
from dataclasses import replace

import numpy as np
import pytest
import small_models
import transformers
from PIL import Image
from pipeline_toys import BLANK
from small_models import build
from transformers import AutoProcessor, AutoTokenizer
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import smart_resize
from transformers.utils import is_torchvision_available
from transformers.video_processing_utils import BaseVideoProcessor

from gnomon.pipeline.checkpoint import open_processor
from gnomon.pipeline.families import TINY, _processors
from gnomon.pipeline.families.qwen import _smart_resize
from gnomon.pipeline.families.tiny import SIDE
from gnomon.pipeline.load import load
from gnomon.recipe import Model

SIZES = [(84, 84), (112, 112), (28, 28), (30, 200), (200, 30), (640, 480), (97, 89), (1, 1),
         (101, 1999), (70, 98), (98, 70), (126, 126), (224, 223)]  # fmt: skip
LEAST, MOST = 105 * 105, 120 * 120


def seen(processor, size):
    """The size that the processor really makes of a picture, by the grid it returns."""
    picture = Image.fromarray(np.zeros((size[1], size[0], 3), np.uint8))
    grid = processor.image_processor(images=[picture], return_tensors="pt")["image_grid_thw"][0]
    patch = processor.image_processor.patch_size
    return int(grid[2]) * patch, int(grid[1]) * patch


@pytest.fixture(scope="module")
def unlimited(checkpoint):
    """The same processor with Qwen2-VL's own limits, far apart."""
    model = replace(BLANK, name=str(checkpoint), min_pixels=56 * 56, max_pixels=14 * 14 * 4 * 1280)
    return load(model)


@pytest.mark.parametrize("size", [s for s in SIZES if max(s) <= 200 * min(s)])
def test_the_resized_size_is_what_the_processor_makes(blank, unlimited, size):
    for loaded in (blank, unlimited):
        assert loaded.family.resized_size(loaded.processor, size) == seen(loaded.processor, size)


def test_sizes_are_rounded_as_transformers_rounds_them():
    random = np.random.default_rng(0)
    for _ in range(3000):
        size = tuple(int(side) for side in np.exp(random.uniform(0, 8, 2)))
        factor, low = int(random.choice([28, 32])), int(random.integers(1, 300)) ** 2
        high = low * int(random.integers(1, 50))
        if max(size) > 200 * min(size):
            with pytest.raises(ValueError, match="more than 200 times the other"):
                _smart_resize(size, factor, low, high)
            continue
        assert _smart_resize(size, factor, low, high) == smart_resize(*size, factor, low, high)


def test_a_resized_size_stays_within_the_limits(blank):
    for size in (s for s in SIZES if max(s) <= 2 * min(s)):
        width, height = blank.family.resized_size(blank.processor, size)
        assert width % 28 == height % 28 == 0
        assert width * height <= MOST or max(size) < SIDE


def test_square_pictures_have_one_size(blank):
    """Or nearly square ones; it is what the eyes were trained on."""
    squares = ((n, n) for n in range(1, 700))
    for size in (*squares, (482, 480), (97, 89), (640, 600), (30, 28)):
        assert blank.family.resized_size(blank.processor, size) == (SIDE, SIDE)


@pytest.mark.parametrize(
    ("low", "high"), [(None, 336 * 336), (200 * 200, 300 * 300), (56 * 56, None), (None, None)]
)
def test_the_recipes_limits_are_honoured(checkpoint, low, high):
    limited = load(replace(BLANK, name=str(checkpoint), min_pixels=low, max_pixels=high))
    for size in ((20, 20), (40, 40), (100, 100), (600, 500)):
        width, height = limited.family.resized_size(limited.processor, size)
        assert (width, height) == seen(limited.processor, size)
        assert (low or 84 * 84) <= width * height <= (high or MOST)


def test_it_saves_and_opens_again(blank, checkpoint):
    opened = blank.family.load_processor(checkpoint, BLANK)
    for file in ("processor_config.json", "tokenizer_config.json"):
        told = json.loads((checkpoint / file).read_text())
        assert told.get("processor_class", "Qwen2VLProcessor") == "Qwen2VLProcessor"
    question = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "Time?"}]}]
    assert opened.apply_chat_template(question) == blank.processor.apply_chat_template(question)
    picture = Image.new("RGB", (97, 89), (10, 200, 30))
    text = blank.family.prompt(blank.processor, "Time?", image=True)
    ours, again = (p(text=[text], images=[picture], return_tensors="pt")
                   for p in (blank.processor, opened))  # fmt: skip
    assert ours.keys() == again.keys()
    assert all((ours[name] == again[name]).all() for name in ours)


def test_it_goes_by_the_name_that_opens_elsewhere(blank):
    assert type(blank.processor).__name__ == "Qwen2VLProcessor"
    assert isinstance(blank.processor, transformers.Qwen2VLProcessor)
    assert blank.processor.get_attributes() == ["image_processor", "tokenizer"]


@pytest.mark.parametrize(
    "kind",
    [
        transformers.Qwen2VLProcessor,
        transformers.Qwen2_5_VLProcessor,
        transformers.Qwen3VLProcessor,
    ],
)
def test_what_it_saves_lacks_nothing_that_transformers_looks_for(blank, kind, tmp_path):
    """AutoProcessor opens it where torchvision is, and says that it needs that where it is not."""
    parts = blank.processor
    made = _processors.assemble(kind, parts.image_processor, parts.tokenizer)
    made.save_pretrained(tmp_path)
    found, _ = BaseVideoProcessor.get_video_processor_dict(tmp_path)
    assert found["video_processor_type"] == "Qwen2VLVideoProcessor"
    assert found["size"] == {"shortest_edge": LEAST, "longest_edge": MOST}
    if is_torchvision_available():
        opened = AutoProcessor.from_pretrained(tmp_path)
        assert type(opened) is getattr(transformers, kind.__name__)
    else:
        with pytest.raises(ImportError, match="VideoProcessor requires the Torchvision library"):
            AutoProcessor.from_pretrained(tmp_path)


def test_smolvlms_gives_what_transformers_idefics3s_does(tmp_path):
    """Which needs neither torchvision nor num2words, and treats pictures the same."""
    ours = open_processor(Model(name=str(build("smolvlm", tmp_path))))[1]
    theirs = transformers.Idefics3Processor(ours.image_processor, ours.tokenizer, image_seq_len=4)
    pictures = [[Image.effect_noise((300, 90), 90)], [], [Image.effect_noise((40, 70), 90)]]
    texts = ["User:<image>Q?", "User: Q?", "User:<image>Which?"]
    asked = {"text": texts, "images": pictures, "padding": True, "return_tensors": "pt"}
    found, expected = ours(**asked), theirs(**asked)
    assert found.keys() == expected.keys()
    assert all((found[key] == expected[key]).all() for key in expected)
    saved, _ = BaseVideoProcessor.get_video_processor_dict(tmp_path)
    assert saved["video_processor_type"] == "SmolVLMVideoProcessor"


def test_what_internvls_saves_names_its_own_video_part(tmp_path):
    build("internvl", tmp_path)
    saved, _ = BaseVideoProcessor.get_video_processor_dict(tmp_path)
    assert saved["video_processor_type"] == "InternVLVideoProcessor"


@pytest.mark.parametrize("folder", [TINY, "checkpoint"])
def test_a_server_reads_the_answer_and_nothing_beside_it(blank, checkpoint, folder):
    """transformers serve parses answers by the tokenizer's template, else by that of Qwen2-VL."""
    tokenizer = AutoTokenizer.from_pretrained(checkpoint if folder == "checkpoint" else folder)
    prompt = blank.family.prompt(blank.processor, "Time?", image=True)
    for said in ("10:08<|im_end|>", "10:08"):
        told = tokenizer.parse_response(said, prefix=prompt)
        assert told == {"role": "assistant", "content": "10:08"}


def test_the_package_holds_the_processor_that_is_saved(tmp_path):
    load(Model(load_in_4bit=False, dtype="float32")).processor.save_pretrained(tmp_path)
    for file in ("processor_config.json", "tokenizer_config.json"):
        saved, held = (json.loads((place / file).read_text()) for place in (tmp_path, TINY))
        assert saved | held == saved


def test_every_digit_is_a_token(blank):
    tokenizer = blank.processor.tokenizer
    for text in ("1234", "10:08", "-12.50 km", "(12,345),(678,900)"):
        pieces = tokenizer.convert_ids_to_tokens(tokenizer.encode(text, add_special_tokens=False))
        assert [p for p in pieces if any(c.isdigit() for c in p)] == [
            c for c in text if c.isdigit()
        ]


@pytest.mark.parametrize("text", ["What time is it?", "12 × 34", "10:08 ist spät, 5 ³½ ١", ""])
def test_the_tokenizer_loses_nothing(blank, text):
    tokenizer = blank.processor.tokenizer
    assert tokenizer.decode(tokenizer.encode(text, add_special_tokens=False)) == text


def test_gemma_4_keeps_the_settings_of_what_hears(tmp_path):
    """Its processor is assembled without them; what is merged opens with AutoProcessor again."""
    small_models.build("gemma4", tmp_path)
    file = tmp_path / "processor_config.json"
    told = json.loads(file.read_text())
    told |= {"feature_extractor": {"feature_size": 128}, "audio_seq_length": 750}
    file.write_text(json.dumps(told))
    _, processor = open_processor(Model(name=str(tmp_path)))
    processor.save_pretrained(tmp_path / "again")
    assert json.loads((tmp_path / "again" / file.name).read_text()) == told


def test_gemma_4_of_experts_is_refused(tmp_path):
    small_models.build("gemma4", tmp_path)
    file = tmp_path / "config.json"
    config = json.loads(file.read_text())
    config["text_config"] |= {"enable_moe_block": True, "num_experts": 2, "top_k_experts": 1}
    file.write_text(json.dumps(config))
    with pytest.raises(ValueError, match="a mixture of experts is not supported"):
        load(Model(name=str(tmp_path), load_in_4bit=False))
