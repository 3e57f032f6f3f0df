"""The table: a source a row, with gnomon's own measures, intervals and chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from gnomon import eval as evaluation
from gnomon.eval.formatting import align, figure, interval_text
from gnomon.eval.scoring import question_file

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.eval import RunResult, Scores
    from gnomon.eval.scoring.runs import Summary

COLUMNS = {
    "time": {"exact": "exactly right", "within_1": "within 1 min", "within_5": "within 5 min",
             "deviation": "mean deviation"},
    "number": {"exact": "exactly right", "within_5pct": "within 5 %",
               "relative_median": "median deviation"},
}  # fmt: skip
"""Lines of a summary, by the type of the answers."""
_CHANCE = {"time": "within_1", "number": "within_5pct"}


class Row(NamedTuple):
    """One source's answers, scored."""

    title: str
    scores: Scores


def text(kind: str, rows: Sequence[Row]) -> str:
    """The table in aligned columns; `kind` is the type of the answers."""
    shown = COLUMNS[kind]
    header = ["", "n", *shown.values(), f"chance {shown[_CHANCE[kind]]}"]
    return "\n".join(align([header, *(_line(kind, row) for row in rows)]))


def by_design(run: RunResult, file: Path, designs: Sequence[str]) -> list[Row]:
    """The same answers, a row for each design; designs took turns from the first row on."""
    if len(designs) < 2:
        return []
    asked = list(question_file.QuestionFile(question_file.question_path(file)))
    order = sorted(question.id for question in asked)  # ids end in the line of the CSV
    found = []
    for place, design in enumerate(designs):
        ids = set(order[place :: len(designs)])
        answers = [answer for answer in run.predictions if answer.sample_id in ids]
        scores = evaluation.score(answers, [q for q in asked if q.id in ids])
        found.append(Row(f"    {design}", scores))
    return found


def _line(kind: str, row: Row) -> list[str]:
    summary = row.scores.summaries[kind]
    cells = [_cell(summary, name) for name in COLUMNS[kind]]
    chance = summary[_CHANCE[kind]]
    blind = chance.chance.get("uniform", chance.chance.get("constant"))
    return [row.title, str(summary.n), *cells, figure(blind, chance.unit)]


def _cell(summary: Summary, name: str) -> str:
    result = summary[name]
    value = figure(result.estimate.value, result.unit)
    return f"{value} {interval_text(result.estimate, result.unit)}"
