"""Format estimates, differences, values and truths as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.answers.base.answer_type import NONE as NONE
from gnomon.answers.base.answer_type import Value, decimal_places, format_decimals, to_unit
from gnomon.answers.base.answer_type import figure as figure
from gnomon.answers.registry import TYPES
from gnomon.sample import Certainty, Target

if TYPE_CHECKING:
    from gnomon.eval.scoring.runs import ScoredAnswer
    from gnomon.eval.stats.intervals import Estimate


def steps_text(answer: ScoredAnswer) -> str:
    """Say which step before an answer went wrong first, and what the true step is."""
    first = next((step for step in answer.steps if not step.right), None)
    if first is None:
        return "All steps are right." if answer.correct else "All steps are right, not the value."
    wrong = f"{first.text}, not {first.truth}" if first.text else f"{first.truth} is missing"
    n_right = sum(step.right for step in answer.steps)
    return f"{n_right} of {len(answer.steps)} steps are right. Wrong first: {wrong}."


def interval_text(estimate: Estimate, unit: str) -> str:
    """Format the interval in brackets, to the precision of its value. Empty without an interval."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return ""
    precision = decimal_places(to_unit(estimate.value, unit), unit)
    ends = [format_decimals(to_unit(end, unit), precision) for end in (estimate.low, estimate.high)]
    return f"[{ends[0]}, {ends[1]}]"


def difference_text(estimate: Estimate, unit: str) -> str:
    """Format a difference with its sign, unit and interval: "+75.2 points [+71.1, +79.0]"."""
    if estimate.value is None:
        return NONE
    precision = decimal_places(to_unit(estimate.value, unit), unit)
    # The value sets the digits of its interval: +75.2 [+71.1, +79.0].
    value, *ends = (
        format_decimals(to_unit(x, unit), precision, sign="+")
        for x in (estimate.value, estimate.low, estimate.high)
        if x is not None
    )
    between = f" [{', '.join(ends)}]" if ends else ""
    return f"{value} {_points(unit)}".rstrip() + between


def difference_value_text(value: float | None, unit: str, *, sign: str = "") -> str:
    """Format a difference with its unit and without an interval. The unit of shares is points."""
    if value is None:
        return NONE
    in_unit = to_unit(value, unit)
    text = format_decimals(in_unit, decimal_places(in_unit, unit), sign=sign)
    return f"{text} {_points(unit)}".rstrip()


def p_text(p: float) -> str:
    """Format a p-value with its relation, as in "= 0.031"."""
    # More digits would claim more than resampling with 9,999 flips shows.
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def lower_first(label: str) -> str:
    """Lower the first letter of a label inside a sentence, except for IoU, MAE, F1 and R²."""
    # In abbreviations, a capital, a digit or the end of the word follows the first letter.
    word = label.partition(" ")[0]
    return label[0].lower() + label[1:] if word[1:].islower() else label


def value_text(value: Value | None, type_name: str) -> str:
    """Format the value of an answer. None becomes "not read"."""
    return "not read" if value is None else TYPES[type_name].display(value)


def truth_text(truth: Target) -> str:
    """Format the true answer as `value_text` formats an answer's value."""
    return value_text(TYPES[truth.type_name].value_of(truth), truth.type_name)


def state_text(item: ScoredAnswer) -> str:
    """Return "right", "wrong" or "not read"."""
    if item.value is None:
        return "not read"
    return "right" if item.correct else "wrong"


def error_text(item: ScoredAnswer) -> str:
    """Format the error of an answer in the measure of its type, for example in minutes."""
    if item.value is None:
        return "said to be unreadable" if item.is_refusal else state_text(item)
    return TYPES[item.type_name].describe_result(item.measures)


def certainty_text(certainty: Certainty) -> str:
    """Format an interval and its confidence: "10:06 to 10:11; right in 93 % of such cases"."""
    low, high = certainty.interval
    share = f"right in {100 * certainty.confidence:.0f} % of such cases"
    # For texts, the first string lists all words in the set.
    between = low if high in ("", low) else f"{low} to {high}"
    return f"{between}; {share}" if between else share


def align(lines: list[list[str]]) -> list[str]:
    """Pad and join the cells of each line, to align the columns with two blanks between them."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]


def _points(unit: str) -> str:
    return "points" if unit == "%" else unit
