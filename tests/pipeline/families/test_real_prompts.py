"""Prompts and answers in the real tokenizers, pictures at the real sizes; no weights."""

from decimal import Decimal
from functools import cache

import pytest
import torch
from known_checkpoints import PICTURES
from PIL import Image
from pipeline_toys import clock, rows, total
from real_tokenizers import REAL
from small_models import SEEING, processor_of

from gnomon.losses import NumericVocab
from gnomon.pipeline import families
from gnomon.pipeline.checkpoint import open_processor
from gnomon.pipeline.collate import IGNORED, Collator
from gnomon.recipe import Model
from gnomon.sample import Box, Number, Sample, Time

pytestmark = pytest.mark.slow

KIND = {
    "qwen2-vl": "qwen2",
    "qwen2.5-vl": "qwen2",
    "qwen3-vl": "qwen2",
    "qwen2": "qwen2",
    "llava": "sentencepiece",
    "mllama": "llama3",
    "llama": "llama3",
    "idefics3": "idefics3",
    "smolvlm": "smolvlm",
    "internvl": "internvl",
}
"""Families whose tokenizer a package ships."""
TEN_EIGHT = clock(Time(10 * 3600 + 8 * 60))
TIME = {
    "qwen2": ["1", "0", ":", "0", "8", "<|im_end|>"],
    "llama3": ["10", ":", "08", "<|eot_id|>"],
    "sentencepiece": ["", "1", "0", ":", "0", "8", "</s>"],
    "idefics3": [" ", "10", ":", "08", "<end_of_utterance>"],
    "smolvlm": [" ", "1", "0", ":", "0", "8", "<end_of_utterance>"],
    "internvl": ["1", "0", ":", "0", "8", "<|im_end|>"],
}
"""`10:08`, token by token; SentencePiece's blank is decoded as nothing."""
MINUS = {
    "qwen2": ["-", "1", "2", "3", "4", ".", "5", "<|im_end|>"],
    "llama3": ["-", "123", "4", ".", "5", "<|eot_id|>"],
    "sentencepiece": ["-", "1", "2", "3", "4", ".", "5", "</s>"],
    "idefics3": [" -", "123", "4", ".", "5", "<end_of_utterance>"],
    "smolvlm": [" -", "1", "2", "3", "4", ".", "5", "<end_of_utterance>"],
    "internvl": ["-", "1", "2", "3", "4", ".", "5", "<|im_end|>"],
}
PROMPTS = {
    "qwen2-vl": "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\n"
    "<|vision_start|><|image_pad|><|vision_end|>Q?<|im_end|>\n<|im_start|>assistant\n",
    "qwen3-vl": "<|im_start|>user\n<|vision_start|><|image_pad|><|vision_end|>Q?<|im_end|>\n"
    "<|im_start|>assistant\n",
    "qwen2": "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful"
    " assistant.<|im_end|>\n<|im_start|>user\nQ?<|im_end|>\n<|im_start|>assistant\n",
    "llava": "USER: <image>\nQ? ASSISTANT:",
    "mllama": "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\n<|image|>Q?<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\n",
    "llama": "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge"
    " Date: December 2023\nToday Date: 26 Jul 2024\n\n<|eot_id|><|start_header_id|>user"
    "<|end_header_id|>\n\nQ?<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
}
PROMPTS["internvl"] = "<|im_start|>user\n<IMG_CONTEXT>\nQ?<|im_end|>\n<|im_start|>assistant\n"
PROMPTS["idefics3"] = "<|begin_of_text|>User:<image>Q?<end_of_utterance>\nAssistant:"
PROMPTS["smolvlm"] = PROMPTS["idefics3"].replace("<|begin_of_text|>", "<|im_start|>")
PROMPTS["qwen2.5-vl"] = PROMPTS["qwen2-vl"]
PLACEHOLDERS = {"qwen2-vl": 8 * 8, "qwen2.5-vl": 8 * 8, "qwen3-vl": 8 * 8, "llava": 24 * 24,
                "mllama": 1, "idefics3": 17 * 13 * 13, "smolvlm": 17 * 8 * 8,
                "internvl": 16 * 16}  # fmt: skip
"""For a picture of 224×224: 28 pixels a side, or 32 of 256, 14 of 336, or none but the sign; or 16
tiles and the picture in one; or one tile of 448."""

SIGN = {"llava": "<image>", "mllama": "<|image|>", "idefics3": "<image>", "smolvlm": "<image>",
        "internvl": "<IMG_CONTEXT>"}  # fmt: skip
AROUND = {"idefics3": ["<fake_token_around_image>"], "smolvlm": ["<fake_token_around_image>"],
          "internvl": ["<img>", "</img>"]}  # fmt: skip
"""What a processor writes before and after a picture of tiles."""


