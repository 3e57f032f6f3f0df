"""Is a model right as often as it is sure? Of whole answers, and of their digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gnomon.answers.reading.choice import Value
from gnomon.eval.belief.listed_answers import Belief

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Those that were about as sure."""

    sure: float
    right: float
    n: int


@dataclass(frozen=True, slots=True)
class Reliability:
    """Bins of equal width over what the model was sure of."""

    bins: tuple[Bin, ...]
    """Only those that anything fell into."""
    n: int

    @property
    def ece(self) -> float:
        """Expected calibration error: Σ n_b/n · |right_b − sure_b| (Naeini et al. 2015)."""
        return sum(b.n * abs(b.right - b.sure) for b in self.bins) / self.n if self.n else 0.0


def reliability(pairs: Sequence[tuple[float, bool]]) -> Reliability:
    """Of how sure a model was and whether it was right, each time."""
    if not pairs:
        return Reliability((), 0)
    sure, right = (np.array(side, dtype=np.float64) for side in zip(*pairs, strict=True))
    place = np.minimum((sure * BINS).astype(int), BINS - 1)
    bins = [
        Bin(
            float(sure[place == b].mean()), float(right[place == b].mean()), int(np.sum(place == b))
        )
        for b in range(BINS)
        if np.any(place == b)
    ]
    return Reliability(tuple(bins), len(pairs))


def of_answer(belief: Belief, truth: Value) -> tuple[float, bool]:
    """How sure the model was of its likeliest answer, and whether that is the truth."""
    best = int(np.argmax(belief.p))
    return float(belief.p[best]), bool(belief.truths(truth)[best])


def of_digits(belief: Belief, truth: Value) -> list[tuple[float, bool]]:
    """The same of each digit from the left, whatever the others are; none for words."""
    digits = belief.listed.digits
    true = belief.listed.answer_type.digits(truth, 0 if digits is None else digits.shape[1])
    if digits is None or true is None or len(true) != digits.shape[1]:
        return []
    found = []
    for place, digit in enumerate(true):
        shares = np.bincount(digits[:, place], belief.p, minlength=10)
        best = int(np.argmax(shares))
        found.append((float(min(1.0, shares[best])), best == digit))
    return found
