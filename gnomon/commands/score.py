"""The scores of a run's answers, or of answers made elsewhere."""

from pathlib import Path

from gnomon.commands._parser import Html


def score(
    predictions: Path,
    *overrides: str,
    out: Html | None = None,
    boxes: str | None = None,
    json: bool = False,
    data: str | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
) -> None:
    """Score answers without a model.

    Examples:
        gnomon score runs/demo
        gnomon score answers.csv --data labels.csv columns.answer=time

    predictions PREDICTIONS: a run, or a file of answers: .jsonl, .json, .csv, .tsv or .parquet
    overrides key=value: keys of the recipe of --data, or how your file is read, such as
        columns.answer=time
    out HTML: the report
    boxes SPACE|auto: the space of the boxes: plain, pixels, qwen2-vl and so on. auto finds it on a
        tenth of the answers, at least 20, and does not score these (default: the space that the
        predictions name)
    data RECIPE|DATA: the questions of answers that another program made: a recipe, a kind, a
        dataset, or your own .csv or folder
    id_column NAME: the column of such answers that names the question (default: answers are in the
        order of the questions)
    text_column NAME: the column with the model's words
    """
    from gnomon.runs.answer_scores import last_answers, pictures_of, score_run
    from gnomon.runs.foreign_answers import AnswerFormat, score_foreign
    from gnomon.runs.provenance import read_provenance
    from gnomon.runs.report_output import check_outputs, lock_report, report

    name = predictions.stem if data is None else f"{predictions.stem}-scores"
    default = predictions.with_name(f"{name}.html")
    out = out or (predictions / "report.html" if predictions.is_dir() else default)
    answer_format = AnswerFormat(id_column, text_column, boxes)
    with lock_report(out) as files:
        if data is None:  # missing answers are the better message than a file in the way
            answer_format.require_data(data, overrides)
            read_provenance(last_answers(predictions))
        check_outputs(files, [predictions, Path(data or predictions)])
        exam = answer_format.open_exam(data, overrides)
        if exam is not None:
            run, samples, note = score_foreign(predictions, exam, answer_format)
            runs = [run]
        else:
            runs = score_run(predictions, boxes=boxes)
            samples, note = pictures_of(predictions)
        report(runs, out, samples, note, as_json=json)
