"""What the trainer does to every family's architecture: parts, gradients, steps, whole lives."""

import shutil
from collections import Counter

import pytest
import torch
import transformers
from answer_files import predict_to_file
from peft import PeftModel, get_peft_model
from pipeline_toys import (
    CLOCKS,
    SUMS,
    assert_close,
    batch_of,
    boxed,
    grad_steps,
    lora_trainer,
    ours,
    stock,
    trained,
)
from pretend_device import DEVICE, Asked, Pretend
from safetensors.torch import load_file
from small_models import LINEAR, SEEING, uneven

from gnomon import store
from gnomon.eval.scoring import predictions
from gnomon.pipeline.collate import prompt_of
from gnomon.pipeline.exporting.merge import merge
from gnomon.pipeline.families.base import encode
from gnomon.pipeline.load import load, load_trained
from gnomon.pipeline.quantize import keep_trainable_on_cpu, quantization_config
from gnomon.pipeline.training.parts import prepare_parts
from gnomon.pipeline.training.settings import CHECKPOINTING
from gnomon.pipeline.training.train import fine_tune
from gnomon.pipeline.training.trainer import NumericSFTTrainer
from gnomon.recipe import Loss, Model, Recipe, Source, Train

PARTS = ("language", "vision", "projector")
ASKED = [CLOCKS[0], SUMS[0], boxed(1), SUMS[1], CLOCKS[1], SUMS[2], SUMS[3]]


@pytest.fixture(scope="module")
def samples(name):
    """Questions that the family can read."""
    return [sample for sample in ASKED if name in SEEING or sample.image is None][:4]


@pytest.fixture
def fresh(folder):
    """In float32, to be trained."""
    return load(Model(name=str(folder), load_in_4bit=False, dtype="float32"))


@pytest.fixture
def in_4_bits(folder):
    return load(Model(name=str(folder), dtype="bfloat16"))


def parts(**ways):
    return Train(**{**dict.fromkeys(PARTS, "frozen"), **ways}, lora_r=4, lora_alpha=4)


def all_lora(name):
    return parts(**{part: "lora" for part in PARTS if part in LINEAR[name]})


def of_part(loaded, name):
    """Which part a parameter of the model belongs to, by its module's name as it was loaded."""
    plain = name.removeprefix("base_model.model.").replace("modules_to_save.default.", "")
    for part in ("projector", "vision"):
        prefixes = getattr(loaded.family, part)
        if prefixes is not None and plain.startswith(prefixes):
            return part
    return "language"


def gradients(loaded, settings, samples):
    """What the parts' settings open, and of that what a backward pass reaches."""
    config = prepare_parts(loaded, settings)
    model = loaded.model if config is None else get_peft_model(loaded.model, config)
    model.train()
    model(**batch_of(loaded, samples)).loss.backward()
    named = dict(model.named_parameters())
    opened = {key for key, value in named.items() if value.requires_grad}
    return opened, {key for key in opened if named[key].grad is not None}


@pytest.mark.parametrize("part", PARTS)
def test_lora_adapts_every_linear_layer_of_its_part_and_no_other(name, fresh, samples, part):
    if part not in LINEAR[name]:
        reason = "'s projector has no linear layers" if name in SEEING else " reads only text"
        with pytest.raises(ValueError, match=f"train.{part}: 'lora': {name}{reason}"):
            prepare_parts(fresh, parts(**{part: "lora"}))
        return
    opened, reached = gradients(fresh, parts(**{part: "lora"}), samples)
    assert opened == reached
    assert len(opened) == 2 * LINEAR[name][part]
    assert {of_part(fresh, key) for key in opened} == {part}
    assert all("lora_A" in key or "lora_B" in key for key in opened)


@pytest.mark.parametrize("part", PARTS)
def test_a_full_part_trains_whole_and_every_weight_of_it_counts(fresh, samples, part):
    """Every weight that is open gets a gradient: DDP waits for each of them."""
    if getattr(fresh.family, part) is None:
        return
    idle = tuple(fresh.family.unused_modules(fresh.model.config))
    opened, reached = gradients(fresh, parts(**{part: "full"}), samples)
    assert opened == reached
    assert opened == {
        key
        for key, _ in fresh.model.named_parameters()
        if of_part(fresh, key) == part and not key.startswith(idle)
    }


