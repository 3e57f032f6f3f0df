"""`gnomon.load`: a run, a model or a server becomes a Reader."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gnomon.eval.calibration import calibration as calibrations
from gnomon.eval.calibration.calibration import Certifier, Terms
from gnomon.options import option
from gnomon.progress import note, warn
from gnomon.recipe import Recipe, RecipeError
from gnomon.runs import cuts
from gnomon.runs.exam import Exam
from gnomon.runs.finding import InstrumentFinder, finder_of, has_photographs
from gnomon.runs.model_arguments import recipe_and_exam, resolve_model, trained_run
from gnomon.runs.python_arguments import override_words, register_plugins
from gnomon.runs.reader import Reader, served_folder


def load(
    name: str | Path,
    *,
    question: str | None = None,
    find: bool | str = False,
    finder: bool | None = None,
    server: str | None = None,
    coverage: float | None = None,
    wrong: float | None = None,
    answered: float | None = None,
    overrides: Mapping[str, Any] | None = None,
    plugins: str | Sequence[str] = (),
) -> Reader:
    """Open a model that reads pictures.

    Example::

        reader = gnomon.load("runs/clocks")
        print(reader.read("hall.jpg").value)  # 10:08

    Args:
        name: The folder of a run, "gnomon-tiny", a model of the Hugging Face hub such as
            "Qwen/Qwen2-VL-2B-Instruct", or a folder that `gnomon merge` wrote.
        question: The question that `read` asks by default. A run knows its own.
        find: True if the instrument is small in the picture: it is found, cut out and read. It
            may also be the question for its box.
        finder: True if gnomon's own finder looks for the instrument first, whatever model reads.
            By default it does so for gnomon-tiny, and False turns it off.
        server: An OpenAI-compatible server that holds the model, such as
            "http://localhost:8000/v1". Its key is read from OPENAI_API_KEY.
        coverage: Share of truths that lie between `low` and `high`, 0.9 by default. This and the
            next two are for runs that were calibrated.
        wrong: Refuse readings so that at most this share of the answers is wrong, such as 0.05.
        answered: Answer only this share of the pictures, the surest.
        overrides: Keys of the recipe, such as {"eval.views": 3, "model.load_in_4bit": True}.
        plugins: Classes of your own that the run names, as "module:Class".

    Raises:
        ValueError: There is no such model, or a term needs a calibration that the run lacks.
    """
    register_plugins(plugins)
    words = override_words(overrides)
    if server:
        words.append(f"model.server={json.dumps(server)}")
    return open_reader(
        str(name), words, question=question, find=find, finder=finder,
        terms=(coverage, wrong, answered),
    ).open()  # fmt: skip


def open_reader(
    name: str, words: Sequence[str], *, question: str | None = None,
    find: bool | str = False, finder: bool | None = None,
    terms: Sequence[float | None] = (None, None, None),
) -> Reader:  # fmt: skip
    """Return the reader of a run or a model. The model is loaded at the first question.

    `words` are overrides of the command line.
    """
    certifier, words = _certifier(name, words, terms)
    recipe, run = resolve_model(name, "", words).check_names(), trained_run(name)
    box = _box(recipe, run, find)
    looks_first = _finder(recipe, run, box, finder, certifier)
    return Reader(recipe, run, question=question, find=box, finder=looks_first, certifier=certifier)


def open_reader_and_exam(
    name: str, words: Sequence[str], *, data: str | None, find: bool | str = False,
    finder: bool | None = None, terms: Sequence[float | None] = (None, None, None),
) -> tuple[Reader, Exam]:  # fmt: skip
    """Return the reader of a run or a model, and the questions to ask.

    They come from `data`, or from the run's own exam if `data` is None.
    """
    certifier, words = _certifier(name, words, terms)
    resolved, run = resolve_model(name, data, words), trained_run(name)
    box = _box(resolved.check_names(), run, find)
    recipe, exam = recipe_and_exam(resolved, data, words, Reader(resolved.parsed, run))
    if finder is None and not has_photographs(exam.sources):
        finder = False  # drawings of gnomon's own fill their pictures
    looks_first = _finder(recipe, run, box, finder, certifier)
    return Reader(recipe, run, find=box, finder=looks_first, certifier=certifier), exam


def _box(recipe: Recipe, run: Path | None, find: bool | str) -> str | None:
    """Return the question for the box that is cut out first, or None to read whole pictures."""
    if isinstance(find, str):
        return find
    return cuts.box_question(recipe, run) if find else None


def _finder(
    recipe: Recipe, run: Path | None, box: str | None, finder: bool | None,
    certifier: Certifier | None,
) -> InstrumentFinder | None:  # fmt: skip
    """Return the finder that looks first.

    By default it is the finder of the calibration, or the finder in the model's folder.
    """
    if certifier is not None and box is None:
        digest = certifier.calibration.finder
        if finder is not None and finder != (digest is not None):
            raise RecipeError(
                f"{option('finder')}: the calibration was learned with{'out' * finder} the finder:"
                " `gnomon calibrate` again, or leave this option out"
            )
        looks_first = InstrumentFinder() if digest else None
        if looks_first is not None and looks_first.settings["finder"] != digest:
            raise RecipeError("the calibration is of another finder: `gnomon calibrate` again")
        return looks_first
    if box is not None or finder is False:
        if finder and box is not None:
            raise RecipeError(f"{option('finder')} and {option('find')}: leave one of the two out")
        return None
    return InstrumentFinder() if finder else (None if run else finder_of(recipe.model))


def _certifier(
    name: str, words: Sequence[str], terms: Sequence[float | None]
) -> tuple[Certifier | None, list[str]]:
    """Return the calibration with the user's terms. None if `words` choose another rule.

    The words are returned without the overrides that the calibration replaces.
    """
    run = trained_run(name)
    # An answer rule that the user names overrides the calibration.
    is_plain = any(word.startswith("eval.answer=") for word in words)
    has_server = any(word.startswith("model.server=") for word in words)
    folder = served_folder(name) if has_server else run
    if is_plain and (term := _first_term(*terms)):
        raise RecipeError(
            f"{term} is about calibrated answers, and eval.answer chooses others: leave one of the"
            " two out"
        )
    if is_plain and folder is not None and (folder / calibrations.NAME).is_file():
        note("eval.answer is given, so the run's calibration is not used")
    certifier = certifier_of(name, None if is_plain else folder, *terms)
    if certifier is None:
        return None, [*words]
    replaced = [word for word in words if re.match(r"eval\.(views|grid)=", word)]
    calibration = certifier.calibration
    grid = [float(number) for number in calibration.grid or ()]
    same = {"eval.views": calibration.views, "eval.grid": grid}
    others = [word for word in replaced if not _is_value(word, same)]
    if others:
        warn(
            f"{', '.join(others)}: ignored, because the calibration of {name} sets it;"
            " eval.answer=median reads without the calibration"
        )
    return certifier, [word for word in words if word not in replaced]


def _is_value(word: str, values: Mapping[str, object]) -> bool:
    """True if an override sets its key to the value that is there already."""
    key, _, text = word.partition("=")
    try:
        return bool(json.loads(text) == values[key])
    except ValueError:
        return False


def certifier_of(
    name: str, folder: Path | None, coverage: float | None = None, wrong: float | None = None,
    answered: float | None = None,
) -> Certifier | None:  # fmt: skip
    """Return a run's calibration under the user's terms, or None without both."""
    calibration = None if folder is None else calibrations.read(folder)
    if calibration is not None:
        usual = Terms().coverage
        terms = Terms(usual if coverage is None else coverage, wrong, answered)
        certifier = Certifier(calibration, terms)
        for doubt in certifier.doubts:
            warn(doubt)
        return certifier
    if term := _first_term(coverage, wrong, answered):
        raise RecipeError(
            f"{term}: {name} was not calibrated: `gnomon calibrate RUN DATA`, with labelled"
            " pictures that training did not see"
        )
    return None


def _first_term(coverage: float | None, wrong: float | None, answered: float | None) -> str:
    """Return the first term about calibrated answers as the user gave it, or an empty text."""
    terms = {"coverage": coverage, "wrong": wrong, "answered": answered}
    return next((option(name, share) for name, share in terms.items() if share is not None), "")
