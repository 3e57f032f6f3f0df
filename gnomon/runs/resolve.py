"""Names on the command line, resolved to a recipe, samples and an exam."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

from gnomon import generators, recipe, store
from gnomon.generators.base import Split
from gnomon.names import allow, check_code_is_allowed
from gnomon.recipe import Eval, Recipe, RecipeError, Source
from gnomon.runs.data_names import check_name_is_known, is_on_disk, split_overrides
from gnomon.runs.disk_exam import exam_on_disk
from gnomon.runs.exam import Exam, check_enough_samples
from gnomon.runs.guard import Guard
from gnomon.runs.validation_schedule import with_validation
from gnomon.store import Samples
from gnomon.store.reading.run_folder import RunFolder
from gnomon.store.reading.sources import is_gone, open_validation, with_augmentation
from gnomon.store.samples import train_size

_OTHER_EXAM = r"data\b|eval=|eval\.(data|split|seed)\b"
"""Overrides after which a run's stored samples are not those that are asked."""
SourceType: TypeAlias = Literal["recipe", "kind", "disk"]


def resolve(
    source: str | Path,
    overrides: Sequence[str] = (),
    *,
    stored: bool = False,
    recipes_only: bool = False,
) -> Resolved:
    """Open a recipe by file or shipped name, a kind, a dataset or a user's own table.

    Overrides with other keys than a recipe's sections are options of the kind or describe the
    table. `stored` marks a recipe that a run wrote. It may name a user's classes only if the user
    names them as plug-ins. With `recipes_only`, data of the same name is ignored.
    """
    name = str(source)
    if recipes_only:
        return _resolve_recipe(source, overrides, stored=stored)
    if is_on_disk(name):
        of_recipe, rest = split_overrides(overrides)
        values = {"data": [recipe.override({"path": name}, rest)]}
        return resolve_values(values, of_recipe, source_type="disk")
    # After the disk: is_on_disk has let kinds go before a folder of that name.
    is_description = generators.is_description(name)
    if is_description or generators.is_kind(name):
        of_recipe, rest = split_overrides(overrides)
        options = recipe.override({"description": name} if is_description else {}, rest)
        kind = "face" if is_description else name
        values = {"data": [{"kind": kind, "options": options or None}]}
        return resolve_values(values, of_recipe, source_type="kind")
    check_name_is_known(name)
    return _resolve_recipe(source, overrides, stored=stored)


def _resolve_recipe(source: str | Path, overrides: Sequence[str], *, stored: bool) -> Resolved:
    """Open a recipe by file or shipped name; classes that a user's own recipe names are allowed."""
    from gnomon.runs import shipped

    file, text = shipped.read(source)
    # Before the overrides, whose paths are relative to the working directory.
    path = Path(file).parent
    values = recipe.resolve_paths(recipe.parse(text, name=file), path)
    _look_for_model(values, path)
    # Validated before any class is imported, so a misspelled key is refused first.
    resolved = resolve_values(values, overrides, name=file, text=text)
    # A claimed run holds both files; a recipe.yaml alone may be the user's own.
    path = Path(source)
    in_run = path.name == "recipe.yaml" and path.with_name("versions.json").exists()
    resolved = replace(resolved, folder=path.parent, source_run=path.parent if stored else None)
    if stored or in_run:
        # A stored file may come from somebody else, and importing a class runs its code.
        check_code_is_allowed(_user_classes(resolved.parsed), source)
    for name in _user_classes(resolved.parsed):
        allow(name)
    return resolved


def _look_for_model(values: dict[str, Any], folder: Path) -> None:
    """Find a recipe's model in the recipe's folder, and write it relative to the working directory.

    Other names stay as they are. The values need not be valid.
    """
    from gnomon.pipeline import families

    model = values.get("model")
    if not isinstance(model, dict) or not isinstance(model.get("name"), str):
        return
    if model.get("server") is not None:  # which has names of its own
        return
    name = model["name"]
    # An empty name would be the recipe's folder itself.
    is_ours = not name or name in families.EMBEDDED
    if not is_ours and not Path(name).is_absolute() and (folder / name).is_dir():
        # The same text however the recipe is named: stored answers are known by it.
        model["name"] = os.path.relpath((folder / name).resolve())


def resolve_values(
    values: dict[str, Any],
    overrides: Sequence[str] = (),
    *,
    name: str = "command line",
    source_type: SourceType = "recipe",
    text: str | None = None,
) -> Resolved:
    """Resolve a recipe from plain keys and values. Error messages begin with `name`."""
    values = recipe.override(values, overrides)
    return Resolved(
        recipe.validate(Recipe, values, name=name), source_type, values, tuple(overrides), text
    )


