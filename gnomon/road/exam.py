"""What a recipe measures its model on, and whether all its names are known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon import losses, recipe, store
from gnomon.pipeline import families
from gnomon.recipe import Recipe, RecipeError, Source
from gnomon.road.directory import kind_versions
from gnomon.store.mixed import Mixture
from gnomon.store.pattern import Pattern
from gnomon.store.sources import Gone

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gnomon.eval.questions import Question
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

    @property
    def names(self) -> list[str]:
        """What each source is called."""
        names = [
            source.kind or Path(source.path or source.hub or "").name for source in self.sources
        ]
        return [n if names.count(n) == 1 else f"{n} ({i})" for i, n in enumerate(names, 1)]

    def by_source(self, asked: Iterable[Question]) -> dict[str, set[str]]:
        """The ids of each source's questions, where there are several sources; none is opened.

        `asked` are all questions in order: the weights and the seed say whose turn it was.
        """
        if len(self.sources) == 1:
            return {}
        pattern = Pattern([source.weight for source in self.sources], self.seed)
        found: list[set[str]] = [set() for _ in self.sources]
        for index, question in enumerate(asked):
            found[pattern.source_of(index)].add(question.id)
        return {name: ids for name, ids in zip(self.names, found, strict=True) if ids}

    def still_there(
        self, described: dict[str, Any], kinds: Mapping[str, int]
    ) -> tuple[Samples, list[str]]:
        """The samples that were described, and the sources that are not what they were by now.

        `Gone` stands in the place of these. `kinds` are the versions of the kinds that were drawn.
        """
        rows = described["sources"] if len(self.sources) > 1 else [described]
        found: list[Samples] = []
        gone = []
        for source, name, row in zip(self.sources, self.names, rows, strict=True):
            was = {key: value for key, value in row.items() if key != "weight"}
            try:
                now = store.mixture((source,), split=self.split, seed=self.seed)
                drawn = kind_versions((source,))
                same = now.describe() == was and drawn.items() <= {**drawn, **kinds}.items()
            except (ValueError, OSError, ImportError):  # a hub's needs a library, and a network
                same = False
            found.append(now if same else Gone(was))
            gone += [] if same else [name]
        if len(found) == 1:
            return found[0], gone
        weights = tuple(source.weight for source in self.sources)
        return Mixture(tuple(found), weights, self.split, self.seed), gone


def open_recipe(path: str | Path, overrides: Sequence[str] = ()) -> Recipe:
    """A recipe whose every name and option is known to its room; nothing heavy is loaded."""
    return check(recipe.load(path, overrides))


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
