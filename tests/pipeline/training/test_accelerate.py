"""Several processes by `accelerate launch`, with the files in configs/accelerate."""

import json
import os
import subprocess
import sys

import pytest
from accelerate.commands.config.config_args import load_config_from_file
from safetensors.torch import load_file

from gnomon import recipe

CONFIGS = recipe.configs()["demo.yaml"].parent / "accelerate"
RUN_HERE = {"ddp"}
"""What the long test launches; the others say that they were never run."""


@pytest.mark.parametrize("file", sorted(CONFIGS.iterdir()), ids=lambda file: file.stem)
def test_each_is_accelerates_own_and_says_whether_it_was_run(file):
    config = load_config_from_file(str(file))
    assert config.num_processes == 2
    assert config.mixed_precision == "no"
    first = file.read_text().splitlines()[0]
    assert first.startswith("# Never run") == (file.stem not in RUN_HERE)


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
        [sys.executable, "-m", *words, "gnomon", "train", file, "--out", run],
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

    launch = ["accelerate.commands.launch", "--config_file", str(CONFIGS / "ddp.yaml"), "-m"]
    lines, adapter = launched(launch, asked(2), tmp_path / "two")
    expected, whole = launched([], asked(4), tmp_path / "one")
    assert [line["step"] for line in lines] == [line["step"] for line in expected]
    for line, other in zip(lines[:-1], expected[:-1], strict=True):
        assert line.keys() == other.keys()
        for name in {"loss", "ce", "emd", "eval_ce", "eval_correct"} & line.keys():
            assert line[name] == pytest.approx(other[name], rel=tolerance), name
    for name, weight in whole.items():
        apart = (adapter[name].float() - weight.float()).norm() / weight.float().norm()
        assert apart < 10 * tolerance, name
