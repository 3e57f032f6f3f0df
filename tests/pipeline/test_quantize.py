"""The CPU defect of bitsandbytes: a first eval() forward repacks 4-bit layers in place."""

import subprocess
import sys

import bitsandbytes as bnb
import pytest
import torch
from bitsandbytes.functional import has_avx512bf16
from peft import LoraConfig
from pipeline_toys import UNEVEN, ours

from gnomon.pipeline.load import load
from gnomon.pipeline.quantize import keep_trainable_on_cpu, quantized_layers
from gnomon.pipeline.training.parts import prepare_parts
from gnomon.recipe import Model, Train

on_such_a_cpu = pytest.mark.skipif(
    not has_avx512bf16(), reason="only a CPU with AVX512-BF16 repacks 4-bit layers"
)


@pytest.fixture
def loaded(checkpoint):
    return load(Model(name=str(checkpoint)))


def layers(model):
    return [m for m in model.modules() if isinstance(m, bnb.nn.Linear4bit)]


def test_every_4_bit_layer_is_kept_trainable(loaded):
    assert len(layers(loaded.model)) == len(quantized_layers(loaded.model)) == 21
    assert not any(layer.support_avx512bf16_for_cpu for layer in layers(loaded.model))
    other = torch.nn.Linear(4, 4)
    keep_trainable_on_cpu(other)
    assert not hasattr(other, "support_avx512bf16_for_cpu")


def test_a_model_that_came_from_elsewhere_is_kept_trainable_too(checkpoint, tmp_path, monkeypatch):
    """A trainer may be handed a model that `load` has not seen."""
    monkeypatch.setattr("gnomon.pipeline.quantize.keep_trainable_on_cpu", lambda _: None)
    loaded = load(Model(name=str(checkpoint)))
    for layer in layers(loaded.model):
        layer.support_avx512bf16_for_cpu = True
    adapters = prepare_parts(loaded, Train())
    trainer = ours(loaded, UNEVEN, tmp_path, peft_config=adapters)
    assert len(layers(trainer.model)) == 21
    assert not any(layer.support_avx512bf16_for_cpu for layer in layers(trainer.model))


@pytest.mark.slow
def test_doras_magnitudes_move(loaded, tmp_path):
    """In bf16 a step of 1e-4 is rounded away, and they would stay as they began."""
    dora = LoraConfig(use_dora=True, target_modules=r".*language_model.*\.q_proj")
    sft = {"optim": "adamw_torch", "learning_rate": 1e-4, "max_steps": 2}
    trainer = ours(loaded, UNEVEN, tmp_path, peft_config=dora, sft=sft)
    magnitudes = {n: p for n, p in trainer.model.named_parameters() if "magnitude" in n}
    before = {name: magnitude.detach().clone() for name, magnitude in magnitudes.items()}
    trainer.train()
    for name, magnitude in magnitudes.items():
        assert not torch.equal(magnitude, before[name]), name


@pytest.mark.slow
@on_such_a_cpu
@pytest.mark.parametrize("kernels", ["def get_kernel(*_, **__): print('asked the hub')", None])
def test_importing_bitsandbytes_asks_no_hub_for_a_kernel(tmp_path, kernels):
    """It asks at its import, which is PEFT's, and warns where the package is not installed."""
    if kernels is not None:
        (tmp_path / "kernels.py").write_text(kernels)
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import gnomon.pipeline.quantize"
    script += "; import kernels; kernels.get_kernel" if kernels else ""
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (told.returncode, told.stdout + told.stderr) == (0, "")


@pytest.mark.slow
def test_bitsandbytes_compiles_when_it_is_called_and_not_when_it_is_imported():
    script = """
import sys
import gnomon.pipeline.quantize
import torch
from bitsandbytes.backends.default import ops

assert "torch._inductor.compile_fx" not in sys.modules
table, scale = torch.arange(256.0), torch.full((2,), 3.0)
values = ops._dequantize_blockwise_compute(torch.arange(8), scale, table, 4, torch.float32)
assert values.tolist() == [3.0 * n for n in range(8)]
assert "torch._inductor.compile_fx" in sys.modules
assert torch.compile.__module__ == "torch"
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
