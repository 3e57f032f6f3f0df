"""TRL's SFTTrainer with a numeric loss: one forward pass, with logits at the answer's tokens
only."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
import trl
from torch import Tensor
from torch.nn import functional
from typing_extensions import override  # typing has it from Python 3.12 on

from gnomon.losses import CE, NumericLoss, NumericVocab, Objective, create
from gnomon.losses.numbers.spans import Spans
from gnomon.losses.objective import COVERAGE, Balance, Schedule
from gnomon.pipeline.collate import FINAL_LABELS, IGNORED
from gnomon.pipeline.families.releases import PLAIN_LOSSES, TRL_KEYS, check_overrides
from gnomon.pipeline.planning.budget import LOGITS_AT_ONCE
from gnomon.pipeline.training.head import (
    ends_with_its_head,
    rows_in_chunks,
    rows_in_one_pass,
    supports_logits_to_keep,
)
from gnomon.pipeline.training.run_trainer import RunTrainer
from gnomon.progress import warn

_PARSED_LABELS = "parsed_labels"
"""Key of a batch for its parsed labels, on their way from the accumulation window to forward."""


@dataclass(frozen=True)
class _ParsedLabels:
    """A batch's labels with the numbers in them."""

    labels: Tensor  # [B, T], shifted
    final: Tensor | None  # the same with all but the final answer ignored
    spans: Spans | None
    counts: dict[str, Tensor]


