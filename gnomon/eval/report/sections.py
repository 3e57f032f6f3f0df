"""Sections of a report: the tables and charts of each type of answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from gnomon.answers.registry import TYPES
from gnomon.eval.formatting import NONE, difference_text, figure, interval_text
from gnomon.eval.report import plots
from gnomon.eval.scoring.belief import calibration_bins, expected_error, read_belief, top_answer
from gnomon.eval.scoring.metrics import LabelFigures, label_figures
from gnomon.eval.scoring.runs import Result, RunResult, Summary, type_names

if TYPE_CHECKING:
    from gnomon.eval.comparing.comparison import Comparison
    from gnomon.eval.comparing.difference import Difference


@dataclass(frozen=True, slots=True)
class Row:
    """Row of a summary in words: a cell per run, the difference of two, and chance."""

    label: str
    cells: tuple[tuple[str, str], ...]
    """Figure and interval of each run."""
    difference: str
    verdict: str
    chance: str


def summary_rows(
    runs: Sequence[RunResult],
    type_name: str,
    comparisons: Sequence[Comparison],
    *,
    headline: bool,
) -> list[Row]:
    """Build the rows of one type for all runs; with two runs, their difference."""
    summaries = [run.scores.summaries.get(type_name) for run in runs]
    all_read = not any(summary.unread for summary in summaries if summary)
    # With three runs a table has no room for differences: they have a section of their own.
    differences = _differences(comparisons, type_name, all_read) if len(runs) == 2 else {}
    # Runs may have questions of other types, and one alone may have beliefs or intervals.
    metrics: dict[str, Result] = {}
    for summary in filter(None, summaries):
        for metric in summary.results:
            metrics.setdefault(metric.name, metric)
    return [
        _row(metric, summaries, differences)
        for metric in metrics.values()
        if not headline or (metric.headline and not (all_read and metric.name == _CHARGED))
    ]


# Mean error in which unread answers count as the worst value: the read answers' if none is unread.
_CHARGED = "charged"
_EQUAL_IF_ALL_READ = {"deviation": _CHARGED, "error": _CHARGED, "iou_read": "iou"}


def _differences(
    comparisons: Sequence[Comparison], type_name: str, all_read: bool
) -> dict[str, Difference]:
    """Return the differences by metric; if all answers were read, metrics of read answers have one,
    too."""
    by_name = {d.name: d for c in comparisons for d in c.differences if d.type_name == type_name}
    if all_read:
        by_name |= {
            name: by_name[equal] for name, equal in _EQUAL_IF_ALL_READ.items() if equal in by_name
        }
    return by_name


def _row(
    metric: Result, summaries: Sequence[Summary | None], differences: Mapping[str, Difference]
) -> Row:
    difference = differences.get(metric.name)
    cells = []
    for of_run in summaries:
        has_metric = of_run is not None and any(r.name == metric.name for r in of_run.results)
        cells.append(_cell(of_run[metric.name], of_run) if of_run and has_metric else (NONE, ""))
    return Row(
        label=metric.label,
        cells=tuple(cells),
        difference=difference_text(difference.estimate, difference.unit) if difference else "",
        verdict=difference.verdict if difference else "",
        chance=_chance(metric),
    )


def _cell(result: Result, summary_of_type: Summary) -> tuple[str, str]:
    """Format figure and interval, with the number of answers that a metric leaves out."""
    bounds = interval_text(result.estimate, result.unit)
    n_dropped = (
        summary_of_type.unread
        if result.name == "r_squared"
        else summary_of_type.n - result.estimate.n
    )
    if result.name in _PARTIAL and n_dropped:
        bounds = f"{bounds} {n_dropped:,} dropped".strip()
    return figure(result.estimate.value, result.unit), bounds


# Lines that leave out unread answers, truths of 0 or wrong signs, and have to say so.
_PARTIAL = ("r_squared", "relative", "relative_median", "magnitude")


def _chance(result: Result) -> str:
    """Format chance: uniform guesses, or else the best constant answer."""
    # No guesser knows the labels that the best constant answer is chosen by: it stands in only if
    # there is none.
    value = result.chance.get("uniform", result.chance.get("constant"))
    return "" if value is None else figure(value, result.unit)


def summary(
    runs: Sequence[RunResult], type_name: str, comparisons: Sequence[Comparison]
) -> dict[str, Any]:
    """Build the template's table of one type, for all runs."""
    headline = summary_rows(runs, type_name, comparisons, headline=True)
    return {
        "kind": type_name,
        "title": TYPES[type_name].title,
        "counts": [s.n if (s := run.scores.summaries.get(type_name)) else 0 for run in runs],
        "headline": headline,
        "differs": any(row.difference for row in headline),
    }


