"""SMMD: the maximum mean discrepancy of each digit, and its residual's smoothness."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from gnomon.losses._kernel import KernelLoss
from gnomon.losses.base import Counted
from gnomon.losses.numbers.spans import Spans


class SMMDLoss(KernelLoss):
    """L = L_MMD + α · L_smooth, the mean over digits (arXiv 2606.27731); r = p − q, K the kernel.

    L_MMD = rᵀKr, L_smooth = rᵀ(D − K)r with D the degrees Σ_j K_ij, α = 1 / (2 · mean degree).

    The smoothness punishes near misses more than far ones, so that here and there the sum falls
    as the error grows; `mmd` alone never does. At a saturated wrong digit the gradient vanishes:
    keep the cross-entropy beside it.
    """

    parts: Mapping[str, Counted] = {"mmd": "digits", "smooth": "digits"}

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """L_MMD and α · L_smooth of each digit."""
        r = self.residual(scores, spans)
        return {"mmd": self.mmd(r, spans), "smooth": self.smooth(r, spans)}
