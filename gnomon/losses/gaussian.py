"""Gaussian soft labels: the cross-entropy against a bell around one digit's label."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from gnomon.losses import _options as options
from gnomon.losses._soft import SoftLabelLoss
from gnomon.losses.base import Counted
from gnomon.losses.numbers.spans import Spans
from gnomon.losses.numbers.vocab import NumericVocab


class GaussianLoss(SoftLabelLoss):
    """L = −Σ_i t_i log p_i, t_i ∝ exp(−d² / 2σ²), d = |v_i − y|, the mean over digits.

    The bell is cut off where the values end, so that 0 and 9 have one-sided targets. It is least
    where p is the bell: 1.4 with σ = 1 in the middle, and never 0.
    """

    parts: Mapping[str, Counted] = {"gaussian": "digits"}

    def __init__(self, vocab: NumericVocab, *, sigma: float = 1.0) -> None:
        super().__init__(vocab, spread=2 * options.positive("sigma", sigma) ** 2)

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """−Σ_i t_i log p_i of each digit."""
        return {"gaussian": self.cross_entropy(scores, spans)}
