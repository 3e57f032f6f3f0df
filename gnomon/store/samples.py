"""Sequences of samples, wherever they come from, as a stream for one of several processes too."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import count
from typing import Any, overload

from PIL import Image

from gnomon.generators.base import Generator, indices_of
from gnomon.sample import Sample, Size, Target
from gnomon.store.pictures import fingerprint


class Samples(ABC):
    """A sequence whose item i is the same sample in every process and order of reading."""

    @property
    @abstractmethod
    def length(self) -> int | None:
        """Number of samples; None if they have no end."""

    @property
    def n_distinct(self) -> int | None:
        """Number of samples before one comes again; None if none ever does."""
        return self.length

    @property
    def n_per_pass(self) -> int | None:
        """Number of samples until each has come once; None if there is no end of new ones."""
        return self.length

    @abstractmethod
    def at(self, index: int) -> Sample:
        """Return sample `index`, which is not negative; `samples[index]` checks the range first."""

    @overload
    def __getitem__(self, index: int) -> Sample: ...
    @overload
    def __getitem__(self, index: slice) -> list[Sample]: ...
    def __getitem__(self, index: int | slice) -> Sample | list[Sample]:
        if isinstance(index, slice):
            return [self.at(i) for i in indices_of(index, self.length)]
        if index < 0 or (self.length is not None and index >= self.length):
            last = "" if self.length is None else f" to {self.length - 1}"
            raise IndexError(f"index {index}: {self} has samples from 0{last}")
        return self.at(index)

    def in_epoch(self, index: int, epoch: int) -> Sample:  # noqa: ARG002
        """Return sample `index` in a pass of a training: its augmentation and its spread."""
        return self[index]

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Return plain JSON that is equal for two sequences exactly if their samples are."""

    def id(self, index: int) -> str:
        """Return the id of sample `index`, if possible without drawing or opening its picture."""
        return self[index].id

    def target(self, index: int) -> Target:
        """Return the truth of sample `index`, if possible without its picture."""
        return self[index].target

    def outline(self, index: int) -> Outline:
        """Return sample `index` without its pixels; a file of several samples is opened once."""
        return Outline.of(self[index])

    def generators(self) -> Iterator[Generator]:
        """Yield the generators that draw these samples, none if they lie on disk."""
        return iter(())

    @property
    def has_several_pictures(self) -> bool:
        """True if a sample may have several pictures."""
        return any(generator.has_several_pictures for generator in self.generators())

    def __iter__(self) -> Iterator[Sample]:
        indices = count() if self.length is None else range(self.length)
        return (self[index] for index in indices)


DEFAULT_TRAIN_SAMPLES = 10_000
"""Training samples by default if a source has no end; other sources are read whole."""


