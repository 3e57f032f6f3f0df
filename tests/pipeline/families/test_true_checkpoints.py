"""What we know of well-known checkpoints: prompts, sizes, and what their repositories say.

Tests marked `hub` compare with the repositories; small files alone are downloaded, never weights.
Each says why it is skipped where the hub, or a gated repository, cannot be reached.
"""

import json
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest
import torch
import transformers
from huggingface_hub import hf_hub_download
from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, HfHubHTTPError
from PIL import Image
from pipeline_toys import clock, rows, total
from quick import quick
from real_tokenizers import REAL
from small_models import FAMILIES, MODELS, SEEING, TRUE_PICTURES, processor_of, tokenizer_of
from transformers import AutoTokenizer

from gnomon.losses import NumericVocab
from gnomon.pipeline import checkpoint, families
from gnomon.pipeline.checkpoint import open_processor
from gnomon.pipeline.collate import IGNORED, Collator
from gnomon.pipeline.families import base
from gnomon.pipeline.families.base import known_config
from gnomon.recipe import Model
from gnomon.sample import Box, Number, Sample, Time

HERE = Path(__file__).parent


def rows_of(file):
    return map(json.loads, (HERE / file).read_text(encoding="utf-8").splitlines())


PROMPTS = {row["family"]: row for row in rows_of("true_prompts.jsonl")}
"""What a question, 10:08, -1234.5 and a box are in the checkpoint's own tokenizer, and how many
tokens a picture of 224×224 takes: 28 pixels a side, or 32 of 256, 14 of 336, or none but the sign;
or 16 tiles and the picture in one; or one tile of 448. `around` is what stands before and after a
picture of tiles. Of families whose tokenizer a package ships."""
BILLIONS = {row["checkpoint"]: row["billions"] for row in rows_of("true_sizes.jsonl")}
"""Parameters, as the checkpoints' own files count them."""
FAMILY = {hub_id: name for name in FAMILIES for hub_id in families.create(name).sizes}
FIRST = {name: hub_id for hub_id, name in reversed(FAMILY.items())}
"""One checkpoint of each family."""


def model_on_meta(family, config):
    kind = "AutoModelForImageTextToText" if family.vision else "AutoModelForCausalLM"
    with torch.device("meta"):
        return getattr(transformers, kind).from_config(config)


def count_parameters(family, hub_id):
    model = model_on_meta(family, known_config(family, hub_id))
    return sum(parameter.numel() for parameter in model.parameters())


def test_every_known_size_is_published():
    assert FAMILY.keys() == BILLIONS.keys()


@pytest.mark.parametrize("hub_id", quick(BILLIONS, *FIRST.values()))
def test_the_parameters_are_as_many_as_published(hub_id):
    family = families.create(FAMILY[hub_id])
    assert families.of_model_type(known_config(family, hub_id).model_type).name == family.name
    assert count_parameters(family, hub_id) / 1e9 == pytest.approx(BILLIONS[hub_id], rel=1e-3)


# Prompts and answers in the real tokenizers, pictures at the real sizes


