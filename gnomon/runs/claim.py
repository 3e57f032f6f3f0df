"""The claim on a run's directory: it belongs to one recipe, which may only grow."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from gnomon import recipe as recipes
from gnomon.atomic import put_text
from gnomon.options import option
from gnomon.progress import announce
from gnomon.recipe import Recipe, RecipeError, Source
from gnomon.runs.directory import BEFORE, check_all_are_ours, check_is_utf8, write_json
from gnomon.runs.processes import is_first_process, n_processes
from gnomon.runs.versions import kind_versions, stored_kinds, versions
from gnomon.store.reading.run_folder import RunFolder

_PLACE = re.compile(r"(eval\.)?data\.\d+\.(path|pictures)")
"""Keys with the location of data. The data may be moved."""
_EXTENSIBLE = ("train.max_steps", "eval.samples")
"""Keys with numbers that may grow in a run that has begun."""
_AUGMENT = re.compile(r"data\.\d+\.augment")
"""Keys that matter to the training alone."""


def claim(run: Path, recipe: Recipe, *, sources: Sequence[Source]) -> None:
    """Take the directory for this recipe, or refuse and leave it as it was.

    A run resumes only with the same recipe, and with the same versions of the kinds that `sources`
    draw, those that are still drawn from. A run that has not been trained yet accepts another
    recipe. More steps, or more questions, extend a run.
    """
    check_is_utf8(run)
    folder = RunFolder(run)
    _check_is_run_or_empty(run)
    changes: dict[str, tuple[Any, Any]] = {}
    is_longer, text = False, recipes.to_yaml(_as_stored(run, recipe))
    # Also the sources of eval.data: its answers are compared with later ones.
    everything = (*recipe.data, *(recipe.eval.data or ()))
    # All launched processes compare and refuse, but only the first writes.
    if folder.recipe.is_file():
        changes = _recipe_changes(run, recipe, text) | _version_changes(run, sources)
        if not changes:
            # Pictures may have moved.
            if is_first_process() and recipes.read_text(folder.recipe) != text:
                put_text(folder.recipe, text)
            return
        if _is_extension(run, changes):
            # A finished run does not draw samples, but a resumed run does.
            changes |= _version_changes(run, everything)
        is_longer = _is_extension(run, changes)
        if is_longer:
            _extend(run, changes)
        else:
            _check_unchanged(run, changes)
    if not is_first_process():
        return  # of processes launched together only the first holds the lock, and may write
    run.mkdir(parents=True, exist_ok=True)
    if changes and not is_longer:
        summary = _summary(changes)
        announce(f"{run}: nothing was trained there yet, so its recipe changes ({summary})")
    write_json(folder.versions, {**versions(), "kinds": kind_versions(everything)})
    put_text(folder.recipe, text)  # last: it makes the directory a run's


def _as_stored(run: Path, recipe: Recipe) -> Recipe:
    """Name a model in a folder as seen from the run, which finds it from any working directory.

    So is the run that the training starts from. Models by absolute paths, hub ids and embedded
    models stay as they are.
    """
    from gnomon.pipeline.families import EMBEDDED  # most verbs need no model

    grpo = recipe.train.grpo
    if grpo is not None and grpo.start:
        start = os.path.relpath(Path(grpo.start).resolve(), run.resolve())
        train = replace(recipe.train, grpo=replace(grpo, start=start))
        recipe = replace(recipe, train=train)
    name = Path(recipe.model.name)
    if name.is_absolute() or recipe.model.name in EMBEDDED or not name.is_dir():
        return recipe
    path = os.path.relpath(name.resolve(), run.resolve())
    return replace(recipe, model=replace(recipe.model, name=path))


def _is_extension(run: Path, changes: Mapping[str, tuple[Any, Any]]) -> bool:
    """True if only the number of steps or questions grew, in a single process."""
    if n_processes() > 1 or not RunFolder(run).versions.is_file():
        return False  # each process would move what another one reads
    if "train.max_steps" in changes and RunFolder(run).has_weights and not _steps_of(run):
        raise RecipeError(
            f"{run} has no checkpoint to resume from: give another {option('out')}, or"
            " train.max_steps as before"
        )
    for key, (old, new) in changes.items():
        if key not in _EXTENSIBLE or not isinstance(new, int) or not isinstance(old, int):
            return False
        # Where epochs said how long, max_steps is -1.
        if new <= (old if old > 0 else _steps_of(run)):
            return False
    return True


def _steps_of(run: Path) -> int:
    """Return the steps of the newest checkpoint, or 0."""
    names = [path.name.rpartition("-")[2] for path in run.glob("checkpoints/checkpoint-*")]
    return max((int(name) for name in names if name.isdecimal()), default=0)


def _extend(run: Path, changes: Mapping[str, tuple[Any, Any]]) -> None:
    """Prepare for more steps or questions. Results of the shorter run are renamed and kept.

    The recipe is written afterwards, so a kill in between does not change the training.
    """
    folder = RunFolder(run)
    announce(f"{run} goes on ({_summary(changes)})")
    if "eval.samples" in changes:
        from gnomon.store.writing.write import remove_split  # pyarrow, which few starts need

        remove_split(folder.data, recipes.parse_file(folder.recipe)["eval"]["split"])
    if "train.max_steps" not in changes:
        return
    steps = _steps_of(run)
    answers = folder.predictions.glob("[!.]*")
    for path in [folder.adapter, folder.model, *answers]:
        stem, point, suffix = path.name.partition(".")
        # Answers of the untrained model and of earlier extensions are kept.
        if not path.exists() or stem == BEFORE or re.search(r"-\d+$", stem):
            continue
        older = path.with_name(f"{stem}-{steps}{point}{suffix}")
        if older.is_dir():  # of a start that was killed here
            shutil.rmtree(older)
        path.replace(older)


def keep_stored_choices(run: Path, parsed: Recipe, recipe: Recipe) -> Recipe:
    """Return the recipe with its open choices as the stored run made them.

    They are `augment` and the validation schedule. `parsed` is the recipe as the user wrote it.
    """
    is_claimed = RunFolder(run).has_begun
    if not is_claimed or not any(_training_files(run)):
        return recipe
    stored = recipes.parse_file(RunFolder(run).recipe)
    sources = stored.get("data")
    if not isinstance(sources, list) or len(sources) != len(recipe.data):
        return recipe  # another recipe, which `claim` refuses
    data = []
    for before, written, source in zip(sources, parsed.data, recipe.data, strict=True):
        if written.augment is None and source.augment is not None and isinstance(before, dict):
            source = replace(source, augment=before.get("augment"))
        data.append(source)
    train, section = recipe.train, stored.get("train")
    if parsed.train.eval_steps == "auto" and isinstance(section, dict):
        kept = {key: section[key] for key in ("eval_steps", "eval_samples") if key in section}
        train = replace(train, **kept)
    return replace(recipe, data=tuple(data), train=train)


def _check_is_run_or_empty(run: Path) -> None:
    """Refuse a directory with other files that does not belong to a run."""
    if not run.exists() or RunFolder(run).has_begun:
        return
    folder = RunFolder(run)
    check_all_are_ours(run, {folder.recipe.name, folder.versions.name}, "a run")


def _version_changes(run: Path, sources: Sequence[Source]) -> dict[str, tuple[Any, Any]]:
    """Return the kinds whose version changed since the run began: that version, and today's."""
    # Versions matter only while samples are drawn.
    before = stored_kinds(run) if sources else None
    if before is None:
        return {}
    now = kind_versions(sources)
    return {
        f"version of {kind}": (before.get(kind), now[kind])
        for kind in now
        if before.get(kind) != now[kind]
    }


