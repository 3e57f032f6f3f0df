"""Census of a dataset's splits: counts, repeated samples, and leaks between splits."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import combinations, product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gnomon.progress import track
from gnomon.sample import Sample, target_to_json
from gnomon.store.records import plain_answer
from gnomon.store.samples import Outline, Samples
from gnomon.store.workers import run

_CHUNK = 250
"""Samples that a process takes at a time."""
Hashes: TypeAlias = NDArray[np.uint64]
"""Hashes [samples, traces]. 0 for the picture of a sample without picture."""
Counts: TypeAlias = dict[str, Counter[str]]
"""Counts by axis (kind, question, answer, …) and label."""


@dataclass(frozen=True)
class Leak:
    """Samples that two splits share by one of the traces."""

    splits: tuple[str, str]
    trace: str
    """One of TRACES."""
    many: int
    """Number of distinct hashes that both splits have."""
    such_as: tuple[str, str]
    """Ids of two samples with the same hash, in the order of the splits."""


@dataclass(frozen=True)
class Census:
    """Counts of each split, numbers of repeated samples, and leaks."""

    samples: dict[str, int]
    counts: dict[str, dict[str, dict[str, int]]]
    repeated: dict[str, dict[str, int]]
    """Number of samples whose trace an earlier sample has, by split and trace."""
    leaks: tuple[Leak, ...]

    def __str__(self) -> str:
        splits = []
        for name, n in self.samples.items():
            repeated = ", ".join(f"{trace} {many:,}" for trace, many in self.repeated[name].items())
            splits.append(f"{name}: {n:,} samples; repeated: {repeated}")
        leaks = [
            f"leak: {' and '.join(leak.splits)} have {leak.many:,}"
            f" {_in_words(leak.trace, leak.many)} in common, such as that of"
            f" {' and '.join(leak.such_as)}"
            for leak in self.leaks
        ]
        if not leaks and len(self.samples) > 1:
            names = [_in_words(trace) for trace in TRACES]
            leaks = [f"no {', '.join(names[:-1])} or {names[-1]} is in two splits"]
        blocks = ["\n".join(splits), count_table(self.counts), "\n".join(leaks)]
        return "\n\n".join(filter(None, blocks))


def census(splits: Mapping[str, tuple[Samples, int]], *, workers: int | None = 1) -> Census:
    """Count samples and compare their hashes.

    `splits` has the samples of each split and the number to count; `workers` is the number of
    processes, or None for one per core.
    """
    # Numbered chunks of all splits, so processes share the work of each split.
    chunks = [
        (name, range(first, min(first + _CHUNK, n)))
        for name, (_, n) in splits.items()
        for first in range(0, n, _CHUNK)
    ]
    samples = {name: samples_of_split for name, (samples_of_split, _) in splits.items()}
    counts: dict[str, Counts] = {name: {} for name in splits}
    pending: dict[int, Counts] = {}  # of chunks after one that is not counted yet
    n_added = 0
    # 24 bytes per sample. Apart from the table, nothing else grows with the samples.
    hashes = {name: np.zeros((n, len(TRACES)), np.uint64) for name, (_, n) in splits.items()}

    def record(index: int, result: tuple[Counts, Hashes]) -> None:
        nonlocal n_added
        name, span = chunks[index]
        hashes[name][span.start : span.stop] = result[1]
        progress.update(len(span))
        pending[index] = result[0]
        # Added in the order of the chunks, because the counts depend on the order if `_limit`
        # drops labels.
        while n_added in pending:
            total = counts[chunks[n_added][0]]
            add_counts(total, pending.pop(n_added))
            _limit(total)
            n_added += 1

    n_samples = sum(n for _, n in splits.values())
    job = partial(_count_chunk, samples, chunks)
    with track(total=n_samples, desc="looking", unit=" samples", delay=2) as progress:
        run(job, range(len(chunks)), workers=workers, on_result=record)
    firsts = {name: _firsts(of_split) for name, of_split in hashes.items()}
    return Census(
        samples={name: n for name, (_, n) in splits.items()},
        counts={name: cut_counts(total) for name, total in counts.items()},
        repeated={name: _repeated(hashes[name], firsts[name]) for name in splits},
        leaks=tuple(_leaks(samples, firsts)),
    )


def _count_chunk(
    splits: Mapping[str, Samples], chunks: Sequence[tuple[str, range]], chunk: int
) -> tuple[Counts, Hashes]:
    name, span = chunks[chunk]
    counts: Counts = {}
    hashes = np.zeros((len(span), len(TRACES)), np.uint64)
    for row, index in enumerate(span):
        sample = splits[name].outline(index)
        count_sample(sample, counts)
        by_trace = trace_hashes(sample)
        hashes[row] = [by_trace.get(trace, 0) for trace in TRACES]
    return counts, hashes


@dataclass(frozen=True)
class _Firsts:
    """Return the distinct hashes of a trace, sorted, and the index of the first sample of each."""

    hashes: NDArray[np.uint64]
    indices: NDArray[np.intp]


def _firsts(hashes: Hashes) -> dict[str, _Firsts]:
    """Return the distinct hashes by trace, without traces that the split's samples do not have."""
    firsts = {}
    for trace, column in zip(TRACES, hashes.T, strict=True):
        # np.unique returns the index of the first of equal hashes.
        distinct, indices = np.unique(column, return_index=True)
        exists = distinct != 0
        if exists.any():
            firsts[trace] = _Firsts(distinct[exists], indices[exists])
    return firsts


