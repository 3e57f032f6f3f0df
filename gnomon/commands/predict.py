"""Answers of a model to an exam, or about pictures without labels."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from gnomon.answers.registry import TARGETS
from gnomon.commands import cuts, directory, pictures
from gnomon.commands.answer_files import Provenance, provenance_path, read_provenance
from gnomon.commands.exam import Exam
from gnomon.commands.resolve import (
    Resolved,
    exam_of,
    is_data,
    is_on_disk,
    resolve,
    resolve_values,
    split_overrides,
)
from gnomon.eval.calibration import calibration as calibrations
from gnomon.eval.calibration.calibration import Certifier, Terms
from gnomon.eval.scoring import predictions, questions
from gnomon.pipeline import families
from gnomon.pipeline.answering.rule import AnswerRule, full_settings
from gnomon.progress import note, warn
from gnomon.recipe import Columns, Recipe, RecipeError, parse_file
from gnomon.sample import Number, Prediction, Sample, Target, Text
from gnomon.store.formats.manifest import differences
from gnomon.store.lock import sole_writer
from gnomon.terminal import show

if TYPE_CHECKING:
    from gnomon.pipeline.load import Loaded

# End of the name of a file of boxes, beside the answers about what is cut out by them.
_BOXES = ".boxes.part"


def predict(
    model: str,
    data: str | None = None,
    *overrides: str,
    out: Path | None = None,
    question: str | None = None,
    find: bool = False,
    find_question: str | None = None,
    server: str | None = None,
    belief: bool = False,
    coverage: float | None = None,
    wrong: float | None = None,
    answered: float | None = None,
) -> None:
    """Ask a run, or a model as it came, for its answers.

    Example: gnomon predict runs/demo
    | gnomon predict gnomon-tiny clock rotation=10 eval.samples=100

    model RUN|MODEL: a run, a checkpoint or a hub id
    data DATA|PICTURES: a kind, recipe, dataset, your own table, a picture or a folder of them;
        default: what the run holds out
    overrides key=value: such as eval.batch_size=4, or columns.answer=time for your own file
    out FILE: the answers: .jsonl, or .csv of pictures; default of a folder: answers.csv, if there
        is none yet; of one picture the answer is printed, and stored only with --out
    question TEXT: the question about each picture, such as "What time is it?"; default: the one
        that the run was trained on
    find: ask first where the clock, dial or counter is, cut it out with a margin, and ask about
        that alone; for a run that learned both
    find_question TEXT: the question for its box, such as "Where is the clock? Give its box.", and
        --find; default: the one that the run was trained on
    server URL: an OpenAI-compatible server that holds MODEL, such as http://localhost:8000/v1; the
        key is in OPENAI_API_KEY
    belief: store the probability of every minute of a clock, number to 100, choice of a text, and
        of each number of a box
    coverage SHARE: of a run that `gnomon calibrate` has seen: the share of truths that lie between
        low and high (0.9)
    wrong SHARE: of such a run: refuse what is too unsure for at most this share of the answers to
        be wrong, such as 0.05; of new groups, where the calibration had some
    answered SHARE: of such a run: answer only this share, the surest, such as 0.8
    """
    data, words = data_and_overrides(data, overrides, belief=belief, server=server)
    path = pictures.pictures_in(data)
    run = trained_run(model)
    # Who asks for another answer by name gets that one, without what a calibration says.
    is_plain = any(word.startswith("eval.answer=") for word in words)
    place_of = served_folder(model) if server and run is None else run
    terms = {"coverage": coverage, "wrong": wrong, "answered": answered}
    if is_plain and (name := next((name for name, value in terms.items() if value), None)):
        raise RecipeError(
            f"--{name} {terms[name]:g} is about calibrated answers, and eval.answer chooses others:"
            " leave one of the two out"
        )
    certifier = _certifier(model, None if is_plain else place_of, coverage, wrong, answered)
    if is_plain and place_of is not None and (place_of / calibrations.NAME).is_file():
        note("eval.answer is given, so that the run's calibration is not used")
    resolved = resolve_model(model, data, words)
    if find and find_question is None:
        find_question = cuts.box_question(resolved.check_names(), run)
    if path is not None:
        recipe = _as_calibrated(resolved.check_names(), certifier)
        if question is not None and not question.strip():
            raise RecipeError(f"--question {question!r}: say what to ask about the pictures")
        question = pictures.question_of(recipe, run) if question is None else question
        file = _picture_file(out, path)
        with TemporaryDirectory() as folder:  # for the answer about one picture
            answers = answer_pictures(
                recipe,
                path,
                question,
                file or Path(folder, "answers.csv"),
                run=run,
                find=find_question,
                certifier=certifier,
            )
        if len(answers) == 1:
            show(pictures.answer_line(answers[0]))
        count = f"{len(answers)} answer{'' if len(answers) == 1 else 's'}"
        if certifier and (without := sum(a.certainty is None for a in answers)):
            warn(f"{without} of {count} have no interval: their question was not calibrated")
        if refused := sum(bool(a.certainty and a.certainty.refused) for a in answers):
            count += f", {refused} of them refused,"
        if file is not None:
            show(f'{file}: {count} to "{question}"')
        return
    if question is not None:
        raise RecipeError(
            f"--question {question!r}: only of a picture or a folder of them; {data or model} has"
            " its own questions"
        )
    recipe, exam = recipe_and_exam(resolved, data, words, run=run)
    name = directory.AFTER if data is None else Path(data).stem
    name = f"{name}-{certifier.terms.name}" if certifier else name
    # Answers about cuts are others than those about whole pictures.
    file = out or _answer_path(recipe, f"{name}-find" if find_question else name, run)
    file = _require_suffix(file, ".jsonl", "answers to a data set")
    recipe = _as_calibrated(recipe, certifier)
    show(answer_exam(recipe, exam, file, run=run, find=find_question, certifier=certifier))


def data_and_overrides(
    data: str | None, overrides: Sequence[str], *, belief: bool, server: str | None
) -> tuple[str | None, list[str]]:
    """Tell DATA from an override in its place, and write options as overrides."""
    words = list(overrides)
    if data is not None and "=" in data:
        words, data = [data, *words], None
    # A list of answers that the user gave says more than --belief alone.
    if belief and not any(word.startswith("eval.belief=") for word in words):
        words.append("eval.belief=true")
    if server:
        words.append(f"model.server={json.dumps(server)}")  # quoted: a URL is no plain YAML
    return data, words


def _certifier(
    model: str, run: Path | None, coverage: float | None, wrong: float | None,
    answered: float | None,
) -> Certifier | None:  # fmt: skip
    """Return a run's calibration under the user's terms; None where there is neither."""
    calibration = None if run is None else calibrations.read(run)
    if calibration is not None:
        usual = Terms().coverage
        terms = Terms(usual if coverage is None else coverage, wrong, answered)
        certifier = Certifier(calibration, terms)
        for doubt in certifier.doubts:
            warn(doubt)
        return certifier
    for name, share in (("coverage", coverage), ("wrong", wrong), ("answered", answered)):
        if share is not None:
            raise RecipeError(
                f"--{name} {share:g}: {model} was not calibrated: `gnomon calibrate RUN DATA`, with"
                " labelled pictures that training did not see"
            )
    return None


def _as_calibrated(recipe: Recipe, certifier: Certifier | None) -> Recipe:
    """Let a recipe list the answers that a calibration knows, and choose among them as it does."""
    if certifier is None:
        return recipe
    learned = certifier.calibration
    return replace(recipe, eval=replace(recipe.eval, answer=learned.rule, grid=learned.grid))


def served_folder(model: str) -> Path:
    """Return the folder of a served model's calibration, below the working directory."""
    return Path("predictions") / f"{Path(model).name}-served"


