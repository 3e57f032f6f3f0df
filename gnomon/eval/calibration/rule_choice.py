"""The answer rule that reads labelled pictures best, chosen on pictures that no interval uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, TypeAlias

import numpy as np

from gnomon.answers.number.answer import tolerance_of
from gnomon.answers.registry import TYPES
from gnomon.eval.calibration.conformal import USUAL_COVERAGE, fewest_groups
from gnomon.eval.calibration.estimates import BestAnswer
from gnomon.eval.scoring.belief import range_of
from gnomon.eval.scoring.question_file import Question
from gnomon.sample import Prediction

Rule: TypeAlias = Literal["mode", "median", "mean"]
AnswerToQuestion: TypeAlias = tuple[Prediction, Question]

_PART = 4
"""One of so many groups of pictures is used for the choice."""
_FEWEST = 20
"""Pictures by which rules can be compared."""


@dataclass(frozen=True)
class RuleChoice:
    """An answer rule, and what it was chosen on."""

    rule: Rule
    rest: tuple[AnswerToQuestion, ...]
    """Answers that the choice did not use: intervals may be learnt from them."""
    right: dict[str, float]
    """Share of right answers by rule; empty if there were too few pictures to choose by."""
    n: int = 0
    """Pictures that the rule was chosen on."""
    is_indifferent: bool = False
    """True if every rule gives the same answers, as of words, which have no distances."""

    @property
    def sentence(self) -> str:
        """Say which rule answers, and why; empty if all rules give the same answers."""
        if self.is_indifferent:
            return ""
        if not self.right:
            return (
                f"answers are the {self.rule} of the belief: with {_PART * _FEWEST} pictures or"
                " more, the rule that reads a quarter of them best is chosen"
            )
        others = ", ".join(f"{r} {share:.1%}" for r, share in self.right.items() if r != self.rule)
        return (
            f"answers are the {self.rule} of the belief, right for {self.right[self.rule]:.1%} of"
            f" {self.n} pictures that the figures below leave out ({others})"
        )


def choose_rule(
    answers: Sequence[AnswerToQuestion],
    *,
    within: float | None = None,
    same_groups: bool = False,
) -> RuleChoice:
    """Choose a rule on a quarter of the groups, by the share right and then by the distance.

    Without enough pictures or groups the rule is the mode, which is next to what the model writes.
    `within` and `same_groups` are those of the calibration.
    """
    listed = [pair for pair in answers if pair[0].logprobs]
    types = {question.target.answer_form.type_name for _, question in listed}
    if all(TYPES[type_name].axis is None for type_name in types):
        return RuleChoice("mode", tuple(answers), {}, is_indifferent=True)
    names = [group_name(question, same_groups=same_groups) for _, question in listed]
    # By a hash, so that neither the order of the rows nor their labels say who chooses.
    groups = sorted(set(names), key=lambda name: blake2b(name.encode(), digest_size=8).digest())
    chosen = set(groups[: len(groups) // _PART])
    pairs = [pair for pair, name in zip(listed, names, strict=True) if name in chosen]
    n_rest = len(listed) - len(pairs)
    has_groups = len(groups) - len(chosen) >= fewest_groups(USUAL_COVERAGE)
    if len(pairs) < _FEWEST or n_rest < _FEWEST or not has_groups:
        return RuleChoice("mode", tuple(answers), {})
    ranks: dict[Rule, tuple[float, float]] = {}
    for rule in ("mode", "median", "mean"):
        rows = np.array([_outcome(*pair, rule, within) for pair in pairs])
        ranks[rule] = float(rows[:, 0].mean()), -float(rows[:, 1].mean())
    best = max(ranks, key=lambda rule: ranks[rule])
    used = {question.id for _, question in pairs}
    rest = tuple([pair for pair in answers if pair[1].id not in used])
    return RuleChoice(best, rest, {rule: right for rule, (right, _) in ranks.items()}, len(pairs))


def group_name(question: Question, *, same_groups: bool) -> str:
    """Return the group that a picture counts for; a drawn picture is a group by itself."""
    return question.picture if same_groups else question.group or question.id


def _outcome(
    prediction: Prediction, question: Question, rule: Rule, within: float | None
) -> tuple[bool, float]:
    """Return whether the rule's answer is right, and its distance from the truth."""
    truth = question.target
    form = truth.answer_form
    tolerance = tolerance_of(truth) if within is None else within
    numbers = range_of(prediction, form)
    best = BestAnswer.of(
        prediction.logprobs or {}, form, prediction.dialect, rule, tolerance, numbers
    )
    error = best.error(truth) if truth.is_readable else 0.0
    return best.is_right(truth, tolerance), error
