"""NTIL: the earth mover's distance of each digit, and the error of the whole number.

Shapes: B batch, P positions, S slots for numbers, N entries of the numeric vocabulary.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from gnomon.losses.base import (
    NumericLoss,
    Unit,
    check_choice,
    check_part_weights,
    check_positive,
    one_hot,
)
from gnomon.losses.distances import expected_distance
from gnomon.losses.numbers.spans import Spans, tally
from gnomon.losses.numbers.vocab import NumericVocab, ValueTables

MIN_ONE = 1e-30  # lower bound of 10**-45, the + 1 of a 45-digit number, which float32 cannot hold


class NTILLoss(NumericLoss):
    """L = w₁ · EMD + w₂ · relative + w₃ · magnitude (arXiv 2505.13077).

    EMD = Σ_i |v_i − y| · p_i · base**place, averaged over digits. The place is 0 for units, 1 for
    tens and -1 for tenths.

    X is the number assembled from the predicted digits, and Y is the label's number. Signs are
    ignored. Averaged over numbers:

        relative  = |X − Y| / (max(X, Y) + 1)
        magnitude = log((max(X, Y) + 1) / (min(X, Y) + 1))

    weights: w₁, w₂ and w₃. A part with weight 0 is not computed.

    construction: how X is assembled. With "hard", X has the most likely digit at each position, and
    the backward pass uses a softmax at `temperature` instead (straight-through). At the published
    temperature of 0.1, almost no gradient is left once a wrong digit leads by a logit gap of 2. A
    higher temperature changes the gradient but not the loss. With "soft", X has the expected digits
    under that softmax. No noise is added.

    published: average each part within each row first, and then over rows. A row without numbers
    counts as 0. By default, each part is averaged over all digits or numbers of the batch. Also, do
    not scale the distances in EMD: tokens of three digits then have distances up to 999. By
    default, distances are scaled to a largest distance of 9, as between single digits.
    """

    parts: Mapping[str, Unit] = {"emd": "digits", "relative": "numbers", "magnitude": "numbers"}

    def __init__(
        self,
        vocab: NumericVocab,
        *,
        weights: Sequence[float] = (1.0, 0.2, 0.2),
        base: float = 1.2,
        construction: str = "hard",
        temperature: float = 0.1,
        published: bool = False,
    ) -> None:
        super().__init__(vocab)
        part_weights = check_part_weights("weights", weights, tuple(self.parts))
        self.weights = {part: weight for part, weight in part_weights.items() if weight}
        self.parts = {part: self.parts[part] for part in self.weights}
        self.base = check_positive("base", base)
        self.construction = check_choice("construction", construction, ("hard", "soft"))
        self.temperature = check_positive("temperature", temperature)
        self.published = published
        self.scale = 1.0 if published else self.scale
        # There is no option `cycle`: ratios of whole numbers have no meaning on a circular scale.
        self._tables = ValueTables(vocab)

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute the EMD of each digit, and the relative and magnitude errors of each number."""
        terms = {}
        if "emd" in self.parts:
            emd = expected_distance(self._tables, scores, spans)
            terms["emd"] = self.scale * emd * self.base ** spans.place.to(scores.dtype)
        if self.parts.keys() != {"emd"}:
            gap, smaller = self._gap(scores, spans)
            terms["relative"] = gap / (smaller + gap)
            terms["magnitude"] = (smaller + gap).log() - smaller.log()
        if self.published:
            terms = {part: terms[part] / self._terms_in_row(part, spans) for part in self.parts}
        return terms

    def _gap(self, scores: Tensor, spans: Spans) -> tuple[Tensor, Tensor]:
        """Compute |X − Y| and min(X, Y) + 1, [S] each, in units of each number's highest place."""
        v, y = self.vocab.values_at(spans, scores.dtype)  # [P, N], [P]
        x = (self._construct(scores) * v).sum(-1)  # [P]
        # In these units, numbers of 45 digits fit into float32. Digits are subtracted one by one,
        # because a difference of sums would lose the last digit of a long number.
        highest = spans.highest_places()  # [S]
        unit = 10.0 ** (spans.place - highest[spans.number]).to(scores.dtype)
        unit = torch.where(spans.numeric, unit, 0)
        gap = spans.sum_by_number((x - y) * unit).abs()
        smaller = torch.minimum(spans.sum_by_number(x * unit), spans.sum_by_number(y * unit))
        return gap, smaller + (10.0 ** -highest.to(scores.dtype)).clamp(min=MIN_ONE)

    def _construct(self, scores: Tensor) -> Tensor:
        """Compute the weight that each entry has in its digit of X: [P, N]."""
        soft = (scores / self.temperature).softmax(-1)
        if self.construction == "soft":
            return soft
        hard = one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)
        return hard + (soft - soft.detach())

    def _counts(self, spans: Spans) -> dict[str, Tensor]:
        """Count the terms of each part. If `published`, count the rows with labels instead."""
        if not self.published:
            return super()._counts(spans)
        rows = (tally(spans.row, spans.labelled.long(), spans.batch) > 0).sum()
        return dict.fromkeys(self.parts, rows)

    def _terms_in_row(self, part: str, spans: Spans) -> Tensor:
        """Count for each term of a part the terms in its batch row, at least 1: [P] or [S]."""
        row = spans.row if self.parts[part] == "digits" else spans.rows_of_numbers()
        return tally(row, self._mask(part, spans).long(), spans.batch)[row].clamp(min=1)
