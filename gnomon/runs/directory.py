"""Names of runs and their files, and messages about directories that are not runs."""

import json
from pathlib import Path
from typing import Any

from gnomon.atomic import put_text
from gnomon.names import hint
from gnomon.options import option
from gnomon.recipe import RecipeError

BEFORE, AFTER = "before", "after"
"""Names of the answers before the training and after it."""


def guard_name(when: str, file: str) -> str:
    """Return the name of the answers to a guard's file, BEFORE or AFTER the training.

    It begins like the name of the exam's answers, because both are renamed if a run is extended.
    """
    return f"{when}.guard.{file}"


def default_run(recipe: str) -> Path:
    """Return the default directory of a recipe's run."""
    return Path("runs") / Path(recipe).name.removesuffix(".yaml").removesuffix(".yml")


def check_is_utf8(out: Path) -> None:
    """Refuse a name that cannot be encoded in UTF-8: tokenizers cannot be saved there."""
    try:
        str(out).encode()
    except UnicodeEncodeError:
        raise RecipeError(f"{out}: this name is not valid UTF-8: give another") from None


def no_run_message(run: Path) -> str:
    """Explain why a path is not a run, and suggest the sibling that may have been meant."""
    if run.is_dir():
        return f"{run} is not a run: it has no recipe.yaml"
    siblings = sibling_runs(run)
    return f"there is no run {run}" + (f": {hint(run.name, siblings)}" if siblings else "")


def sibling_runs(run: Path) -> list[str]:
    """List the runs in the parent directory of `run`, which need not exist."""
    return sorted(file.parent.name for file in run.parent.glob("*/recipe.yaml"))


def check_all_are_ours(folder: Path, ours: set[str], what: str) -> None:
    """Raise a RecipeError if a directory has files other than `ours`. Dot files are ignored."""
    names = sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith("."))
    others = [name for name in names if name not in ours]
    if others:
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        raise RecipeError(
            f"{folder} holds other files ({', '.join(others[:3])}{more}), and {what} needs a"
            f" directory of its own: give another {option('out')}"
        )


def write_json(file: Path, value: Any) -> None:
    """Write indented JSON. Missing folders are created."""
    file.parent.mkdir(parents=True, exist_ok=True)
    put_text(file, pretty_json(value) + "\n")


def pretty_json(value: Any) -> str:
    """Return plain values as JSON with indents and readable Unicode."""
    return json.dumps(value, indent=2, ensure_ascii=False)
