"""The answer that a belief supports best: the likeliest one, the median or the mean."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gnomon.eval.scoring.belief import Belief, belief_of, distance, expected, resultant
from gnomon.sample import Target

RULES = ("mode", "median", "mean")
"""Ways from a belief to an answer. Greedy decoding is none: it needs no list."""


def best_answer(logprobs: Mapping[str, float], form: Target, dialect: str, rule: str) -> str:
    """Return the listed answer that has the least expected loss under the belief.

    The mode is right most often, the median is nearest on average, and the mean has the least
    squared distance; on a dial all go the shorter way round. Words have no distances, so that
    theirs is the mode whatever the rule.
    """
    belief = belief_of(logprobs, form, dialect, form.answer_type)
    return list(logprobs)[best_place(belief, rule)]


def best_place(belief: Belief, rule: str) -> int:
    """Return the index of the best answer in the list, as `best_answer` chooses it."""
    if rule not in RULES:
        raise ValueError(f"answer={rule!r}: give one of {', '.join(RULES)}")
    if rule == "mode" or belief.answer_type.axis is None:
        return int(np.argmax(belief.p))
    return _median(belief) if rule == "median" else _nearest_to_mean(belief)


def _median(belief: Belief) -> int:
    """The answer with the least expected distance, which on a line is the median."""
    return int(np.argmin(belief.distances @ belief.p))


def _nearest_to_mean(belief: Belief) -> int:
    mean = expected(belief)
    # On a dial a belief that looks both ways alike has no mean direction.
    if belief.period and abs(resultant(belief)) < _NO_DIRECTION:
        return _median(belief)
    return int(np.argmin(distance(belief.places - mean, belief.period)))


# Length of the mean direction below which rounding decides where it points.
_NO_DIRECTION = 1e-6
