"""Rules of answering: by greedy decoding, or from a belief in listed answers.

It needs nothing of the training stack: models behind a server answer by the same rules.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any, TypeAlias

from gnomon import dialect
from gnomon.answers.base.number_range import NumberRange
from gnomon.answers.base.target import AnswerForm
from gnomon.answers.number.answer import form_with_decimals, number_range_of, numbers_of
from gnomon.answers.registry import is_listed
from gnomon.answers.unreadable.answer import WORD
from gnomon.eval.calibration.calibration import Certifier
from gnomon.eval.scoring.belief import best_answer
from gnomon.recipe import Recipe
from gnomon.sample import Certainty, Edge, Sample

LOGPROB_DECIMALS = 5
"""Decimals of a stored log-probability: a clock has 720 of them."""

BeliefSetting: TypeAlias = "bool | Sequence[str]"
"""Setting of `eval.belief`: a list of answers, or True for those that a question itself lists."""


@dataclass(frozen=True)
class AnswerRule:
    """Choice of an answer: by greedy decoding, or from a belief in listed answers."""

    name: str = "greedy"
    belief: BeliefSetting = False
    """Answers whose log-probabilities are stored."""
    grid: Sequence[Decimal] = ()
    """Numbers that are listed."""
    certifier: Certifier | None = None
    """A calibration, whose rule then comes before `name` where it knows the list."""
    wide_grid: tuple[Decimal, Decimal, Decimal] | None = None
    """First, last and step of numbers that are searched, since they are too many for a list."""
    refusals: bool = False
    """True if that nothing can be read is listed beside the values."""
    views: int = 1
    """Views of a picture whose beliefs are averaged."""

    @classmethod
    def of(cls, recipe: Recipe, certifier: Certifier | None = None) -> AnswerRule:
        """Return the rule of a recipe's section eval."""
        section = recipe.eval
        # Of a recipe that trains refusal, so that photographs without labels may be refused too.
        sources = (*recipe.data, *(section.data or ()))
        refusals = any(source.columns and source.columns.unreadable for source in sources)
        if certifier is not None:
            refusals = certifier.calibration.refusals
        grid, wide = section.grid_values, section.wide_grid
        return cls(section.answer, section.belief, grid, certifier, wide, refusals, section.views)

    @property
    def is_greedy(self) -> bool:
        """True if greedy decoding gives the answer, where no calibration chooses another."""
        return self.name == "greedy"

    @property
    def candidates(self) -> BeliefSetting:
        """Answers whose log-probabilities are computed."""
        if self.certifier and not self.belief:
            return self.certifier.calibration.listing or True
        return self.belief or not self.is_greedy

    @property
    def reads_edges(self) -> bool:
        """True if the numbers of boxes have beliefs; a list of the user's is of other answers."""
        return self.belief is True or not self.is_greedy

    @property
    def settings(self) -> dict[str, Any]:
        """Fields other than the defaults: every answer is stored with them."""
        settings: dict[str, Any] = {}
        if self.belief:
            settings["belief"] = self.belief
        if not self.is_greedy:
            settings["answer"] = self.name
        if self.grid:
            step = self.grid[1] - self.grid[0]
            settings["grid"] = [str(value) for value in (self.grid[0], self.grid[-1], step)]
        if self.wide_grid:
            settings["grid"] = [str(value) for value in self.wide_grid]
        if self.refusals and self.candidates:
            settings["refusals"] = True
        if self.views > 1 and self.candidates:
            settings["views"] = self.views
        if self.certifier:
            settings["calibration"] = self.certifier.settings
        return settings

    def number_range(self, sample: Sample) -> NumberRange | None:
        """Return the numbers that are searched for a sample's belief; None if they are listed."""
        if self.candidates is not True or self.grid or sample.rationale:
            return None
        return number_range_of(form_with_decimals(sample.target), self.wide_grid)

    def answers(self, sample: Sample, dialect_name: str) -> tuple[str, ...] | None:
        """List the answers that a sample's belief is about; None if they cannot be listed."""
        if self.number_range(sample) is not None:
            return None
        answers = listed_in(dialect_name, sample, self.candidates, self.grid)
        if answers and self.refusals and WORD not in answers:
            return (*answers, WORD)
        return answers

    def choose(self, logprobs: dict[str, float], sample: Sample, dialect_name: str) -> Choice:
        """Choose by a belief; the text is empty where greedy decoding has to give it."""
        form = sample.target.answer_form
        if self.certifier:
            certified = self.certifier.certify(logprobs, form, dialect_name, sample.question)
            if certified is not None:
                text, certainty = certified
                return Choice(text, logprobs, certainty)
        if self.is_greedy:
            return Choice("", logprobs)
        return Choice(best_answer(logprobs, form, dialect_name, self.name), logprobs)

    @property
    def stores_beliefs(self) -> bool:
        """True if beliefs go with the answers: by them other terms apply without asking again."""
        return bool(self.belief or self.certifier)


GREEDY = AnswerRule()


@dataclass(frozen=True)
class Choice:
    """Answer from a list, or a generated one; without a text it is still to be generated."""

    text: str = ""
    logprobs: dict[str, float] | None = None
    certainty: Certainty | None = None
    edges: tuple[tuple[Edge, ...], ...] | None = None


def full_settings(
    settings: dict[str, Any], max_new_tokens: int, rule: AnswerRule
) -> dict[str, Any]:
    """Settings of the model and of its answers, as JSON returns them from a file."""
    # A tuple would never equal the list in the file.
    values: dict[str, Any] = json.loads(
        json.dumps({**settings, "max_new_tokens": max_new_tokens, **rule.settings})
    )
    return values


def listed_in(
    dialect_name: str, sample: Sample, belief: BeliefSetting, grid: Sequence[Decimal] = ()
) -> tuple[str, ...] | None:
    """List the answers that a sample's belief is about; None if they cannot be listed.

    Where `belief` is True: every minute of a clock without seconds, whole numbers from 0 to 100,
    the steps of a scale that goes round, the choices of a text; for numbers a `grid` instead.
    A sample with a working has no belief, since its answer depends on it.
    """
    if not belief or sample.rationale:
        return None
    if not isinstance(belief, bool):
        return tuple(belief)
    if grid and (numbers := numbers_of(sample.target.answer_form, grid)):
        return tuple(number.write() for number in numbers)
    if not is_listed(sample.target):
        return None
    return _possible_answers(dialect_name, sample.target.answer_form)


@cache
def _possible_answers(dialect_name: str, form: AnswerForm) -> tuple[str, ...]:
    """Write every possible answer to a question of that form in a dialect."""
    return tuple(map(dialect.create(dialect_name).write, form.possible_answers()))
