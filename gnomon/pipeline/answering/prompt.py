"""A prompt with its pictures, computed once, from which many texts continue.

Shapes: P tokens of the prompt, N nodes of a tree, R rows of a batch, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeAlias

import torch
from torch import Tensor

from gnomon.pipeline.families.base import encode
from gnomon.pipeline.families.releases import cache_key
from gnomon.sample import Sample

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PreTrainedModel

    from gnomon.pipeline.load import Loaded

Ids: TypeAlias = tuple[int, ...]

TEXTS_PER_BATCH = 64
"""Texts in a batch if each is a separate sequence."""
LOGIT_ROWS = 64
"""Rows of logits normalised at a time: 64 of 150,000 tokens are 38 MB in float32."""
# Nodes in a pass. Each has a row of logits, which for 150,000 tokens in float32 takes 0.6 MB.
_NODES = 512


class Prompt:
    """Forward pass of a prompt with its pictures, and the passes that continue from its cache."""

    def __init__(self, loaded: Loaded, text: str, sample: Sample) -> None:
        self.model = loaded.model
        inputs = encode(loaded.processor, [text], [sample.images], side="left")
        self.inputs = {name: tensor.to(self.model.device) for name, tensor in inputs.items()}
        first = self.model(**self.inputs, use_cache=True, logits_to_keep=1)
        # Models that do not know `logits_to_keep` return the logits of the whole prompt.
        self.logits: Tensor = first.logits[0, -1:]
        """Logits of the first token after the prompt, [1, V]."""
        self._cache = first[cache_key()]
        self.length = self.inputs["input_ids"].shape[1]
        has_picture = sample.image is not None
        self._start = self.length + (_position_shift(self.model) if has_picture else 0)

    def takes_trees(self, n_tokens: int) -> bool:
        """Return True if all layers attend, through a mask, over this many additional tokens."""
        config = self.model.config.get_text_config()
        layers = set(getattr(config, "layer_types", None) or ())
        # Beyond its window, a layer drops the prompt's beginning from the cache.
        if "sliding_attention" in layers and self.length + n_tokens > config.sliding_window:
            return False
        return not self.model._is_stateful and layers <= {"full_attention", "sliding_attention"}

    def tree_logits(self, beginnings: Sequence[tuple[int, ...]], parents: Sequence[int]) -> Tensor:
        """Return the logits after each node of a tree of beginnings, [N, V], in one pass.

        Each token sees the prompt and the tokens that lead to it. `parents` has the index of each
        node's parent, −1 for the prompt.
        """
        device = self.model.device
        depths = torch.tensor([[len(node) - 1 for node in beginnings]], device=device)
        mask = _tree_mask(parents, self.length, self.logits.dtype).to(device)
        rest = self.model(
            input_ids=torch.tensor([[node[-1] for node in beginnings]], device=device),
            position_ids=depths + self._start,
            attention_mask=mask,
            use_cache=True,
            # A forward pass appends to the cache in place.
            **{cache_key(): deepcopy(self._cache)},
            **_cross_attention_mask(self.inputs, len(beginnings)),
        )
        logits: Tensor = rest.logits[0]
        return logits

    def row_logits(self, rows: Sequence[Sequence[int]]) -> Tensor:
        """Return the logits after each token of texts, [R, T, V], padded right to T tokens."""
        device, longest = self.model.device, max(map(len, rows))
        # Padded with token 0, because padding after a text does not change anything before it.
        padded = [[*row, *[0] * (longest - len(row))] for row in rows]
        # Reordered by zeros, the cache repeats the prompt's row.
        cache = deepcopy(self._cache)
        cache.reorder_cache(torch.zeros(len(rows), dtype=torch.long, device=device))
        positions = torch.arange(longest, device=device) + self._start
        mask = torch.ones(len(rows), self.length + longest, device=device).long()
        rest = self.model(
            input_ids=torch.tensor(padded, device=device),
            position_ids=positions.reshape(1, -1).expand(len(rows), -1),
            attention_mask=mask,
            use_cache=True,
            **{cache_key(): cache},
        )
        logits: Tensor = rest.logits
        return logits

    def next_logits(self, texts: Sequence[tuple[int, ...]]) -> Tensor:
        """Return the logits of the token after each text, [R, V]. Texts may share beginnings."""
        parts = []
        size = _NODES if self.takes_trees(max(map(len, texts))) else TEXTS_PER_BATCH
        for start in range(0, len(texts), size):
            parts.append(self._part_logits(texts[start : start + size]))
        return torch.cat(parts)

    def _part_logits(self, texts: Sequence[tuple[int, ...]]) -> Tensor:
        longest = max(map(len, texts))
        if not longest:
            return self.logits.expand(len(texts), -1)
        if not self.takes_trees(longest):
            logits = self.row_logits([text or (0,) for text in texts])
            rows = [logits[row, len(text) - 1] for row, text in enumerate(texts)]
        else:
            beginnings, parents, index_of = tree_of(texts)
            logits = self.tree_logits(beginnings, parents)
            rows = [logits[index_of[text]] for text in texts]
        return torch.stack(
            [row if text else self.logits[0] for row, text in zip(rows, texts, strict=True)]
        )


def working_ids(tokenizer: Any, prompt: str, text: str, working: str) -> Ids:
    """Return the tokens of the working in a text that begins with a prompt, if it has a working.

    The blank after it may belong to a token of the answer.
    """
    if not working:
        return ()
    n_prompt = len(tokenizer(prompt, add_special_tokens=False)["input_ids"])
    end = text.rindex(working) + len(working.rstrip())
    encoding = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    pairs = zip(encoding["input_ids"], encoding["offset_mapping"], strict=True)
    return tuple([token for token, (_, stop) in pairs if stop <= end])[n_prompt:]


def tree_of(
    texts: Sequence[tuple[int, ...]],
) -> tuple[list[tuple[int, ...]], list[int], dict[tuple[int, ...], int]]:
    """Return the distinct beginnings of texts, the parent of each, and the index of each.

    The empty beginning is the prompt, with index −1.
    """
    index_of: dict[tuple[int, ...], int] = {(): -1}
    for text in texts:
        for end in range(1, len(text) + 1):
            index_of.setdefault(text[:end], len(index_of) - 1)
    beginnings = list(index_of)[1:]
    return beginnings, [index_of[beginning[:-1]] for beginning in beginnings], index_of


def _tree_mask(parents: Sequence[int], length: int, dtype: torch.dtype) -> Tensor:
    """Return the additive attention mask, [1, 1, N, P + N]: 0 at the prompt, a node's ancestors and
    itself."""
    n = len(parents)
    sees = torch.cat([torch.ones(n, length), torch.eye(n)], dim=1).bool()
    for node, parent in enumerate(parents):  # a parent stands before its children
        if parent >= 0:
            sees[node] |= sees[parent]
    # The smallest number of the dtype, because −inf minus −inf would be NaN in a masked row.
    mask = torch.full(sees.shape, torch.finfo(dtype).min, dtype=dtype).masked_fill(sees, 0)
    return mask[None, None]


def _position_shift(model: PreTrainedModel | PeftModel) -> Any:
    """Return the shift of positions after a picture in models with multimodal rotary embeddings.

    They keep it from the prompt's forward pass. A picture of many tokens takes few positions.
    """
    deltas = (getattr(module, "rope_deltas", None) for module in model.modules())
    return next((delta for delta in deltas if delta is not None), 0)


def _cross_attention_mask(inputs: dict[str, Tensor], n: int) -> dict[str, Any]:
    """Let n answer tokens see the pictures that the end of their prompt sees (Llama-3.2-Vision)."""
    mask = inputs.get("cross_attention_mask")
    if mask is None:
        return {}
    return {"cross_attention_mask": mask[:, -1:].expand(-1, n, *mask.shape[2:])}