def test_a_qlora_step_moves_every_adapter_and_nothing_else(name, in_4_bits, samples, tmp_path):
    sft = {"max_steps": 2, "optim": "adamw_torch"}
    trainer = lora_trainer(
        in_4_bits, samples, tmp_path, train=all_lora(name), numeric_loss="ntil", sft=sft
    )
    named = dict(trainer.model.named_parameters())
    before = {key: value.detach().clone() for key, value in named.items()}
    trainer.train()
    moved = {key for key, value in named.items() if not torch.equal(before[key], value)}
    assert moved == {key for key in named if "lora_" in key}
    assert len(moved) == 2 * sum(LINEAR[name].values())
    lines = [line for line in trainer.state.log_history if "loss" in line]
    assert all(0 < line["ce"] < 20 for line in lines)


# A step in 4 bits, of float32 where it is not


def stepped(name, folder, samples, out, *, train=None, logits_at_once=None, **sft):
    """One step of LoRA: its log line, its gradients and the trainer."""
    loaded = load(Model(name=str(folder), dtype="float32"))
    trainer = lora_trainer(loaded, samples, out, train=train, numeric_loss="ntil", sft=sft)
    if logits_at_once is not None:
        trainer.logits_at_once = logits_at_once * trainer._vocab_size
    (line,), (slopes,) = grad_steps(trainer)
    return line, slopes, trainer


@pytest.mark.slow
def test_activation_checkpointing_changes_no_step(name, folder, samples, tmp_path):
    """Mllama's cross-attention is hooked, and a checkpointed layer runs its forward twice."""
    steps = []
    for on in (False, True):
        options = {"train": all_lora(name), CHECKPOINTING: on}
        line, slopes, trainer = stepped(name, folder, samples, tmp_path, **options)
        modules = trainer.model.modules()
        assert any(getattr(m, "gradient_checkpointing", False) for m in modules) is on
        steps.append((line, slopes))
    (plain, expected), (checkpointed, slopes) = steps
    assert checkpointed["ce"] == pytest.approx(plain["ce"], rel=1e-5)
    assert len(slopes) == 2 * sum(LINEAR[name].values())
    assert_close(slopes, expected, tolerance=0.01)


@pytest.mark.slow
def test_rows_in_chunks_are_the_same_step(name, folder, samples, tmp_path):
    whole, expected, _ = stepped(name, folder, samples, tmp_path)
    chunked, slopes, _ = stepped(name, folder, samples, tmp_path, logits_at_once=3)
    for figure in ("loss", "ce", "emd", "mean_token_accuracy"):
        assert chunked[figure] == pytest.approx(whole[figure], rel=1e-5), figure
    assert_close(slopes, expected, 1e-2)  # adapters in bf16


def test_no_gradient_goes_into_the_frozen_tower(name, folder, samples, tmp_path, monkeypatch):
    if name not in SEEING:
        pytest.skip("no tower")
    results, tower = [], set()
    forward, prepare = torch.nn.Module.__call__, NumericSFTTrainer._prepare_for_training

    def watch(module, *args, **kwargs):
        result = forward(module, *args, **kwargs)
        if isinstance(result, torch.Tensor) and id(module) in tower:
            results.append(result.requires_grad)
        return result

    def mark(trainer, *args):
        prefix = trainer.data_collator.family.vision[0].rstrip(".")
        tower.update(id(m) for n, m in trainer.model.named_modules() if prefix in n)
        return prepare(trainer, *args)

    monkeypatch.setattr(NumericSFTTrainer, "_prepare_for_training", mark)
    monkeypatch.setattr(torch.nn.Module, "__call__", watch)
    stepped(name, folder, samples, tmp_path, **{CHECKPOINTING: True})
    assert len(results) > 10
    assert not any(results)


# Every weight trained


