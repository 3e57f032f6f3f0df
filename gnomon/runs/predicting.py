"""`gnomon predict`: answers to an exam, or about pictures without labels, into a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from gnomon.eval.calibration.calibration import Certifier
from gnomon.eval.scoring import predictions
from gnomon.progress import warn
from gnomon.recipe import Eval, RecipeError, parse_file
from gnomon.runs.answer import answer_text
from gnomon.runs.answer_file import AnswerFile
from gnomon.runs.answer_table import AnswerTable
from gnomon.runs.directory import AFTER, BEFORE
from gnomon.runs.exam import Exam, note_unasked
from gnomon.runs.guard_answers import ask_guard_of
from gnomon.runs.picture_input import find_pictures
from gnomon.runs.provenance import read_provenance
from gnomon.runs.reader import Reader
from gnomon.runs.trained_rows import warn_of_trained
from gnomon.sample import Prediction
from gnomon.store.reading.run_folder import RunFolder


def predict_pictures(reader: Reader, path: Path, out: Path | None) -> list[str]:
    """Ask the reader's question about a picture or a folder. Return the lines to print.

    One picture without `out` writes no file.
    """
    if not path.exists():
        raise RecipeError(f"{path}: there is no such file")
    question = None if reader.chooses_question else reader.question_and_form()[0]
    table = _table(out, path)
    if table is None:
        answer = reader.read(path)
        assert answer.prediction is not None  # a picture that cannot be opened is refused
        _warn_without_interval([answer.prediction], reader.certifier)
        warn_of_trained(int(answer.trained), 1)
        return [f"{answer.name}: {answer}"]
    answers = AnswerTable(table).fill(reader, find_pictures(path), question)
    lines = [f"{answers[0].sample_id}: {answer_text(answers[0])}"] if len(answers) == 1 else []
    count = f"{len(answers)} answer{'' if len(answers) == 1 else 's'}"
    _warn_without_interval(answers, reader.certifier)
    if refused := sum(answer.is_refused for answer in answers):
        count += f", {refused} of them refused,"
    topic = f'to "{question}"' if question else "to the questions of the instruments found"
    return [*lines, f"{table}: {count} {topic}"]


def predict_exam(reader: Reader, exam: Exam, data: str | None, out: Path | None) -> Path:
    """Ask the questions of DATA or of the run's own exam, and return the file of answers.

    Answers about cuts, and answers under other terms of a calibration, have separate files.
    """
    name = AFTER if data is None else Path(data).stem
    if data is not None and name in (BEFORE, AFTER):
        name = f"{name}-data"  # the run's own answers have these names
    name = f"{name}-{reader.certifier.terms.name}" if reader.certifier else name
    looks_first = reader.find or reader.finder
    file = out or _answer_path(reader, f"{name}-find" if looks_first else name)
    file = _require_suffix(file, ".jsonl", "answers to a data set")
    note_unasked(exam)
    if data is not None and (question := exam.only_question):
        reader.warn_of_unknown_question(question)
    if data is None or reader.run is None:  # the guard belongs to the exam of a recipe
        ask_guard_of(reader)
    AnswerFile(file).ask(reader, exam)
    _warn_without_interval(predictions.PredictionFile(file), reader.certifier)
    warn_of_trained(read_provenance(file).trained, exam.samples)
    return file


def _warn_without_interval(answers: Iterable[Prediction], certifier: Certifier | None) -> None:
    """Warn of the answers of a calibrated run that have no interval."""
    counts = Counter(
        answer.certainty is None
        for answer in answers
        if certifier and not (answer.finding and answer.finding.refusal)
    )
    if counts[True]:
        warn(
            f"{counts[True]:,} of {counts.total():,} answers have no interval: their question was"
            " not calibrated"
        )


def _table(out: Path | None, path: Path) -> Path | None:
    """Return the table of answers about pictures, or None for one picture without --out.

    An earlier table of the default name is not replaced: it may hold another run's answers.
    """
    if out is not None:
        return _require_suffix(out, ".csv", "answers about pictures")
    if not path.is_dir():
        return None
    table = Path("answers.csv")
    if table.exists():
        raise RecipeError(
            f"{table} already exists: name another file, as in --out {path.name or 'more'}.csv,"
            f" or replace it with --out {table}"
        )
    return table


def _require_suffix(out: Path, suffix: str, what: str) -> Path:
    """Return the file, or refuse a name with another ending."""
    if out.suffix != suffix:
        raise RecipeError(f"--out {out}: {what} are written as {suffix}")
    return out


def _answer_path(reader: Reader, data: str) -> Path:
    """Return the default file of answers: in the run, or in the folder predictions."""
    # What a server holds may be other weights than the run's.
    run = None if reader.recipe.model.server else reader.run
    section = reader.recipe.eval
    rule: str = Eval.answer
    if run is not None:
        stored = parse_file(RunFolder(run).recipe).get("eval") or {}
        rule = stored.get("answer", rule)
    # Answers by another rule get a separate file, for `gnomon compare`.
    is_usual = reader.certifier is not None or section.answer == rule
    name = data if is_usual else f"{data}-{section.answer}"
    name = f"{name}-belief" if section.belief else name
    if run is not None:
        return RunFolder(run).answers(name)
    return Path("predictions") / f"{Path(reader.recipe.model.name).name}-{name}.jsonl"
