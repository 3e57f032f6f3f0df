"""Datasets for torch and TRL whose samples are drawn during the training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import datasets
import numpy as np
import pyarrow as pa
import torch
from numpy.typing import NDArray
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
    return _dataset(np.arange(n), partial(_draw, partial(_read, samples, epoch), row))


def drawn_in_order(
    samples: Samples, n: int, total: int, row: Callable[[Sample], dict[str, Any]], *, seed: int
) -> datasets.Dataset:
    """Return `total` rows of the first n samples, epoch after epoch, each in its own random order.

    A trainer that does not shuffle resumes it at the same sample in any epoch.
    """
    epochs = range(-(-total // n))
    orders = [n * e + np.random.default_rng([seed, e]).permutation(n) for e in epochs]
    read = partial(_read_in_order, samples, n)
    return _dataset(np.concatenate(orders)[:total], partial(_draw, read, row))


def _dataset(
    indices: NDArray[np.int64], transform: Callable[[dict[str, list[int]]], dict[str, list[Any]]]
) -> datasets.Dataset:
    # Dataset.from_dict would convert and hash each number: two minutes for 100 million.
    table = datasets.table.InMemoryTable(pa.table({"index": indices}))
    # The fingerprint is set by hand, because computing it would hash the whole table.
    return datasets.Dataset(table, fingerprint=f"{len(indices)}").with_transform(transform)


def _read(samples: Samples | Sequence[Sample], epoch: Epoch | None, index: int) -> Sample:
    if epoch is not None and isinstance(samples, Samples):
        return samples.in_epoch(index, epoch.number)
    return samples[index]


def _read_in_order(samples: Samples, n: int, place: int) -> Sample:
    return samples.in_epoch(place % n, place // n)


def _draw(
    read: Callable[[int], Sample],
    row: Callable[[Sample], dict[str, Any]],
    batch: dict[str, list[int]],
) -> dict[str, list[Any]]:
    """Draw a batch of indices as columns, as `datasets` asks of a transform.

    GRPO repeats each question in a batch, but its picture is drawn once.
    """
    by_index = {index: row(read(index)) for index in dict.fromkeys(batch["index"])}
    rows = [by_index[index] for index in batch["index"]]
    return {name: [values[name] for values in rows] for name in rows[0]}
