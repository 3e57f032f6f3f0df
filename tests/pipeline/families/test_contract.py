"""What every family promises, on its own architecture in small."""

import re
from dataclasses import replace

import bitsandbytes as bnb
import pytest
import torch
from peft import get_peft_model
from pipeline_toys import CLOCKS, SUMS, assert_close, boxed, grad_steps, ours, rows, total
from small_models import LINEAR, SEEING, build

from gnomon.pipeline import families
from gnomon.pipeline.answering.local import generate_texts
from gnomon.pipeline.checkpoint import open_processor
from gnomon.pipeline.collate import IGNORED, Collator, prompt_of, written_answer
from gnomon.pipeline.load import load
from gnomon.pipeline.quantize import quantized_layers
from gnomon.pipeline.training.parts import prepare_parts
from gnomon.pipeline.training.settings import CHECKPOINTING
from gnomon.recipe import Model, Train
from gnomon.sample import Sample, Text

PARTS = ("language", "vision", "projector")
TEXTS = [total(7, 1), total(-1234, 2), SUMS[0], total("0.5", 3), SUMS[1], total(88, 4)]
PICTURES = [CLOCKS[0], boxed(1), CLOCKS[1], boxed(2, (300, 90)), boxed(3, (90, 200)), CLOCKS[2]]


def samples_for(name):
    """Questions that the family can read, with and without pictures, of many lengths."""
    if name not in SEEING:
        return [*TEXTS, *(SUMS[i] for i in range(2, 12))]
    mixed = [sample for pair in zip(PICTURES, TEXTS, strict=True) for sample in pair]
    return [*mixed, *(SUMS[i] for i in range(2, 6))]


@pytest.fixture(scope="module", params=LINEAR)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def folder(name, tmp_path_factory):
    return build(name, tmp_path_factory.mktemp(name))


@pytest.fixture(scope="module")
def exact(folder):
    """In float32, not quantised; nothing here may change it."""
    loaded = load(Model(name=str(folder), load_in_4bit=False, dtype="float32"))
    loaded.model.eval()
    return loaded


@pytest.fixture
def in_4_bits(folder):
    return load(Model(name=str(folder), dtype="bfloat16"))


def test_a_checkpoint_of_its_model_type_is_its(name, exact):
    assert exact.family.name == name
    kind = exact.model.config.model_type
    assert families.of_model_type(kind).name == name
    assert exact.model.config.model_type in exact.family.model_types


def test_every_family_has_its_small_model():
    assert {*LINEAR, "gnomon-tiny", "auto"} == families.FAMILIES.keys()


def test_it_is_small(exact):
    own = sum(p.numel() for n, p in exact.model.named_parameters() if "embed" not in n)
    assert own < 1_000_000


def test_exactly_the_language_layers_are_in_4_bits(name, in_4_bits):
    held = quantized_layers(in_4_bits.model)
    assert len(held) == LINEAR[name]["language"]
    assert all(n.startswith(in_4_bits.family.language) for n in held)
    for parameter in in_4_bits.model.parameters():
        assert isinstance(parameter, bnb.nn.Params4bit) or parameter.dtype == torch.bfloat16


# What is trained


def table(loaded, sample):
    """Each token of a sample as (id, label)."""
    batch = Collator(loaded.family, loaded.processor)(rows([sample]))
    return list(zip(batch["input_ids"][0].tolist(), batch["labels"][0].tolist(), strict=True))


def test_the_supervised_text_is_exactly_the_answer_and_its_end(name, exact):
    for sample in samples_for(name):
        written = written_answer(exact.family, exact.processor, sample)
        labels = [label for _, label in table(exact, sample) if label != IGNORED]
        assert exact.tokenizer.decode(labels).strip() == written + exact.family.end
        assert exact.tokenizer.decode(labels, skip_special_tokens=True).strip() == re.sub(
            r"<\|[^|]*\|>|</?box>", "", written
        )


def test_labels_are_one_stretch_at_the_end_and_their_own_tokens(name, exact):
    batch = Collator(exact.family, exact.processor)(rows(samples_for(name)))
    for ids, labels, mask in zip(
        batch["input_ids"], batch["labels"], batch["attention_mask"], strict=True
    ):
        (places,) = (labels != IGNORED).nonzero(as_tuple=True)
        assert places.tolist() == list(range(int(places[0]), int(mask.sum())))
        assert torch.equal(labels[places], ids[places])


