"""True sizes, random weights: a QLoRA step as a user takes it, from the command line.

The two of 2B need 24 GB of memory and 6 GB of disk, and no GPU; the others need one.
"""

import json
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import torch
from real_tokenizers import REAL
from safetensors.torch import load_file

pytestmark = pytest.mark.long
GIGA = 1e9
SIZES = [
    # checkpoint, family, its tokenizer, layers with adapters, gigabytes of memory and of disk
    ("Qwen/Qwen2-VL-2B-Instruct", "qwen2-vl", "qwen2", 28 * 7, 20, 6),
    ("Qwen/Qwen2-VL-7B-Instruct", "qwen2-vl", "qwen2", 28 * 7, 40, 20),
    ("Qwen/Qwen3-VL-2B-Instruct", "qwen3-vl", "qwen2", 28 * 7, 20, 6),
    ("llava-hf/llava-1.5-7b-hf", "llava", "sentencepiece", 32 * 7, 40, 18),
    ("meta-llama/Llama-3.2-11B-Vision-Instruct", "mllama", "llama3", 40 * 7, 60, 26),
]
BUILD = """
import sys
sys.path[:0] = PATHS
import torch
import transformers
from known_checkpoints import PICTURES
from real_tokenizers import REAL
from small_models import open_gates, processor_of
from gnomon.pipeline import families

name, checkpoint, tokenizer, folder = sys.argv[1:]
with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
    config = families.create(name).config(checkpoint)
    model = transformers.AutoModelForImageTextToText.from_config(config, dtype=torch.bfloat16)
open_gates(model)
model.save_pretrained(folder)
processor_of(name, REAL[tokenizer](), PICTURES[name]).save_pretrained(folder)
"""
RECIPE = """
data: [{kind: clock, options: {size: 224}}]
model: {name: FOLDER}
train: {samples: 1, max_steps: 1, per_device_train_batch_size: 1, logging_steps: 1}
eval: {samples: 1}
"""
HERE = Path(__file__).parents[1]


def run(*words):
    began = time.monotonic()
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return time.monotonic() - began


@pytest.mark.parametrize(("checkpoint", "name", "tokenizer", "layers", "memory", "disk"), SIZES)
def test_a_true_size_takes_a_qlora_step(
    tmp_path, checkpoint, name, tokenizer, layers, memory, disk
):
    if "2B" not in checkpoint:
        if not torch.cuda.is_available():
            pytest.skip(f"{checkpoint} needs a GPU")
    elif psutil.virtual_memory().available < memory * GIGA:
        pytest.skip(f"{checkpoint} needs {memory} GB of memory")
    if shutil.disk_usage(tmp_path).free < disk * GIGA:
        pytest.skip(f"{checkpoint} needs {disk} GB of disk")
    REAL[tokenizer]()  # which skips where its files are missing
    folder, out = tmp_path / "checkpoint", tmp_path / "run"
    script = BUILD.replace("PATHS", repr([str(HERE), str(HERE.parent)]))
    built = run("-c", script, name, checkpoint, tokenizer, str(folder))
    (tmp_path / "size.yaml").write_text(RECIPE.replace("FOLDER", str(folder)))
    trained = run("-m", "gnomon", "train", str(tmp_path / "size.yaml"), "--out", str(out))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    (line, *_) = map(json.loads, (out / "log.jsonl").read_text().splitlines())
    print(f"{checkpoint}: built in {built:.0f} s, trained in {trained:.0f} s, {line},"
          f" {peak / GIGA:.1f} GB at the peak")  # fmt: skip
    adapter = load_file(out / "adapter" / "adapter_model.safetensors")
    assert len(adapter) == 2 * layers
    moved = [key for key, value in adapter.items() if "lora_B" in key and value.any()]
    assert len(moved) == layers
    assert 8 < line["ce"] < 16  # about the logarithm of the vocabulary: nothing was learnt yet
    assert torch.cuda.is_available() or peak < memory * GIGA
