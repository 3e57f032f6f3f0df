"""The table: a row for each source, with gnomon's own metrics, intervals and chance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from benchmarks.transfer.asked import form_of
from gnomon import eval as evaluation
from gnomon.eval.formatting import align, figure, interval_text
from gnomon.eval.scoring import question_file

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.eval import RunResult, Scores
    from gnomon.eval.scoring.question_file import Question
    from gnomon.eval.scoring.runs import Summary
    from gnomon.sample import Prediction

    Pairs: TypeAlias = list[tuple[Prediction, Question]]
    """Answers of a model with their questions."""

COLUMNS = {
    "time": {"exact": "exactly right", "within_1": "within 1 min", "within_5": "within 5 min",
             "deviation": "mean deviation"},
    "number": {"accepted": "within 5 % of the scale", "within_5pct": "within 5 %",
               "relative_median": "median deviation"},
}  # fmt: skip
"""Metrics of a summary, by the type of the answers."""
_CHANCE = {"time": ("within_1",), "number": ("accepted", "within_5pct")}
"""Metrics whose chance is shown: uniform guesses, or the best constant answer."""
_TYPES = {"time": "time", "number": "reading"}
"""Type of the answers in a summary. Numbers with a tolerance are readings."""


class Row(NamedTuple):
    """Scored answers to the questions of a source."""

    title: str
    scores: Scores


def text(kind: str, rows: Sequence[Row]) -> str:
    """Return the table in aligned columns. `kind` is the type of the answers."""
    shown = COLUMNS[kind]
    guess = "chance" if kind == "time" else "best constant"
    chances = [f"{guess} {shown[name]}" for name in _CHANCE[kind]]
    header = ["", "n", *shown.values(), *chances]
    return "\n".join(align([header, *(_line(kind, row) for row in rows)]))


def pairs_of(run: RunResult, file: Path) -> Pairs:
    """Pair answers with their questions, in the order of the pictures."""
    questions = question_file.QuestionFile(question_file.question_path(file))
    answers = {answer.sample_id: answer for answer in run.predictions}
    # Ids end in the line of the CSV.
    return [(answers[question.id], question) for question in sorted(questions, key=_id)]


def _id(question: Question) -> str:
    return question.id


def by_design(pairs: Pairs, designs: Sequence[str]) -> dict[str, Pairs]:
    """Group the answers by design. Designs take turns from the first picture on."""
    return {name: pairs[place :: len(designs)] for place, name in enumerate(designs)}


def by_form(pairs: Pairs) -> dict[str, Pairs]:
    """Group the answers by the form of the question."""
    groups: dict[str, Pairs] = defaultdict(list)
    for answer, question in pairs:
        groups[form_of(question.question)].append((answer, question))
    return groups


def row(title: str, pairs: Pairs) -> Row:
    """Score the answers."""
    answers, questions = zip(*pairs, strict=True)
    return Row(title, evaluation.score(answers, questions))


def _line(kind: str, row: Row) -> list[str]:
    summary = row.scores.summaries[_TYPES[kind]]
    cells = [_cell(summary, name) for name in COLUMNS[kind]]
    return [row.title, str(summary.n), *cells, *(_guess(summary, name) for name in _CHANCE[kind])]


def _guess(summary: Summary, name: str) -> str:
    chance = summary[name].chance
    return figure(chance.get("uniform", chance.get("constant")), summary[name].unit)


def _cell(summary: Summary, name: str) -> str:
    result = summary[name]
    value = figure(result.estimate.value, result.unit)
    return f"{value} {interval_text(result.estimate, result.unit)}"
