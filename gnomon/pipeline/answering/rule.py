"""Rules of answering: greedy decoding, or a choice from a belief in listed answers.

This module does not need the training stack, so models behind a server use the same rules.
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
"""Decimals of a stored log-probability. Rounding matters: a question about a clock stores 720."""

BeliefSetting: TypeAlias = "bool | Sequence[str]"
"""Setting of `eval.belief`: a list of answers, or True for the answers that a question itself
lists."""


@dataclass(frozen=True)
class AnswerRule:
    """Choice of an answer: by greedy decoding, or from a belief in listed answers."""

    name: str = "greedy"
    belief: BeliefSetting = False
    """Answers whose log-probabilities are stored."""
    grid: Sequence[Decimal] = ()
    """Numbers that are listed as possible answers, for a belief over each of them."""
    certifier: Certifier | None = None
    """Calibration, whose rule overrides `name` if it knows the list."""
    wide_grid: tuple[Decimal, Decimal, Decimal] | None = None
    """First, last and step of a range that is searched because it is too long to list."""
    refusals: bool = False
    """True if "unreadable" is listed beside the values."""
    views: int = 1
    """Number of views of a picture whose beliefs are averaged."""
    steps: bool = False
    """True if the model may write steps before its value. A belief is then about the value after
    these steps."""

    @classmethod
    def of(cls, recipe: Recipe, certifier: Certifier | None = None) -> AnswerRule:
        """Return the rule of a recipe's section eval."""
        section = recipe.eval
        # True for a recipe that trains refusal, so photographs without labels may also be
        # refused.
        sources = (*recipe.data, *(section.data or ()))
        refusals = any(source.columns and source.columns.unreadable for source in sources)
        if certifier is not None:
            refusals = certifier.calibration.refusals
        grid, wide = section.grid_values, section.wide_grid
        return cls(
            section.answer, section.belief, grid, certifier, wide, refusals, section.views,
            recipe.has_steps,
        )  # fmt: skip

    @property
    def is_greedy(self) -> bool:
        """Return True if greedy decoding gives the answer, unless a calibration chooses another."""
        return self.name == "greedy"

    @property
    def candidates(self) -> BeliefSetting:
        """Answers whose log-probabilities are computed."""
        if self.certifier and not self.belief:
            return self.certifier.calibration.listing or True
        return self.belief or not self.is_greedy

    @property
    def reads_edges(self) -> bool:
        """Return True if the numbers of boxes have beliefs. A list of the user is about other
        answers."""
        return self.belief is True or not self.is_greedy

    @property
    def settings(self) -> dict[str, Any]:
        """Fields that differ from the defaults. Every answer is stored with them."""
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
        """Return the numbers that are searched for a sample's belief. None if they are listed."""
        if self.candidates is not True or self.grid:
            return None
        return number_range_of(form_with_decimals(sample.target), self.wide_grid)

    def answers(self, sample: Sample, dialect_name: str) -> tuple[str, ...] | None:
        """List the answers that a sample's belief is about. None if they cannot be listed."""
        if self.number_range(sample) is not None:
            return None
        answers = listed_in(dialect_name, sample, self.candidates, self.grid)
        if answers and self.refusals and WORD not in answers:
            return (*answers, WORD)
        return answers

    def choose(self, logprobs: dict[str, float], sample: Sample, dialect_name: str) -> Choice:
        """Choose an answer by a belief. The text is empty if greedy decoding has to give it."""
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
        """Return True if beliefs are stored with the answers.

        Other limits can then be applied without asking the model again.
        """
        return bool(self.belief or self.certifier)


GREEDY = AnswerRule()


@dataclass(frozen=True)
class Choice:
    """Answer from a list, or a generated answer. Without a text it still has to be generated."""

    text: str = ""
    logprobs: dict[str, float] | None = None
    certainty: Certainty | None = None
    edges: tuple[tuple[Edge, ...], ...] | None = None


def full_settings(
    settings: dict[str, Any], max_new_tokens: int, rule: AnswerRule
) -> dict[str, Any]:
    """Return the settings of the model and of its answers, as JSON returns them from a file."""
    # A tuple would never equal the list in the file.
    values: dict[str, Any] = json.loads(
        json.dumps({**settings, "max_new_tokens": max_new_tokens, **rule.settings})
    )
    return values


def listed_in(
    dialect_name: str, sample: Sample, belief: BeliefSetting, grid: Sequence[Decimal] = ()
) -> tuple[str, ...] | None:
    """List the answers that a sample's belief is about. None if they cannot be listed.

    If `belief` is True these are every minute of a clock without seconds, whole numbers from 0 to
    100, the steps of a cyclic scale, or the choices of a text. A `grid` replaces the numbers.
    """
    if not belief:
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
    """Write every possible answer to a question of this form in a dialect."""
    return tuple(map(dialect.create(dialect_name).write, form.possible_answers()))
