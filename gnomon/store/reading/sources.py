"""Samples of the sources that a recipe names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon import generators
from gnomon.generators.base import SPLITS, Split
from gnomon.recipe import Columns, Recipe, Source
from gnomon.store.formats import manifest as manifests
from gnomon.store.reading.mixture import MixedSamples, WholeMixture, varied_indices
from gnomon.store.samples import GeneratedSamples, Samples

if TYPE_CHECKING:
    from gnomon.store.user_data.table import UserTable


def mixture(sources: Sequence[Source], *, split: Split, seed: int, whole: bool = False) -> Samples:
    """Open a split of weighted sources.

    Several sources make endless `MixedSamples`. With `whole`, each of their samples occurs once if
    all of them have an end. A single source is returned as it is: endless if it is drawn, with its
    length if it is on disk.
    """
    parts = tuple(_samples(source, split, seed) for source in sources)
    # A single source keeps its end.
    if len(parts) == 1:
        return parts[0]
    has_end = whole and all(part.length is not None for part in parts)
    make = WholeMixture if has_end else MixedSamples
    return make(parts, tuple(source.weight for source in sources), split, seed)


def open_validation(recipe: Recipe, copies: Path | None = None) -> Samples:
    """Open the samples that validate a training: the user's rows if there are any.

    Drawings among them would choose the checkpoint that reads drawings best. `copies` is a dataset
    of the samples that the run wrote down. It is read if a source no longer exists.
    """
    split = recipe.validation_split
    if copies is not None and any(map(is_gone, recipe.data)):
        from gnomon.store.reading.dataset import open_copy

        if split in manifests.read(copies)["splits"]:
            return open_copy(copies, split)
    sources = user_sources(recipe.data) or recipe.data
    return mixture(sources, split=split, seed=recipe.seed, whole=True)


def validation_indices(recipe: Recipe, samples: Samples) -> Sequence[int]:
    """Return the indices of the samples that a validation asks.

    With several sources these are the first samples, in their shares. With a single source they
    have as many different labels as possible, because a file may be sorted by its labels.
    """
    n = recipe.train.eval_samples
    if samples.describe()["source"] == "mixture":
        return range(n if samples.length is None else min(n, samples.length))
    return varied_indices(samples, n, seed=recipe.seed)


def is_gone(source: Source) -> bool:
    """Return True if a source is a table or folder that does not exist."""
    return source.path is not None and not Path(source.path).exists()


def open_splits(source: Source) -> dict[Split, Samples]:
    """Open every split of a source on disk that has samples. A user's table is read only once.

    If all splits are empty, the error of the test split is raised.
    """
    if _is_dataset(source):
        splits: dict[Split, Samples] = {}
        for split in SPLITS:
            try:
                # Sources on disk do not have a seed.
                splits[split] = _samples(source, split, 0)
            except ValueError:
                # A dataset may lack splits, but not all of them.
                if split == SPLITS[-1] and not splits:
                    raise
        return splits
    table = open_user_table(source)
    assert table is not None  # a source on disk is a dataset or a table
    parts = table.parts()
    return {split: parts[split] for split in SPLITS if split in parts}


def _samples(source: Source, split: Split, seed: int) -> Samples:
    """Open a generator, a dataset that gnomon wrote, or a user's table."""
    if source.kind is not None:
        options = source.options or {}
        # One split and one seed hold for the whole recipe.
        reserved = options.keys() & {"split", "seed"}
        if reserved:
            raise ValueError(
                f"options.{min(reserved)}: it is set for all sources together: leave it out here"
            )
        return GeneratedSamples(generators.create(source.kind, split=split, seed=seed, **options))
    if source.path is not None and _is_dataset(source):
        from gnomon.store.reading.dataset import open_dataset

        return open_dataset(source.path, split)
    table = open_user_table(source)
    assert table is not None  # a Source has a kind, a path or a hub
    return table.part(split)


def with_augmentation(source: Source) -> Source:
    """Return a source's `augment` after opening: light for a user's pictures, otherwise off."""
    if source.augment is not None or source.kind is not None:
        return source
    return replace(source, augment="light" if has_user_rows(source) else "off")


def user_sources(sources: Sequence[Source]) -> tuple[Source, ...]:
    """Return the sources of a user's rows, without drawings."""
    return tuple([source for source in sources if source.kind is None and has_user_rows(source)])


def has_user_rows(source: Source) -> bool:
    """Return True for a user's rows, and for a dataset that they were written to."""
    if source.path is None or not _is_dataset(source):
        return True
    splits = manifests.read(Path(source.path))["splits"].values()
    return any(_is_of_user(split["samples"]) for split in splits)


def _is_of_user(description: dict[str, Any]) -> bool:
    """Return True for the description of a user's table, or of a mixture with such a table."""
    parts = description.get("sources", ())
    return description["source"] == "own" or any(_is_of_user(part) for part in parts)


def _is_dataset(source: Source) -> bool:
    """Return True for a directory that gnomon wrote, unless the recipe reads it as a table."""
    # A recipe that names columns or a benchmark wants a table, whatever the folder contains.
    if source.path is None or source.benchmark is not None or source.columns is not None:
        return False
    from gnomon.store.user_data.row_files import is_user_data

    return not is_user_data(source.path)


def open_user_table(source: Source) -> UserTable | None:
    """Open all rows of a user's file, a benchmark or the hub. None if gnomon drew the samples."""
    columns, path = source.columns or Columns(), source.path
    if source.hub is not None:
        from gnomon.store.user_data.opening import open_hub

        return open_hub(source.hub, columns, "all", on_bad=source.on_bad)
    if path is None or _is_dataset(source):
        return None
    if source.benchmark is not None:
        from gnomon.store.benchmarks import open_benchmark

        return open_benchmark(
            source.benchmark, path, "all", on_bad=source.on_bad, pictures=source.pictures
        )
    from gnomon.store.user_data.opening import open_table

    return open_table(path, columns, "all", on_bad=source.on_bad, pictures=source.pictures)
