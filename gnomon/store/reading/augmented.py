"""Training samples with augmented pictures and spread answers, otherwise in every epoch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from gnomon.generators.base import Generator
from gnomon.generators.looks.augment import Augment, augment_sample
from gnomon.recipe import Source
from gnomon.sample import Sample, Target
from gnomon.store.reading.answer_spread import spread_sample
from gnomon.store.reading.mixture import Pattern
from gnomon.store.samples import Samples


def augmented(
    samples: Samples, sources: Sequence[Source], *, seed: int, spread: float = 0.0
) -> Samples:
    """Augment the samples of a mixture of these sources as each source says.

    `samples` may also be the mixture as it was written to disk, in the same order. Answers are
    drawn from a bell of `spread` steps. Without it, samples come back as they are if no source has
    `augment`.
    """
    # None in a recipe, for sources that are drawn.
    strengths: list[Augment] = [source.augment or "off" for source in sources]
    if set(strengths) == {"off"} and not spread:
        return samples
    return Augmented(samples, strengths, [source.weight for source in sources], seed, spread)


class Augmented(Samples):
    """Samples of weighted sources, each source augmented with a strength of its own.

    Pictures and answers are functions of seed, index and epoch alone, whatever process reads them.
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
        """Number of samples; None if they have no end."""
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
        # Augmentation has moved its boxes by now, and cut them at the picture's edge.
        return spread_sample(sample, self.spread, *key)

    def id(self, index: int) -> str:
        return self.samples.id(index)

    def target(self, index: int) -> Target:
        """Return the truth before augmentation, which moves boxes, and before its spread."""
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
        # The mixture's own, so that an index has the same source here and there.
        return Pattern(self.weights, self.seed)
