"""Where shards are drawn: in processes of this machine, or on the machines of a Ray cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from gnomon import names
from gnomon.store.layout import SplitPlan

Done: TypeAlias = Callable[[int, dict[str, Any]], None]
"""Hears of each shard, as it is written, what the manifest says of it."""
Draw: TypeAlias = Callable[[SplitPlan, Sequence[int], Done], None]
"""Writes the shards of these numbers."""


def create(name: str, workers: int | None) -> Draw:
    """The engine of that name, if all it needs is there; no number of workers is all cores."""
    names.check(ENGINES, name, what="engine", listing="gnomon generate --help")
    if workers is not None and workers < 1:
        raise ValueError(f"workers={workers}: give 1 or more")
    if name == "ray":
        from gnomon.store.writing.cluster import installed

        installed()
    return partial(ENGINES[name], workers)


def _local(workers: int | None, plan: SplitPlan, numbers: Sequence[int], done: Done) -> None:
    from gnomon.store.writing.shard import write_shard
    from gnomon.store.writing.workers import run

    cores = os.cpu_count() or 1
    run(partial(write_shard, plan), numbers, workers=workers or cores, done=done)


def _ray(workers: int | None, plan: SplitPlan, numbers: Sequence[int], done: Done) -> None:
    from gnomon.store.writing.cluster import run
    from gnomon.store.writing.transfer import Sent, put, writing_afar

    def arrived(number: int, sent: Sent) -> None:
        done(number, put(plan.root, sent))

    with writing_afar(plan) as write:
        run(write, numbers, workers=workers, done=arrived)


ENGINES = {"local": _local, "ray": _ray}
"""What `--engine` takes."""
