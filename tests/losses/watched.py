"""Watches what is computed: how large the results are, and whether a GPU would be waited for."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

WAITS = {
    "aten::_local_scalar_dense",
    "aten::nonzero",
    "aten::is_nonzero",
    "aten::_unique2",
    "aten::equal",
}


class Watch(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.widest = 0
        self.waits = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if func.name().split(".")[0] in WAITS:
            self.waits.append(func.name())
        if isinstance(result, torch.Tensor) and not func.is_view:
            self.widest = max(self.widest, result.numel())
        return result