class NumericSFTTrainer(RunTrainer, trl.SFTTrainer):  # type: ignore[misc]
    """SFTTrainer whose loss is CE + weight · numeric loss, over the answer's tokens.

    It takes all arguments of SFTTrainer, and any dataset and collator that give labels. `Objective`
    has the complete equation. Shapes: B batch, T tokens, P answer rows, H hidden, V vocabulary.
    """

    logits_at_once = LOGITS_AT_ONCE
    """Logits held at a time. Longer answers go through the head in chunks of rows."""

    def __init__(
        self,
        *args: Any,
        numeric_loss: NumericLoss | str | None = None,
        loss_options: Mapping[str, Any] | None = None,
        weight: float = 1.0,
        balance: Balance = "fixed",
        schedule: Schedule = "constant",
        warmup: float = 0.0,
        numeric_mass: float = 0.0,
        **kwargs: Any,
    ) -> None:
        if numeric_loss is None and (loss_options or weight != 1.0):
            raise ValueError(
                "weight and loss_options need a numeric loss: name it, for example"
                " numeric_loss='crps'"
            )
        super().__init__(*args, **kwargs)
        # The classes of Qwen2.5-VL and Qwen3-VL set it to False. transformers then does not count
        # tokens over the accumulation window and the processes, and the loss would be a mean of
        # means.
        self.model_accepts_loss_kwargs = True
        if (
            self.compute_loss_func
            or self.args.label_smoothing_factor
            or self.args.loss_type not in PLAIN_LOSSES
            or self.aux_loss_enabled
        ):
            raise ValueError(
                "compute_loss_func, label_smoothing_factor and loss_type='dft' change the"
                " cross-entropy, which NumericSFTTrainer computes itself, and a model's"
                " output_router_logits adds to it: leave them out"
            )
        self._vocab_size: int = self.model.get_output_embeddings().weight.shape[0]  # V
        self._answer_only = supports_logits_to_keep(self.model)
        self._can_chunk = ends_with_its_head(self.model)
        loss = self._create_loss(numeric_loss, loss_options or {})
        self.objective = Objective(
            loss,
            weight=weight,
            balance=balance,
            schedule=schedule,
            warmup=warmup,
            numeric_mass=numeric_mass,
            vocab=None if loss is not None else self._vocab_for_log(),
        )
        self._has_warned = False
        self._window: dict[str, Tensor] = {}  # denominators of the accumulation window
        # Names, and their sums and counts since the last log line, [2, names]. They are kept by
        # mode, because an evaluation may come between two lines of the training.
        self._logged: dict[str, tuple[list[str], Tensor]] = {}

    @override
    def compute_loss(
        self,
        model: torch.nn.Module,
        inputs: dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: Tensor | int | None = None,
    ) -> Any:
        sums, counts, outputs = self._measure(model, inputs, all_logits=return_outputs)
        if num_items_in_batch is not None:
            counts = {**self._window, CE: torch.as_tensor(num_items_in_batch)}
        # The window's counts, so each token of an accumulated step has the same weight.
        loss = self.objective.combine(sums, counts, progress=self._progress)
        if num_items_in_batch is not None and self.args.average_tokens_across_devices:
            # The denominators count every process, and DDP averages over the processes.
            loss = loss * (self.accelerator.num_processes // self.get_tp_size())
        return (loss, outputs) if return_outputs else loss

    @override
    def get_batch_samples(
        self, epoch_iterator: Any, num_batches: int, device: torch.device
    ) -> tuple[list[Any], Any]:
        """Count digits and numbers over the accumulation window, as transformers counts tokens.

        Each batch carries its parsed labels to its forward pass.
        """
        batches, tokens = super().get_batch_samples(epoch_iterator, num_batches, device)
        batches = [{**batch, _PARSED_LABELS: self._parse_batch(batch)} for batch in batches]
        self._window = self._sum_counts([batch[_PARSED_LABELS].counts for batch in batches])
        return batches, tokens

    @override
    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Add each part of the loss to the log: its mean since the last line, over its own
        tokens."""
        mode = self._mode
        if mode in self._logged:
            names, sums_and_counts = self._logged.pop(mode)
            totals, counts = self.accelerator.reduce(sums_and_counts)
            # Both together, because each reading waits for the GPU.
            means, sums = torch.stack([totals / counts.clamp(min=1), totals]).tolist()
            self._require_finite(dict(zip(names, means, strict=True)), mode)
            self._warn_of_no_digit(dict(zip(names, sums, strict=True)))
            # TRL averages the lists of _metrics into its next log line.
            self._metrics[mode].update((n, [mean]) for n, mean in zip(names, means, strict=True))
        logs.pop("train_loss", None)  # a resumed run's would leave out the steps before
        super().log(logs, start_time)

    def _require_finite(self, means: Mapping[str, float], mode: str) -> None:
        """End a training whose loss is NaN. transformers would log it as 0 and continue."""
        # A scaler of float16 skips such steps itself.
        if mode != "train" or self.accelerator.scaler is not None:
            return
        for name, mean in means.items():
            if not math.isfinite(mean):
                raise ValueError(
                    f"{name} is {mean} at step {self.state.global_step}, and further training"
                    " would be useless: start again with a lower learning_rate than"
                    f" {self.args.learning_rate:g}, or a longer warmup"
                )

    def _warn_of_no_digit(self, totals: Mapping[str, float]) -> None:
        """Warn once if a numeric loss has seen no digit since the last line of the log."""
        if self.objective.loss is None or totals.get(COVERAGE) or self._has_warned:
            return
        self._has_warned = True
        if self.is_world_process_zero():
            warn(
                "the numeric loss sees no digit in the answers, so it trains nothing: they may be"
                " words, or the tokenizer may join too many digits into a token (`coverage` of"
                " NumericVocab says how many it sees)"
            )

    @override
    def evaluation_loop(self, *args: Any, metric_key_prefix: str = "eval", **kwargs: Any) -> Any:
        """Measure the loss of labels that are not trained on, and add the figures of `validation`.

        Dropout and data order continue afterwards as if the evaluation had not happened.
        """
        device = self.args.device
        # Generation and the loader's shuffling draw from the global generators.
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            output = super().evaluation_loop(*args, metric_key_prefix=metric_key_prefix, **kwargs)
            figures = self.score_validation(metric_key_prefix)
        return output._replace(metrics={**figures, **output.metrics})

    def _measure(
        self, model: torch.nn.Module, inputs: dict[str, Any], *, all_logits: bool
    ) -> tuple[dict[str, Tensor], dict[str, Tensor], Any]:
        """Run the model. Return the batch's sums and counts by name, and the model's outputs.

        With `all_logits`, the outputs hold the logits of every token, not only of the answer.
        """
        # An evaluation does not have an accumulation window, in which labels are parsed ahead.
        parsed = inputs.get(_PARSED_LABELS) or self._parse_batch(inputs)
        labels = parsed.labels
        ignored_keys = ("labels", FINAL_LABELS, _PARSED_LABELS, *TRL_KEYS)
        model_inputs = {name: v for name, v in inputs.items() if name not in ignored_keys}
        answer = labels != IGNORED  # [B, T]
        packed = self.args.packing or self.args.eval_packing  # a chunk may be of a prompt alone
        if not packed and not answer.any(1).all():
            raise ValueError(
                "a sample has no answer token: was its answer cut off?"
                f" (max_length={self.args.max_length})"
            )
        # A cache of keys and values would take memory, and training steps do not read it.
        model_inputs["use_cache"] = False
        rows, outputs = self._rows(
            model, model_inputs, answer, labels[answer], all_logits=all_logits
        )
        new = self._count_new(len(labels))
        if new < len(labels):
            # Rows are packed in the order of the samples, and the repeated samples come last.
            rows = rows[: int(answer[:new].sum())]
            final = None if parsed.final is None else parsed.final[:new]
            parsed = self._parse_labels(labels[:new], final)
        sums = self.objective.sums(rows, parsed.spans)
        self._accumulate(sums, parsed.counts)
        return sums, parsed.counts, outputs

    def _count_new(self, samples: int) -> int:
        """Count the samples of a batch that no process has had in this evaluation.

        Accelerate fills up the last batches of several processes with earlier samples, which an
        evaluation would count twice.
        """
        state = self.accelerator.gradient_state
        if self.model.training or not state.end_of_dataloader or state.remainder < 1:
            return samples
        before: int = self.accelerator.process_index * samples
        return min(max(int(state.remainder) - before, 0), samples)

    def _rows(
        self,
        model: torch.nn.Module,
        inputs: dict[str, Any],
        answer: Tensor,
        targets: Tensor,
        *,
        all_logits: bool,
    ) -> tuple[Tensor, Any]:
        """Run the model, and pack the answer's logits for the objective: [P, columns]."""
        # Positions of the answer whose logits are held together. With 150,000 tokens they take
        # most of a step's memory.
        chunk = max(1, self.logits_at_once // self._vocab_size)
        answer_only = self._answer_only and not all_logits
        head = self.accelerator.unwrap_model(model).get_output_embeddings()
        if answer_only and self._can_chunk and len(targets) > chunk:
            return rows_in_chunks(
                model, inputs, answer, targets, objective=self.objective, head=head, chunk=chunk
            )
        return rows_in_one_pass(
            model,
            inputs,
            answer,
            targets,
            objective=self.objective,
            head=head,
            answer_only=answer_only,
        )

    @property
    def _progress(self) -> float:
        """Return the share of the steps taken: 0 at the first, 1 after the last."""
        return float(self.state.global_step / max(self.state.max_steps, 1))

    def _parse_batch(self, batch: dict[str, Any]) -> _ParsedLabels:
        """Shift a batch's labels and find the numbers in them."""
        names, device = [n for n in ("labels", FINAL_LABELS) if n in batch], self.args.device
        return self._parse_labels(*(shift_labels(batch[name].to(device)) for name in names))

    def _parse_labels(self, labels: Tensor, final: Tensor | None = None) -> _ParsedLabels:
        spans = self.objective.spans(labels, final)
        return _ParsedLabels(labels, final, spans, self.objective.counts(labels, spans))

    def _sum_counts(self, batches: list[dict[str, Tensor]]) -> dict[str, Tensor]:
        """Sum counts over batches, and over processes if transformers sums its own counts over
        them."""
        if not batches:
            return {}
        # One tensor, so several processes exchange it in one call.
        counts = torch.stack([torch.stack(list(counts.values())) for counts in batches]).sum(0)
        if self.args.average_tokens_across_devices and self.args.world_size > 1:
            counts = self.accelerator.gather(counts).view(-1, len(counts)).sum(0)
        return dict(zip(batches[0], counts, strict=True))

    def _accumulate(self, sums: dict[str, Tensor], counts: dict[str, Tensor]) -> None:
        """Add a batch's sums and counts to the totals of the next log line, on the device."""
        totals = torch.stack([total.detach().float() for total in sums.values()])
        # The numbers stay on the device, because reading them here would wait for the GPU at each
        # step.
        both = torch.stack([totals, torch.stack([counts[name] for name in sums]).float()])
        if self._mode in self._logged:
            both = self._logged[self._mode][1] + both
        self._logged[self._mode] = list(sums), both

    @property
    def _mode(self) -> str:
        return "train" if self.model.training else "eval"

    def _create_loss(
        self, loss: NumericLoss | str | None, options: Mapping[str, Any]
    ) -> NumericLoss | None:
        """Create a loss named by a string for this model's tokenizer and the width of its head."""
        if not isinstance(loss, str):
            return loss
        if loss == CE:
            return None
        vocab = NumericVocab.from_tokenizer(self._tokenizer, size=self._vocab_size)
        return create(loss, vocab, **options)

    def _vocab_for_log(self) -> NumericVocab | None:
        """Return the vocabulary that finds digits for the log without a numeric loss. None without
        digits."""
        try:
            return NumericVocab.from_tokenizer(self._tokenizer, size=self._vocab_size)
        except ValueError:
            return None


def shift_labels(labels: Tensor) -> Tensor:
    """Move labels to the positions whose logits score them: t predicts t + 1."""
    return functional.pad(labels[:, 1:], (0, 1), value=IGNORED)


# At import, so an unsupported release is refused before anything is loaded.
for ours in (RunTrainer, NumericSFTTrainer):
    check_overrides(ours, trl.SFTTrainer)
