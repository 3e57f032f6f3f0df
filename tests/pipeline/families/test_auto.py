"""`family: auto` on architectures that have no family file: what it finds, tries and refuses."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from peft import get_peft_model
from pipeline_toys import (
    CLOCKS,
    SUMS,
    UNEVEN,
    assert_close,
    batch_of,
    boxed,
    copied,
    ours,
    stock,
    total,
    trained,
)

from gnomon.commands import main
from gnomon.pipeline.answering.local import generate_texts
from gnomon.pipeline.checkpoint import locate_checkpoint, open_processor
from gnomon.pipeline.collate import IGNORED, write_answer
from gnomon.pipeline.families.base import linear_layers
from gnomon.pipeline.load import load
from gnomon.pipeline.quantize import modules_in_16_bits
from gnomon.pipeline.training.parts import layer_pattern, prepare_parts
from gnomon.pipeline.training.trial import try_out
from gnomon.recipe import AutoFamily, Model, Train

pytestmark = pytest.mark.filterwarnings(
    # GLM-4.1V's processor gives NumPy a tensor.
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)
FILE = Path(__file__).with_name("auto.jsonl")
FOUND = {row["architecture"]: row for row in map(json.loads, FILE.read_text().splitlines())}
"""Prefixes of the language model, the tower and the projector; an answer; the size of 448×336."""
QUICK = ["glm4v", "idefics2"]
"""One whose AutoProcessor needs torchvision, and one whose language model has another name."""
LATER = [pytest.param(name, marks=pytest.mark.long) for name in FOUND if name not in QUICK]
MIXED = [CLOCKS[0], total(7, 1), boxed(1), total(-1234, 2), CLOCKS[1], boxed(2, (120, 85)), SUMS[0]]


@pytest.fixture(scope="module", params=[*QUICK, *LATER])
def name(request):
    return request.param


def test_a_checkpoint_of_no_family_is_looked_at(name, folder, tmp_path, capsys):
    model = Model(name=str(shutil.copytree(folder, tmp_path / "again")))
    family, processor = open_processor(model)
    assert family.name == "auto"
    assert capsys.readouterr().err.count("`family: auto` detected") == 1
    open_processor(model)
    assert capsys.readouterr().err == ""
    found, parts = FOUND[name], (family.language, family.vision, family.projector)
    assert [part[0] for part in parts] == found["parts"]
    prompt = family.prompt(processor, "What?", n_images=1)
    assert family.answer(processor, prompt, "7") == found["answer"]
    assert family.resized_size(processor, (448, 336)) == tuple(found["resized"])


def test_labels_are_the_answer_and_its_end(name, exact):
    together = batch_of(exact, MIXED)
    for row, sample in enumerate(MIXED):
        alone = batch_of(exact, [sample])
        length = alone["input_ids"].shape[1]
        assert together["input_ids"][row, :length].tolist() == alone["input_ids"][0].tolist()
        labels = alone["labels"][0]
        said = exact.tokenizer.decode(labels[labels != IGNORED])
        written = write_answer(exact.family, exact.processor, sample)
        assert said.strip() == FOUND[name]["answer"].strip().replace("7", written, 1)


def test_the_batch_size_changes_no_answer(exact):
    alone = [generate_texts(exact, [sample], max_new_tokens=4)[0] for sample in MIXED]
    assert len(set(alone)) > 2
    assert generate_texts(exact, MIXED, max_new_tokens=4) == alone


@pytest.mark.slow
def test_loss_and_gradient_are_stock_trls_and_accumulate(exact, tmp_path):
    six = {"samples": UNEVEN[:6]}
    lines, gradients, _ = trained(stock, exact, tmp_path, (6, 1), **six)
    for window in ((6, 1), (2, 3)):
        found, parts, _ = trained(ours, exact, tmp_path, window, **six)
        assert found[0]["loss"] == pytest.approx(lines[0]["loss"], rel=1e-4)
        assert_close(parts[0], gradients[0], 1e-4)


def test_every_weight_that_trains_is_reached(name, exact):
    """SigLIP's last norm is after what Aya Vision and LLaVA-OneVision look at."""
    late = name in ("aya_vision", "llava_onevision")
    for way in ("lora", "full"):
        loaded = copied(exact)
        projector = "full" if name == "ovis2" else way
        config = prepare_parts(loaded, Train(vision=way, projector=projector, lora_r=4))
        model = get_peft_model(loaded.model, config)
        model.train()
        model(**batch_of(loaded, MIXED)).loss.backward()
        opened = {n: p.grad is not None for n, p in model.named_parameters() if p.requires_grad}
        assert len(opened) > 40
        missed = {n for n, reached in opened.items() if not reached}
        assert len(missed) == (2 if late and way == "full" else 0)
        assert all("post_layernorm" in name for name in missed)


