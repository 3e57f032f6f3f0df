"""What a run's directory holds beside its samples and weights."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from gnomon import recipe
from gnomon.names import hint
from gnomon.progress import note
from gnomon.recipe import Recipe, RecipeError
from gnomon.store.atomic import put_text

if TYPE_CHECKING:
    from pathlib import Path


BEFORE, AFTER = "before", "after"
"""The model as it came, and with what the run trained."""


def claim(run: Path, opened: Recipe) -> None:
    """Take the directory for this recipe; one that another recipe holds is left as it was."""
    file = run / "recipe.yaml"
    if file.exists():
        held = recipe.load(file)
        if held != opened:
            raise RecipeError(
                f"{run} holds a run of another recipe ({_difference(held, opened)}):"
                " give another --out, or delete that directory"
            )
        return
    run.mkdir(parents=True, exist_ok=True)
    put_text(file, recipe.to_yaml(opened))  # at once, for several processes may look there
    write_json(run / "versions.json", versions())


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


def _difference(held: Recipe, asked: Recipe) -> str:
    """The first few keys that differ, with both values."""
    old, new = recipe.flat(asdict(held)), recipe.flat(asdict(asked))
    keys = [key for key in old | new if old.get(key) != new.get(key)]
    shown = [f"{key}: {old.get(key)!r} there, {new.get(key)!r} here" for key in keys[:3]]
    return "; ".join(shown) + ("; …" if len(keys) > 3 else "")


def versions() -> dict[str, str]:
    """What a run stood on."""
    found = {"python": platform.python_version()}
    for package in ("gnomon", "torch", "transformers", "trl", "peft", "bitsandbytes", "numpy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def say(step: str) -> None:
    """What comes next, which --quiet leaves out."""
    note(f"— {step}")


def warn(text: str) -> None:
    """What the results lack, which --quiet leaves in."""
    print(f"gnomon: {text}", file=sys.stderr)


def write_json(file: Path, value: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    put_text(file, as_text(value) + "\n")


def as_text(value: Any) -> str:
    """Plain values as JSON that a person can read, too."""
    return json.dumps(value, indent=2, ensure_ascii=False)
