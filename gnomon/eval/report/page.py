"""Write a report: an HTML page in one file that needs no network, and a picture of its figures."""

from __future__ import annotations

import textwrap
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from gnomon.answers.registry import TYPES
from gnomon.atomic import put_bytes, put_text
from gnomon.eval.comparing.comparison import Comparison
from gnomon.eval.comparing.groups import Group, compare_groups, group_runs, verdicts
from gnomon.eval.report.answers import answer_browser_data, example_pictures
from gnomon.eval.report.differences import difference_tables, group_marks, seed_charts
from gnomon.eval.report.facts import FEWEST, fact_classes, facts_heading, slices
from gnomon.eval.report.markup import template
from gnomon.eval.report.plots import curves
from gnomon.eval.report.report_files import SOFTWARE, check_replaceable
from gnomon.eval.report.sections import calibration_sections, section, summary
from gnomon.eval.report.text_tables import (
    answer_warnings,
    coverage_notes,
    forgetting_rows,
    group_notes,
)
from gnomon.eval.scoring.runs import (
    RunResult,
    check_names,
    data_title,
    split_by_source,
    type_names,
)
from gnomon.eval.scoring.spaces import space_warning
from gnomon.sample import Sample
from gnomon.terminal import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = ["RunResult", "write_report"]

# Number of right answers of each type with a picture. If there are at most `_ALL` questions, all
# right answers have a picture.
_RIGHT, _ALL = 8, 60
_MOST_NAMED = 3


def write_report(
    path: str | Path,
    runs: Sequence[RunResult],
    *,
    samples: Mapping[str, Sample] | None = None,
    title: str = "",
    note: str = "",
    beside: Sequence[Mapping[str, Any]] = (),
    files: Sequence[str] = (),
    worst: int = 50,
    right: int | None = None,
    disagreeing: int = 12,
) -> Path:
    """Write the report of one or several runs as an HTML page, which is the same for equal inputs.

    The other runs are compared with the first run. Runs that differ only in their recipe's seed
    form a group: the group is compared as a whole, and its first run has the tables and examples.

    samples: questions and pictures by sample id. Only the examples are looked up, because a lazy
    mapping may have to draw each sample. Facts of scenes come from the questions of the runs, or
    from a plain dict of samples.

    title, note: by default, the title names the models and the data. `note` is a line below it.

    beside: published tables, to which `add_runs` has added these runs.

    files: names of other files in the same folder, to which the page links.

    worst, right, disagreeing: number of examples of each type of answer. They are the last run's
    worst answers, some of its right answers, and answers that only the first or the last run has
    right.
    """
    check_names(runs)
    check_replaceable([Path(path)])
    groups = group_runs(runs)
    comparisons, refusals = compare_groups(groups)
    one_per_group = len(groups) == len(runs)
    all_runs, runs = runs, [_representative(group) for group in groups]
    samples = samples or {}
    # A small test is shown in full, with all its right answers.
    if right is None:
        right = _ALL if len(runs[-1].scores.items) <= _ALL else _RIGHT
    examples = example_pictures(
        runs, samples, n_worst=worst, n_right=right, n_disagreeing=disagreeing
    )
    types = type_names(runs)
    # Differences of groups are in separate sections.
    of_runs = comparisons if one_per_group else ()
    # A lazy mapping may draw its samples, which is too slow for the facts of all questions.
    stored = samples if isinstance(samples, dict) else {}
    classes_by_type = fact_classes(runs[-1], stored)
    browser = answer_browser_data(runs, stored, classes_by_type, examples)
    by_id = {item["id"]: item for item in browser["items"]}
    script = (Path(__file__).parent / "report.js").read_text(encoding="utf-8")
    page = template("report.html.j2").render(
        title=title or report_title(runs),
        date=answer_dates(all_runs),
        note=note,
        files=files,
        runs=runs,
        verdicts=_verdicts(groups, comparisons, len(types)),
        differences=list(chain.from_iterable(map(difference_tables, comparisons))),
        notes=[*refusals, *coverage_notes(runs), *group_notes(runs)],
        warnings=[*answer_warnings(all_runs), *filter(None, map(space_warning, all_runs))],
        groups=[] if one_per_group else [group.sentence for group in groups],
        published=beside,
        sections=[section(runs, type_name, of_runs) for type_name in types],
        means={} if one_per_group else {t: seed_charts(groups, t) for t in types},
        slices=slices(runs, stored, classes_by_type),
        facts_heading=facts_heading(runs[-1], stored),
        by_source=[
            (name, [summary(of_source, type_name, ()) for type_name in type_names(of_source)])
            for name, of_source in split_by_source(runs).items()
        ],
        beliefs=calibration_sections(runs),
        forgetting=forgetting_rows(runs),
        curves=curves({run.name: run.log for run in all_runs if run.log}),
        fewest=FEWEST,
        n_pictures=sum(bool(picture) for picture, _ in examples.values()),
        has_frames=any(
            picture and any(" cut" not in str(frame[0]) for frame in frames)
            for picture, frames in examples.values()
        ),
        has_certainty=any(i.certainty is not None for run in runs for i in run.scores.items),
        has_edges=any(any(i.intervals) for run in runs for i in run.scores.items),
        has_cuts=any(item.cut is not None for run in runs for item in run.scores.items),
        examples=[(by_id[sample_id], *example) for sample_id, example in examples.items()],
        browser=browser,
        script=Markup(script),  # noqa: S704 - gnomon's script
        # The policy in the page's head lets only the script with this hash run.
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
    )
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    put_text(file, page)
    return file


