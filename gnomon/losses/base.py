"""What every numeric loss is: parts, each a sum over digits or over numbers and its count.

The score of an entry of the numeric vocabulary is the log of the summed exponentials of its
tokens' logits, so that the softmax over entries sums the probabilities of `5`, `▁5` and `Ġ5`.
Positions that are not numeric are left out; or their scores are 0, whatever the logits, and no
gradient goes back.

Shapes: B batch, T tokens, R rows of logits, P positions of these, N entries of the numeric
vocabulary, G the most tokens that spell one of them, H hidden, V vocabulary.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn

from gnomon.losses.numbers.spans import Spans
from gnomon.losses.numbers.vocab import NumericVocab

Counted: TypeAlias = Literal["digits", "numbers"]
Reduction: TypeAlias = Literal["mean", "sum"]
_LEAST = -1e30
"""No model's logit is smaller, and a temperature still divides it without an overflow."""


class NumericLoss(nn.Module):
    """A loss over the numeric vocabulary: Σ over parts of weight · sum / count.

    Everything is computed in float32 (float64 where the logits are), under autocast too. Labels
    stand where the logits that score them do, with no shift; -100 is ignored. With no number in
    the labels a loss is a zero that gradients flow through.
    """

    parts: Mapping[str, Counted]
    """The named parts that are computed, and what each is a mean over."""

    def __init__(self, vocab: NumericVocab) -> None:
        super().__init__()
        self.vocab = vocab
        self.weights = dict.fromkeys(self.parts, 1.0)
        """What each part is multiplied by in the total."""

    @abstractmethod
    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Each part's terms, [P] by digit or by number, from [P, N] scores.

        Only those at `spans.numeric` or `spans.exists` count; the others need only be finite.
        """

    def forward(self, logits: Tensor, labels: Tensor, *, reduction: Reduction = "mean") -> Tensor:
        """The loss of [B, T, V] logits against [B, T] labels."""
        spans = self.vocab.spans(labels)
        return self.at(_rows(logits, labels), spans, reduction=reduction)

    def components(self, logits: Tensor, labels: Tensor) -> dict[str, Tensor]:
        """The mean of each part, unweighted."""
        spans = self.vocab.spans(labels)
        sums, counts = self.sums_at(_rows(logits, labels), spans), self.counts_at(spans)
        return {part: _mean(sums[part], counts[part]) for part in self.parts}

    def at(self, logits: Tensor, spans: Spans, *, reduction: Reduction = "mean") -> Tensor:
        """The loss of [P, V] logits, those of the kept labels in row-major order.

        `spans` was read from the [B, T] labels.
        """
        return self._reduced(self.sums_at(logits, spans), spans, reduction)

    def from_hidden(
        self,
        hidden: Tensor,
        weight: Tensor,
        labels: Tensor,
        bias: Tensor | None = None,
        *,
        reduction: Reduction = "mean",
    ) -> Tensor:
        """The same loss from hidden states and the head's [V, H] weight: only the numeric tokens'
        columns are computed, on a CPU at the digits alone.

        The states are [B, T, H], or [P, H], those of the kept labels.
        """
        states = _rows(hidden, labels) if hidden.dim() == 3 else hidden
        spans = self.vocab.spans(labels).for_rows(len(states))
        numeric, rows = spans.of_numbers()
        if rows is not None:
            states = states.index_select(0, rows)
        tokens = numeric_tokens(self.vocab, len(weight), weight.device)
        with torch.autocast(states.device.type, enabled=False):
            columns = working(states) @ working(weight.index_select(0, tokens)).T
            if bias is not None:
                columns = columns + working(bias.index_select(0, tokens))
        return self._reduced(self.sums_of_columns(columns, numeric), spans, reduction)

    def sums_at(self, logits: Tensor, spans: Spans) -> dict[str, Tensor]:
        """The sum of each part's terms, unweighted, for logits and spans as `at` takes them."""
        tokens = numeric_tokens(self.vocab, logits.shape[-1], logits.device)
        return self.sums_of_columns(logits.index_select(1, tokens), spans)  # copies no more

    def sums_of_columns(self, columns: Tensor, spans: Spans) -> dict[str, Tensor]:
        """The same from the numeric tokens' logits alone, [R, N·G], as `Objective.rows` keeps."""
        spans, rows = spans.for_rows(len(columns)).of_numbers()
        with torch.autocast(columns.device.type, enabled=False):
            scores = working(columns if rows is None else columns.index_select(0, rows))
            # Masked before anything is computed, for a gradient of 0 · inf afterwards is NaN. And
            # where all numeric logits are -inf, as a decoding mask leaves them, the softmax over
            # them is even.
            scores = scores.masked_fill(~spans.numeric[:, None], 0).clamp(min=_LEAST)
            return self._sums(pooled(scores, self.vocab.tables.spare.on(scores.device)), spans)

    def counts(self, labels: Tensor) -> dict[str, Tensor]:
        """How many terms each part has in [B, T] labels; these add up over batches."""
        return self.counts_at(self.vocab.spans(labels))

    def counts_at(self, spans: Spans) -> dict[str, Tensor]:
        """The same from spans."""
        return {part: self.counted(part, spans).sum() for part in self.parts}

    def combine(self, sums: Mapping[str, Tensor], counts: Mapping[str, Tensor]) -> Tensor:
        """Σ over parts of weight · sum / count, where a count of 0 is taken for 1."""
        means = [self.weights[part] * _mean(sums[part], counts[part]) for part in self.parts]
        return torch.stack(means).sum()

    def counted(self, part: str, spans: Spans) -> Tensor:
        """Which of a part's terms count: [P] bool, by digit or by number."""
        return spans.numeric if self.parts[part] == "digits" else spans.exists

    def _sums(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        terms = self.terms(scores, spans)
        return {part: (terms[part] * self.counted(part, spans)).sum() for part in self.parts}

    def _reduced(self, sums: Mapping[str, Tensor], spans: Spans, reduction: Reduction) -> Tensor:
        if reduction == "mean":
            return self.combine(sums, self.counts_at(spans))
        if reduction != "sum":
            raise ValueError(f"reduction={reduction!r}: give mean or sum")
        return torch.stack([self.weights[part] * sums[part] for part in self.parts]).sum()


def _mean(total: Tensor, count: Tensor) -> Tensor:
    return total / count.to(total).clamp(min=1)


def _rows(scored: Tensor, labels: Tensor) -> Tensor:
    """[B, T, V] logits, or [B, T, H] states, as rows, for which nothing is copied."""
    if scored.shape[:-1] != labels.shape:
        raise ValueError(
            f"logits of shape {tuple(scored.shape)} for labels of shape {tuple(labels.shape)}: "
            f"give [batch, tokens, vocabulary] and [batch, tokens]"
        )
    return scored.flatten(0, 1)


def numeric_tokens(vocab: NumericVocab, width: int, device: torch.device) -> Tensor:
    """The columns, [N·G], of a head that is so wide."""
    if width < vocab.size:
        raise ValueError(
            f"the head is {width} wide and the numeric vocabulary {vocab.size}: "
            f"give NumericVocab.from_tokenizer the head's width, size={width}"
        )
    return vocab.tables.columns.on(device).flatten()


def log_mass(vocab: NumericVocab, scores: Tensor) -> Tensor:
    """The log of the summed exponentials of all numeric tokens' logits: [R] from [R, N·G]."""
    return pooled(working(scores), vocab.tables.spare.on(scores.device)).logsumexp(-1)


def pooled(scores: Tensor, spare: Tensor) -> Tensor:
    """[P, N] log-sum-exps of [P, N·G] scores, where `spare` [N, G] says which of them to skip."""
    if spare.shape[1] == 1:
        return scores
    grouped = scores.view(-1, *spare.shape)
    return grouped.masked_fill(spare, -torch.inf).logsumexp(-1)


def one_hot(index: Tensor, entries: int) -> Tensor:
    """[P, N] bool from [P]; torch's own looks at the largest index, and waits for the device."""
    return index[:, None] == torch.arange(entries, device=index.device)


def working(tensor: Tensor) -> Tensor:
    """In float32, whatever came in, but for float64, which stays."""
    return tensor if tensor.dtype == torch.float64 else tensor.float()
