"""How many tokens samples have: counted by a checkpoint's own tokenizer, or guessed without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.answers.dialect import create as spoken
from gnomon.losses import CE, NumericVocab
from gnomon.pipeline.checkpoint import open_processor
from gnomon.pipeline.collate import IGNORED, Collator
from gnomon.pipeline.families.base import Family, tokenizer_of
from gnomon.pipeline.planning.coverage import coverage_of
from gnomon.recipe import Recipe
from gnomon.sample import Sample

if TYPE_CHECKING:
    from transformers import PretrainedConfig


@dataclass(frozen=True)
class Tokens:
    """Of one sample."""

    all: int
    picture: int
    answer: int
    patches: int
    """What the vision tower sees."""


def counted(
    family: Family, config: PretrainedConfig, recipe: Recipe, drawn: Sequence[Sample]
) -> tuple[list[Tokens], dict[str, float] | None]:
    """By the processor itself; and the share of each kind's digits that the loss sees."""
    _, processor = open_processor(recipe.model)
    collator, tokens = Collator(family, processor), []
    for sample in drawn:
        batch = collator([{"sample": sample}])
        seen = _looks(family, config, recipe, sample)
        answer = int((batch["labels"] != IGNORED).sum())
        tokens.append(Tokens(batch["input_ids"].shape[1], seen[0], answer, seen[1]))
    if recipe.loss.name == CE:
        return tokens, None
    vocab = NumericVocab.from_tokenizer(
        tokenizer_of(processor), size=config.get_text_config().vocab_size
    )
    return tokens, coverage_of(vocab, family, processor, drawn)


_LETTERS = 3.5
"""Of English in one token."""
_CHAT = 24
"""Tokens of a chat template around a question."""


def guessed(family: Family, config: PretrainedConfig, recipe: Recipe, sample: Sample) -> Tokens:
    """From the letters; every letter of an answer is taken for a token, as digits are."""
    picture, patches = _looks(family, config, recipe, sample)
    size = sample.image.size if sample.image else None
    answer = len(spoken(family.dialect).write(sample.target, size)) + 1
    working = round(len(sample.rationale) / _LETTERS)
    asked = round(len(sample.question) / _LETTERS) + _CHAT
    return Tokens(asked + picture + working + answer, picture, working + answer, patches)


def _looks(
    family: Family, config: PretrainedConfig, recipe: Recipe, sample: Sample
) -> tuple[int, int]:
    if sample.image is None:
        return 0, 0
    return family.looks(config, sample.image.size, recipe.model)