def served_name(recipe: Recipe) -> str:
    """Return what a calibration of a served model is of: nobody knows its weights."""
    return f"{recipe.model.name} at {recipe.model.server}"


def trained_run(model: str) -> Path | None:
    """Return the run that MODEL names; None if it is a checkpoint or a hub id."""
    return Path(model) if (Path(model) / "recipe.yaml").is_file() else None


def resolve_model(model: str, data: str | None, overrides: Sequence[str]) -> Resolved:
    """Resolve the recipe by which a run or a bare model answers.

    Overrides that configure DATA are left out of it; of a dataset or table that includes its split.
    """
    if data is not None and is_data(data):
        overrides, _ = split_overrides(overrides)
        if is_on_disk(data):
            # exam_of reads it: a table has a split `all`, which the recipe's own key lacks.
            overrides = [word for word in overrides if not word.startswith("eval.split=")]
    run = trained_run(model)
    if run is not None:
        return resolve(run / "recipe.yaml", overrides, stored=True, recipes_only=True)
    _check_model(model, data)
    # A recipe has to have data, and none of these is drawn where the user names others.
    return resolve_values({"data": [{"kind": "clock"}], "model": {"name": model}}, overrides)


def recipe_and_exam(
    resolved: Resolved, data: str | None, overrides: Sequence[str], *, run: Path | None
) -> tuple[Recipe, Exam]:
    """Return what says how the model answers, and the questions of DATA, or its own without it."""
    recipe = resolved.recipe
    if data is None:
        return recipe, resolved.exam
    if run is None and not is_data(data):  # a recipe that is asked says how, too
        of_eval = [word for word in overrides if word.startswith("eval.")]
        recipe = replace(recipe, eval=resolve(data, of_eval).recipe.eval)
    return recipe, exam_of(data, overrides, recipe if run is not None else None, run)


