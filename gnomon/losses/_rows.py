"""What an objective needs of each row of V logits, and one gradient for all of it.

Shapes: P rows of kept labels, K columns that are looked at, V vocabulary.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from gnomon.losses._scores import working


class Rows(NamedTuple):
    """With this little of each row kept, rows may be many."""

    ce: Tensor  # [P] −log of the label's probability
    right: Tensor  # [P] 1 where the label is the likeliest token
    mass: Tensor  # [P] −log of the probability of all numeric tokens; 0 where not asked for
    columns: Tensor  # [P, K] logits of the numeric tokens, up to a constant in each row

    def packed(self) -> Tensor:
        """All of it as one [P, 3 + K] tensor, for what passes on nothing else."""
        return torch.cat([torch.stack(self[:3], 1), self.columns], 1)

    @classmethod
    def unpacked(cls, packed: Tensor) -> Rows:
        """The rows that were packed."""
        return cls(packed[:, 0], packed[:, 1], packed[:, 2], packed[:, 3:])


def looked_at(logits: Tensor, targets: Tensor, columns: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Log-sum-exp [P], the targets' logits [P] and those of some columns [P, K], of [P, V].

    All are less the row's largest logit, which cancels in every share and keeps small losses
    exact. Autograd would give each of the three a gradient of its own as wide as the vocabulary.
    """
    found: tuple[Tensor, Tensor, Tensor] = _LookedAt.apply(logits, targets, columns)  # type: ignore[no-untyped-call]  # torch has no types for it
    return found


class _LookedAt(Function):
    @staticmethod
    def forward(
        ctx: Any, logits: Tensor, targets: Tensor, columns: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        most = working(logits.amax(-1, keepdim=True))  # [P, 1]
        summed = (working(logits) - most).exp_().sum(-1, keepdim=True).log_()
        ctx.save_for_backward(logits, targets, columns, most + summed)
        picked = working(logits.gather(1, targets[:, None])) - most
        looked = working(logits.index_select(1, columns)) - most
        return summed.squeeze(1), picked.squeeze(1), looked

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, of_sum: Tensor, of_picked: Tensor, of_looked: Tensor
    ) -> tuple[Tensor, None, None]:
        logits, targets, columns, whole = ctx.saved_tensors
        gradient = (working(logits) - whole).exp_().mul_(of_sum[:, None])  # shares of [P, V]
        gradient.scatter_add_(1, targets[:, None], of_picked[:, None])
        gradient.index_add_(1, columns, of_looked)
        return gradient.to(logits.dtype), None, None
