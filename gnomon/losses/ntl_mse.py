"""NTL-MSE: the squared error of the value that one digit's distribution expects."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from gnomon.losses.base import Counted, NumericLoss
from gnomon.losses.numbers.spans import Spans


class NTLMSELoss(NumericLoss):
    """NTL-MSE = (Σ_i p_i · v_i − y)², the mean over digits (Zausinger et al., ICML 2025).

    It sees the mean alone: half on 4 and half on 6 is as good as all on 5. 0.3 is its usual weight.
    """

    parts: Mapping[str, Counted] = {"ntl_mse": "digits"}

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """(Σ_i p_i · v_i − y)² of each digit."""
        v, y = self.vocab.worths(spans, scores.dtype)  # [P, N], [P]
        return {"ntl_mse": ((v - y[:, None]) * scores.softmax(-1)).sum(-1) ** 2}