def _picture_file(out: Path | None, path: Path) -> Path | None:
    """Return the table of answers about pictures; None for one picture without --out.

    An earlier table of the same default name may hold another run's answers: it is not replaced.
    """
    if out is not None:
        return _require_suffix(out, ".csv", "answers about pictures")
    if not path.is_dir():
        return None
    table = Path("answers.csv")
    if table.exists():
        raise RecipeError(
            f"{table} is there already: name another file, as in --out {path.name or 'more'}.csv,"
            f" or replace it with --out {table}"
        )
    return table


def _require_suffix(out: Path, suffix: str, what: str) -> Path:
    """Refuse a file name with another ending; return the file."""
    if out.suffix != suffix:
        raise RecipeError(f"--out {out}: {what} are written as {suffix}")
    return out


def _answer_path(recipe: Recipe, data: str, run: Path | None) -> Path:
    """Return the file of answers by default: in the run, or under predictions/ here."""
    rule = "greedy"
    if run is not None:
        section = parse_file(run / "recipe.yaml").get("eval") or {}
        rule = section.get("answer", rule)
    # By another rule than the run's own they stand beside its answers, for `gnomon compare`.
    name = data if recipe.eval.answer == rule else f"{data}-{recipe.eval.answer}"
    name = f"{name}-belief" if recipe.eval.belief else name
    if run is not None:
        return run / "predictions" / f"{name}.jsonl"
    return Path("predictions") / f"{Path(recipe.model.name).name}-{name}.jsonl"


def _check_model(model: str, data: str | None) -> None:
    """Refuse a mistyped run: else the hub would be asked for a model of that name."""
    path = Path(model)
    no_run = directory.no_run_message(path)
    if not path.is_dir() and path.parent != Path() and directory.sibling_runs(path):
        raise RecipeError(no_run)
    if data is None:
        raise RecipeError(
            f"{no_run}. If it is a model, say what to ask it: name a kind, a recipe or a"
            " directory, too"
        )


