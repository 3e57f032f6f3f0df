"""Whether the TRL and transformers that are installed have what the trainer overrides.

It is looked at when the trainer is imported: a release that moved one of these would otherwise
fail in the middle of a training, or train something else.
"""

from __future__ import annotations

import inspect
from dataclasses import fields
from functools import cache

import transformers
import trl
from transformers import Trainer, TrainingArguments

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
    """Refuse a trainer that has other methods than are overridden."""
    for name, expected in OVERRIDDEN.items():
        method = getattr(trainer, name, None)
        found = method and tuple(inspect.signature(method).parameters)[1:]
        if found != expected:
            has = "is not there" if found is None else f"takes ({', '.join(found)})"
            raise VersionError(
                f"{trainer.__name__}.{name} {has}, and gnomon overrides"
                f" {name}({', '.join(expected)}): transformers {transformers.__version__} and trl"
                f" {trl.__version__} cannot be trained with: pip install '.[train]' in gnomon's"
                " clone takes some that can"
            )
