"""Scores of the steps before an answer: each step against the truth, and against the value."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from gnomon.answers.base.answer_type import Metric
from gnomon.answers.reading.steps import Observation, add_working, distance, steps_of, value_start
from gnomon.answers.registry import TYPES
from gnomon.eval.scoring.runs import ScoredAnswer, ScoredStep

CUT, CONTRADICTS = "steps_cut", "steps_contradict"
_VALUES = ("hour", "minute", "answer")
"""What follows the steps, in this order. Only a time has an hour and a minute."""
_RIGHT, _FIRST = "step.", "wrong_first."
STEP_METRICS = CUT, CONTRADICTS, _RIGHT, _FIRST
"""Names of the metrics of steps, or how they begin."""
_MEASURES = (
    Metric(CUT, "Stopped in the middle of its steps", better="lower"),
    Metric(CONTRADICTS, "Value contradicts its steps", better="lower"),
)


def score_steps(text: str, steps: str) -> tuple[ScoredStep, ...]:
    """Compare the steps of an answer with the true steps. Empty if the answer has none."""
    stated: defaultdict[str, list[Observation]] = defaultdict(list)
    for observation in reversed(steps_of(text)):
        stated[observation.name].append(observation)
    scored = []
    for truth in steps_of(add_working(steps, "")) if stated and steps else ():
        step = stated[truth.name].pop() if stated[truth.name] else None
        right = step is not None and step.is_right(truth)
        scored.append(ScoredStep(truth.name, step.text if step else "", truth.text, right))
    return tuple(scored)


def measures(
    answer: ScoredAnswer, value_measures: Mapping[str, float], *, correct: bool
) -> dict[str, float]:
    """Measure the steps of an answer. Empty for an answer without steps.

    The hour and the minute of a time, and the value, count as steps after those that are stated.
    """
    stated = steps_of(answer.text)
    if not stated:
        return {}
    row = {CUT: float(value_start(answer.text) == len(answer.text))}
    contradicts = _contradicts(stated, answer)
    are_exact = bool(answer.steps) and all(step.text == step.truth for step in answer.steps)
    if contradicts is None and are_exact and answer.value is not None:
        contradicts = not correct  # the true steps lead to the true value
    if contradicts is not None:
        row[CONTRADICTS] = float(contradicts)
    steps = [(step.name, step.right) for step in answer.steps]
    if steps:
        parts = {**value_measures, "answer": float(correct)}
        steps += [(name, parts[name] == 1) for name in _VALUES if name in parts]
    first = next((name for name, right in steps if not right), None)
    for name, right in steps:
        # Steps of the same name, such as several bars, are right if all of them are.
        row[_RIGHT + name] = min(row.get(_RIGHT + name, 1.0), float(right))
        row[_FIRST + name] = float(name == first)
    return row


def metrics(rows: Sequence[Mapping[str, float]]) -> tuple[Metric, ...]:
    """Return the metrics of the steps that some answers have, in the order of the steps."""
    keys = dict.fromkeys(key for row in rows for key in row)
    # The value comes after all steps, also after those of other answers.
    names = sorted(
        (key.removeprefix(_RIGHT) for key in keys if key.startswith(_RIGHT)),
        key=lambda name: _VALUES.index(name) if name in _VALUES else -1,
    )
    right = [Metric(_RIGHT + n, f"Step right: {n.replace('_', ' ')}") for n in names]
    first = [Metric(_FIRST + n, f"Wrong first: {n.replace('_', ' ')}", better="") for n in names]
    return (*(metric for metric in _MEASURES if metric.name in keys), *right, *first)


def _contradicts(steps: Sequence[Observation], answer: ScoredAnswer) -> bool | None:
    """Return True if a value differs from what its steps say. None if they do not give a value."""
    numbers = {step.name: step.numbers for step in steps}
    if {"place", "no_place"} & {*numbers}:
        numbers["count"] = (float(sum(step.name == "place" for step in steps)),)
    answer_type, period = TYPES[answer.type_name], answer.truth.answer_form.period
    implied = _implied(numbers, period)
    match numbers:
        # The answer may be about the value, which is then a step itself.
        case {"time": (hours, minutes, *_)}:
            stated = 60 * hours + minutes
            period = 1440.0 if "short_hand_of_24" in numbers else 720.0
        case {"reading": (stated,)}:
            period = 0.0
        case _ if answer.value is not None and answer_type.axis is not None:
            stated = answer_type.position(answer.value)
        case _:
            return None
    return implied and not distance(stated, implied[0], period) <= implied[1] * (1 + 1e-6) + 1e-9


def _implied(numbers: Mapping[str, tuple[float, ...]], period: float) -> tuple[float, float] | None:
    """Return the value that steps lead to, and how far a value may be from it. None if unclear.

    A time is in minutes.
    """
    match numbers:
        case {"short_hand": (short,), "long_hand": (long,)}:
            return _time(short, long, 12)
        case {"short_hand_of_24": (short, turn), "long_hand_of_24": (long, _)}:
            return _time(short, long, turn)
        case {"short_hand": (short,)}:
            return 60 * short, 5.0
        case {"short_hand_of_24": (short, _)}:
            return 60 * short, 10.0
        case {"labels": (low, high), "tick": (place, count)} if count:
            gap = (high - low + (period if high <= low else 0)) / count
            return low + place * gap, abs(gap)
        case {"digits": figures} | {"wheels": figures} | {"dials": figures} if not period:
            step = 10.0 ** -numbers.get("decimals", (0.0,))[0]
            return int("".join(str(math.floor(figure) % 10) for figure in figures)) * step, step
        case {"top": (share,), "axis": (low, high)} | {"end": (share,), "axis": (low, high)}:
            return low + share * (high - low), 0.01 * (high - low)
        case {"length": (share,), "axis": (low, high)}:
            return share * (high - low), 0.01 * (high - low)
        case {"written": (number,)} | {"count": (number,)}:
            return number, 0.0
    return None


def _time(short: float, long: float, turn: float) -> tuple[float, float]:
    minutes = long * 60 / turn
    # Steps may contradict each other: an hour and a half an hour later.
    return 60 * round(short - minutes / 60) + minutes, 1.0
