"""Answers that another program wrote, scored against the questions that the user names."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gnomon import store
from gnomon.eval import RunResult
from gnomon.eval.scoring import question_file
from gnomon.eval.scoring.other_formats import (
    ID_COLUMNS,
    REQUEST_COLUMNS,
    AnswerLine,
    MatchedAnswers,
    id_text,
    parse_answers,
)
from gnomon.eval.scoring.question_file import Question
from gnomon.progress import warn
from gnomon.recipe import Columns, RecipeError
from gnomon.runs.answer_scores import score_answers
from gnomon.runs.exam import Exam
from gnomon.runs.provenance import provenance_path, read_provenance
from gnomon.runs.resolve import exam_of
from gnomon.sample import Prediction, Sample
from gnomon.store.user_data.lines import read_rows
from gnomon.store.user_data.row_files import raw_rows
from gnomon.store.user_data.table import UserTable


@dataclass(frozen=True)
class AnswerFormat:
    """Options of the command line on how a file of answers is read."""

    id_column: str | None = None
    """Column with the question's id. By default it is found by its usual names."""
    text_column: str | None = None
    """Column with the model's words. By default it is found by its usual names."""
    boxes: str | None = None
    """Dialect of the boxes if the file does not name it, or "auto"."""

    def require_data(self, data: str | None, overrides: Sequence[str]) -> None:
        """Refuse columns and overrides if --data is not given, because they describe that data."""
        columns = {"--id-column": self.id_column, "--text-column": self.text_column}
        words = [*(name for name, value in columns.items() if value), *overrides]
        file = next((word for word in overrides if "=" not in word), None)
        if data is None and file is not None:
            raise RecipeError(
                f"{file}: one file of answers is scored at a time, and `gnomon compare` sets"
                " several side by side; a file with the questions goes after --data"
            )
        if data is None and words:
            raise RecipeError(f"{', '.join(words)}: only with --data, which names the questions")

    def open_exam(self, data: str | None, overrides: Sequence[str]) -> Exam | None:
        """Return the exam that --data names, or None. Its questions belong to the answers."""
        self.require_data(data, overrides)
        return None if data is None else exam_of(data, overrides)


def score_foreign(
    file: Path, exam: Exam, answer_format: AnswerFormat
) -> tuple[RunResult, Mapping[str, Sample], str]:
    """Score any file of answers. Also return its samples by id, and notes for the report.

    A question without an answer counts as unread.
    """
    _check_asked(file, exam)
    lines = read_rows(file, text="text")  # of a table or of JSON lines; a bare line is an answer
    columns = list(_label_columns(exam))
    answers = parse_answers(
        lines,
        file.name,
        id_column=answer_format.id_column,
        text_column=answer_format.text_column,
        label_columns={name for name, _ in columns},
    )
    ids = [exam.pool.id(index) for index in range(exam.samples)]
    user_names = list(_user_names(exam, answers.id_column))
    matches = answers.by_question(ids, *user_names)
    answers.check_columns(matches, ids, columns)
    start = answers.counts_from(ids, *user_names)
    if start is not None and isinstance(exam.pool, UserTable) and exam.pool.n_skipped:
        raise ValueError(
            f"{answers.name}: column {answers.id_column!r} has positions of rows, which may be"
            f" shifted, since {exam.pool.n_skipped:,} rows of {exam.pool.name} are left out: give"
            " ids to the rows and name their column (--id-column)"
        )
    predictions = [
        _prediction(matches.get(question.id), question, file.stem) for question in exam.questions
    ]
    notes = list(_notes(answers, ids, matches))
    # Ids 1, 2, 3 may be places in the list: then some other tool counted from 1, not from 0.
    if start == 1:
        notes.append(f"{answers.name} counts the questions from 1: its id 1 is the first question.")
    description = exam.pool.describe()
    run, note = score_answers(
        file, predictions, exam.questions, exam, description, answer_format.boxes
    )
    notes += [note] if note else []
    for note in notes:
        warn(note)
    return run, store.SamplesById(exam.pool, exam.samples), " ".join(notes)


