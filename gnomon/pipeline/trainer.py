"""TRL's SFTTrainer with a numeric loss: one forward, logits at the answer's tokens only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import torch
from peft import PeftModel
from torch import Tensor
from torch.nn import functional
from trl import SFTTrainer

from gnomon.losses import CE, NumericVocab, create
from gnomon.pipeline.quantize import keep_trainable_on_cpu, quantized

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
        keep_trainable_on_cpu(self.model)
        self.weight = weight
        self.balance = balance
        self.numeric_loss = self._loss(numeric_loss)
        self._window: dict[str, Tensor] = {}  # denominators of the accumulation window
        self._logged: dict[str, Tensor] = {}  # name -> [sum, count] since the last log

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
        mode = "train" if self.model.training else "eval"
        for name, pair in self._logged.items():
            total, count = self.accelerator.reduce(pair)
            self._metrics[mode][name] = [(total / count.clamp(min=1)).item()]
        self._logged.clear()
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
        self._logged[name] = self._logged[name] + pair if name in self._logged else pair

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
        if isinstance(self.model, PeftModel) and quantized(self.model):
            for parameter in self.model.parameters():
                if parameter.requires_grad:
                    parameter.data = parameter.data.to(torch.bfloat16)

    def _send_telemetry(self) -> None:
        """Nothing phones home."""


def aligned(labels: Tensor) -> Tensor:
    """Labels moved to the positions whose logits score them: t predicts t + 1."""
    return functional.pad(labels[:, 1:], (0, 1), value=IGNORED)
