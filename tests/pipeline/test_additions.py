"""Additions to a model's weights lead from some weights to others, and are small."""

import torch
from torch import nn

from gnomon.pipeline import additions
from gnomon.pipeline.families import TINY
from gnomon.runs.finding import ADDITIONS


def weights(model):
    return {name: weight.detach().clone() for name, weight in model.named_parameters()}


def test_an_addition_leads_to_the_other_weights_within_half_a_step(tmp_path):
    torch.manual_seed(0)
    model, other = (nn.Sequential(nn.Conv2d(2, 3, 2), nn.Linear(5, 4)) for _ in range(2))
    with torch.no_grad():
        other[1].bias.copy_(model[1].bias)
    before, after = weights(model), weights(other)
    additions.write(tmp_path / "it.safetensors", before, after)
    additions.add(model, tmp_path / "it.safetensors")
    for name, weight in weights(model).items():
        rows = (after[name] - before[name]).flatten(1 if weight.ndim > 1 else 0)
        step = rows.abs().amax(-1) / 127
        off = (weight - after[name]).abs().flatten(1 if weight.ndim > 1 else 0).amax(-1)
        assert (off <= 0.51 * step + 1e-7).all()
        assert not torch.equal(weight, before[name]) or name == "1.bias"


def test_weights_in_sixteen_bits_take_an_addition(tmp_path):
    model = nn.Linear(4, 4)
    before = weights(model)
    additions.write(tmp_path / "it", before, {n: w + 1 for n, w in before.items()})
    additions.add(model.bfloat16(), tmp_path / "it")
    assert torch.allclose(model.weight.float(), before["weight"] + 1, atol=0.01)


def test_the_additions_that_ship_are_small_and_fit_the_model():
    from gnomon.pipeline.load import load
    from gnomon.recipe import Model

    files = list((TINY / ADDITIONS).iterdir())
    assert [file.name for file in files] == ["clock.safetensors"]
    assert sum(file.stat().st_size for file in files) <= 4_000_000
    model = load(Model(name="gnomon-tiny", load_in_4bit=False)).model
    before = weights(model)
    additions.add(model, files[0])
    moved = [name for name, weight in weights(model).items() if not weight.equal(before[name])]
    assert any("visual" in name for name in moved)
    assert all(weight.isfinite().all() for weight in model.parameters())
