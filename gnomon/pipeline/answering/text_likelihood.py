"""Log-likelihood of a plain text under a language model, to measure what a training changed.

Shapes: L tokens of the text, T tokens of a window, V vocabulary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch.nn.functional import cross_entropy

from gnomon.pipeline.load import inference

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


class TextLikelihood(NamedTuple):
    """Mean log-likelihood of a text's tokens."""

    mean: float
    """Mean of log p of each token given the tokens before it. It is 0 at most."""
    n_tokens: int
    """Number of tokens with a prediction: all tokens except the first."""


def text_likelihood(
    model: PreTrainedModel | PeftModel, tokenizer: PreTrainedTokenizerBase, text: str, *,
    window: int = 512,
) -> TextLikelihood:  # fmt: skip
    """Measure the mean log-likelihood per token of a text, in nats, without a chat template.

    A long text is read in windows of `window` tokens that overlap by half. Each token is counted
    once, and sees at least half a window before it, or the whole text before it. A larger window
    needs more memory for logits.
    """
    ids = torch.tensor(tokenizer(text, verbose=False)["input_ids"], device=model.device)
    if len(ids) < 2:
        raise ValueError(f"{text[:20]!r}: a text needs two tokens to measure its likelihood")
    limit = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    window = min(window, limit or window)
    total, done = 0.0, 1
    with inference(model):
        while done < len(ids):
            start = max(0, done - window // 2)
            inputs = ids[start : start + window]
            logits = model(input_ids=inputs[None], use_cache=False).logits[0]  # [T, V]
            # In float32, because bf16 has three digits. Each row predicts the next token.
            new = logits[done - start - 1 : -1].float()
            total -= float(cross_entropy(new, inputs[done - start :], reduction="sum"))
            done = start + len(inputs)
    return TextLikelihood(total / (len(ids) - 1), len(ids) - 1)
