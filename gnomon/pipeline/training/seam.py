"""Whether the TRL and transformers that are installed have what the trainer overrides.

It is looked at when the trainer is imported: a release that moved one of these would otherwise
fail in the middle of a training, or train something else.
"""

from __future__ import annotations

import inspect
from dataclasses import fields
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement
from transformers import Trainer, TrainingArguments

from gnomon.progress import warn

LIBRARIES = ("transformers", "trl", "peft", "bitsandbytes")
_BATCH = ("return_outputs", "num_items_in_batch")
OVERRIDDEN: dict[str, tuple[str, ...]] = {
    "compute_loss": ("model", "inputs", *_BATCH),
    "get_batch_samples": ("epoch_iterator", "num_batches", "device"),
    "create_optimizer": ("model",),
    "log": ("logs", "start_time"),
    "evaluation_loop": (
        *("dataloader", "description", "prediction_loss_only", "ignore_keys", "metric_key_prefix"),
    ),
    "_prepare_for_training": ("max_steps", "train_dataloader", "resume_from_checkpoint"),
    "_load_from_checkpoint": ("resume_from_checkpoint", "model"),
    "_load_best_model": (),
    "_send_telemetry": (),
    "get_tp_size": (),
}
"""Methods of SFTTrainer that NumericSFTTrainer overrides or asks, and what they take."""

_SETTINGS = {field.name for field in fields(TrainingArguments)}
CHECKPOINTING = (
    "activation_checkpointing"
    if "activation_checkpointing" in _SETTINGS
    else "gradient_checkpointing"  # transformers before 5.23
)
"""What the installed transformers calls the setting."""


class VersionError(ImportError, ValueError):
    """Releases that cannot be trained with."""


@cache
def check(trainer: type[Trainer]) -> None:
    """Refuse a trainer that has other methods than are overridden, and say which versions work.

    Releases that gnomon was not tested with, but that have them, are warned of.
    """
    for name, expected in OVERRIDDEN.items():
        method = getattr(trainer, name, None)
        found = method and tuple(inspect.signature(method).parameters)[1:]
        if found != expected:
            has = "is not there" if found is None else f"takes ({', '.join(found)})"
            here = ", ".join(f"{library} {version(library)}" for library in LIBRARIES[:2])
            raise VersionError(
                f"{trainer.__name__}.{name} {has}, and gnomon overrides"
                f" {name}({', '.join(expected)}): {here} cannot be trained with. These work:"
                f" {working()}"
            )
    untested = [
        f"{need.name} {found}"
        for need in _needed()
        if not need.specifier.contains(found := version(need.name), prereleases=True)
    ]
    if untested:
        warn(f"not tested with {', '.join(untested)}. These work: {working()}")


def working() -> str:
    """The versions that gnomon is tested with, as its package says them."""
    return ", ".join(f"{need.name}{need.specifier}" for need in _needed())


def _needed() -> list[Requirement]:
    try:
        lines = requires("gnomon") or ()
    except PackageNotFoundError:  # run from its sources
        return []
    return [need for need in map(Requirement, lines) if need.name in LIBRARIES]