@pytest.mark.slow
def test_loss_and_gradient_are_those_of_stock_trl(name, exact, tmp_path):
    """On one batch of uneven answers, every weight trained, by cross-entropy alone."""
    samples = uneven(name)["samples"]
    (theirs,), (expected,), _ = trained(stock, exact, tmp_path, (6, 1), samples=samples)
    (line,), (gradient,), _ = trained(ours, exact, tmp_path, (6, 1), samples=samples)
    assert line["loss"] == pytest.approx(theirs["loss"], rel=1e-4)
    assert_close(gradient, expected, 1e-4)


@pytest.mark.slow
def test_accumulated_batches_are_one_batch(name, exact, tmp_path):
    """transformers counts no tokens over the window for Qwen2.5-VL's and Qwen3-VL's classes."""
    (whole,), (expected,), _ = trained(ours, exact, tmp_path, (6, 1), **uneven(name))
    (line,), (gradient,), _ = trained(ours, exact, tmp_path, (1, 6), **uneven(name))
    assert line["loss"] == pytest.approx(whole["loss"], rel=1e-4)
    assert_close(gradient, expected, 1e-4)


# On a pretend accelerator: one device, and no wait without a reason. The trainer is transformers'
# own from the arguments to the log: device, data loader, optimizer. 4-bit weights are left out, for
# bitsandbytes keeps them in a class of tensors of its own; so is what needs several devices.

WAITS = {
    "pipeline/training/trainer.py:_measure": 2,  # is there an answer in every row; how long
    "pipeline/training/trainer.py:log": 1,
}
"""Of a step that is logged, in our own code."""


def by_place(counter):
    """What our own code did, by its place."""
    places = Counter()
    for key, count in counter.items():
        who = key if isinstance(key, Asked) else key[0]
        if who.place and not who.by:
            places[who.place] += count
    return places


@pytest.mark.slow
def test_two_steps_wait_for_nothing_without_a_reason(name, folder, samples, tmp_path, monkeypatch):
    """The first with all rows through the head at once, the second with three at a time."""

    def two_steps(**sft):
        loaded = load(Model(name=str(folder), load_in_4bit=False, dtype="float32"))
        torch.manual_seed(0)
        sft |= {"max_steps": 2, "learning_rate": 1e-3}
        options = {"numeric_loss": "ntil", "numeric_mass": 0.1}
        trainer = lora_trainer(loaded, samples, tmp_path, sft=sft, **options)
        trainer.train()
        return trainer

    here = two_steps(use_cpu=True).state.log_history
    begin, begun = NumericSFTTrainer.get_batch_samples, []

    def begins(trainer, *args):
        begun.append((pretend.launches.copy(), pretend.waits.copy()))
        if len(begun) == 2:
            trainer.logits_at_once = 3 * trainer._vocab_size
        return begin(trainer, *args)

    monkeypatch.setattr(NumericSFTTrainer, "get_batch_samples", begins)
    monkeypatch.setenv("ACCELERATE_TORCH_DEVICE", "pretend:0")
    with Pretend() as pretend:
        trainer = two_steps()
    assert {p.device for p in trainer.model.parameters()} == {DEVICE}
    for line, expected in zip(trainer.state.log_history, here[:2], strict=False):
        for figure in ("loss", "ce", "numeric_mass", "emd", "relative", "coverage"):
            assert line[figure] == pytest.approx(expected[figure], rel=1e-4), figure

    (before, _), (between, waited) = begun
    assert pretend.unexplained() == []
    assert by_place(pretend.waits - waited) == WAITS
    assert by_place(pretend.waits).keys() == WAITS.keys() | {"losses/numbers/tables.py:_copy"}
    assert by_place(between - before).total() < 300


# A whole life in 4 bits: trained, killed, resumed, asked, merged and opened


@pytest.fixture(scope="module")
def recipe(name, folder):
    """The language and the tower by LoRA, the projector whole, where there are such parts."""
    sees = name in SEEING
    clocks = [Source(kind="clock", options={"size": 84})] if sees else []
    return Recipe(
        data=(*clocks, Source(kind="arithmetic")),
        model=Model(name=str(folder), dtype="bfloat16"),
        loss=Loss(name="smmd"),
        train=Train(
            samples=24,
            max_steps=4,
            learning_rate=3e-3,
            per_device_train_batch_size=4,
            lora_r=4,
            vision="lora" if sees else "frozen",
            projector="full" if sees else "frozen",
            save_steps=2,
            logging_steps=1,
        ),
    )


