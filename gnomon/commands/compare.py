"""Several runs side by side."""

from pathlib import Path

from gnomon.commands._parser import Html


def compare(
    *runs: str,
    out: Html,
    beside: list[str] | None = None,
    json: bool = False,
    data: str | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
    boxes: str | None = None,
) -> None:
    """Compare runs side by side, and take runs that differ only in the seed together.

    Examples:
        gnomon compare runs/ce-0 runs/ce-1 runs/ntil-0 runs/ntil-1 -o it.html
        gnomon compare gpt.csv qwen.jsonl --data my-clocks.yaml -o it.html

    runs RUN: a run or a file of answers. key=value overrides the recipe of --data, or says how your
        file is read, such as columns.answer=time
    out HTML: the report
    beside TABLE: a published table to show: ntil-clock, ntil-box, ntil-text or scalebench (may be
        given again)
    data RECIPE|DATA: the questions of answers that another program made, as for `gnomon score`
    id_column NAME: the column of such answers that names the question (default: answers are in the
        order of the questions)
    text_column NAME: the column with the model's words
    boxes SPACE: the space of their boxes, as for `gnomon score`
    """
    from gnomon.recipe import RecipeError
    from gnomon.runs.comparing import compare_runs
    from gnomon.runs.foreign_answers import AnswerFormat
    from gnomon.runs.report_output import check_outputs, lock_report

    # A file may have = in its name, as runs/seed=3: what exists is a run.
    overrides = [word for word in runs if "=" in word and not Path(word).exists()]
    files = [Path(word) for word in runs if word not in overrides]
    if not files:
        raise RecipeError("name a run or a file of answers")
    answer_format = AnswerFormat(id_column, text_column, boxes)
    with lock_report(out) as report_files:
        check_outputs(report_files, [*files, Path(data or files[0])])
        exam = answer_format.open_exam(data, overrides)
        compare_runs(files, out, exam, answer_format, published=beside or (), as_json=json)
