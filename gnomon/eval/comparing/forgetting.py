"""Forgetting: answers to a run's guard before its training, against those after it."""

from collections.abc import Mapping

from gnomon.answers.registry import TYPES
from gnomon.eval.comparing.comparison import apply_holm, compare_uncorrected, first_metrics
from gnomon.eval.formatting import lower_first
from gnomon.eval.scoring.runs import Forgetting, Scores
from gnomon.eval.stats.intervals import Estimate


def compare_guards(questions: Mapping[str, tuple[Scores, Scores]]) -> list[Forgetting]:
    """Compare the first metric of each file and type of answer, paired by question.

    Holm's method corrects the p-values of all files together.
    """
    comparisons = apply_holm(
        [compare_uncorrected(*scores, names=("before", "after")) for scores in questions.values()]
    )
    rows = []
    for name, comparison in zip(questions, comparisons, strict=True):
        differences = first_metrics(comparison.differences)
        for d in differences:
            title = f"{TYPES[d.type_name].title}: " if len(differences) > 1 else ""
            label, figures = title + lower_first(d.label), (d.unit, d.baseline, d.candidate)
            rows.append(Forgetting(name, label, *figures, d.estimate, d.verdict))
    return rows


def compare_text(name: str, n_tokens: int, before: float, after: float) -> Forgetting:
    """Compare the mean −log p per token of a text. It has no interval: tokens depend on others."""
    difference = Estimate(after - before, None, None, "", n_tokens)
    return Forgetting(name, "−log p per token", "nats", before, after, difference)
