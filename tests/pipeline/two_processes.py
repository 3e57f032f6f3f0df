"""One of two processes that train together: python two_processes.py CHECKPOINT OUT."""

import sys
from dataclasses import replace
from pathlib import Path

import torch
from pipeline_toys import BLANK, ours, trained

from gnomon.pipeline.load import load

CASES = {
    "ce": {},
    "ntil": {"numeric_loss": "ntil", "weight": 0.7},
    "smmd": {"numeric_loss": "smmd", "weight": 0.7},
    "ce_ratio": {"numeric_loss": "ntil", "weight": 0.7, "balance": "ce_ratio"},
}
"""`ce_ratio` is looked at with one forward a step: its ratio is that of each forward."""


def main(checkpoint, out):
    torch.set_num_threads(1)
    loaded = load(replace(BLANK, name=str(checkpoint)))
    found = {}
    for name, options in CASES.items():
        sft = {"use_cpu": True, "ddp_backend": "gloo"}
        lines, gradients, trainer = trained(ours, loaded, out, (1, 2), sft=sft, **options)
        assert trainer.accelerator.num_processes == 2
        found[name] = lines[0], gradients[0]
    torch.save(found, out / f"rank{trainer.args.process_index}.pt")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
