"""Scores of the steps before an answer: each step against the truth, and against the value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gnomon.answers.base.answer_type import AnswerType, Metric
from gnomon.answers.base.target import Target
from gnomon.answers.reading.steps import Observation, add_working, steps_of, value_start

CUT, CONTRADICTS, ANSWER = "steps_cut", "steps_contradict", "answer"
_VALUES = ("hour", "minute", ANSWER)
"""What follows the steps, in this order. Only a time has an hour and a minute."""
_RIGHT, _FIRST = "step.", "wrong_first."
_MEASURES = (
    Metric(CUT, "Stopped in the middle of its steps", better="lower"),
    Metric(CONTRADICTS, "Value contradicts its steps", better="lower"),
)


class ScoredStep(NamedTuple):
    """A step of an answer beside the true step. A text is empty if the step is missing."""

    name: str
    text: str
    truth: str
    right: bool


def score_steps(text: str, steps: str) -> tuple[ScoredStep, ...]:
    """Compare the steps of an answer with the true steps. Empty if the answer has none."""
    stated = steps_of(text)
    if not stated or not steps:
        return ()
    places, scored = Counter[str](), list[ScoredStep]()
    for truth in steps_of(add_working(steps, "")):
        matches = [step for step in stated if step.name == truth.name]
        index = places[truth.name]
        places[truth.name] += 1
        step = matches[index] if index < len(matches) else None
        right = step is not None and step.is_right(truth)
        scored.append(ScoredStep(truth.name, step.text if step else "", truth.text, right))
    return tuple(scored)


def measures(
    text: str, steps: Sequence[ScoredStep], answer_type: AnswerType, truth: Target, value: object
) -> dict[str, float]:
    """Measure the steps of an answer. Empty for an answer without steps."""
    stated = steps_of(text)
    if not stated:
        return {}
    row = {CUT: float(value_start(text) == len(text))}
    contradicts = _contradicts(stated, answer_type, truth, value)
    if contradicts is not None:
        row[CONTRADICTS] = float(contradicts)
    for step in steps:
        # Steps of the same name, such as several bars, are right if all of them are.
        key = _RIGHT + step.name
        row[key] = min(row.get(key, 1.0), float(step.right))
    first = wrong_first(steps)
    for step in steps:
        row[_FIRST + step.name] = float(first is not None and step.name == first.name)
    return row


def value_measures(row: Mapping[str, float], *, correct: bool) -> dict[str, float]:
    """Measure the value after steps, and the hour and the minute of a time.

    The first of them that is wrong is the first wrong step if all steps before it are right.
    """
    if not any(key.startswith(_RIGHT) for key in row):
        return {}
    is_first = not any(value for key, value in row.items() if key.startswith(_FIRST))
    parts = {**row, ANSWER: float(correct)}
    more: dict[str, float] = {}
    for name in _VALUES:
        if (right := parts.get(name)) is not None:
            more |= {_RIGHT + name: right, _FIRST + name: float(is_first and right < 1)}
            is_first = is_first and right == 1
    return more


def wrong_first(steps: Sequence[ScoredStep]) -> ScoredStep | None:
    """Return the first wrong step of an answer."""
    return next((step for step in steps if not step.right), None)


def metrics(rows: Iterable[Mapping[str, float]]) -> tuple[Metric, ...]:
    """Return the metrics of the steps that some answers have, in the order of the steps."""
    keys: dict[str, None] = {}
    for row in rows:
        keys |= dict.fromkeys(key for key in row if key.startswith((_RIGHT, CUT, CONTRADICTS)))
    # The value comes after all steps, also after those of other answers.
    names = sorted(
        (key.removeprefix(_RIGHT) for key in keys if key.startswith(_RIGHT)),
        key=lambda name: _VALUES.index(name) if name in _VALUES else -1,
    )
    right = [Metric(_RIGHT + n, f"Step right: {n.replace('_', ' ')}") for n in names]
    first = [Metric(_FIRST + n, f"Wrong first: {n.replace('_', ' ')}", better="") for n in names]
    return (*(metric for metric in _MEASURES if metric.name in keys), *right, *first)


def table_rows(names: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return the name of each step with the names of its two metrics."""
    steps = [name.removeprefix(_RIGHT) for name in names if name.startswith(_RIGHT)]
    return [(step.replace("_", " "), _RIGHT + step, _FIRST + step) for step in steps]


def _contradicts(
    steps: Sequence[Observation], answer_type: AnswerType, truth: Target, value: object
) -> bool | None:
    """Return True if a value differs from what its steps say. None if they do not give a value."""
    numbers_by_name: dict[str, tuple[float, ...]] = {step.name: step.numbers for step in steps}
    if {"place", "no_place"} & {*numbers_by_name}:
        numbers_by_name["count"] = (float(sum(step.name == "place" for step in steps)),)
    period = truth.answer_form.period
    implied = _implied(numbers_by_name, period)
    if implied is None:
        return None
    position, tolerance = implied
    # The answer may be about the value, which is then a step itself.
    if "time" in numbers_by_name:
        hours, minutes, *_ = numbers_by_name["time"]
        stated = 60 * hours + minutes
        period = 1440.0 if "short_hand_of_24" in numbers_by_name else 720.0
    elif "reading" in numbers_by_name:
        stated, period = numbers_by_name["reading"][0], 0.0
    elif value is None or answer_type.axis is None:
        return None
    else:
        stated = answer_type.position(value)
    apart = abs(stated - position)
    if period:
        apart = min(apart % period, -apart % period)
    return not apart <= tolerance * (1 + 1e-6) + 1e-9


def _implied(numbers: Mapping[str, tuple[float, ...]], period: float) -> tuple[float, float] | None:
    """Return the value that steps lead to, and how far a value may be from it. None if unclear.

    A time is in minutes.
    """
    of = next((of for of in ("", "_of_24") if f"short_hand{of}" in numbers), None)
    if of is not None:
        turn = 24 if of else 12
        short = numbers[f"short_hand{of}"][0]
        if f"long_hand{of}" not in numbers:
            return 60 * short, 5.0 * turn / 12
        minutes = numbers[f"long_hand{of}"][0] * 60 / turn
        # Steps may contradict each other: an hour and a half an hour later.
        return 60 * round(short - minutes / 60) + minutes, 1.0
    if "labels" in numbers and "tick" in numbers:
        (low, high), (place, count) = numbers["labels"], numbers["tick"]
        high += period if period and high <= low else 0
        gap = (high - low) / count if count else math.nan
        return low + place * gap, abs(gap)
    figures = next((numbers[name] for name in ("digits", "wheels", "dials") if name in numbers), ())
    if figures and not period:
        step = 10.0 ** -numbers.get("decimals", (0.0,))[0]
        digits = [math.floor(figure) % 10 for figure in figures]
        return int("".join(map(str, digits))) * step, step
    share = next((numbers[name][0] for name in ("top", "end", "length") if name in numbers), None)
    if share is not None and "axis" in numbers:
        low, high = numbers["axis"]
        return (0 if "length" in numbers else low) + share * (high - low), 0.01 * (high - low)
    exact = next((numbers[name][0] for name in ("written", "count") if name in numbers), None)
    return None if exact is None else (exact, 0.0)
