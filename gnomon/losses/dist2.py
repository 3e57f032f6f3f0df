"""DIST2: how far one digit's distribution is from a target that falls off with the distance."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from gnomon.losses import _options as options
from gnomon.losses._soft import SoftLabelLoss
from gnomon.losses.base import Counted
from gnomon.losses.numbers.spans import Spans
from gnomon.losses.numbers.vocab import NumericVocab


class DIST2Loss(SoftLabelLoss):
    """DIST2 = KL(t ‖ p) = Σ_i t_i log(t_i / p_i), t = softmax(−d² / τ), d = |v_i − y|.

    The mean over digits; τ is `temperature` (arXiv 2503.02379, there with a weight of 0.1). It is
    least, 0, where p is the target itself and so never quite sure. With τ = 2σ² its gradient is
    that of `gaussian`.
    """

    parts: Mapping[str, Counted] = {"dist2": "digits"}

    def __init__(self, vocab: NumericVocab, *, temperature: float = 1.0) -> None:
        super().__init__(vocab, spread=options.positive("temperature", temperature))

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """KL(t ‖ p) of each digit."""
        excess = self.cross_entropy(scores, spans) - self.entropy(scores, spans)
        return {"dist2": excess.clamp(min=0)}  # rounding takes it below 0 where p is t
