"""Figures of each label over the boxes of all pictures, with intervals that count pictures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gnomon.answers.registry import TYPES
from gnomon.eval.scoring.runs import ScoredAnswer
from gnomon.eval.stats.intervals import Estimate, ratio


@dataclass(frozen=True, slots=True)
class LabelFigures:
    """Boxes with one label: their numbers, and the figures at IoU 0.5."""

    true: int
    answered: int
    f1: Estimate
    precision: Estimate
    recall: Estimate


def label_figures(items: Sequence[ScoredAnswer], answer_type: str) -> dict[str, LabelFigures]:
    """Figures by label; empty for types without labels.

    Boxes of all pictures count alike, and questions about one picture are taken together.
    """
    kind = TYPES[answer_type]
    counts: dict[str, dict[str, np.ndarray[tuple[int], np.dtype[np.int64]]]]
    counts = defaultdict(lambda: defaultdict(lambda: np.zeros(3, np.int64)))
    for item in items:
        picture = item.picture or item.sample_id
        for label, numbers in kind.counts_by_label(item.truth, item.value).items():
            counts[label][picture] += numbers
    return {label: _figures(np.array([*rows.values()])) for label, rows in counts.items()}


def _figures(rows: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> LabelFigures:
    """Figures from the true, the answered and the matched boxes of each picture."""
    true, answered, matched = rows.T
    return LabelFigures(
        true=int(true.sum()),
        answered=int(answered.sum()),
        f1=ratio(2 * matched, true + answered),
        precision=ratio(matched, answered),
        recall=ratio(matched, true),
    )
