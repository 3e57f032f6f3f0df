"""Reports of runs: an HTML page with its CSV, JSON and picture, and the printed table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gnomon.atomic import put_text, replace_files
from gnomon.eval import RunResult
from gnomon.eval.report.report_files import ReportFiles, check_replaceable
from gnomon.options import option
from gnomon.progress import warn
from gnomon.recipe import RecipeError
from gnomon.runs.directory import pretty_json
from gnomon.sample import Sample
from gnomon.store.lock import sole_writer
from gnomon.terminal import show, show_json


@contextmanager
def lock_report(page: Path) -> Iterator[ReportFiles]:
    """Lock all files of a report."""
    files = ReportFiles.of(page)
    with sole_writer(*files):
        yield files


def check_outputs(files: ReportFiles, inputs: Iterable[Path] = ()) -> None:
    """Refuse to write a report over its own inputs, or over files that gnomon did not write."""
    # Resolved, since one file may be named in several ways.
    outputs = {file.resolve() for file in files}
    for file in inputs:
        if file.resolve() in outputs:
            raise RecipeError(
                f"{files.page} and its other files would replace {file}:"
                f" name another report ({option('out')})"
            )
    check_replaceable(files)


def report(
    runs: Sequence[RunResult],
    file: Path,
    samples: Mapping[str, Sample],
    note: str = "",
    *,
    text: str | None = None,
    published: Sequence[Any] = (),
    as_json: bool = False,
) -> Path:
    """Write the report as HTML, CSV, JSON and a picture, and print `text`, or the table of scores.

    `published` are tables that papers printed.
    """
    from gnomon.eval import table
    from gnomon.eval.scoring.spaces import space_warning

    for warning in map(space_warning, runs):
        if warning:  # boxes seem to be in another coordinate space
            warn(warning)
    values = write_pages(runs, file, samples, note, published=published)
    if as_json:
        show_json({**values, "report": str(file)})
    else:
        show(text or table(runs), f"report: {file}")
    return file


def write_pages(
    runs: Sequence[RunResult],
    file: Path,
    samples: Mapping[str, Sample],
    note: str = "",
    *,
    published: Sequence[Any] = (),
) -> dict[str, Any]:
    """Write the report as HTML, CSV, JSON and a picture. Return the values of the JSON.

    The files take their places together.
    """
    from gnomon.eval import write_report
    from gnomon.eval.report.answers import write_csv
    from gnomon.eval.report.page import write_picture
    from gnomon.eval.report.text_tables import json_data

    # JSON and the printed table come from the same figures as the page.
    values = json_data(runs)
    # A reader of the folder sees the old report or the new one, never a mixture.
    with lock_report(file) as files, replace_files(*files) as folder:
        write_csv(folder / files.csv.name, runs)
        put_text(folder / files.json.name, pretty_json(values) + "\n")
        write_picture(folder / files.picture.name, runs)
        names = [path.name for path in files[1:]]
        write_report(
            folder / file.name, runs, samples=samples, note=note, beside=published, files=names
        )
        check_outputs(files)  # some may have come meanwhile
    return values
