"""What is in the splits of a dataset: counts, repeated samples, and leaks between splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product
from typing import TypeAlias

from gnomon.progress import track
from gnomon.store.describing import bars
from gnomon.store.describing.hashes import TRACES, traces
from gnomon.store.describing.tally import Counts, count, merged
from gnomon.store.reading.samples import Samples
from gnomon.store.writing.workers import run

_CHUNK = 250
"""A process looks at so many samples at a time."""
Firsts: TypeAlias = dict[str, dict[int, int]]
"""By trace and hash the first sample of a split that has it."""


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
    repeated: dict[str, dict[str, int]]
    """By split and trace."""
    leaks: tuple[Leak, ...]

    def __str__(self) -> str:
        splits = []
        for name, n in self.samples.items():
            repeated = ", ".join(f"{trace} {many:,}" for trace, many in self.repeated[name].items())
            splits.append(f"{name}: {n:,} samples; repeated: {repeated}")
        leaks = [
            f"leak: {' and '.join(leak.splits)} have {leak.many:,} {leak.trace}"
            f"{'s' * (leak.many > 1)} in common, such as that of {' and '.join(leak.such_as)}"
            for leak in self.leaks
        ]
        if not leaks and len(self.samples) > 1:
            leaks = [f"no {', '.join(TRACES[:-1])} or {TRACES[-1]} is in two splits"]
        blocks = ["\n".join(splits), bars.table(self.counts), "\n".join(leaks)]
        return "\n\n".join(filter(None, blocks))


def census(splits: Mapping[str, tuple[Samples, int]], *, workers: int | None = 1) -> Census:
    """Look at so many samples of each split, in up to so many processes; None is one a core."""
    chunks = [
        (name, range(first, min(first + _CHUNK, n)))
        for name, (_, n) in splits.items()
        for first in range(0, n, _CHUNK)
    ]
    samples = {name: held for name, (held, _) in splits.items()}
    counts: dict[str, list[dict[str, dict[str, int]]]] = {name: [] for name in splits}
    firsts: dict[str, Firsts] = {name: {} for name in splits}
    repeated: dict[str, Counter[str]] = {name: Counter() for name in splits}

    def record(number: int, found: tuple[dict[str, dict[str, int]], list[dict[str, int]]]) -> None:
        name, span = chunks[number]
        counts[name].append(found[0])
        for index, hashes in zip(span, found[1], strict=True):
            for trace, known in hashes.items():
                first = firsts[name].setdefault(trace, {})
                repeated[name][trace] += known in first
                first[known] = min(index, first.get(known, index))
        bar.update(len(span))

    total = sum(n for _, n in splits.values())
    with track(total=total, desc="looking", unit=" samples", delay=2) as bar:
        run(partial(_look, samples, chunks), range(len(chunks)), workers=workers, done=record)
    return Census(
        samples={name: n for name, (_, n) in splits.items()},
        counts={name: merged(parts) for name, parts in counts.items()},
        repeated={name: dict(found) for name, found in repeated.items()},
        leaks=tuple(_leaks(samples, firsts)),
    )


def _look(
    splits: Mapping[str, Samples], chunks: Sequence[tuple[str, range]], number: int
) -> tuple[dict[str, dict[str, int]], list[dict[str, int]]]:
    name, span = chunks[number]
    counts: Counts = {}
    hashes = []
    for index in span:
        sample = splits[name][index]
        count(sample, counts)
        hashes.append(traces(sample))
    return merged([counts]), hashes


def _leaks(splits: Mapping[str, Samples], firsts: Mapping[str, Firsts]) -> Iterator[Leak]:
    for (one, other), trace in product(combinations(splits, 2), TRACES):
        here, there = firsts[one].get(trace, {}), firsts[other].get(trace, {})
        if both := here.keys() & there.keys():
            ids = splits[one].id(here[min(both)]), splits[other].id(there[min(both)])
            yield Leak((one, other), trace, len(both), ids)
