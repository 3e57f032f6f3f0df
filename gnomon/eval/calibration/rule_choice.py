"""Choose the answer rule that is best on labelled pictures. Intervals use other pictures."""

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
"""One in this many groups of pictures is used for the choice."""
_FEWEST = 20
"""Smallest number of pictures to compare rules on, and to leave for intervals."""


@dataclass(frozen=True)
class RuleChoice:
    """The chosen answer rule, and the answers that it was not chosen on."""

    rule: Rule
    rest: tuple[AnswerToQuestion, ...]
    """Answers that the choice did not use. Intervals are learnt from them."""
    right: dict[str, float]
    """Share of right answers by rule. Empty if there were too few pictures for a choice."""
    n: int = 0
    """Number of pictures that the rule was chosen on."""
    is_indifferent: bool = False
    """True if all rules give the same answers, because words have no distances."""

    @property
    def sentence(self) -> str:
        """Description of the rule and its reason. Empty if all rules give the same answers."""
        if self.is_indifferent:
            return ""
        if not self.right:
            return (
                f"answers are the {self.rule} of the belief: with {_PART * _FEWEST} pictures or"
                " more, the rule that is best on a quarter of them is chosen"
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
    """Choose the rule with the most right answers on a quarter of the groups.

    In a tie, the rule with the smallest mean error wins. Without enough pictures or groups, the
    rule is "mode", which is close to the model's written answer. `within` and `same_groups` are as
    in `calibrate`.
    """
    listed = [pair for pair in answers if pair[0].logprobs]
    types = {question.target.answer_form.type_name for _, question in listed}
    if all(TYPES[type_name].axis is None for type_name in types):
        return RuleChoice("mode", tuple(answers), {}, is_indifferent=True)
    names = [group_name(question, same_groups=same_groups) for _, question in listed]
    # The hash makes the selection independent of the order of rows and of their labels.
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
    """Return the name of a picture's group. A drawn picture is a group by itself.

    With `same_groups`, each picture is a group by itself.
    """
    return question.picture if same_groups else question.group or question.id


def _outcome(
    prediction: Prediction, question: Question, rule: Rule, within: float | None
) -> tuple[bool, float]:
    """Return True if the rule's answer is right, and its distance from the truth."""
    truth = question.target
    form = truth.answer_form
    tolerance = tolerance_of(truth) if within is None else within
    numbers = range_of(prediction, form)
    best = BestAnswer.of(
        prediction.logprobs or {}, form, prediction.dialect, rule, tolerance, numbers
    )
    error = best.error(truth) if truth.is_readable else 0.0
    return best.is_right(truth, tolerance), error