def _repeated(hashes: Hashes, firsts: Mapping[str, _Firsts]) -> dict[str, int]:
    """Return the number of samples by trace whose hash an earlier sample has."""
    totals = dict(zip(TRACES, np.count_nonzero(hashes, axis=0).tolist(), strict=True))
    return {trace: totals[trace] - len(first.hashes) for trace, first in firsts.items()}


def _leaks(
    splits: Mapping[str, Samples], firsts: Mapping[str, Mapping[str, _Firsts]]
) -> Iterator[Leak]:
    for (a, b), trace in product(combinations(splits, 2), TRACES):
        if trace not in firsts[a] or trace not in firsts[b]:
            continue
        in_a, in_b = firsts[a][trace], firsts[b][trace]
        # Both are already distinct and sorted.
        common, rows_a, rows_b = np.intersect1d(
            in_a.hashes, in_b.hashes, assume_unique=True, return_indices=True
        )
        if common.size:
            ids = (
                splits[a].id(int(in_a.indices[rows_a[0]])),
                splits[b].id(int(in_b.indices[rows_b[0]])),
            )
            yield Leak((a, b), trace, len(common), ids)


TRACES = ("id", "picture", "question")
"""Traces that identify a sample: its id, its pixels, and its question with answer and pixels."""


def _in_words(trace: str, n: int = 1) -> str:
    """Return the name of a trace in a sentence. n may be above 1."""
    noun = f"{trace}s" if n > 1 else trace
    if trace != "question":
        return noun
    return f"{noun} with {'their answers' if n > 1 else 'its answer'} and picture{'s' * (n > 1)}"


def trace_hashes(sample: Outline) -> dict[str, int]:
    """Return a sample's hashes of 64 bits by trace. A sample without picture lacks the pixel
    hash."""
    pixels = sample.picture_hashes
    question = repr((sample.question, target_to_json(sample.target))).encode() + pixels
    contents = {"id": sample.id.encode(), "picture": pixels, "question": question}
    return {
        # With 64 bits, two of a million samples clash with a probability of 3 in 10^8.
        trace: int.from_bytes(blake2b(content, digest_size=8).digest(), "little")
        for trace, content in contents.items()
        if content
    }


KIND, QUESTION, TYPE, PICTURE = "kind", "question", "answer", "picture"
ANSWERS = "answers, the commonest"
OTHERS = "others"
# Labels per axis. A manifest of a thousand shards has them for each shard, and must stay small.
_MAX_LABELS, _MAX_LABELS_OF_AXIS = 60, {PICTURE: 20}
# Labels per axis while counting. Up to this number, labels are counted exactly.
_MAX_STORED = 2000
_LONGEST = 40
_AXIS_ORDER = {axis: place for place, axis in enumerate((KIND, QUESTION, TYPE))}
# Id of a drawn sample: kind, version, a hash of the options, and the index.
_DRAWN = re.compile(r"(.+)-v\d+-[0-9a-f]{8}-", re.ASCII)


def count_sample(sample: Sample | Outline, into: Counts) -> None:
    """Add a sample to the counts in place."""
    for axis, label in _labels(sample).items():
        if axis not in into:
            into[axis] = Counter()
        into[axis][_shorten(label)] += 1


