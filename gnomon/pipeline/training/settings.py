"""Conversion of a recipe to TRL's SFTConfig or GRPOConfig."""

import math
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from reprlib import repr as shorten
from typing import Any, get_type_hints

import torch
from pydantic import PydanticSchemaGenerationError, TypeAdapter, ValidationError
from transformers import SchedulerType
from trl import GRPOConfig, SFTConfig

from gnomon.eval.scoring.metrics import greater_is_better
from gnomon.names import hint
from gnomon.pipeline.families import releases
from gnomon.recipe import Grpo, Recipe
from gnomon.shortage import is_shortage

FIELDS = [field.name for field in fields(SFTConfig) if field.init]
CHECKPOINTING = releases.checkpointing_key()
"""Name of the setting in the installed transformers."""
_BOUNDS = {
    "adam_beta1": (0, 1 - 1e-9),
    "adam_beta2": (0, 1 - 1e-9),
    "adam_epsilon": (0, 1e9),
    "max_grad_norm": (0, 1e9),
    "neftune_noise_alpha": (0, 1e9),
    "data_seed": (0, 2**32 - 1),
    "save_total_limit": (1, 10**9),
    "ddp_timeout": (1, 10**9),
}
"""Minimum and maximum of numbers that TRL does not check. A negative norm would climb the loss."""


def training_config(recipe: Recipe, run: Path) -> SFTConfig | GRPOConfig:
    """Build TRL's configuration of a recipe's training, by its `train.method`."""
    return (sft_config if recipe.train.method == "sft" else grpo_config)(recipe, run)


def sft_config(recipe: Recipe, run: Path) -> SFTConfig:
    """Build the SFTConfig of a recipe's training, overridden by its `train.sft`.

    Refuses unknown keys, missing packages and several GPUs for one process.
    """
    settings = _shared_settings(recipe, run) | {
        "max_length": recipe.train.max_length,
        "dataset_kwargs": {"skip_prepare_dataset": True},
    }
    for name, value in (recipe.train.sft or {}).items():
        if name not in FIELDS:
            raise ValueError(
                f"train.sft.{name}: {value!r}: TRL has no such key; {hint(name, FIELDS)}"
            )
        settings[name] = _check_value(name, value)
    # There they check combinations of fields, in messages that do not know recipes.
    with name_sft_fields(recipe, "__post_init__"):
        config = SFTConfig(**{**settings, **evaluation_settings(recipe)})
    _check_gpus(config)
    return config


def grpo_config(recipe: Recipe, run: Path) -> GRPOConfig:
    """Build the GRPOConfig of a recipe's reinforcement learning.

    Every step samples new answers, and the reference model of KL terms is left out: a run resumes
    to the same bits only because no answer outlives its step.
    """
    grpo = recipe.train.grpo or Grpo()
    settings = _shared_settings(recipe, run) | {
        "num_generations": grpo.num_generations,
        "num_generations_eval": 1,  # evaluations ask greedily, in batches of any size
        "max_completion_length": recipe.max_new_tokens,
        "temperature": grpo.temperature,
        "beta": 0.0,
        "reward_weights": [1 - grpo.form, grpo.form],
        # The gradient of the CRPS would change if it was divided by the group's deviation.
        "scale_rewards": "none" if grpo.reward == "crps" else "group",
        # The dataset is in the order of all epochs already. TRL forgets the epoch if it resumes.
        "shuffle_dataset": False,
        "disable_dropout": True,
    }
    config = GRPOConfig(**{**settings, **evaluation_settings(recipe)})
    _check_gpus(config)
    if config.world_size > 1:
        raise ValueError(
            f"train.method=grpo: it trains in one process, not in {config.world_size}: start it"
            " without a launcher"
        )
    return config


