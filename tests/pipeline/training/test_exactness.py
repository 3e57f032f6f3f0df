"""The same bits again: after a kill -9 in the middle, and from the same seed, and no other."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file

from gnomon import recipe, store
from gnomon.pipeline.load import load
from gnomon.pipeline.training.train import make_trainer
from gnomon.recipe import Model, Recipe, Source, Train

SOURCES = (
    Source(kind="clock", options={"size": 84, "split_by": "none"}),
    Source(kind="arithmetic"),
)
STEPS, KILLED = 12, 7


@pytest.fixture(scope="module")
def small(checkpoint):
    return Recipe(
        data=SOURCES,
        model=Model(name=str(checkpoint)),
        train=Train(
            samples=20,
            max_steps=STEPS,
            learning_rate=2e-3,
            per_device_train_batch_size=2,
            lora_r=4,
            lora_dropout=0.1,
            vision="lora",
            save_steps=3,
            logging_steps=1,
        ),
    )


def trainer_of(given, out):
    samples = store.mixture(given.data, split="train", seed=given.seed)
    return make_trainer(given, load(given.model, seed=given.seed), samples, out)


def begun(given, out):
    """What the seed rules: the adapters as they start, and the first batches in their order."""
    trainer = trainer_of(given, out)
    adapters = {n: p.detach().clone() for n, p in trainer.model.named_parameters() if "lora_" in n}
    batches = [batch["input_ids"].tolist() for batch in trainer.get_train_dataloader()]
    return adapters, batches


@pytest.mark.slow
def test_the_seed_rules_the_adapters_the_order_and_what_is_drawn(small, tmp_path):
    adapters, batches = begun(small, tmp_path)
    again, same = begun(small, tmp_path)
    assert all(torch.equal(again[name], adapters[name]) for name in adapters)
    assert same == batches
    others, other = begun(replace(small, seed=1), tmp_path)
    assert not any(torch.equal(others[n], adapters[n]) for n in adapters if "lora_A" in n)
    assert other != batches
    drawn, elsewhere = (
        [store.mixture(SOURCES, split="train", seed=seed)[i].question for i in range(20)]
        for seed in (0, 1)
    )
    assert drawn != elsewhere


@pytest.mark.slow
def test_batches_are_shuffled(small, tmp_path):
    _, batches = begun(small, tmp_path)
    _, unshuffled = begun(
        replace(small, train=replace(small.train, sft={"train_sampling_strategy": "sequential"})),
        tmp_path,
    )
    assert sorted(map(len, batches)) == sorted(map(len, unshuffled))
    assert batches != unshuffled


def started(file, run):
    return subprocess.Popen(
        [sys.executable, "-m", "gnomon", "train", file, "--out", run],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def finished(file, run):
    process = started(file, run)
    told, _ = process.communicate(timeout=300)
    assert process.returncode == 0, told[-3000:]
    adapter = run / "adapter" / "adapter_model.safetensors"
    return load_file(adapter if adapter.exists() else run / "model" / "model.safetensors")


def killed(file, run):
    """kill -9 as soon as that step is in the log: past a checkpoint, and before the next."""
    process = started(file, run)
    try:
        while not any(line["step"] >= KILLED for line in log_of(run)):
            assert process.poll() is None, process.stdout.read()[-3000:]
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert not (run / "adapter").exists()
    assert not (run / "model").exists()


def log_of(run):
    file = run / "log.jsonl"
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


@pytest.mark.long
@pytest.mark.parametrize(
    ("load_in_4bit", "dtype", "part"),
    [(True, "bfloat16", "lora"), (True, "float32", "lora"), (False, "float32", "full"),
     (False, "bfloat16", "full")],
    ids=lambda value: str(value),
)  # fmt: skip
def test_a_run_after_kill_9_is_the_run_that_was_never_stopped(
    small, tmp_path, load_in_4bit, dtype, part
):
    given = replace(
        small,
        model=replace(small.model, load_in_4bit=load_in_4bit, dtype=dtype),
        train=replace(small.train, language=part, vision=part, projector="frozen"),
    )
    file = tmp_path / "recipe.yaml"
    file.write_text(recipe.to_yaml(given))
    whole = finished(file, tmp_path / "whole")
    killed(file, tmp_path / "killed")
    resumed = finished(file, tmp_path / "killed")
    assert resumed.keys() == whole.keys()
    assert all(torch.equal(resumed[name], whole[name]) for name in whole)
    lines, others = (
        [line for line in log_of(tmp_path / run) if "loss" in line] for run in ("killed", "whole")
    )
    assert lines == others
    assert [line["step"] for line in lines] == list(range(1, STEPS + 1))


@pytest.mark.long
def test_a_kill_9_while_a_checkpoint_is_being_filled_costs_no_bit(small, tmp_path):
    file = tmp_path / "recipe.yaml"
    file.write_text(recipe.to_yaml(small))
    whole = finished(file, tmp_path / "whole")
    for name in ("adapter_model.safetensors", "optimizer.pt", "rng_state.pth"):
        run = tmp_path / name
        process = started(file, run)
        try:
            while not (run / "checkpoints" / "checkpoint-6" / name).exists():
                assert process.poll() is None, process.stdout.read()[-3000:]
        finally:
            process.kill()
            process.communicate()
        resumed = finished(file, run)
        assert all(torch.equal(resumed[name], whole[name]) for name in whole)
