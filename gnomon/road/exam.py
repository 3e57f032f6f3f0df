"""What a recipe measures its model on, and whether all its names are known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon import generators, losses, recipe, store
from gnomon.names import check as check_known
from gnomon.names import nearest_names
from gnomon.pipeline import families
from gnomon.recipe import Recipe, RecipeError, Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gnomon.generators.base import Split
    from gnomon.sample import Sample
    from gnomon.store import Samples


@dataclass(frozen=True)
class Exam:
    """Which samples a model is asked: the first `samples` of weighted sources."""

    sources: tuple[Source, ...]
    split: Split
    seed: int
    samples: int

    @classmethod
    def of(cls, opened: Recipe) -> Exam:
        """What a recipe measures its model on."""
        asked = opened.eval
        return cls(asked.data or opened.data, asked.split, asked.seed, asked.samples)

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Exam:
        """The exam that `asdict` wrote."""
        sources = (recipe.checked(Source, source, name="exam") for source in row["sources"])
        return cls(**{**row, "sources": tuple(sources)})

    def open(self) -> Samples:
        """The samples, drawn or read when they are asked for."""
        return store.mixture(self.sources, split=self.split, seed=self.seed)

    def __iter__(self) -> Iterator[Sample]:
        samples = self.open()
        return (samples[index] for index in range(self.samples))

    def by_source(self) -> dict[str, set[str]]:
        """The ids of each source's samples, where there are several sources."""
        if len(self.sources) == 1:
            return {}
        samples = self.open()
        found: dict[int, set[str]] = {place: set() for place in range(len(self.sources))}
        for index in range(self.samples):
            found[samples.source_of(index)].add(samples.id(index))
        names = [
            source.kind or Path(source.path or source.hub or "").name for source in self.sources
        ]
        names = [n if names.count(n) == 1 else f"{n} ({i})" for i, n in enumerate(names, 1)]
        return {names[place]: ids for place, ids in found.items() if ids}


def open_recipe(path: str | Path, overrides: Sequence[str] = ()) -> Recipe:
    """A recipe whose every name and option is known to its room; nothing heavy is loaded."""
    _refuse_kind(str(path))
    return check(recipe.load(path, overrides))


def check_name(name: str) -> None:
    """Refuse a bare name that is neither a kind nor a recipe that comes with gnomon."""
    if _is_name(name):
        known = [*generators.KINDS, *_shipped()]
        check_known(known, name, what="generator or recipe", listing="gnomon ls")


def _refuse_kind(name: str) -> None:
    """Where a recipe is wanted, a kind may be meant, rightly spelt or not."""
    if not _is_name(name) or nearest_names(name, _shipped()):
        return
    for kind in nearest_names(name, generators.KINDS)[:1]:
        meant = ", which" if kind == name else f": did you mean {kind}? That"
        raise RecipeError(
            f"no recipe {name!r}{meant} is a kind; a recipe names kinds under data:"
            " `gnomon cp demo my.yaml` gives one to start from, `gnomon ls configs` lists others"
        )


def _is_name(text: str) -> bool:
    """Whether it names no file, and cannot be meant as one or as an override."""
    place = Path(text)
    return place.name == text and not place.suffix and not place.exists() and "=" not in text


def _shipped() -> list[str]:
    return [file.removesuffix(".yaml") for file in recipe.configs()]


def check(opened: Recipe) -> Recipe:
    """The same recipe, once each room has looked at its names and options."""
    exam = Exam.of(opened)
    try:
        losses.check(opened.loss.name, opened.loss.options)
        if opened.model.server is None:
            families.locate(opened.model.name)
        if opened.model.family is not None:
            families.check(opened.model.family)
        store.mixture(opened.data, split="train", seed=opened.seed)
        check_enough("eval.samples", exam.samples, exam.open(), exam.split)
        if opened.train.eval_steps is not None:
            _check_watched(opened)
    except ValueError as error:
        raise RecipeError(str(error)) from error
    return opened


def check_enough(key: str, n: int, samples: Samples, split: str) -> None:
    """Refuse to ask a question twice: one answer to each is scored."""
    there = samples.distinct
    if there is None or n <= there:
        return
    way_out = (
        ""
        if samples.length
        else (
            " before a source begins again: ask for fewer, weigh the sources by how long they are,"
            " or ask each alone"
        )
    )
    raise RecipeError(f"{key}: {n}: the {split} split has only {there}{way_out}")


def _check_watched(opened: Recipe) -> None:
    """What a training is measured by, and on, as it goes."""
    from gnomon.eval.watching import greater_is_better

    greater_is_better(opened.train.metric)
    split = opened.watched_split
    samples = store.mixture(opened.data, split=split, seed=opened.seed)
    check_enough("train.eval_samples", opened.train.eval_samples, samples, split)
