"""The scores of a run's answers, or of answers made elsewhere, and the report of runs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gnomon import progress
from gnomon.atomic import put_text, replace_files
from gnomon.commands._parser import Count, Html
from gnomon.eval import RunResult
from gnomon.eval.report.files import ReportFiles, check_replaceable
from gnomon.progress import warn
from gnomon.recipe import RecipeError
from gnomon.runs import answer_files
from gnomon.runs.directory import pretty_json
from gnomon.sample import Sample
from gnomon.store.lock import sole_writer
from gnomon.terminal import show, show_json


def score(
    predictions: Path,
    *overrides: str,
    out: Html | None = None,
    boxes: str | None = None,
    json: bool = False,
    data: str | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
    review: Count | None = None,
    reviewed: Path | None = None,
) -> None:
    """Score answers; needs no model.

    Example: gnomon score runs/demo
    | gnomon score answers.csv --data labels.csv columns.answer=time

    predictions PREDICTIONS: a run, or answers: a .jsonl, .json, .csv, .tsv or .parquet
    overrides key=value: of the recipe of --data, or of how your file is read, such as
        columns.answer=time
    out HTML: the report
    boxes SPACE|auto: the space that boxes are in: plain, pixels, qwen2-vl and so on; auto finds it
        on a tenth of the answers, at least 20, and does not score these; default: what the
        predictions say
    data RECIPE|DATA: the questions of answers that another program made: a recipe, a kind, a
        dataset, or your own .csv or folder
    id_column NAME: the column of such answers that names the question; without it their order does
    text_column NAME: the column with the model's words
    review N: write a page of N answers to judge by hand
    reviewed JSON: the judgements that this page saved: report how often answers were misread
    """
    name = predictions.stem if data is None else f"{predictions.stem}-scores"
    default = predictions.with_name(f"{name}.html")
    out = out or (predictions / "report.html" if predictions.is_dir() else default)
    answer_format = answer_files.AnswerFormat(id_column, text_column, boxes)
    with lock_report(out) as files:
        if data is None:  # missing answers are the better message than a file in the way
            answer_format.require_data(data, overrides)
            answer_files.read_provenance(answer_files.last_answers(predictions))
        inputs = [predictions, Path(data or predictions), reviewed or predictions]
        check_outputs(files, inputs, review=review is not None)
        exam = answer_format.open_exam(data, overrides)
        if exam is not None:
            run, samples, note = answer_files.score_foreign(predictions, exam, answer_format)
            runs = [run]
        else:
            runs = answer_files.score_run(predictions, boxes=boxes)
            samples, note = answer_files.pictures_of(predictions)
        report(runs, out, samples, note, as_json=json, review=review, reviewed=reviewed)


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
    from gnomon.eval import table, write_report
    from gnomon.eval.report.answers import write_csv
    from gnomon.eval.report.page import write_picture
    from gnomon.eval.report.review import reader_error, write_review
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
    with lock_report(file) as files:
        outputs = files if review is None else (*files, files.review)
        # A reader of the folder sees the old report or the new one, never a mixture.
        with replace_files(*outputs) as folder:
            write_csv(folder / files.csv.name, runs)
            put_text(folder / files.json.name, pretty_json(values) + "\n")
            write_picture(folder / files.picture.name, runs)
            names = [path.name for path in files[1:]]
            write_report(
                folder / file.name, runs, samples=samples, note=note, beside=published, files=names
            )
            if review is not None:
                write_review(folder / files.review.name, runs[-1], samples, review)
            check_outputs(files, review=review is not None)  # some may have come meanwhile
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
