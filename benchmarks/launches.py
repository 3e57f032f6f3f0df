"""Kernel launches and waits of a training step, counted on the tests' pretend accelerator.

    python benchmarks/launches.py

One forward of four samples through the embedded model's architecture. A launch is an operation of
torch, which may be several kernels; a wait is whatever makes the host wait for the device. Only
what our own code does in the forward, the counting and the log is counted: neither the model's own
forward nor the backward pass.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests"
LOSSES = ("ce", "ntil", "smmd")


def main() -> None:
    """Print a line for each loss, with the head's rows at once and in chunks."""
    sys.path[:0] = [str(TESTS), str(TESTS / "pipeline")]
    os.environ["ACCELERATE_TORCH_DEVICE"] = "pretend:0"
    print(f"{'':<18}{'launches':>9}{'waits':>7}   launches by file, waits by function")
    for at_once in (None, 4):
        for name in LOSSES:
            launches, waits = counted(name, at_once)
            files = Counter[str]()
            for place, count in launches.items():
                files[Path(place.split(":")[0]).name] += count
            where = [f"{file} {count}" for file, count in files.most_common() if count]
            where += [f"{place.split(':')[1]}() {n}" for place, n in waits.items() if n]
            title = f"{name}{', in chunks' if at_once else ''}"
            print(f"{title:<18}{launches.total():>9}{waits.total():>7}   {', '.join(where)}")


def _is_ours(place: str, by: str) -> bool:
    """Of our own code, and not of a model's forward."""
    return bool(place) and not by and not place.startswith("pipeline/families/")


def counted(name: str, at_once: int | None) -> tuple[Counter[str], Counter[str]]:
    """Of the second step, when tables are where they are needed: launches and waits by place."""
    from pipeline_toys import BLANK, UNEVEN, ours
    from pretend_device import Pretend
    from transformers.trainer_callback import PrinterCallback

    from gnomon.pipeline.load import load

    with Pretend() as pretend, tempfile.TemporaryDirectory() as out:
        sft = {"per_device_train_batch_size": 4, "max_steps": 2}
        trainer = ours(load(BLANK), UNEVEN, out, numeric_loss=name, sft=sft)
        if at_once:
            trainer.logits_at_once = at_once * trainer._vocab_size
        trainer.remove_callback(PrinterCallback)
        begin = trainer.get_batch_samples

        def begins(*args: object) -> object:
            pretend.launches.clear()
            pretend.waits.clear()
            return begin(*args)

        trainer.get_batch_samples = begins
        trainer.train()
    launches, waits = Counter[str](), Counter[str]()
    for who, count in pretend.launches.items():
        launches[who.place] += count if _is_ours(who.place, who.by) else 0
    for (who, _), count in pretend.waits.items():
        waits[who.place] += count if _is_ours(who.place, who.by) else 0
    return launches, waits


if __name__ == "__main__":
    main()
