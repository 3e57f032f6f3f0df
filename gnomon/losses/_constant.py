"""Tables that never change, on whatever device and in whatever precision they are asked for."""

from __future__ import annotations

import torch
from torch import Tensor


class Constant:
    """A table, kept once for each device and dtype that it was asked for on.

    It is no buffer of a module: `model.to(torch.bfloat16)` would round it.
    """

    def __init__(self, table: Tensor) -> None:
        # A copy that is not for inference only: what an evaluation makes must serve a later
        # backward pass.
        with torch.inference_mode(mode=False):
            self._table = table.clone()
        self._kept: dict[tuple[torch.device, torch.dtype], Tensor] = {}

    def on(self, device: torch.device, dtype: torch.dtype | None = None) -> Tensor:
        """The table there; in its own dtype where none is asked for."""
        key = device, dtype or self._table.dtype
        if key in self._kept:
            return self._kept[key]
        if torch.compiler.is_compiling():
            return self._moved(*key)
        with torch.inference_mode(mode=False):
            self._kept[key] = self._moved(*key)
        return self._kept[key]

    def _moved(self, device: torch.device, dtype: torch.dtype) -> Tensor:
        return self._table.to(dtype=dtype).to(device)  # the dtype first: MPS has no float64
