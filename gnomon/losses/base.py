"""The base class of numeric losses.

A loss has named parts. Each part is a sum over digits or over numbers, divided by their count.

Several tokens may spell the same digits, for example `5`, `▁5` and `Ġ5`. They form one entry of the
numeric vocabulary. The score of an entry is the log-sum-exp of its tokens' logits, so a softmax
over entries adds up the tokens' probabilities. Positions without a digit contribute no gradient:
they are dropped on a CPU, and their scores are set to 0 on other devices.

Shapes: B batch, T tokens, P positions (all B·T, only the labelled, or only the numeric positions),
S slots for numbers, N entries of the numeric vocabulary, G the largest number of tokens that spell
one entry, H hidden size, V vocabulary size.
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

    The loss is computed in float32, also under autocast, or in float64 if the logits are float64.
    The caller shifts the labels: a label has the same position as the logits that score it. Labels
    of -100 are ignored. If the labels contain no number, the loss is 0, and `backward` still works.
    """

    parts: Mapping[str, Unit]
    """Unit over which each part of the loss is averaged, digits or numbers, by the part's name."""

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
        """Factor that scales the largest distance of two values to 9.

        Losses that grow with the distance use it, so a weight means the same for every tokenizer.
        """

    @abstractmethod
    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute the terms of each part from [P, N] scores: [P] by digit or [S] by number.

        Terms are ignored if `spans.numeric` or `spans.exists` is False there, but must be finite.
        """

    def forward(self, logits: Tensor, labels: Tensor, *, reduction: Reduction = "mean") -> Tensor:
        """Compute the loss of [B, T, V] logits against [B, T] labels.

        With `reduction="sum"`, the sums of the parts are weighted, but not divided by their counts.
        """
        spans = self.vocab.spans(labels)
        return self.at(_flatten(logits, labels), spans, reduction=reduction)

    def components(self, logits: Tensor, labels: Tensor) -> dict[str, Tensor]:
        """Compute the mean of each part without its weight, for example for a log."""
        spans = self.vocab.spans(labels)
        sums, counts = self._sums(_flatten(logits, labels), spans), self._counts(spans)
        return {part: _mean(sums[part], counts[part]) for part in self.parts}

    def at(self, logits: Tensor, spans: Spans, *, reduction: Reduction = "mean") -> Tensor:
        """Compute the loss of [P, V] logits at the labelled positions, in row-major order.

        `spans` must be read from the full [B, T] labels.
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
        """Compute the loss from hidden states and the head's [V, H] weight, without full logits.

        Only the logits of numeric tokens are computed. On a CPU they are computed only at digits.
        `hidden` is [B, T, H], or [P, H] at the labelled positions.
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
        """Count the terms of each part in [B, T] labels. Counts of several batches can be added."""
        return self._counts(self.vocab.spans(labels))

    # The methods below are for this package only. `Objective` needs sums and counts separately,
    # because it adds them up over a whole accumulation window before it divides.

    def _sums(self, logits: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Sum the terms of each part without its weight. The arguments are as in `at`."""
        tokens = numeric_tokens(self.vocab, logits.shape[-1], logits.device)
        # Selecting the columns first copies [P, N·G] numbers and never [P, V].
        return self._sums_of_columns(logits.index_select(1, tokens), spans)

    def _sums_of_columns(self, logits: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Sum the terms of each part from [P, N·G] logits of the numeric tokens."""
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
        """Return True for each term of a part that counts: [P] by digit or [S] by number."""
        return spans.numeric if self.parts[part] == "digits" else spans.exists

    def _combine(self, sums: Mapping[str, Tensor], counts: Mapping[str, Tensor]) -> Tensor:
        """Compute Σ over parts of weight · sum / count. A part with a count of 0 adds 0."""
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
    """View [B, T, V] logits or [B, T, H] states as B·T rows, without a copy."""
    if scores.shape[:-1] != labels.shape:
        raise ValueError(
            f"logits of shape {tuple(scores.shape)} for labels of shape {tuple(labels.shape)}: "
            f"give [batch, tokens, vocabulary] and [batch, tokens]"
        )
    return scores.flatten(0, 1)


def numeric_tokens(vocab: NumericVocab, width: int, device: torch.device) -> Tensor:
    """Return the [N·G] token ids of the numeric vocabulary. `width` is the width of the head."""
    if width < vocab.size:
        raise ValueError(
            f"the head is {width} wide, but the numeric vocabulary expects {vocab.size}: "
            f"create it by NumericVocab.from_tokenizer(tokenizer, size={width})"
        )
    return vocab.tables.token_ids.on(device).flatten()


def numeric_log_mass(vocab: NumericVocab, scores: Tensor) -> Tensor:
    """Compute the log-sum-exp over all numeric tokens: [P] from their [P, N·G] logits."""
    scores = upcast(scores).clamp(min=_MIN_LOGIT)  # if all were -inf, their softmax would be 0 / 0
    return pool_tokens(scores, vocab.tables.padding.on(scores.device)).logsumexp(-1)


def pool_tokens(scores: Tensor, padding: Tensor) -> Tensor:
    """Pool [P, N·G] token scores to [P, N] entry scores by log-sum-exp.

    Tokens that `padding`, [N, G], marks are left out.
    """
    if padding.shape[1] == 1:
        return scores
    groups = scores.view(-1, *padding.shape)
    return groups.masked_fill(padding, -torch.inf).logsumexp(-1)


def one_hot(index: Tensor, entries: int) -> Tensor:
    """Build a [P, N] bool mask from [P] indices.

    torch's `one_hot` would wait for the device, because it reads the largest index back.
    """
    return index[:, None] == torch.arange(entries, device=index.device)


def upcast(tensor: Tensor) -> Tensor:
    """Convert a tensor to float32. A float64 tensor stays float64."""
    return tensor if tensor.dtype == torch.float64 else tensor.float()


# Checks of options. Each raises a ValueError with the option's name, its value and a way out.


def check_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Return the value, or raise a ValueError if it is not among the choices."""
    if isinstance(value, str) and value in choices:
        return value
    raise ValueError(f"{name}={value!r}: give {' or '.join(choices)}")


def check_positive(name: str, value: object) -> float:
    """Return the value as a float, or raise a ValueError if it is not finite and above 0."""
    if _is_number(value) and value > 0:
        return float(value)
    raise ValueError(f"{name}={value!r}: give a number above 0")


def check_positive_list(name: str, values: object) -> tuple[float, ...]:
    """Return a list's values as floats, or raise a ValueError if they are not finite and above 0.

    An empty list is also refused.
    """
    if isinstance(values, list | tuple) and values and all(_is_number(v) and v > 0 for v in values):
        return tuple(map(float, values))
    raise ValueError(f"{name}={values!r}: give a list of numbers above 0, such as [2.0]")


def check_part_weights(name: str, values: object, parts: Sequence[str]) -> dict[str, float]:
    """Return the weight of each part by name, from a list in the order of the parts.

    Raises a ValueError if a weight is below 0 or all are 0.
    """
    listed = values if isinstance(values, list | tuple) else []
    if len(listed) == len(parts) and all(_is_number(v) and v >= 0 for v in listed) and any(listed):
        return dict(zip(parts, map(float, listed), strict=True))
    usage = f"{len(parts)} numbers of 0 or more, not all 0, for {', '.join(parts)}"
    raise ValueError(f"{name}={values!r}: give {usage}")


def check_bounds(name: str, value: float, maximum: float = math.inf) -> float:
    """Return the value as a float, or raise a ValueError if it is not from 0 to the maximum."""
    with suppress(TypeError):  # a text cannot be compared with 0
        if 0 <= value <= maximum and math.isfinite(value):
            return float(value)
    usage = "0 or more" if maximum > 1 else "a share, 0 to 1"
    raise ValueError(f"{name}={value!r}: give {usage}")


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
