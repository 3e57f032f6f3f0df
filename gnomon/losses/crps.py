"""The continuous ranked probability score of one digit's distribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from torch import Tensor

from gnomon.losses._kernel import KernelLoss
from gnomon.losses.base import Counted
from gnomon.losses.numbers.spans import Spans
from gnomon.losses.numbers.vocab import NumericVocab


class CRPSLoss(KernelLoss):
    """CRPS = Σ_i p_i |v_i − y| − ½ Σ_ij p_i p_j |v_i − v_j|, the mean over digits.

    That is rᵀKr under the energy kernel K = −d / 2, and so it is computed. A proper score, where
    `emd` is none: it is least in expectation where p is how likely each digit really is.
    """

    kernels: ClassVar[Sequence[str]] = ("energy",)
    parts: Mapping[str, Counted] = {"crps": "digits"}

    def __init__(self, vocab: NumericVocab) -> None:
        super().__init__(vocab, kernel="energy")

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """rᵀKr of each digit, K = −d / 2."""
        return {"crps": self.mmd(self.residual(scores, spans), spans)}