def _shared_settings(recipe: Recipe, run: Path) -> dict[str, Any]:
    """Return the settings that do not depend on the method of training."""
    train = recipe.train
    same_names = (
        *("num_train_epochs", "max_steps", "learning_rate", "lr_scheduler_type", "warmup_steps"),
        *("weight_decay", "per_device_train_batch_size", "gradient_accumulation_steps"),
        *("save_steps", "logging_steps", "dataloader_num_workers"),
    )
    settings: dict[str, Any] = {name: getattr(train, name) for name in same_names}
    settings |= {
        CHECKPOINTING: train.activation_checkpointing,
        "output_dir": str(run / "checkpoints"),
        "seed": recipe.seed,
        "bf16": False,  # no autocast: the weights have the recipe's dtype
        "fp16": False,
        # Without it, accelerate does not join the processes of a CPU.
        "use_cpu": not torch.accelerator.is_available(),
        "report_to": reporters(train.report_to),
        # The last checkpoint and the best checkpoint.
        "save_total_limit": 2,
        # The collator takes a whole `sample`. TRL would drop it and tokenize text columns
        # instead.
        "remove_unused_columns": False,
        # New workers for each epoch would start with an empty queue, and the step would wait.
        "dataloader_persistent_workers": train.dataloader_num_workers > 0,
        "dataloader_pin_memory": torch.cuda.is_available(),
        "logging_first_step": True,  # a reader sees at once that it trains
    }
    try:
        SchedulerType(train.lr_scheduler_type)
    except ValueError as error:
        raise ValueError(f"train.lr_scheduler_type: {error}") from error
    return settings


def _check_gpus(config: SFTConfig | GRPOConfig) -> None:
    if config.n_gpu > 1:
        # transformers would wrap the model in nn.DataParallel, which breaks weights in 4 bits.
        raise ValueError(
            f"{config.n_gpu} GPUs are visible, but this is one process: start one process per"
            f" GPU with `accelerate launch --num_processes {config.n_gpu} -m gnomon train RECIPE"
            " --out DIR`, or use a single GPU with CUDA_VISIBLE_DEVICES=0"
        )


@contextmanager
def name_sft_fields(recipe: Recipe, *functions: str) -> Iterator[None]:
    """Turn TRL's errors about fields of `train.sft` into an error that names them.

    `functions` of TRL and transformers read these fields. Errors from elsewhere pass through.
    """
    try:
        yield
    except (ImportError, LookupError, OSError, TypeError, ValueError) as error:
        # Only the traceback tells an error about these fields from other errors.
        frames = {frame.name for frame in traceback.extract_tb(error.__traceback__)}
        if not recipe.train.sft or not frames & set(functions) or is_shortage(error):
            raise
        names = ", ".join(recipe.train.sft)
        raise ValueError(f"train.sft: TRL refuses {names}: {error or repr(error)}") from error


def _check_value(name: str, value: Any) -> Any:
    """Refuse a value of another type than TRL's field has, or out of bounds. TRL checks few fields.

    A number in quotes becomes a number. Every other value is returned unchanged.
    """
    minimum, maximum = _BOUNDS.get(name, (-math.inf, math.inf))
    try:
        # By TRL's own annotations, because its command line takes these types.
        checked = TypeAdapter(_field_types()[name]).validate_python(value)
        if not isinstance(checked, int | float):
            return value
        if not minimum <= checked <= maximum:  # NaN is refused, too
            raise ValueError(f"train.sft.{name}: {shorten(value)}: give {minimum} to {maximum}")
        return checked
    except PydanticSchemaGenerationError:  # a class of a library that pydantic does not know
        return value
    except ValidationError as error:
        faults = "; ".join(dict.fromkeys(detail["msg"].lower() for detail in error.errors()))
        raise ValueError(f"train.sft.{name}: {shorten(value)}: {faults}") from error


@cache
def _field_types() -> dict[str, Any]:
    return get_type_hints(SFTConfig)


def evaluation_settings(recipe: Recipe) -> dict[str, Any]:
    """Return the settings of evaluations, with a checkpoint at each and the best loaded at the
    end."""
    train = recipe.train
    if train.validation_steps is None:
        return {}
    return {
        "eval_strategy": "steps",
        "eval_steps": train.validation_steps,
        "save_steps": train.validation_steps,  # the best one must have been saved
        "per_device_eval_batch_size": recipe.eval.batch_size,
        "load_best_model_at_end": True,
        "metric_for_best_model": train.metric,
        "greater_is_better": greater_is_better(train.metric),
        "restore_callback_states_from_checkpoint": True,  # the patience spent before a kill
    }


def reporters(services: Sequence[str]) -> list[str]:
    """Return the services that also receive the log, after checking that their packages exist."""
    for name in services:
        if find_spec(name) is None:
            raise ValueError(f"train.report_to: {name} is not installed: pip install {name}")
    return list(services) or ["none"]
