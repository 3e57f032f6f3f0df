"""Losses with soft labels: the target is spread over the values near the label.

Shapes: P positions, N entries of the numeric vocabulary, U distinct values among them, G the
largest number of entries with the same value.
"""

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from gnomon.losses.base import NumericLoss, Unit, check_bounds, check_positive, pool_tokens
from gnomon.losses.numbers.spans import Spans
from gnomon.losses.numbers.tables import Constant
from gnomon.losses.numbers.vocab import NumericVocab, ValueTables, circular_distance


class SoftLabelLoss(NumericLoss):
    """Base class of losses with the target t_u ∝ exp(−(u − y)² / spread) over distinct values u.

    Entries of the same value, such as 5, 05 and 005, are pooled. The target therefore spreads over
    near values, but not over other spellings of the same value. With a `cycle`, |u − y| is measured
    the shorter way round.
    """

    def __init__(self, vocab: NumericVocab, *, spread: float, cycle: float) -> None:
        super().__init__(vocab)
        self._tables = ValueTables(vocab, check_bounds("cycle", cycle))
        self._targets = [_SoftTargets(*pair, spread) for pair in self._tables.values_and_periods]

    def cross_entropy(self, scores: Tensor, spans: Spans) -> Tensor:
        """Compute −Σ_u t_u · log p_u at each position: [P]."""
        log_p = scores.log_softmax(-1)
        by_table = [targets.cross_entropy(log_p, spans.index) for targets in self._targets]
        return self._pick_table(by_table, spans)

    def entropy(self, scores: Tensor, spans: Spans) -> Tensor:
        """Compute −Σ_u t_u · log t_u, the minimum of `cross_entropy`: [P]."""
        tables = [targets.entropy.on(scores.device, scores.dtype) for targets in self._targets]
        return self._pick_table([table[spans.index] for table in tables], spans)

    def _pick_table(self, by_table: list[Tensor], spans: Spans) -> Tensor:
        """Select the result of the table that applies at each position: [P] from T × [P]."""
        return torch.stack(by_table).gather(0, self._tables.index(spans)[None])[0]


class _SoftTargets:
    """Soft target of each label over the distinct values of one table."""

    def __init__(self, v: Tensor, period: float, spread: float) -> None:
        values, which = torch.unique(v, return_inverse=True)  # [U], [N]
        entries = [(which == u).nonzero().flatten() for u in range(len(values))]
        # [U, G]: entries of each value, padded with -1
        members = pad_sequence(entries, batch_first=True, padding_value=-1)
        distances = circular_distance((v[:, None] - values).abs(), period)
        targets = (-(distances**2) / spread).softmax(-1)
        self._columns = Constant(torch.where(members < 0, members[:, :1], members).flatten())
        self._padding = Constant(members < 0)  # [U, G] bool
        self._by_label = Constant(targets)  # [N, U]
        self.entropy = Constant(-torch.xlogy(targets, targets).sum(-1))  # [N]

    def cross_entropy(self, log_p: Tensor, index: Tensor) -> Tensor:
        columns, padding = self._columns.on(log_p.device), self._padding.on(log_p.device)
        by_value = pool_tokens(log_p.index_select(1, columns), padding)  # [P, U]
        return -(self._by_label.on(log_p.device, log_p.dtype)[index] * by_value).sum(-1)


class DIST2Loss(SoftLabelLoss):
    """DIST2 = KL(t ‖ p) = Σ_i t_i log(t_i / p_i), t = softmax(−d² / τ), d = |v_i − y|.

    The loss is averaged over digits, and τ is `temperature`. The paper (arXiv 2503.02379) gives it
    a weight of 0.1. Its minimum is 0, at p = t, which leaves some mass on the neighbours of the
    label. With τ = 2σ², it has the same gradient as `gaussian`.
    """

    parts: Mapping[str, Unit] = {"dist2": "digits"}

    def __init__(
        self, vocab: NumericVocab, *, temperature: float = 1.0, cycle: float = 0.0
    ) -> None:
        super().__init__(vocab, spread=check_positive("temperature", temperature), cycle=cycle)

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute KL(t ‖ p) of each digit."""
        excess = self.cross_entropy(scores, spans) - self.entropy(scores, spans)
        return {"dist2": excess.clamp(min=0)}  # rounding may take it below 0 if p is t


class GaussianLoss(SoftLabelLoss):
    """L = −Σ_i t_i log p_i, t_i ∝ exp(−d² / 2σ²), d = |v_i − y|, averaged over digits.

    The bell is cut off at the smallest and the largest value. The labels 0 and 9 therefore have
    one-sided targets, unless a `cycle` makes them neighbours. The minimum, at p = t, is never 0.
    For σ = 1 and a label in the middle, it is 1.4.
    """

    parts: Mapping[str, Unit] = {"gaussian": "digits"}

    def __init__(self, vocab: NumericVocab, *, sigma: float = 1.0, cycle: float = 0.0) -> None:
        super().__init__(vocab, spread=2 * check_positive("sigma", sigma) ** 2, cycle=cycle)

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute −Σ_i t_i log p_i of each digit."""
        return {"gaussian": self.cross_entropy(scores, spans)}
