"""Sections of a report: tables and charts for each type of answer."""

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
from gnomon.eval.scoring.steps import STEP_METRICS

if TYPE_CHECKING:
    from gnomon.eval.comparing.comparison import Comparison
    from gnomon.eval.comparing.difference import Difference


@dataclass(frozen=True, slots=True)
class Row:
    """A metric's row in a summary table, as text.

    `difference` and `verdict` are empty unless there are two runs.
    """

    name: str
    label: str
    cells: tuple[tuple[str, str], ...]
    """The figure and the interval of each run."""
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
    """Build a row for each metric of a type, with a cell for each run.

    If `headline` is True, only headline metrics have a row.
    """
    summaries = [run.scores.summaries.get(type_name) for run in runs]
    all_read = not any(summary.unread for summary in summaries if summary)
    # A table of three runs lacks room for differences, which have a separate section.
    differences = _differences(comparisons, type_name, all_read) if len(runs) == 2 else {}
    # A metric may be missing in some runs, for example if only one run has beliefs.
    metrics: dict[str, Result] = {}
    for summary in filter(None, summaries):
        for metric in summary.results:
            metrics.setdefault(metric.name, metric)
    return [
        _row(metric, summaries, differences)
        for metric in metrics.values()
        if not headline or (metric.headline and not (all_read and metric.name == _CHARGED))
    ]


# Mean error in which an unread answer has the largest error. It equals the mean error of read
# answers if all answers are read.
_CHARGED = "charged"
_EQUAL_IF_ALL_READ = {"deviation": _CHARGED, "error": _CHARGED, "iou_read": "iou"}


def _differences(
    comparisons: Sequence[Comparison], type_name: str, all_read: bool
) -> dict[str, Difference]:
    """Return the differences of a type by metric.

    If all answers were read, metrics over read answers equal metrics over all answers, and get the
    same difference.
    """
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
        name=metric.name,
        label=metric.label,
        cells=tuple(cells),
        difference=difference_text(difference.estimate, difference.unit) if difference else "",
        verdict=difference.verdict if difference else "",
        chance=_chance(metric),
    )


def _cell(result: Result, summary_of_type: Summary) -> tuple[str, str]:
    """Format a figure and its interval, with the number of answers that the metric leaves out."""
    bounds = interval_text(result.estimate, result.unit)
    n_dropped = (
        summary_of_type.unread
        if result.name == "r_squared"
        else summary_of_type.n - result.estimate.n
    )
    if result.name in _PARTIAL and n_dropped:
        bounds = f"{bounds} {n_dropped:,} dropped".strip()
    return figure(result.estimate.value, result.unit), bounds


# Metrics that leave out unread answers, truths of 0 or wrong signs. Their cells give the number.
_PARTIAL = ("r_squared", "relative", "relative_median", "magnitude")


def _chance(result: Result) -> str:
    """Format the figure of uniform guesses, or of the best constant answer if it is unknown."""
    # The best constant answer is chosen by the labels, which no guesser knows. It is shown only if
    # uniform guesses are unknown.
    value = result.chance.get("uniform", result.chance.get("constant"))
    return "" if value is None else figure(value, result.unit)


def summary(
    runs: Sequence[RunResult], type_name: str, comparisons: Sequence[Comparison]
) -> dict[str, Any]:
    """Collect the headline table of one type of answer for the template."""
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
    """Collect the headline table, the table of all metrics, and the charts of one type."""
    rows = summary_rows(runs, type_name, comparisons, headline=False)
    return {
        **summary(runs, type_name, comparisons),
        "all_lines": rows,
        "labels": label_rows(runs, type_name),
        "steps": [row for row in rows if row.name.startswith(STEP_METRICS)],
        "errors_title": TYPES[type_name].error_histogram.title,
        "errors": plots.error_histogram(runs, type_name),
        "scatters": _charts_of_runs(runs, type_name, plots.truth_scatter),
        "dials": _charts_of_runs(runs, type_name, plots.error_dials),
    }


@dataclass(frozen=True, slots=True)
class LabelCell:
    """F1 of a run's boxes with one label and its interval, as text.

    `more` holds further figures with their intervals.
    """

    f1: str
    interval: str = ""
    more: tuple[str, ...] = ()


# Largest number of labels in a table, the most frequent first.
_MOST_LABELS = 30


def label_rows(runs: Sequence[RunResult], type_name: str) -> list[tuple[str, int, list[LabelCell]]]:
    """Return rows of a label, its number of true boxes, and a cell for each run.

    Labels that occur only in answers share the last row. The list is empty if the type has no
    labels, or if all true boxes have the same label.
    """
    totals = [label_figures(run.scores.of_type(type_name), type_name) for run in runs]
    counts: dict[str, int] = {}
    """Number of true boxes by label."""
    for figures in totals:  # runs may have different questions
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
        rows.append(("labels without true boxes", 0, cells))
    return rows


def _label_cell(figures: LabelFigures | None) -> LabelCell:
    """Format F1, precision and recall with their intervals."""
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
    """Build the section on calibration for every type of every run with beliefs.

    A section has the expected calibration error, a reliability diagram and a risk-coverage curve.
    """
    rows = []
    for type_name in type_names(runs):
        for run in runs:
            # Runs store beliefs only if `eval.belief` is set.
            answers = list(_confidences(run, type_name))
            exact = [(confidence, is_exact) for confidence, is_exact, _ in answers]
            if bins := calibration_bins(exact):
                n = len(answers)
                error = 100 * expected_error(bins)
                words = f"Expected calibration error {error:.1f} points over {n:,}"
                picture = plots.reliability(
                    bins, f"{type_name} of {run.name}: accuracy against confidence"
                )
                correct = [(confidence, is_correct) for confidence, _, is_correct in answers]
                risk = plots.risk(correct, f"{type_name} of {run.name}: wrong by share answered")
                title = f"{TYPES[type_name].title}: {run.name}"
                rows.append({"title": title, "words": words, "picture": picture, "risk": risk})
    return rows


def _confidences(run: RunResult, type_name: str) -> Iterator[tuple[float, bool, bool]]:
    """Yield three values for each answer with a belief.

    They are the probability of the most likely answer, True if that answer equals the truth, and
    True if the written answer is correct within its tolerance.
    """
    items = {item.sample_id: item for item in run.scores.of_type(type_name)}
    for prediction in run.predictions:
        item = items.get(prediction.sample_id)
        if item is not None and item.truth.is_readable and prediction.logprobs:
            belief = read_belief(prediction, item.truth, type_name)
            confidence, is_exact = top_answer(belief, TYPES[type_name].value_of(item.truth))
            yield confidence, is_exact, item.correct