def run_of(recipe, run):
    fine_tune(recipe, store.mixture(recipe.data, split="train", seed=recipe.seed), run)
    return run


@pytest.fixture(scope="module")
def run(recipe, tmp_path_factory):
    return run_of(recipe, tmp_path_factory.mktemp("run"))


@pytest.mark.long
def test_a_killed_run_goes_on_to_the_same_bits(name, recipe, run, tmp_path):
    halfway = "checkpoints/checkpoint-2"
    shutil.copytree(run / halfway, tmp_path / halfway)
    resumed = run_of(recipe, tmp_path)
    again, whole = (load_file(r / "adapter/adapter_model.safetensors") for r in (resumed, run))
    assert again.keys() == whole.keys()
    assert all(torch.equal(again[key], whole[key]) for key in whole)
    half = load_file(run / halfway / "adapter_model.safetensors")
    assert any(not torch.equal(half[key], whole[key]) for key in whole)


@pytest.mark.long
def test_it_answers_every_question_and_the_same_the_next_day(recipe, run, samples, tmp_path):
    options = {"total": len(samples), "settings": {}, "batch_size": 4, "max_new_tokens": 8}
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    for out in (first, second):
        predict_to_file(load_trained(recipe.model, run), samples, out, **options)
    answers = {prediction.sample_id: prediction for prediction in predictions.read(first)}
    assert answers.keys() == {sample.id for sample in samples}
    assert all((answers[s.id].size is None) == (s.image is None) for s in samples)
    assert first.read_bytes() == second.read_bytes()


def plain_model(name, path, **options):
    """As transformers alone opens it."""
    kind = "AutoModelForImageTextToText" if name in SEEING else "AutoModelForCausalLM"
    return getattr(transformers, kind).from_pretrained(path, dtype=torch.bfloat16, **options)


def logits_of(model, loaded, sample):
    prompt = prompt_of(loaded.family, loaded.processor, sample)
    inputs = encode(loaded.processor, [prompt], [sample.image], side="right")
    with torch.no_grad():
        return model(**inputs).logits.float()


@pytest.mark.long
def test_its_adapter_opens_in_plain_transformers_and_peft(name, recipe, run, samples):
    opened = load_trained(recipe.model, run)
    quantization = quantization_config(opened.family, recipe.model)
    plain = plain_model(name, recipe.model.name, quantization_config=quantization)
    keep_trainable_on_cpu(plain)
    plain = PeftModel.from_pretrained(plain, run / "adapter").eval()
    for sample in samples:
        logits = logits_of(plain, opened, sample)
        expected = logits_of(opened.model, opened, sample)
        with plain.disable_adapter():
            bare = logits_of(plain, opened, sample)
        # PEFT gives the adapter back as float32, so the last bits of bf16 differ.
        close = 0.04 if name == "smolvlm" else 0.03
        assert (logits - expected).norm() < close * expected.norm()
        assert (bare - expected).norm() > 0.1 * expected.norm()


@pytest.mark.long
def test_merged_it_answers_as_the_run_does_in_plain_transformers(
    name, recipe, run, samples, tmp_path
):
    agreement = merge(recipe, run, tmp_path / "merged", samples)
    assert agreement.samples == len(samples)
    assert agreement.kl < 0.01
    opened = load_trained(recipe.model, run)
    plain = plain_model(name, tmp_path / "merged").eval()
    again = load(Model(name=str(tmp_path / "merged"), load_in_4bit=False))
    assert again.family.name == name
    for sample in samples:
        prompt = prompt_of(opened.family, opened.processor, sample)
        assert prompt_of(again.family, again.processor, sample) == prompt
        expected = logits_of(opened.model, opened, sample)
        assert (logits_of(plain, opened, sample) - expected).norm() < 0.05 * expected.norm()
