"""A file of a model's answers, from which a killed command resumes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from gnomon.atomic import replace_files
from gnomon.eval.scoring import predictions, question_file
from gnomon.eval.scoring.edges import kept_axes
from gnomon.eval.scoring.question_file import Question
from gnomon.progress import announce, note, track, warn
from gnomon.recipe import Recipe, RecipeError
from gnomon.runs.directory import write_json
from gnomon.runs.exam import Exam
from gnomon.runs.provenance import Provenance, provenance_path, read_provenance
from gnomon.runs.reader import Reader
from gnomon.runs.versions import kind_versions, stored_kinds, versions
from gnomon.sample import Sample
from gnomon.store.changed_rows import ComparedRow, explain_differences
from gnomon.store.formats.manifest import differences
from gnomon.store.lock import sole_writer
from gnomon.store.reading.run_folder import RunFolder


def answer_exam(recipe: Recipe, exam: Exam, out: Path, *, run: Path | None = None) -> Path:
    """Ask a run's trained model the questions of an exam. If `run` is None, ask the untrained
    model."""
    return AnswerFile(out).ask(Reader(recipe, run), exam)


@dataclass(frozen=True)
class AnswerFile:
    """A file of answers. It decides which of them a resumed command may keep.

    An answer is kept if its question, its picture by content, the model's weights and all settings
    are the same.
    """

    path: Path

    def ask(self, reader: Reader, exam: Exam) -> Path:
        """Ask the questions of an exam that have no answer yet, and return the file.

        The run may be training meanwhile: only the file of answers is locked.
        """
        with sole_writer(self.path):
            provenance = _provenance(exam, self.path)
            # All that may be refused is refused before a record or an answer is touched.
            reader.check()
            if self.path.is_file():
                predictions.check(self.path, exam.ids())
                predictions.answered_ids(self.path, reader.settings)
            _record(self.path, provenance)
            self.drop_changed(exam)
            if not self._reuse_beliefs(reader, provenance):
                self._append(reader, exam, exam.samples)
            if n := self.count_trained(reader):
                _record(self.path, replace(provenance, trained=n))
        return self.path

    def count_trained(self, reader: Reader) -> int:
        """Count the questions whose pictures the reader's run was trained on."""
        return reader.trained_rows.count_trained(
            _questions_in(question_file.question_path(self.path))
        )

    def complete(
        self, reader: Reader, open_samples: Callable[[], Iterable[Sample]], n: int
    ) -> None:
        """Append the missing answers to n samples. The caller has locked the file."""
        reader.check()
        predictions.answered_ids(self.path, reader.settings)
        self.drop_changed(open_samples())
        self._append(reader, open_samples(), n)

    def _append(self, reader: Reader, samples: Iterable[Sample], n: int) -> None:
        done = predictions.answered_ids(self.path, reader.settings)
        if len(done) == n:
            return  # no model is loaded
        if reader.find is not None:
            announce(f"asking first: {reader.find}")
        rest = (sample for sample in samples if sample.id not in done)
        # A question is stored before it is asked.
        recorded = question_file.record(rest, question_file.question_path(self.path))
        n_kept = 0
        with track(total=n, initial=len(done), desc="answers") as bar:
            for batch in reader.predictions(recorded):
                predictions.append(self.path, batch)
                bar.update(len(batch))
                n_kept += kept_axes(batch)
        if n_kept:
            warn(
                f"{n_kept} pairs of edges are kept as the model wrote them: by the"
                f" {reader.rule.name} of each edge, the box would be empty or reversed"
            )

    def drop_changed(self, samples: Iterable[Sample]) -> None:
        """Drop answers about pictures that were changed or removed. Refuse other questions.

        The stored questions hold a hash of each picture. An answer without a stored question is
        also dropped.
        """
        path = question_file.question_path(self.path)
        answers = predictions.resume(self.path)
        stored = {q.id: (q.question, q.content) for q in _questions_in(path)}
        answered = {answer.sample_id for answer in answers}
        unseen, same = {*stored, *answered}, set()
        for sample in samples if unseen else ():
            if sample.id in unseen:
                unseen.remove(sample.id)
                words, content = stored.get(sample.id, ("", None))
                if words and words != sample.question:
                    raise ValueError(
                        f"{self.path}: {sample.id!r} was asked {words!r}, not {sample.question!r}:"
                        " delete that file, or write to another"
                    )
                if content == Question.of(sample).content:
                    same.add(sample.id)
            if not unseen:
                break
        if same >= {*stored, *answered}:
            return
        if n := len(answered - same):
            note(
                f"{self.path}: {n:,} of {len(answered):,} answers are about other pictures: asking"
                " again"
            )
        with replace_files(self.path, path) as folder:
            predictions.append(folder / self.path.name, (a for a in answers if a.sample_id in same))
            rows = (question for question in _questions_in(path) if question.id in same)
            for _ in question_file.record(rows, folder / path.name):
                pass

    def _reuse_beliefs(self, reader: Reader, provenance: Provenance) -> bool:
        """Answer from beliefs that other files hold; True if no question is left to be asked."""
        certifier, run = reader.certifier, reader.run
        if certifier is None or run is None or reader.recipe.model.server is not None:
            return False
        from gnomon.runs.stored_beliefs import certify_stored

        folders = dict.fromkeys([self.path.parent, RunFolder(run).predictions])
        return certify_stored(self.path, provenance, reader.settings, certifier, folders)


