"""Several processes by `accelerate launch`, with the files in configs/accelerate."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from accelerate.commands.config.config_args import load_config_from_file
from safetensors.torch import load_file

from gnomon import recipe
from gnomon.generators import create
from gnomon.pipeline.training.train import check_can_be_sharded

CONFIGS = recipe.configs()["demo.yaml"].parent / "accelerate"
ON_CPU = str(Path(__file__).with_name("fsdp_on_cpu.py"))


@pytest.mark.parametrize("file", sorted(CONFIGS.iterdir()), ids=lambda file: file.stem)
def test_each_is_accelerates_own_and_says_how_it_was_run(file):
    config = load_config_from_file(str(file))
    assert config.num_processes == 2
    assert config.mixed_precision == "no"
    first = file.read_text().splitlines()[0]
    assert first.startswith("# Run by a test on two CPU processes over gloo, never on GPUs: ")


RECIPE = """
data:
  - {{kind: clock, options: {{size: 84, split_by: none}}}}
  - {{kind: arithmetic}}
model: {{name: {checkpoint}, load_in_4bit: {four}, dtype: {dtype}}}
train:
  samples: 16
  max_steps: 4
  learning_rate: 0.1
  sft: {{optim: sgd}}        # Adam makes whole steps of rounding
  per_device_train_batch_size: {batch}
  lora_r: 4
  save_steps: 100
  logging_steps: 1
  eval_steps: 2
  eval_samples: 5
eval: {{max_new_tokens: 6}}
"""


def launched(words, text, run):
    """A training in processes of its own; its log's lines, and its adapter."""
    file = run.with_suffix(".yaml")
    file.write_text(text)
    told = subprocess.run(
        [sys.executable, "-m", *words, "train", file, "--out", run],
        env={**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=400, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stdout[-3000:]
    lines = map(json.loads, (run / "log.jsonl").read_text().splitlines())
    return list(lines), load_file(run / "adapter" / "adapter_model.safetensors")


@pytest.mark.long
@pytest.mark.parametrize(("four", "dtype", "tolerance"), [("false", "float32", 1e-4),
                                                          ("true", "bfloat16", 5e-2)])  # fmt: skip
def test_two_launched_processes_train_as_one_with_twice_the_batch(
    checkpoint, tmp_path, four, dtype, tolerance
):
    def asked(batch):
        return RECIPE.format(checkpoint=checkpoint, four=four, dtype=dtype, batch=batch)

    launch = [
        "accelerate.commands.launch",
        "--config_file",
        str(CONFIGS / "ddp.yaml"),
        "-m",
        "gnomon",
    ]
    lines, adapter = launched(launch, asked(2), tmp_path / "two")
    expected, whole = launched(["gnomon"], asked(4), tmp_path / "one")
    assert [line["step"] for line in lines] == [line["step"] for line in expected]
    for line, other in zip(lines[:-1], expected[:-1], strict=True):
        assert line.keys() == other.keys()
        for name in {"loss", "ce", "emd", "eval_ce", "eval_correct"} & line.keys():
            assert line[name] == pytest.approx(other[name], rel=tolerance), name
    for name, weight in whole.items():
        apart = (adapter[name].float() - weight.float()).norm() / weight.float().norm()
        assert apart < 10 * tolerance, name


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "program", "data"),
    [
        ("fsdp", [ON_CPU], "  - {{kind: arithmetic}}\n"),
        ("deepspeed", ["-m", "gnomon"], ""),
    ],
)
def test_two_processes_that_share_the_weights_train_as_one_and_resume(
    checkpoint, tmp_path, monkeypatch, name, program, data
):
    """Adam with an epsilon of 1 has a state to resume, and no whole steps of rounding."""
    if name == "deepspeed":
        pytest.importorskip("deepspeed", reason="it is not installed: make test-others")
        monkeypatch.setenv("DS_ACCELERATOR", "cpu")
    text = RECIPE.replace(data, "").replace("steps: 100", "steps: 2")
    text = text.replace("optim: sgd", "adam_epsilon: 1.0")

    def asked(batch):
        return text.format(checkpoint=checkpoint, four="false", dtype="float32", batch=batch)

    file = str(CONFIGS / f"{name}.yaml")
    launch = ["accelerate.commands.launch", "--config_file", file, *program]
    lines, adapter = launched(launch, asked(2), tmp_path / "two")
    expected, whole = launched(["gnomon"], asked(4), tmp_path / "one")
    assert [line["step"] for line in lines] == [line["step"] for line in expected]
    for line, other in zip(lines[:-1], expected[:-1], strict=True):
        assert line.keys() == other.keys()
        for name in {"loss", "ce", "crps", "grad_norm", "eval_ce", "eval_correct"} & line.keys():
            assert line[name] == pytest.approx(other[name], rel=1e-5), name
    assert adapter.keys() == whole.keys()
    for name, weight in whole.items():
        assert (adapter[name] - weight).norm() < 1e-5 * weight.norm(), name
    shutil.rmtree(tmp_path / "two" / "adapter")
    shutil.rmtree(tmp_path / "two" / "checkpoints" / "checkpoint-4")
    _, resumed = launched(launch, asked(2), tmp_path / "two")
    assert all(resumed[name].equal(weight) for name, weight in adapter.items())


def test_what_cannot_be_sharded_is_refused():
    sharded, whole = (SimpleNamespace(is_fsdp_enabled=fsdp) for fsdp in (True, False))
    clock, total = (create(kind)[0] for kind in ("clock", "arithmetic"))
    for four, samples, message in (
        (True, [clock] * 3, r"load_in_4bit: .*FSDP.*false.*ddp\.yaml"),
        (False, [clock, total, clock], r"pictures.*ddp\.yaml"),
    ):
        asked = recipe.Recipe(
            data=(recipe.Source(kind="clock"),), model=recipe.Model(name="x", load_in_4bit=four)
        )
        with pytest.raises(ValueError, match=message):
            check_can_be_sharded(asked, sharded, samples)
        check_can_be_sharded(asked, whole, samples)
    for samples in ([clock] * 3, [total] * 3):
        check_can_be_sharded(asked, sharded, samples)
