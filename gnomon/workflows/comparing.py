"""Runs laid beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gnomon.eval import RunResult
from gnomon.recipe import RecipeError
from gnomon.sample import Sample
from gnomon.workflows.directory import as_text
from gnomon.workflows.scoring import about_file, pictures_of, results, score, warn_of_boxes


def compare(
    outs: Sequence[Path],
    file: Path,
    *,
    beside: Sequence[str] = (),
    as_json: bool = False,
    data: str | None = None,
    options: Sequence[str] = (),
    id_column: str | None = None,
    text_column: str | None = None,
    boxes: str | None = None,
) -> Path:
    """Lay several runs beside each other: each one's last answers, the first as the measure.

    Runs whose recipes differ in the seed alone are compared as one; runs that were not asked the
    same questions in the same way are refused. `beside` names published tables. The rest is for
    files of answers that were made elsewhere, as in `elsewhere.score`.
    """
    from gnomon import eval as evaluation
    from gnomon.eval.comparing.groups import check_alike, compared, grouped
    from gnomon.eval.comparing.published_tables import lay, open_table, text
    from gnomon.eval.report import text_tables
    from gnomon.eval.report.csv_table import write_csv
    from gnomon.eval.report.picture import write_picture
    from gnomon.eval.scoring.scored import write_scores
    from gnomon.workflows import elsewhere

    printed = [open_table(name) for name in beside]
    here = [out.is_dir() or data is None or about_file(out).is_file() for out in outs]
    if data is not None and all(here):
        raise RecipeError("--data: each of these says what it was asked; leave --data out")
    asked = None if data is None else elsewhere.asked_of(data, options)
    runs: list[RunResult] = []
    notes: list[str] = []
    samples: Mapping[str, Sample] | None = None
    for out, name, made_here in zip(outs, _names(outs), here, strict=True):
        if asked is None or made_here:
            run = _result(out)
        else:
            run, shown, said = elsewhere.score(
                out, asked, id_column=id_column, text_column=text_column, boxes=boxes
            )
            samples = shown if not runs else samples
            notes += [said] if said else []
        runs.append(replace(run, name=name))
    check_alike(runs)
    warn_of_boxes(runs)
    laid = [lay(table, runs) for table in printed]
    groups = grouped(runs)
    comparisons, _ = compared(groups)
    told = [comparison.to_json() for comparison in comparisons]
    beside_it = file.with_suffix(".csv"), file.with_suffix(".json")
    write_csv(beside_it[0], runs)
    write_scores(beside_it[1], {run.name: run.scores for run in runs}, told)
    if samples is None:
        samples, said = pictures_of(outs[0])
        notes += [said] if said else []
    note = " ".join(notes)
    names = [path.name for path in (*beside_it, write_picture(file.with_suffix(".png"), runs))]
    evaluation.write_report(file, runs, samples=samples, note=note, beside=laid, files=names)
    if as_json:
        print(as_text(text_tables.plain(runs) | {"report": str(file)}))
        return file
    for table in laid:
        print(text(table, runs))
    print(text_tables.differences(groups, comparisons) if comparisons else evaluation.table(runs))
    print(f"report: {file}")
    return file


def _names(outs: Sequence[Path]) -> list[str]:
    """What runs are called: their directories or files, with the way there if two are alike."""
    names = [out.name if out.is_dir() else out.stem for out in outs]
    return names if len(set(names)) == len(names) else [str(out) for out in outs]


def _result(out: Path) -> RunResult:
    return results(out)[-1] if out.is_dir() else score(out)
