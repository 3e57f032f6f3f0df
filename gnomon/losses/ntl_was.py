"""NTL-WAS: the Wasserstein distance of one digit's distribution from its label."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from gnomon.losses.base import Counted, NumericLoss
from gnomon.losses.emd import expected_distance
from gnomon.losses.numbers.spans import Spans


class NTLWASLoss(NumericLoss):
    """NTL-WAS = Σ_i p_i · |v_i − y|, the mean over digits (Zausinger et al., ICML 2025).

    The same as `emd`, under the name that readers of that paper look for; 0.3 is its usual weight.
    """

    parts: Mapping[str, Counted] = {"ntl_was": "digits"}

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Σ_i p_i · |v_i − y| of each digit."""
        return {"ntl_was": expected_distance(self.vocab, scores, spans)}