def answer_exam(
    recipe: Recipe, exam: Exam, out: Path, *, run: Path | None = None, find: str | None = None,
    certifier: Certifier | None = None,
) -> Path:  # fmt: skip
    """Ask the exam's questions of a run's trained model, or (run None) of the model as it came.

    `find` is the question for the box that is cut out first; None asks about whole pictures. The
    run may be training meanwhile: only the file of answers is locked.
    """
    answerer = Answerer(recipe, run, find, certifier)
    with sole_writer(out):
        provenance = _provenance(exam, out)
        if out.is_file():  # an earlier start of the same exam resumes
            predictions.check(out, exam.ids())
        _record(out, provenance)
        if not answerer.reuse_beliefs(provenance, out):
            answerer.append(lambda: exam, exam.samples, out)
    return out


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

    def append(
        self, samples: Callable[[], Iterable[Sample]], n: int, out: Path, **more: Any
    ) -> None:
        """Append answers to n samples; `more` goes with the settings that they depend on.

        `samples` opens the pictures: where one is cut, once for the boxes and once for the answers.
        """
        if self.find is None:
            self._append(samples(), n, out, **more)
        else:
            self._append_about_cuts(samples, n, out, self.find, **more)

    def reuse_beliefs(self, provenance: Provenance, out: Path) -> bool:
        """Answer from beliefs that other files hold; True if no question is left to be asked."""
        if self.certifier is None or self.run is None or self.recipe.model.server is not None:
            return False
        from gnomon.commands.stored_beliefs import certify_stored

        settings = full_settings(
            self._settings(self._weights, self._cut_settings),
            self.recipe.eval.max_new_tokens,
            self._rule,
        )
        folders = dict.fromkeys([out.parent, self.run / "predictions"])
        return certify_stored(out, provenance, settings, self.certifier, folders)

    def _settings(self, weights: str | None, more: dict[str, Any]) -> dict[str, Any]:
        """Settings of a local model that are noted with each answer; they tell which stored answers
        may be used again.

        `weights` is the hash of trained ones.
        """
        return {**self.recipe.model.settings, "weights": weights, **more}

    @cached_property
    def _weights(self) -> str | None:
        """Hash of the weights that the run trained, computed once: they may be many gigabytes."""
        from gnomon.pipeline.load import fingerprint

        return None if self.run is None else fingerprint(self.run)

    def _load(self) -> Loaded:
        """Load the model, with what the run trained."""
        from gnomon.pipeline.load import load, load_trained

        model, seed = self.recipe.model, self.recipe.seed
        if self.run is None:  # nothing was trained, so the model's settings say all
            return load(model, seed=seed)
        return load_trained(model, self.run, seed=seed, weights=self._weights)

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
        plain = replace(self.recipe.eval, belief=False, answer="greedy", grid=None)
        finder = Answerer(replace(self.recipe, eval=plain), self.run)
        loaded = self._load() if self.recipe.model.server is None else None
        answered = {answer.sample_id for answer in predictions.resume(out)}
        unanswered = (sample for sample in samples() if sample.id not in answered)
        finder._append(
            cuts.box_samples(unanswered, find), n - len(answered), boxes, loaded, question=find
        )
        by_id = {answer.sample_id: answer for answer in predictions.resume(boxes)}
        of_cuts = cuts.cut_samples(samples(), by_id)
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
            at_once=section.batch_size,
            max_new_tokens=section.max_new_tokens,
            dialect=family.dialect if family else "plain",
            rule=self._rule,
            repeats=section.repeats,
        )


def _picture_form(recipe: Recipe, run: Path | None, certifier: Certifier | None) -> Target:
    """Return the form of the answers about pictures without labels; refuse one nobody can list."""
    section = recipe.eval
    if not section.belief and section.answer == "greedy":
        return Text("?")  # nothing is listed, so no sample need be drawn to learn the form
    form = pictures.answer_form(recipe, run)
    if run is None and certifier and (boxes := certifier.calibration.margin_type):
        columns = Columns(kind=boxes)  # what a server was trained on nobody here knows
        form = TARGETS[boxes].form_of_labels(columns) or form
    if section.grid is not None and form.on_grid(section.grid_values) is None:
        form = Number(Decimal(0))
    is_listed = not isinstance(section.belief, bool) or section.grid is not None or form.listable
    # A box is not listed: its numbers have beliefs, one by one.
    is_listed = is_listed or form.has_place or form.number_range() is not None
    if not is_listed and not (certifier and certifier.calibration.listing):
        key = f"eval.answer={section.answer}" if section.answer != "greedy" else "eval.belief=true"
        raise RecipeError(
            f"{key}: which answers a picture without a label may have is not known: list them, as"
            " in 'eval.grid=[0, 9.9, 0.1]' or 'eval.belief=[low, high]'"
        )
    return form


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


def answer_pictures(
    recipe: Recipe, path: Path, question: str, out: Path, *, run: Path | None = None,
    find: str | None = None, certifier: Certifier | None = None,
) -> list[Prediction]:  # fmt: skip
    """Ask one question about a picture or a folder of them, answers to a CSV file.

    The answers come in the order of the files' names; the name of its file is an answer's id.
    """
    form = _picture_form(recipe, run, certifier)
    files = pictures.find_pictures(path)
    with sole_writer(out):
        pictures.check_table_is_ours(out)
        directory.announce(f"asking: {question}")
        # The table is written whole at the end; until then a killed verb resumes from this file.
        answers = out.with_name(out.name + ".part")
        samples = partial(pictures.picture_samples, files, question, form)
        answerer = Answerer(recipe, run, find, certifier)
        answerer.append(samples, len(files), answers, question=question)
        has_belief = bool(recipe.eval.belief)  # a calibrated run stores them in any case
        return pictures.to_csv(
            answers, files, out, has_cuts=find is not None, has_belief=has_belief
        )
