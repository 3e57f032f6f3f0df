"""Additions to a model's weights, with which it reads one kind of found instruments better.

A file holds, for each weight that changes, the difference in steps of 8 bits and the size of a step
for each row. The model's own weights stay as they are, and read all other pictures.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

_STEP = ".step"
_MOST = 127


def write(file: Path, before: Mapping[str, Tensor], after: Mapping[str, Tensor]) -> None:
    """Write what leads from some weights to others. Equal weights take no room."""
    tensors = {}
    for name, weight in after.items():
        away = weight.detach().float() - before[name].detach().float()
        if not away.any():
            continue
        rows = away.flatten(1) if away.ndim > 1 else away[None]
        step = (rows.abs().amax(1) / _MOST).clamp(min=1e-12)
        tensors[name] = (rows / step[:, None]).round().to(torch.int8).view(away.shape)
        tensors[name + _STEP] = step
    save_file(tensors, file)


def add(model: nn.Module, file: Path) -> None:
    """Add what a file holds to the weights of a model."""
    tensors = load_file(file)
    weights = dict(model.named_parameters())
    for name, steps in tensors.items():
        if name.endswith(_STEP):
            continue
        size = tensors[name + _STEP].view(-1, *[1] * (steps.ndim - 1))
        weight = weights[name]
        with torch.no_grad():
            weight.copy_(weight.float() + (steps * size).to(weight.device))
