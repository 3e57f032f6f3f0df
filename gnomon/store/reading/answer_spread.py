"""Answers drawn from a bell around the truth, for a training that learns near misses to be near.

The bell is a discrete normal: k steps from the truth have a probability ∝ exp(−k² / 2σ²). Of all
distributions over whole steps with a given variance it has the greatest entropy. With σ = 0.8 half
of the draws are the truth, 23 % each of its neighbours, 2 % each of the next.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, islice
from math import ceil, exp

from gnomon.generators.rng import Rng
from gnomon.recipe import RecipeError
from gnomon.sample import Sample

# Standard deviations to either side: beyond them lie 2 draws of a billion.
_REACH = 6
# Training samples among which one with steps is looked for.
_SAMPLES = 64


def spread_sample(sample: Sample, width: float, *key: object) -> Sample:
    """Draw a sample's answer from a bell of `width` steps around it; the same for the same key.

    The sample itself comes back with a width of 0, or if it has nothing to spread.
    """
    if not width or not has_steps(sample):
        return sample
    rng = Rng("spread", *key)
    size = sample.image.size if sample.image is not None else None
    target = sample.target.neighbour(lambda limit: draw_steps(rng, width, limit), size)
    return replace(sample, target=target)


def draw_steps(rng: Rng, width: float, limit: int | None = None) -> int:
    """Draw a whole number from a bell around 0, at most `limit` in size."""
    reach = ceil(_REACH * width)
    if limit is not None:
        # Cut off alike on both sides, the bell keeps its mean, and so does the answer.
        reach = min(reach, limit)
    sums = _cumulative(width, reach)
    return bisect_right(sums, rng.unit() * sums[-1]) - reach


@lru_cache(maxsize=1024)
def _cumulative(width: float, reach: int) -> list[float]:
    """Sums of the bell's weights from -reach to each step up to +reach."""
    steps = range(-reach, reach + 1)
    return list(accumulate(exp(-(step**2) / (2 * width**2)) for step in steps))


def has_steps(sample: Sample) -> bool:
    """True if the answer has neighbours and no working before it, which would lead elsewhere."""
    return sample.target.has_steps and not sample.rationale


def refuse_without_steps(samples: Iterable[Sample], width: float) -> None:
    """Refuse a bell for samples whose first 64 have nothing to spread."""
    if width and not any(map(has_steps, islice(samples, _SAMPLES))):
        raise RecipeError(
            f"loss.spread={width:g}: no training sample, of the first {_SAMPLES}, has a number, a"
            " time or a box without a working before it, and all others are left alone: leave"
            " loss.spread out"
        )
