"""Whole small runs, as a recipe says."""

import errno
import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from peft import PeftModel
from picture_tables import numbered_pictures
from pipeline_toys import UNEVEN, batch_of
from toy_runs import (
    are_same,
    assert_same_run,
    changed,
    killed_after,
    log_of,
    losses_of,
    run_of,
    samples_of,
    trainer_of,
    weights_of,
)
from transformers import TrainingArguments

from gnomon import dialect, store
from gnomon.generators.looks.augment import augment_sample
from gnomon.losses import NumericVocab
from gnomon.losses.numbers.spans import read_spans
from gnomon.pipeline.answering.local import generate_texts
from gnomon.pipeline.load import load, load_trained
from gnomon.pipeline.training.train import fine_tune, save_weights
from gnomon.recipe import Columns, Loss, Source
from gnomon.store.reading.augmented import spread_sample
from gnomon.store.reading.run_folder import RunFolder

PARTS = {"ce", "mean_token_accuracy", "emd", "relative", "magnitude", "loss", "learning_rate"}


def test_a_run_leaves_its_adapter_and_its_log(whole):
    """Adapters of the language layers alone."""
    assert {path.name for path in whole.iterdir()} == {"adapter", "checkpoints", "log.jsonl"}
    assert (whole / "adapter" / "adapter_config.json").is_file()
    assert [line["step"] for line in losses_of(whole)] == [1, 2, 3, 4]
    assert all(line.keys() >= PARTS for line in losses_of(whole))
    assert log_of(whole)[-1]["train_runtime"] > 0
    weights = weights_of(whole)
    assert len(weights) == 2 * 21
    assert all(".language_model." in name for name in weights)
    assert {weight.dtype for weight in weights.values()} == {torch.bfloat16}
    assert any(weight.abs().sum() > 0 for name, weight in weights.items() if "lora_B" in name)


@pytest.mark.slow
def test_an_adapter_of_a_float32_model_is_float32_when_trained_and_loaded(recipe, tmp_path):
    """Processors without AVX-512 multiply bf16 some fifty times as slowly."""
    exact = changed(recipe, model={"dtype": "float32"}, max_steps=1)
    run = run_of(exact, tmp_path)
    assert {weight.dtype for weight in weights_of(run).values()} == {torch.float32}
    loaded = load_trained(exact.model, run).model
    lora = [weight for name, weight in loaded.named_parameters() if "lora_" in name]
    assert {weight.dtype for weight in lora} == {torch.float32}


def test_several_gpus_in_one_process_are_refused_before_the_weights_are_loaded(
    recipe, tmp_path, monkeypatch
):
    """transformers would wrap the model in nn.DataParallel, which breaks weights in 4 bits."""
    monkeypatch.setattr(TrainingArguments, "n_gpu", 2)
    monkeypatch.setattr(
        "gnomon.pipeline.training.train.load", lambda *_, **__: pytest.fail("loaded")
    )
    launch = "2 GPUs are visible.*`accelerate launch --num_processes 2 -m gnomon train"
    with pytest.raises(ValueError, match=launch):
        run_of(recipe, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "parts",
    [
        {"language": "lora"},
        {"language": "lora", "projector": "full"},
        {"language": "lora", "vision": "full"},
        {"language": "lora", "vision": "full", "projector": "full"},
        {"language": "lora", "vision": "lora", "projector": "lora"},
        {"language": "full", "vision": "lora"},
    ],
    ids=lambda parts: ",".join(f"{k} {v}" for k, v in parts.items()),
)
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_every_mixture_of_parts_trains_and_comes_back(recipe, tmp_path, parts, dtype):
    model = {"dtype": dtype, "load_in_4bit": parts["language"] == "lora"}
    mixed = changed(recipe, model=model, max_steps=1, **parts)
    trainer = trainer_of(mixed, tmp_path)
    trainer.train()
    trainer.save_model(str(tmp_path / "adapter"))
    again = load_trained(mixed.model, tmp_path)
    assert isinstance(again.model, PeftModel)
    assert not again.model.training
    batch = batch_of(again, UNEVEN)
    trainer.model.eval()
    with torch.no_grad():
        logits, others = (model(**batch).logits for model in (trainer.model, again.model))
    assert torch.equal(logits, others)
    trained = replace(again, model=trainer.model)
    answers = generate_texts(trained, UNEVEN[:2], max_new_tokens=4)
    assert generate_texts(again, UNEVEN[:2], max_new_tokens=4) == answers


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_a_model_that_trains_whole_is_saved_whole_and_goes_on_to_the_same_bits(
    recipe, tmp_path, dtype
):
    """Qwen2-VL is saved under names that stock transformers does not find again at a resume."""
    parts = dict.fromkeys(("language", "vision", "projector"), "full")
    full = changed(recipe, model={"load_in_4bit": False, "dtype": dtype}, **parts)
    done = run_of(full, tmp_path / "whole")
    assert not (done / "adapter").exists()
    before = dict(load(full.model).model.named_parameters())
    after = load_trained(full.model, done).model.named_parameters()
    moved = [name for name, weight in after if not torch.equal(weight, before[name])]
    assert any(".visual." in name for name in moved)
    assert any(".language_model." in name for name in moved)
    killed = killed_after(4, done, tmp_path / "killed")
    weights = killed / "checkpoints" / "checkpoint-4" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:9999])
    assert_same_run(run_of(full, killed), done)


