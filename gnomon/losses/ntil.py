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

MIN_ONE = 1e-30  # lower bound of 10**-45, the + 1 of a 45-digit number: float32 has none


class NTILLoss(NumericLoss):
    """L = w₁ · EMD + w₂ · relative + w₃ · magnitude (arXiv 2505.13077).

    EMD = Σ_i |v_i − y| · p_i · base**place, the mean over digits; the place counts from the right
    of the whole part, so it is 0 for units and negative in a fraction.

    X is the number assembled from the digits, Y the label's, both without sign; then, as means
    over numbers,

        relative  = |X − Y| / (max(X, Y) + 1)
        magnitude = log((max(X, Y) + 1) / (min(X, Y) + 1))

    weights: w₁, w₂ and w₃; a part of weight 0 is not computed.

    construction: with "hard", X is made of each position's likeliest digit, and its gradient is
    that of a softmax at `temperature` instead (straight-through). The published 0.1 leaves
    almost none once a wrong digit leads by a logit gap of 2; a higher one changes the gradient and
    not the loss. With "soft", X is made of that softmax's expected digits. There is no noise.

    published: each part is a mean over the rows of the batch of the mean in each row, 0 in a row
    without numbers, instead of one mean over all digits or numbers. The EMD's distances are those
    of the tokens' values, up to 999 for tokens of three digits. By default they are scaled so that
    the largest of the vocabulary is 9, as it is for single digits.
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
        # Its whole numbers are compared by ratios, which mean nothing on a scale that goes round.
        self._tables = ValueTables(vocab)

    def terms(self, scores: Tensor, spans: Spans) -> dict[str, Tensor]:
        """Compute EMD of each digit, and relative and magnitude of each number."""
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
        # In these units numbers of 45 digits fit float32. Digits are subtracted one by one: the
        # last of many would be lost in a difference of sums.
        highest = spans.highest_places()  # [S]
        unit = 10.0 ** (spans.place - highest[spans.number]).to(scores.dtype)
        unit = torch.where(spans.numeric, unit, 0)
        gap = spans.sum_by_number((x - y) * unit).abs()
        smaller = torch.minimum(spans.sum_by_number(x * unit), spans.sum_by_number(y * unit))
        return gap, smaller + (10.0 ** -highest.to(scores.dtype)).clamp(min=MIN_ONE)

    def _construct(self, scores: Tensor) -> Tensor:
        """Compute the weight of each entry in X: [P, N]."""
        soft = (scores / self.temperature).softmax(-1)
        if self.construction == "soft":
            return soft
        hard = one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)
        return hard + (soft - soft.detach())

    def _counts(self, spans: Spans) -> dict[str, Tensor]:
        """Count digits and numbers; if published, rows with labels."""
        if not self.published:
            return super()._counts(spans)
        rows = (tally(spans.row, spans.labelled.long(), spans.batch) > 0).sum()
        return dict.fromkeys(self.parts, rows)

    def _terms_in_row(self, part: str, spans: Spans) -> Tensor:
        """Count the terms of a part in the row of each term: [P] or [S], at least 1."""
        row = spans.row if self.parts[part] == "digits" else spans.rows_of_numbers()
        return tally(row, self._mask(part, spans).long(), spans.batch)[row].clamp(min=1)