def _questions_in(path: Path) -> Iterable[Question]:
    """Return the questions in a file, or an empty list if the file does not exist."""
    return question_file.QuestionFile(path) if path.is_file() else ()


def _provenance(exam: Exam, out: Path) -> Provenance:
    """Return the record of an exam; refuse a file that holds answers to another one."""
    new = Provenance(exam, exam.pool.describe(), versions(), _kind_versions(exam))
    if not _has_answers(out) or not provenance_path(out).is_file():
        return new
    old = read_provenance(out)
    if exam.folder is not None:  # stored samples stay, whatever kinds draw today
        new = replace(new, kinds=old.kinds)
    # The versions are compared like the data, so one message names both.
    before = {**old.data, "version": old.kinds}
    changes = list(differences(before, {**new.data, "version": new.kinds}))
    if changes:
        stored = _questions_in(question_file.question_path(out))
        changes = explain_differences(changes, _compared(stored), _compared(exam.questions))
    if old.exam.samples > exam.samples:
        changes.append(f"eval.samples is {old.exam.samples} there, {exam.samples} here")
    if changes:
        raise RecipeError(
            f"{out} holds answers to other samples ({'; '.join(changes[:3])}):"
            " delete that file to ask again, or write to another"
        )
    return replace(new, versions=old.versions, trained=old.trained)


def _compared(questions: Iterable[Question]) -> Iterator[ComparedRow]:
    for question in questions:
        yield ComparedRow(
            question.id, question.question, question.target, question.facts, question.content
        )


def _kind_versions(exam: Exam) -> dict[str, int]:
    """Return the versions of the kinds that drew the samples."""
    kinds = stored_kinds(exam.folder.parent) if exam.folder is not None else None
    if kinds is None:
        return kind_versions(exam.sources)
    names = {source.kind for source in exam.sources}
    return {name: number for name, number in kinds.items() if name in names}


def _record(out: Path, provenance: Provenance) -> None:
    """Store the exam before its first answer. An exam without answers is replaced."""
    if not _has_answers(out):
        _check_records_are_ours(out)
        question_file.question_path(out).unlink(missing_ok=True)
    values = {**vars(provenance), "exam": provenance.exam.to_json()}
    write_json(provenance_path(out), values)


def _check_records_are_ours(out: Path) -> None:
    """Refuse to replace a user's files that have the names of the records of answers."""
    provenance, rows = provenance_path(out), question_file.question_path(out)
    others = [] if question_file.is_ours(rows) else [rows]
    if provenance.exists():
        try:
            read_provenance(out)
        except RecipeError:
            others.append(provenance)
    if others:
        names = ", ".join(map(str, others))
        raise FileExistsError(
            f"{names}: this would be written beside the answers, and gnomon did not write what is"
            " there: move it away, or write to another file"
        )


def _has_answers(out: Path) -> bool:
    return out.is_file() and out.stat().st_size > 0
