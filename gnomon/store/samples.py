"""Sequences of samples from any source, and streams that divide them among processes."""

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
    """Sequence whose item i is the same sample in every process and order of reading."""

    @property
    @abstractmethod
    def length(self) -> int | None:
        """Number of samples. None if the sequence is endless."""

    @property
    def n_distinct(self) -> int | None:
        """Number of distinct samples before a sample repeats. None if samples never repeat."""
        return self.length

    @property
    def n_per_pass(self) -> int | None:
        """Number of samples until each has occurred once. None if new samples never end."""
        return self.length

    @abstractmethod
    def at(self, index: int) -> Sample:
        """Return sample `index`, which is not negative. `samples[index]` checks the range first."""

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
        """Return sample `index` for an epoch of the training, with its augmentation and spread."""
        return self[index]

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Return plain JSON that is equal for two sequences exactly if their samples are equal."""

    def id(self, index: int) -> str:
        """Return the id of sample `index`, if possible without drawing or opening its picture."""
        return self[index].id

    def target(self, index: int) -> Target:
        """Return the truth of sample `index`, if possible without its picture."""
        return self[index].target

    def outline(self, index: int) -> Outline:
        """Return sample `index` without its pixels. A file of several samples is opened once."""
        return Outline.of(self[index])

    def generators(self) -> Iterator[Generator]:
        """Yield the generators that draw these samples. Samples on disk have none."""
        return iter(())

    @property
    def has_several_pictures(self) -> bool:
        """Return True if a sample may have several pictures."""
        return any(generator.has_several_pictures for generator in self.generators())

    def __iter__(self) -> Iterator[Sample]:
        indices = count() if self.length is None else range(self.length)
        return (self[index] for index in indices)


DEFAULT_TRAIN_SAMPLES = 10_000
"""Default number of training samples for an endless source. Other sources are read completely."""


def evenly_spaced(n: int, most: int) -> list[int]:
    """Return at most `most` indices below n, spread over the whole range because tables may be
    sorted."""
    number = min(n, most)
    return [index * n // number for index in range(number)]


def train_size(samples: Samples | Sequence[Sample], requested: int | None) -> int:
    """Return the number of training samples. `requested` is the recipe's `train.samples`."""
    # A mixture is endless but still has a pass.
    available = samples.n_per_pass if isinstance(samples, Samples) else len(samples)
    if requested is None:
        return available or DEFAULT_TRAIN_SAMPLES
    if available is not None and requested > available:
        there_are = f"there are only {available} to train on"
        if isinstance(samples, Samples) and samples.length is None:
            there_are = f"a pass through all sources has {available}, with repeats from short ones"
        raise ValueError(
            f"train.samples: {requested}: {there_are}: give at most {available}, or leave it out"
            " for all; train.num_train_epochs says how often each of them is used"
        )
    return requested


@dataclass(frozen=True)
class GeneratedSamples(Samples):
    """Endless samples of a generator, drawn on reading."""

    generator: Generator

    @property
    def length(self) -> None:
        """None, because drawing never ends."""

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
    """Sample with sizes and a hash instead of its pictures, for statistics over many samples."""

    id: str
    question: str
    target: Target
    facts: Mapping[str, Any]
    sizes: tuple[Size, ...]
    """(width, height) of each picture."""
    picture_hashes: bytes
    """Joined hashes of the pictures. Empty without a picture."""

    @classmethod
    def of(cls, sample: Sample) -> Outline:
        """Return the outline of a sample whose pictures are decoded."""
        # 16 bytes per picture, in order.
        hashes = b"".join(map(pixel_hash, sample.images))
        return cls(sample.id, sample.question, sample.target, sample.facts, sample.sizes, hashes)


def pixel_hash(picture: Image.Image) -> bytes:
    """Return a hash of mode, size and pixels, 16 bytes."""
    return blake2b(fingerprint(picture), digest_size=16).digest()


class SamplesById(Mapping[str, Sample]):
    """The first `n` samples by their ids. Each sample is drawn or opened when it is looked up."""

    def __init__(self, samples: Samples, n: int) -> None:
        self._samples = samples
        # Only ids stay in memory.
        self._places = {samples.id(index): index for index in range(n)}

    def __getitem__(self, sample_id: str) -> Sample:
        return self._samples[self._places[sample_id]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class SampleStream:
    """Samples drawn or read on demand, divided among several processes.

    Processes take whole batches in turn: of `world_size` processes, process `rank` has the batches
    rank, rank + world_size, … So the progress of a training is a single number, the samples that
    all processes took together. Given as `start`, any number of processes can resume there.
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
        """Stream the first `n` samples, or all if it is None, without the first `start`."""
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
                f"n={self.n}: {remaining} samples do not fill whole batches for each of"
                f" {self.world_size} processes: give n={self.n - remaining % step}"
            )

    @property
    def reader(self) -> tuple[int, int]:
        """Return the number of this reader and of all readers. A reader is a process, or a worker
        of a process."""
        return self.rank, self.world_size

    def __iter__(self) -> Iterator[Sample]:
        reader, readers = self.reader
        for n_read in count():
            # The reader's own batches are every `readers`-th of all, starting at `reader`.
            batch, offset = divmod(n_read, self.batch_size)
            index = self.start + (reader + batch * readers) * self.batch_size + offset
            if self.n is not None and index >= self.n:
                return
            yield self.samples[index]
