"""Warnings about a user's own tables, before a model is trained on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gnomon.eval.calibration.conformal import USUAL_COVERAGE, fewest_groups
from gnomon.generators.base import SPLITS, Split
from gnomon.progress import note, warn
from gnomon.recipe import Recipe, Source
from gnomon.runs.trained_rows import ENOUGH_ROWS
from gnomon.runs.validation_schedule import samples_seen, validation_rows
from gnomon.store import MixedSamples, Samples
from gnomon.store.reading.sources import has_user_rows, open_splits, open_user_table, user_sources
from gnomon.store.samples import train_size
from gnomon.store.user_data.table import UserTable


def row_counts(sources: Sequence[Source]) -> Iterator[str]:
    """Yield a line for each file and directory with its rows and groups per split."""
    for source in sources:
        if source.path is not None:
            splits = open_splits(source)
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

    tables = _user_tables(checked.data)
    parts = [part for table in tables for part in table.parts().values()]
    if checked.eval.data is not None:
        # With questions of its own the exam leaves the training data's held-out rows unused.
        used = {"train"}
        if checked.train.validation_steps is not None:
            used.add(checked.validation_split)
        parts = [part for part in parts if part.split in used]
        exam_tables = _user_tables(checked.eval.data)
        parts += [table.part(checked.eval.split) for table in exam_tables]
        tables += exam_tables
    warnings = mistakes.contradictions(tables) + mistakes.similar_groups(parts)
    warnings += mistakes.leaks(parts) if leaks else []
    for line in warnings:
        warn(line)


def _user_tables(sources: Sequence[Source]) -> list[UserTable]:
    tables = map(open_user_table, sources)
    return [table for table in tables if table is not None]


_MOST_OFTEN = 10
"""Times that a training may see a row without a warning."""


def warn_before_training(recipe: Recipe, samples: Samples) -> None:
    """Warn of mistakes in a user's tables, and of rows that are too few or seen too often."""
    warn_of_mistakes(recipe)
    warn_of_repeats(recipe, samples)
    note_few_groups(recipe)
    note_rows_for_calibration(recipe)


def warn_of_repeats(recipe: Recipe, samples: Samples) -> None:
    """Warn of a user's rows that a training sees more than ten times, with the ways out."""
    train = replace(recipe.train, samples=train_size(samples, recipe.train.samples))
    total = samples_seen(train)
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
    """Count the groups of each split of a table, if a column names groups."""
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
            groups = "group" if n == 1 else "groups"
            note(
                f"{Path(source.path).name}: val has {n} {groups} by {source.columns.group}, and"
                f" intervals of {100 * USUAL_COVERAGE:g} % for new groups need {least} (`gnomon"
                f" calibrate`): {way_out}"
            )


def note_rows_for_calibration(recipe: Recipe) -> None:
    """Say before a training that a split leaves too few rows to calibrate the run by.

    Rows that choose the checkpoint cannot calibrate it.
    """
    train = recipe.train
    is_own = bool(user_sources(recipe.data))
    if train.validation_steps is None or not is_own or recipe.validation_split != "val":
        return
    n = validation_rows(recipe)
    n_choosing = min(n, train.eval_samples)
    n_others = n - n_choosing
    if n_others < ENOUGH_ROWS:
        note(
            f"{n_choosing} of {n} rows of val choose the checkpoint, and {n_others} others are few"
            f" for `gnomon calibrate`: give val {n_choosing + ENOUGH_ROWS} rows or more"
            " (columns.split), or keep labelled pictures in a table of their own"
        )
