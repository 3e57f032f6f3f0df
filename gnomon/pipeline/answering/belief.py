"""Belief of a model: the exact log-probability of every answer in a list.

Shapes: P tokens of the prompt, N nodes of the tree, A answers, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import torch
from torch import Tensor

from gnomon import dialect
from gnomon.pipeline.collate import prompt_of
from gnomon.pipeline.families.seam import cache_key
from gnomon.sample import Sample, Target

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PreTrainedModel

    from gnomon.pipeline.load import Loaded

Listing: TypeAlias = "bool | Sequence[str]"
"""A belief setting: False, True for the answers that a question lists itself, or the answers."""

_ROWS = 64
"""Rows of logits normalised at a time: 64 of 150,000 tokens are 38 MB in float32."""
_ANSWERS = 64
"""Answers in a batch if each is a sequence of its own."""
_DIGITS = 5
"""Decimals of a stored log-probability: a clock has 720 of them."""


def listed_answers(
    loaded: Loaded, sample: Sample, listing: Listing, grid: Sequence[Decimal] = ()
) -> tuple[str, ...] | None:
    """List the answers that a sample's belief is about; None if they cannot be listed.

    With `listing` True: every minute of a clock without seconds, whole numbers from 0 to 100, the
    steps of a scale that goes round, the choices of a text; for numbers those of a `grid` instead.
    A sample with a working has no belief, since its answer depends on it.
    """
    if not listing or sample.rationale:
        return None
    if not isinstance(listing, bool):
        return tuple(listing)
    if grid and (numbers := sample.target.on_grid(grid)):
        return tuple(number.write() for number in numbers)
    if not sample.target.listable:
        return None
    return _possible_answers(loaded.family.dialect, sample.target.form_of_question)


def answer_logprobs(loaded: Loaded, sample: Sample, answers: Sequence[str]) -> dict[str, float]:
    """Compute log p(answer, end | pictures, question) of each answer, in training's tokens.

    The pictures and the prompt are computed once. Then all answers go through the model in one
    pass as a tree of their shared beginnings: each token sees the prompt and the tokens that lead
    to it. Recurrent layers have no such mask, and sliding windows may be too short for it; there
    every answer is a sequence of its own, many in a batch. In float32 both give what scoring every
    answer by itself gives.
    """
    prompt = prompt_of(loaded.family, loaded.processor, sample)
    ids = _answer_ids(loaded, prompt, answers)
    was_training = loaded.model.training
    loaded.model.eval()
    # No inference_mode: a tensor made in it may not enter a later training step.
    with torch.no_grad():
        scores = _score_answers(loaded, prompt, sample, ids)
    loaded.model.train(was_training)
    return {
        answer: round(score, _DIGITS)
        for answer, score in zip(answers, scores.tolist(), strict=True)
    }


_Paths: TypeAlias = "list[list[tuple[int, int]]]"
"""For each answer its tokens, each with the row of logits that predicts it; −1 is the prompt's."""


def _tree(answers: Sequence[Sequence[int]]) -> tuple[list[tuple[int, ...]], list[int], _Paths]:
    """Return the answers' distinct beginnings, the parent of each, and the answers' paths."""
    # The empty beginning is the prompt. An answer's last token predicts nothing: it is no node.
    nodes: dict[tuple[int, ...], int] = {(): -1}
    for ids in answers:
        for end in range(1, len(ids)):
            nodes.setdefault(tuple(ids[:end]), len(nodes) - 1)
    beginnings = list(nodes)[1:]
    parents = [nodes[beginning[:-1]] for beginning in beginnings]
    paths = [[(nodes[tuple(ids[:i])], ids[i]) for i in range(len(ids))] for ids in answers]
    return beginnings, parents, paths


def _answer_ids(loaded: Loaded, prompt: str, answers: Sequence[str]) -> list[list[int]]:
    """Tokenize each answer and its end as they stand after the prompt."""
    family = loaded.family
    texts = [prompt + family.answer(loaded.processor, prompt, answer) for answer in answers]
    tokenizer = loaded.tokenizer
    prompt_ids, *text_ids = tokenizer([prompt, *texts], add_special_tokens=False)["input_ids"]
    for answer, ids in zip(answers, text_ids, strict=True):
        if ids[: len(prompt_ids)] != prompt_ids:
            raise ValueError(
                f"the answer {answer!r} has no tokens of its own after its prompt: the"
                f" {family.name} tokenizer joins them, so it has no probability of its own"
            )
    return [ids[len(prompt_ids) :] for ids in text_ids]


