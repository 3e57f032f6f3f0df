"""Summarize a belief: the best answer, its expected error, and the probability that it is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor, inf
from typing import TYPE_CHECKING

import numpy as np

from gnomon.answers.base.number_range import NumberRange
from gnomon.answers.base.target import AnswerForm
from gnomon.answers.number.answer import numbers_of, wrap_around
from gnomon.eval.scoring.belief import SAME, Belief, belief_of, best_index, distance
from gnomon.sample import Target

if TYPE_CHECKING:  # it imports scipy, which predicting and listing do without
    from gnomon.eval.stats.intervals import Floats


@dataclass(frozen=True)
class BestAnswer:
    """The best of the listed answers under a belief, with its expected error."""

    belief: Belief
    index: int
    """Index of the best answer among the listed answers with a value."""
    scale: float
    """Expected distance from the best answer plus half a step of the list, or 1 for words."""
    searched_range: NumberRange | None
    """Range of a belief that lists only the most likely numbers. None if the list is full."""
    trust: float
    """Probability that the answer is right within the tolerance, before calibration.

    If the answer is "unreadable", it is the probability of "unreadable"."""

    @property
    def refuses(self) -> bool:
        """True if the answer is "unreadable". `index` and `scale` still describe the best value."""
        return self.belief.refuses

    @classmethod
    def of(
        cls, logprobs: Mapping[str, float], form: AnswerForm, dialect: str, rule: str,
        tolerance: float, searched_range: NumberRange | None = None,
    ) -> BestAnswer:  # fmt: skip
        """Choose the best answer by `rule`. `tolerance` is the largest error of a right answer."""
        belief = belief_of(logprobs, form, dialect, form.type_name)
        index = best_index(belief, rule)
        scale, is_near = 1.0, np.arange(len(belief.p)) == index
        if belief.answer_type.axis is not None:
            away = belief.distances[index]
            # Even a certain model has a rounding error.
            half = half_step(belief) if searched_range is None else float(searched_range.step) / 2
            scale = float(belief.p @ away) + half
            is_near = away <= tolerance + SAME
        trust = float(belief.p[is_near].sum()) * (1 - belief.unreadable)
        trust = belief.unreadable if belief.refuses else trust
        return cls(belief, index, scale, searched_range, trust)

    def nonconformity(self, truth: Target) -> float:
        """Return the nonconformity score of a readable truth.

        It is the error divided by `scale`, or 1 − p for words. It is infinite if the truth is
        outside the listed answers by more than half a step.
        """
        belief = self.belief
        value = belief.answer_type.value_of(truth)
        if belief.answer_type.axis is None:
            return 1.0 - float(belief.p[belief.truths(value)].sum())
        if self.searched_range is not None:
            is_inside = self.searched_range.holds(belief.answer_type.position(value))
        else:
            is_inside = self._distances(truth).min() <= half_step(belief) + SAME
        return self.error(truth) / self.scale if is_inside else inf

    def error(self, truth: Target) -> float:
        """Return the distance of the answer from a readable truth, or 0 for words."""
        if self.belief.answer_type.axis is None:
            return 0.0
        return float(self._distances(truth)[self.index])

    def _distances(self, truth: Target) -> Floats:
        """Return the distance of each listed answer from the truth."""
        belief = self.belief
        place = belief.answer_type.position(belief.answer_type.value_of(truth))
        return distance(belief.positions - place, belief.period)

    def is_between(self, truth: Target) -> bool:
        """Return True if a readable truth is not listed, but is between listed answers."""
        belief = self.belief
        value = belief.answer_type.value_of(truth)
        is_listed = self.searched_range is not None or belief.answer_type.axis is None
        return not is_listed and not belief.truths(value).any() and self.nonconformity(truth) < inf

    def is_right(self, truth: Target, tolerance: float) -> bool:
        """Return True if the answer is at most `tolerance` from the truth.

        Words must equal the truth. "unreadable" is right only if the truth is unreadable.
        """
        belief = self.belief
        if self.refuses or not truth.is_readable:
            return self.refuses and not truth.is_readable
        value = belief.answer_type.value_of(truth)
        if belief.answer_type.axis is None:
            return bool(belief.truths(value)[self.index])
        return self.error(truth) <= tolerance + SAME

    def interval(
        self, answers: Sequence[str], limit: float, form: AnswerForm, step: Decimal = Decimal(0)
    ) -> tuple[str, str]:
        """Return the first and the last answer whose nonconformity is at most `limit`.

        On a circular scale, the interval may cross the end of the scale. If labels lie between the
        listed answers, `step` is their step, and the ends of the interval are such labels.
        """
        belief, radius = self.belief, limit * self.scale
        if self.searched_range is not None:
            return self.searched_range.around(float(belief.positions[self.index]), radius)
        if step:
            labels = self._labels_within(radius, form, step)
            if labels is not None:
                return labels
            radius += 2 * half_step(belief)  # types without numbers: use listed answers
        inside = belief.distances[self.index] <= radius + SAME
        offsets = belief.positions - belief.positions[self.index]
        if belief.period and not inside.all():
            offsets = (offsets + belief.period / 2) % belief.period - belief.period / 2
        first, last = (
            pick(np.where(inside, offsets, worst))
            for pick, worst in ((np.argmin, np.inf), (np.argmax, -np.inf))
        )
        return answers[int(first)], answers[int(last)]

    def _labels_within(
        self, radius: float, form: AnswerForm, step: Decimal
    ) -> tuple[str, str] | None:
        """Return the first and the last label no further away than `radius`.

        Returns None if the type of answer is not a number.
        """
        belief, width = self.belief, float(step)
        centre = float(belief.positions[self.index])
        low, high = centre - radius, centre + radius
        if not belief.period:  # labels do not lie further outside the list
            room = half_step(belief)
            low = max(low, float(belief.positions.min()) - room)
            high = min(high, float(belief.positions.max()) + room)
        elif 2 * radius >= belief.period:
            low, high = 0.0, belief.period - width
        ends = sorted((ceil(low / width - SAME), floor(high / width + SAME)))
        cycle = Decimal(str(belief.period))
        labels = numbers_of(form, [wrap_around(end * step, cycle) for end in ends])
        return None if labels is None else (labels[0].write(), labels[1].write())

    def choices(self, answers: Sequence[str], limit: float) -> list[str]:
        """Return the words whose nonconformity is at most `limit`, the most likely first."""
        p = self.belief.p
        order = np.argsort(-p, kind="stable")
        return [answers[index] for index in order if 1 - p[index] <= limit + SAME]


def half_step(belief: Belief) -> float:
    """Return half of the smallest distance between two listed answers, or 0 for one answer."""
    positions: Floats = np.unique(belief.positions)
    gaps = np.diff(positions)
    if belief.period and len(positions) > 1:
        gaps = np.append(gaps, positions[0] + belief.period - positions[-1])
    return float(gaps.min()) / 2 if len(gaps) else 0.0
