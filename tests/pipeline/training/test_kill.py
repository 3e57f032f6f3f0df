"""After a kill -9 in the middle of a training, the same bits."""

import os
import signal
import subprocess
import sys
import time

import pytest
from toy_runs import are_same, changed, log_of, losses_of, recipe_of, weights_of

from gnomon.recipe import to_yaml

pytestmark = pytest.mark.long
STEPS, KILLED = 12, 7


@pytest.fixture(scope="module")
def small(checkpoint):
    return recipe_of(
        checkpoint,
        samples=20,
        max_steps=STEPS,
        gradient_accumulation_steps=1,
        vision="lora",
        save_steps=3,
    )


def started(file, run):
    return subprocess.Popen(
        [sys.executable, "-m", "gnomon", "train", file, "--out", run],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def finished(file, run):
    process = started(file, run)
    text, _ = process.communicate(timeout=300)
    assert process.returncode == 0, text[-3000:]
    return weights_of(run)


def killed(file, run, is_time):
    """kill -9 as soon as it is time."""
    process = started(file, run)
    try:
        while not is_time():
            assert process.poll() is None, process.stdout.read()[-3000:]
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert not (run / "adapter").exists()
    assert not (run / "model").exists()


@pytest.mark.parametrize(
    ("load_in_4bit", "dtype", "part"),
    [
        (True, "bfloat16", "lora"),
        (True, "float32", "lora"),
        (False, "float32", "full"),
        (False, "bfloat16", "full"),
    ],
)
def test_a_run_after_kill_9_is_the_run_that_was_never_stopped(
    small, tmp_path, load_in_4bit, dtype, part
):
    """Killed past a checkpoint, and before the next."""
    model = {"load_in_4bit": load_in_4bit, "dtype": dtype}
    file, run = tmp_path / "recipe.yaml", tmp_path / "killed"
    file.write_text(to_yaml(changed(small, model=model, language=part, vision=part)))
    whole = finished(file, tmp_path / "whole")
    killed(file, run, lambda: any(line["step"] >= KILLED for line in log_of(run)))
    assert are_same(finished(file, run), whole)
    assert losses_of(run) == losses_of(tmp_path / "whole")
    assert [line["step"] for line in losses_of(run)] == list(range(1, STEPS + 1))


def test_a_kill_9_while_a_checkpoint_is_being_filled_costs_no_bit(small, tmp_path):
    file = tmp_path / "recipe.yaml"
    file.write_text(to_yaml(small))
    whole = finished(file, tmp_path / "whole")
    for name in ("adapter_model.safetensors", "optimizer.pt", "rng_state.pth"):
        run = tmp_path / name
        killed(file, run, (run / "checkpoints" / "checkpoint-6" / name).exists)
        assert are_same(finished(file, run), whole)