def test_no_placeholder_and_no_prompt_token_is_a_label(name, exact):
    for sample in samples_for(name):
        prompt = prompt_of(exact.family, exact.processor, sample)
        asked = exact.family.encode(exact.processor, [prompt], [sample.image], side="right")
        length = asked["input_ids"].shape[1]
        found = table(exact, sample)
        assert [i for i, _ in found[:length]] == asked["input_ids"][0].tolist()
        assert all(label == IGNORED for _, label in found[:length])
        assert all(label != IGNORED for _, label in found[length:])
        if name in SEEING:
            image = exact.processor.image_token_id
            assert (image in [i for i, _ in found]) == (sample.image is not None)
            assert image not in [label for _, label in found]


def test_a_first_token_is_written_once(name, exact):
    bos = exact.tokenizer.bos_token_id
    for sample in samples_for(name):
        ids = [i for i, _ in table(exact, sample)]
        assert ids.count(bos) == (bos is not None)
        assert bos is None or ids[0] == bos


def test_a_prompt_is_the_same_on_another_day(exact, monkeypatch):
    before = exact.family.prompt(exact.processor, "What is 1 + 2?", image=False)
    monkeypatch.setattr("transformers.utils.chat_template_utils.datetime", None)
    assert exact.family.prompt(exact.processor, "What is 1 + 2?", image=False) == before


def test_a_checkpoint_without_a_chat_template_is_asked_in_plain_text(exact, monkeypatch):
    monkeypatch.setattr(exact.processor, "chat_template", None)
    sample = TEXTS[1]
    ids, labels = zip(*table(exact, sample), strict=True)
    plain = exact.tokenizer.decode(ids, skip_special_tokens=True)
    assert plain.strip() == f"{sample.question}\n-1234"
    assert exact.tokenizer.decode([i for i in labels if i != IGNORED]).strip() == (
        "-1234" + exact.tokenizer.eos_token
    )


# Batches


def test_a_sample_is_encoded_the_same_alone_and_among_others(name, exact):
    samples = samples_for(name)
    together = Collator(exact.family, exact.processor)(rows(samples))
    for row, sample in enumerate(samples):
        alone = Collator(exact.family, exact.processor)(rows([sample]))
        length = alone["input_ids"].shape[1]
        for key in ("input_ids", "labels", "attention_mask"):
            assert together[key][row, :length].tolist() == alone[key][0].tolist()


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_sample_is_scored_the_same_alone_and_among_others(name, exact, side):
    """With pictures and without, in one batch: a question about none must not see another's."""
    samples = samples_for(name)[:6]
    prompts = [prompt_of(exact.family, exact.processor, sample) for sample in samples]

    def last(batch):
        asked, pictures = [prompts[i] for i in batch], [samples[i].image for i in batch]
        inputs = exact.family.encode(exact.processor, asked, pictures, side=side)
        ends = inputs["attention_mask"].shape[1] - 1 - inputs["attention_mask"].flip(1).argmax(1)
        with torch.no_grad():
            logits = exact.model(**inputs).logits
        return logits[torch.arange(len(batch)), ends]

    together = last(range(len(samples)))
    for row in range(len(samples)):
        torch.testing.assert_close(last([row])[0], together[row], rtol=1e-3, atol=1e-3)


def test_the_batch_size_changes_no_answer(name, exact):
    samples = samples_for(name)

    def answers(size):
        return [
            text
            for start in range(0, len(samples), size)
            for text in generate_texts(exact, samples[start : start + size], max_new_tokens=6)
        ]

    alone = answers(1)
    assert len(set(alone)) > 3
    assert answers(4) == alone
    assert answers(16) == alone


def test_the_picture_matters(name, exact):
    if name not in SEEING:
        return
    batch = [Collator(exact.family, exact.processor)(rows([s])) for s in (boxed(0), boxed(5))]
    with torch.no_grad():
        first, second = (exact.model(**b).loss for b in batch)
    assert abs(float(first - second)) > 1e-4


