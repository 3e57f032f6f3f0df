"""A calibration in words: what was learnt, how wide intervals are, how often answers are wrong."""

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
"""Share of the answers, the surest, that should be wrong less often than all are."""
_WHOLE = 1000
"""Width from which no decimals are printed."""
_MOST_OF_SCALE = 0.5
"""Share of a scale above which an interval tells a reader little."""


def summaries(
    calibration: Calibration,
    answers: Sequence[tuple[Prediction, Question]],
    *,
    same_groups: bool = False,
) -> list[str]:
    """Say what was learnt of each part: a text of several lines."""
    widths = _mean_widths(calibration, answers, most_coverage(calibration))
    return [
        "\n".join(summary(part, same_groups=same_groups, width=widths.get(part.listing, "")))
        for part in calibration.parts
    ]


def most_coverage(calibration: Calibration) -> float:
    """Return the usual coverage, or the most that the groups of every part can show."""
    return min(map(_most_coverage, calibration.parts))


def summary(part: CalibrationPart, *, same_groups: bool = False, width: str = "") -> list[str]:
    """Say what was learnt: the intervals, and how often the surest answers are wrong.

    `width` says how wide the intervals are.
    """
    n, groups = len(part.scores), len(set(part.groups))
    whose = "" if groups == n else f" of {groups} groups"
    right = f"; an answer within {part.within:g} of the truth is right" if part.within else ""
    lines = [f"{n} answers{whose}{right}"]
    least = conformal.fewest_groups(Terms().coverage)
    next_ones = "the next ones" if groups == n else "new groups, on average"
    groups = len(set(part.scored[1]))  # those that intervals are about
    if groups < least:
        coverage = option("coverage", conformal.most_coverage(groups))
        line = f"  intervals of 90 % need {least} groups, and here are {groups}: calibrate on more,"
        line += f" or ask for less ({coverage})"
        if not same_groups:
            flag = option("same_groups", True)
            line += f", or calibrate with {flag} if the next pictures are of these"
        lines.append(line)
    if width:
        lines.append(f"  {width}")
    if unreadable := sum(part.unreadable):
        lines.append(
            f"  {unreadable} are of pictures that nobody can read: intervals leave them out"
        )
    if outside := part.outside:
        lines.append(f"  {outside} truths outside the listed answers: no interval holds them")
    if part.step:
        lines.append(
            f"  labels in steps of {part.step} lie between the listed answers: eval.grid with that"
            " step would list them"
        )
    lines.append(f"  answered     wrong   at most, with 90 % probability, of {next_ones}")
    rows = risks(part)
    lines += [f"  {share:7.0%}   {wrong:7.1%}   {bound:7.1%}" for share, wrong, bound in rows]
    shares_wrong = {share: wrong for share, wrong, _ in rows}
    if shares_wrong[_SURER] >= shares_wrong[1.0] > 0:
        lines.append("  the surest half is wrong as often as all are: refusing does not help")
    return lines


def risks(part: CalibrationPart) -> list[tuple[float, float, float]]:
    """Return the share wrong among the surest answers, and its upper bound of 90 %, by share.

    Of groups it is the mean of their shares, and the bound is of groups to come.
    """
    order = np.argsort(part.trusts, kind="stable")[::-1]
    rows = []
    for share in _SHARES:
        surest = order[: max(1, int(len(order) * share))]
        right = [part.right[index] for index in surest]
        rows.append((share, *conformal.risk(right, [part.groups[index] for index in surest])))
    return rows


def _most_coverage(part: CalibrationPart) -> float:
    """Return the usual coverage, or the most that so few groups can show."""
    groups = len(set(part.scored[1]))
    least = conformal.fewest_groups(Terms.coverage)
    return Terms.coverage if groups >= least else conformal.most_coverage(groups)


def _mean_widths(
    calibration: Calibration, answers: Sequence[tuple[Prediction, Question]], coverage: float
) -> dict[str, str]:
    """Say of each part how wide intervals of its answers are on average.

    A user should see before the first reading that they are as wide as the scale.
    """
    if not coverage:
        return {}
    certifier = Certifier(calibration, Terms(coverage))
    widths: dict[str, list[float]] = {}
    forms: dict[str, AnswerForm] = {}
    for answer, question in answers:
        truth = question.target
        form = truth.answer_form
        # An unreadable picture has no true value.
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
    """Say how wide intervals are, as in "are 2.1 wide on average, of a scale of 10"."""
    answer_type, width = TYPES[form.type_name], float(np.mean(widths))
    if answer_type.axis is None:
        return f"have {width:.1f} words on average"
    unit, period = " min" if answer_type.axis.period else "", form.period
    size = f"{width:,.0f}" if width >= _WHOLE else f"{width:.3g}"
    text = f"are {size}{unit} wide on average"
    if not period:
        return text
    text += f", of a scale of {period:g}{unit}"
    if width > _MOST_OF_SCALE * period:
        text += ": they say little, for some answers are far off"
    return text
