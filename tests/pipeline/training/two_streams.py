"""One of two processes that read one stream: python two_streams.py OUT."""

import sys
from pathlib import Path

import torch
from accelerate import Accelerator
from torch import distributed
from torch.utils.data import DataLoader

from gnomon.generators import create
from gnomon.pipeline import Stream

SUMS = create("arithmetic")


def numbers(samples):
    return torch.tensor([int(sample.id.rpartition("-")[2]) for sample in samples])


def loop_of_ones_own():
    """Two workers in each process."""
    rank, world_size = distributed.get_rank(), distributed.get_world_size()
    stream = Stream(SUMS, n=24, batch_size=4, rank=rank, world_size=world_size)
    return DataLoader(stream, 4, collate_fn=numbers, num_workers=2)


def trainers(accelerator):
    """As transformers' Trainer has its loader shared out."""
    loader = DataLoader(Stream(SUMS, n=24, batch_size=4), 4, collate_fn=numbers)
    return accelerator.prepare(loader)


def main(out):
    accelerator = Accelerator(cpu=True)
    found = {"own": loop_of_ones_own(), "trainer": trainers(accelerator)}
    for name, loader in found.items():
        seen = [None] * accelerator.num_processes
        distributed.all_gather_object(seen, [batch.tolist() for batch in loader])
        if accelerator.is_main_process:
            torch.save(seen, out / f"{name}.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
