"""Datasets for torch and TRL whose samples are drawn during the training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import datasets
import numpy as np
import pyarrow as pa
import torch
from torch.utils.data import IterableDataset, get_worker_info

from gnomon import store
from gnomon.sample import Sample
from gnomon.store import Samples


class Stream(store.SampleStream, IterableDataset["Sample"]):
    """`gnomon.store.SampleStream` for a DataLoader. Each of its workers reads a share.

    Pass the loader's batch size. Then the batches are the same with any number of workers.
    """

    @property
    def reader(self) -> tuple[int, int]:
        """Return this reader's number and the number of readers. A loader takes a batch of each
        worker in turn."""
        worker = get_worker_info()
        if worker is None:
            return super().reader
        return worker.id * self.world_size + self.rank, worker.num_workers * self.world_size


def as_sample(sample: Sample) -> dict[str, Any]:
    """Wrap a sample in the row that gnomon's Collator takes."""
    return {"sample": sample}


class Epoch:
    """Number of the current epoch, in memory that the loader's processes share."""

    def __init__(self) -> None:
        self._number = torch.zeros((), dtype=torch.int64)
        self._number.share_memory_()  # type: ignore[no-untyped-call]

    @property
    def number(self) -> int:
        """Number of finished epochs."""
        return int(self._number)

    @number.setter
    def number(self, number: int) -> None:
        self._number.fill_(number)

    def __deepcopy__(self, _: Any) -> Epoch:
        # `datasets` copies its transform, and a copy would not be updated.
        return self


def drawn(
    samples: Samples | Sequence[Sample],
    n: int,
    row: Callable[[Sample], dict[str, Any]] = as_sample,
    *,
    epoch: Epoch | None = None,
) -> datasets.Dataset:
    """Return the first n samples as a dataset for TRL. Each is read or drawn on access.

    Trainers shuffle and divide it and, when resuming, skip trained samples without drawing them.
    `epoch` tells augmented and spread samples the current epoch.
    """
    # Dataset.from_dict would convert and hash each number: two minutes for 100 million.
    table = datasets.table.InMemoryTable(pa.table({"index": np.arange(n)}))
    # The fingerprint is set by hand, because computing it would hash the whole table.
    index = datasets.Dataset(table, fingerprint=f"first-{n}")
    return index.with_transform(partial(_draw, samples, row, epoch))


def drawn_in_order(
    samples: Samples,
    n: int,
    total: int,
    row: Callable[[Sample], dict[str, Any]],
    *,
    seed: int,
) -> datasets.Dataset:
    """Return `total` rows of the first n samples, epoch after epoch, each in its own random order.

    A trainer that does not shuffle resumes it at the same sample in any epoch.
    """
    epochs = -(-total // n)
    orders = [np.random.default_rng([seed, epoch]).permutation(n) for epoch in range(epochs)]
    columns = {
        "index": np.concatenate(orders)[:total],
        "epoch": np.repeat(range(epochs), n)[:total],
    }
    index = datasets.Dataset(
        datasets.table.InMemoryTable(pa.table(columns)), fingerprint=f"{seed}-{n}-{total}"
    )
    return index.with_transform(partial(_draw_in_order, samples, row))


def _draw_in_order(
    samples: Samples, row: Callable[[Sample], dict[str, Any]], batch: dict[str, list[int]]
) -> dict[str, list[Any]]:
    """Draw a batch. GRPO repeats each question in it, but its picture is drawn once."""
    places = list(zip(batch["index"], batch["epoch"], strict=True))
    by_place = {place: row(samples.in_epoch(*place)) for place in dict.fromkeys(places)}
    rows = [by_place[place] for place in places]
    return {name: [values[name] for values in rows] for name in rows[0]}


def _draw(
    samples: Samples | Sequence[Sample],
    row: Callable[[Sample], dict[str, Any]],
    epoch: Epoch | None,
    batch: dict[str, list[int]],
) -> dict[str, list[Any]]:
    """Draw a batch of indices as columns, as `datasets` asks of a transform."""
    if epoch is not None and isinstance(samples, Samples):
        rows = [row(samples.in_epoch(index, epoch.number)) for index in batch["index"]]
    else:
        rows = [row(samples[index]) for index in batch["index"]]
    return {name: [values[name] for values in rows] for name in rows[0]}
