"""Belief of a model: the exact log-probability of each listed answer, from one or several views.

A crop is often a little too tight or too wide. A reading that depends on the crop is rarely the
most likely reading in all views.

Shapes: N nodes of the tree, A answers, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from gnomon.pipeline.answering.prompt import (
    LOGIT_ROWS,
    TEXTS_PER_BATCH,
    Prompt,
    tree_of,
    working_ids,
)
from gnomon.pipeline.answering.rule import LOGPROB_DECIMALS
from gnomon.pipeline.collate import prompt_of
from gnomon.pipeline.load import Loaded, inference
from gnomon.sample import Sample

_CLOSER, _WIDER = 0.045, 0.075
"""Shares of a side that are cropped or added at each end. A digit that fills a picture stays
whole."""


def answer_logprobs(
    loaded: Loaded, sample: Sample, answers: Sequence[str], working: str = ""
) -> dict[str, float]:
    """Compute log p(answer, end | pictures, question, working) of each answer, tokenized as in
    training.

    The pictures and the prompt are computed once. Then all answers go through the model in one pass
    as a tree of their shared beginnings: each token sees the prompt and the tokens that lead to it.
    Recurrent layers do not have such a mask, and sliding windows may be too short for it. For such
    models each answer is a separate sequence, with many in a batch. In float32 both ways give the
    same result as scoring each answer separately.
    """
    prompt = prompt_of(loaded.family, loaded.processor, sample)
    ids = _answer_ids(loaded, prompt, [working + answer for answer in answers])
    whole = prompt + loaded.family.answer(loaded.processor, prompt, working + answers[0])
    n_given = len(working_ids(loaded.tokenizer, prompt, whole, working))
    with inference(loaded.model):
        scores = _score_answers(loaded, prompt, sample, ids, n_given)
    return {
        answer: round(score, LOGPROB_DECIMALS)
        for answer, score in zip(answers, scores.tolist(), strict=True)
    }


def _answer_ids(loaded: Loaded, prompt: str, answers: Sequence[str]) -> list[list[int]]:
    """Return the tokens of each answer and its end, tokenized together with the prompt."""
    family = loaded.family
    texts = [prompt + family.answer(loaded.processor, prompt, answer) for answer in answers]
    tokenizer = loaded.tokenizer
    prompt_ids, *text_ids = tokenizer([prompt, *texts], add_special_tokens=False)["input_ids"]
    for answer, ids in zip(answers, text_ids, strict=True):
        if ids[: len(prompt_ids)] != prompt_ids:
            raise ValueError(
                f"the {family.name} tokenizer joins the answer {answer!r} with its prompt, so"
                " gnomon cannot compute the answer's probability"
            )
    return [ids[len(prompt_ids) :] for ids in text_ids]


def _score_answers(
    loaded: Loaded, text: str, sample: Sample, answers: list[list[int]], n_given: int = 0
) -> Tensor:
    """Return the log-probabilities of tokenized answers after `n_given` tokens, [A] in float64."""
    prompt = Prompt(loaded, text, sample)
    # Nothing is predicted after an answer's last token.
    texts = [tuple(ids[:-1]) for ids in answers]
    if not any(texts):
        return _sum_paths(prompt.logits, [[(0, ids[0])] for ids in answers])
    if prompt.takes_trees(max(map(len, answers))):
        beginnings, parents, index_of = tree_of(texts)
        logits = torch.cat([prompt.logits, prompt.tree_logits(beginnings, parents)])
        paths = [
            [(index_of[tuple(ids[:i])] + 1, ids[i]) for i in range(n_given, len(ids))]
            for ids in answers
        ]
        return _sum_paths(logits, paths)
    scores = []
    for i in range(0, len(answers), TEXTS_PER_BATCH):
        rows = prompt.row_logits(texts[i : i + TEXTS_PER_BATCH])
        longest = rows.shape[1]
        paths = []
        for row, ids in enumerate(answers[i : i + TEXTS_PER_BATCH]):
            places_of_row = [0, *range(row * longest + 1, (row + 1) * longest + 1)]
            path = list(zip(places_of_row, ids, strict=False))  # the rest is padding
            paths.append(path[n_given:])
        scores.append(_sum_paths(torch.cat([prompt.logits, rows.flatten(0, 1)]), paths))
    return torch.cat(scores)


def _sum_paths(logits: Tensor, paths: Sequence[Sequence[tuple[int, int]]]) -> Tensor:
    """Sum the log-probabilities of each path: [A] from logits [1 + N, V], the prompt's first.

    A path lists for each token the row of logits that predicts it.
    """
    # In float32, because bf16 has three digits, too few for a sum of tokens.
    norms = torch.cat([rows.float().logsumexp(-1) for rows in torch.split(logits, LOGIT_ROWS)])
    pairs = torch.tensor([pair for path in paths for pair in path], device=logits.device)
    rows, tokens = pairs[:, 0], pairs[:, 1]
    logprobs = (logits[rows, tokens].float() - norms[rows]).double().cpu()
    return torch.stack([path.sum() for path in torch.split(logprobs, [len(p) for p in paths])])


def other_views(sample: Sample) -> list[Sample]:
    """Return a sample with its pictures cropped at the edges, and with wider pictures."""
    if sample.image is None:
        return []
    return [
        replace(
            sample, image=change(sample.image), more_images=tuple(map(change, sample.more_images))
        )
        for change in (_cut_off, _widen)
    ]


def _cut_off(picture: Image.Image) -> Image.Image:
    x, y = (round(_CLOSER * side) for side in picture.size)
    return picture.crop((x, y, picture.width - x, picture.height - y))


def _widen(picture: Image.Image) -> Image.Image:
    """Repeat the pixels of the edges outwards."""
    x, y = (round(_WIDER * side) for side in picture.size)
    pixels = np.asarray(picture.convert("RGB"))
    return Image.fromarray(np.pad(pixels, ((y, y), (x, x), (0, 0)), mode="edge"))


def average_beliefs(beliefs: Sequence[dict[str, float]]) -> dict[str, float]:
    """Average the probabilities of each answer, given and returned as logarithms.

    An answer that a search left out of a view has probability 0 in this view.
    """
    if len(beliefs) == 1:
        return beliefs[0]
    answers = dict.fromkeys(answer for belief in beliefs for answer in belief)
    totals = {
        answer: np.logaddexp.reduce([belief.get(answer, -np.inf) for belief in beliefs])
        for answer in answers
    }
    n = log(len(beliefs))
    return {answer: round(float(total) - n, LOGPROB_DECIMALS) for answer, total in totals.items()}
