"""By what a sample is known again, in hashes of 64 bits: eight bytes each for a million samples."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b

import numpy as np

from gnomon.sample import Sample, target_to_json
from gnomon.store.pixels import fingerprint

TRACES = ("id", "meaning", "picture", "question")
"""Its id; its meaning, where a kind drew it; its pixels, where it has any; its question with the
answer and the pixels."""


def traces(sample: Sample, meaning: str | None) -> tuple[int, ...]:
    """A sample's hashes, 0 where it has no such trace."""
    pixels = blake2b(b"".join(map(fingerprint, sample.images))).digest() if sample.images else None
    asked = json.dumps([sample.question, target_to_json(sample.target)]).encode() + (pixels or b"")
    known = (sample.id.encode(), meaning and meaning.encode(), pixels, asked)
    return tuple(_hash(trace) if trace else 0 for trace in known)


def repeated(held: np.ndarray) -> dict[str, int | None]:
    """How many of [samples, TRACES] have a trace of an earlier one; None where none has it."""
    found: dict[str, int | None] = {}
    for name, column in zip(TRACES, held.T, strict=True):
        known = column[column > 0]
        found[name] = len(known) - len(np.unique(known)) if len(known) else None
    return found


def shared(one: np.ndarray, other: np.ndarray) -> Iterator[tuple[str, int, tuple[int, int]]]:
    """The traces that two splits share: how many different ones, and the rows of one of them."""
    for place, name in enumerate(TRACES):
        columns = one[:, place], other[:, place]
        both = np.intersect1d(*columns)
        both = both[both > 0]
        if len(both):
            first, second = (int(np.flatnonzero(column == both[0])[0]) for column in columns)
            yield name, len(both), (first, second)


def _hash(trace: bytes) -> int:
    return int.from_bytes(blake2b(trace, digest_size=8).digest(), "little") or 1