@dataclass(frozen=True)
class Resolved:
    """A resolved name. Samples, exam and the checked recipe are each made once, on demand."""

    parsed: Recipe
    """The recipe before names are looked up and data is opened to count it."""
    source_type: SourceType
    """A recipe, a generated kind, or a dataset or table on disk."""
    values: dict[str, Any]
    """The recipe's plain keys and values, overrides included."""
    overrides: tuple[str, ...] = ()
    source_text: str | None = None
    """YAML of the values, without overrides. None if they do not come from a file."""
    folder: Path | None = None
    """Folder of the recipe's file, in which its tables were searched."""
    source_run: Path | None = None
    """Run whose own samples are read before the recipe's sources, or instead of those that are
    gone."""
    _pools: dict[tuple[Split, int], Samples] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def recipe(self) -> Recipe:
        """The checked recipe, with open numbers of samples filled in from its data.

        If the name is a dataset or table on disk, the numbers stay open, because the split to read
        is not known yet.
        """
        checked = self.check_names()
        # A run's recipe has its numbers, and its data may have been moved.
        is_whole = None not in (checked.train.samples, checked.eval.samples)
        if self.source_type == "disk" or (self.source_run is not None and is_whole):
            return checked
        exam = self.exam
        _ = self.guard  # a file that cannot be used is refused
        with _as_recipe_error():
            train = replace(
                checked.train, samples=train_size(self._pool("train"), checked.train.samples)
            )
            section = replace(checked.eval, samples=exam.samples)
            checked = replace(checked, data=self.sources, train=train, eval=section)
            checked = with_validation(checked)
            if checked.train.validation_steps is not None:
                _check_validation(checked)
        return checked

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The sources of the training samples, each with its augmentation."""
        return tuple([with_augmentation(source) for source in self.parsed.data])

    @cached_property
    def exam(self) -> Exam:
        """The questions that the model is measured on."""
        if self.source_type == "disk":
            return exam_on_disk(self.check_names(), self.values["data"][0])
        checked = self.check_names()
        stored = self._stored_exam()
        if stored is not None:
            return stored
        self.check_sources_exist(checked.eval.data or checked.data)
        with _as_recipe_error():
            exam = Exam.of(checked)
            check_enough_samples("eval.samples", exam.samples, exam.pool, exam.split)
        return exam

    @cached_property
    def guard(self) -> Guard:
        """The files of eval.guard, opened and checked."""
        return Guard.of(self.parsed.eval)

    def _stored_exam(self) -> Exam | None:
        """Return the exam on samples that the run wrote down; None if it has others, or too few."""
        is_changed = any(re.match(_OTHER_EXAM, word) for word in self.overrides)
        if self.source_run is None or is_changed:
            return None
        section, sources = self.parsed.eval, self.parsed.eval.data or self.parsed.data
        place = self.source_run, section.split, section.seed, section.samples
        try:
            exam = Exam.stored(sources, *place)
        except (ValueError, OSError):  # damaged samples are not needed while the sources exist
            return None
        return exam if exam and exam.samples <= (exam.pool.length or 0) else None

    def check_sources_exist(self, sources: Sequence[Source]) -> None:
        """Refuse a recipe if its table or folder is missing."""
        if self.folder is None:
            return
        for source in sources:
            if is_gone(source):
                where = self._searched(str(source.path))
                raise RecipeError(f"path: {source.path!r} is not a file or folder{where}")

    def _searched(self, path: str) -> str:
        """Name the folders in which a relative path of the recipe was searched."""
        if self.folder is None or Path(path).is_absolute():
            return ""
        # One folder if the recipe is in the working directory.
        folders = dict.fromkeys([str(self.folder.resolve()), str(Path.cwd())])
        return f" in {' or '.join(folders)}"

    def resumed_in(self, run: Path) -> Resolved:
        """Use the samples stored in a run if the recipe's table or folder no longer exists."""
        sources = (*self.parsed.data, *(self.parsed.eval.data or ()))
        has_begun = RunFolder(run).has_begun
        return replace(self, source_run=run) if has_begun and any(map(is_gone, sources)) else self

    def check_names(self) -> Recipe:
        """Look up loss, model and family, and return the recipe. Its data may be missing."""
        with _as_recipe_error():
            _check_names(self.parsed, self._searched(self.parsed.model.name))
        return self.parsed

    def check_for_drawing(self) -> Recipe:
        """Return the recipe, checked as far as drawing needs. A kind's model is not looked up."""
        if self.source_type == "recipe" or (self.source_type == "kind" and self.overrides):
            return self.recipe
        return self.check_names() if self.overrides else self.parsed

    def samples(self, split: Split = "train", seed: int | None = None) -> Samples:
        """Samples of one split, opened once. A kind alone looks up no model, loss or exam."""
        self.check_for_drawing()
        # A refused option of a kind is a mistake in the command. A damaged file is not.
        with _as_recipe_error() if self.source_type == "kind" else nullcontext():
            return self._pool(split, seed)

    def _pool(self, split: Split, seed: int | None = None) -> Samples:
        # Opening reads a table or lists a directory: once for preview, warnings and counts.
        key = (split, self.parsed.seed if seed is None else seed)
        if key not in self._pools:
            samples = None
            if self.source_run is not None and any(map(is_gone, self.parsed.data)):
                samples = RunFolder(self.source_run).stored(split)
            if samples is None:
                self.check_sources_exist(self.parsed.data)
                samples = store.mixture(self.parsed.data, split=split, seed=key[1])
            self._pools[key] = samples
        return self._pools[key]

    @property
    def text(self) -> str:
        """The recipe as YAML with its overrides and the comments of its file."""
        if self.source_text is None:
            return recipe.dump(self.values)
        return recipe.edit(self.source_text, self.overrides)


