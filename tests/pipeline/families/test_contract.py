"""What every family promises, on its own architecture in small."""

import re
import subprocess
import sys
from dataclasses import replace

import bitsandbytes as bnb
import pytest
import torch
from pipeline_toys import CLOCKS, SUMS, batch_of, boxed, total
from small_models import LINEAR, SEEING

from gnomon import dialect
from gnomon.pipeline import families
from gnomon.pipeline.answering.local import generate_texts
from gnomon.pipeline.checkpoint import open_processor
from gnomon.pipeline.collate import IGNORED, prompt_of, write_answer
from gnomon.pipeline.families.base import encode
from gnomon.pipeline.load import load
from gnomon.pipeline.quantize import modules_in_16_bits, quantized_layers
from gnomon.recipe import Model
from gnomon.sample import Sample, Text

TEXTS = [total(7, 1), total(-1234, 2), SUMS[0], total("0.5", 3), SUMS[1], total(88, 4)]
PICTURES = [CLOCKS[0], boxed(1), CLOCKS[1], boxed(2, (300, 90)), boxed(3, (90, 200)), CLOCKS[2]]


@pytest.fixture(scope="module")
def samples(name):
    """Questions that the family can read, with and without pictures, of many lengths."""
    if name not in SEEING:
        return [*TEXTS, *(SUMS[i] for i in range(2, 12))]
    mixed = [sample for pair in zip(PICTURES, TEXTS, strict=True) for sample in pair]
    return [*mixed, *(SUMS[i] for i in range(2, 6))]


@pytest.mark.parametrize("registered", families.FAMILIES)
def test_a_family_is_whole(registered):
    family = families.create(registered)
    assert family.name == registered
    assert family.dialect in dialect.DIALECTS
    assert "lm_head" in modules_in_16_bits(family)
    assert (family.vision is None) == (family.projector is None) == (not family.placeholder)


def test_naming_families_loads_nothing_heavy():
    script = "import sys; from gnomon.runs.name_lists import table; print(table('families'));"
    script += "print(sorted({'torch', 'transformers', 'peft'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.endswith("[]\n"), done.stderr
    assert all(f"  {name} " in done.stdout for name in families.FAMILIES)
    assert re.search("digits +1 to 3 a token", done.stdout)


def test_a_checkpoint_of_its_model_type_is_its(name, exact):
    assert exact.family.name == name
    kind = exact.model.config.model_type
    assert families.of_model_type(kind).name == name
    assert kind in exact.family.model_types


def test_exactly_the_language_layers_are_in_4_bits(name, folder):
    loaded = load(Model(name=str(folder), dtype="bfloat16"))
    quantized = quantized_layers(loaded.model)
    assert len(quantized) == LINEAR[name]["language"]
    assert all(layer.startswith(loaded.family.language) for layer in quantized)
    for parameter in loaded.model.parameters():
        assert isinstance(parameter, bnb.nn.Params4bit) or parameter.dtype == torch.bfloat16


# What is trained


def table(loaded, sample):
    """Each token of a sample as (id, label)."""
    batch = batch_of(loaded, [sample])
    return list(zip(batch["input_ids"][0].tolist(), batch["labels"][0].tolist(), strict=True))


def test_the_supervised_text_is_exactly_the_answer_and_its_end(exact, samples):
    for sample in samples:
        written = write_answer(exact.family, exact.processor, sample)
        labels = [label for _, label in table(exact, sample) if label != IGNORED]
        assert exact.tokenizer.decode(labels).strip() == written + exact.family.end
        plain = exact.tokenizer.decode(labels, skip_special_tokens=True)
        assert plain.strip() == re.sub(r"<\|[^|]*\|>|</?box>", "", written)


def test_all_after_the_prompt_is_a_label_and_nothing_before(name, exact, samples):
    bos = exact.tokenizer.bos_token_id
    for sample in samples:
        prompt = prompt_of(exact.family, exact.processor, sample)
        encoded = encode(exact.processor, [prompt], [sample.image], side="right")
        length = encoded["input_ids"].shape[1]
        ids, labels = map(list, zip(*table(exact, sample), strict=True))
        assert ids[:length] == encoded["input_ids"][0].tolist()
        assert labels == [IGNORED] * length + ids[length:]
        assert ids.count(bos) == (bos is not None)
        assert bos is None or ids[0] == bos
        if name in SEEING:
            image = exact.processor.image_token_id
            assert (image in ids) == (sample.image is not None)
            assert image not in labels


