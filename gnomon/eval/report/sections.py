"""What a report says of one kind of target: tables, charts, examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from gnomon.answers.types import TYPES
from gnomon.eval.comparing import runs as shared
from gnomon.eval.comparing.runs import RunResult
from gnomon.eval.report import examples
from gnomon.eval.report.plots import charts
from gnomon.sample import Sample

if TYPE_CHECKING:
    from gnomon.eval.comparing.comparison import Comparison

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Show:
    """Where examples come from, and how many are shown of each kind of target."""

    samples: Mapping[str, Sample]
    worst: int
    right: int
    disagreeing: int


def section(
    runs: Sequence[RunResult], kind: str, comparisons: Sequence[Comparison], show: Show
) -> dict[str, Any]:
    """Everything the template shows of a kind, for all runs."""
    headline = shared.rows(runs, kind, comparisons, headline=True)
    counts = [s.n if (s := run.scores.summaries.get(kind)) else 0 for run in runs]
    return {
        "kind": kind,
        "title": TYPES[kind].title,
        "counts": counts,
        "headline": headline,
        "all_lines": shared.rows(runs, kind, comparisons, headline=False),
        "differs": any(row.difference for row in headline),
        "chance_note": _CHANCE.get(kind, "the best single answer to all questions"),
        "errors_title": TYPES[kind].errors.title,
        "errors": charts.errors(runs, kind),
        "scatters": _drawn(runs, kind, charts.against_truth),
        "dials": _drawn(runs, kind, charts.dial_of_errors),
        "galleries": _galleries(runs, kind, show),
    }


_CHANCE = {
    **dict.fromkeys(("time", "time24"), "uniform guesses at every time of the dial"),
    "text": "an even guess where all questions list choices, else the best single answer to all",
}


def _drawn(
    runs: Sequence[RunResult], kind: str, draw: Callable[[RunResult, int, str], T | None]
) -> list[tuple[str, T]]:
    pictures = [(run.name, draw(run, index, kind)) for index, run in enumerate(runs)]
    return [(name, picture) for name, picture in pictures if picture]


def _galleries(runs: Sequence[RunResult], kind: str, show: Show) -> list[dict[str, Any]]:
    """Examples under a heading; `question` where all of them ask the same."""
    last = runs[-1]
    chosen = {
        f"The worst answers: {last.name}": examples.worst(charts.of_kind(last, kind), show.worst),
        f"Some right answers: {last.name}": examples.right(last.scores.items, kind, show.right),
    }
    if runs[1:]:
        shown = {item.sample_id for some in chosen.values() for item in some}
        found = examples.disagreeing(
            runs[0].scores.items, last.scores.items, kind, show.disagreeing
        )
        chosen[f"Right in one of {runs[0].name} and {last.name}"] = [
            item for item in found if item.sample_id not in shown
        ]
    ids = {item.sample_id for some in chosen.values() for item in some}
    answers = [
        (run.name, {i.sample_id: i for i in run.scores.items if i.sample_id in ids}) for run in runs
    ]
    galleries = []
    for heading, some in chosen.items():
        if some:
            cards = [examples.example(item, answers, show.samples) for item in some]
            questions = {card.question for card in cards}
            question = questions.pop() if len(questions) == 1 else ""
            galleries.append({"heading": heading, "question": question, "cards": cards})
    return galleries
