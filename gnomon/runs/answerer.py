"""Answers of a model in a file, on which a killed verb goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.eval.calibration import calibration as calibrations
from gnomon.eval.calibration.calibration import Certifier
from gnomon.eval.scoring import predictions, questions
from gnomon.pipeline import families
from gnomon.pipeline.answering.rule import AnswerRule, full_settings
from gnomon.progress import warn
from gnomon.recipe import Recipe, RecipeError
from gnomon.runs import answer_files, cuts, directory
from gnomon.runs.answer_files import Provenance, provenance_path, read_provenance
from gnomon.runs.exam import Exam
from gnomon.runs.trained_rows import read_rows
from gnomon.sample import Sample
from gnomon.store.formats.manifest import differences
from gnomon.store.lock import sole_writer
from gnomon.store.reading.run_folder import RunFolder

if TYPE_CHECKING:
    from gnomon.pipeline.load import Loaded

# End of the name of a file of boxes, beside the answers about what is cut out by them.
_BOXES = ".boxes.part"
# Pictures whose sizes are looked at before all are asked about.
_LOOKED_AT = 8


def answer_exam(
    recipe: Recipe, exam: Exam, out: Path, *, run: Path | None = None, find: str | None = None,
    certifier: Certifier | None = None,
) -> Path:  # fmt: skip
    """Ask the exam's questions of a run's trained model, or (run None) of the model as it came.

    `find` is the question for the box that is cut out first; None asks about whole pictures. The
    run may be training meanwhile: only the file of answers is locked.
    """
    return Answerer(recipe, run, find, certifier).answer(exam, out)


@dataclass(frozen=True)
class Answerer:
    """A model that answers by a recipe into a file, on which a killed verb goes on."""

    recipe: Recipe
    run: Path | None = None
    """Run that trained the model; None for one as it came."""
    find: str | None = None
    """Question for the box that is cut out first; None to ask about whole pictures."""
    certifier: Certifier | None = None
    """Calibration of the run under the user's terms."""

    def answer(self, exam: Exam, out: Path) -> Path:
        """Ask an exam's questions, those that an earlier start left; return the file of answers."""
        with sole_writer(out):
            provenance = _provenance(exam, out)
            if out.is_file():
                predictions.check(out, exam.ids())
            _record(out, provenance)
            if not self._reuse_beliefs(provenance, out):
                self.append(lambda: exam, exam.samples, out)
            if trained := self.count_trained(out):
                _record(out, replace(provenance, trained=trained))
        return out

    def count_trained(self, out: Path) -> int:
        """Count the questions beside a file of answers whose pictures the run was trained on."""
        rows = questions.QuestionFile(questions.question_path(out))
        return read_rows(self.run).count_trained(rows)

    def append(
        self, samples: Callable[[], Iterable[Sample]], n: int, out: Path, **more: Any
    ) -> None:
        """Append answers to n samples; `more` goes with the settings that they depend on.

        `samples` opens the pictures: where one is cut, once for the boxes and once for the answers.
        """
        answer_files.drop_changed(out, samples())
        if self.find is None:
            loaded = None if self.recipe.model.server else self._load()
            if loaded is not None:
                _warn_of_shrunk_pictures(loaded, islice(samples(), _LOOKED_AT))
            self._append(_recorded(samples(), out), n, out, loaded, **more)
        else:
            self._append_about_cuts(samples, n, out, self.find, **more)

    def _reuse_beliefs(self, provenance: Provenance, out: Path) -> bool:
        """Answer from beliefs that other files hold; True if no question is left to be asked."""
        if self.certifier is None or self.run is None or self.recipe.model.server is not None:
            return False
        from gnomon.runs.stored_beliefs import certify_stored

        answer_files.drop_changed(out, provenance.exam)
        settings = full_settings(
            self._settings(self.weights, self._cut_settings),
            self.recipe.eval.max_new_tokens,
            self._rule,
        )
        folders = dict.fromkeys([out.parent, RunFolder(self.run).predictions])
        return certify_stored(out, provenance, settings, self.certifier, folders)

    def _settings(self, weights: str | None, more: dict[str, Any]) -> dict[str, Any]:
        """Settings of a local model that are noted with each answer; they tell which stored answers
        may be used again.

        `weights` is the hash of the model's weights.
        """
        return {**self.recipe.model.settings, "weights": weights, **more}

    @property
    def weights(self) -> str | None:
        """Hash of the weights that answer; None for a model of the hub, or a blank one."""
        from gnomon.pipeline.load import fingerprint

        return fingerprint(self.recipe.model, self.run)

    def _load(self) -> Loaded:
        """Load the model, with what the run trained."""
        from gnomon.pipeline.load import load, load_trained

        model, seed = self.recipe.model, self.recipe.seed
        if self.run is None:
            return replace(load(model, seed=seed), weights=self.weights)
        return load_trained(model, self.run, seed=seed)

    @property
    def _cut_settings(self) -> dict[str, Any]:
        """Further settings of answers about cuts; none where whole pictures are asked about."""
        return {} if self.find is None else {"find": self.find, "margin": cuts.MARGIN}

    @property
    def _rule(self) -> AnswerRule:
        """Way from what the model gives to an answer."""
        return AnswerRule.of(self.recipe, self.certifier)

    def _append_about_cuts(
        self, samples: Callable[[], Iterable[Sample]], n: int, out: Path, find: str, **more: Any
    ) -> None:
        """Ask where the thing is in each picture, cut it out, and append answers about the cuts.

        Boxes are stored until all is answered, so that a killed verb asks nothing again.
        """
        directory.announce(f"asking first: {find}")
        boxes = out.with_name(out.name + _BOXES)
        section = self.recipe.eval
        plain = replace(section, belief=False, answer="greedy", grid=None, views=1)
        finder = Answerer(replace(self.recipe, eval=plain), self.run)
        loaded = self._load() if self.recipe.model.server is None else None
        answered = {answer.sample_id for answer in predictions.resume(out)}
        answer_files.drop_changed(boxes, samples())
        unanswered = (sample for sample in samples() if sample.id not in answered)
        uncut = _recorded(cuts.box_samples(unanswered, find), boxes)
        finder._append(uncut, n - len(answered), boxes, loaded, question=find)
        by_id = {answer.sample_id: answer for answer in predictions.resume(boxes)}
        of_cuts = cuts.cut_samples(_recorded(samples(), out), by_id)
        self._append(of_cuts, n, out, loaded, **self._cut_settings, **more)
        for file in (questions.question_path(boxes), boxes):
            file.unlink(missing_ok=True)

    def _append(
        self,
        samples: Iterable[Sample],
        n: int,
        out: Path,
        loaded: Loaded | None = None,
        **more: Any,
    ) -> None:
        """Append answers to n samples, about cuts or whole pictures.

        `loaded` is the model if it was loaded before. Its weights must be those that a calibration
        knows.
        """
        if self.recipe.model.server is not None:
            self._append_from_server(samples, n, out, more)
            return
        loaded = loaded or self._load()
        if self.certifier is not None and self.certifier.calibration.weights != loaded.weights:
            raise RecipeError(
                f"{self.run}: {calibrations.NAME} is of other weights, from before the last"
                " training: `gnomon calibrate` again, or delete that file"
            )
        # Imported here, since torch takes seconds that a served model does not need.
        from gnomon.pipeline.answering import local as answering

        answering.predict_to_file(
            loaded,
            samples,
            out,
            total=n,
            settings=self._settings(loaded.weights, more),
            batch_size=self.recipe.eval.batch_size,
            max_new_tokens=self.recipe.eval.max_new_tokens,
            rule=self._rule,
        )

    def _append_from_server(
        self, samples: Iterable[Sample], n: int, out: Path, more: dict[str, Any]
    ) -> None:
        settings, section, certifier = self.recipe.model, self.recipe.eval, self.certifier
        assert settings.server is not None
        if certifier is not None and certifier.calibration.weights != served_name(self.recipe):
            raise RecipeError(
                f"{served_folder(settings.name)}: {calibrations.NAME} is of"
                f" {certifier.calibration.weights}: `gnomon calibrate` again, or delete that file"
            )
        from gnomon.pipeline.answering.server import Server, predict_to_file

        names = {"name": settings.name, "server": settings.server, "family": settings.family}
        family = families.create(settings.family) if settings.family else None
        predict_to_file(
            Server(settings.server, settings.name, seconds=section.answer_seconds),
            samples,
            out,
            total=n,
            settings={**names, **more},
            n_parallel=section.batch_size,
            max_new_tokens=section.max_new_tokens,
            dialect=family.dialect if family else "plain",
            rule=self._rule,
            repeats=section.repeats,
        )