def test_a_picture_before_a_model_that_sees_none_is_refused_by_name(name, exact):
    if name in SEEING:
        return
    collate = Collator(exact.family, exact.processor)
    with pytest.raises(ValueError, match=f"sample {CLOCKS[0].id} has a picture, and {name} reads"):
        collate(rows([TEXTS[0], CLOCKS[0]]))
    with pytest.raises(ValueError, match=f"sample {CLOCKS[0].id} has a picture, and {name} reads"):
        generate_texts(exact, [CLOCKS[0]], max_new_tokens=1)


def test_a_pictures_sign_in_a_question_or_an_answer_is_refused_by_name(name, exact):
    if name not in SEEING:
        return
    sign, collate = exact.processor.image_token, Collator(exact.family, exact.processor)
    for sample in (
        replace(CLOCKS[0], question=f"Is {sign} a clock?"),
        Sample("t/1", None, "Which token?", Text(sign)),
        replace(SUMS[0], rationale=f"Look at {sign}."),
    ):
        with pytest.raises(ValueError, match=f"sample {sample.id}: '{re.escape(sign)}' stands for"):
            collate(rows([SUMS[1], sample]))


@pytest.mark.parametrize("limit", ["min_pixels", "max_pixels"])
def test_a_pixel_limit_holds_or_is_refused_by_key(name, exact, folder, limit):
    model = Model(name=str(folder), load_in_4bit=False, dtype="float32", **{limit: 84 * 84})
    if not exact.family.has_pixel_limits:
        with pytest.raises(ValueError, match=f"model.{limit}: 7056: {name} sizes pictures by"):
            open_processor(model)
        return
    _, processor = open_processor(model)
    width, height = exact.family.resized_size(processor, (20, 20) if "min" in limit else (500, 500))
    by_32 = name in ("qwen3-vl", "qwen3.5", "idefics3", "smolvlm")
    side = (96 if "min" in limit else 64) if by_32 else 84  # multiples of 32, or 28
    assert width == height == side


# Training


def settings(**ways):
    return Train(**{**dict.fromkeys(PARTS, "frozen"), **ways}, lora_r=4, lora_alpha=4)


def of_part(loaded, name):
    """Which part a parameter of the model belongs to, by its module's name as it was loaded."""
    plain = name.removeprefix("base_model.model.").replace("modules_to_save.default.", "")
    for part in ("projector", "vision"):
        known = getattr(loaded.family, part)
        if known is not None and plain.startswith(known):
            return part
    return "language"


def gradients(loaded, train, samples):
    """What the parts' settings open, and of that what a backward pass reaches."""
    config = prepare_parts(loaded, train)
    model = loaded.model if config is None else get_peft_model(loaded.model, config)
    model.train()
    model(**Collator(loaded.family, loaded.processor)(rows(samples))).loss.backward()
    named = dict(model.named_parameters())
    opened = {key for key, value in named.items() if value.requires_grad}
    return opened, {key for key in opened if named[key].grad is not None}


@pytest.mark.parametrize("part", PARTS)
def test_lora_adapts_every_linear_layer_of_its_part_and_no_other(name, folder, part):
    loaded = load(Model(name=str(folder), load_in_4bit=False, dtype="float32"))
    if part not in LINEAR[name]:
        reason = "'s projector has no linear layers" if name in SEEING else " reads text alone"
        with pytest.raises(ValueError, match=f"train.{part}: 'lora': {name}{reason}"):
            prepare_parts(loaded, settings(**{part: "lora"}))
        return
    opened, reached = gradients(loaded, settings(**{part: "lora"}), samples_for(name)[:4])
    assert opened == reached
    assert len(opened) == 2 * LINEAR[name][part]
    assert {of_part(loaded, key) for key in opened} == {part}
    assert all("lora_A" in key or "lora_B" in key for key in opened)


@pytest.mark.parametrize("part", PARTS)
def test_a_full_part_trains_whole_and_every_weight_of_it_counts(name, folder, part):
    """Every weight that is open gets a gradient: DDP waits for each of them."""
    loaded = load(Model(name=str(folder), load_in_4bit=False, dtype="float32"))
    if getattr(loaded.family, part) is None:
        return
    idle = tuple(loaded.family.unused_modules(loaded.model.config))
    opened, reached = gradients(loaded, settings(**{part: "full"}), samples_for(name)[:4])
    assert opened == reached
    assert opened == {
        key
        for key, _ in loaded.model.named_parameters()
        if of_part(loaded, key) == part and not key.startswith(idle)
    }


