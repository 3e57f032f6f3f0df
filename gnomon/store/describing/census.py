"""What is in the splits of a dataset: counts, what stands twice, and what leaks between splits."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gnomon.progress import track
from gnomon.store import manifest as manifests
from gnomon.store.describing import bars
from gnomon.store.describing.hashes import TRACES, repeated, shared, traces
from gnomon.store.describing.tally import Tally, Titles, merged
from gnomon.store.reading.dataset import open as open_dataset
from gnomon.store.reading.files import find
from gnomon.store.reading.samples import Samples
from gnomon.store.reading.sources import redrawn
from gnomon.store.writing import formats
from gnomon.store.writing import workers as engine

_SMALL, _CHUNKS = 25, 500
"""A process looks at so many samples at a time, at more where that would make more chunks."""
_WORTH = 200
"""Another process is worth its start for so many samples."""


class Part(NamedTuple):
    """The first samples of one split."""

    samples: Samples
    n: int
    about: Samples
    """What knows the meanings and the kinds: the samples themselves, or those they were made of."""


@dataclass(frozen=True)
class Leak:
    """What two splits share."""

    splits: tuple[str, str]
    trace: str
    many: int
    """How many different ones."""
    such_as: tuple[str, str]
    """The ids of two samples that share one, each of its split."""


@dataclass(frozen=True)
class Census:
    """The counts of each split, how many of its samples stood there before, and the leaks."""

    samples: dict[str, int]
    counts: dict[str, dict[str, dict[str, int]]]
    repeated: dict[str, dict[str, int | None]]
    """By split and trace; None where no sample has that trace."""
    leaks: tuple[Leak, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    def __str__(self) -> str:
        counted = {name: {"samples": n} for name, n in self.samples.items()}
        told = [bars.plain("", counted), bars.table(self.counts)]
        told += [bars.plain("repeated, by the same", self.repeated)]
        told += [self._leaked()] if len(self.samples) > 1 else []
        return "\n\n".join(told)

    def _leaked(self) -> str:
        lines = [
            f"leak: {' and '.join(leak.splits)} have {leak.many:,} {leak.trace}"
            f"{'s' * (leak.many > 1)} in common, such as that of {' and '.join(leak.such_as)}"
            for leak in self.leaks
        ]
        return "\n".join(lines) or f"no {', '.join(TRACES[:-1])} or {TRACES[-1]} is in two splits"


def census(parts: Mapping[str, Part], *, workers: int | None = 1, progress: bool = True) -> Census:
    """Look at every sample once, in up to so many processes; None is one for each core."""
    total = sum(part.n for part in parts.values())
    size = max(_SMALL, total // _CHUNKS)
    chunks = [
        (name, range(first, min(first + size, part.n)))
        for name, part in parts.items()
        for first in range(0, part.n, size)
    ]
    found: dict[int, Seen] = {}

    def record(number: int, seen: Seen) -> None:
        found[number] = seen
        bar.update(len(seen.traces))

    with track(total=total, desc="looking", unit=" samples", delay=2, disable=not progress) as bar:
        job = partial(_look, dict(parts), chunks)
        several = min(workers or os.cpu_count() or 1, max(1, total // _WORTH))
        engine.run(job, range(len(chunks)), workers=several, done=record)
    by_split: dict[str, list[Seen]] = {name: [] for name in parts}
    for number, (name, _) in enumerate(chunks):
        by_split[name].append(found[number])
    held = {name: np.concatenate([s.traces for s in seen]) for name, seen in by_split.items()}
    return Census(
        samples={name: part.n for name, part in parts.items()},
        counts={name: merged(s.counts for s in seen) for name, seen in by_split.items()},
        repeated={name: repeated(rows) for name, rows in held.items()},
        leaks=tuple(_leaks(parts, held)),
    )


def parts_of(root: Path, *, n: int | None = None) -> dict[str, Part]:
    """The splits of a dataset directory, or the first `n` samples of each."""
    manifest = manifests.read(root) or manifests.empty()
    names = list(manifest["splits"]) or formats.splits_in(root)
    if not names:
        find(root, "train")  # says what is there, and what would make it
    return {name: _part(root, name, manifest["splits"].get(name), n) for name in names}


class Seen(NamedTuple):
    """What a run of samples holds."""

    counts: dict[str, dict[str, int]]
    traces: np.ndarray
    """[samples, TRACES]"""


def _part(root: Path, split: str, entry: Mapping[str, Any] | None, n: int | None) -> Part:
    samples = open_dataset(root, split)
    try:
        about = redrawn(entry["samples"]) if entry else None
    except ValueError:  # a manifest that was changed by hand, as `gnomon verify` says
        about = None
    return Part(samples, min(n or len(samples), len(samples)), about or samples)


def _look(parts: Mapping[str, Part], chunks: Sequence[tuple[str, range]], number: int) -> Seen:
    name, span = chunks[number]
    samples, _, about = parts[name]
    tally = Tally(Titles(about))
    rows = np.zeros((len(span), len(TRACES)), np.uint64)
    for row, index in zip(rows, span, strict=True):
        sample = samples[index]
        tally.add(sample, about.source_of(index))
        row[:] = traces(sample, about.key(index))
    return Seen(tally.to_json(), rows)


def _leaks(parts: Mapping[str, Part], held: Mapping[str, np.ndarray]) -> list[Leak]:
    found = []
    for one, other in combinations(parts, 2):
        for trace, many, rows in shared(held[one], held[other]):
            ids = parts[one].samples.id(rows[0]), parts[other].samples.id(rows[1])
            found.append(Leak((one, other), trace, many, ids))
    return found