@lru_cache(1024)
def _shorten(label: str) -> str:
    """Put a label on one line, and shorten it if it is too long."""
    line = " ".join(label.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def merge_counts(parts: Iterable[Mapping[str, Mapping[str, int]]]) -> dict[str, dict[str, int]]:
    """Add counts, keeping only the most frequent labels of long axes."""
    total: Counts = {}
    for part in parts:
        add_counts(total, part)
    return cut_counts(total)


def add_counts(total: Counts, part: Mapping[str, Mapping[str, int]]) -> None:
    """Add counts to a total in place, without dropping labels."""
    for axis, counts in part.items():
        total.setdefault(axis, Counter()).update(counts)


def cut_counts(counts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Sort axes and labels, keeping only the most frequent labels of long axes."""
    axes = sorted(counts, key=lambda axis: (_AXIS_ORDER.get(axis, len(_AXIS_ORDER)), axis))
    return {
        axis: _keep_commonest(counts[axis], _MAX_LABELS_OF_AXIS.get(axis, _MAX_LABELS))
        for axis in axes
    }


def _limit(counts: Counts) -> None:
    """Keep the most frequent labels of each axis that has become too long for the memory, in
    place."""
    for axis, by_label in counts.items():
        # Shortened only at twice the limit, because sorting after every chunk would take long.
        if len(by_label) > 2 * _MAX_STORED:
            counts[axis] = Counter(_keep_commonest(by_label, _MAX_STORED))


def _labels(sample: Sample | Outline) -> dict[str, str]:
    """Return the label of a sample on every axis."""
    # Only drawn samples have their kind in the id.
    match = _DRAWN.match(sample.id)
    kind = match[1] if match else "own rows"
    question = sample.facts.get("question")
    sizes = sample.sizes
    return {
        KIND: kind,
        **({QUESTION: f"{kind}: {question}"} if isinstance(question, str) else {}),
        TYPE: sample.target.name,
        ANSWERS: plain_answer(sample.target, sizes[0] if sizes else None) or "not written",
        PICTURE: " and ".join(f"{width}×{height}" for width, height in sizes) or "none",
    }


def _keep_commonest(counts: Mapping[str, int], limit: int) -> dict[str, int]:
    """Sort labels by their counts, and add the labels beyond the limit to OTHERS."""
    by_label = {label: n for label, n in counts.items() if label != OTHERS}
    labels = sorted(by_label, key=lambda label: (-by_label[label], label))[:limit]
    others = sum(counts.values()) - sum(by_label[label] for label in labels)
    return {label: by_label[label] for label in labels} | ({OTHERS: others} if others else {})


_FREQUENT = 0.02
"""Smallest share of the samples at which an answer is listed."""


def count_table(splits: Mapping[str, Mapping[str, Mapping[str, int]]]) -> str:
    """Format every axis with columns of counts and shares for each split."""
    total = merge_counts(splits.values())
    if ANSWERS in total:
        total[ANSWERS] = _frequent(total[ANSWERS])
    labels = [label for axis, counts in total.items() for label in (axis, *counts)]
    width = max(map(len, labels), default=0)
    heads = "".join(f"{name:>16}" for name in splits)
    blocks = []
    for axis, counts in total.items():
        if counts.keys() == {OTHERS}:
            continue  # of answers that are nearly all different
        columns = [_align(counts, split.get(axis, {})) for split in splits.values()]
        lines = [f"{axis:<{width}}{heads}"]
        for label in counts:
            cells = "".join(_cell(column, label) for column in columns)
            lines.append(f"{label:<{width}}{cells}".rstrip())
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _frequent(counts: Mapping[str, int]) -> dict[str, int]:
    """Add rare answers to OTHERS."""
    n = sum(counts.values())
    n_listed = sum(label != OTHERS and many >= _FREQUENT * n for label, many in counts.items())
    return _keep_commonest(counts, n_listed)


def _align(labels: Mapping[str, int], column: Mapping[str, int]) -> dict[str, int]:
    """Return a split's counts by the labels of all splits, with its other labels under OTHERS."""
    aligned = {label: column.get(label, 0) for label in labels if label != OTHERS}
    return aligned | {OTHERS: sum(column.values()) - sum(aligned.values())}


def _cell(column: Mapping[str, int], label: str) -> str:
    total = sum(column.values())
    if not total:
        return f"{'':>16}"
    count = column.get(label, 0)
    return f"{count:>8,}{100 * count / total:>6.1f} %"