def served_folder(model: str) -> Path:
    """Return the folder of a served model's calibration, below the working directory."""
    return Path("predictions") / f"{Path(model).name}-served"


def served_name(recipe: Recipe) -> str:
    """Return what a calibration of a served model is of: nobody knows its weights."""
    return f"{recipe.model.name} at {recipe.model.server}"


def _warn_of_shrunk_pictures(loaded: Loaded, samples: Iterable[Sample]) -> None:
    """Say how far the model shrinks pictures, if small marks on them may be lost."""
    from gnomon.pipeline.planning.budget import shrunk_pictures_warning

    if warning := shrunk_pictures_warning(loaded.family, loaded.processor, list(samples)):
        warn(warning)


def _recorded(samples: Iterable[Sample], out: Path) -> Iterator[Sample]:
    """Yield the samples, the question of each stored beside the answers before it is asked."""
    return questions.record(samples, questions.question_path(out))


def _provenance(exam: Exam, out: Path) -> Provenance:
    """Return the record of an exam; refuse a file that holds answers to another one."""
    new = Provenance(exam, exam.pool.describe(), directory.versions(), _kind_versions(exam))
    if not _has_answers(out) or not provenance_path(out).is_file():
        return new
    old = read_provenance(out)
    if exam.folder is not None:  # stored samples stay, whatever kinds draw today
        new = replace(new, kinds=old.kinds)
    # Files older than the versions of kinds are taken to have today's.
    # The versions are compared like the data, so that one message names both.
    before = {**old.data, "version": old.kinds or new.kinds}
    changes = [*differences(before, {**new.data, "version": new.kinds})]
    if old.exam.samples > exam.samples:
        changes.append(f"eval.samples is {old.exam.samples} there, {exam.samples} here")
    if changes:
        raise RecipeError(
            f"{out} holds answers to other samples ({'; '.join(changes[:3])}):"
            " name another file (--out), or delete that one to ask again"
        )
    return replace(new, versions=old.versions)