@pytest.fixture(scope="module", params=KIND)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def reader(name, tmp_path_factory):
    """The processor as our loading makes it of a checkpoint's files, its tokenizer apart."""
    folder, tokenizer = tmp_path_factory.mktemp(name), REAL[KIND[name]]()
    processor = processor_of(name, tokenizer, PICTURES.get(name))
    if name in SEEING:
        processor.image_processor.save_pretrained(folder)
    family = families.create(name)
    family.config(next(iter(family.sizes))).save_pretrained(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("transformers.AutoTokenizer.from_pretrained", lambda _: tokenizer)
        return open_processor(Model(name=str(folder)))


@cache
def vocab_of(kind):
    return NumericVocab.from_tokenizer(REAL[kind]())


def labels_of(family, processor, sample):
    labels = Collator(family, processor)(rows([sample]))["labels"][0]
    return labels[labels != IGNORED].tolist()


def pieces(processor, labels):
    tokenizer = getattr(processor, "tokenizer", processor)
    return tokenizer.batch_decode([[label] for label in labels])


def test_the_prompt_is_the_checkpoints_own(name, reader):
    family, processor = reader
    assert family.prompt(processor, "Q?", image=name in SEEING) == PROMPTS[name]


def test_a_time_is_supervised_token_by_token_and_ends(name, reader):
    """On a picture where the family sees; in Llama-3's tokens `08` is one."""
    sample = TEN_EIGHT if name in SEEING else Sample("t", None, "Q?", TEN_EIGHT.target)
    assert pieces(reader[1], labels_of(*reader, sample)) == TIME[KIND[name]]


def test_a_number_is_supervised_token_by_token_and_ends(name, reader):
    labels = labels_of(*reader, Sample("n", None, "Q?", Number(Decimal("-1234.5"))))
    found = pieces(reader[1], labels)
    assert [piece for piece in found if piece] == MINUS[KIND[name]]


def test_the_losses_read_the_number_out_of_the_labels(name, reader):
    labels = Collator(*reader)(rows([total("-1234.5", 1), total("7", 2)]))["labels"]
    spans = vocab_of(KIND[name]).spans(labels)
    assert spans.value[spans.exists].tolist() == [-1234.5, 7]


def test_a_box_is_supervised_whole(name, reader):
    if name not in SEEING:
        return
    picture = Image.new("RGB", (300, 200), (90, 120, 30))
    sample = Sample("b", picture, "Where?", Box(30, 20, 120, 150))
    text = "".join(pieces(reader[1], labels_of(*reader, sample)))
    said = {
        "qwen2-vl": "<|box_start|>(100,100),(400,750)<|box_end|><|im_end|>",
        "qwen2.5-vl": '{"bbox_2d": [31, 20, 123, 147]}<|im_end|>',  # of 308×196
        "qwen3-vl": '{"bbox_2d": [100, 100, 400, 750]}<|im_end|>',
        "llava": "[0.100,0.233,0.400,0.667]</s>",  # of 300×300, 50 above
        "mllama": "[0.100, 0.100, 0.400, 0.750]<|eot_id|>",
        "idefics3": "[0.100, 0.100, 0.400, 0.750]<end_of_utterance>",
        "internvl": "<box>[[100, 100, 400, 750]]</box><|im_end|>",
    }
    said["smolvlm"] = said["idefics3"]
    assert text.replace(" ", "") == said[name].replace(" ", "")


def test_a_picture_takes_the_tokens_that_its_model_counts_on(name, reader):
    if name not in SEEING:
        return
    family, processor = reader
    sample = Sample("p", Image.new("RGB", (224, 224)), "Q?", Number(Decimal(1)))
    batch = Collator(family, processor)(rows([sample]))
    image = processor.tokenizer.convert_tokens_to_ids(SIGN.get(name, "<|image_pad|>"))
    assert (batch["input_ids"] == image).sum() == PLACEHOLDERS[name]
    assert family.config(next(iter(family.sizes))).image_token_id == image
    assert not (batch["labels"] == image).any()
    looked_at, _ = family.image_cost(family.config(next(iter(family.sizes))), (224, 224), Model())
    around = [processor.tokenizer.convert_tokens_to_ids(t) for t in AROUND.get(name, ())]
    edges = torch.tensor(around or [image])
    (places,) = torch.isin(batch["input_ids"][0], edges).nonzero(as_tuple=True)
    assert looked_at == places[-1] - places[0] + 1
    assert {key for key in batch if "aspect" in key or "cross" in key} == (
        {"aspect_ratio_ids", "aspect_ratio_mask", "cross_attention_mask"}
        if name == "mllama"
        else set()
    )
    if name == "mllama":
        assert batch["cross_attention_mask"].shape[1] == batch["input_ids"].shape[1]
        assert batch["pixel_values"].shape == (1, 1, 4, 3, 560, 560)
