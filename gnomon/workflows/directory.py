"""What a run's directory holds beside its samples and weights, and who may write into it."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gnomon import generators, jsons, recipe
from gnomon.atomic import put_text
from gnomon.generators.base import Generator
from gnomon.names import hint
from gnomon.progress import note
from gnomon.recipe import Recipe, RecipeError, Source

BEFORE, AFTER = "before", "after"
"""The model as it came, and with what the run trained."""

_RECIPE, _VERSIONS = "recipe.yaml", "versions.json"
_OURS = {_RECIPE, _VERSIONS, "data", "predictions", "checkpoints", "log.jsonl", "adapter",
         "adapter.part", "model", "model.part", "report.csv", "report.html",
         "report.json", "report.png", "three.png"}  # fmt: skip


def claim(run: Path, opened: Recipe, *, drawn: Sequence[Source]) -> None:
    """Take the directory for this recipe, or refuse and leave it as it was.

    A run goes on only with the same recipe, and with the same versions of the kinds of `drawn`, the
    sources that are still drawn from. A start that trained nothing gives way to another recipe.
    """
    _refuse_strangers(run)
    changed: Mapping[str, tuple[Any, Any]] = {}
    if (run / _RECIPE).is_file():
        changed = _changed(recipe.load(run / _RECIPE), opened)
        record = _record(run)
        kinds = _other_versions(record, drawn)
        if "kinds" not in record and drawn and any(_trained(run)):
            raise RecipeError(
                f"{run} was begun with an older gnomon, which drew and split samples otherwise:"
                " going on might train on what was held out; give another --out to begin again"
            )
        if not changed and not kinds:
            return
        _refuse_what_was_made(run, changed, kinds)
    if os.environ.get("RANK", "0") != "0":
        return  # of processes launched together only the first holds the lock, and may write
    if changed:
        say(f"{run}: nothing was trained there yet, so its recipe changes ({_told(changed)})")
    run.mkdir(parents=True, exist_ok=True)
    recorded = kind_versions((*opened.data, *(opened.eval.data or ())))
    write_json(run / _VERSIONS, {**versions(), "kinds": recorded})
    put_text(run / _RECIPE, recipe.to_yaml(opened))  # last: it makes the directory a run's


def no_run(run: Path) -> str:
    """Why a path is no run's directory, with the runs beside it that may have been meant."""
    if run.is_dir():
        return f"{run} is no run: recipe.yaml is not in it"
    if run.exists():
        return f"{run} is a file, not a run's directory"
    beside = runs_beside(run)
    return f"there is no run {run}" + (f": {hint(run.name, beside)}" if beside else "")


def runs_beside(run: Path) -> list[str]:
    """The names of the runs in the directory that holds, or would hold, this one."""
    return sorted(file.parent.name for file in run.parent.glob("*/recipe.yaml"))


def kind_versions(sources: Iterable[Source]) -> dict[str, int]:
    """The version of each kind that sources draw, the parts of mixtures among them."""
    found: dict[str, int] = {}
    for source in sources:
        if source.kind is not None:
            found |= _versions_in(generators.create(source.kind, **(source.options or {})))
    return dict(sorted(found.items()))


def _versions_in(generator: Generator) -> dict[str, int]:
    found = {generator.kind: generator.version}
    for member in generator.members:
        if member is not generator:
            found |= _versions_in(member)
    return found


def _refuse_strangers(run: Path) -> None:
    """A directory that is no run's yet has to be empty, but for what a killed claim left."""
    if not run.exists() or ((run / _RECIPE).is_file() and (run / _VERSIONS).is_file()):
        return
    ours = _OURS if (run / _RECIPE).is_file() else {_VERSIONS}
    refuse_others(run, ours, "a run")


def refuse_others(folder: Path, ours: set[str], what: str) -> None:
    """Refuse a directory that holds files beside those of ours."""
    names = sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith("."))
    others = [name for name in names if name not in ours]
    if others:
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        raise RecipeError(
            f"{folder} holds other files ({', '.join(others[:3])}{more}), and {what} needs a"
            " directory of its own: give another --out"
        )


