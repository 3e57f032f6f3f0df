"""A training on a user's own rows: how often each is seen, and which checkpoint is kept."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gnomon.eval.calibration.conformal import USUAL_COVERAGE, fewest_groups
from gnomon.generators.base import Split
from gnomon.progress import note, warn
from gnomon.recipe import Recipe, Source, Train
from gnomon.runs.trained_rows import ENOUGH_ROWS
from gnomon.store import MixedSamples, Samples
from gnomon.store.reading.sources import (
    has_user_rows,
    open_splits,
    open_validation,
    user_sources,
)
from gnomon.store.samples import train_size
from gnomon.store.user_data.table import UserTable

_MOST_OFTEN = 10
"""Times that a training may see a row without a warning."""
_FEWEST = 32
"""Rows of a validation split by which checkpoints are compared; fewer choose by luck."""
_MOST_VALIDATIONS = 10
_SHARE = 4
"""Samples that are trained on for each one that a validation asks, at least."""


def warn_of_repeats(recipe: Recipe, samples: Samples) -> None:
    """Warn of a user's rows that a training sees more than ten times, with the ways out."""
    train = replace(recipe.train, samples=train_size(samples, recipe.train.samples))
    total = _samples_seen(train)
    parts = samples.sources if isinstance(samples, MixedSamples) else (samples,)
    weights = [source.weight for source in recipe.data]
    for index, (source, rows) in enumerate(zip(recipe.data, parts, strict=True)):
        if source.kind is not None or not rows.length or not has_user_rows(source):
            continue
        times = total * source.weight / sum(weights) / rows.length
        if times <= _MOST_OFTEN:
            continue
        ways = ["fewer steps", "more pictures"]
        if all(other.kind is None for other in recipe.data):
            ways.append("drawings beside them")
        if source.augment != "heavy":
            ways.append(f"data.{index}.augment=heavy")
        name = Path(source.path or source.hub or "").name
        warn(
            f"{name}: training sees each of its {rows.length:,} rows about {times:,.0f} times, and"
            f" may learn them by heart; ways out are {', '.join(ways[:-1])}, or {ways[-1]}"
        )


def group_counts(source: Source, splits: Mapping[Split, Samples]) -> dict[Split, int]:
    """Count the groups of each split of a table; empty if no column names them."""
    if source.columns is None or source.columns.group is None:
        return {}
    return {
        split: len({row.group for row in samples.rows})
        for split, samples in splits.items()
        if isinstance(samples, UserTable)
    }


def note_few_groups(recipe: Recipe) -> None:
    """Say before a training that a split has too few groups for intervals of new ones."""
    least = fewest_groups(USUAL_COVERAGE)
    for source in recipe.data:
        if source.path is None or source.columns is None or source.columns.group is None:
            continue
        n = group_counts(source, open_splits(source)).get("val", 0)
        if n < least:
            way_out = "give more groups to val"
            if source.columns.split is None:
                way_out = "name a column of train, val and test as columns.split"
            note(
                f"{Path(source.path).name}: val has {n} groups by {source.columns.group}, and"
                f" intervals of {100 * USUAL_COVERAGE:g} % for new ones need {least} (`gnomon"
                f" calibrate`): {way_out}"
            )


def note_rows_for_calibration(recipe: Recipe) -> None:
    """Say before a training that a split leaves too few rows to calibrate the run by.

    Rows that choose the checkpoint are no new pictures to it.
    """
    train = recipe.train
    is_own = bool(user_sources(recipe.data))
    if train.validation_steps is None or not is_own or recipe.validation_split != "val":
        return
    n = _validation_rows(recipe)
    n_choosing = min(n, train.eval_samples)
    n_others = n - n_choosing
    if n_others < ENOUGH_ROWS:
        note(
            f"{n_choosing} of {n} rows of val choose the checkpoint, and {n_others} others are few"
            f" for `gnomon calibrate`: give val {n_choosing + ENOUGH_ROWS} rows or more"
            " (columns.split), or keep labelled pictures in a table of their own"
        )


def with_validation(recipe: Recipe) -> Recipe:
    """Decide `train.eval_steps` where it is open: validation for own rows with a split for it.

    The recipe has its number of samples by now. There is no validation where it would ask more than
    a quarter as many samples as are trained on, nor by few rows. Rows are never taken from the
    training for it.
    """
    train = recipe.train
    if train.eval_steps != "auto":
        return recipe
    steps, n = None, train.eval_samples
    total = _samples_seen(train)
    if user_sources(recipe.data) and recipe.validation_split == "val":
        n = min(n, _validation_rows(recipe))
        if n >= _FEWEST:
            steps = _validation_steps(train, total, n)
    if steps is None:
        return replace(recipe, train=replace(train, eval_steps=None))
    return replace(recipe, train=replace(train, eval_steps=steps, eval_samples=n))


def note_validation(written: Train, train: Train) -> None:
    """Say that the best checkpoint is kept, where the user left that open."""
    if written.eval_steps == "auto" and train.validation_steps is not None:
        note(
            f"every {train.eval_steps} steps {train.eval_samples} rows of the val split are asked,"
            f" and the checkpoint with the best {train.metric} is kept; train.eval_steps=null keeps"
            " the last"
        )


def _samples_seen(train: Train) -> float:
    """Number of samples that a training reads, each as often as it does."""
    if train.max_steps > 0:
        return train.max_steps * train.step_size
    assert train.samples is not None  # counted by now
    return train.samples * train.num_train_epochs


def _validation_rows(recipe: Recipe) -> int:
    """Number of distinct validation samples; 0 if a source has no validation split."""
    try:
        samples = open_validation(recipe)
    except ValueError:
        return 0
    return samples.n_distinct or 0


def _validation_steps(train: Train, total: float, n: int) -> int | None:
    """Steps between validations of `n` samples; None if they cost too much or are too few."""
    validations = min(_MOST_VALIDATIONS, int(total / (_SHARE * n)))
    steps = int(total / train.step_size)
    if validations < 2 or steps < 2:
        return None
    # A checkpoint is saved at each validation, so no more rarely than the user wants them saved.
    between = min(-(-steps // validations), train.save_steps)
    return between if steps // between * n * _SHARE <= total else None
