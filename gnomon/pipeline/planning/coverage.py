"""What a numeric loss will see of the answers' digits, said before the training is begun."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.losses import NumericVocab
from gnomon.pipeline.collate import written_answer
from gnomon.pipeline.families.base import Family, Processor
from gnomon.sample import Sample

ENOUGH = 32
"""Samples that are looked at: a tokenizer writes the digits of the others no otherwise."""


def coverage_of(
    vocab: NumericVocab, family: Family, processor: Processor, samples: Iterable[Sample]
) -> dict[str, float]:
    """The share by kind of answer; none at all is an error that shows the tokenizer's tokens."""
    answers: dict[str, list[str]] = {}
    for sample in samples:
        written = written_answer(family, processor, sample)
        answers.setdefault(sample.target.answer_type, []).append(written)
    return vocab.coverage_by_kind(answers)
