"""The base class of numeric losses: named parts, each a sum over digits or numbers and its count.

The score of an entry of the numeric vocabulary is the log-sum-exp of its tokens' logits, so that a
softmax over entries adds up the probabilities of `5`, `▁5` and `Ġ5`. Positions that are not numeric
are left out, or their scores are set to 0 so that no gradient flows back from them.

Shapes: B batch, T tokens, P positions (all B·T of them, the labelled ones, or the numeric ones), S
slots for numbers, N entries of the numeric vocabulary, G the most tokens that spell one entry, H
hidden, V vocabulary.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Literal, TypeAlias, TypeGuard

import torch
from torch import Tensor, nn

from gnomon.losses.numbers.spans import Spans
from gnomon.losses.numbers.vocab import NumericVocab

Unit: TypeAlias = Literal["digits", "numbers"]
Reduction: TypeAlias = Literal["mean", "sum"]
_MIN_LOGIT = -1e30  # below any model's logits, and far enough from -inf to survive a temperature


class NumericLoss(nn.Module, ABC):
    """A loss over the numeric vocabulary: Σ over parts of weight · sum / count.

    Computed in float32 (float64 where the logits are), also under autocast. Labels stand at the
    position of the logits that score them, with no shift; -100 is ignored. Labels without a number
    give a zero that still has a gradient.
    """

    parts: Mapping[str, Unit]
    """Part names, each with the unit that it is a mean over."""

    def __init__(self, vocab: NumericVocab) -> None:
        super().__init__()
        if not isinstance(vocab, NumericVocab):
            raise ValueError(
                f"vocab is of type {type(vocab).__name__}: give"
                " NumericVocab.from_tokenizer(tokenizer)"
            )
        self.vocab = vocab
        self.weights = dict.fromkeys(self.parts, 1.0)
        """Factor of each part in the total."""
        self.scale = vocab.distance_scale
        """Factor of distances. A loss that grows with the distance of two values multiplies it by
        this factor, so that a weight means the same for every tokenizer."""

    @abstractmethod
    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute each part's terms, [P] by digit or [S] by number, from [P, N] scores.

        Only terms at `spans.numeric` or `spans.exists` count; the others need only be finite.
        """

    def forward(self, logits: Tensor, labels: Tensor, *, reduction: Reduction = "mean") -> Tensor:
        """Compute the loss of [B, T, V] logits against [B, T] labels."""
        spans = self.vocab.spans(labels)
        return self.at(_flatten(logits, labels), spans, reduction=reduction)

    def components(self, logits: Tensor, labels: Tensor) -> dict[str, Tensor]:
        """Compute the unweighted mean of each part."""
        spans = self.vocab.spans(labels)
        sums, counts = self._sums(_flatten(logits, labels), spans), self._counts(spans)
        return {part: _mean(sums[part], counts[part]) for part in self.parts}

    def at(self, logits: Tensor, spans: Spans, *, reduction: Reduction = "mean") -> Tensor:
        """Compute the loss of [P, V] logits at the labelled positions, in row-major order.

        `spans` comes from the [B, T] labels.
        """
        return self._reduce(self._sums(logits, spans), spans, reduction)

    def from_hidden(
        self,
        hidden: Tensor,
        weight: Tensor,
        labels: Tensor,
        bias: Tensor | None = None,
        *,
        reduction: Reduction = "mean",
    ) -> Tensor:
        """Compute the same loss from hidden states and the head's [V, H] weight.

        Only the numeric tokens' columns are multiplied out; on a CPU, only at the digits. The
        states are [B, T, H], or [P, H] at the labelled positions.
        """
        states = _flatten(hidden, labels) if hidden.dim() == 3 else hidden
        spans = self.vocab.spans(labels).for_rows(len(states))
        numeric, rows = spans.numeric_only()
        if rows is not None:
            states = states.index_select(0, rows)
        tokens = numeric_tokens(self.vocab, len(weight), weight.device)
        with torch.autocast(states.device.type, enabled=False):
            numeric_logits = upcast(states) @ upcast(weight.index_select(0, tokens)).T
            if bias is not None:
                numeric_logits = numeric_logits + upcast(bias.index_select(0, tokens))
        return self._reduce(self._sums_of_columns(numeric_logits, numeric), spans, reduction)

    def counts(self, labels: Tensor) -> dict[str, Tensor]:
        """Count the terms of each part in [B, T] labels; counts add up over batches."""
        return self._counts(self.vocab.spans(labels))

    # Below: for this package alone. `Objective` adds sums and counts over a whole accumulation
    # window before it divides, and so needs them apart.

    def _sums(self, logits: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Sum each part's terms, unweighted, over logits and spans as `at` takes them."""
        tokens = numeric_tokens(self.vocab, logits.shape[-1], logits.device)
        # Selecting the columns first copies [P, N·G] numbers and never [P, V].
        return self._sums_of_columns(logits.index_select(1, tokens), spans)

    def _sums_of_columns(self, logits: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Sum each part's terms from the numeric tokens' logits alone, [P, N·G]."""
        spans, rows = spans.for_rows(len(logits)).numeric_only()
        with torch.autocast(logits.device.type, enabled=False):
            scores = upcast(logits if rows is None else logits.index_select(0, rows))
            # Mask before computing: the gradient of 0 · inf is NaN. Clamp because a decoding mask
            # may leave all numeric logits at -inf; the softmax over them is then uniform.
            scores = scores.masked_fill(~spans.numeric[:, None], 0).clamp(min=_MIN_LOGIT)
            scores = pool_tokens(scores, self.vocab.tables.padding.on(scores.device))
            terms = self.terms(scores, spans)
            return {part: (terms[part] * self._mask(part, spans)).sum() for part in self.parts}

    def _counts(self, spans: Spans) -> dict[str, Tensor]:
        return {part: self._mask(part, spans).sum() for part in self.parts}

    def _mask(self, part: str, spans: Spans) -> Tensor:
        """Mark the terms of a part that count: bool, [P] by digit or [S] by number."""
        return spans.numeric if self.parts[part] == "digits" else spans.exists

    def _combine(self, sums: Mapping[str, Tensor], counts: Mapping[str, Tensor]) -> Tensor:
        """Compute Σ over parts of weight · sum / count, taking a count of 0 for 1."""
        means = [self.weights[part] * _mean(sums[part], counts[part]) for part in self.parts]
        return torch.stack(means).sum()

    def _reduce(self, sums: Mapping[str, Tensor], spans: Spans, reduction: Reduction) -> Tensor:
        if reduction == "mean":
            return self._combine(sums, self._counts(spans))
        if reduction != "sum":
            raise ValueError(f"reduction={reduction!r}: give mean or sum")
        return torch.stack([self.weights[part] * sums[part] for part in self.parts]).sum()


def _mean(total: Tensor, count: Tensor) -> Tensor:
    return total / count.to(total).clamp(min=1)


def _flatten(scores: Tensor, labels: Tensor) -> Tensor:
    """View [B, T, V] logits, or [B, T, H] states, as rows; nothing is copied."""
    if scores.shape[:-1] != labels.shape:
        raise ValueError(
            f"logits of shape {tuple(scores.shape)} for labels of shape {tuple(labels.shape)}: "
            f"give [batch, tokens, vocabulary] and [batch, tokens]"
        )
    return scores.flatten(0, 1)


def numeric_tokens(vocab: NumericVocab, width: int, device: torch.device) -> Tensor:
    """List the token ids of the numeric vocabulary, [N·G], for a head of this width."""
    if width < vocab.size:
        raise ValueError(
            f"the head is {width} wide and the numeric vocabulary {vocab.size}: "
            f"give NumericVocab.from_tokenizer the head's width, size={width}"
        )
    return vocab.tables.token_ids.on(device).flatten()


def numeric_log_mass(vocab: NumericVocab, scores: Tensor) -> Tensor:
    """Compute the log-sum-exp of all numeric tokens' logits: [P] from [P, N·G]."""
    scores = upcast(scores).clamp(min=_MIN_LOGIT)  # all at -inf, their softmax would be 0 / 0
    return pool_tokens(scores, vocab.tables.padding.on(scores.device)).logsumexp(-1)


def pool_tokens(scores: Tensor, padding: Tensor) -> Tensor:
    """Pool [P, N·G] token scores to [P, N] by log-sum-exp, skipping where `padding` [N, G] is."""
    if padding.shape[1] == 1:
        return scores
    groups = scores.view(-1, *padding.shape)
    return groups.masked_fill(padding, -torch.inf).logsumexp(-1)


def one_hot(index: Tensor, entries: int) -> Tensor:
    """Build a [P, N] bool mask from [P] indices.

    torch's own `one_hot` reads the largest index back from the device, which waits for it.
    """
    return index[:, None] == torch.arange(entries, device=index.device)


def upcast(tensor: Tensor) -> Tensor:
    """Convert to float32, except float64, which stays."""
    return tensor if tensor.dtype == torch.float64 else tensor.float()


# Checks of the losses' options: a wrong one is refused with its name, value and way out.


def check_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Return the value if it is among the choices."""
    if isinstance(value, str) and value in choices:
        return value
    raise ValueError(f"{name}={value!r}: give {' or '.join(choices)}")


def check_positive(name: str, value: object) -> float:
    """Return the value as a float if it is a finite number above 0."""
    if _is_number(value) and value > 0:
        return float(value)
    raise ValueError(f"{name}={value!r}: give a number above 0")


def check_positive_list(name: str, values: object) -> tuple[float, ...]:
    """Return the values as floats if there is at least one and all are finite and above 0."""
    if isinstance(values, list | tuple) and values and all(_is_number(v) and v > 0 for v in values):
        return tuple(map(float, values))
    raise ValueError(f"{name}={values!r}: give a list of numbers above 0, such as [2.0]")


def check_part_weights(name: str, values: object, parts: Sequence[str]) -> dict[str, float]:
    """Return a weight of 0 or more for each part, in order; at least one is above 0."""
    listed = values if isinstance(values, list | tuple) else []
    if len(listed) == len(parts) and all(_is_number(v) and v >= 0 for v in listed) and any(listed):
        return dict(zip(parts, map(float, listed), strict=True))
    usage = f"{len(parts)} numbers of 0 or more, not all 0, for {', '.join(parts)}"
    raise ValueError(f"{name}={values!r}: give {usage}")


def check_bounds(name: str, value: float, maximum: float = math.inf) -> float:
    """Return the value as a float if it lies between 0 and the maximum."""
    with suppress(TypeError):  # of a text, which has no bounds
        if 0 <= value <= maximum and math.isfinite(value):
            return float(value)
    usage = "0 or more" if maximum > 1 else "a share, 0 to 1"
    raise ValueError(f"{name}={value!r}: give {usage}")


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
