"""Plans: the memory and tokens that a recipe takes, and recipes that fit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.atomic import check_is_free, create_file
from gnomon.pipeline import families
from gnomon.pipeline.checkpoint import ModelNotHereError
from gnomon.progress import warn
from gnomon.recipe import Recipe, edit, parse, with_schema_line
from gnomon.runs import shipped
from gnomon.runs.resolve import Resolved, resolve, resolve_values, row_counts, warn_of_mistakes
from gnomon.runs.user_rows import note_few_groups, note_rows_for_calibration, warn_of_repeats
from gnomon.store.reading.augmented import check_can_spread
from gnomon.store.user_data.lines import SUFFIXES
from gnomon.terminal import show, show_json

if TYPE_CHECKING:
    from gnomon.pipeline.planning.plan import Plan


def plan(
    recipe: str,
    *overrides: str,
    config_only: bool = False,
    memory: float | None = None,
    write: Path | None = None,
    json: bool = False,
) -> int:
    """Say what a recipe, your data or a model will take, or write a recipe that fits.

    Example: gnomon plan demo --memory 24 | gnomon plan labels.csv columns.answer=time
    | gnomon plan qwen2.5-vl-7b --memory 12 --write recipe.yaml

    recipe RECIPE|DATA|MODEL: a recipe, a dataset, your own .csv or folder, or a model to be trained
        on clocks
    overrides key=value: of the recipe, such as train.lora_r=8, or of how your file is read
    config_only: open no checkpoint; its known sizes are enough
    memory GIB: memory to plan for, such as 24; default: what is free here
    write YAML: write a recipe that fits, and say what was given up for it
    """
    from gnomon.pipeline.planning import plan as planning  # imports torch

    if memory is not None and not 0 < memory < 10**6:  # nor is it NaN
        raise ValueError(f"--memory {memory:g}: give more than 0 GiB")
    resolved = resolve_for_planning(recipe, overrides)
    checked = resolved.recipe
    check_can_spread(resolved.samples("train"), checked.loss.spread)
    if write is not None:
        check_is_free(write)
    for line in () if json else row_counts(checked.data):
        show(line)
    warn_of_mistakes(checked)
    warn_of_repeats(checked, resolved.samples("train"))
    note_few_groups(checked)
    note_rows_for_calibration(checked)
    make_plan = partial(
        planning.plan,
        checked,
        resolved.samples("train"),
        available=None if memory is None else memory * 2**30,
        fit=write is not None,
    )
    try:
        result = make_plan(config_only=config_only)
    except ModelNotHereError as error:
        if checked.model.name not in planning.well_known():
            raise
        warn(f"{error}; so it is planned by its known sizes, as with --config-only")
        result = make_plan(config_only=True)
    if json:
        show_json(result.to_json())
    else:
        show(result)
    if write is not None and result.fits:
        text = fitting_text(resolved.text, checked, result)
        create_file(write, with_schema_line(text, write).encode())
        if not json:
            show(write)
    return 0 if result.fits else 1  # a script can ask whether a recipe fits


def resolve_for_planning(name: str, overrides: Sequence[str]) -> Resolved:
    """Resolve what the user named; a model is trained on clocks."""
    checkpoint = _checkpoint(name)
    if checkpoint is None:
        return resolve(name, overrides)
    text = shipped.of_model(checkpoint)
    return resolve_values(parse(text, name=name), overrides, name=name, text=text)


def _checkpoint(name: str) -> str | None:
    """Return the checkpoint that a hub id, a short name or a directory is; None if it is none."""
    path = Path(name)
    if name in shipped.models():
        return shipped.models()[name]
    if path.exists():
        return name if (path / "config.json").is_file() else None
    # runs/x.yaml and data/labels.csv have one slash, too.
    is_hub_id = name.count("/") == 1 and path.suffix.lower() not in (".yaml", ".yml", *SUFFIXES)
    if name in families.EMBEDDED or (is_hub_id and not path.parent.exists()):
        return name
    return None


def fitting_text(text: str, recipe: Recipe, plan: Plan) -> str:
    """Return a recipe's text with the plan's changes, and a header that names what it gave up."""
    from gnomon.pipeline.planning.plan import overrides_between

    # Written even at their defaults, so that a reader sees what the plan counted with.
    always = ("_train_batch_size", "_accumulation_steps", "_checkpointing")
    changes = overrides_between(recipe, plan.recipe, always)
    gib, need = (size / 2**30 for size in (plan.available, plan.memory.total))
    header = [f"# Planned for {gib:.1f} GiB: a step of it takes about {need:.1f}."]
    header += [f"# Given up: {each}." for each in plan.given_up or ["nothing"]]
    # A recipe that was planned before has such a header; a second one would contradict it.
    text = re.sub(r"\A(# (Planned for|Given up:|yaml-language-server:) .*\n)+", "", text)
    return "\n".join([*header, edit(text, changes)])