def _check_unchanged(run: Path, changes: Mapping[str, tuple[Any, Any]]) -> None:
    """Raise a RecipeError if files in the run depend on a recipe key or version that changed."""
    # Keys that each folder's files depend on.
    keys_of = {
        "data": ("data", "seed", "train.samples", "version of"),
        "predictions": ("data", "seed", "model", "eval", "version of"),
    }
    # Hidden files, such as a lock or a half-written shard, do not count.
    keys_by_folder = {
        run / name: keys for name, keys in keys_of.items() if any((run / name).glob("[!.]*"))
    }
    # Without the second file of a claim, the first may be a user's own recipe.
    if any(_training_files(run)) or not RunFolder(run).versions.is_file():
        keys_by_folder = {run: ("",)}  # which depends on every key
    for folder, keys in keys_by_folder.items():
        relevant = {key: both for key, both in changes.items() if key.startswith(keys)}
        if folder != run:  # samples and answers are written as they are
            relevant = {k: both for k, both in relevant.items() if not _AUGMENT.fullmatch(k)}
        if relevant:
            raise RecipeError(
                f"{folder} was made by another recipe, or another gnomon ({_summary(relevant)}):"
                f" give another {option('out')}, or delete {folder} to start again"
            )


def _training_files(run: Path) -> Iterator[Path]:
    """Yield files of a training that took a step, and answers of the model it trained."""
    log = RunFolder(run).log
    if log.is_file() and log.stat().st_size:
        yield log
    for pattern in ("checkpoints/checkpoint-*", "adapter", "model", "predictions/*.jsonl"):
        yield from (file for file in run.glob(pattern) if not file.name.startswith(f"{BEFORE}."))


def _recipe_changes(run: Path, recipe: Recipe, text: str) -> dict[str, tuple[Any, Any]]:
    """Return the keys in which a run's recipe differs from the given recipe, with both values."""
    file = RunFolder(run).recipe
    stored = recipes.read_text(file)
    if stored == text:
        return {}
    name = str(file)
    before = recipes.validate(Recipe, recipes.parse(stored, name=name), name=name)
    after = _as_stored(run, recipe)
    old, new = (recipes.flatten(asdict(each)) for each in (before, after))
    changes = {k: (old.get(k), new.get(k)) for k in old | new if old.get(k) != new.get(k)}
    return {key: both for key, both in changes.items() if not _is_move(run, key, *both)}


def _is_move(run: Path, key: str, old: Any, new: Any) -> bool:
    """True if a key holds the new location of data or a model that was moved.

    The guard may also change: its answers are known by the content of its files.
    """
    if key.startswith("eval.guard"):
        return True
    if key == "model.name":
        return _is_same_model(run, old, new)
    if not _PLACE.fullmatch(key):
        return False
    if key.endswith(".pictures"):
        return True
    if old is None or new is None or Path(old).name != Path(new).name:
        return False
    # The content of samples that were written down is compared when more are to be written.
    return Path(old).resolve() == Path(new).resolve() or RunFolder(run).has_samples("train")


def _is_same_model(run: Path, old: str, new: str) -> bool:
    """True for two names of one folder, or if the older one is gone and the new one is called so.

    Names are seen from the run.
    """
    from gnomon.pipeline.families import EMBEDDED

    there, here = ((run / name).resolve() for name in (old, new))
    if not here.is_dir() or {old, new} & EMBEDDED.keys():
        return False
    return here == there or (not there.is_dir() and there.name == here.name)


def _summary(changes: Mapping[str, tuple[Any, Any]]) -> str:
    """Write out the first three keys that differ."""
    pairs = [f"{key}: {old!r} there, {new!r} here" for key, (old, new) in changes.items()]
    return "; ".join([*pairs[:3], "…"] if len(pairs) > 3 else pairs)
