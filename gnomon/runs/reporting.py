"""Reports of runs: an HTML page with its CSV, JSON and picture, and the printed table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gnomon import progress
from gnomon.atomic import put_text, replace_files
from gnomon.eval import RunResult
from gnomon.eval.report.files import ReportFiles, check_replaceable
from gnomon.progress import warn
from gnomon.recipe import RecipeError
from gnomon.runs.directory import pretty_json
from gnomon.sample import Sample
from gnomon.store.lock import sole_writer
from gnomon.terminal import show, show_json


@contextmanager
def lock_report(page: Path) -> Iterator[ReportFiles]:
    """Lock all files of a report, the page of judgements among them."""
    files = ReportFiles.of(page)
    # Locked even if no page is written now: another `score --review` may be writing it.
    with sole_writer(*files, files.review):
        yield files


def check_outputs(files: ReportFiles, inputs: Iterable[Path] = (), *, review: bool = False) -> None:
    """Refuse to write a report over its own inputs, or over files that gnomon did not write.

    `review` is true if the page of judgements is written, too.
    """
    # Resolved, since one file may be named in several ways.
    outputs = {file.resolve() for file in files}
    for file in inputs:
        if file.resolve() in outputs:
            raise RecipeError(
                f"{files.page} and what is written beside it would replace {file}: name another"
                " --out"
            )
    check_replaceable((*files, files.review) if review else files)


def report(
    runs: Sequence[RunResult],
    file: Path,
    samples: Mapping[str, Sample],
    note: str = "",
    *,
    text: str | None = None,
    published: Sequence[Any] = (),
    as_json: bool = False,
    review: int | None = None,
    reviewed: Path | None = None,
) -> Path:
    """Write the report as HTML, CSV, JSON and a picture, and print `text`, or the table of scores.

    The files take their places together. `published` are tables that papers printed. `review` is
    the number of answers on a further page, where a person judges how they were read; `reviewed`
    is the file of judgements that this page saved.
    """
    from gnomon.eval import table
    from gnomon.eval.report.review import reader_error
    from gnomon.eval.report.text_tables import json_data
    from gnomon.eval.scoring.spaces import space_warning

    # JSON and the printed table come from the same figures as the page.
    values, text = json_data(runs), text or table(runs)
    if reviewed:
        error = reader_error(reviewed, runs[-1])
        values |= {"reader": asdict(error)}
        note, text = f"{note} {error.sentence}".strip(), f"{text}\n{error.sentence}"
    for warning in map(space_warning, runs):
        if warning:  # boxes seem to be in another coordinate space
            warn(warning)
    files = write_pages(runs, file, samples, note, values, published=published, review=review)
    if as_json:
        show_json({**values, "report": str(file)})
    else:
        show(text, f"report: {file}")
    if review is not None:
        name = files.review.with_suffix(".json").name
        progress.note(
            f"review: {files.review}; judge, save {name}, and score again with --reviewed {name}"
        )
    return file


def write_pages(
    runs: Sequence[RunResult],
    file: Path,
    samples: Mapping[str, Sample],
    note: str = "",
    values: Any = None,
    *,
    published: Sequence[Any] = (),
    review: int | None = None,
) -> ReportFiles:
    """Write the report as HTML, CSV, JSON (of `values`) and a picture, which appear together."""
    from gnomon.eval import write_report
    from gnomon.eval.report.answers import write_csv
    from gnomon.eval.report.page import write_picture
    from gnomon.eval.report.review import write_review
    from gnomon.eval.report.text_tables import json_data

    with lock_report(file) as files:
        outputs = files if review is None else (*files, files.review)
        # A reader of the folder sees the old report or the new one, never a mixture.
        with replace_files(*outputs) as folder:
            write_csv(folder / files.csv.name, runs)
            values = json_data(runs) if values is None else values
            put_text(folder / files.json.name, pretty_json(values) + "\n")
            write_picture(folder / files.picture.name, runs)
            names = [path.name for path in files[1:]]
            write_report(
                folder / file.name, runs, samples=samples, note=note, beside=published, files=names
            )
            if review is not None:
                write_review(folder / files.review.name, runs[-1], samples, review)
            check_outputs(files, review=review is not None)  # some may have come meanwhile
    return files
