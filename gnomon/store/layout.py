"""Where things lie in a dataset directory, and how samples are dealt out to shards."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from gnomon.store.reading.samples import Samples
from gnomon.store.writing.formats.base import Format

MANIFEST, CARD, SHEET = "manifest.json", "README.md", "sheet.png"
_SHARDS = 20
_SMALL_SHARD, _LARGE_SHARD = 10, 2000


@dataclass(frozen=True)
class SplitPlan:
    """One split of a dataset that is to be written."""

    samples: Samples
    root: Path
    split: str
    n: int
    """How many samples, from the first on."""
    shards: int
    format: Format

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\w+", self.split, re.ASCII):
            raise ValueError(f"split={self.split!r}: letters, digits and _ only")
        if self.n < 1:
            raise ValueError(f"n={self.n}: write at least one sample")
        if not 1 <= self.shards <= self.n:
            raise ValueError(f"shards={self.shards}: give 1 to {self.n}, one sample each at least")

    def file(self, number: int) -> str:
        """A shard's path under the root."""
        return self.format.file(self.split, number, self.shards)

    def span(self, number: int) -> range:
        """The samples of a shard; the shards' sizes differ by one at most."""
        return range(*(edge * self.n // self.shards for edge in (number, number + 1)))


def shards_for(n: int) -> int:
    """20 shards, so that a stream can shuffle them.

    Fewer where they would hold under 10 samples; more where they would hold over 2000, so that a
    run that is killed has little to draw again.
    """
    return max(1, min(_SHARDS, n // _SMALL_SHARD), -(-n // _LARGE_SHARD))
