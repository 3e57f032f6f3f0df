"""The recipe of what `gnomon plan` is given, and the recipe that fits, as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.pipeline import families
from gnomon.recipe import Recipe, edit, parse
from gnomon.runs import shipped
from gnomon.runs.resolve import Resolved, resolve, resolve_values
from gnomon.store.user_data.lines import SUFFIXES

if TYPE_CHECKING:
    from gnomon.pipeline.planning.plan import Plan


def resolve_for_planning(name: str, overrides: Sequence[str]) -> Resolved:
    """Resolve a recipe, data or a model. A model is trained on clocks."""
    checkpoint = _checkpoint(name)
    if checkpoint is None:
        return resolve(name, overrides)
    text = shipped.of_model(checkpoint)
    return resolve_values(parse(text, name=name), overrides, name=name, text=text)


def _checkpoint(name: str) -> str | None:
    """Return the checkpoint that a hub id, a short name or a directory names, or None."""
    path = Path(name)
    if name in shipped.models():
        return shipped.models()[name]
    if path.exists():
        return name if (path / "config.json").is_file() else None
    # runs/x.yaml and data/labels.csv also have one slash.
    is_hub_id = name.count("/") == 1 and path.suffix.lower() not in (".yaml", ".yml", *SUFFIXES)
    if name in families.EMBEDDED or (is_hub_id and not path.parent.exists()):
        return name
    return None


def fitting_text(text: str, recipe: Recipe, plan: Plan) -> str:
    """Return a recipe's text with the plan's changes, and a header that names what it gave up."""
    from gnomon.pipeline.planning.plan import overrides_between

    # Written even at their defaults, because the plan depends on them.
    always = ("_train_batch_size", "_accumulation_steps", "_checkpointing")
    changes = overrides_between(recipe, plan.recipe, always)
    gib, need = (size / 2**30 for size in (plan.available, plan.memory.total))
    header = [f"# Planned for {gib:.1f} GiB: a step of it takes about {need:.1f}."]
    header += [f"# Given up: {each}." for each in plan.given_up or ["nothing"]]
    # A recipe that was planned before has such a header; a second one would contradict it.
    text = re.sub(r"\A(# (Planned for|Given up:|yaml-language-server:) .*\n)+", "", text)
    return "\n".join([*header, edit(text, changes)])
