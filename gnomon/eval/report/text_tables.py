"""Tables of runs as text for terminals and as JSON values, and published tables."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

from gnomon import names
from gnomon.answers.registry import TYPES
from gnomon.eval.comparing.comparison import Comparison
from gnomon.eval.comparing.groups import Group, compare_groups, group_runs, verdicts
from gnomon.eval.comparing.guessing import compare_with_chance, repeated_answer_warnings
from gnomon.eval.formatting import (
    NONE,
    align,
    difference_text,
    figure,
    interval_text,
)
from gnomon.eval.report.differences import HEADER, difference_tables
from gnomon.eval.report.sections import label_rows, summary_rows
from gnomon.eval.scoring import certainty
from gnomon.eval.scoring.metrics import estimate_relaxed
from gnomon.eval.scoring.runs import (
    RunResult,
    check_names,
    split_by_source,
    type_names,
    unit_names,
)


def table(runs: Sequence[RunResult]) -> str:
    """Format the headline metrics of each type with 95 % intervals, and the verdicts.

    Each run has a column.
    """
    check_names(runs)
    groups = group_runs(runs)
    comparisons, refusals = compare_groups(groups)
    blocks = []
    for type_name in type_names(runs):
        blocks.append(_block(runs, type_name, comparisons))
        blocks += _label_block(runs, type_name)
    for name, runs_on_source in split_by_source(runs).items():
        first, *more_blocks = [
            _block(runs_on_source, type_name, ()) for type_name in type_names(runs_on_source)
        ]
        blocks += [[f"Only questions of {name}", *first], *more_blocks]
    blocks += _chartqa_block(runs)
    blocks += [align(rows)] if (rows := forgetting_rows(runs)) else []
    sentences = list(chain.from_iterable(verdicts(groups, comparisons)))
    sentences += [*refusals, *coverage_notes(runs), *group_notes(runs), *answer_warnings(runs)]
    return "\n\n".join(["\n".join(block) for block in blocks] + sentences) + "\n"


# Largest number of labels in a terminal. The report has more.
_MOST_LABELS = 8


def _label_block(runs: Sequence[RunResult], type_name: str) -> list[list[str]]:
    """Format a table of F1 by label. A single run also has precision and recall.

    Returns a list with one block of lines, or an empty list for types without labels.
    """
    rows = label_rows(runs, type_name)
    if not rows:
        return []
    lines = [["F1 by label, at IoU 0.5", "boxes", *(run.name for run in runs)]]
    for label, n, cells in rows[:_MOST_LABELS]:
        texts = [f"{cell.f1} {cell.interval}".rstrip() for cell in cells]
        more = [*cells[0].more] if len(runs) == 1 else []
        lines.append([label or "(no label)", f"{n:,}", *texts, *more])
    width = max(map(len, lines))
    block = align([[*line, *[""] * (width - len(line))] for line in lines])
    if len(rows) > _MOST_LABELS:
        block.append(f"({len(rows) - _MOST_LABELS} more in the report)")
    return [block]


def answer_warnings(runs: Sequence[RunResult]) -> list[str]:
    """Return warnings of runs that were tested on training pictures, or answer mostly the same."""
    trained = [
        f"{run.name}: {run.trained:,} of {len(run.scores.items):,} questions are about pictures"
        " that the model was trained on: it reads new pictures less well"
        for run in runs
        if run.trained
    ]
    return trained + [
        f"{run.name}: {text}" for run in runs for text in repeated_answer_warnings(run.scores)
    ]


# With fewer groups, intervals over groups are so wide that a note explains them.
_ENOUGH_GROUPS = 10


def group_notes(runs: Sequence[RunResult]) -> list[str]:
    """Return a note for runs whose intervals are over groups of rows. Equal notes appear once."""
    notes = []
    for run in runs:
        names, noun = unit_names(run.scores.items)
        if noun == "groups":
            n = len(set(names))
            column = _group_column(run)
            by = f" (by {column})" if column else ""
            few = f"; so few groups give wide intervals: hold out more than {n}"
            notes.append(
                f"Confidence intervals are over {n:,} groups{by}, as for new groups"
                + few * (n < _ENOUGH_GROUPS)
            )
    return list(dict.fromkeys(notes))


def _group_column(run: RunResult) -> str | None:
    """Return the column that names the groups of a run, or None if its sources have several."""
    sources = run.asked.get("sources", [run.asked])
    columns = {(source.get("columns") or {}).get("group") for source in sources} - {None}
    return columns.pop() if len(columns) == 1 else None


def coverage_notes(runs: Sequence[RunResult]) -> list[str]:
    """Return a note on the coverage of calibrated runs. Equal notes appear once."""
    shares = [(run.settings.get("calibration") or {}).get("coverage") for run in runs]
    return list(
        dict.fromkeys(
            f"Intervals of answers are calibrated to contain {100 * share:g} % of the truths"
            for share in shares
            if share
        )
    )


def json_data(runs: Sequence[RunResult]) -> dict[str, Any]:
    """Collect all metrics of runs and of their sources, and comparisons of groups, for JSON."""
    groups = group_runs(runs)
    comparisons, refusals = compare_groups(groups)
    scores = {run.name: run.scores for run in runs}
    # Sources follow after all runs. Their names begin with the name of the run.
    scores |= {
        f"{run.name}: {name}": scores_of_source
        for run in runs
        for name, scores_of_source in run.sources.items()
    }
    return {
        "groups": [
            {"name": group.name, "runs": [run.name for run in group.runs]} for group in groups
        ],
        "runs": {
            name: {
                type_name: summary.to_json()
                for type_name, summary in scores_of_run.summaries.items()
            }
            for name, scores_of_run in scores.items()
        },
        "comparisons": [comparison.to_json() for comparison in comparisons],
        "chance": {
            group.name: [test.to_json() for test in compare_with_chance(group.scores).values()]
            for group in groups
        },
        "not_compared": refusals,
        "forgetting": {r.name: list(map(asdict, r.forgetting)) for r in runs if r.forgetting},
        "warnings": answer_warnings(runs),
    }


def differences(
    groups: Sequence[Group], comparisons: Sequence[Comparison], refusals: Sequence[str] = ()
) -> str:
    """Format the differences of each comparison, by metric and by seed, and the verdicts."""
    blocks = [[group.sentence for group in groups]]
    blocks += [
        [*align(_difference_lines(table_of_type)), f"({table_of_type['note']})"]
        for comparison in comparisons
        for table_of_type in difference_tables(comparison)
    ]
    blocks += verdicts(groups, comparisons)
    runs = [run for group in groups for run in group.runs]
    notes = [*refusals, *coverage_notes(runs), *group_notes(runs), *answer_warnings(runs)]
    blocks += [[text] for text in notes]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def certainty_table(runs: Sequence[RunResult]) -> str:
    """Format the metrics of intervals and refusals of each type, with a column for each run.

    Returns an empty text if no run is calibrated. Runs are not tested against each other, because
    they may refuse different answers.
    """
    blocks = []
    for type_name in type_names(runs):
        labels = [metric.label for metric in certainty.METRICS[type_name]]
        lines = [
            [row.label, *(f"{value} {between}".strip() for value, between in row.cells)]
            for row in summary_rows(runs, type_name, (), headline=False)
            if row.label in labels
        ]
        if lines:
            blocks.append(align([[TYPES[type_name].title, *(run.name for run in runs)], *lines]))
    return "\n\n".join("\n".join(block) for block in blocks)


def _difference_lines(table_of_type: Mapping[str, Any]) -> list[list[str]]:
    # Rows of seeds have no test. They are indented below their metric.
    lines = [["" if line.test else "  ", *line] for line in table_of_type["lines"]]
    header = [
        table_of_type["title"],
        table_of_type["baseline"],
        table_of_type["candidate"],
        *HEADER,
    ]
    return [header, *([indent + label, *rest] for indent, label, *rest in lines)]


def forgetting_rows(runs: Sequence[RunResult]) -> list[list[str]]:
    """Return a header and a row for each file of the runs' guards. Empty without guards."""
    rows = []
    guarded = [run for run in runs if run.forgetting]
    for run in guarded:
        for row in run.forgetting:
            figures = [figure(value, row.unit) for value in (row.before, row.after)]
            difference = f"{difference_text(row.difference, row.unit)} {row.verdict}".rstrip()
            title = f"{run.name}: " * (len(guarded) > 1) + f"{row.name}, {row.label}"
            rows.append([title, *figures, difference, f"{row.difference.n:,}"])
    header = ["Forgetting", "before training", "after", "difference", "items"]
    return [header, *rows] if rows else []


