"""Samples by their ids: a few of many, each drawn or opened when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from gnomon.sample import Sample
from gnomon.store.reading.samples import Samples
from gnomon.store.reading.sources import drawable


class ById(Mapping[str, Sample]):
    """The first `n` samples, as far as they are at hand."""

    def __init__(self, samples: Samples, n: int) -> None:
        self._samples, self._n = samples, n

    def __getitem__(self, sample_id: str) -> Sample:
        return self._samples[self._places[sample_id]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    @cached_property
    def _places(self) -> dict[str, int]:
        places = (place for place in range(self._n) if drawable(self._samples, place))
        return {self._samples.id(place): place for place in places}
