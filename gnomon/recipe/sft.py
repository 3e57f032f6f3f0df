"""The fields of TRL's SFTConfig that `train.sft` may not set, each with the right way to say it.

They are set by another key of the recipe, or they would write or send a run elsewhere, run code
that came with a checkpoint, or change batches and answers that gnomon makes itself. What is not
listed passes through: optimizers, clipping, schedules, DeepSpeed, FSDP, compilation and so on.
"""

from __future__ import annotations

from typing import Any

_DTYPE = "say model.dtype"
_STEPS = "say train.save_steps: a run goes on from its checkpoints, so they are whole"
_EVALUATION = "say train.eval_steps"
_BATCHES = "leave it out: gnomon makes the batches and labels itself"
_LOSS = "say loss.name, for the loss is the recipe's"
_HUB = "leave it out: nothing is uploaded in training; `gnomon merge --push-to-hub` does it"
_LOG = "leave it out: train.report_to says where the log goes"
_CODE = "leave it out: no code that comes with a checkpoint is run; the model's keys are in model"

_SAY_TRAIN = (
    "num_train_epochs", "max_steps", "learning_rate", "lr_scheduler_type", "warmup_steps",
    "weight_decay", "per_device_train_batch_size", "gradient_accumulation_steps",
    "activation_checkpointing", "save_steps", "logging_steps", "max_length", "eval_steps",
    "report_to", "dataloader_num_workers",
)  # fmt: skip
_INSTEAD: dict[str, str] = {
    **{name: f"say train.{name}" for name in _SAY_TRAIN},
    "gradient_checkpointing": "say train.activation_checkpointing",
    "warmup_ratio": "say train.warmup_steps",
    "seed": "say seed",
    **dict.fromkeys(("bf16", "fp16", "bf16_full_eval", "fp16_full_eval"), _DTYPE),
    "use_cpu": "leave it out, and hide the GPUs with CUDA_VISIBLE_DEVICES=",
    "output_dir": "leave it out: --out says where a run is written",
    "resume_from_checkpoint": "leave it out: the same command goes on from the last checkpoint",
    **dict.fromkeys(("save_strategy", "save_only_model"), _STEPS),
    **dict.fromkeys(("eval_strategy", "load_best_model_at_end"), _EVALUATION),
    "restore_callback_states_from_checkpoint": _EVALUATION,
    "metric_for_best_model": "say train.metric",
    "greater_is_better": "say train.metric",
    "per_device_eval_batch_size": "say eval.batch_size",
    **dict.fromkeys(
        ("remove_unused_columns", "dataset_kwargs", "dataset_text_field", "dataset_num_proc",
         "shuffle_dataset", "label_names", "packing", "packing_strategy", "padding_free",
         "pad_to_multiple_of", "eval_packing", "truncation_mode", "completion_only_loss",
         "assistant_only_loss", "chat_template_path", "eos_token", "pad_token"),
        _BATCHES,
    ),
    **dict.fromkeys(("loss_type", "label_smoothing_factor"), _LOSS),
    **dict.fromkeys(("trust_remote_code", "model_init_kwargs"), _CODE),
}  # fmt: skip
_BY_PREFIX = {"hub_": _HUB, "push_to_hub": _HUB, "trackio_": _LOG, "logging_dir": _LOG}


def check(given: dict[str, Any]) -> None:
    """Refuse what is not for `train.sft` to say; values are not shown, for some are tokens."""
    told = [f"sft.{name}: {way_out}" for name in given if (way_out := instead(name))]
    if told:
        raise ValueError("; ".join(told))


def instead(name: str) -> str | None:
    """How a refused field is said otherwise; None for one that passes through."""
    by_prefix = (way_out for start, way_out in _BY_PREFIX.items() if name.startswith(start))
    return _INSTEAD.get(name) or next(by_prefix, None)
