"""The kernels over values, as Gram matrices.

Shapes: N entries, U distinct values among them, M bandwidths.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

BANDWIDTHS = (2.0,)
FEATURES = 4
"""Of each value in a random kernel."""
POWER = 5
"""The Hadamard power of a random kernel: odd, so that its entries may be negative."""


@dataclass(frozen=True)
class Kernel:
    """A kernel by its name and options; KernelLoss has the equations."""

    name: str
    bandwidths: tuple[float, ...]
    published: bool
    shuffled: bool
    seed: int

    def __post_init__(self) -> None:
        # An option without effect would pass for an ablation that changed nothing.
        if self.name in ("energy", "random") and self.bandwidths != BANDWIDTHS:
            raise ValueError(f"bandwidths={self.bandwidths}: kernel={self.name!r} has none")
        if self.name == "random" and (self.published or self.shuffled):
            option = "published" if self.published else "shuffled"
            raise ValueError(f"{option}=True: kernel='random' looks at no distances")

    def gram(self, v: Tensor) -> Tensor:
        """K_ij of the entries' values: [N, N]."""
        values, which = distinct(v)
        return self._of(values)[which[:, None], which]

    def laplacian(self, v: Tensor) -> Tensor:
        """α · (D − K) over the distinct values, so that for 5 no other spelling of it is wrong.

        The mass of 5, 05 and 005 is summed before it is squared: [N, N].
        """
        values, which = distinct(v)
        k = self._of(values)
        degrees = k.sum(-1)
        if degrees.mean() < 1e-6:  # of a random kernel; α would be infinite
            raise ValueError(f"seed={self.seed}: this kernel's degrees cancel: give another seed")
        return ((degrees.diag() - k) / (2 * degrees.mean()))[which[:, None], which]

    def _of(self, values: Tensor) -> Tensor:
        draw = torch.Generator(values.device).manual_seed(self.seed)
        if self.name == "random":
            return _random(len(values), draw)
        if self.shuffled:
            values = values[torch.randperm(len(values), generator=draw, device=values.device)]
        d = (values[:, None] - values).abs()
        if self.published:
            d = _stretched(d)
        if self.name == "energy":
            return -d / 2
        s = torch.tensor(self.bandwidths, dtype=d.dtype, device=d.device)[
            :, None, None
        ]  # [M, 1, 1]
        each = -d / s if self.name == "laplace" else -(d**2) / (2 * s**2)
        return each.exp().mean(0)


def distinct(v: Tensor) -> tuple[Tensor, Tensor]:
    """The distinct values in order, [U], and which of them each entry has, [N]: 5 and 05 share."""
    values, which = torch.unique(v, return_inverse=True)
    return values, which


def _random(size: int, draw: torch.Generator) -> Tensor:
    """Positive semi-definite, as Hadamard powers of such a matrix are (Schur)."""
    signs = torch.randint(2, (size, FEATURES), generator=draw, device=draw.device).double() * 2 - 1
    return (signs @ signs.T / FEATURES) ** POWER


def _stretched(d: Tensor) -> Tensor:
    """Distances so that the smallest above 0 is 1 and the largest 9."""
    apart = d[d > 0]
    if len(apart) == 0 or apart.min() == apart.max():
        return d
    share = (d - apart.min()) / (apart.max() - apart.min())
    return torch.where(d > 0, 1 + 8 * share, 0)
