"""The training objective: the weighted sum of cross-entropy and a numeric loss.

Shapes: B batch, T tokens, P labelled positions, N entries of the numeric vocabulary, G the largest
number of tokens that spell one entry, H hidden size, V vocabulary size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

from gnomon.losses.base import (
    NumericLoss,
    check_bounds,
    check_choice,
    numeric_log_mass,
    numeric_tokens,
    upcast,
)
from gnomon.losses.numbers.spans import IGNORED, Spans
from gnomon.losses.numbers.vocab import NumericVocab

Balance: TypeAlias = Literal["fixed", "ce_ratio"]
Schedule: TypeAlias = Literal["constant", "cosine"]
# Names of sums and counts; the log shows them.
CE, MASS, COVERAGE = "ce", "numeric_mass", "coverage"
ACCURACY, DIGIT_ACCURACY = "mean_token_accuracy", "digit_accuracy"


@dataclass(frozen=True)
class AnswerRows:
    """The values that the objective needs from the [P, V] logits at the labelled positions.

    The maximum of each row is subtracted from its logits, which leaves probabilities unchanged.
    """

    nll: Tensor  # [P]
    """Negative log-likelihood of the label."""
    correct: Tensor  # [P]
    """1.0 if the label is the most likely token, else 0.0."""
    log_sum: Tensor  # [P]
    """Log-sum-exp of all logits."""
    numeric_logits: Tensor  # [P, N·G]
    """Logits of the numeric tokens."""

    def pack(self) -> Tensor:
        """Join the fields into one [P, 3 + N·G] tensor.

        Checkpointed chunks, and heads that replace the model's head, can return only one tensor.
        """
        return torch.cat(
            [torch.stack([self.nll, self.correct, self.log_sum], 1), self.numeric_logits], 1
        )

    @classmethod
    def unpack(cls, packed: Tensor) -> AnswerRows:
        """Split a packed [P, 3 + N·G] tensor into the fields."""
        nll, correct, log_sum = packed[:, :3].unbind(1)
        return cls(nll, correct, log_sum, packed[:, 3:])


class Objective(nn.Module):
    """total = CE + weight · s(t) · loss + numeric_mass · M, each averaged over its terms.

    CE is −log P(label), averaged over tokens. loss is a numeric loss. s(t) is the schedule, and t
    the progress of the training from 0 to 1:

        warm-up   s = t / warmup            while t < warmup, in both schedules
        constant  s = 1
        cosine    s = ½ (1 + cos π u)       u = (t − warmup) / (1 − warmup)

    M is −log Σ_{i in V_num} P(i), averaged over digits. P is the softmax over the whole vocabulary.
    A numeric loss compares probabilities within V_num only. Since CE = M − log p(label within
    V_num), M is the part of the cross-entropy that a numeric loss does not see.

    balance="ce_ratio" uses weight · loss · (CE / loss), as the NTIL authors do. The ratio has no
    gradient, and the logged total is then (1 + weight · s(t)) · CE. Losses below 1.2e-7 are
    scaled as if they were 1.2e-7.

    If the weight is 0, the total equals the cross-entropy to the bit. The caller shifts the labels:
    a label has the same position as the logits that score it. Labels of −100 are ignored. `final`
    is a copy of the labels that ignores all but the final answer. With it, the numeric terms cover
    only the final answer, while CE covers all labels.
    """

    def __init__(
        self,
        loss: NumericLoss | None = None,
        *,
        weight: float = 1.0,
        balance: Balance = "fixed",
        schedule: Schedule = "constant",
        warmup: float = 0.0,
        numeric_mass: float = 0.0,
        vocab: NumericVocab | None = None,
    ) -> None:
        super().__init__()
        if loss is not None and not isinstance(loss, NumericLoss):
            raise ValueError(f"loss={loss!r}: give a numeric loss, such as create('crps', vocab)")
        self.loss = loss
        self.weight = check_bounds("weight", weight)
        self.balance = check_choice("balance", balance, ("fixed", "ce_ratio"))
        self.schedule = check_choice("schedule", schedule, ("constant", "cosine"))
        self.warmup = check_bounds("warmup", warmup, maximum=1.0)
        self.numeric_mass = check_bounds("numeric_mass", numeric_mass)
        self.vocab = vocab if loss is None else loss.vocab
        """Numeric vocabulary. If it is None, digits are neither scored nor counted."""
        if self.numeric_mass and self.vocab is None:
            raise ValueError(f"numeric_mass={numeric_mass} needs a numeric vocabulary: give vocab")

    def forward(
        self,
        logits: Tensor,
        labels: Tensor,
        *,
        final: Tensor | None = None,
        progress: float | None = None,
    ) -> Tensor:
        """Compute the total of [B, T, V] logits against [B, T] labels."""
        positions = (labels != IGNORED).nonzero(as_tuple=True)  # a mask would sync twice
        spans = self.spans(labels, final)
        sums = self.sums(self.rows(logits[positions], labels[positions]), spans)
        return self.combine(sums, self.counts(labels, spans), progress=progress)

    def spans(self, labels: Tensor, final: Tensor | None = None) -> Spans | None:
        """Read the numbers in [B, T] labels, for `sums` and `counts`.

        Returns None if the objective has no numeric vocabulary.
        """
        if self.vocab is None:
            return None
        if final is None:
            return self.vocab.spans(labels)
        labelled = (labels != IGNORED).flatten()  # rows of logits exist for all labels
        return replace(self.vocab.spans(final), labelled=labelled)

    def rows(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Reduce [P, V] logits and their [P] labels to packed rows: see `AnswerRows`."""
        with torch.autocast(logits.device.type, enabled=False):
            tokens = targets.new_zeros(0)
            if self.vocab is not None:
                tokens = numeric_tokens(self.vocab, logits.shape[-1], logits.device)
            log_sum, label_logit, numeric_logits = reduce_logits(logits, targets, tokens)
            correct = (logits.argmax(-1) == targets).to(log_sum.dtype)
            return AnswerRows(log_sum - label_logit, correct, log_sum, numeric_logits).pack()

    def rows_from_hidden(
        self, hidden: Tensor, targets: Tensor, head: Callable[[Tensor], Tensor], *, chunk: int
    ) -> Tensor:
        """Compute the packed rows from [P, H] hidden states, `chunk` positions at a time.

        The backward pass computes the logits of each chunk again, so memory never holds the logits
        of more than one chunk.
        """

        def rows_of_chunk(states: Tensor, labels: Tensor) -> Tensor:
            return self.rows(head(states), labels)

        chunks = zip(torch.split(hidden, chunk), torch.split(targets, chunk), strict=True)
        return torch.cat(
            [
                checkpoint(rows_of_chunk, *pair, use_reentrant=False, preserve_rng_state=False)
                for pair in chunks
            ]
        )

    def sums(self, rows: Tensor, spans: Spans | None) -> dict[str, Tensor]:
        """Sum the terms of each part, without weights, and of each figure that is only logged.

        `rows` come from `self.rows` or `self.rows_from_hidden`, and `spans` from `self.spans`.
        """
        answer = AnswerRows.unpack(rows)
        sums = {CE: answer.nll.sum(), ACCURACY: answer.correct.sum()}
        if self.vocab is None or spans is None:
            return sums
        spans = spans.for_rows(len(rows))
        if self.loss is not None:
            sums |= self.loss._sums_of_columns(answer.numeric_logits, spans)
        if self.numeric_mass:
            mass = answer.log_sum - numeric_log_mass(self.vocab, answer.numeric_logits)
            sums[MASS] = torch.where(spans.numeric, mass, 0).sum()
        sums[DIGIT_ACCURACY] = (answer.correct * spans.numeric).sum()
        sums[COVERAGE] = spans.numeric.sum()
        return sums

    def counts(self, labels: Tensor, spans: Spans | None) -> dict[str, Tensor]:
        """Count the terms of each sum. Counts of several batches and processes can be added."""
        tokens = (labels != IGNORED).sum()
        counts = {CE: tokens, ACCURACY: tokens}
        if spans is None:
            return counts
        if self.loss is not None:
            counts |= self.loss._counts(spans)
        numeric_count = spans.numeric.sum()
        if self.numeric_mass:
            counts[MASS] = numeric_count
        return counts | {DIGIT_ACCURACY: numeric_count, COVERAGE: spans.digits.sum()}

    def combine(
        self,
        sums: Mapping[str, Tensor],
        counts: Mapping[str, Tensor],
        *,
        progress: float | None = None,
    ) -> Tensor:
        """Compute the total from the sums of one forward pass.

        `counts` may cover a whole accumulation window.
        """
        ce = sums[CE] / counts[CE].clamp(min=1)
        total = ce
        if self.loss is not None and (weight := self.weight * self.scale(progress)):
            numeric = self.loss._combine(sums, counts)
            if self.balance == "ce_ratio":
                # A confident correct answer has a loss of 1e-40, and the ratio would be infinite.
                ratio = ce.detach() / numeric.detach().clamp(min=torch.finfo(torch.float32).eps)
                numeric = numeric * torch.where(ratio.isfinite(), ratio, 0.0)
            total = total + weight * numeric
        if self.numeric_mass:
            total = total + self.numeric_mass * sums[MASS] / counts[MASS].clamp(min=1)
        return total

    def scale(self, progress: float | None) -> float:
        """Compute s(t), the factor of the weight. A constant schedule needs no progress."""
        if self.schedule == "constant" and not self.warmup:
            return 1.0
        if progress is None:
            raise ValueError(
                f"schedule={self.schedule!r}, warmup={self.warmup}: the weight changes with the"
                " training; give progress, from 0 to 1, for example step / steps"
            )
        if progress < self.warmup:
            return progress / self.warmup
        if self.schedule == "constant":
            return 1.0
        u = (progress - self.warmup) / max(1 - self.warmup, 1e-9)
        return 0.5 * (1 + math.cos(math.pi * min(u, 1.0)))