@pytest.fixture(scope="module", params=PROMPTS)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def reader(name, tmp_path_factory):
    """The processor as our loading makes it of a checkpoint's files, its tokenizer apart."""
    folder, tokenizer = tmp_path_factory.mktemp(name), REAL[PROMPTS[name]["tokenizer"]]()
    processor = processor_of(name, tokenizer, TRUE_PICTURES.get(name))
    if name in SEEING:
        processor.image_processor.save_pretrained(folder)
    family = families.create(name)
    known_config(family, FIRST[name]).save_pretrained(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("transformers.AutoTokenizer.from_pretrained", lambda _: tokenizer)
        return open_processor(Model(name=str(folder)))


@cache
def vocab_of(kind):
    return NumericVocab.from_tokenizer(REAL[kind]())


def pieces(reader, target, image=None):
    """The labels of an answer, token by token."""
    sample = Sample("s", image, "Q?", target)
    labels = Collator(*reader)(rows([sample]))["labels"][0]
    tokenizer = base.tokenizer_of(reader[1])
    return tokenizer.batch_decode([[label] for label in labels[labels != IGNORED].tolist()])


@pytest.mark.slow
def test_the_prompt_is_the_checkpoints_own(name, reader):
    family, processor = reader
    assert family.prompt(processor, "Q?", n_images=int(name in SEEING)) == PROMPTS[name]["prompt"]


@pytest.mark.slow
def test_an_answer_is_supervised_token_by_token_and_ends(name, reader):
    """A time on a picture where the family sees; in Llama-3's tokens `08` is one."""
    ten_eight = clock(Time(10 * 3600 + 8 * 60))
    image = ten_eight.image if name in SEEING else None
    assert pieces(reader, ten_eight.target, image) == PROMPTS[name]["time"]
    number = pieces(reader, Number(Decimal("-1234.5")))
    assert [piece for piece in number if piece] == PROMPTS[name]["number"]
    if name in SEEING:
        picture = Image.new("RGB", (300, 200), (90, 120, 30))
        box = "".join(pieces(reader, Box(30, 20, 120, 150), picture))
        assert box.replace(" ", "") == PROMPTS[name]["box"].replace(" ", "")


@pytest.mark.slow
def test_the_losses_read_the_number_out_of_the_labels(name, reader):
    labels = Collator(*reader)(rows([total("-1234.5", 1), total("7", 2)]))["labels"]
    spans = vocab_of(PROMPTS[name]["tokenizer"]).spans(labels)
    assert spans.value[spans.exists].tolist() == [-1234.5, 7]


@pytest.mark.slow
def test_a_picture_takes_the_tokens_that_its_model_counts_on(name, reader):
    if name not in SEEING:
        return
    (family, processor), known = reader, PROMPTS[name]
    config, ids_of = known_config(family, FIRST[name]), processor.tokenizer.convert_tokens_to_ids
    sample = Sample("p", Image.new("RGB", (224, 224)), "Q?", Number(Decimal(1)))
    batch = Collator(family, processor)(rows([sample]))
    image = ids_of(known["image_token"])
    assert (batch["input_ids"] == image).sum() == known["image_tokens"]
    assert config.image_token_id == image
    assert not (batch["labels"] == image).any()
    edges = torch.tensor([ids_of(token) for token in known.get("around", [known["image_token"]])])
    (places,) = torch.isin(batch["input_ids"][0], edges).nonzero(as_tuple=True)
    tokens, _ = family.image_cost(config, (224, 224), Model())
    assert tokens == places[-1] - places[0] + 1
    crossed = {"aspect_ratio_ids", "aspect_ratio_mask", "cross_attention_mask"}
    assert {key for key in batch if "aspect" in key or "cross" in key} == (
        crossed if name == "mllama" else set()
    )
    if name == "mllama":
        assert batch["cross_attention_mask"].shape[1] == batch["input_ids"].shape[1]
        assert batch["pixel_values"].shape == (1, 1, 4, 3, 560, 560)


# Beside the repositories

of_every_checkpoint = pytest.mark.parametrize("hub_id", FAMILY)
DIGITS = {"1": 1, "1 to 3": 3}


@pytest.fixture(scope="module")
def hub():
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
    return json.loads(Path(path).read_text(encoding="utf-8"))


@cache
def reader_of(hub_id):
    file_of(hub_id, "config.json")  # which skips where nothing can be had
    return open_processor(Model(name=hub_id))


def assert_within(known, theirs, path=""):
    """Every value that we give is the repository's own, wherever it keeps it."""
    for key, value in known.items():
        if key in ("rope_parameters", "model_type"):
            continue  # written otherwise before transformers 5
        if isinstance(value, dict):
            assert_within(value, theirs.get(key) or theirs, f"{path}{key}.")
        elif key in theirs:
            assert theirs[key] == value, f"{path}{key}"


@pytest.mark.hub
@of_every_checkpoint
def test_its_size_is_as_we_say(hub, hub_id):
    config = file_of(hub_id, "config.json")
    name = FAMILY[hub_id]
    assert families.of_model_type(config["model_type"]).name == name
    assert_within(families.create(name).sizes[hub_id], config)


@pytest.mark.hub
@of_every_checkpoint
def test_its_weights_are_as_many_as_we_count(hub, hub_id):
    """By the sizes in the index of its shards, which counts the bytes of bf16 weights."""
    index = file_of(hub_id, "model.safetensors.index.json")
    if index is None:
        pytest.skip(f"{hub_id} has one shard and no index")
    counted = count_parameters(families.create(FAMILY[hub_id]), hub_id)
    # Qwen3.5's files also hold a head for several tokens at once, which transformers leaves out.
    beside = 0.03 if FAMILY[hub_id] == "qwen3.5" else 0.01
    assert counted == pytest.approx(index["metadata"]["total_size"] / 2, rel=beside)


@pytest.mark.hub
@of_every_checkpoint
def test_its_prompts_ends_and_digits_are_as_ours(hub, hub_id):
    name, (family, theirs) = FAMILY[hub_id], reader_of(hub_id)
    ours = processor_of(name, tokenizer_of(name), TRUE_PICTURES.get(name))
    for question in ("What is 1 + 2?", "Line one.\nLine two, “quoted”."):
        for n_images in (0, 1) if name in SEEING else (0,):
            prompt = family.prompt(ours, question, n_images=n_images)
            assert family.prompt(theirs, question, n_images=n_images) == prompt
    assert family.end_token(theirs) == family.end
    tokenizer = base.tokenizer_of(theirs)
    end = tokenizer.convert_tokens_to_ids(family.end)
    stops = (file_of(hub_id, "generation_config.json") or {}).get("eos_token_id", end)
    assert end in (stops if isinstance(stops, list) else [stops])
    longest = max(sum(map(str.isdigit, p)) for p in tokenizer.tokenize("7 42 365 1234 05"))
    assert longest == DIGITS[family.digits]


@pytest.mark.hub
@of_every_checkpoint
def test_its_pictures_are_set_as_ours(hub, hub_id):
    name = FAMILY[hub_id]
    if name not in SEEING:
        pytest.skip("it reads text alone")
    theirs, known = file_of(hub_id, "preprocessor_config.json"), dict(TRUE_PICTURES[name])
    if name == "smolvlm":  # whose tiles are as large as the tower's pictures
        tile = families.create(name).sizes[hub_id]["vision_config"]["image_size"]
        known |= {"size": {"longest_edge": 4 * tile}, "max_image_size": {"longest_edge": tile}}
    if "min_pixels" in theirs:  # as before transformers 5
        sides = {"shortest_edge": theirs["min_pixels"], "longest_edge": theirs["max_pixels"]}
        assert known.pop("size") == sides
    assert_within(known, theirs)
    if name == "llava":
        assert_within(MODELS[name]["more"], file_of(hub_id, "processor_config.json") or {})


@pytest.mark.hub
@pytest.mark.parametrize("name", ["qwen2-vl", "mllama"])
def test_the_tokenizers_out_of_packages_are_the_repositories_own(hub, name):
    file_of(FIRST[name], "config.json")
    theirs, ours = AutoTokenizer.from_pretrained(FIRST[name]), REAL[PROMPTS[name]["tokenizer"]]()
    assert theirs.get_vocab() == ours.get_vocab()
    text = "The box (12,34),(567,890): 10:08, Ünïcode 你好 <|im_end|>"
    assert theirs(text).input_ids == ours(text).input_ids
