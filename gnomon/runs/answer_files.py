"""Files of answers, gnomon's own and other programs': the exam, scores and pictures of each.

Beside its own answers gnomon records the exam; for those of another program --data names it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from gnomon import files, jsons, recipe, store
from gnomon.eval import RunResult
from gnomon.eval.scoring import predictions, question_file
from gnomon.eval.scoring.other_formats import AnswerLine, MatchedAnswers, id_text, parse_answers
from gnomon.eval.scoring.question_file import Question
from gnomon.progress import warn
from gnomon.recipe import Columns, RecipeError
from gnomon.runs.directory import AFTER, BEFORE, no_run_message
from gnomon.runs.exam import Exam
from gnomon.runs.resolve import exam_of
from gnomon.runs.versions import kind_versions
from gnomon.sample import Prediction, Sample
from gnomon.store import Samples
from gnomon.store.reading.run_folder import RunFolder
from gnomon.store.user_data.lines import read_rows
from gnomon.store.user_data.row_files import raw_rows
from gnomon.store.user_data.table import UserTable


@dataclass(frozen=True)
class Provenance:
    """NAME.about.json, which `gnomon predict` writes before the first answer of NAME.jsonl."""

    exam: Exam
    data: dict[str, Any]
    """The samples' own description; the exam is another one as soon as it differs."""
    versions: dict[str, str]
    """Versions of the packages that made the answers."""
    kinds: dict[str, int]
    """Version of each kind that was drawn."""
    trained: int = 0
    """Questions about pictures that the model was trained on."""


def score_file(file: Path, *, name: str | None = None, boxes: str | None = None) -> RunResult:
    """Score a file of answers against the questions that it records.

    `boxes` names the dialect that boxes are read in, where it is not the predictions' own; "auto"
    finds it on a part that is then not scored.
    """
    if not file.exists():
        raise RecipeError(_no_answers(file))
    files.check_regular(file)  # a named pipe would be waited for without end
    provenance = read_provenance(file)
    # Reads answers from disk each time they are wanted: a file may be larger than memory.
    answers, n = predictions.PredictionFile(file), provenance.exam.samples
    if len(answers) < n:  # before as many samples are drawn as a damaged file may name
        raise ValueError(
            f"{file}: {n - len(answers):,} of {n:,} questions have no answer"
            " yet: the same `gnomon predict` resumes"
        )
    stored = question_file.load(file, _same_samples(file, provenance), n)
    try:
        for _ in predictions.require_settings(file, answers):  # reads every line, and keeps none
            pass
        run, note = score_answers(file, answers, stored, provenance.exam, provenance.data, boxes)
    except ValueError:
        predictions.check(file, {question.id for question in stored})
        raise  # no line is at fault
    if note:
        warn(f"{file}: {note}")
    return replace(
        run, name=name or run.name, versions=provenance.versions, trained=provenance.trained
    )


def score_answers(
    file: Path,
    answers: Collection[Prediction],
    questions: Iterable[Question],
    exam: Exam,
    data: Mapping[str, Any],
    boxes: str | None,
) -> tuple[RunResult, str]:
    """Score a file's answers, and return a note on the space its boxes were read in, too."""
    # Here, since it imports scipy, which a training does without.
    from gnomon.eval import score
    from gnomon.eval.scoring import spaces

    ids_by_source, note = exam.by_source(questions, data), ""
    if boxes is not None:
        answers, questions, note = spaces.read_in_space(answers, questions, boxes)
    # Generators, since a file may have millions of answers; each source reads it through again.
    sources = {}
    for source, ids in ids_by_source.items():
        sources[source] = score(
            (answer for answer in answers if answer.sample_id in ids),
            (question for question in questions if question.id in ids),
        )
    day = date.fromtimestamp(file.stat().st_mtime) if file.is_file() else date.today()
    run = RunResult(
        name=file.stem,
        scores=score(answers, questions),
        sources=sources,
        predictions=answers,
        asked={**data, "samples": exam.samples},
        questions=questions,
        # The day of the last answer: a file says no other, and scoring it again changes nothing.
        date=day.isoformat(),
    )
    return run, note


