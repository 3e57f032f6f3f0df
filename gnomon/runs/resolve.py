"""The one door to recipes: a name on the command line becomes samples, an exam, a recipe."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

from gnomon import generators, recipe, store
from gnomon.generators.base import SPLITS, Split
from gnomon.names import UnknownNameError, allow, check_code_is_allowed
from gnomon.names import check as check_known
from gnomon.progress import note, warn
from gnomon.recipe import Eval, Recipe, RecipeError, Source
from gnomon.runs.exam import Exam, check_enough_samples, n_asked
from gnomon.runs.user_rows import group_counts, with_validation
from gnomon.store import Samples
from gnomon.store.formats import manifest as manifests
from gnomon.store.reading.run_folder import RunFolder
from gnomon.store.reading.sources import (
    is_gone,
    open_user_table,
    open_validation,
    with_augmentation,
)
from gnomon.store.reading.sources import open_splits as splits_on_disk
from gnomon.store.samples import train_size
from gnomon.store.user_data.lines import SUFFIXES
from gnomon.store.user_data.row_files import is_user_data
from gnomon.store.user_data.split_files import split_files

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

    Overrides whose key is no section of a recipe are options of the kind, or say how the table is
    read. `stored` marks a recipe that a run wrote: classes of the user's that it names are refused
    unless --plugins names them, too. `recipes_only` takes the name for a recipe's, whatever data is
    called so.
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
    # Before the overrides: paths of the command line are those of the working directory.
    path = Path(file).parent
    values = recipe.resolve_paths(recipe.parse(text, name=file), path)
    _look_for_model(values, path)
    # Validated before any class is imported: a misspelled key is refused at once.
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
    """Let a recipe's model be a folder beside it, as seen from the working directory.

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
    """Resolve plain keys and values; messages about them begin with `name`."""
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
    """YAML that the values came from, without overrides; None where no file was read."""
    folder: Path | None = None
    """Folder of the recipe's file, beside which its tables were looked for."""
    source_run: Path | None = None
    """Run whose own samples are read before the recipe's sources, or instead of those that are
    gone."""
    _pools: dict[tuple[Split, int], Samples] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def recipe(self) -> Recipe:
        """The recipe with its names looked up and the numbers of samples that its data gives.

        Numbers of a dataset or table stay as they are: its splits depend on what it is wanted for.
        """
        checked = self.check_names()
        # A run's recipe has its numbers, and its data may be elsewhere by now.
        is_whole = None not in (checked.train.samples, checked.eval.samples)
        if self.source_type == "disk" or (self.source_run is not None and is_whole):
            return checked
        exam = self.exam
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
        """The sources of the samples, with how training augments each."""
        return tuple([with_augmentation(source) for source in self.parsed.data])

    @cached_property
    def exam(self) -> Exam:
        """The questions that the model is measured on."""
        if self.source_type == "disk":
            return _exam_on_disk(self, None, None)
        checked = self.check_names()
        stored = self._stored_exam()
        if stored is not None:
            return stored
        self.check_sources_exist(checked.eval.data or checked.data)
        with _as_recipe_error():
            exam = Exam.of(checked)
            check_enough_samples("eval.samples", exam.samples, exam.pool, exam.split)
        return exam

    def _stored_exam(self) -> Exam | None:
        """Return the exam on samples that the run wrote down; None if it has others, or too few."""
        is_changed = any(re.match(_OTHER_EXAM, word) for word in self.overrides)
        if self.source_run is None or is_changed:
            return None
        section, folder = self.parsed.eval, RunFolder(self.source_run)
        try:
            stored = folder.stored(section.split)
        except (ValueError, OSError):  # what is damaged is not needed where the sources are there
            return None
        if stored is None:
            return None
        length = stored.length or 0
        n = n_asked(section.samples, length)
        sources = tuple([replace(s, augment=None) for s in section.data or self.parsed.data])
        return Exam(sources, section.split, section.seed, n, folder.data) if n <= length else None

    def check_sources_exist(self, sources: Sequence[Source]) -> None:
        """Refuse a recipe whose table or folder lies neither beside it nor here."""
        if self.folder is None:
            return
        for source in sources:
            if is_gone(source):
                where = self._searched(str(source.path))
                raise RecipeError(f"path: {source.path!r} is no file or folder{where}")

    def _searched(self, path: str) -> str:
        """Name the folders in which a path of the recipe was looked for; none for an absolute."""
        if self.folder is None or Path(path).is_absolute():
            return ""
        # One folder where the recipe lies in the working directory.
        folders = dict.fromkeys([str(self.folder.resolve()), str(Path.cwd())])
        return f" in {' or '.join(folders)}"

    def resumed_in(self, run: Path) -> Resolved:
        """Use the samples stored in a run if the recipe's table or folder no longer exists."""
        sources = (*self.parsed.data, *(self.parsed.eval.data or ()))
        has_begun = RunFolder(run).has_begun
        return replace(self, source_run=run) if has_begun and any(map(is_gone, sources)) else self

    def check_names(self) -> Recipe:
        """Look up loss, model and family, and return the recipe; its data may be gone by now."""
        with _as_recipe_error():
            _check_names(self.parsed, self._searched(self.parsed.model.name))
        return self.parsed

    def check_for_drawing(self) -> Recipe:
        """Check the recipe as far as the user wrote one: a bare kind has no model to look up."""
        if self.source_type == "recipe" or (self.source_type == "kind" and self.overrides):
            return self.recipe
        return self.check_names() if self.overrides else self.parsed

    def samples(self, split: Split = "train", seed: int | None = None) -> Samples:
        """Samples of one split, opened once. A kind alone looks up no model, loss or exam."""
        self.check_for_drawing()
        # An option that a kind refuses is a mistake in the command; a damaged file is none.
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
        """The recipe as YAML with its overrides; comments of its file stay."""
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