def _representative(group: Group) -> RunResult:
    """Return the first run of a group. If the group has several runs, its name tells the seed."""
    # A single run keeps its name, which may tell more than the seed.
    if len(group.runs) == 1:
        return group.runs[0]
    return replace(group.runs[0], name=f"{group.name}, seed {next(iter(group.by_seed))}")


def report_title(runs: Sequence[RunResult]) -> str:
    """Build a title from the names of the runs, their models and their questions."""
    models = [printable(str(run.settings.get("name", ""))) for run in runs]
    same_model = len(set(models)) == 1
    names = [
        run.name if same_model or model in ("", run.name) else f"{run.name} ({model})"
        for run, model in zip(runs, models, strict=True)
    ]
    subject = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    subject = subject if len(names) <= _MOST_NAMED else f"{len(names)} runs"
    if same_model and models[0] not in ("", subject):
        subject = f"{models[0]}: {subject}"
    return f"{subject} on {data_title(runs[-1])}"


def answer_dates(runs: Sequence[RunResult]) -> str:
    """Return the date of the answers, or the first and the last date, or ""."""
    # ISO dates can be sorted as texts.
    days = sorted({run.date for run in runs if run.date})
    return " to ".join(dict.fromkeys((days[0], days[-1]))) if days else ""


def _verdicts(
    groups: Sequence[Group], comparisons: Sequence[Comparison], n_types: int
) -> Sequence[str]:
    """Return the verdicts. They are short if there are several types: a table has the figures."""
    if n_types > 1 and comparisons:
        return [comparison.short_verdict for comparison in comparisons]
    return list(chain.from_iterable(verdicts(groups, comparisons)))


_SOFT, _RULE, _BAR = "#5b6572", "#d9dee5", "#5573ff"
# Largest number of bars of a type, and of characters in a name, that fit in 1,200 pixels.
_MOST, _LONGEST = 8, 22


def write_picture(file: Path, runs: Sequence[RunResult]) -> Path:
    """Draw the first share or mean of each type, with a bar for each group of runs.

    A group is a recipe with all its seeds. At most eight groups are drawn.
    """
    from matplotlib.figure import Figure

    groups = group_runs(runs)
    first_groups, types = groups[:_MOST], type_names(runs)
    first_runs = [replace(group.runs[0], name=group.name) for group in groups]
    title = textwrap.fill(report_title(first_runs), 60)
    # In inches. The picture has 1,200 pixels, and its smallest letters are legible at 600.
    height = 0.7 + 0.25 * title.count("\n") + len(types) * (0.35 + 0.27 * len(first_groups))
    figure = Figure(figsize=(6.0, height), dpi=200, layout="constrained")
    figure.suptitle(title, x=0.02, ha="left", size=11, weight="bold", parse_math=False)
    for index, type_name in enumerate(types, 1):
        _panel(figure.add_subplot(len(types), 1, index), first_groups, type_name)
    omitted = [f"{len(groups) - _MOST} more in the report"] if groups[_MOST:] else []
    footer = ["95 % intervals", *filter(None, [answer_dates(runs)]), *omitted, "made with gnomon"]
    figure.supxlabel(" · ".join(footer), x=0.02, ha="left", size=7, color=_SOFT, parse_math=False)
    data = BytesIO()
    figure.savefig(data, metadata={"Software": SOFTWARE})
    put_bytes(file, data.getvalue())
    return file


def _panel(axes: Axes, groups: Sequence[Group], type_name: str) -> None:
    """Draw the bars of one type, with their intervals and figures."""
    metric, marks = next(iter(group_marks(groups, type_name)))
    title = f"{TYPES[type_name].title}: {metric.label}"
    axes.set_title(title, loc="left", size=8.5, color=_SOFT, parse_math=False)
    # The axis of shares is 0 to 100 %. Other axes end at the largest interval.
    end = 100.0 if metric.unit == "%" else max(max(m.interval or (m.value,)) for m in marks) or 1.0
    rows = range(len(marks))
    axes.barh(rows, end, 0.55, color=_RULE, alpha=0.5)
    axes.barh(rows, [mark.value for mark in marks], 0.55, color=_BAR)
    for row, mark in enumerate(marks):
        if mark.interval:
            axes.hlines(row, *mark.interval, color="black", lw=1.4)
        # The figure is outside the axes, because a long bar would cover it.
        axes.text(1.03, row, mark.text, transform=axes.get_yaxis_transform(), va="center", size=8.5)
    labels = [mark.label for mark in marks]
    names = [name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…" for name in labels]
    axes.set_yticks(rows, names, size=8.5, parse_math=False)
    axes.tick_params(length=0)
    axes.set(xlim=(0, end), ylim=(len(marks) - 0.5, -0.5))
    axes.xaxis.set_visible(False)
    axes.spines[:].set_visible(False)