RECIPE = """
data:
  - {{kind: clock, options: {{size: 84}}}}
  - {{kind: arithmetic}}
model: {{name: {folder}}}
loss: {{name: ntil}}
train: {{samples: 16, max_steps: 3, per_device_train_batch_size: 4, vision: lora, save_steps: 2, \
projector: {projector}}}
eval: {{samples: 8, max_new_tokens: 6}}
"""


@pytest.mark.long
@pytest.mark.parametrize("name", FOUND)
def test_from_recipe_to_report(name, small, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "small.yaml"
    projector = "full" if name == "ovis2" else "lora"
    file.write_text(RECIPE.format(folder=small(name), projector=projector))
    assert main(["plan", str(file)]) == 0
    planned = capsys.readouterr().out
    for part in FOUND[name]["parts"]:
        assert part.rstrip(".") in planned
    assert "it fits" in planned
    assert main(["run", str(file), "--out", "run"]) == 0
    assert (tmp_path / "run/adapter/adapter_model.safetensors").is_file()
    assert "<svg" in (tmp_path / "run/report.html").read_text(encoding="utf-8")
    assert main(["merge", "run", "merged"]) == 0


# What cannot be told


def changed(small, out, template=None):
    folder = shutil.copytree(small("glm4v"), out / "changed")
    if template is not None:
        file = folder / "chat_template.jinja"
        file.write_text(template(file.read_text()))
    return folder


def test_an_empty_thought_belongs_to_the_prompt(small, tmp_path):
    def thinking(text):
        return text.replace("<|assistant|>\n{{ msg", "<|assistant|>\n<think></think>\n{{ msg")

    folder = changed(small, tmp_path, thinking)
    family, processor = open_processor(Model(name=str(folder)))
    prompt = family.prompt(processor, "What?", n_images=0)
    assert prompt.endswith("<|assistant|>\n<think></think>\n")
    assert family.answer(processor, prompt, "7") == "7<|endoftext|>"


@pytest.mark.parametrize(
    ("template", "fault"),
    [
        (
            lambda text: text.replace("<|assistant|>\n{{ msg", "<|other|>\n{{ msg"),
            r"model\.auto\.lead must be given: answers follow .*<\|other\|>",
        ),
        (
            lambda text: text.replace("<|assistant|>\n{{ msg.content }}", ""),
            r"model\.auto\.end and model\.auto\.lead must be given: the chat template does not",
        ),
        (
            lambda text: re.sub(r"{{ (item.text|msg.content) }}", "", text),
            "does not render a picture with its",
        ),
    ],
    ids=["where it begins", "an answer", "a question"],
)  # fmt: skip
def test_what_a_template_does_not_tell_is_asked_for_by_name(small, tmp_path, template, fault):
    folder = changed(small, tmp_path, template)
    with pytest.raises(ValueError, match=f"'{re.escape(str(folder))}' cannot be opened: .*{fault}"):
        locate_checkpoint(Model(name=str(folder)))


def test_what_a_recipe_says_is_not_looked_for(small, tmp_path):
    folder = changed(small, tmp_path, lambda text: text.replace("<|assistant|>\n{{ msg", "{{ m"))
    said = AutoFamily(
        vision=("model.visual.blocks",),
        projector=("model.visual.merger", "model.visual.downsample", "model.visual.patch_embed",
                   "model.visual.embeddings", "model.visual.post_conv_layernorm",
                   "model.visual.post_layernorm"),
        lead=" ",
        end="<|user|>",
        dialect="pixels",
        pictures={"size": {"shortest_edge": 56 * 56, "longest_edge": 2 * 56 * 56}},
    )  # fmt: skip
    family, processor = open_processor(Model(name=str(folder), auto=said))
    assert family.vision == ("model.visual.blocks.",)
    assert family.answer(processor, "", "7") == " 7<|user|>"
    assert family.dialect == "pixels"
    assert family.resized_size(processor, (448, 336)) == (56, 28)


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        (
            {"vision": ("model.visul",)},
            r"no module is called 'model.visul': did you mean model.vis",
        ),
        ({"dialect": "plan"}, "did you mean plain"),
        ({"end": "<|done|>"}, r"model\.auto\.end must be given: .*'<\|done\|>' is not a token"),
    ],
    ids=["a module", "boxes", "an end"],
)
def test_what_a_recipe_says_wrongly_is_refused(small, said, fault):
    with pytest.raises(ValueError, match=fault):
        locate_checkpoint(Model(name=str(small("glm4v")), auto=AutoFamily(**said)))


