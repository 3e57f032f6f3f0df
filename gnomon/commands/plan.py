"""Plans: the memory and tokens that a recipe takes, and recipes that fit."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from gnomon.atomic import check_is_free, create_file
from gnomon.progress import warn
from gnomon.terminal import show, show_json


def plan(
    recipe: str,
    *overrides: str,
    config_only: bool = False,
    memory: float | None = None,
    write: Path | None = None,
    json: bool = False,
) -> int:
    """Say how much memory a recipe, your data or a model needs, or write a recipe that fits.

    Examples:
        gnomon plan demo --memory 24
        gnomon plan labels.csv columns.answer=time
        gnomon plan qwen2.5-vl-7b --memory 12 --write recipe.yaml

    recipe RECIPE|DATA|MODEL: a recipe, a dataset, your own .csv or folder, or a model to train on
        clocks
    overrides key=value: keys of the recipe, such as train.lora_r=8, or how your file is read
    config_only: open no checkpoint: its known sizes are enough
    memory GIB: memory to plan for, such as 24 (default: the free memory of this machine)
    write YAML: write a recipe that fits, and say what was given up for it
    """
    from gnomon.pipeline.checkpoint import ModelNotHereError
    from gnomon.pipeline.planning import plan as planning  # imports torch
    from gnomon.recipe import with_schema_line
    from gnomon.runs.planning import fitting_text, resolve_for_planning
    from gnomon.runs.start_run import check_start
    from gnomon.runs.table_warnings import row_counts, warn_before_training
    from gnomon.store.reading.augmented import check_can_spread

    if memory is not None and not 0 < memory < 10**6:  # nor is it NaN
        raise ValueError(f"--memory {memory:g}: give more than 0 GiB")
    resolved = resolve_for_planning(recipe, overrides)
    checked = resolved.recipe
    check_can_spread(resolved.samples("train"), checked.loss.spread)
    check_start(checked)
    if write is not None:
        check_is_free(write)
    for line in () if json else row_counts(checked.data):
        show(line)
    if checked.eval.guard and not json:
        show(f"guard: {resolved.guard}, before and after the training")
    warn_before_training(checked, resolved.samples("train"))
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
