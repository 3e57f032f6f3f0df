"""Answers of a model to an exam, or about pictures without labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from gnomon.eval.calibration import calibration as calibrations
from gnomon.eval.calibration.calibration import Certifier, Terms
from gnomon.eval.scoring import predictions
from gnomon.progress import note, warn
from gnomon.recipe import Eval, Recipe, RecipeError, parse_file
from gnomon.runs import cuts, directory, pictures
from gnomon.runs.answer_files import read_provenance
from gnomon.runs.answerer import Answerer, answer_exam, served_folder
from gnomon.runs.exam import Exam, note_unasked
from gnomon.runs.model_and_data import (
    data_and_overrides,
    recipe_and_exam,
    resolve_model,
    trained_run,
)
from gnomon.runs.trained_rows import warn_of_trained
from gnomon.sample import Number, Prediction, Target, Text
from gnomon.store.lock import sole_writer
from gnomon.store.reading.run_folder import RunFolder
from gnomon.terminal import show


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
    folder = served_folder(model) if server and run is None else run
    term = _first_term(coverage, wrong, answered)
    if is_plain and term:
        raise RecipeError(
            f"{term} is about calibrated answers, and eval.answer chooses others: leave one of the"
            " two out"
        )
    certifier = _certifier(model, None if is_plain else folder, coverage, wrong, answered)
    if is_plain and folder is not None and (folder / calibrations.NAME).is_file():
        note("eval.answer is given, so that the run's calibration is not used")
    resolved = resolve_model(model, data, words)
    if find and find_question is None:
        find_question = cuts.box_question(resolved.check_names(), run)
    if path is not None:
        recipe = resolved.check_names()
        _predict_pictures(recipe, path, question, out, run, find_question, certifier)
        return
    if question is not None:
        raise RecipeError(
            f"--question {question!r}: only of a picture or a folder of them; {data or model} has"
            " its own questions"
        )
    recipe, exam = recipe_and_exam(resolved, data, words, run=run)
    if data is not None and (asked := exam.only_question):
        pictures.warn_of_unknown_question(asked, recipe, run)
    name = directory.AFTER if data is None else Path(data).stem
    _predict_exam(recipe, exam, name, out, run, find_question, certifier)


def _predict_pictures(
    recipe: Recipe, path: Path, question: str | None, out: Path | None, run: Path | None,
    find: str | None, certifier: Certifier | None,
) -> None:  # fmt: skip
    """Ask one question about a picture or a folder of them, and print the answer or its file."""
    if not path.exists():
        raise RecipeError(f"{path}: there is no such file")
    recipe = _as_calibrated(recipe, certifier)
    if question is not None and not question.strip():
        raise RecipeError(f"--question {question!r}: say what to ask about the pictures")
    if question is None:
        question = pictures.question_of(recipe, run)
    else:
        pictures.warn_of_unknown_question(question, recipe, run)
    if certifier and certifier.terms != Terms() and not certifier.calibration.knows(question):
        raise RecipeError(
            f'"{question}" was not calibrated, so that no share of answers can be promised:'
            " `gnomon calibrate` with pictures that are labelled for it, or leave --coverage,"
            " --wrong and --answered out"
        )
    file = _picture_file(out, path)
    with TemporaryDirectory() as folder:  # for the answer about one picture
        table = file or Path(folder, "answers.csv")
        answers = answer_pictures(
            recipe, path, question, table, run=run, find=find, certifier=certifier
        )
    if len(answers) == 1:
        show(pictures.answer_line(answers[0]))
    count = f"{len(answers)} answer{'' if len(answers) == 1 else 's'}"
    _warn_without_interval(answers, certifier)
    if refused := sum(bool(a.certainty and a.certainty.refused) for a in answers):
        count += f", {refused} of them refused,"
    if file is not None:
        show(f'{file}: {count} to "{question}"')


def _predict_exam(
    recipe: Recipe, exam: Exam, name: str, out: Path | None, run: Path | None, find: str | None,
    certifier: Certifier | None,
) -> None:  # fmt: skip
    """Ask the questions of an exam, and print the file of answers; `name` is its name by default.

    Answers about cuts, and those under other terms, are others: they get other files.
    """
    name = f"{name}-{certifier.terms.name}" if certifier else name
    file = out or _answer_path(recipe, f"{name}-find" if find else name, run)
    file = _require_suffix(file, ".jsonl", "answers to a data set")
    recipe = _as_calibrated(recipe, certifier)
    note_unasked(exam)
    show(answer_exam(recipe, exam, file, run=run, find=find, certifier=certifier))
    _warn_without_interval(predictions.PredictionFile(file), certifier)
    warn_of_trained(read_provenance(file).trained, exam.samples)


def _warn_without_interval(answers: Iterable[Prediction], certifier: Certifier | None) -> None:
    """Count the answers of a calibrated run that the calibration says nothing about."""
    counts = Counter(answer.certainty is None for answer in answers) if certifier else Counter()
    if counts[True]:
        warn(
            f"{counts[True]:,} of {counts.total():,} answers have no interval: their question was"
            " not calibrated"
        )


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
    if term := _first_term(coverage, wrong, answered):
        raise RecipeError(
            f"{term}: {model} was not calibrated: `gnomon calibrate RUN DATA`, with labelled"
            " pictures that training did not see"
        )
    return None


def _first_term(coverage: float | None, wrong: float | None, answered: float | None) -> str:
    """Return the first option about calibrated answers, such as `--wrong 0.05`; empty if none."""
    terms = {"coverage": coverage, "wrong": wrong, "answered": answered}
    return next((f"--{name} {share:g}" for name, share in terms.items() if share is not None), "")


def _as_calibrated(recipe: Recipe, certifier: Certifier | None) -> Recipe:
    """Let a recipe list the answers that a calibration knows, and choose among them as it does."""
    if certifier is None:
        return recipe
    learned = certifier.calibration
    section = replace(recipe.eval, answer=learned.rule, grid=learned.grid, views=learned.views)
    return replace(recipe, eval=section)


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
    rule: str = Eval.answer
    if run is not None:
        section = parse_file(RunFolder(run).recipe).get("eval") or {}
        rule = section.get("answer", rule)
    # By another rule than the run's own they stand beside its answers, for `gnomon compare`.
    name = data if recipe.eval.answer == rule else f"{data}-{recipe.eval.answer}"
    name = f"{name}-belief" if recipe.eval.belief else name
    if run is not None:
        return RunFolder(run).answers(name)
    return Path("predictions") / f"{Path(recipe.model.name).name}-{name}.jsonl"


def _picture_form(recipe: Recipe, run: Path | None, certifier: Certifier | None) -> Target:
    """Return the form of the answers about pictures without labels; refuse one nobody can list."""
    section = recipe.eval
    if not section.computes_belief:
        return Text("?")  # nothing is listed, so no sample need be drawn to learn the form
    form = pictures.answer_form(recipe, run)
    if section.grid is not None and form.on_grid(section.grid_values) is None:
        form = Number(Decimal(0))
    is_listed = not isinstance(section.belief, bool) or section.grid is not None or form.is_listable
    # A box is not listed: its numbers have beliefs, one by one.
    is_listed = is_listed or form.has_place or form.number_range() is not None
    if not is_listed and not (certifier and certifier.calibration.listing):
        key = "eval.belief=true"
        if section.chooses_from_belief:
            key = f"eval.answer={section.answer}"
        raise RecipeError(
            f"{key}: which answers a picture without a label may have is not known: list them, as"
            " in 'eval.grid=[0, 9.9, 0.1]' or 'eval.belief=[low, high]'"
        )
    return form


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
        warn_of_trained(answerer.count_trained(answers), len(files))
        has_belief = bool(recipe.eval.belief)  # a calibrated run stores them in any case
        return pictures.to_csv(
            answers, files, out, has_cuts=find is not None, has_belief=has_belief
        )