def evenly_spaced(n: int, most: int) -> list[int]:
    """Return indices below n, `most` of them at most, from all parts: tables may be sorted."""
    number = min(n, most)
    return [index * n // number for index in range(number)]


def train_size(samples: Samples | Sequence[Sample], requested: int | None) -> int:
    """Number of samples to train on, `requested` being the recipe's `train.samples`."""
    # A mixture has no end, and yet a pass.
    available = samples.n_per_pass if isinstance(samples, Samples) else len(samples)
    if requested is None:
        return available or DEFAULT_TRAIN_SAMPLES
    if available is not None and requested > available:
        there_are = f"there are only {available} to train on"
        if isinstance(samples, Samples) and samples.length is None:
            there_are = f"a pass through all sources has {available}, shorter ones more than once"
        raise ValueError(
            f"train.samples: {requested}: {there_are}: give so many, or leave it out for all;"
            " train.num_train_epochs says how often they are gone through"
        )
    return requested


@dataclass(frozen=True)
class GeneratedSamples(Samples):
    """Endless samples of a generator, drawn when they are read."""

    generator: Generator

    @property
    def length(self) -> None:
        """None, for drawing has no end."""

    def at(self, index: int) -> Sample:
        return self.generator[index]

    def id(self, index: int) -> str:
        return self.generator.id(index)

    def generators(self) -> Iterator[Generator]:
        return iter(self.generator.members)

    def describe(self) -> dict[str, Any]:
        generator = self.generator
        files = {path: file.sha256 for path, file in generator.files.items()}
        return {
            "source": "drawn",
            "kind": generator.kind,
            "version": generator.version,
            "options": generator.options,
            "split": generator.split,
            "seed": generator.seed,
            **({"files": files} if files else {}),
        }


@dataclass(frozen=True, slots=True)
class Outline:
    """A sample with sizes and a hash instead of its pictures, for looking at all of many."""

    id: str
    question: str
    target: Target
    facts: Mapping[str, Any]
    sizes: tuple[Size, ...]
    """(width, height) of each picture."""
    picture_hashes: bytes
    """Hashes of the pictures, joined; empty without a picture."""

    @classmethod
    def of(cls, sample: Sample) -> Outline:
        """Return the outline of a sample whose pictures are decoded."""
        # 16 bytes a picture, in their order.
        hashes = b"".join(map(pixel_hash, sample.images))
        return cls(sample.id, sample.question, sample.target, sample.facts, sample.sizes, hashes)


def pixel_hash(picture: Image.Image) -> bytes:
    """Return a hash of mode, size and pixels, 16 bytes."""
    return blake2b(fingerprint(picture), digest_size=16).digest()


class SamplesById(Mapping[str, Sample]):
    """The first `n` samples by their ids, each drawn or opened when it is looked up."""

    def __init__(self, samples: Samples, n: int) -> None:
        self._samples = samples
        # Ids alone stay in memory, not samples.
        self._places = {samples.id(index): index for index in range(n)}

    def __getitem__(self, sample_id: str) -> Sample:
        return self._samples[self._places[sample_id]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class SampleStream:
    """Samples drawn or read on demand, each by one of several processes.

    Whole batches go round: of `world_size` processes, process `rank` has the batches rank,
    rank + world_size, … So the progress of a training is one number, the samples that all processes
    took together. With it as `start`, any number of processes goes on there.
    """

    def __init__(
        self,
        samples: Samples | Generator,
        *,
        n: int | None = None,
        start: int = 0,
        batch_size: int = 1,
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        """Stream the first `n` samples, all if it is None, without the first `start` of them."""
        self.samples = GeneratedSamples(samples) if isinstance(samples, Generator) else samples
        self.n = self.samples.length if n is None else n
        self.start, self.batch_size = start, batch_size
        self.rank, self.world_size = rank, world_size
        if batch_size < 1 or not 0 <= rank < world_size:
            raise ValueError(
                f"batch_size={batch_size}, rank={rank}, world_size={world_size}:"
                " give batches of 1 or more, and a rank below the world's size"
            )
        if self.n is None:
            return
        if self.samples.length is not None and self.n > self.samples.length:
            raise ValueError(f"n={self.n}: the source has {self.samples.length} samples")
        if not 0 <= self.start <= self.n:
            raise ValueError(f"start={self.start}: give 0 to n={self.n}")
        # A step takes a batch from every process.
        remaining, step = self.n - self.start, self.batch_size * self.world_size
        if self.world_size > 1 and remaining % step:  # processes wait for one another's batches
            raise ValueError(
                f"n={self.n}: {remaining} samples are not as many whole batches for each of"
                f" {self.world_size} processes: give n={self.n - remaining % step}"
            )

    @property
    def reader(self) -> tuple[int, int]:
        """Number of this reader and of all; a reader is a process, or a worker of one."""
        return self.rank, self.world_size

    def __iter__(self) -> Iterator[Sample]:
        reader, readers = self.reader
        for n_read in count():
            # The reader's own batches are every `readers`-th of all, from `reader` on.
            batch, offset = divmod(n_read, self.batch_size)
            index = self.start + (reader + batch * readers) * self.batch_size + offset
            if self.n is not None and index >= self.n:
                return
            yield self.samples[index]
