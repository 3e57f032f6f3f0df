"""TRL's SFTTrainer with a numeric loss: one forward, logits at the answer's tokens only."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from peft import PeftModel
from torch import Tensor
from torch.nn import functional
from trl import SFTTrainer

from gnomon.losses import CE, NumericLoss, NumericVocab, Objective, create
from gnomon.losses.objective import Balance, Rows, Schedule
from gnomon.pipeline.collate import FINAL, IGNORED
from gnomon.pipeline.quantize import cast_adapter, keep_trainable_on_cpu
from gnomon.pipeline.training.frozen import spare_frozen_towers
from gnomon.pipeline.training.head import (
    ends_with_its_head,
    keeps_answers,
    rows_at_once,
    rows_in_chunks,
)


class NumericSFTTrainer(SFTTrainer):  # type: ignore[misc]
    """total = CE + weight · loss, over the answer's tokens; `Objective` says it in full.

    Takes all that SFTTrainer takes, and any dataset and collator that give labels.
    Shapes: B batch, T tokens, P answer rows, H hidden, V vocabulary.
    """

    logits_at_once = 2**25
    """Logits that are held at a time: longer answers go through the head in chunks of rows."""

    def __init__(
        self,
        *args: Any,
        numeric_loss: NumericLoss | str | None = None,
        weight: float = 0.3,
        balance: Balance = "fixed",
        schedule: Schedule = "constant",
        warmup: float = 0.0,
        numeric_mass: float = 0.0,
        held_out: Callable[[Any], dict[str, float]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        # Qwen2.5-VL's and Qwen3-VL's classes say no, and transformers then counts no tokens over
        # the accumulation window and the processes: the loss would be a mean of means.
        self.model_accepts_loss_kwargs = True
        if (
            self.compute_loss_func
            or self.args.label_smoothing_factor
            or self.args.loss_type != "nll"
        ):
            raise ValueError(
                "compute_loss_func, label_smoothing_factor and loss_type='dft' change the"
                " cross-entropy, which NumericSFTTrainer computes itself: leave them out"
            )
        keep_trainable_on_cpu(self.model)
        cast_adapter(self.model)
        self._spare_towers()
        self._width: int = self.model.get_output_embeddings().weight.shape[0]  # V
        self._keeps, self._chunks = keeps_answers(self.model), ends_with_its_head(self.model)
        loss = self._loss(numeric_loss)
        self.objective = Objective(
            loss,
            weight=weight,
            balance=balance,
            schedule=schedule,
            warmup=warmup,
            numeric_mass=numeric_mass,
            vocab=None if loss is not None else self._digits(),
        )
        self.held_out = held_out
        """Gives an evaluation more figures of the model, such as those of its own answers."""
        self._window: dict[str, Tensor] = {}  # denominators of the accumulation window
        self._logged: dict[tuple[str, str], Tensor] = {}  # mode, name -> [sum, count] since its log

    def compute_loss(
        self,
        model: torch.nn.Module,
        inputs: dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: Tensor | int | None = None,
    ) -> Any:
        sums, counts, outputs = self._measured(model, inputs, whole=return_outputs)
        if num_items_in_batch is not None:
            counts = {**self._window, CE: torch.as_tensor(num_items_in_batch)}
        loss = self.objective.combine(sums, counts, progress=self._progress)
        if num_items_in_batch is not None and self.args.average_tokens_across_devices:
            # The denominators count every process, and DDP averages over the processes.
            loss = loss * (self.accelerator.num_processes // self.get_tp_size())
        if self.aux_loss_enabled:
            # A mean over the batch, where all else is a share of the window's sum.
            windows = 1 if num_items_in_batch is None else self.current_gradient_accumulation_steps
            loss = loss + self.router_aux_loss_coef * outputs.aux_loss.to(loss.device) / windows
        return (loss, outputs) if return_outputs else loss

    def get_batch_samples(
        self, epoch_iterator: Any, num_batches: int, device: torch.device
    ) -> tuple[list[Any], Any]:
        """Count digits and numbers over the accumulation window, as transformers counts tokens."""
        batches, tokens = super().get_batch_samples(epoch_iterator, num_batches, device)
        self._window = self._count(batches, device)
        return batches, tokens

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Add each part of the loss: its mean over its own tokens since the last line."""
        mode = self._mode
        for key in [key for key in self._logged if key[0] == mode]:
            total, count = self.accelerator.reduce(self._logged.pop(key))
            self._metrics[mode][key[1]] = [(total / count.clamp(min=1)).item()]
        if "train_loss" in logs:
            logs["train_loss"] = self._whole_mean(logs["train_loss"])
        super().log(logs, start_time)

    def evaluation_loop(self, *args: Any, metric_key_prefix: str = "eval", **kwargs: Any) -> Any:
        """Loss and parts of the held-out labels, and what `held_out` says of the model.

        Dropout and data order go on afterwards as if there had been no evaluation.
        """
        device = self.args.device
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            output = super().evaluation_loop(*args, metric_key_prefix=metric_key_prefix, **kwargs)
            figures = {} if self.held_out is None else self.held_out(self.model)
        output.metrics.update({f"{metric_key_prefix}_{n}": v for n, v in figures.items()})
        wanted = f"eval_{(self.args.metric_for_best_model or '').removeprefix('eval_')}"
        if self.held_out is not None and wanted.startswith(f"{metric_key_prefix}_"):
            # No deviation where nothing was read: that is never the best, and no end of the run.
            output.metrics.setdefault(wanted, math.nan)
        return output

    def _whole_mean(self, mean: float) -> float:
        """The mean loss of a resumed run: transformers' own is of the steps since the resume."""
        before = self._initial_global_step
        lines = [line for line in self.state.log_history if "loss" in line]
        steps = [line["step"] for line in lines if line["step"] <= before]
        windows = zip(lines, steps, [0, *steps], strict=False)
        total = sum(line["loss"] * (end - begin) for line, end, begin in windows)
        known, since = max(steps, default=0), self.state.global_step - before
        return float((total + mean * since) / max(known + since, 1))

    def _measured(
        self, model: torch.nn.Module, inputs: dict[str, Any], *, whole: bool
    ) -> tuple[dict[str, Tensor], dict[str, Tensor], Any]:
        """A batch's sums and counts by name, noted for the log, and the model's outputs."""
        labels, final = _labels(inputs)
        others = {name: value for name, value in inputs.items() if name not in ("labels", FINAL)}
        answer = labels != IGNORED  # [B, T]
        packed = self.args.packing or self.args.eval_packing  # a chunk may be of a prompt alone
        if not packed and not answer.any(1).all():
            raise ValueError(
                "a sample without one answer token: was its answer cut off?"
                f" (max_length={self.args.max_length})"
            )
        others |= {"use_cache": False}
        others |= {"output_router_logits": True} if self.aux_loss_enabled else {}
        rows, outputs = self._rows(model, others, answer, labels[answer], whole=whole)
        if self.aux_loss_enabled:
            self._note("aux_loss", outputs.aux_loss, torch.ones_like(outputs.aux_loss))
        if (once := self._once(len(labels))) < len(labels):
            rows = Rows(*(part[: int(answer[:once].sum())] for part in rows))
            labels, final = labels[:once], None if final is None else final[:once]
        sums, counts = (
            self.objective.sums(rows, labels, final),
            self.objective.counts(labels, final),
        )
        for name, total in sums.items():
            self._note(name, total, counts[name])
        return sums, counts, outputs

    def _once(self, samples: int) -> int:
        """How many of a batch's samples are there for the first time.

        Accelerate fills the last batches of several processes up with samples that were there
        already, and an evaluation would count them twice.
        """
        state = self.accelerator.gradient_state
        if self.model.training or not state.end_of_dataloader or state.remainder < 1:
            return samples
        others: int = self.accelerator.process_index * samples
        return min(max(int(state.remainder) - others, 0), samples)

    def _rows(
        self,
        model: torch.nn.Module,
        inputs: dict[str, Any],
        answer: Tensor,
        targets: Tensor,
        *,
        whole: bool,
    ) -> tuple[Rows, Any]:
        """What the objective needs of the answer's logits, and the model's outputs."""
        at_once = max(1, self.logits_at_once // self._width)
        keeps = self._keeps and not whole  # whoever wants the outputs wants every token's
        asked = (model, inputs, answer, targets, self.objective)
        if not keeps or not self._chunks or len(targets) <= at_once:
            return rows_at_once(*asked, keeps=keeps)
        head = self.accelerator.unwrap_model(model).get_output_embeddings()
        return rows_in_chunks(*asked, head=head, at_once=at_once)

    @property
    def _progress(self) -> float:
        """From 0 at the first step to 1 after the last."""
        return float(self.state.global_step / max(self.state.max_steps, 1))

    def _count(self, batches: Iterable[dict[str, Any]], device: torch.device) -> dict[str, Tensor]:
        counts: dict[str, Tensor] = {}
        for batch in batches:
            on_device = {n: batch[n].to(device) for n in ("labels", FINAL) if n in batch}
            for name, count in self.objective.counts(*_labels(on_device)).items():
                counts[name] = counts.get(name, 0) + count
        if self.args.average_tokens_across_devices and self.args.world_size > 1:
            counts = {n: self.accelerator.gather(count).sum() for n, count in counts.items()}
        return counts

    def _note(self, name: str, total: Tensor, count: Tensor) -> None:
        pair = torch.stack([total.detach().float(), count.float()])
        key = self._mode, name  # an evaluation may come in the middle of a log line
        self._logged[key] = self._logged[key] + pair if key in self._logged else pair

    @property
    def _mode(self) -> str:
        return "train" if self.model.training else "eval"

    def _loss(self, loss: NumericLoss | str | None) -> NumericLoss | None:
        """A loss by name is made for this model's tokenizer and the width of its head."""
        if not isinstance(loss, str):
            return loss
        if loss == CE:
            return None
        return create(loss, NumericVocab.from_tokenizer(self._tokenizer, size=self._width))

    def _digits(self) -> NumericVocab | None:
        """What tells the digits for the log where there is no numeric loss; None if none can be."""
        try:
            return NumericVocab.from_tokenizer(self._tokenizer, size=self._width)
        except ValueError:
            return None

    def _prepare_for_training(self, *args: Any, **kwargs: Any) -> Any:
        """By now the activations are checkpointed, for which transformers hooks every embedding."""
        self._spare_towers()
        return super()._prepare_for_training(*args, **kwargs)

    def _spare_towers(self) -> None:
        how = self.args.activation_checkpointing_kwargs or {}
        spare_frozen_towers(self.model, reentrant=bool(how.get("use_reentrant")))

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        """Every weight as it was saved; transformers' own would lose some of them.

        PEFT gives a bf16 adapter back as float32. And a whole Qwen2-VL is saved under other names
        than its modules have, none of which transformers finds again, for all that it warns.
        """
        sharded = self.is_fsdp_enabled or self.is_deepspeed_enabled
        if sharded or isinstance(self.model, PeftModel):
            super()._load_from_checkpoint(resume_from_checkpoint, model)
            cast_adapter(self.model)
            return
        kind = type(self.model)
        saved = kind.from_pretrained(resume_from_checkpoint, dtype=self.model.dtype)
        self.model.load_state_dict(saved.state_dict())

    def _load_best_model(self) -> None:
        if self.is_fsdp_enabled or self.is_deepspeed_enabled:
            super()._load_best_model()
        else:
            self._load_from_checkpoint(self.state.best_model_checkpoint)

    def _send_telemetry(self) -> None:
        """Nothing phones home."""


def aligned(labels: Tensor) -> Tensor:
    """Labels moved to the positions whose logits score them: t predicts t + 1."""
    return functional.pad(labels[:, 1:], (0, 1), value=IGNORED)


def _labels(batch: dict[str, Any]) -> tuple[Tensor, Tensor | None]:
    """A batch's labels, and those of the final answer alone where it has them; both aligned."""
    return aligned(batch["labels"]), aligned(batch[FINAL]) if FINAL in batch else None
