"""The maximum mean discrepancy of one digit's distribution from its label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from torch import Tensor

from gnomon.losses._kernel import KernelLoss
from gnomon.losses.base import Counted
from gnomon.losses.numbers.spans import Spans


class MMDLoss(KernelLoss):
    """L_MMD = rᵀKr = Σ_ij K_ij r_i r_j, the mean over digits; r = p − q, K the kernel.

    It grows with the error. With kernel="energy" it is the CRPS, Σ p|v − y| − ½ ΣΣ p_i p_j d_ij,
    a proper score.
    """

    kernels: ClassVar[Sequence[str]] = ("gaussian", "laplace", "energy", "random")
    parts: Mapping[str, Counted] = {"mmd": "digits"}

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """rᵀKr of each digit."""
        return {"mmd": self.mmd(self.residual(scores, spans), spans)}
