"""Tables that never change, on whatever device and in whatever precision they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor


class Constant:
    """A table made when first asked for, and kept once for each device and dtype.

    It is no buffer of a module: `model.to(torch.bfloat16)` would round it.
    """

    def __init__(self, make: Callable[[], Tensor]) -> None:
        self._make = make
        self._kept: dict[tuple[torch.device, torch.dtype | None], Tensor] = {}

    def on(self, device: torch.device, dtype: torch.dtype | None = None) -> Tensor:
        """The table there; in its own dtype where none is asked for."""
        if (device, dtype) not in self._kept:
            # A table first asked for in an evaluation must still serve a later backward pass.
            with torch.inference_mode(mode=False):
                table = self._make()
                # The dtype first: not every device has float64.
                self._kept[device, dtype] = table.to(dtype=dtype or table.dtype).to(device)
        return self._kept[device, dtype]
