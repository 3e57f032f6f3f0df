"""The CPU defect of bitsandbytes: a first eval() forward repacks 4-bit layers in place."""

import subprocess
import sys

import bitsandbytes as bnb
import pytest
import torch
from bitsandbytes.functional import has_avx512bf16
from peft import LoraConfig, get_peft_model
from pipeline_toys import UNEVEN, batch_of, ours

from gnomon.pipeline.answering.local import generate_texts
from gnomon.pipeline.load import Loaded, load
from gnomon.pipeline.quantize import keep_trainable_on_cpu, quantized_layers
from gnomon.pipeline.training.parts import prepare_parts
from gnomon.recipe import Model, Train

on_such_a_cpu = pytest.mark.skipif(
    not has_avx512bf16(), reason="only a CPU with AVX512-BF16 repacks 4-bit layers"
)


@pytest.fixture
def loaded(checkpoint):
    return load(Model(name=str(checkpoint)))


def adapted(loaded):
    """The model with adapters whose second half is no longer 0, so that both halves have slopes."""
    torch.manual_seed(1)
    model = get_peft_model(loaded.model, prepare_parts(loaded, Train(lora_r=4, lora_alpha=4)))
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.05)
    return Loaded(model, loaded.processor, loaded.family)


def gradients(loaded):
    """The gradient of every adapter, on the same batch."""
    loaded.model.train()
    loaded.model.zero_grad()
    loaded.model(**batch_of(loaded, UNEVEN)).loss.backward()
    return {n: p.grad for n, p in loaded.model.named_parameters() if p.requires_grad}


def asked(loaded):
    return generate_texts(loaded, UNEVEN[:2], max_new_tokens=3)


def layers(model):
    return [m for m in model.modules() if isinstance(m, bnb.nn.Linear4bit)]


def test_every_4_bit_layer_is_kept_trainable(loaded):
    assert len(layers(loaded.model)) == len(quantized_layers(loaded.model)) == 21
    assert not any(layer.support_avx512bf16_for_cpu for layer in layers(loaded.model))


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


@on_such_a_cpu
def test_without_the_fence_the_gradients_are_lost_or_wrong(loaded):
    """What the fence is for; once this fails, bitsandbytes has mended it and the fence can go."""
    model = adapted(loaded)
    before = {name: gradient.clone() for name, gradient in gradients(model).items()}
    for layer in layers(model.model):
        layer.support_avx512bf16_for_cpu = True
    asked(model)
    try:
        after = gradients(model)
    except RuntimeError:
        return
    assert any(
        after[name] is None or not torch.allclose(after[name], before[name], rtol=0.1)
        for name in before
    )


def test_the_fence_leaves_other_layers_alone():
    layer = torch.nn.Linear(4, 4)
    keep_trainable_on_cpu(layer)
    assert not hasattr(layer, "support_avx512bf16_for_cpu")


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
