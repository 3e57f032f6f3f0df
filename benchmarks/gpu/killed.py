"""Part a: a run that is killed with SIGKILL and goes on, beside one that was never stopped."""

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
from benchmarks.gpu.parts import ROOT, Found, Setting
from gnomon import recipe
from gnomon.recipe import Model, Recipe, Source, Train

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

EVERY = 5
"""Steps between two checkpoints."""
ALL_WEIGHTS = Train(language="full", vision="full", projector="full")


def kills(setting: Setting) -> Callable[[str], Found]:
    """Runs of the embedded model as a user starts them."""
    steps = 15 if setting.tiny else 60

    def measure(case: str) -> Found:
        whole = "all weights" in case
        train = ALL_WEIGHTS if whole else Train(lora_dropout=0.1, vision="lora")
        given = Recipe(
            data=(Source(kind="clock", options={"size": 84}), Source(kind="arithmetic")),
            model=Model(name="gnomon-tiny", load_in_4bit=not whole, dtype="bfloat16"),
            train=replace(
                train,
                samples=steps * 2,
                max_steps=steps,
                per_device_train_batch_size=2,
                save_steps=EVERY,
                logging_steps=1,
            ),
        )
        with tempfile.TemporaryDirectory(dir=setting.work) as folder:
            return told(given, Path(folder), setting)

    return measure


def told(given: Recipe, folder: Path, setting: Setting) -> Found:
    """To the bit; where two whole runs differ already, once more with deterministic kernels."""
    differ, killed = resumed(given, folder / "plain", setting)
    if not differ:
        return Found(True, f"killed after step {killed}: every weight and loss to the bit")
    once, again = (finished(given, folder / name, setting) for name in ("once", "again"))
    varies = most_apart(once, again)
    if not varies:
        return Found(False, f"killed after step {killed}: a weight is off by {differ:.1e}")
    exact = replace(given, train=replace(given.train, sft={"full_determinism": True}))
    differ, killed = resumed(exact, folder / "exact", setting)
    said = f"two whole runs differ by {varies:.1e} on this device; with full_determinism, killed"
    return Found(not differ, f"{said} after step {killed}, a weight is off by {differ:.1e}")


def resumed(given: Recipe, folder: Path, setting: Setting) -> tuple[float, int]:
    """How far a killed and resumed run is from a whole one, and the step it was killed after."""
    whole = finished(given, folder / "whole", setting)
    run = folder / "killed"
    process = started(given, run, setting)
    step = 0
    try:
        while step <= EVERY + 1:  # past a checkpoint, and before the next
            if process.poll() is not None:
                raise RuntimeError(f"gnomon train ended with {process.returncode}, not killed")
            step = max((line["step"] for line in log_of(run)), default=0)
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    if weights_of(run) is not None:
        raise RuntimeError("the run was at its end before it could be killed")
    return most_apart(finished(given, run, setting), whole), step


def started(given: Recipe, run: Path, setting: Setting) -> subprocess.Popen[bytes]:
    run.parent.mkdir(parents=True, exist_ok=True)
    file = run.with_suffix(".yaml")
    file.write_text(recipe.to_yaml(given))
    words = [sys.executable, "-m", "gnomon", "train", str(file), "--out", str(run)]
    # With this workspace cuBLAS gives the same bits from run to run.
    env = {**worker.environment(setting), "CUBLAS_WORKSPACE_CONFIG": ":4096:8"}
    return subprocess.Popen(words, cwd=ROOT, env=env, stdout=sys.stderr)


def finished(given: Recipe, run: Path, setting: Setting) -> dict[str, Tensor]:
    """What a run trained and each step's loss, by name."""
    import torch

    if code := started(given, run, setting).wait():
        raise RuntimeError(f"gnomon train ended with {code}")
    weights = weights_of(run)
    assert weights is not None
    lines = [line["loss"] for line in log_of(run) if "loss" in line]
    return {**weights, "losses": torch.tensor(lines)}


def weights_of(run: Path) -> dict[str, Tensor] | None:
    from safetensors.torch import load_file

    for file in ("adapter/adapter_model.safetensors", "model/model.safetensors"):
        if (run / file).exists():
            found: dict[str, Tensor] = load_file(run / file)
            return found
    return None


def most_apart(one: dict[str, Tensor], other: dict[str, Tensor]) -> float:
    """The largest difference of any number; infinite where they do not hold the same."""
    if {n: t.shape for n, t in one.items()} != {n: t.shape for n, t in other.items()}:
        return float("inf")
    return max(float((one[n].double() - other[n].double()).abs().max()) for n in one)


def log_of(run: Path) -> list[dict[str, Any]]:
    file = run / "log.jsonl"
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]