@pytest.mark.slow
def test_what_the_loss_will_see_is_said_before_the_training(recipe, tmp_path, capsys):
    run_of(changed(recipe, max_steps=1), tmp_path)
    assert "digits that ntil sees: 100 % (number), 100 % (time)\n" in capsys.readouterr().err


def test_a_loss_that_would_see_nothing_is_refused_before_the_training(
    recipe, tmp_path, monkeypatch
):
    """As a tokenizer that writes whole answers in one token leaves it."""

    def unread(vocab, labels):
        return read_spans(torch.full_like(labels, -100), vocab.tables)

    monkeypatch.setattr(NumericVocab, "spans", unread)
    with pytest.raises(ValueError, match=r"sees no digit of these answers: the tokenizer writes"):
        run_of(recipe, tmp_path)
    assert not RunFolder(tmp_path).log.exists()


@pytest.mark.slow
def test_cross_entropy_alone_logs_no_numeric_part(recipe, tmp_path):
    plain = changed(recipe, loss=Loss(name="ce"), max_steps=1)
    (line,) = losses_of(run_of(plain, tmp_path))
    assert line["loss"] == pytest.approx(line["ce"], rel=1e-4)
    assert not {"emd", "relative", "magnitude"} & line.keys()


def test_loss_and_objective_are_the_recipes(recipe, tmp_path):
    weighed = Loss(
        name="ntil", options={"base": 2.0, "weights": [1, 0, 0.5]}, weight=0.7, balance="ce_ratio",
        schedule="cosine", warmup=0.2, numeric_mass=0.1,
    )  # fmt: skip
    trainer = trainer_of(changed(recipe, loss=weighed), tmp_path)
    for name in ("weight", "balance", "schedule", "warmup", "numeric_mass"):
        assert getattr(trainer.objective, name) == getattr(weighed, name), name
    loss = trainer.objective.loss
    assert loss.base == 2.0
    assert loss.weights == {"emd": 1.0, "magnitude": 0.5}
    assert loss.vocab.size == trainer.model.get_output_embeddings().weight.shape[0]


@pytest.mark.slow
def test_a_sample_is_never_cut(recipe, tmp_path):
    """Without a max_length of the recipe's, the model's own 1,024 tokens are the limit."""
    for given, limit in ((None, 1024), (20, 20)):
        trainer = trainer_of(changed(recipe, max_length=given), tmp_path)
        assert trainer.data_collator.max_length == limit
    with pytest.raises(
        ValueError, match=r"sample \S+: its \d+ tokens do not fit into max_length=20"
    ):
        trainer.train()


@pytest.mark.slow
def test_numeric_terms_see_the_final_answer_alone(recipe, tmp_path):
    """Sums with their working: the cross-entropy is of all of it, the digits of the answer's."""
    worked = [replace(s, rationale="9 and 9 are 18, 18 and 9 are 27") for s in UNEVEN]
    answers = [dialect.create("qwen2-vl").write(sample.target) for sample in UNEVEN]
    digits = sum(character.isdigit() for answer in answers for character in answer)
    lines = {}
    for only in (False, True):
        loss = Loss(name="emd", on="answer" if only else "all")
        settings = {"samples": 8, "max_steps": 1, "per_device_train_batch_size": 8}
        trainer = trainer_of(changed(recipe, loss=loss, **settings), tmp_path, worked)
        trainer.train()
        lines[only] = trainer.state.log_history[0]
        batch = trainer.data_collator([{"sample": sample} for sample in worked])
        spans = trainer.objective.spans(batch["labels"], batch.get("final_labels"))
        count = trainer.objective.counts(batch["labels"], spans)["emd"]
        assert count == digits + (0 if only else 8 * 9)
    assert lines[True]["ce"] == lines[False]["ce"]
    assert lines[True]["emd"] != lines[False]["emd"]


@pytest.mark.slow
@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize(
    "settings",
    [{"dataloader_num_workers": 1}, {"activation_checkpointing": True}],
    ids=["in another process", "checkpointed"],
)
def test_they_train_the_same_however_samples_and_activations_are_made(
    recipe, whole, tmp_path, stored, settings
):
    """To the bit: what is computed twice is the same both times, dropout included."""
    samples = samples_of(recipe)
    if stored:
        store.write(samples, tmp_path / "data", n=recipe.train.samples)
        samples = store.open(tmp_path / "data")
    fine_tune(changed(recipe, **settings), samples, tmp_path / "run")
    assert_same_run(tmp_path / "run", whole)