def _chartqa_block(runs: Sequence[RunResult]) -> list[list[str]]:
    """Format relaxed correctness over all questions, if all runs answered ChartQA."""
    # Papers report one figure for ChartQA, over all types of answers.
    if not all(run.asked.get("benchmark") == "chartqa" for run in runs):
        return []
    estimates = [estimate_relaxed(run.scores) for run in runs]
    cells = [
        f"{figure(estimate.value, '%')} {interval_text(estimate, '%')}".strip()
        for estimate in estimates
    ]
    header = ["ChartQA, numbers and texts", *(run.name for run in runs)]
    counts = ["Items", *(str(estimate.n) for estimate in estimates)]
    return [align([header, ["Relaxed correctness", *cells], counts])]


def _block(
    runs: Sequence[RunResult], type_name: str, comparisons: Sequence[Comparison]
) -> list[str]:
    rows = summary_rows(runs, type_name, comparisons, headline=True)
    differs = any(row.difference for row in rows)
    header = [TYPES[type_name].title, *(run.name for run in runs)] + ["difference"] * differs
    lines = [[*header, "chance"]]
    for row in rows:
        cells = [f"{value} {bounds}".strip() for value, bounds in row.cells]
        difference = [f"{row.difference} {row.verdict}".strip()] * differs
        lines.append([row.label, *cells, *difference, row.chance])
    counts = [
        str(summary.n) if (summary := run.scores.summaries.get(type_name)) else "0" for run in runs
    ]
    lines.append(["Items", *counts, *[""] * differs, ""])
    return align(lines)