def test_what_belongs_to_auto_is_refused_for_a_family_that_is_known(checkpoint):
    with pytest.raises(ValueError, match=r"model\.auto: .* is of the family qwen2-vl: leave"):
        locate_checkpoint(Model(name=str(checkpoint), auto=AutoFamily(end="<|im_end|>")))


def test_a_known_checkpoint_is_found_out_as_its_family_says(checkpoint):
    """Where a file says it, too: the same prompts, ends and sizes."""
    auto, processor = open_processor(Model(name=str(checkpoint), family="auto"))
    _, known = locate_checkpoint(Model(name=str(checkpoint)))
    for n_images in (1, 0):
        asked = known.prompt(processor, "What?", n_images=n_images)
        assert auto.prompt(processor, "What?", n_images=n_images) == asked
        assert auto.answer(processor, asked, "7") == known.answer(processor, asked, "7")
    for size in ((84, 84), (300, 90), (20, 31), (640, 480)):
        assert auto.resized_size(processor, size) == known.resized_size(processor, size)
    plain = load(Model(name=str(checkpoint), load_in_4bit=False)).model
    for name in ("language", "vision", "projector"):
        mine, theirs = getattr(auto, name), getattr(known, name)
        layers = linear_layers(known, plain, theirs)
        assert linear_layers(auto, plain, mine) == layers
        hit = [n for n, _ in plain.named_modules() if re.fullmatch(layer_pattern(layers), n)]
        assert hit == layers  # PEFT refuses what is no linear layer
    assert modules_in_16_bits(auto) == modules_in_16_bits(known)


def test_a_checkpoint_without_a_chat_template_is_refused(small, tmp_path):
    folder = changed(small, tmp_path)
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(
        ValueError, match="cannot be opened: it has no chat template, and family auto"
    ):
        locate_checkpoint(Model(name=str(folder)))


def test_molmo2_is_refused_for_its_pictures(small, tmp_path):
    folder = changed(small, tmp_path)
    (folder / "config.json").write_text(json.dumps({"model_type": "molmo2"}))
    settings = {"processor_class": "Molmo2Processor",
                "image_processor": {"image_processor_type": "Molmo2ImageProcessor"}}  # fmt: skip
    (folder / "processor_config.json").write_text(json.dumps(settings))
    with pytest.raises(ValueError, match=r"opened: .*torchvision: Molmo2ImageProcessor") as error:
        locate_checkpoint(Model(name=str(folder)))
    assert "\n" not in str(error.value)


# What does not hold


@pytest.fixture
def whole(small):
    return load(Model(name=str(small("idefics2")), load_in_4bit=False, dtype="float32"))


def test_tokens_of_a_picture_that_the_model_does_not_take_are_told(whole):
    whole.processor.image_seq_len = 7
    with pytest.raises(ValueError, match=r"Idefics2.* does not behave as .*: .*\b(7|8)\b"):
        try_out(whole, MIXED)


def test_a_picture_that_changes_nothing_is_told(whole):
    for parameter in whole.model.model.connector.parameters():
        parameter.data.zero_()
    with pytest.raises(ValueError, match="its picture changes no logit of its answer"):
        try_out(whole, MIXED)


def test_an_end_that_is_not_taken_for_one_is_told(whole, monkeypatch):
    monkeypatch.setattr(type(whole.family), "answer", lambda self, _, __, text: f" {text}</s>")
    with pytest.raises(ValueError, match="generation does not stop at '<end_of_utterance>'"):
        try_out(whole, MIXED)


def test_an_answer_that_is_read_otherwise_is_told(whole):
    family = replace_family(whole.family, tail="!")
    with pytest.raises(ValueError, match=r"its answer '.*' is read as '.*!'"):
        try_out(replace(whole, family=family), MIXED)


def replace_family(family, **changes):
    other = type(family)()
    vars(other).update(vars(family), **changes)
    return other


def test_without_pictures_it_is_tried_without(whole):
    before = torch.get_rng_state()
    try_out(whole, [total(7, 1), total(8, 2)])
    assert torch.equal(before, torch.get_rng_state())
