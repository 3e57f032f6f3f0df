"""The figures that a training is watched by, each by one name: `correct`, `time_exact`, …"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.answers.base import Line
from gnomon.answers.types import TYPES
from gnomon.names import UnknownNameError, hint

if TYPE_CHECKING:
    from gnomon.eval.scoring.scored import Scores

CORRECT = "correct"
"""The share of all answers that are right, whatever their kind."""


def headlines(scores: Scores) -> dict[str, float]:
    """The share of right answers, and each kind's headline figures; none that cannot be told."""
    found: dict[str, float | None] = {CORRECT: _correct(scores)}
    for kind, summary in scores.summaries.items():
        lines = (line for line in summary.results if line.headline)
        found |= {f"{kind}_{line.name}": line.estimate.value for line in lines}
    return {name: value for name, value in found.items() if value is not None}


def greater_is_better(name: str) -> bool:
    """Whether more of that figure is better; an unknown name is refused with the nearest."""
    lines = _lines()
    if name != CORRECT and name not in lines:
        raise UnknownNameError(
            f"no metric {name!r} to watch a training by, which is {CORRECT} or a headline figure of"
            " a report after its kind of answer, such as time_exact:"
            f" {hint(name, (CORRECT, *lines))}"
        )
    return name == CORRECT or lines[name].better == "higher"


def kind_measured(name: str) -> str | None:
    """The kind of target that a figure is of; None where it is of all."""
    return next((k for k, v in TYPES.items() if name in _named(k, v.lines)), None)


def _lines() -> dict[str, Line]:
    return {name: line for k, v in TYPES.items() for name, line in _named(k, v.lines).items()}


def _named(kind: str, lines: tuple[Line, ...]) -> dict[str, Line]:
    return {f"{kind}_{line.name}": line for line in lines if line.headline}


def _correct(scores: Scores) -> float | None:
    return sum(item.correct for item in scores.items) / len(scores.items) if scores.items else None