def reduce_logits(logits: Tensor, targets: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Reduce [P, V] logits to log-sum-exps [P] and the logits of targets [P] and `tokens` [P, K].

    The largest logit of each row is subtracted, which leaves probabilities unchanged and keeps
    small losses exact. The backward pass builds one [P, V] gradient. Autograd would build three.
    """
    reduced: tuple[Tensor, Tensor, Tensor] = _ReduceLogits.apply(logits, targets, tokens)  # type: ignore[no-untyped-call]  # torch has no types for it
    return reduced


class _ReduceLogits(Function):
    @staticmethod
    def forward(
        ctx: Any, logits: Tensor, targets: Tensor, tokens: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        maximum = upcast(logits.amax(-1, keepdim=True))  # [P, 1]
        log_sum = (upcast(logits) - maximum).exp_().sum(-1, keepdim=True).log_()
        ctx.save_for_backward(logits, targets, tokens, maximum + log_sum)
        label = upcast(logits.gather(1, targets[:, None])) - maximum
        selected = upcast(logits.index_select(1, tokens)) - maximum
        return log_sum.squeeze(1), label.squeeze(1), selected

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, grad_log_sum: Tensor, grad_label: Tensor, grad_selected: Tensor
    ) -> tuple[Tensor, None, None]:
        logits, targets, tokens, log_sum = ctx.saved_tensors
        gradient = (upcast(logits) - log_sum).exp_().mul_(grad_log_sum[:, None])  # [P, V]
        gradient.scatter_add_(1, targets[:, None], grad_label[:, None])
        gradient.index_add_(1, tokens, grad_selected)
        return gradient.to(logits.dtype), None, None