def _score_answers(loaded: Loaded, prompt: str, sample: Sample, answers: list[list[int]]) -> Tensor:
    """Log-probabilities of tokenized answers, [A] in float64."""
    model = loaded.model
    inputs = loaded.family.encode(loaded.processor, [prompt], [sample.images], side="left")
    inputs = {name: tensor.to(model.device) for name, tensor in inputs.items()}
    # The prompt once, with its pictures: all answers continue from its cache.
    first = model(**inputs, use_cache=True, logits_to_keep=1)
    length = inputs["input_ids"].shape[1]
    start = length + (_position_shift(model) if sample.image is not None else 0)
    if not _takes_trees(model, length + max(map(len, answers))):
        scores = [
            _score_sequences(model, first, answers[i : i + _ANSWERS], length, start)
            for i in range(0, len(answers), _ANSWERS)
        ]
        return torch.cat(scores)
    nodes, parents, paths = _tree(answers)
    depths = torch.tensor([[len(node) - 1 for node in nodes]], device=model.device)
    rest = model(
        input_ids=torch.tensor([[node[-1] for node in nodes]], device=model.device),
        position_ids=depths + start,
        attention_mask=_tree_mask(parents, length, first.logits.dtype).to(model.device),
        use_cache=True,
        **{cache_key(): first[cache_key()]},
        **_cross_attention_mask(inputs, len(nodes)),
    )
    return _sum_paths(torch.cat([first.logits[0], rest.logits[0]]), paths)


def _takes_trees(model: PreTrainedModel | PeftModel, tokens: int) -> bool:
    """Return True if all layers attend, through a mask, over that many tokens."""
    config = model.config.get_text_config()
    layers = set(getattr(config, "layer_types", None) or ())
    # Beyond its window a layer drops the prompt's beginning from the cache.
    if "sliding_attention" in layers and tokens > config.sliding_window:
        return False
    return not model._is_stateful and layers <= {"full_attention", "sliding_attention"}


def _score_sequences(
    model: PreTrainedModel | PeftModel,
    first: Any,
    answers: list[list[int]],
    length: int,
    start: Tensor | int,
) -> Tensor:
    """Score answers as rows of a batch after the prompt's cache, padded right; returns [A]."""
    longest = max(map(len, answers)) - 1  # nothing is predicted after the last token
    if not longest:
        return _sum_paths(first.logits[0], [[(-1, ids[0])] for ids in answers])
    # Padded with the token 0: what follows an answer changes nothing before it.
    rows = [[*ids[:-1], *[0] * (longest + 1 - len(ids))] for ids in answers]
    # A forward appends to the cache in place; reordered by zeros, it repeats the prompt's row.
    cache = deepcopy(first[cache_key()])
    cache.reorder_cache(torch.zeros(len(answers), dtype=torch.long, device=model.device))
    positions = torch.arange(longest, device=model.device) + start
    rest = model(
        input_ids=torch.tensor(rows, device=model.device),
        position_ids=positions.reshape(1, -1).expand(len(answers), -1),
        attention_mask=torch.ones(len(answers), length + longest, device=model.device).long(),
        use_cache=True,
        **{cache_key(): cache},
    )
    paths = []
    for i, ids in enumerate(answers):
        logits_rows = [-1, *range(i * longest, (i + 1) * longest)]
        paths.append(list(zip(logits_rows, ids, strict=False)))  # the rest is padding
    return _sum_paths(torch.cat([first.logits[0], rest.logits.flatten(0, 1)]), paths)


def _sum_paths(logits: Tensor, paths: Sequence[Sequence[tuple[int, int]]]) -> Tensor:
    """Sum the log-probabilities of each path: [A] from logits [1 + N, V], the prompt's first."""
    # In float32: bf16 has three digits, too few for a sum of tokens.
    norms = torch.cat([rows.float().logsumexp(-1) for rows in torch.split(logits, _ROWS)])
    pairs = torch.tensor([pair for path in paths for pair in path], device=logits.device)
    rows, tokens = pairs[:, 0] + 1, pairs[:, 1]
    logprobs = (logits[rows, tokens].float() - norms[rows]).double().cpu()
    return torch.stack([path.sum() for path in torch.split(logprobs, [len(p) for p in paths])])


def _tree_mask(parents: list[int], length: int, dtype: torch.dtype) -> Tensor:
    """Additive attention mask, [1, 1, N, P + N]: 0 at the prompt, a node's ancestors and itself."""
    n = len(parents)
    sees = torch.cat([torch.ones(n, length), torch.eye(n)], dim=1).bool()
    for node, parent in enumerate(parents):  # a parent stands before its children
        if parent >= 0:
            sees[node] |= sees[parent]
    # The least number of the dtype, since −inf minus −inf would be NaN in a masked row.
    mask = torch.full(sees.shape, torch.finfo(dtype).min, dtype=dtype).masked_fill(sees, 0)
    return mask[None, None]


def _position_shift(model: torch.nn.Module) -> Tensor | int:
    """Shift of the positions after a picture in models with multimodal rotary embeddings.

    They keep it from the prompt's forward: a picture of many tokens takes few positions.
    """
    deltas = (getattr(module, "rope_deltas", None) for module in model.modules())
    return next((delta for delta in deltas if delta is not None), 0)


def _cross_attention_mask(inputs: dict[str, Tensor], n: int) -> dict[str, Any]:
    """Let n tokens of answers see the pictures that their prompt's end sees (Llama-3.2-Vision)."""
    mask = inputs.get("cross_attention_mask")
    if mask is None:
        return {}
    return {"cross_attention_mask": mask[:, -1:].expand(-1, n, *mask.shape[2:])}


@cache
def _possible_answers(dialect_name: str, form: Target) -> tuple[str, ...]:
    """Write every possible answer to a question of that form in a dialect."""
    return tuple(map(dialect.create(dialect_name).write, form.possible_answers()))
