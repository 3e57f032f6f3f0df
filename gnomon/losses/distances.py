"""Losses by the distance between the label and what one digit's distribution says.

CRPS belongs here by its meaning and is in `kernels.py` by its computation.
"""

from collections.abc import Mapping

from torch import Tensor

from gnomon.losses.base import NumericLoss, Unit, check_bounds
from gnomon.losses.numbers.spans import Spans
from gnomon.losses.numbers.vocab import NumericVocab, ValueTables, circular_distance


class EMDLoss(NumericLoss):
    """EMD = Σ_i |v_i − y| · p_i, the mean over digits; `emd` and `ntl_was` are one loss.

    NTL-WAS is its name in Zausinger et al., ICML 2025; 0.3 is its usual weight.

    p is the softmax over the numeric vocabulary, v_i an entry's value, y the label's. Since all
    the label's mass is on y, this is also Σ |CDF_p − CDF_q|. v_i − y is in units of the token's
    last place.

    published: tokens of one to three digits have distances up to 999. By default the distances are
    scaled so that the largest of the vocabulary is 9, as it is for single digits.

    It falls with the expected error, but is no proper score: its minimum puts all the mass on the
    median of the possible answers, so it says nothing about how sure the answer is.

    cycle: the numbers lie on a scale that begins again there, and |v_i − y| goes the shorter way
    round, where a digit reaches so far: see `numbers.vocab.ValueTables`.
    """

    parts: Mapping[str, Unit] = {"emd": "digits"}

    def __init__(self, vocab: NumericVocab, *, published: bool = False, cycle: float = 0.0) -> None:
        super().__init__(vocab)
        self.scale = 1.0 if published else self.scale
        self._tables = ValueTables(vocab, check_bounds("cycle", cycle))

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute EMD of each digit."""
        return {"emd": self.scale * expected_distance(self._tables, scores, spans)}


class NTLMSELoss(NumericLoss):
    """NTL-MSE = (Σ_i p_i · v_i − y)², the mean over digits (Zausinger et al., ICML 2025).

    It sees the mean alone: half on 4 and half on 6 is as good as all on 5. 0.3 is its usual weight.

    published: as for `emd`, whose distances are squared here.
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