def _check_asked(file: Path, exam: Exam) -> None:
    """Refuse gnomon's own answers if their record says that they answer other questions.

    The labels may be others, such as corrected ones.
    """
    if not provenance_path(file).is_file():
        return
    before, path = read_provenance(file), question_file.question_path(file)
    stored = {q.id: q for q in question_file.QuestionFile(path)} if path.is_file() else {}
    what = "" if stored or before.data == exam.pool.describe() else "its samples are others"
    for question in exam.questions:
        old = stored.get(question.id, question)
        if old.question != question.question:
            what = f"{question.id} was asked {old.question!r}, not {question.question!r}"
        elif old.content != question.content:
            what = f"{question.id} was asked about another picture"
    if what:
        raise RecipeError(
            f"--data: {file} answers other questions ({what}): leave --data out, since"
            f" {provenance_path(file).name} says what was asked"
        )


def _prediction(answer: AnswerLine | None, question: Question, file: str) -> Prediction:
    """Return the answer to a question. A missing answer has an empty text."""
    if answer is not None and answer.prediction is not None:
        return replace(answer.prediction, sample_id=question.id)
    text = "" if answer is None else answer.text or ""
    return Prediction(question.id, text, question.size, "plain", {"name": file})


def _user_names(exam: Exam, column: str | None) -> Iterator[dict[str, str]]:
    """Yield dictionaries that map a value in the user's rows to the row's sample id.

    There is one dictionary each for the cells of `column`, the pictures' paths and their file
    names. Files of batch requests may name rows by other usual id columns as well. A value that
    several rows share maps to "".
    """
    if column is None:
        return
    rows = _user_rows(exam)[: exam.samples]
    names = [column, (exam.sources[0].columns or Columns()).image or column]
    if column in REQUEST_COLUMNS and not any(column in row for row in rows):
        names += ID_COLUMNS
    values = {name: [id_text(row.get(name)) for row in rows] for name in names}
    file_names = [Path(value).name for value in values[names[1]]]
    for names in (*values.values(), file_names):
        counts = Counter(names)
        ids = {
            name: exam.pool.id(index) if counts[name] == 1 else ""
            for index, name in enumerate(names)
        }
        ids.pop("", None)
        if ids:
            yield ids


def _label_columns(exam: Exam) -> Iterator[tuple[str, list[str]]]:
    """Yield columns that may identify a line's question, with the cells of the questions.

    Columns such as `index` are left out: a program may count its lines in its own order.
    """
    questions = [question.question for question in exam.questions]
    yield from (("question", questions), ("input", questions))  # `input` in lmms-eval's files
    columns = exam.sources[0].columns or Columns()
    names = {columns.question, columns.image, "id", "sample_id", "question_id"} - {None, "question"}
    rows = _user_rows(exam)[: exam.samples]
    for name in sorted(filter(None, names)):
        if rows:
            yield name, [id_text(row.get(name)) for row in rows]


def _user_rows(exam: Exam) -> list[dict[str, Any]]:
    """Return the rows of a user's file in the order of the samples. Other sources have no rows."""
    path = exam.sources[0].path
    if not isinstance(exam.pool, UserTable) or not path:
        return []
    by_line = dict(raw_rows(Path(path)))
    return [by_line[row.line] for row in exam.pool.rows]


def _notes(
    answers: MatchedAnswers, ids: Sequence[str], matches: Mapping[str, AnswerLine]
) -> Iterator[str]:
    """Yield what a reader of the figures has to know of how answers met questions."""
    if answers.id_column is None:
        yield f"{answers.name} names no ids: its answers are taken in the order of the questions."
    missing = len(ids) - len(matches)
    if missing:
        note = f"{answers.name} answers {len(matches):,} of {len(ids):,} questions; the other"
        note += f" {missing:,} count as unread."
        # Exactly the first ones: a run that was stopped, or asked a part on purpose.
        if matches.keys() == {*ids[: len(matches)]}:
            note += f" If no more were asked, say eval.samples={len(matches)}."
        yield note
    empty = sum(not answer.text for answer in matches.values())
    if empty:
        yield f"{answers.name} has {empty:,} empty answers; they count as unread."
