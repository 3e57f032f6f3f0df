"""Small trainings of the embedded model, as a recipe says, and what they leave on disk."""

import json
import os
import shutil
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import load_file

from gnomon import store
from gnomon.pipeline.load import load
from gnomon.pipeline.training.train import fine_tune, make_trainer
from gnomon.recipe import Loss, Model, Recipe, Source, Train
from gnomon.store.reading.run_folder import RunFolder

SOURCES = (
    Source(kind="clock", options={"size": 84, "split_by": "none"}),
    Source(kind="arithmetic"),
)
ADAPTER = "adapter_model.safetensors"


def recipe_of(checkpoint, *, model=None, **train):
    """Four QLoRA steps with checkpoints at 2 and 4; `train` changes its settings."""
    settings = {
        "samples": 16,
        "max_steps": 4,
        "learning_rate": 2e-3,
        "per_device_train_batch_size": 2,
        "gradient_accumulation_steps": 2,
        "lora_r": 4,
        "lora_dropout": 0.1,
        "save_steps": 2,
        "logging_steps": 1,
        "sft": {"save_total_limit": 2},  # kept at the end, for tests that kill a run before
    }
    return Recipe(
        data=SOURCES,
        model=Model(**{"name": str(checkpoint), "dtype": "bfloat16", **(model or {})}),
        loss=Loss(name="ntil", weight=0.3),
        train=Train(**settings | train),
    )


def changed(recipe, *, model=None, loss=None, **train):
    """The same recipe with other settings."""
    return replace(
        recipe,
        model=replace(recipe.model, **(model or {})),
        loss=loss or recipe.loss,
        train=replace(recipe.train, **train),
    )


def samples_of(recipe):
    return store.mixture(recipe.data, split="train", seed=recipe.seed)


def trainer_of(recipe, out, samples=None):
    loaded = load(recipe.model, seed=recipe.seed)
    return make_trainer(recipe, loaded, samples or samples_of(recipe), out)


def run_of(recipe, run):
    fine_tune(recipe, samples_of(recipe), run)
    return run


def log_of(run):
    """Its whole lines."""
    file = RunFolder(run).log
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def losses_of(run):
    """The lines of its steps; only the time they took may differ in another run."""
    return [line for line in log_of(run) if "loss" in line]


def weights_of(run):
    """Of an adapter, a whole model or a checkpoint of either."""
    files = (run / "adapter" / ADAPTER, run / "model" / "model.safetensors", run / ADAPTER,
             run / "model.safetensors")  # fmt: skip
    return load_file(next(file for file in files if file.exists()))


def are_same(weights, others):
    """True if they are to the bit."""
    assert weights.keys() == others.keys()
    return all(torch.equal(weights[name], others[name]) for name in others)


def assert_same_run(run, expected):
    """The weights to the bit, and the log's numbers."""
    assert are_same(weights_of(run), weights_of(expected))
    assert losses_of(run) == losses_of(expected)


def run_two_processes(script, *words):
    """Run a script in two processes that meet as a launcher of torch has them meet."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    paths = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2",
               "OMP_NUM_THREADS": "1", "PYTHONPATH": paths}  # fmt: skip
    processes = [
        subprocess.Popen(
            [sys.executable, script, *words],
            env={**os.environ, **meeting, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        for process in processes:
            text, _ = process.communicate(timeout=600)
            assert process.returncode == 0, text[-3000:]
    finally:
        for process in processes:
            process.kill()


def killed_after(step, whole, run):
    """A run as a kill leaves it: checkpoints up to that step, a log that is ahead of them."""
    run.mkdir(exist_ok=True)
    (run / "checkpoints").mkdir()
    for checkpoint in (whole / "checkpoints").glob("checkpoint-*"):
        if int(checkpoint.name.rpartition("-")[2]) <= step:
            shutil.copytree(checkpoint, run / "checkpoints" / checkpoint.name)
    lines = RunFolder(whole).log.read_text().splitlines(keepends=True)
    RunFolder(run).log.write_text("".join(lines[: step + 1]))
    return run
