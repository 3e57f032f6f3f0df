"""What `gnomon predict` was told: which model answers what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gnomon import generators, recipe, store
from gnomon.pipeline import families
from gnomon.recipe import Recipe, RecipeError, Source
from gnomon.workflows import shipped
from gnomon.workflows.data import parted, split_asked, split_told, unless_named
from gnomon.workflows.directory import AFTER, no_run, runs_beside
from gnomon.workflows.exam import Exam, check, check_enough, check_name, open_recipe


@dataclass(frozen=True)
class PredictRequest:
    """What `gnomon predict` was told: which model answers what."""

    recipe: Recipe
    exam: Exam
    run: Path | None
    """The run whose trained weights answer; None for a model as it came."""
    folder: Path | None
    """Pictures without labels, in place of the exam."""
    data: str
    """What the exam is called."""

    @property
    def file(self) -> Path:
        """Where the answers go unless said otherwise; beliefs beside answers given without any."""
        if self.run is not None:
            file = self.run / "predictions" / f"{self.data}.jsonl"
        else:
            model = Path(self.recipe.model.name).name
            file = Path("predictions") / f"{model}-{self.data}.jsonl"
        beside = self.recipe.eval.belief and _without_belief(file)
        return file.with_stem(f"{file.stem}-belief") if beside else file


def _without_belief(file: Path) -> bool:
    from gnomon.eval.scoring import predictions

    first = next(iter(predictions.PredictionFile(file)), None) if file.is_file() else None
    return first is not None and not first.settings.get("belief")


def asked(model: str, data: str | None, overrides: Sequence[str]) -> PredictRequest:
    """Sort out the verb's words: a run or a model; its own exam, a kind, a recipe, a directory.

    Behind a kind, overrides that name no key of a recipe are options of the kind.
    """
    options: list[str] = []
    if data is not None and generators.known(data):
        options = [word for word in overrides if "." not in _key(word) and _key(word) != "seed"]
        overrides = [word for word in overrides if word not in options]
    told, of_source = None, list[str]()
    if data is not None and unless_named(data, ()) is not None:
        of_source, overrides = parted(overrides)
        told, overrides = split_told(overrides)
    run = Path(model) if (Path(model) / "recipe.yaml").is_file() else None
    place = Path(data or "")
    written = any((place / name).exists() for name in ("manifest.json", "data"))
    pictures = data is not None and place.is_dir() and not written
    if run is not None:
        opened = open_recipe(run / "recipe.yaml", overrides, stored=True, unread=pictures)
    else:
        _check_model(model, data)
        assert data is not None
        opened = _bare(model, data, overrides)
    if data is None:
        return PredictRequest(opened, Exam.of(opened), run, None, AFTER)
    if pictures:
        return PredictRequest(opened, Exam.of(opened), run, place, place.name)
    if (source := unless_named(data, of_source)) is not None:
        exam = _exam_on_disk(source, told, opened, overrides)
    else:
        exam = _exam_of(data, opened, overrides, options)
    return PredictRequest(opened, exam, run, None, place.stem)


def _key(override: str) -> str:
    return override.partition("=")[0]


def _check_model(model: str, data: str | None) -> None:
    """Refuse what is no model, or was meant to be a run: else the hub would be asked for it."""
    place = Path(model)
    if not place.is_dir():
        if model in generators.KINDS:
            raise RecipeError(f"{model} is what is asked: name the run or the model before it")
        if place.suffix in (".yaml", ".yml") or model in shipped.names():
            raise RecipeError(f"{model} is a recipe: name the run that it made, or a model")
        if place.parent.name == "runs" or (place.parent != Path() and runs_beside(place)):
            raise RecipeError(no_run(place))
    if data is None:
        fault = "" if model in families.EMBEDDED else f"{no_run(place)}. If it is a model: "
        raise RecipeError(
            f"{fault}what shall {model} be asked? Name a kind, a recipe or a directory, too"
        )


def _bare(model: str, data: str, overrides: Sequence[str]) -> Recipe:
    """A recipe for a model that was not trained here; its data only names what is asked.

    A recipe that is asked says how, too: `eval.max_new_tokens` and the like.
    """
    kind = data if generators.known(data) else "clock"
    opened = check(
        recipe.from_dict(
            {"data": [{"kind": kind}], "model": {"name": model}}, overrides, name="command line"
        )
    )
    if Path(data).is_file() and Path(data).suffix in (".yaml", ".yml"):
        theirs = open_recipe(data, [word for word in overrides if word.startswith("eval.")])
        opened = replace(opened, eval=theirs.eval)
    return opened


def _exam_of(data: str, opened: Recipe, overrides: Sequence[str], options: Sequence[str]) -> Exam:
    asked = opened.eval
    assert asked.samples is not None  # `check` has settled it
    if generators.known(data):
        source = Source(kind=data, options=recipe.laid_over({}, options) or None)
        store.mixture((source,), split=asked.split, seed=asked.seed)  # refuses what is no option
        return Exam((source,), asked.split, asked.seed, asked.samples)
    check_name(data)
    return Exam.of(open_recipe(data, [o for o in overrides if o.startswith("eval.")]))


def _exam_on_disk(
    source: Source, told: str | None, opened: Recipe, overrides: Sequence[str]
) -> Exam:
    """All rows or samples of a file or a dataset; what is held out of a file that a run learnt."""
    assert opened.eval.samples is not None  # `check` has settled it
    place = Path(source.path or "").resolve()
    for learnt in opened.data:
        if learnt.path and Path(learnt.path).resolve() == place:
            source, told = source if source.columns else learnt, told or opened.eval.split
    split = split_asked(source, told)
    exam = Exam((source,), split, opened.eval.seed, opened.eval.samples)
    if any(override.startswith("eval.samples=") for override in overrides):
        check_enough("eval.samples", exam.samples, exam.open(), exam.split)
        return exam
    return replace(exam, samples=exam.open().length or exam.samples)