def is_data(name: str) -> bool:
    """True for a kind or what lies on disk, false for a recipe that draws or reads samples."""
    return is_on_disk(name) or generators.is_kind(name)


def is_on_disk(name: str) -> bool:
    """True for a user's own file, a folder or a dataset.

    A kind or a recipe that comes with gnomon goes before a folder of the same name.
    """
    path = Path(name)
    # Cheap tests first: the names of shipped recipes need every family to be imported.
    if not (path.is_dir() or path.suffix.lower() in SUFFIXES) or generators.is_kind(name):
        return False
    from gnomon.runs import shipped

    if name in shipped.names():
        return False
    if not path.exists():
        raise RecipeError(f"{name}: there is no such file")
    return True


def split_overrides(overrides: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the overrides of a recipe's sections, and those that configure the data."""
    sections = [section.name for section in fields(Recipe)]
    of_recipe = [word for word in overrides if re.split("[.=]", word)[0] in sections]
    return of_recipe, [word for word in overrides if word not in of_recipe]


def check_name_is_known(name: str) -> None:
    """Refuse a bare name that is neither a kind nor a recipe that comes with gnomon."""
    path = Path(name)
    # A path, a file name or an override in the wrong place gets a message of its own later.
    if path.name == name and not path.suffix and not path.exists() and "=" not in name:
        from gnomon.runs import shipped

        names = [*generators.KINDS, *shipped.names()]
        try:
            check_known(names, name, what="generator or recipe", command="gnomon ls")
        except UnknownNameError as error:
            raise UnknownNameError(f"{error}; nor is there a file or folder {name!r}") from None


def _user_classes(parsed: Recipe) -> list[str]:
    """Names in a recipe that may be a user's own `module:Class`."""
    sources = (*parsed.data, *(parsed.eval.data or ()))
    names = [source.kind or "" for source in sources]
    for source in sources:
        parts = (source.options or {}).get("parts")
        # A mixture's parts are a list of kinds; those of a gauge are a number.
        if isinstance(parts, list):
            names += [str(part.get("kind")) for part in parts if isinstance(part, dict)]
    return [*names, parsed.model.family or "", parsed.loss.name]


def _check_names(parsed: Recipe, searched: str) -> None:
    """Refuse a loss, an option of it, a model or a family that is not known.

    `searched` says where a model's folder was looked for.
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
    data: str, overrides: Sequence[str], trained: Recipe | None = None, run: Path | None = None
) -> Exam:
    """Return the exam that DATA names on the command line.

    A recipe has its own, a kind its first 500 samples, a dataset its test split, or the only split
    it has. Of a user's own table every row is asked, unless a column names splits, the overrides
    do, or the recipe `trained` was trained on it: then those that it held out. `run` is that
    recipe's, whose own samples tell a table that lies elsewhere by now.
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
    return _exam_on_disk(resolved, split, trained, run)


def _exam_on_disk(
    resolved: Resolved, split: Split | None, trained: Recipe | None, run: Path | None = None
) -> Exam:
    """Return the exam of a dataset or table; `split` is None where the user names none.

    The split is the user's, else the trained recipe's for the same table, else the only one, else
    test.
    """
    checked = resolved.check_names()
    (source,) = checked.data
    path = str(source.path)
    if trained is not None:
        user_values = resolved.values["data"][0]
        tables = [table for table in trained.data if _is_same_table(table, path, run)]
        if tables:
            # Read and split as it was for the training, unless the user says how.
            choices = [_with_columns(replace(table, path=path), user_values) for table in tables]
            source = next((choice for choice in choices if choice is not None), source)
            split = split or trained.eval.split
        elif is_user_data(path):
            source = _read_as_trained(source, user_values, trained)
    if split is None:
        has_column = source.columns and source.columns.split
        has_splits = source.benchmark or has_column or split_files(Path(path))
        splits: list[Split] = ["all"]  # a table that nothing was trained on holds nothing out
        if has_splits or not is_user_data(path):
            splits = list(row_splits(source))
        split = splits[0] if len(splits) == 1 else "test"
    section = checked.eval
    samples = store.mixture((source,), split=split, seed=section.seed)
    n = section.samples if isinstance(section.samples, int) else samples.length
    assert n is not None  # what lies on disk has an end
    exam = Exam((replace(source, augment=None),), split, section.seed, n)
    check_enough_samples("eval.samples", exam.samples, exam.pool, split)
    return exam


def _read_as_trained(source: Source, user_values: dict[str, Any], trained: Recipe) -> Source:
    """Read a table by the columns of the run's own rows, where these say how and it has them.

    Columns that the user names go before them.
    """
    sources = (*trained.data, *(trained.eval.data or ()))
    columns = next((other.columns for other in sources if other.columns is not None), None)
    if columns is None or any(other.columns not in (columns, None) for other in sources):
        return source
    # New pictures need no split, and no groups.
    for some in (columns, replace(columns, split=None), replace(columns, split=None, group=None)):
        read = _with_columns(replace(source, columns=some), user_values)
        if read is None:
            return source
        try:
            open_user_table(read)
        except (ValueError, OSError) as error:
            if "no column" in str(error):
                continue
            raise RecipeError(str(error)) from error  # the columns are there, and a row is bad
        beside = " and by those that you name" if source.columns else ""
        note(f"{Path(str(source.path)).name}: read by the columns of the run's recipe{beside}")
        return read
    return source


def _with_columns(trained: Source, user_values: dict[str, Any]) -> Source | None:
    """Return a run's source with the keys that a user gave for the same table in place of its own.

    None if the user asks for another kind of answer, to which the run's columns do not apply.
    """
    values: dict[str, Any] = json.loads(json.dumps(asdict(trained)))
    columns, user_columns = values["columns"], user_values.get("columns")
    if columns and user_columns:
        if user_columns.get("kind", columns["kind"]) != columns["kind"]:
            return None
        if "question" in user_columns:  # `ask` would go before the column that the user names
            columns["ask"] = None
        columns |= user_columns
    return recipe.validate(Source, {**values, **user_values, "columns": columns or user_columns})


def _is_same_table(source: Source, path: str, run: Path | None) -> bool:
    """True if a run's source is the table at a place, where it may have been moved."""
    if source.path is None:
        return False
    if Path(source.path).resolve() == Path(path).resolve():
        return True
    if run is None or Path(source.path).name != Path(path).name:
        return False
    try:
        table = open_user_table(replace(source, path=path))
        splits = manifests.read(RunFolder(run).data)["splits"].values()
    except (ValueError, OSError):  # read otherwise, or pictures lie elsewhere: another table
        return False
    parts = [part for split in splits for part in _parts_of(split["samples"])]
    return table is not None and table.content in [part.get("content") for part in parts]


def _parts_of(description: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the descriptions of a mixture's sources, or the description itself."""
    parts: list[dict[str, Any]] = description.get("sources") or [description]
    return parts


def row_splits(source: Source) -> dict[Split, tuple[Samples, int]]:
    """Return each split on disk that has rows, with its length; no rows at all are an error."""
    return {split: (rows, rows.length or 0) for split, rows in splits_on_disk(source).items()}


def row_counts(sources: Sequence[Source]) -> Iterator[str]:
    """Yield a line for each file and directory with its rows per split, and the groups that a
    column names; drawn data has none."""
    for source in sources:
        if source.path is not None:
            splits = splits_on_disk(source)
            rows = {split: samples.length or 0 for split, samples in splits.items()}
            line = f"{Path(source.path).name}: {_counts(rows)} rows"
            if groups := group_counts(source, splits):
                line += (
                    f", of {_counts(groups)} groups by {source.columns and source.columns.group}"
                )
            yield line


def _counts(by_split: Mapping[Split, int]) -> str:
    return ", ".join(f"{by_split.get(split, 0):,} {split}" for split in SPLITS)


def warn_of_mistakes(checked: Recipe, *, leaks: bool = True) -> None:
    """Warn of labels that contradict, and of pictures or groups in two splits, among a user's own
    rows."""
    from gnomon.store.user_data import mistakes

    tables = [rows for source in checked.data if (rows := open_user_table(source)) is not None]
    parts = [part for table in tables for part in table.parts().values()]
    if checked.eval.data is not None:
        # With questions of its own the exam leaves the training data's held-out rows unused.
        used = {"train"}
        if checked.train.validation_steps is not None:
            used.add(checked.validation_split)
        parts = [part for part in parts if part.split in used]
        exam_tables = [
            rows for source in checked.eval.data if (rows := open_user_table(source)) is not None
        ]
        parts += [table.part(checked.eval.split) for table in exam_tables]
        tables += exam_tables
    warnings = mistakes.contradictions(tables) + mistakes.similar_groups(parts)
    warnings += mistakes.leaks(parts) if leaks else []
    for line in warnings:
        warn(line)
