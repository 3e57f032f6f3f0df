"""A run's intervals, confidence and refusals, learnt on labelled pictures that it did not see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from gnomon.commands.exam import Exam
from gnomon.commands.predict import answer_exam, recipe_and_exam, resolve_model, trained_run
from gnomon.eval.calibration import calibration as calibrations
from gnomon.eval.calibration import conformal
from gnomon.eval.calibration.calibration import Calibration, Part, Terms
from gnomon.eval.scoring import predictions, questions
from gnomon.progress import warn
from gnomon.recipe import Recipe, RecipeError
from gnomon.terminal import show

_FEWEST = 20
"""Pictures below which an interval of 90 % is the largest error or the one next to it."""
_SHARES = (1.0, 0.9, 0.8, 0.7, 0.5, 0.3)


def calibrate(
    model: str,
    data: str | None = None,
    *overrides: str,
    within: float | None = None,
    same_groups: bool = False,
) -> None:
    """Learn how far off a run's answers are, so that `predict` gives intervals and refuses.

    Example: gnomon calibrate runs/dials new-dials.csv --within 0.2

    model RUN: a trained run
    data DATA: labelled pictures that the training did not see: your own table or folder, a recipe,
        a kind, a dataset; default: the run's split val
    overrides key=value: such as eval.grid=[0,9.9,0.1], the numbers that an answer may be, or
        eval.answer=median; default: the mean
    within DISTANCE: an answer this far from the truth is right (minutes, of a time); default: what
        the labels say
    same_groups: the next pictures come from the groups (cameras, meters) of these; without it they
        come from new ones, and intervals are as wide as that needs
    """
    words = list(overrides)
    if data is not None and "=" in data:  # no DATA, and an override in its place
        words, data = [data, *words], None
    run = trained_run(model)
    if run is None:
        raise RecipeError(f"{model}: calibrate a run that was trained, such as runs/demo")
    if within is not None and not 0 <= within < float("inf"):
        raise RecipeError(f"--within {within:g}: give a distance, 0 or more")
    if not any(word.startswith("eval.belief=") for word in words):
        words.append("eval.belief=true")
    recipe, exam = recipe_and_exam(resolve_model(model, data, words), data, words, run=run)
    if recipe.eval.answer == "greedy":
        recipe = replace(recipe, eval=replace(recipe.eval, answer="mean"))
    if data is None:
        exam = Exam.of(replace(recipe, eval=replace(recipe.eval, split="val", data=None)))
    out = run / "predictions" / "calibration.jsonl"
    answer_exam(recipe, exam, out, run=run)
    calibration = learn(recipe, exam, out, within=within, same_groups=same_groups)
    file = calibration.write(run)
    for part in calibration.parts:
        show("\n".join(summary(part)))
    show(f"{file}: `gnomon predict {model} PICTURES` now writes low, high and confidence")


def learn(
    recipe: Recipe, exam: Exam, answers: Path, *, within: float | None, same_groups: bool
) -> Calibration:
    """Calibrate by a file of answers with beliefs; refuse one that shows nothing."""
    by_id = {question.id: question for question in questions.load(answers, exam, exam.samples)}
    stored = predictions.PredictionFile(answers)
    parts = calibrations.calibrate(
        ((answer, by_id[answer.sample_id]) for answer in stored),
        recipe.eval.answer,
        within=within,
        same_groups=same_groups,
    )
    if not parts:
        raise RecipeError(
            f"{answers}: the possible answers of no question can be listed: for numbers give"
            " eval.grid=[0,9.9,0.1], first, last and step"
        )
    n = sum(len(part.scores) for part in parts)
    if n < _FEWEST:
        raise RecipeError(f"{n} labelled pictures are too few: give at least {_FEWEST}, as DATA")
    if passed := len(stored) - n:
        warn(
            f"{passed} of {len(stored)} questions were passed over: their answers cannot be listed"
        )
    settings = next(iter(stored)).settings
    belief = recipe.eval.belief
    listing = None if isinstance(belief, bool) else tuple(belief)
    rule = recipe.eval.answer
    assert rule != "greedy"  # the verb has set another
    return Calibration(settings.get("weights"), rule, recipe.eval.grid, listing, parts)


def summary(part: Part) -> list[str]:
    """Say what was learnt: the intervals, and how often the surest answers are wrong."""
    n, groups = len(part.scores), len(set(part.groups))
    whose = "" if groups == n else f" of {groups} groups"
    lines = [f"{n} pictures{whose}; an answer within {part.within:g} of the truth is right"]
    least = conformal.fewest_groups(Terms().coverage)
    if groups < least:
        lines.append(
            f"  intervals of 90 % for a new group need {least} groups at least: give more, or"
            " --same-groups if the next pictures are of these"
        )
    outside = sum(score is None for score in part.scores)
    if outside:
        lines.append(f"  {outside} truths are not among the listed answers: no interval holds them")
    lines.append("  answered     wrong   at most, for the next ones")
    lines += [
        f"  {share:7.0%}   {wrong:7.1%}   {bound:7.1%}"
        for share, wrong, bound in risks(part.trusts, part.right)
    ]
    return lines


def risks(trusts: Sequence[float], right: Sequence[bool]) -> list[tuple[float, float, float]]:
    """Return the share wrong among the surest answers, and its upper bound of 90 %, by share."""
    order = np.argsort(trusts, kind="stable")[::-1]
    errors = np.cumsum(~np.asarray(right, bool)[order])
    rows = []
    for share in _SHARES:
        n = max(1, int(len(order) * share))
        wrong = int(errors[n - 1])
        rows.append((share, wrong / n, conformal.upper_bound(wrong, n, 1 - conformal.RISK_LEVEL)))
    return rows
