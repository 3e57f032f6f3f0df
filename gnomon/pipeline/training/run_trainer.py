"""Changes of transformers' trainer that every training of a run needs: resume to the bit, rates by
part, towers."""

import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers
from peft import PeftModel
from typing_extensions import override  # typing has it from Python 3.12 on

from gnomon.pipeline.quantize import cast_adapter, keep_trainable_on_cpu
from gnomon.pipeline.training.parts import spare_frozen_towers
from gnomon.shortage import add_path_to_disk_error


class RunTrainer(transformers.Trainer):  # type: ignore[misc]
    """Trainer whose checkpoints resume to the same bits. A TRL trainer is the second base class."""

    learning_rate_of: Callable[[str], float] | None
    """Highest learning rate of a parameter by its name. None if all have the same rate."""
    validation: Callable[[Any], dict[str, float]] | None
    """Function from the model to further figures of an evaluation, such as the scores of its
    answers."""

    def __init__(
        self,
        *args: Any,
        validation: Callable[[Any], dict[str, float]] | None = None,
        learning_rate_of: Callable[[str], float] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.validation, self.learning_rate_of = validation, learning_rate_of
        keep_trainable_on_cpu(self.model)
        cast_adapter(self.model)
        self._spare_towers()

    def score_validation(self, prefix: str) -> dict[str, float]:
        """Return the figures of `validation` under their names in an evaluation."""
        if self.validation is None:
            return {}
        figures = {f"{prefix}_{name}": v for name, v in self.validation(self.model).items()}
        metric = f"eval_{(self.args.metric_for_best_model or '').removeprefix('eval_')}"
        if metric.startswith(f"{prefix}_"):
            # A deviation is missing if no answer could be read. NaN is never the best, while
            # transformers would end the run over a missing metric.
            figures.setdefault(metric, math.nan)
        return figures

    @override
    def create_optimizer(self, *args: Any, **kwargs: Any) -> Any:
        """Build the optimizer, splitting its parameter groups by learning rate."""
        optimizer = super().create_optimizer(*args, **kwargs)
        if self.learning_rate_of is None:
            return optimizer
        # By identity, because the optimizer's groups hold parameters without names.
        rates = {id(p): self.learning_rate_of(name) for name, p in self.model.named_parameters()}
        groups = []
        for group in optimizer.param_groups:
            # In a fixed order, by which a saved optimizer's state finds its groups again.
            for rate in sorted({rates[id(p)] for p in group["params"]}, reverse=True):
                parameters = [p for p in group["params"] if rates[id(p)] == rate]
                groups.append({**group, "params": parameters, "lr": rate})
        optimizer.param_groups[:] = groups
        return optimizer

    @override
    def _prepare_for_training(self, *args: Any, **kwargs: Any) -> Any:
        """Undo the hooks again, because checkpointing, set up just before, hooks every
        embedding."""
        self._spare_towers()
        return super()._prepare_for_training(*args, **kwargs)

    def _spare_towers(self) -> None:
        # transformers 5.23 renamed this setting, and keeps the old name as well.
        options = self.args.gradient_checkpointing_kwargs or {}
        spare_frozen_towers(self.model, reentrant=bool(options.get("use_reentrant")))

    @override
    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        """Load every weight as it was saved. The method of transformers loses some of them.

        PEFT returns a bf16 adapter as float32. A whole Qwen2-VL is saved under other names than its
        modules have. transformers does not find these names again and only warns.
        """
        sharded = self.is_fsdp_enabled or self.is_deepspeed_enabled
        if sharded or isinstance(self.model, PeftModel):
            super()._load_from_checkpoint(resume_from_checkpoint, model)
            cast_adapter(self.model)
            return
        # from_pretrained maps the saved names to the names of the modules.
        saved = type(self.model).from_pretrained(resume_from_checkpoint, dtype=self.model.dtype)
        self.model.load_state_dict(saved.state_dict())

    @override
    def _save_checkpoint(self, model: torch.nn.Module, trial: Any) -> None:
        """Start with an empty folder, because a kill may have left half of this checkpoint.

        PEFT would read the card in it, and files of two trainings would be mixed in one checkpoint.
        A full disk is reported with the place, which the writing libraries do not name.
        """
        path = Path(self._get_output_dir(trial=trial))
        if self.args.should_save:
            shutil.rmtree(path / f"checkpoint-{self.state.global_step}", ignore_errors=True)
        self.accelerator.wait_for_everyone()
        with add_path_to_disk_error(path):
            super()._save_checkpoint(model, trial)

    @override
    def _load_best_model(self) -> None:
        if self.is_fsdp_enabled or self.is_deepspeed_enabled:
            super()._load_best_model()
        else:
            self._load_from_checkpoint(self.state.best_model_checkpoint)

    @override
    def _send_telemetry(self) -> None:
        """Send no telemetry, whatever TRL's default."""
