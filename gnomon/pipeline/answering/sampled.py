"""A belief from drawn answers, because a server cannot list answers but can be asked repeatedly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import exp, log

from gnomon.answers.base.answer_type import Value
from gnomon.answers.base.target import AnswerForm
from gnomon.answers.registry import TYPES
from gnomon.answers.unreadable.answer import WORD
from gnomon.answers.unreadable.read import is_refusal
from gnomon.dialect import create
from gnomon.pipeline.answering.rule import LOGPROB_DECIMALS

_MIN_PROBABILITY = 1e-12
"""Smallest probability of a listed answer, so all logarithms are finite."""
LEAST = log(_MIN_PROBABILITY)
"""Log-probability of the least certain answer."""


@dataclass(frozen=True)
class SampledAnswer:
    """Answer that a server drew. A question gets several of them."""

    text: str
    logprob: float | None
    """Log-probability of its tokens. None if the server does not report it."""


def sampled_belief(
    answers: Sequence[SampledAnswer], candidates: tuple[str, ...], form: AnswerForm, dialect: str
) -> dict[str, float] | None:
    """Estimate the log-probability of each listed answer. None if no drawn answer is listed.

    Answers whose probability the server reported keep it. The others share the rest in proportion
    to their counts + 1/len(candidates), so each answer is possible. Drawn answers that are not
    listed reduce the share of all.
    """
    indices = [_index(answer.text, candidates, form, dialect) for answer in answers]
    counts = Counter(index for index in indices if index is not None)
    n = counts.total()
    if not n:
        return None
    exact = _server_probabilities(answers, indices, candidates)
    # The drawn probabilities may exceed 1 by rounding of 16 bits.
    mass = min(1.0, sum(exact.values()))
    others = {index: count for index, count in counts.items() if index not in exact}
    weights = [others.get(index, 0) + 1 / len(candidates) for index in range(len(candidates))]
    rest = sum(weight for index, weight in enumerate(weights) if index not in exact)
    scale = mass / (sum(exact.values()) or 1.0)
    shares = [
        exact[index] * scale if index in exact else (1 - mass) * weights[index] / rest
        for index in range(len(candidates))
    ]
    listed_share = n / len(answers)
    return {
        answer: round(log(max(share * listed_share, _MIN_PROBABILITY)), LOGPROB_DECIMALS)
        for answer, share in zip(candidates, shares, strict=True)
    }


def _server_probabilities(
    answers: Sequence[SampledAnswer], indices: Sequence[int | None], candidates: tuple[str, ...]
) -> dict[int, float]:
    """Return the probabilities that the server reported, by index in the list.

    They are for the tokens of an answer without its end: P(1) includes P(10). So they count only if
    no listed answer begins with another.
    """
    if not _is_prefix_free(candidates):
        return {}
    return {
        index: exp(answer.logprob)
        for answer, index in zip(answers, indices, strict=True)
        if index is not None and answer.logprob is not None and answer.text == candidates[index]
    }


@lru_cache(64)
def _is_prefix_free(candidates: tuple[str, ...]) -> bool:
    ordered = sorted(candidates)
    return not any(b.startswith(a) for a, b in pairwise(ordered))


def _index(text: str, candidates: tuple[str, ...], form: AnswerForm, dialect: str) -> int | None:
    """Return the index of the listed answer that a text gives, in whatever words. None if the text
    gives another answer."""
    if text in candidates:
        return candidates.index(text)
    if WORD in candidates and is_refusal(text):
        return candidates.index(WORD)
    answer_type = TYPES[form.type_name]
    reading = answer_type.read(text, form, which="final", dialect=create(dialect), size=None)
    if reading is None:
        return None
    for index, value in enumerate(_values(candidates, form, dialect)):
        if value is not None and answer_type.is_same(value, reading.value):
            return index
    return None


@lru_cache(64)
def _values(
    candidates: tuple[str, ...], form: AnswerForm, dialect: str
) -> tuple[Value | None, ...]:
    answer_type, written_in = TYPES[form.type_name], create(dialect)
    readings = [
        answer_type.read(text, form, which="final", dialect=written_in, size=None)
        for text in candidates
    ]
    return tuple([None if reading is None else reading.value for reading in readings])