@contextmanager
def _as_recipe_error() -> Iterator[None]:
    """Turn a ValueError of a value in the recipe into a RecipeError, which exits with 2."""
    try:
        yield
    except ValueError as error:
        raise RecipeError(str(error)) from error


def _user_classes(parsed: Recipe) -> list[str]:
    """Names in a recipe that may be a user's own `module:Class`."""
    sources = (*parsed.data, *(parsed.eval.data or ()))
    names = [source.kind or "" for source in sources]
    for source in sources:
        parts = (source.options or {}).get("parts")
        # A mixture's parts are a list of kinds. A gauge's parts are a number.
        if isinstance(parts, list):
            names += [str(part.get("kind")) for part in parts if isinstance(part, dict)]
    return [*names, parsed.model.family or "", parsed.loss.name]


def _check_names(parsed: Recipe, searched: str) -> None:
    """Refuse a loss, an option of it, a model or a family that is not known.

    `searched` names the folders in which a model was searched.
    """
    from gnomon import losses
    from gnomon.pipeline import families

    losses.check(parsed.loss.name, parsed.loss.options)  # reads the source, not torch
    if parsed.model.server is None:
        families.locate(parsed.model.name, searched)
    if parsed.model.family is not None:
        families.load(parsed.model.family)


def _check_validation(checked: Recipe) -> None:
    """Refuse an unknown metric, or too many samples, of the evaluations during training."""
    from gnomon.eval.scoring.metrics import greater_is_better

    greater_is_better(checked.train.metric)
    n, split = checked.train.eval_samples, checked.validation_split
    check_enough_samples("train.eval_samples", n, open_validation(checked), split)


def exam_of(
    data: str, overrides: Sequence[str], trained: Recipe | None = None, run: Path | None = None,
    default_columns: Callable[[], dict[str, Any]] = dict,
) -> Exam:  # fmt: skip
    """Return the exam that DATA names on the command line.

    A recipe has an exam. A kind has its first 500 samples, and a dataset its test split or its only
    split. Every row of a user's table is asked, unless a column or an override names splits. If the
    recipe `trained` was trained on the table, only its held-out rows are asked. The samples in its
    `run` identify a table that was moved. `default_columns` says how to read a table without a
    column of questions.
    """
    if not is_on_disk(data):
        return resolve(data, overrides).exam
    # Of a table's own splits even `all` may be asked, which a recipe's eval.split takes for files
    # under eval.data alone; so this key is checked by itself.
    of_split = [word for word in overrides if word.startswith("eval.split=")]
    resolved = resolve(data, [word for word in overrides if word not in of_split])
    split: Split | None = None
    if of_split:
        value = recipe.override({}, of_split)["eval"]["split"]
        section = {"split": value, "data": [asdict(resolved.check_names().data[0])]}
        split = recipe.validate(Eval, section, name="eval").split
    user_values = resolved.values["data"][0]
    return exam_on_disk(resolved.check_names(), user_values, split, trained, run, default_columns)
