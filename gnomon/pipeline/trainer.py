"""TRL's SFTTrainer with a numeric loss: one forward, logits at the answer's tokens only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor
from torch.nn import functional
from trl import SFTTrainer

from gnomon.losses import CE, NumericVocab, create
from gnomon.pipeline.quantize import cast_adapter, keep_trainable_on_cpu

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gnomon.losses import NumericLoss

IGNORED = -100


class NumericSFTTrainer(SFTTrainer):  # type: ignore[misc]
    """total = CE + weight · loss, over the answer's tokens.

    Takes all that SFTTrainer takes, and any dataset and collator that give labels.
    Shapes: B batch, T tokens, P answer rows, V vocabulary.
    """

    def __init__(
        self,
        *args: Any,
        numeric_loss: NumericLoss | str | None = None,
        weight: float = 0.3,
        balance: Literal["fixed", "ce_ratio"] = "fixed",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
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
        self.weight = weight
        self.balance = balance
        self.numeric_loss = self._loss(numeric_loss)
        self._window: dict[str, Tensor] = {}  # denominators of the accumulation window
        self._logged: dict[tuple[str, str], Tensor] = {}  # mode, name -> [sum, count] since its log

    def compute_loss(
        self,
        model: torch.nn.Module,
        inputs: dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: Tensor | int | None = None,
    ) -> Any:
        labels = aligned(inputs["labels"])  # [B, T]
        answer = labels != IGNORED  # [B, T]
        others = {name: value for name, value in inputs.items() if name != "labels"}
        outputs = model(**{**others, "use_cache": False, "logits_to_keep": answer})
        logits, targets = outputs.logits, labels[answer]  # [P, V], [P]
        if not len(targets):
            raise ValueError("a batch without one answer token: were its answers cut off?")
        ce_sum = functional.cross_entropy(logits.float(), targets, reduction="sum")
        windowed = num_items_in_batch is not None
        loss = ce_sum / (len(targets) if num_items_in_batch is None else num_items_in_batch)
        self._note("ce", ce_sum, len(targets))
        self._note("mean_token_accuracy", (logits.argmax(-1) == targets).sum(), len(targets))
        if self.numeric_loss is not None:
            loss = loss + self._numeric(logits, labels, loss, windowed=windowed)
        if windowed and self.args.average_tokens_across_devices:
            # The denominators count every process, and DDP averages over the processes.
            loss = loss * (self.accelerator.num_processes // self.get_tp_size())
        return (loss, outputs) if return_outputs else loss

    def get_batch_samples(
        self, epoch_iterator: Any, num_batches: int, device: torch.device
    ) -> tuple[list[Any], Any]:
        """Count digits and numbers over the accumulation window, as transformers counts tokens."""
        batches, tokens = super().get_batch_samples(epoch_iterator, num_batches, device)
        if self.numeric_loss is not None:
            self._window = self._count(batch["labels"].to(device) for batch in batches)
        return batches, tokens

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Add each part of the loss: its mean over its own tokens since the last line."""
        mode = self._mode
        for key in [key for key in self._logged if key[0] == mode]:
            total, count = self.accelerator.reduce(self._logged.pop(key))
            self._metrics[mode][key[1]] = [(total / count.clamp(min=1)).item()]
        super().log(logs, start_time)

    def _numeric(self, logits: Tensor, labels: Tensor, ce: Tensor, *, windowed: bool) -> Tensor:
        loss = self.numeric_loss
        assert loss is not None
        sums = loss.sums_at(logits, loss.vocab.spans(labels))
        counts = loss.counts(labels)
        for name, part in sums.items():
            self._note(name, part, counts[name])
        numeric = loss.combine(sums, self._window if windowed else counts)
        if self.balance == "ce_ratio":
            ratio = ce.detach() / numeric.detach()
            numeric = numeric * torch.where(numeric.detach() > 0, ratio, 0.0)
        return self.weight * numeric

    def _count(self, labels: Iterable[Tensor]) -> dict[str, Tensor]:
        assert self.numeric_loss is not None
        counts: dict[str, Tensor] = {}
        for batch in labels:
            for name, count in self.numeric_loss.counts(aligned(batch)).items():
                counts[name] = counts.get(name, 0) + count
        if self.args.average_tokens_across_devices and self.args.world_size > 1:
            counts = {n: self.accelerator.gather(count).sum() for n, count in counts.items()}
        return counts

    def _note(self, name: str, total: Tensor, count: Tensor | int) -> None:
        counted = torch.as_tensor(count, device=total.device).float()
        pair = torch.stack([total.detach().float(), counted])
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
        width = self.model.get_output_embeddings().weight.shape[0]
        return create(loss, NumericVocab.from_tokenizer(self._tokenizer, size=width))

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        """PEFT gives a bf16 adapter back as float32; cast again, the resumed run is the same."""
        super()._load_from_checkpoint(resume_from_checkpoint, model)
        cast_adapter(self.model)

    def _send_telemetry(self) -> None:
        """Nothing phones home."""


def aligned(labels: Tensor) -> Tensor:
    """Labels moved to the positions whose logits score them: t predicts t + 1."""
    return functional.pad(labels[:, 1:], (0, 1), value=IGNORED)
