"""gnomon as `accelerate launch --config_file fsdp.yaml` starts it, on a machine without a GPU.

Accelerate shards models on GPUs only. Here it takes two CPU processes for two GPUs; all else of the
file stays in force.
"""

import sys

import torch
from accelerate.state import DistributedType, PartialState

from gnomon.commands import main

PartialState._prepare_backend = lambda *_, **__: ("gloo", DistributedType.MULTI_GPU)
PartialState.set_device = lambda self: setattr(self, "device", torch.device("cpu"))

if __name__ == "__main__":
    torch.distributed.init_process_group("gloo")
    sys.exit(main(sys.argv[1:]))
