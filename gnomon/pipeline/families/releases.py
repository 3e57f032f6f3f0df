"""Releases of transformers and TRL: a check of those installed, and what older ones need.

A form names the release that ended it. With the lower bound in pyproject.toml at or above that
release, it can go. `python -m benchmarks.releases` tries the releases.
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
"""Loss types of TRL that are plain cross-entropy; before 1.15 chunked_nll is its default.

Chunked or not, the model's own forward runs wherever it is given no labels, as the trainer does.
"""

TRL_KEYS = ("_prediction_loss_only",)
"""Keys that TRL before 1.15 adds to a batch of an evaluation and takes out in its own loss."""

GENERIC_METHODS = {
    "SmolVLMProcessor": "apply_chat_template",  # its own asks the video part
    # Before transformers 5.23 it refuses a text without a picture beside others that have one.
    "MllamaProcessor": "validate_inputs",
}
"""Methods of processors that are replaced by ProcessorMixin's."""

_GEMMA4 = "transformers.models.gemma4"


class VersionError(ImportError, ValueError):
    """Installed releases of TRL and transformers with which the trainer does not work."""


def check_overrides(ours: type, theirs: type) -> None:
    """Refuse installed releases whose methods differ from those marked with @override.

    One that moved a method would otherwise fail in the middle of a training, or train something
    else. A method of ours that takes *args only passes them on: there the name is enough.
    """
    for name, method in vars(ours).items():
        if not isfunction(method) or not hasattr(method, "__override__"):
            continue
        expected, base = signature(method).parameters, getattr(theirs, name, None)
        passes_on = any(p.kind is p.VAR_POSITIONAL for p in expected.values())
        actual = [] if base is None else list(signature(base).parameters)
        # By name and order, since transformers passes some arguments by position.
        if base is None or not (passes_on or actual == list(expected)):
            fault = "is not there" if base is None else f"takes ({', '.join(actual)})"
            raise VersionError(
                f"{theirs.__name__}.{name} {fault}, and gnomon overrides"
                f" {name}({', '.join(expected)}): transformers {version('transformers')} and trl"
                f" {version('trl')} are not supported: pip install '.[train]' in gnomon's clone"
                " installs releases that are"
            )


@contextmanager
def only_answer_rows(head: Module, answer: Tensor) -> Iterator[dict[str, Tensor]]:
    """Yield arguments of a model with which it computes the answer's logits alone: [P, V].

    `answer` marks the answer's positions, [B, T] bool, and `head` is the model's. Before 5.21
    transformers' models take no such mask for logits_to_keep: there the head itself selects the
    rows within the block.
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
    """Give the head another forward within the block; yields the original one."""
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

    transformers before 5.23 calls it by its old name alone, and later ones take both.
    """
    from transformers import TrainingArguments

    names = {field.name for field in fields(TrainingArguments)}
    new = "activation_checkpointing"
    return new if new in names else "gradient_checkpointing"


@cache
def cache_key() -> str:
    """Return the name of the keys' and values' cache in arguments and outputs of models.

    transformers before 5.24 has only the longer one, at which later ones warn.
    """
    from transformers.modeling_outputs import CausalLMOutputWithPast

    names = {field.name for field in fields(CausalLMOutputWithPast)}
    return "cache" if "cache" in names else "past_key_values"


def processor_class(name: str) -> Any:
    """Return transformers' processor class of this name; None if there is none.

    Before 5.21 Gemma 4's imports two names from the image processor that needs torchvision. The
    one for PIL has them, too, and takes its place during the import where torchvision is missing.
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
