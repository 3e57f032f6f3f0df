"""What this project knows of well-known checkpoints, beside what their repositories say.

Small files alone are downloaded, never weights. `make test` leaves this out; `pytest -m hub` runs
it, and each test says why it is skipped where the hub, or a gated repository, cannot be reached.
"""

import json
from functools import cache

import pytest
from huggingface_hub import hf_hub_download
from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, HfHubHTTPError
from known_checkpoints import LLAVA_PROCESSOR, PICTURES
from small_models import LINEAR, SEEING, TOKENIZERS, processor_of
from transformers import AutoTokenizer

from gnomon.pipeline import checkpoint, families
from gnomon.pipeline.checkpoint import open_processor
from gnomon.pipeline.families.base import tokenizer_of
from gnomon.recipe import Model

pytestmark = pytest.mark.hub
KNOWN = [(name, hub_id) for name in LINEAR for hub_id in families.create(name).sizes]
every_checkpoint = pytest.mark.parametrize(("name", "hub_id"), KNOWN)
DIGITS = {"1": 1, "1 to 3": 3}


@pytest.fixture(scope="module", autouse=True)
def _a_network():
    if not checkpoint._reaches_hub():
        pytest.skip("the hub cannot be reached: these compare with what its repositories hold")


@cache
def file_of(hub_id, name):
    """A repository's JSON file; None where it has none."""
    try:
        path = hf_hub_download(hub_id, name)
    except EntryNotFoundError:
        return None
    except GatedRepoError:
        pytest.skip(f"{hub_id} is gated: accept its licence and `hf auth login`")
    except (HfHubHTTPError, OSError) as error:
        pytest.skip(f"{hub_id}: {error}")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


@cache
def reader_of(hub_id):
    file_of(hub_id, "config.json")  # which skips where nothing can be had
    return open_processor(Model(name=hub_id))


def assert_within(known, told, path=""):
    """Every value that we give is the repository's own, wherever it keeps it."""
    for key, value in known.items():
        if key in ("rope_parameters", "model_type"):
            continue  # written otherwise before transformers 5
        if isinstance(value, dict):
            assert_within(value, told.get(key) or told, f"{path}{key}.")
        elif key in told:
            assert told[key] == value, f"{path}{key}"


@every_checkpoint
def test_its_size_is_as_we_say(name, hub_id):
    config = file_of(hub_id, "config.json")
    family = families.create(name)
    assert families.of_model_type(config["model_type"]).name == name
    assert_within(family.sizes[hub_id], config)


@every_checkpoint
def test_its_weights_are_as_many_as_we_count(name, hub_id):
    """By the sizes in the index of its shards, which counts the bytes of bf16 weights."""
    index = file_of(hub_id, "model.safetensors.index.json")
    if index is None:
        pytest.skip(f"{hub_id} has one shard and no index")
    import torch
    import transformers

    family = families.create(name)
    kind = "AutoModelForImageTextToText" if name in SEEING else "AutoModelForCausalLM"
    with torch.device("meta"):
        model = getattr(transformers, kind).from_config(family.config(hub_id))
    counted = sum(parameter.numel() for parameter in model.parameters())
    # Qwen3.5's files also hold a head for several tokens at once, which transformers leaves out.
    beside = 0.03 if name == "qwen3.5" else 0.01
    assert counted == pytest.approx(index["metadata"]["total_size"] / 2, rel=beside)


@every_checkpoint
def test_its_prompts_are_as_ours(name, hub_id):
    family, theirs = reader_of(hub_id)
    ours = processor_of(name, TOKENIZERS[name](), PICTURES.get(name))
    for question in ("What is 1 + 2?", "Line one.\nLine two, “quoted”."):
        for image in (False, True) if name in SEEING else (False,):
            assert family.prompt(theirs, question, image=image) == family.prompt(
                ours, question, image=image
            )


@every_checkpoint
def test_its_answers_end_as_ours(name, hub_id):
    family, processor = reader_of(hub_id)
    assert family.end_token(processor) == family.end
    stops = file_of(hub_id, "generation_config.json") or {}
    end = tokenizer_of(processor).convert_tokens_to_ids(family.end)
    ids = stops.get("eos_token_id", end)
    assert end in (ids if isinstance(ids, list) else [ids])


@every_checkpoint
def test_its_digits_are_cut_as_we_say(name, hub_id):
    family, processor = reader_of(hub_id)
    tokenizer = tokenizer_of(processor)
    pieces = tokenizer.tokenize("7 42 365 1234 05")
    longest = max(sum(c.isdigit() for c in piece) for piece in pieces)
    assert longest == DIGITS[family.digits]


@pytest.mark.parametrize(("name", "hub_id"), [(n, h) for n, h in KNOWN if n in SEEING])
def test_its_pictures_are_set_as_ours(name, hub_id):
    told = file_of(hub_id, "preprocessor_config.json")
    known = dict(PICTURES[name])
    if name == "smolvlm":  # whose tiles are as large as the tower's pictures
        tile = families.create(name).sizes[hub_id]["vision_config"]["image_size"]
        known |= {"size": {"longest_edge": 4 * tile}, "max_image_size": {"longest_edge": tile}}
    if "min_pixels" in told:  # as before transformers 5
        sides = {"shortest_edge": told["min_pixels"], "longest_edge": told["max_pixels"]}
        assert known.pop("size") == sides
    assert_within(known, told)
    if name == "llava":
        assert_within(LLAVA_PROCESSOR, file_of(hub_id, "processor_config.json") or {})


@pytest.mark.parametrize(
    ("real", "hub_id"),
    [
        ("qwen2", "Qwen/Qwen2-VL-2B-Instruct"),
        ("llama3", "meta-llama/Llama-3.2-11B-Vision-Instruct"),
    ],
)
def test_the_tokenizers_out_of_packages_are_the_repositories_own(real, hub_id):
    from real_tokenizers import REAL

    file_of(hub_id, "config.json")
    theirs, ours = AutoTokenizer.from_pretrained(hub_id), REAL[real]()
    assert theirs.get_vocab() == ours.get_vocab()
    text = "The box (12,34),(567,890): 10:08, Ünïcode 你好 <|im_end|>"
    assert theirs(text).input_ids == ours(text).input_ids
