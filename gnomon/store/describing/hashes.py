"""Hashes of 64 bits by which a sample is found again, in its own split or in another."""

from __future__ import annotations

import json
from hashlib import blake2b

from gnomon.sample import Sample, target_to_json
from gnomon.store.pixels import fingerprint

TRACES = ("id", "picture", "question")
"""The id; the pixels, where there are any; the question with the answer and the pixels."""


def traces(sample: Sample) -> dict[str, int]:
    """A sample's hashes, without that of the pictures where there are none."""
    pixels = blake2b(b"".join(map(fingerprint, sample.images))).digest() if sample.images else None
    asked = json.dumps([sample.question, target_to_json(sample.target)]).encode() + (pixels or b"")
    known = {"id": sample.id.encode(), "picture": pixels, "question": asked}
    return {
        name: int.from_bytes(blake2b(trace, digest_size=8).digest(), "little")
        for name, trace in known.items()
        if trace is not None
    }
