"""The scores of the numeric vocabulary's entries, from logits or from hidden states.

The score of an entry is the log of the summed exponentials of its tokens' logits, so that the
softmax over entries sums the probabilities of `5`, `▁5` and `Ġ5`. Positions that are not numeric
are left out; or their scores are 0, whatever the logits, and no gradient goes back.

Shapes: R rows of logits, P positions of these, N entries, G the most tokens that spell one of
them, H hidden, V vocabulary.
"""

from __future__ import annotations

import torch
from torch import Tensor

from gnomon.losses.numbers.spans import Spans
from gnomon.losses.numbers.vocab import NumericVocab

_LEAST = -1e30
"""No model's logit is smaller, and a temperature still divides it without an overflow."""


def columns(vocab: NumericVocab, logits: Tensor) -> Tensor:
    """[R, N·G] from [R, V] logits: only the entries' own columns are ever copied."""
    return logits.index_select(1, tokens(vocab, logits.shape[-1], logits.device))


def tokens(vocab: NumericVocab, width: int, device: torch.device) -> Tensor:
    """The columns, [N·G], of a head that is so wide."""
    if width < vocab.size:
        raise ValueError(
            f"the head is {width} wide and the numeric vocabulary {vocab.size}: "
            f"give NumericVocab.from_tokenizer the head's width, size={width}"
        )
    return vocab.tables.columns.on(device).flatten()


def of_columns(vocab: NumericVocab, scores: Tensor, spans: Spans) -> tuple[Tensor, Spans]:
    """[P, N] and their spans from the [R, N·G] that `columns` gives."""
    spans, rows = spans.of_numbers()
    return _by_entry(vocab, working(_only(rows, scores)), spans), spans


def log_mass(vocab: NumericVocab, scores: Tensor) -> Tensor:
    """The log of the summed exponentials of all numeric tokens' logits: [R] from [R, N·G]."""
    return pooled(working(scores), vocab.tables.spare.on(scores.device)).logsumexp(-1)


def of_hidden(
    vocab: NumericVocab, hidden: Tensor, weight: Tensor, bias: Tensor | None, spans: Spans
) -> tuple[Tensor, Spans]:
    """The same from [R, H] hidden states, and the head's [V, H] weight and [V] bias."""
    columns = tokens(vocab, weight.shape[0], weight.device)
    spans, rows = spans.of_numbers()
    scores = working(_only(rows, hidden)) @ working(weight.index_select(0, columns)).T
    if bias is not None:
        scores = scores + working(bias.index_select(0, columns))
    return _by_entry(vocab, scores, spans), spans


def pooled(scores: Tensor, spare: Tensor) -> Tensor:
    """[P, N] log-sum-exps of [P, N·G] scores, where `spare` [N, G] says which of them to skip."""
    if spare.shape[1] == 1:
        return scores
    grouped = scores.view(-1, *spare.shape)
    return grouped.masked_fill(spare, -torch.inf).logsumexp(-1)


def one_hot(index: Tensor, entries: int) -> Tensor:
    """[P, N] bool from [P]; torch's own looks at the largest index, and waits for the device."""
    return index[:, None] == torch.arange(entries, device=index.device)


def _only(rows: Tensor | None, tensor: Tensor) -> Tensor:
    return tensor if rows is None else tensor.index_select(0, rows)


def working(tensor: Tensor) -> Tensor:
    """In float32, whatever came in, but for float64, which stays."""
    return tensor if tensor.dtype == torch.float64 else tensor.float()


def _by_entry(vocab: NumericVocab, scores: Tensor, spans: Spans) -> Tensor:
    # Masked before anything is computed, for a gradient of 0 · inf afterwards is NaN. And where all
    # numeric logits are -inf, as a decoding mask leaves them, the softmax over them is even.
    scores = scores.masked_fill(~spans.numeric[:, None], 0)  # [P, N·G]
    scores = scores.clamp(min=_LEAST)
    return pooled(scores, vocab.tables.spare.on(scores.device))
