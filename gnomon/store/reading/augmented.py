"""Training samples whose pictures are augmented, in another way in every epoch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from gnomon.generators.base import Generator
from gnomon.generators.looks.augment import Augment, augment_sample
from gnomon.recipe import Source
from gnomon.sample import Sample, Target
from gnomon.store.reading.mixture import Pattern
from gnomon.store.samples import Samples


def augmented(samples: Samples, sources: Sequence[Source], *, seed: int) -> Samples:
    """Augment the samples of a mixture of these sources as each source says.

    `samples` may also be the mixture as it was written to disk, in the same order. They come back
    as they are if no source has `augment`.
    """
    # None in a recipe, for sources that are drawn.
    strengths: list[Augment] = [source.augment or "off" for source in sources]
    if set(strengths) == {"off"}:
        return samples
    return Augmented(samples, strengths, [source.weight for source in sources], seed)


class Augmented(Samples):
    """Samples of weighted sources, each source augmented with a strength of its own.

    A picture is a function of seed, index and epoch alone, whatever process reads it.
    """

    def __init__(
        self, samples: Samples, strengths: Sequence[Augment], weights: Sequence[float], seed: int
    ) -> None:
        self.samples, self.strengths = samples, tuple(strengths)
        self.weights, self.seed = tuple(weights), seed

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
        return augment_sample(self.samples[index], self._strength(index), self.seed, index, epoch)

    def id(self, index: int) -> str:
        return self.samples.id(index)

    def target(self, index: int) -> Target:
        """Return the truth before augmentation, which moves boxes."""
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
            "samples": self.samples.describe(),
        }

    def _strength(self, index: int) -> Augment:
        source = self._pattern.source_of(index) if len(self.strengths) > 1 else 0
        return self.strengths[source]

    @cached_property
    def _pattern(self) -> Pattern:
        # The mixture's own, so that an index has the same source here and there.
        return Pattern(self.weights, self.seed)