def test_a_prompt_is_the_same_on_another_day(exact, monkeypatch):
    before = exact.family.prompt(exact.processor, "What is 1 + 2?", n_images=0)
    monkeypatch.setattr("transformers.utils.chat_template_utils.datetime", None)
    assert exact.family.prompt(exact.processor, "What is 1 + 2?", n_images=0) == before


def test_a_checkpoint_without_a_chat_template_is_asked_in_plain_text(exact, monkeypatch):
    monkeypatch.setattr(exact.processor, "chat_template", None)
    ids, labels = zip(*table(exact, TEXTS[1]), strict=True)
    plain = exact.tokenizer.decode(ids, skip_special_tokens=True)
    assert plain.strip() == f"{TEXTS[1].question}\n-1234"
    answer = exact.tokenizer.decode([i for i in labels if i != IGNORED])
    assert answer.strip() == "-1234" + exact.tokenizer.eos_token


# Batches


def test_a_sample_is_encoded_the_same_alone_and_among_others(exact, samples):
    together = batch_of(exact, samples)
    for row, sample in enumerate(samples):
        alone = batch_of(exact, [sample])
        length = alone["input_ids"].shape[1]
        assert together["attention_mask"][row].sum() == length
        for key in ("input_ids", "labels", "attention_mask"):
            assert together[key][row, :length].tolist() == alone[key][0].tolist()


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_sample_is_scored_the_same_alone_and_among_others(exact, samples, side):
    """With pictures and without, in one batch: a question about none must not see another's."""

    def last_logits(batch):
        prompts = [prompt_of(exact.family, exact.processor, sample) for sample in batch]
        pictures = [sample.image for sample in batch]
        inputs = encode(exact.processor, prompts, pictures, side=side)
        ends = inputs["attention_mask"].shape[1] - 1 - inputs["attention_mask"].flip(1).argmax(1)
        with torch.no_grad():
            return exact.model(**inputs).logits[torch.arange(len(batch)), ends]

    for sample, logits in zip(samples, last_logits(samples[:6]), strict=False):
        torch.testing.assert_close(last_logits([sample])[0], logits, rtol=1e-3, atol=1e-3)


def test_the_batch_size_changes_no_answer(exact, samples):
    def answers(size):
        return [
            text
            for start in range(0, len(samples), size)
            for text in generate_texts(exact, samples[start : start + size], max_new_tokens=6)
        ]

    alone = answers(1)
    assert len(set(alone)) > 3
    assert answers(4) == answers(16) == alone


def test_the_picture_matters_or_is_refused_by_name(name, exact):
    if name in SEEING:
        with torch.no_grad():
            first, second = (exact.model(**batch_of(exact, [boxed(i)])).loss for i in (0, 5))
        assert abs(float(first - second)) > 1e-4
        return
    for give in (batch_of, lambda *words: generate_texts(*words, max_new_tokens=1)):
        with pytest.raises(ValueError, match=f"{CLOCKS[0].id} has a picture, but {name} reads"):
            give(exact, [TEXTS[0], CLOCKS[0]])


def test_a_pictures_sign_in_a_question_or_an_answer_is_refused_by_name(name, exact):
    if name not in SEEING:
        return
    sign = exact.processor.image_token
    for sample in (
        replace(CLOCKS[0], question=f"Is {sign} a clock?"),
        Sample("t/1", None, "Which token?", Text(sign)),
        replace(SUMS[0], rationale=f"Look at {sign}."),
    ):
        with pytest.raises(
            ValueError, match=f"sample {sample.id}: this model reads '{re.escape(sign)}' as"
        ):
            batch_of(exact, [SUMS[1], sample])


@pytest.mark.parametrize("limit", ["min_pixels", "max_pixels"])
def test_a_pixel_limit_holds_or_is_refused_by_key(name, exact, folder, limit):
    model = Model(name=str(folder), load_in_4bit=False, dtype="float32", **{limit: 84 * 84})
    if not exact.family.has_pixel_limits:
        with pytest.raises(
            ValueError, match=f"model.{limit}: 7056: {name} does not take pixel limits"
        ):
            open_processor(model)
        return
    _, processor = open_processor(model)
    drawn = (20, 20) if limit == "min_pixels" else (500, 500)
    width, height = exact.family.resized_size(processor, drawn)
    assert width == height
    # Sides are multiples of 28 or 32.
    assert 84 <= width <= 96 if limit == "min_pixels" else 64 <= width <= 84