def score_run(
    out: Path, *, boxes: str | None = None, recipe_yaml: str | None = None
) -> list[RunResult]:
    """Score a run's answers, before and after as far as they are there, or a file of answers.

    `boxes` as in score_file. `recipe_yaml` is the run's recipe where the caller has it.
    """
    if not out.is_dir():
        return [score_file(out, boxes=boxes)]
    paths = [RunFolder(out).answers(name) for name in (BEFORE, AFTER)]
    runs = [score_file(path, boxes=boxes) for path in paths if path.is_file()]
    if not runs:
        raise RecipeError(_no_answers(out))
    log = RunFolder(out).log
    lines = jsons.read_lines(log) if log.exists() else None
    if recipe_yaml is None:
        recipe_yaml = recipe.read_text(RunFolder(out).recipe)
        # A damaged file is refused here: the report parses it again without a file's name.
        recipe.parse(recipe_yaml, name=str(RunFolder(out).recipe))
    # Only the last answers are of the training that the log shows.
    runs[-1] = replace(runs[-1], recipe_yaml=recipe_yaml, log=lines)
    return runs


def pictures_of(out: Path) -> tuple[Mapping[str, Sample], str]:
    """Return the samples that a run or a file answers, by id, and a note if pictures are missing.

    They come from the run's directory if it wrote them down, else from the sources, unless these
    have changed: then there are questions without pictures.
    """
    file = last_answers(out)
    provenance = read_provenance(file)
    exam = provenance.exam
    # A run lies two folders above its answers: RUN/predictions/after.jsonl.
    stored = _stored_samples(file.parent.parent, exam, provenance.data)
    if stored is not None:
        return store.SamplesById(stored, exam.samples), ""
    try:
        kinds = kind_versions(exam.sources)
        same = exam.pool.describe() == provenance.data and provenance.kinds == kinds
    except (ValueError, OSError, ImportError):  # a hub's needs a library, and a network
        same = False
    if same:
        return store.SamplesById(exam.pool, exam.samples), ""
    note = (
        f"The pictures are missing: since they were asked about, {' or '.join(exam.names)} was"
        " changed, moved or deleted. The true answers are those of that time: for others ask again"
        " (`gnomon predict`), into another file."
    )
    warn(note)
    path = question_file.question_path(file)
    # Without pictures the report still shows questions, answers and truths.
    rows = question_file.QuestionFile(path) if path.is_file() else ()
    return {q.id: Sample(q.id, None, q.question, q.target) for q in rows}, note


def _stored_samples(run: Path, exam: Exam, description: dict[str, Any]) -> Samples | None:
    """Open the exam's samples as a run wrote them to its directory; None if it has others."""
    try:
        stored = RunFolder(run).stored(exam.split)
    except (ValueError, OSError):  # what is damaged is not needed where the sources are there
        return None
    if stored is None or stored.describe() != description:
        return None
    # A run may hold more samples than the exam asked, of the same sources.
    return stored if (stored.length or 0) >= exam.samples else None


def last_answers(out: Path) -> Path:
    """Return the file of a run's last answers; a file of answers is returned as it is."""
    paths = [RunFolder(out).answers(name) for name in (AFTER, BEFORE)]
    path = next((path for path in paths if path.is_file()), out)
    if not path.is_file():
        raise RecipeError(_no_answers(out))
    return path


def _no_answers(out: Path) -> str:
    if out.suffix == ".jsonl" or RunFolder(out).is_run:
        return f"{out}: there are no answers yet; `gnomon predict` makes them"
    return no_run_message(out)


def provenance_path(answers: Path) -> Path:
    """Return the place of the record beside a file of answers."""
    return answers.with_suffix(".about.json")


