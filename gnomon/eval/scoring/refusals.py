"""Answers that say that nothing can be read, about pictures that can be read."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gnomon.answers.base.answer_type import Line
from gnomon.eval.scoring.runs import ScoredAnswer

WRONGLY = "unreadable_wrongly"
"""Measure of an answer about a picture that can be read: 1 if it says that it cannot be."""
_LINES = (Line(WRONGLY, "Said to be unreadable, wrongly", better="lower", headline=True),)


def with_measure(answer: ScoredAnswer) -> ScoredAnswer:
    """Return an answer with the measure; where nothing can be read it has none."""
    if not answer.truth.is_readable:
        return answer
    return replace(answer, measures={**answer.measures, WRONGLY: float(answer.is_refusal)})


def lines(rows: Iterable[Mapping[str, float]]) -> tuple[Line, ...]:
    """Return the line of wrong refusals, if any answer of the exam is or should be a refusal."""
    return _LINES if any(WRONGLY in measures for measures in rows) else ()
