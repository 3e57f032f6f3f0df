"""A shard drawn on another machine: put in the directory if that machine has it, or sent home."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any, NamedTuple

from gnomon.atomic import naming, whole_or_absent
from gnomon.store import manifest as manifests
from gnomon.store.layout import MANIFEST, SplitPlan
from gnomon.store.writing.shard import write_shard


class Sent(NamedTuple):
    """What comes back of a shard."""

    entry: dict[str, Any]
    """What the manifest says of it."""
    files: dict[str, bytes]
    """Its bytes by their place in it, "." for a shard of one file; none where it lies there."""


@contextmanager
def writing_afar(plan: SplitPlan) -> Iterator[Callable[[int], Sent]]:
    """What writes a shard of the plan on any machine.

    A file of a name that no other directory has tells a machine whether it sees this one.
    """
    root = plan.root.resolve()
    with NamedTemporaryFile(dir=root, prefix=f".{MANIFEST}.", suffix=".tmp") as mark:
        yield partial(_write, replace(plan, root=root), Path(mark.name), manifests.versions())


def put(root: Path, sent: Sent) -> dict[str, Any]:
    """The shard in its place, and what the manifest says of it."""
    final = root / sent.entry["file"]
    if sent.files:
        with whole_or_absent(final) as temporary, naming(final):
            for name, data in sent.files.items():
                file = temporary / name
                file.parent.mkdir(exist_ok=True)
                file.write_bytes(data)
    return sent.entry


def _write(plan: SplitPlan, mark: Path, versions: dict[str, str], number: int) -> Sent:
    _refuse_others(versions)
    if mark.exists():
        return Sent(write_shard(plan, number), {})
    with TemporaryDirectory(prefix="gnomon-") as folder:
        shard = Path(folder) / plan.file(number)
        shard.parent.mkdir()
        entry = write_shard(replace(plan, root=Path(folder)), number)
        files = [shard] if shard.is_file() else sorted(shard.iterdir())
        return Sent(entry, {str(file.relative_to(shard)): file.read_bytes() for file in files})


def _refuse_others(versions: dict[str, str]) -> None:
    """Other libraries draw other bytes, and half a dataset by each is neither."""
    for told in manifests.differences(versions, manifests.versions()):
        raise ValueError(
            f"{socket.gethostname()} has other versions: {told}: install the same on all machines"
        )