def read_provenance(answers: Path) -> Provenance:
    """Read the record beside a file of answers."""
    path = provenance_path(answers)
    if not path.exists():
        raise RecipeError(
            f"{answers}: {path.name} is not beside it; it says what was asked. For answers made"
            " elsewhere --data names the questions"
        )
    try:
        values = jsons.loads(files.read_bytes(path, "what was asked"), "JSON")
        return recipe.validate(Provenance, values, name="about")
    except ValueError as error:
        raise RecipeError(f"{path}: not what `gnomon predict` writes: {error}") from error


def _same_samples(file: Path, provenance: Provenance) -> Iterator[Sample]:
    """Draw or read the exam's samples again; refuse them if they are others by now."""
    if provenance.exam.pool.describe() != provenance.data:
        raise ValueError(f"{file}: the samples are not those it answers any more: predict again")
    yield from provenance.exam


@dataclass(frozen=True)
class AnswerFormat:
    """Options of the command line on how a file of answers is read."""

    id_column: str | None = None
    """Column with the question's id; None to look for the usual names."""
    text_column: str | None = None
    """Column with the model's words; None to look for the usual names."""
    boxes: str | None = None
    """Dialect of the boxes where the file does not name it, or "auto"."""

    def require_data(self, data: str | None, overrides: Sequence[str]) -> None:
        """Refuse columns and overrides without --data, which alone gives them a meaning."""
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
        """Return the exam that --data names, whose questions the answers are to; None without."""
        self.require_data(data, overrides)
        return None if data is None else exam_of(data, overrides)


def score_foreign(
    file: Path, exam: Exam, answer_format: AnswerFormat
) -> tuple[RunResult, Mapping[str, Sample], str]:
    """Score any file of answers; return its samples by id, and notes for the report, too.

    A question without an answer counts as one that could not be read.
    """
    _check_asked(file, exam)
    lines = read_rows(file, text="text")  # of a table or of JSON lines; a bare line is an answer
    answers = parse_answers(
        lines, file.name, id_column=answer_format.id_column, text_column=answer_format.text_column
    )
    ids = [exam.pool.id(index) for index in range(exam.samples)]
    user_names = list(_user_names(exam, answers.id_column))
    matches = answers.by_question(ids, *user_names)
    predictions = [
        _prediction(matches.get(question.id), question, file.stem) for question in exam.questions
    ]
    notes = list(_notes(answers, ids, matches))
    # Ids 1, 2, 3 may be places in the list: then some other tool counted from 1, not from 0.
    if answers.counts_from(exam.samples, [*user_names, dict.fromkeys(ids, "")]) == 1:
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
    """Refuse gnomon's own answers if the record beside them says that they answer other questions.

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
    """Return the answer to a question; one that is missing has an empty text."""
    if answer is not None and answer.prediction is not None:
        return replace(answer.prediction, sample_id=question.id)
    text = "" if answer is None else answer.text or ""
    return Prediction(question.id, text, question.size, "plain", {"name": file})


def _user_names(exam: Exam, column: str | None) -> Iterator[dict[str, str]]:
    """Yield maps from a value of the user's own rows to the id of the row's sample.

    The values are those of the column of this name, the pictures' paths, and their file names. A
    value of several rows leads to an empty text.
    """
    if column is None:
        return
    picture_column = (exam.sources[0].columns or Columns()).image or column
    rows = _user_rows(exam)[: exam.samples]
    values = {name: [id_text(row.get(name)) for row in rows] for name in (column, picture_column)}
    file_names = [Path(value).name for value in values[picture_column]]
    for names in (*values.values(), file_names):
        counts = Counter(names)
        ids = {
            name: exam.pool.id(index) if counts[name] == 1 else ""
            for index, name in enumerate(names)
        }
        ids.pop("", None)
        if ids:
            yield ids


def _user_rows(exam: Exam) -> list[dict[str, Any]]:
    """Return the rows of a user's own file in the order of the samples; none for other sources."""
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
