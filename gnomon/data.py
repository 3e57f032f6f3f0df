"""Data by name: what a kind, a recipe, a directory or a file of one's own holds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon import generators, recipe, store
from gnomon.pipeline import families
from gnomon.recipe import Recipe, RecipeError, Source
from gnomon.road import Exam, open_recipe
from gnomon.road.exam import check_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL import Image

    from gnomon.generators.base import Split
    from gnomon.store import Census, Samples

_SPLITS: tuple[Split, ...] = ("train", "val", "test")
_ENOUGH = 500
"""How many samples of what has no end are looked at."""


def samples_of(what: str, options: Sequence[str], *, split: Split, seed: int | None) -> Samples:
    """What a kind draws with `key=value` options, or what a recipe trains on."""
    opened = _recipe_of(what, options)
    if opened is None:
        source = Source(kind=what, options=recipe.laid_over({}, options))
        return store.mixture((source,), split=split, seed=seed or 0)
    return store.mixture(opened.data, split=split, seed=opened.seed if seed is None else seed)


def preview(
    what: str, options: Sequence[str], *, split: Split, seed: int | None, n: int
) -> Image.Image:
    """A contact sheet; a recipe's shows each picture as its model will see it, and its labels."""
    from gnomon.generators.sheet import contact_sheet
    from gnomon.pipeline.checkpoint import ModelNotHereError, open_processor

    samples = samples_of(what, options, split=split, seed=seed)
    shown = [samples[index] for index in range(n)]
    opened = _recipe_of(what, options)
    if opened is None:
        return contact_sheet(shown, title=what)
    try:
        family, processor = open_processor(opened.model)
        from gnomon.pipeline.preview import sheet
    except (ModelNotHereError, ModuleNotFoundError) as error:
        print(f"gnomon: {error}; so the sheet shows the samples as drawn", file=sys.stderr)
        return contact_sheet(shown, title=what)
    return sheet(family, processor, shown, title=f"{what}: as {opened.model.name} sees it")


def token_table(what: str, options: Sequence[str], *, split: Split, seed: int | None) -> str:
    """A recipe's first sample token by token, as its model will see it and learn from it."""
    from gnomon.pipeline.checkpoint import open_processor

    opened = _recipe_of(what, options)
    if opened is None:
        raise RecipeError(f"--tokens: {what} is a kind; name a recipe, whose model has a tokenizer")
    family, processor = open_processor(opened.model)
    from gnomon.pipeline.preview import token_table as table

    return table(family, processor, samples_of(what, options, split=split, seed=seed)[0])


def stats(
    what: str, options: Sequence[str], *, n: int | None, seed: int | None, workers: int | None
) -> Census:
    """What is in a dataset directory or file, or in what a kind or a recipe draws, by split."""
    from gnomon.store.census import Part, census, parts_of
    from gnomon.store.own import is_own

    place = Path(what)
    if place.is_dir() and not is_own(place):
        return census(parts_of(place, n=n), workers=workers)
    parts = {}
    for split, (samples, total) in _splits_of(what, options, seed).items():
        most = n or total
        parts[split] = Part(samples, min(most, samples.length or most), samples)
    return census(parts, workers=workers)


def export(
    what: str,
    options: Sequence[str],
    *,
    form: str,
    family: str,
    out: Path,
    split: Split,
    n: int | None,
) -> Path:
    """Write samples out for another trainer."""
    from gnomon.pipeline.export import export as write_out

    if Path(what).exists() and not what.endswith((".yaml", ".yml")):
        samples = store.mixture((_own_source(what, options),), split=split, seed=0)
    else:
        samples = samples_of(what, options, split=split, seed=None)
    total = n or samples.length
    if total is None:
        raise RecipeError(f"{what} has no end: say how many with --n")
    asked = (samples[index] for index in range(min(total, samples.length or total)))
    return write_out(asked, total, families.create(family), form, out)


def _splits_of(
    what: str, options: Sequence[str], seed: int | None
) -> dict[str, tuple[Samples, int]]:
    """The splits of an own file, of a kind or of a recipe; and how many samples are enough."""
    if Path(what).exists() and not what.endswith((".yaml", ".yml")):
        return _own_splits(_own_source(what, options))
    opened = _recipe_of(what, options)
    if opened is None:
        drawn = ((s, samples_of(what, options, split=s, seed=seed)) for s in _SPLITS)
        return {split: (samples, _ENOUGH) for split, samples in drawn}
    exam, trained = Exam.of(opened), samples_of(what, options, split="train", seed=seed)
    return {
        "train": (trained, min(_ENOUGH, opened.train.samples)),
        exam.split: (exam.open(), min(_ENOUGH, exam.samples)),
    }


def _own_splits(source: Source) -> dict[str, tuple[Samples, int]]:
    """Those that have a row; where none has, or where rows are bad, that is the error."""
    found: dict[str, tuple[Samples, int]] = {}
    faults = []
    for split in _SPLITS:
        try:
            samples = store.mixture((source,), split=split, seed=0)
        except ValueError as error:
            faults.append(error)
        else:
            found[split] = (samples, samples.length or 0)
    if not found:
        raise faults[0]
    return found


def _own_source(what: str, options: Sequence[str]) -> Source:
    return recipe.checked(Source, recipe.laid_over({"path": what}, options), name="command line")


def _recipe_of(what: str, options: Sequence[str]) -> Recipe | None:
    """The recipe of that name, None for a kind."""
    if what in generators.KINDS:
        return None
    check_name(what)
    return open_recipe(what, options)