def _record(run: Path) -> dict[str, Any]:
    """What a run noted of the versions it began with."""
    file = run / _VERSIONS
    record = jsons.loads(file.read_bytes(), file) if file.is_file() else {}
    if not isinstance(record, dict) or not isinstance(record.get("kinds", {}), dict):
        raise RecipeError(f"{file} does not name the kinds' versions: give another --out")
    return record


def _other_versions(
    record: Mapping[str, Any], drawn: Sequence[Source]
) -> dict[str, tuple[int, int]]:
    """The kinds that had another version when the run was begun: that version, and today's."""
    there, now = record.get("kinds", {}), kind_versions(drawn)
    return {
        kind: (there[kind], now[kind]) for kind in now if there.get(kind, now[kind]) != now[kind]
    }


def _refuse_what_was_made(
    run: Path, changed: Mapping[str, tuple[Any, Any]], kinds: Mapping[str, tuple[int, int]]
) -> None:
    """Refuse another recipe, or other versions, where something was made that depends on them."""
    # Without the second file of a claim, the first may be a user's own recipe.
    begun = any(_trained(run)) or not (run / _VERSIONS).is_file()
    if begun and changed:
        raise RecipeError(
            f"{run} holds a run of another recipe ({_told(changed)}):"
            " give another --out, or delete that directory"
        )
    depends = {
        "data": ("data", "seed", "train.samples"),
        "predictions": ("data", "seed", "model", "eval"),
    }
    for name, keys in depends.items():
        those = {k: v for k, v in changed.items() if k.startswith(keys)}
        if those and any((run / name).glob("[!.]*")):
            raise RecipeError(
                f"{run / name} was made by another recipe ({_told(those)}):"
                f" delete {run / name} to make it anew, or give another --out"
            )
    if kinds and (begun or any((run / name).is_dir() for name in depends)):
        told = ", ".join(
            f"{kind} had version {was}, now {now}" for kind, (was, now) in kinds.items()
        )
        raise RecipeError(
            f"{run} was begun with another gnomon, and this one would go on with other samples"
            f" ({told}): give another --out to begin again, or go on with the gnomon that"
            f" {run / _VERSIONS} names"
        )


def _trained(run: Path) -> Iterator[Path]:
    """What a training left, or what was done with it."""
    log = run / "log.jsonl"
    if log.is_file() and log.stat().st_size:
        yield log
    yield from (run / "checkpoints").glob("checkpoint-*")
    yield from (run / name for name in ("adapter", "model") if (run / name).exists())
    answers = (run / "predictions").glob("*.jsonl")
    yield from (file for file in answers if not file.name.startswith(f"{BEFORE}."))


def _changed(held: Recipe, asked: Recipe) -> dict[str, tuple[Any, Any]]:
    """The keys in which two recipes differ, with both values."""
    old, new = recipe.flat(asdict(held)), recipe.flat(asdict(asked))
    return {k: (old.get(k), new.get(k)) for k in old | new if old.get(k) != new.get(k)}


def _told(changed: Mapping[str, tuple[Any, Any]]) -> str:
    """The first few keys that differ."""
    shown = [f"{key}: {old!r} there, {new!r} here" for key, (old, new) in changed.items()]
    return "; ".join([*shown[:3], "…"] if len(shown) > 3 else shown)


def versions(*more: str) -> dict[str, str]:
    """What a run stood on, and these packages, as far as they are here."""
    found = {"python": platform.python_version()}
    known = ("gnomon", "torch", "transformers", "trl", "peft", "bitsandbytes", "numpy")
    for package in (*known, *more):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def say(step: str) -> None:
    """What comes next, which --quiet leaves out."""
    note(f"— {step}")


def write_json(file: Path, value: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    put_text(file, as_text(value) + "\n")


def as_text(value: Any) -> str:
    """Plain values as JSON that a person can read, too."""
    return json.dumps(value, indent=2, ensure_ascii=False)