def _kind_versions(exam: Exam) -> dict[str, int]:
    """Return the versions of the kinds by which the samples were drawn."""
    kinds = directory.stored_kinds(exam.folder.parent) if exam.folder is not None else None
    if kinds is None:
        return directory.kind_versions(exam.sources)
    names = {source.kind for source in exam.sources}
    return {name: number for name, number in kinds.items() if name in names}


def _record(out: Path, provenance: Provenance) -> None:
    """Write down the exam before its first answer; one that was never answered is replaced."""
    if not _has_answers(out):
        _check_records_are_ours(out)
        questions.question_path(out).unlink(missing_ok=True)
    values = {**vars(provenance), "exam": provenance.exam.to_json()}
    directory.write_json(provenance_path(out), values)


def _check_records_are_ours(out: Path) -> None:
    """Refuse to replace the user's own files that have the names of the records beside answers."""
    provenance, rows = provenance_path(out), questions.question_path(out)
    others = [] if questions.is_ours(rows) else [rows]
    if provenance.exists():
        try:
            read_provenance(out)
        except RecipeError:
            others.append(provenance)
    if others:
        names = ", ".join(map(str, others))
        raise FileExistsError(
            f"{names}: this would be written beside the answers, and gnomon did not write what is"
            " there: move it away, or name another file (--out)"
        )


def _has_answers(out: Path) -> bool:
    return out.is_file() and out.stat().st_size > 0
