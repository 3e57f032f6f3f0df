"""One of two processes that train together: python two_processes.py CHECKPOINT OUT.

OUT holds every family's small model, in a folder of its name.
"""

import sys
from dataclasses import replace
from pathlib import Path

import torch
from pipeline_toys import BLANK, UNEVEN, copied, dataset_of, grad_steps, ours, trained
from small_models import LINEAR, uneven
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

from gnomon.pipeline.load import load
from gnomon.pipeline.training.trainer import NumericSFTTrainer
from gnomon.pipeline.training.validation import Validation

CASES = {
    "ce": {},
    "ntil": {"numeric_loss": "ntil", "weight": 0.7},
    "smmd": {"numeric_loss": "smmd", "weight": 0.7, "numeric_mass": 0.2},
    "ce_ratio": {"numeric_loss": "ntil", "weight": 0.7, "balance": "ce_ratio"},
}
"""`ce_ratio` is looked at with one forward a step: its ratio is that of each forward."""
SFT = {"use_cpu": True, "ddp_backend": "gloo"}
FEW = 4096
"""Logits at once: four rows of the embedded model's, so that answers go in chunks."""


def main(checkpoint, out):
    torch.set_num_threads(1)
    loaded = load(replace(BLANK, name=str(checkpoint)))
    found = {}
    for name, options in CASES.items():
        lines, gradients, trainer = trained(ours, loaded, out, (1, 2), sft=SFT, **options)
        assert trainer.accelerator.num_processes == 2
        found[name] = lines[0], gradients[0]
        if name == "ntil":
            found["judged"] = trainer.evaluate(dataset_of(UNEVEN[5:]))
    found["answers"] = held_out(loaded)(loaded.model)
    for name, at_once in {"whole": NumericSFTTrainer.logits_at_once, "chunked": FEW}.items():
        NumericSFTTrainer.logits_at_once = at_once
        lines, gradients, _ = trained(ours, loaded, out, (1, 2), sft=SFT, **CASES["ntil"])
        found[f"ddp {name}"] = lines[0], gradients[0]
        found[f"fsdp {name}"] = sharded(loaded, out)
    for name in LINEAR:
        small = load(replace(BLANK, name=str(out / name)))
        lines, gradients, _ = trained(ours, small, out, (1, 3), sft=SFT, **uneven(name))
        found[name] = lines[0], gradients[0]
    torch.save(found, out / f"rank{trainer.args.process_index}.pt")


def held_out(loaded):
    """Uneven: three samples for the one process, two for the other."""
    return Validation(loaded, tuple(UNEVEN[:5]), batch_size=2, max_new_tokens=3)


def sharded(loaded, out):
    """A step under FSDP2. Accelerate shards on no CPU, so the model comes to the trainer sharded,
    as transformers hands over what it sharded at load time."""
    whole = copied(loaded)
    model, mesh = whole.model, init_device_mesh("cpu", (2,))
    text = model.model.language_model
    for layer in [*model.model.visual.blocks, *text.layers]:
        fully_shard(layer, mesh=mesh)
    fully_shard([text.embed_tokens, text.norm, model.lm_head], mesh=mesh)
    fully_shard(model, mesh=mesh)
    type(model).is_distributed_loading_by_transformers = True
    trainer = ours(whole, UNEVEN, out, sft={**SFT, "per_device_train_batch_size": 2},
                   **CASES["ntil"])  # fmt: skip
    lines, gradients = grad_steps(trainer)
    return lines[0], {name: part.full_tensor() for name, part in gradients[0].items()}


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
