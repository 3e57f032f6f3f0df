"""The smoothness of one digit's residual over neighbouring values."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from gnomon.losses._kernel import KernelLoss
from gnomon.losses.base import Counted
from gnomon.losses.numbers.spans import Spans


class SmoothLoss(KernelLoss):
    """α · L_smooth, the mean over digits; r = p − q, K the kernel.

    L_smooth = rᵀ(D − K)r = ½ Σ_ij K_ij (r_i − r_j)², where D holds the degrees Σ_j K_ij, and
    α = 1 / (2 · mean degree).

    It punishes near misses more than far ones: for the label 5, L_smooth is 9.65 where all the
    mass is on 4, and 6.04 where it is on 0.
    """

    parts: Mapping[str, Counted] = {"smooth": "digits"}

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """α · rᵀ(D − K)r of each digit."""
        return {"smooth": self.smooth(self.residual(scores, spans), spans)}
