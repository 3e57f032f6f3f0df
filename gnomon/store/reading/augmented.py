"""Training samples with augmented pictures and spread answers, different in every epoch.

Spread answers are drawn from a bell around the truth, so that a training learns to prefer near
misses. The bell is a discrete normal: k steps from the truth have a probability ∝ exp(−k² / 2σ²).
It has the greatest entropy of all distributions over whole steps with this variance. With σ = 0.8,
half of the draws are the truth, 23 % each of its neighbours, and 2 % each of the next values.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import accumulate, islice
from math import ceil, exp
from typing import Any

from gnomon.generators.base import Generator
from gnomon.generators.looks.augment import Augment, augment_sample
from gnomon.generators.rng import Rng
from gnomon.recipe import RecipeError, Source
from gnomon.sample import Sample, Target
from gnomon.store.reading.mixture import Pattern
from gnomon.store.samples import Samples

# The bell is cut off at this many standard deviations. Two draws of a billion lie beyond them.
_REACH = 6
# Number of training samples that are searched for an answer that can be spread.
_SAMPLES = 64


def spread_sample(sample: Sample, width: float, *key: object) -> Sample:
    """Draw a sample's answer from a bell of `width` steps around it. The result depends only on the
    key.

    The sample is returned unchanged if the width is 0 or if `has_steps` is False for it.
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
        # Cut off equally on both sides, the bell keeps its mean, and so does the answer.
        reach = min(reach, limit)
    sums = _cumulative(width, reach)
    return bisect_right(sums, rng.unit() * sums[-1]) - reach


@lru_cache(maxsize=1024)
def _cumulative(width: float, reach: int) -> list[float]:
    """Return the sums of the bell's weights from -reach to each step up to +reach."""
    steps = range(-reach, reach + 1)
    return list(accumulate(exp(-(step**2) / (2 * width**2)) for step in steps))


def has_steps(sample: Sample) -> bool:
    """Return True if the answer has neighbours and no working before it, which would contradict
    them."""
    return sample.target.has_steps and not sample.rationale


def check_can_spread(samples: Iterable[Sample], width: float) -> None:
    """Raise a RecipeError if `width` is not 0 and none of the first 64 answers can be spread."""
    if width and not any(map(has_steps, islice(samples, _SAMPLES))):
        raise RecipeError(
            f"loss.spread={width:g} changes only a number, a time or a box without a working before"
            f" it, and none of the first {_SAMPLES} training samples has such an answer: leave"
            " loss.spread out"
        )


def augmented(
    samples: Samples, sources: Sequence[Source], *, seed: int, spread: float = 0.0
) -> Samples:
    """Augment the samples of a mixture of these sources as each source says.

    `samples` may also be the mixture as it was written to disk, in the same order. Answers are
    drawn from a bell of `spread` steps. Without spread, and if no source has `augment`, the samples
    are returned unchanged.
    """
    # None in a recipe, for sources that are drawn.
    strengths: list[Augment] = [source.augment or "off" for source in sources]
    if set(strengths) == {"off"} and not spread:
        return samples
    return Augmented(samples, strengths, [source.weight for source in sources], seed, spread)


class Augmented(Samples):
    """Samples of weighted sources. Each source has a separate strength of augmentation.

    Pictures and answers depend only on seed, index and epoch, whatever process reads them.
    """

    def __init__(
        self,
        samples: Samples,
        strengths: Sequence[Augment],
        weights: Sequence[float],
        seed: int,
        spread: float = 0.0,
    ) -> None:
        self.samples, self.strengths = samples, tuple(strengths)
        self.weights, self.seed, self.spread = tuple(weights), seed, spread

    @property
    def length(self) -> int | None:
        """Number of samples. None if they are endless."""
        return self.samples.length

    @property
    def n_distinct(self) -> int | None:
        return self.samples.n_distinct

    @property
    def n_per_pass(self) -> int | None:
        return self.samples.n_per_pass

    def at(self, index: int) -> Sample:
        return self.in_epoch(index, 0)

    def in_epoch(self, index: int, epoch: int) -> Sample:
        key = self.seed, index, epoch
        sample = augment_sample(self.samples[index], self._strength(index), *key)
        # Augmentation has already moved and clipped its boxes.
        return spread_sample(sample, self.spread, *key)

    def id(self, index: int) -> str:
        return self.samples.id(index)

    def target(self, index: int) -> Target:
        """Return the truth before the augmentation, which moves boxes, and before the spread."""
        return self.samples.target(index)

    def generators(self) -> Iterator[Generator]:
        return self.samples.generators()

    @property
    def has_several_pictures(self) -> bool:
        return self.samples.has_several_pictures

    def describe(self) -> dict[str, Any]:
        return {
            "source": "augmented",
            "strengths": list(self.strengths),
            "seed": self.seed,
            "spread": self.spread,
            "samples": self.samples.describe(),
        }

    def _strength(self, index: int) -> Augment:
        source = self._pattern.source_of(index) if len(self.strengths) > 1 else 0
        return self.strengths[source]

    @cached_property
    def _pattern(self) -> Pattern:
        # Those of the mixture, so an index has the same source in both.
        return Pattern(self.weights, self.seed)