def section(
    runs: Sequence[RunResult], type_name: str, comparisons: Sequence[Comparison]
) -> dict[str, Any]:
    """Build the table of headlines, that of all metrics, and the charts of one type."""
    return {
        **summary(runs, type_name, comparisons),
        "all_lines": summary_rows(runs, type_name, comparisons, headline=False),
        "labels": label_rows(runs, type_name),
        "errors_title": TYPES[type_name].error_histogram.title,
        "errors": plots.error_histogram(runs, type_name),
        "scatters": _charts_of_runs(runs, type_name, plots.truth_scatter),
        "dials": _charts_of_runs(runs, type_name, plots.error_dials),
    }


@dataclass(frozen=True, slots=True)
class LabelCell:
    """F1 of a run's boxes with one label, its interval, and further figures with theirs."""

    f1: str
    interval: str = ""
    more: tuple[str, ...] = ()


# Labels of a table, the most frequent ones.
_MOST_LABELS = 30


def label_rows(runs: Sequence[RunResult], type_name: str) -> list[tuple[str, int, list[LabelCell]]]:
    """Label, number of true boxes, and F1 with precision and recall of each run, with intervals.

    Labels that only answers have share the last row. Empty for types without labels, and where all
    true boxes have one.
    """
    totals = [label_figures(run.scores.of_type(type_name), type_name) for run in runs]
    counts: dict[str, int] = {}
    """True boxes by label, for labels that have any."""
    for figures in totals:  # runs may have been asked other questions
        for label, of_label in figures.items():
            if of_label.true:
                counts[label] = max(of_label.true, counts.get(label, 0))
    if len(counts) < 2:
        return []
    names = sorted(counts, key=lambda label: (-counts[label], label))[:_MOST_LABELS]
    rows = [
        (label, counts[label], [_label_cell(figures.get(label)) for figures in totals])
        for label in names
    ]
    spurious = [
        sum(of_label.answered for label, of_label in figures.items() if label not in counts)
        for figures in totals
    ]
    if any(spurious):
        cells = [LabelCell(NONE, more=(f"{number:,} boxes answered",)) for number in spurious]
        rows.append(("labels that no true box has", 0, cells))
    return rows


def _label_cell(figures: LabelFigures | None) -> LabelCell:
    """F1 with its interval, and the same of precision and recall."""
    if figures is None:
        return LabelCell(NONE)
    precision, recall = (
        f"{name} {figure(estimate.value, '')} {interval_text(estimate, '')}".rstrip()
        for name, estimate in (("precision", figures.precision), ("recall", figures.recall))
    )
    return LabelCell(
        figure(figures.f1.value, ""), interval_text(figures.f1, ""), (precision, recall)
    )


def _charts_of_runs(
    runs: Sequence[RunResult],
    type_name: str,
    draw: Callable[[RunResult, int, str], Markup | None],
) -> list[tuple[str, Markup]]:
    pictures = [(run.name, draw(run, index, type_name)) for index, run in enumerate(runs)]
    return [(name, picture) for name, picture in pictures if picture]


def calibration_sections(runs: Sequence[RunResult]) -> list[dict[str, Any]]:
    """Build a section for every type of every run that stored beliefs, for the template."""
    rows = []
    for type_name in type_names(runs):
        for run in runs:
            # No run stores beliefs unless eval.belief was set.
            answers = list(_confidences(run, type_name))
            exact = [(confidence, is_exact) for confidence, is_exact, _ in answers]
            if bins := calibration_bins(exact):
                n = len(answers)
                error = 100 * expected_error(bins)
                words = f"Expected calibration error {error:.1f} points over {n:,}"
                picture = plots.reliability(
                    bins, f"{type_name} of {run.name}: how often right against how sure"
                )
                correct = [(confidence, is_correct) for confidence, _, is_correct in answers]
                risk = plots.risk(correct, f"{type_name} of {run.name}: wrong by share answered")
                title = f"{TYPES[type_name].title}: {run.name}"
                rows.append({"title": title, "words": words, "picture": picture, "risk": risk})
    return rows


def _confidences(run: RunResult, type_name: str) -> Iterator[tuple[float, bool, bool]]:
    """Yield the probability of a belief's likeliest answer, True if that is exactly the truth, and
    True if what was written is correct, within its tolerance.
    """
    items = {item.sample_id: item for item in run.scores.of_type(type_name)}
    for prediction in run.predictions:
        item = items.get(prediction.sample_id)
        if item is not None and item.truth.is_readable and prediction.logprobs:
            belief = read_belief(prediction, item.truth, type_name)
            confidence, is_exact = top_answer(belief, TYPES[type_name].value_of(item.truth))
            yield confidence, is_exact, item.correct