@pytest.mark.slow
@pytest.mark.parametrize("vision", ["frozen", "lora", "full"])
@pytest.mark.parametrize("projector", ["frozen", "lora", "full"])
def test_each_part_is_trained_as_the_recipe_says_beside_a_base_in_4_bits(
    name, in_4_bits, vision, projector
):
    if name not in SEEING or (projector == "lora" and "projector" not in LINEAR[name]):
        return
    ways = {"language": "lora", "vision": vision, "projector": projector}
    opened, reached = gradients(in_4_bits, settings(**ways), samples_for(name)[:4])
    assert opened == reached
    for part, way in ways.items():
        own = {key for key in opened if of_part(in_4_bits, key) == part}
        adapters = {key for key in own if "lora_" in key}
        assert len(adapters) == (2 * LINEAR[name][part] if way == "lora" else 0)
        assert bool(own - adapters) == (way == "full")


def test_a_qlora_step_moves_every_adapter_and_nothing_else(name, in_4_bits, tmp_path):
    ways = {part: "lora" for part in PARTS if part in LINEAR[name]}
    config = prepare_parts(in_4_bits, settings(**ways))
    trainer = ours(
        in_4_bits,
        samples_for(name)[:4],
        tmp_path,
        peft_config=config,
        numeric_loss="ntil",
        sft={"per_device_train_batch_size": 4, "max_steps": 2, "optim": "adamw_torch"},
    )
    named = dict(trainer.model.named_parameters())
    before = {key: value.detach().clone() for key, value in named.items()}
    trainer.train()
    moved = {key for key, value in named.items() if not torch.equal(before[key], value)}
    assert moved == {key for key in named if "lora_" in key}
    assert len(moved) == 2 * sum(LINEAR[name].values())
    lines = [line for line in trainer.state.log_history if "loss" in line]
    assert all(0 < line["ce"] < 20 for line in lines)


def test_an_evaluation_in_the_middle_of_training_changes_no_gradient(name, in_4_bits):
    """On a CPU with AVX512-BF16 bitsandbytes would repack the layers at the first answer."""
    ways = {part: "lora" for part in PARTS if part in LINEAR[name]}
    model = get_peft_model(in_4_bits.model, prepare_parts(in_4_bits, settings(**ways)))
    for key, parameter in model.named_parameters():
        if "lora_B" in key:
            torch.nn.init.normal_(parameter, std=0.05)
    loaded, samples = replace(in_4_bits, model=model), samples_for(name)[:4]
    batch = Collator(loaded.family, loaded.processor)(rows(samples))

    def slopes():
        model.train()
        model.zero_grad()
        model(**batch).loss.backward()
        return {k: p.grad.clone() for k, p in model.named_parameters() if p.requires_grad}

    before, _, after = slopes(), generate_texts(loaded, samples, max_new_tokens=2), slopes()
    assert len(before) == 2 * sum(LINEAR[name].values())
    for key, slope in before.items():
        assert slope.any(), key
        assert torch.equal(after[key], slope), key


@pytest.mark.slow
def test_activation_checkpointing_changes_no_step(name, folder, tmp_path):
    """Mllama's cross-attention is hooked, and a checkpointed layer runs its forward twice."""
    ways = {part: "lora" for part in PARTS if part in LINEAR[name]}

    def stepped(checkpointing):
        loaded = load(Model(name=str(folder), dtype="float32"))
        trainer = ours(
            loaded,
            samples_for(name)[:4],
            tmp_path,
            peft_config=prepare_parts(loaded, settings(**ways)),
            sft={"per_device_train_batch_size": 4, CHECKPOINTING: checkpointing},
        )
        (line,), (slopes,) = grad_steps(trainer)
        on = [getattr(m, "gradient_checkpointing", False) for m in trainer.model.modules()]
        assert any(on) is checkpointing
        return line["ce"], slopes

    (plain, expected), (checkpointed, found) = stepped(False), stepped(True)
    assert checkpointed == pytest.approx(plain, rel=1e-5)
    assert len(found) == 2 * sum(LINEAR[name].values())
    assert_close(found, expected, tolerance=0.01)