def open_table(name: str) -> dict[str, Any]:
    """Read a table from published.yaml by name. An unknown name raises an error with a hint."""
    import yaml

    tables = yaml.safe_load(Path(__file__).with_name("published.yaml").read_text("utf-8"))
    names.check(tables, name, what="published table", command="gnomon compare --help")
    return dict(tables[name])


def add_runs(table: Mapping[str, Any], runs: Sequence[RunResult]) -> dict[str, Any]:
    """Format the rows of a published table, and add a row for each run."""
    columns = table["columns"]
    header = ["Model", table.get("setting", "Loss"), *(column["heading"] for column in columns)]
    rows = [_published_row(columns, *row) for row in table["rows"]]
    ours = [[run.name, "ours", *_run_cells(columns, run, table["kind"])] for run in runs]
    return {**table, "header": header, "rows": rows + ours}


def table_text(table: Mapping[str, Any]) -> str:
    """Format a table from `add_runs` for a terminal, below the published set-up."""
    setup = [f"  {key}: {value}" for key, value in table["setup"].items()]
    head = f"{table['title']}. As published: {table['source']}. Set-ups differ. Published set-up:"
    return "\n".join([head, *setup, "", *align([table["header"], *table["rows"]])]) + "\n"


def _published_row(
    columns: Sequence[Any], model: str, setting: str, *figures: float | None
) -> list[str]:
    """Format a row of a published table with the digits of the paper."""
    cells = [
        NONE if x is None else f"{x:g} {column['unit']}"  # as many digits as in the paper
        for x, column in zip(figures, columns, strict=True)
    ]
    return [model, f"{setting}, published", *cells]


def _run_cells(columns: Sequence[Any], run: RunResult, type_name: str) -> list[str]:
    """Format the figures of a run for the columns of a published table."""
    if type_name not in run.scores.summaries:
        return [NONE] * len(columns)
    results = [run.scores.summaries[type_name][column["line"]] for column in columns]
    return [
        f"{figure(r.estimate.value, r.unit)} {interval_text(r.estimate, r.unit)}" for r in results
    ]
