"""Part a: a run that is killed with SIGKILL and resumed, compared with an uninterrupted one."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.gpu import worker
from benchmarks.gpu.parts import ROOT, Outcome, Setting
from gnomon.recipe import Model, Recipe, Source, Train, to_yaml

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

SAVE_STEPS = 5
"""Steps between two checkpoints."""
ALL_WEIGHTS = Train(language="full", vision="full", projector="full")


def kills(setting: Setting) -> Callable[[str], Outcome]:
    """Prepare runs of the embedded model, started as a user does."""
    steps = 15 if setting.tiny else 60

    def measure(case: str) -> Outcome:
        is_full = "all weights" in case
        train = ALL_WEIGHTS if is_full else Train(lora_dropout=0.1, vision="lora")
        recipe = Recipe(
            data=(Source(kind="clock", options={"size": 84}), Source(kind="arithmetic")),
            model=Model(name="gnomon-tiny", load_in_4bit=not is_full, dtype="bfloat16"),
            train=replace(
                train,
                samples=steps * 2,
                max_steps=steps,
                per_device_train_batch_size=2,
                save_steps=SAVE_STEPS,
                logging_steps=1,
            ),
        )
        with tempfile.TemporaryDirectory(dir=setting.work) as folder:
            return compare(recipe, Path(folder), setting)

    return measure


def compare(recipe: Recipe, folder: Path, setting: Setting) -> Outcome:
    """Compare bit by bit; again with deterministic kernels if two whole runs already differ."""
    difference, step = resumed_difference(recipe, folder / "plain", setting)
    if not difference:
        return Outcome(True, f"killed after step {step}: every weight and loss to the bit")
    # Some kernels of a GPU add up in another order each time.
    first, second = (finish(recipe, folder / name, setting) for name in ("once", "again"))
    noise = max_difference(first, second)
    if not noise:
        return Outcome(False, f"killed after step {step}: a weight is off by {difference:.1e}")
    exact = replace(recipe, train=replace(recipe.train, sft={"full_determinism": True}))
    difference, step = resumed_difference(exact, folder / "exact", setting)
    text = f"two whole runs differ by {noise:.1e} on this device; with full_determinism, killed"
    return Outcome(not difference, f"{text} after step {step}, a weight is off by {difference:.1e}")


def resumed_difference(recipe: Recipe, folder: Path, setting: Setting) -> tuple[float, int]:
    """Difference of a killed and resumed run to a whole one, and the step of the kill."""
    whole = finish(recipe, folder / "whole", setting)
    run = folder / "killed"
    process = start(recipe, run, setting)
    step = 0
    try:
        while step <= SAVE_STEPS + 1:  # past a checkpoint, and before the next
            if process.poll() is not None:
                raise RuntimeError(f"gnomon train ended with {process.returncode}, not killed")
            step = max((line["step"] for line in log_of(run)), default=0)
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    if weights_of(run) is not None:
        raise RuntimeError("the run was at its end before it could be killed")
    return max_difference(finish(recipe, run, setting), whole), step


def start(recipe: Recipe, run: Path, setting: Setting) -> subprocess.Popen[bytes]:
    run.parent.mkdir(parents=True, exist_ok=True)
    file = run.with_suffix(".yaml")
    file.write_text(to_yaml(recipe))
    words = [sys.executable, "-m", "gnomon", "train", str(file), "--out", str(run)]
    # With this workspace cuBLAS gives the same bits from run to run.
    env = {**worker.environment(setting), "CUBLAS_WORKSPACE_CONFIG": ":4096:8"}
    return subprocess.Popen(words, cwd=ROOT, env=env, stdout=sys.stderr)


def finish(recipe: Recipe, run: Path, setting: Setting) -> dict[str, Tensor]:
    """Start or resume a run; return its weights by name, and the losses of its steps."""
    import torch

    code = start(recipe, run, setting).wait()
    if code:
        raise RuntimeError(f"gnomon train ended with {code}")
    weights = weights_of(run)
    assert weights is not None
    lines = [line["loss"] for line in log_of(run) if "loss" in line]
    return {**weights, "losses": torch.tensor(lines)}


def weights_of(run: Path) -> dict[str, Tensor] | None:
    from safetensors.torch import load_file

    for file in ("adapter/adapter_model.safetensors", "model/model.safetensors"):
        if (run / file).exists():
            weights: dict[str, Tensor] = load_file(run / file)
            return weights
    return None


def max_difference(a: dict[str, Tensor], b: dict[str, Tensor]) -> float:
    """Return the largest difference of any number; infinite if names or shapes differ."""
    if {n: t.shape for n, t in a.items()} != {n: t.shape for n, t in b.items()}:
        return float("inf")
    return max(float((a[n].double() - b[n].double()).abs().max()) for n in a)


def log_of(run: Path) -> list[dict[str, Any]]:
    file = run / "log.jsonl"
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    # A last line without its end is being written.
    return [json.loads(line) for line in lines if line.endswith("\n")]
