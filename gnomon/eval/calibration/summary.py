"""Describe a calibration: its data, the width of intervals, and how often answers are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gnomon.answers.base.target import AnswerForm
from gnomon.answers.registry import TYPES
from gnomon.eval.calibration import conformal
from gnomon.eval.calibration.calibration import (
    Calibration,
    CalibrationPart,
    Certifier,
    Terms,
    listing_key,
)
from gnomon.eval.scoring import certainty
from gnomon.eval.scoring.question_file import Question
from gnomon.options import option
from gnomon.sample import Prediction

_SHARES = (1.0, 0.9, 0.8, 0.7, 0.5, 0.3)
_SURER = 0.5
"""Share of the most confident answers that should be wrong less often than all answers."""
_WHOLE = 1000
"""Widths from this on are printed without decimals."""
_MOST_OF_SCALE = 0.5
"""Share of a scale. Wider intervals tell a reader little."""


def summaries(
    calibration: Calibration,
    answers: Sequence[tuple[Prediction, Question]],
    *,
    same_groups: bool = False,
) -> list[str]:
    """Describe each part of a calibration in a text of several lines."""
    widths = _mean_widths(calibration, answers, most_coverage(calibration))
    return [
        "\n".join(summary(part, same_groups=same_groups, width=widths.get(part.listing, "")))
        for part in calibration.parts
    ]


def most_coverage(calibration: Calibration) -> float:
    """Return the largest coverage that the groups of every part allow, at most the default."""
    return min(map(_most_coverage, calibration.parts))


def summary(part: CalibrationPart, *, same_groups: bool = False, width: str = "") -> list[str]:
    """Describe a part in lines: its data, its intervals, and a table of risk by share answered.

    `width` is a line on the width of the intervals.
    """
    n, groups = len(part.scores), len(set(part.groups))
    whose = "" if groups == n else f" of {groups} groups"
    right = f"; an answer within {part.within:g} of the truth is right" if part.within else ""
    lines = [f"{n} answers{whose}{right}"]
    least = conformal.fewest_groups(Terms().coverage)
    next_ones = "new pictures" if groups == n else "new groups, on average"
    groups = len(set(part.scored[1]))  # groups with readable pictures
    if groups < least:
        coverage = option("coverage", conformal.most_coverage(groups))
        line = f"  intervals of 90 % need {least} groups, but there are {groups}: calibrate on"
        line += f" more, or ask for less ({coverage})"
        if not same_groups:
            flag = option("same_groups", True)
            line += f", or calibrate with {flag} if the next pictures are of these groups"
        lines.append(line)
    if width:
        lines.append(f"  {width}")
    if unreadable := sum(part.unreadable):
        lines.append(
            f"  {unreadable} answers are about unreadable pictures: intervals leave them out"
        )
    if outside := part.outside:
        lines.append(f"  {outside} truths are outside the listed answers: intervals miss them")
    if part.step:
        lines.append(
            f"  labels in steps of {part.step} lie between the listed answers: set this step in"
            " eval.grid to list them"
        )
    lines.append(f"  answered     wrong   at most, with 90 % probability, for {next_ones}")
    rows = risks(part)
    lines += [f"  {share:7.0%}   {wrong:7.1%}   {bound:7.1%}" for share, wrong, bound in rows]
    shares_wrong = {share: wrong for share, wrong, _ in rows}
    if shares_wrong[_SURER] >= shares_wrong[1.0] > 0:
        lines.append(
            "  the most confident half is wrong as often as all answers: refusing does not help"
        )
    return lines


def risks(part: CalibrationPart) -> list[tuple[float, float, float]]:
    """Return rows of a share answered, its share of wrong answers, and an upper bound.

    The most confident answers are answered first. The bound holds with a probability of 90 %. With
    groups, the share is averaged over groups, and the bound is for new groups.
    """
    order = np.argsort(part.trusts, kind="stable")[::-1]
    rows = []
    for share in _SHARES:
        surest = order[: max(1, int(len(order) * share))]
        right = [part.right[index] for index in surest]
        rows.append((share, *conformal.risk(right, [part.groups[index] for index in surest])))
    return rows


def _most_coverage(part: CalibrationPart) -> float:
    """Return the default coverage, or the largest that the groups of this part allow."""
    groups = len(set(part.scored[1]))
    least = conformal.fewest_groups(Terms.coverage)
    return Terms.coverage if groups >= least else conformal.most_coverage(groups)


def _mean_widths(
    calibration: Calibration, answers: Sequence[tuple[Prediction, Question]], coverage: float
) -> dict[str, str]:
    """Return a text on the mean width of intervals for each part, by its `listing`.

    The user then sees, before any new answer, if intervals are as wide as the scale.
    """
    if not coverage:
        return {}
    certifier = Certifier(calibration, Terms(coverage))
    widths: dict[str, list[float]] = {}
    forms: dict[str, AnswerForm] = {}
    for answer, question in answers:
        truth = question.target
        form = truth.answer_form
        # An unreadable picture lacks a true value.
        if not answer.logprobs or not truth.is_readable:
            continue
        certified = certifier.certify(answer.logprobs, form, answer.dialect, question.question)
        if certified is None:
            continue
        _, interval = certified
        measures = certainty.measures(replace(answer, certainty=interval), truth, form.type_name)
        numbers = calibration.number_range(form)
        listing = listing_key(tuple(answer.logprobs), numbers)
        widths.setdefault(listing, []).append(measures["interval_width"])
        forms[listing] = form
    return {
        listing: f"intervals of {100 * coverage:g} % {_width_text(form, widths[listing])}"
        for listing, form in forms.items()
    }


def _width_text(form: AnswerForm, widths: Sequence[float]) -> str:
    """Describe the mean width, for example "are 2.1 wide on average, on a scale of 10"."""
    answer_type, width = TYPES[form.type_name], float(np.mean(widths))
    if answer_type.axis is None:
        return f"have {width:.1f} words on average"
    unit, period = " min" if answer_type.axis.period else "", form.period
    size = f"{width:,.0f}" if width >= _WHOLE else f"{width:.3g}"
    text = f"are {size}{unit} wide on average"
    if not period:
        return text
    text += f", on a scale of {period:g}{unit}"
    if width > _MOST_OF_SCALE * period:
        text += ": they tell little, because some answers are far off"
    return text
