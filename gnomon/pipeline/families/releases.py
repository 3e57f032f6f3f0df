"""Releases of transformers and TRL: a check of the installed releases, and variants for older ones.

Each variant names the release that made it unnecessary. If the lower bound in pyproject.toml
reaches this release, the variant can go. `python -m benchmarks.releases` tries the releases.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from inspect import isfunction, signature
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module

PLAIN_LOSSES = ("nll", "chunked_nll")
"""Loss types of TRL that are plain cross-entropy. From 1.15 on, chunked_nll is its default.

Chunked or not, the model's own forward runs if it is given no labels, as the trainer does.
"""

TRL_KEYS = ("_prediction_loss_only",)
"""Keys that TRL before 1.15 adds to a batch of an evaluation and removes in its own loss."""

GENERIC_METHODS = {
    "SmolVLMProcessor": "apply_chat_template",  # its own asks the video part
    # Before transformers 5.23 it refuses a text without a picture in a batch with pictures.
    "MllamaProcessor": "validate_inputs",
}
"""Methods of processors that are replaced by ProcessorMixin's."""

_GEMMA4 = "transformers.models.gemma4"


class VersionError(ImportError, ValueError):
    """Error: the trainer does not work with the installed releases of TRL and transformers."""


def check_overrides(ours: type, theirs: type) -> None:
    """Refuse installed releases whose methods differ from the methods marked with @override.

    Otherwise a moved method would fail in the middle of a training, or train something else. If our
    method takes *args, it only passes them on, so the name is enough.
    """
    for name, method in vars(ours).items():
        if not isfunction(method) or not hasattr(method, "__override__"):
            continue
        expected, base = signature(method).parameters, getattr(theirs, name, None)
        passes_on = any(p.kind is p.VAR_POSITIONAL for p in expected.values())
        actual = [] if base is None else list(signature(base).parameters)
        # By name and order, because transformers passes some arguments by position.
        if base is None or not (passes_on or actual == list(expected)):
            fault = "does not exist" if base is None else f"takes ({', '.join(actual)})"
            raise VersionError(
                f"{theirs.__name__}.{name} {fault}, and gnomon overrides"
                f" {name}({', '.join(expected)}): gnomon does not support transformers"
                f" {version('transformers')} with trl {version('trl')}: pip install '.[train]' in"
                " gnomon's clone installs supported releases"
            )


@contextmanager
def only_answer_rows(head: Module, answer: Tensor) -> Iterator[dict[str, Tensor]]:
    """Yield arguments with which a model computes only the answer's logits: [P, V].

    `answer` marks the answer's positions, [B, T] bool, and `head` is the model's head. Before 5.21,
    transformers' models do not take such a mask for logits_to_keep. Then the head itself selects
    the rows within the block.
    """
    if takes_masks():
        yield {"logits_to_keep": answer}
        return

    def selecting_head(hidden: Tensor) -> Tensor:
        return project(hidden[answer])

    with replaced_forward(head, selecting_head) as project:
        yield {}


@cache
def takes_masks() -> bool:
    """Return True if logits_to_keep may be a mask over batch and tokens: transformers 5.21."""
    return hasattr(import_module("transformers.modeling_utils"), "slice_logits_to_keep")


@contextmanager
def replaced_forward(
    head: Module, forward: Callable[[Tensor], Tensor]
) -> Iterator[Callable[[Tensor], Tensor]]:
    """Give the head another forward method within the block. Yield the original method."""
    original, instance_forward = head.forward, head.__dict__.get("forward")
    # Set on the instance, where it hides the class's method.
    head.forward = forward
    try:
        yield original
    finally:
        del head.forward
        if instance_forward is not None:  # accelerate's hooks set a forward on the instance
            head.forward = instance_forward


@cache
def checkpointing_key() -> str:
    """Return the name of the setting that checkpoints activations.

    transformers before 5.23 only knows its old name, later releases know both.
    """
    from transformers import TrainingArguments

    names = {field.name for field in fields(TrainingArguments)}
    new = "activation_checkpointing"
    return new if new in names else "gradient_checkpointing"


@cache
def cache_key() -> str:
    """Return the name of the cache of keys and values in arguments and outputs of models.

    transformers before 5.24 only knows the longer name, about which later releases warn.
    """
    from transformers.modeling_outputs import CausalLMOutputWithPast

    names = {field.name for field in fields(CausalLMOutputWithPast)}
    return "cache" if "cache" in names else "past_key_values"


def processor_class(name: str) -> Any:
    """Return transformers' processor class of this name. None if it does not exist.

    Before 5.21, the module of Gemma 4 imports two names from the image processor that needs
    torchvision. The image processor for PIL also has them, and replaces it during the import if
    torchvision is missing.
    """
    from transformers.models.auto.processing_auto import processor_class_from_name

    tensor_pictures = f"{_GEMMA4}.image_processing_gemma4"
    if name == "Gemma4Processor" and find_spec("torchvision") is None:
        is_missing = tensor_pictures not in sys.modules
        if is_missing:
            sys.modules[tensor_pictures] = import_module(f"{_GEMMA4}.image_processing_pil_gemma4")
        try:
            return processor_class_from_name(name)
        finally:
            if is_missing:
                del sys.modules[tensor_pictures]
    return processor_class_from_name(name)
