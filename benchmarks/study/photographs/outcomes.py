"""Outcomes of all cells in one compressed file, which every worker appends to.

An outcome has each test picture's group and distances. A distance is that of an answer from its
label, by rule; neither labels nor pictures are stored.
"""

from __future__ import annotations

import fcntl
import json
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gnomon.atomic import put_bytes

Outcome = dict[str, Any]


def read(file: Path) -> dict[str, Outcome]:
    """Read the outcomes by the key of their cell; none of a file that is not there yet."""
    if not file.is_file():
        return {}
    lines = lzma.decompress(file.read_bytes()).decode().splitlines()
    return {outcome["key"]: outcome for outcome in map(json.loads, lines)}


def append(file: Path, outcome: Outcome, locks: Path) -> None:
    """Add an outcome; the file is whole whenever the writing stops.

    It is written anew, a megabyte at most: a stream that is cut off in the middle could not be
    continued.
    """
    with lock(locks / "outcomes.lock"):
        everything = [*read(file).values(), outcome]
        lines = [json.dumps(one, separators=(",", ":")) for one in everything]
        file.parent.mkdir(parents=True, exist_ok=True)
        put_bytes(file, lzma.compress(("\n".join(lines) + "\n").encode(), preset=9))


@contextmanager
def lock(file: Path) -> Iterator[None]:
    """Wait for a lock, which the system drops when its process dies."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextmanager
def claim(file: Path) -> Iterator[bool]:
    """Yield True if this process may work on a cell, False if another one does."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
