"""Losses by the distance between a label and the distribution over one digit's values.

CRPS is also such a loss. It is in `kernels.py` because it is computed with a kernel.
"""

from collections.abc import Mapping

from torch import Tensor

from gnomon.losses.base import NumericLoss, Unit, check_bounds
from gnomon.losses.numbers.spans import Spans
from gnomon.losses.numbers.vocab import NumericVocab, ValueTables, circular_distance


class EMDLoss(NumericLoss):
    """EMD = Σ_i |v_i − y| · p_i, averaged over digits. `emd` and `ntl_was` name the same loss.

    p is the softmax over the numeric vocabulary, v_i the value of an entry and y the label's value.
    v_i − y is in units of the token's last place. Since the target mass is all on y, EMD equals
    Σ |CDF_p − CDF_q|. Zausinger et al. (ICML 2025) call this loss NTL-WAS and give it a weight of
    0.3.

    EMD falls with the expected error, but it is not a proper score. It is minimal if all the mass
    is on the median of the possible answers, so it does not teach a model how sure to be.

    published: do not scale distances. Tokens of three digits then have distances up to 999. By
    default, distances are scaled to a largest distance of 9, as between single digits.

    cycle: length of a circular scale, for example 360 for degrees. |v_i − y| is then measured the
    shorter way round. `numbers.vocab.ValueTables` says which digits this changes. 0 means that the
    scale is not circular.
    """

    parts: Mapping[str, Unit] = {"emd": "digits"}

    def __init__(self, vocab: NumericVocab, *, published: bool = False, cycle: float = 0.0) -> None:
        super().__init__(vocab)
        self.scale = 1.0 if published else self.scale
        self._tables = ValueTables(vocab, check_bounds("cycle", cycle))

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute the EMD of each digit."""
        return {"emd": self.scale * expected_distance(self._tables, scores, spans)}


class NTLMSELoss(NumericLoss):
    """NTL-MSE = (Σ_i p_i · v_i − y)², averaged over digits (Zausinger et al., ICML 2025).

    Only the mean of the distribution counts. For the label 5, half the mass on 4 and half on 6 is
    as good as all the mass on 5. The usual weight is 0.3.

    published: do not scale distances, as in `emd`. The scale applies before the square.
    """

    parts: Mapping[str, Unit] = {"ntl_mse": "digits"}

    def __init__(self, vocab: NumericVocab, *, published: bool = False) -> None:
        super().__init__(vocab)
        self.scale = 1.0 if published else self.scale

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute (Σ_i p_i · v_i − y)² of each digit."""
        v, y = self.vocab.values_at(spans, scores.dtype)  # [P, N], [P]
        error = ((v - y[:, None]) * scores.softmax(-1)).sum(-1)
        return {"ntl_mse": (self.scale * error) ** 2}


def expected_distance(tables: ValueTables, scores: Tensor, spans: Spans) -> Tensor:
    """Compute Σ_i |v_i − y| · p_i at each position: [P]."""
    v, y = tables.vocab.values_at(spans, scores.dtype)  # [P, N], [P]
    distances = (v - y[:, None]).abs()
    if tables.cycle:
        distances = circular_distance(distances, tables.periods(spans, scores.dtype)[:, None])
    return (distances * scores.softmax(-1)).sum(-1)
