"""Counts of samples, repeats and leaks between splits."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from gnomon.commands._parser import Count, Few
from gnomon.terminal import show, show_json

if TYPE_CHECKING:
    from gnomon.generators.base import Split
    from gnomon.runs.resolve import Resolved
    from gnomon.store import Samples

_ENOUGH = 500
"""Number of samples that are counted in a split of endless drawings."""


def stats(
    what: str,
    *overrides: str,
    n: Count | None = None,
    json: bool = False,
    seed: int | None = None,
    workers: Few | None = None,
) -> int:
    """Count samples, repeats and leaks between splits, and exit with 1 for a leak.

    Examples:
        gnomon stats clocks
        gnomon stats chart --n 100 level=hard
        gnomon stats demo --json

    what DIR|KIND|RECIPE: a dataset, your own file, a kind or a recipe
    overrides key=value: options of the kind or recipe, such as size=112, or how your own file is
        read, such as columns.answer=time
    n N: number of samples per split (default: all on disk, or 500 drawn samples)
    """
    from gnomon.runs.resolve import resolve
    from gnomon.runs.table_warnings import warn_of_mistakes
    from gnomon.store.writing.census import census

    resolved = resolve(what, overrides)
    samples = {
        # An endless split has no length: use --n, or enough.
        str(split): (pool, min(n or enough, pool.length or n or enough))
        for split, (pool, enough) in splits_of(resolved, seed).items()
    }
    counts = census(samples, workers=workers)
    warn_of_mistakes(resolved.check_for_drawing(), leaks=False)
    if json:
        show_json(asdict(counts))
    else:
        show(counts)
    return 1 if counts.leaks else 0  # for CI


def splits_of(resolved: Resolved, seed: int | None) -> dict[Split, tuple[Samples, int]]:
    """Return the samples of each split, and how many of them to count.

    Data on disk has the splits that have rows, and a kind has all three. For a recipe, the splits
    are its training and its exam.
    """
    from gnomon.generators.base import SPLITS
    from gnomon.store.reading.sources import open_splits
    from gnomon.store.samples import train_size

    recipe = resolved.check_for_drawing()
    if resolved.source_type == "disk":
        splits = open_splits(recipe.data[0])
        return {split: (rows, rows.length or 0) for split, rows in splits.items()}
    if resolved.source_type == "kind":
        return {split: (resolved.samples(split, seed), _ENOUGH) for split in SPLITS}
    exam, training = resolved.exam, resolved.samples("train", seed)
    return {
        "train": (training, min(_ENOUGH, train_size(training, recipe.train.samples))),
        exam.split: (exam.pool, min(_ENOUGH, exam.samples)),
    }