def test_pictures_and_answers_are_those_of_the_pass_after_a_kill_and_in_workers(
    recipe, tmp_path, monkeypatch
):
    """Six rows are gone through nearly twice; the kill comes in the middle of the second pass."""
    labels = numbered_pictures(tmp_path, ["train"] * 6, (84, 84))
    columns = Columns(ask="How far?", kind="number", split="part")
    source = Source(path=str(labels), columns=columns, augment="light")
    # Without dropout, whose noise depends on what loaders draw of torch's for their workers.
    settings = {"samples": 6, "max_steps": 5, "save_steps": 4, "gradient_accumulation_steps": 1}
    plain = replace(changed(recipe, lora_dropout=0.0, **settings), data=(source,))
    light = changed(plain, loss=Loss(name="ntil", spread=0.8))
    passes, answers = [], []

    def augment(sample, strength, seed, index, epoch):
        passes.append(epoch)
        return augment_sample(sample, strength, seed, index, epoch)

    def spread(sample, width, seed, index, epoch):
        answer = spread_sample(sample, width, seed, index, epoch)
        answers.append((index, epoch, answer.target.write()))
        return answer

    monkeypatch.setattr("gnomon.store.reading.augmented.augment_sample", augment)
    monkeypatch.setattr("gnomon.store.reading.augmented.spread_sample", spread)
    whole = run_of(light, tmp_path / "whole")
    # TRL looks at a sample first, and the loader reads a batch ahead.
    assert passes == [0] + [0] * 6 + [1] * 6
    by_pass = [{place: text for place, epoch, text in answers if epoch == n} for n in (0, 1)]
    assert by_pass[0] != by_pass[1]
    whole_answers = set(answers)
    passes.clear()
    answers.clear()
    assert_same_run(run_of(light, killed_after(4, whole, tmp_path / "killed")), whole)
    assert passes == [0] + [1] * 4
    assert set(answers) < whole_answers
    workers = changed(light, dataloader_num_workers=2)
    assert_same_run(run_of(workers, tmp_path / "workers"), whole)
    off, none = (
        run_of(replace(plain, data=(replace(source, augment=strength),)), tmp_path / str(strength))
        for strength in ("off", None)
    )
    assert_same_run(off, none)
    assert losses_of(off)[0]["loss"] != losses_of(whole)[0]["loss"]


def test_nothing_phones_home(recipe, tmp_path, monkeypatch):
    import huggingface_hub.utils
    import trl.trainer.base_trainer

    def send(*args, **kwargs):
        raise AssertionError(f"telemetry: {args} {kwargs}")

    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("HF_HUB_DISABLE_TELEMETRY", raising=False)
    monkeypatch.setattr(huggingface_hub.utils, "send_telemetry", send)
    monkeypatch.setattr(trl.trainer.base_trainer, "send_telemetry", send)
    run_of(changed(recipe, max_steps=1), tmp_path)


def test_a_save_that_fails_leaves_nothing_on_the_full_disk(tmp_path, monkeypatch):
    def fill(folder):
        Path(folder).mkdir()
        (Path(folder) / "model.safetensors").write_bytes(bytes(9))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    process = SimpleNamespace(is_main_process=True, wait_for_everyone=lambda: None)
    trainer = SimpleNamespace(model=None, accelerator=process, save_model=fill)
    monkeypatch.setattr("gnomon.pipeline.training.train.reset_padding", lambda _: None)
    with pytest.raises(OSError, match="No space left"):
        save_weights(trainer, tmp_path)
    assert not list(tmp_path.iterdir())


# The same bits from the same seed, and no other


@pytest.mark.slow
def test_the_seed_rules_the_adapters_the_order_and_what_is_drawn(recipe, tmp_path):
    """The adapters as they start, and the first batches in their order."""

    def begun(recipe):
        trainer = trainer_of(recipe, tmp_path)
        named = trainer.model.named_parameters()
        adapters = {n: p.detach().clone() for n, p in named if "lora_A" in n}
        return adapters, [batch["input_ids"].tolist() for batch in trainer.get_train_dataloader()]

    adapters, batches = begun(recipe)
    again, same = begun(recipe)
    assert are_same(again, adapters)
    assert same == batches
    others, other = begun(replace(recipe, seed=1))
    assert not any(torch.equal(others[name], adapters[name]) for name in adapters)
    assert other != batches
    _, in_order = begun(changed(recipe, sft={"train_sampling_strategy": "sequential"}))
    assert sorted(map(len, in_order)) == sorted(map(len, batches))
    assert in_order != batches
    questions = [[samples_of(replace(recipe, seed=seed))[i].question for i in range(20)]
                 for seed in (0, 1)]  # fmt: skip
    assert questions[0] != questions[1]
