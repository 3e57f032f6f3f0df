"""Several runs side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gnomon.eval import RunResult
from gnomon.recipe import RecipeError
from gnomon.runs.answer_scores import pictures_of, score_run
from gnomon.runs.directory import AFTER, BEFORE
from gnomon.runs.exam import Exam
from gnomon.runs.foreign_answers import AnswerFormat, score_foreign
from gnomon.runs.provenance import provenance_path
from gnomon.runs.report_output import report
from gnomon.sample import Sample
from gnomon.store.reading.run_folder import RunFolder


def compare_runs(
    outs: Sequence[Path],
    file: Path,
    exam: Exam | None,
    answer_format: AnswerFormat,
    *,
    published: Sequence[str] = (),
    as_json: bool = False,
) -> Path:
    """Report the last answers of several runs or files side by side, the first as the baseline.

    Runs whose recipes differ in the seed alone are compared as one; runs that were not asked the
    same questions in the same way are refused. `exam` holds the questions of files that another
    program wrote.
    """
    from gnomon.eval import table
    from gnomon.eval.comparing.groups import check_same_exam, compare_groups, group_runs
    from gnomon.eval.report import text_tables

    tables = [text_tables.open_table(name) for name in published]
    is_ours = [out.is_dir() or exam is None or provenance_path(out).is_file() for out in outs]
    if exam is not None and all(is_ours):
        raise RecipeError("--data: all of these record their questions: leave --data out")
    runs: list[RunResult] = []
    notes: list[str] = []
    samples: Mapping[str, Sample] | None = None
    for out, name, ours in zip(outs, _names(outs), is_ours, strict=True):
        if exam is None or ours:
            _check_trained(out)
            run = score_run(out, boxes=answer_format.boxes)[-1]
        else:
            run, pictures, note = score_foreign(out, exam, answer_format)
            samples = samples if runs else pictures  # the report shows the first run's
            notes += [note] if note else []
        runs.append(replace(run, name=name))
    check_same_exam(runs)
    filled = [text_tables.add_runs(each, runs) for each in tables]
    groups = group_runs(runs)
    comparisons, refusals = compare_groups(groups)
    if samples is None:
        samples, note = pictures_of(outs[0])
        notes += [note] if note else []
    texts = [text_tables.table_text(each) for each in filled]
    texts += [
        text_tables.differences(groups, comparisons, refusals) if comparisons else table(runs)
    ]
    certainties = text_tables.certainty_table(runs)
    texts += [f"\n{certainties}\n"] if certainties else []
    return report(
        *(runs, file, samples, " ".join(notes)),
        text="\n".join(texts),
        published=filled,
        as_json=as_json,
    )


def _check_trained(out: Path) -> None:
    """Refuse a run that is still being trained: its answers come from the untrained model."""
    folder = RunFolder(out)
    if folder.answers(BEFORE).is_file() and not folder.answers(AFTER).is_file():
        raise RecipeError(
            f"{out} has no answers after its training. `gnomon run --out {out}` resumes it: leave"
            f" it out, or compare {folder.answers(BEFORE)} by its name"
        )


def _names(outs: Sequence[Path]) -> list[str]:
    """Name runs by their folders or files, or by their paths if two names would be equal."""
    names = [out.name if out.is_dir() else out.stem for out in outs]
    return names if len(set(names)) == len(names) else [str(out) for out in outs]
