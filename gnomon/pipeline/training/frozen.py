"""No backward through what is frozen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transformers import PreTrainedModel

if TYPE_CHECKING:
    from torch.nn import Module

HOOK = "make_inputs_require_grads"
"""What transformers calls the hook that makes an embedding's output require a gradient."""


def spare_frozen_towers(model: PreTrainedModel, *, reentrant: bool = False) -> None:
    """Let no gradient go further into a tower than to what trains there.

    PEFT and activation checkpointing hook the inputs of every embedding, the picture's patches
    among them, and a whole backward then runs through a frozen vision tower for nothing. Only
    reentrant checkpointing needs the hook, and only where something in the tower trains.
    """
    words = model.get_input_embeddings()
    for tower in model.modules():
        if not isinstance(tower, PreTrainedModel) or (reentrant and _trains(tower)):
            continue
        embedding = _embedding(tower)
        if embedding is not None and embedding is not words:
            _unhook(embedding)


def _trains(module: Module) -> bool:
    return any(parameter.requires_grad for parameter in module.parameters())


def _embedding(tower: PreTrainedModel) -> Module | None:
    try:
        embedding: Module | None = tower.get_input_embeddings()
    except NotImplementedError:  # a tower may have none
        return None
    return embedding


def _unhook(embedding: Module) -> None:
    for key, hook in list(embedding._forward_hooks.items()):
        if getattr(hook, "__name__", "") == HOOK:
            del embedding._forward_hooks[key]
