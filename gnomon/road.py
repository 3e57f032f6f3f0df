"""The straight road: what strings the rooms together, from a recipe to a report."""

from __future__ import annotations

import csv
import json
import os
import platform
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon import generators, losses, names, recipe, store
from gnomon.pipeline import families
from gnomon.recipe import Recipe, RecipeError, Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gnomon.eval.report import RunResult
    from gnomon.generators.base import Split
    from gnomon.sample import Sample
    from gnomon.store.samples import Samples

@dataclass(frozen=True)
class Exam:
    """Which samples a model is asked: the first `samples` of weighted sources."""

    sources: tuple[Source, ...]
    split: Split
    seed: int
    samples: int

    @classmethod
    def of(cls, recipe: Recipe) -> Exam:
        """What a recipe measures its model on."""
        asked = recipe.eval
        return cls(asked.data or recipe.data, asked.split, recipe.seed, asked.samples)

    def open(self) -> Samples:
        """The samples, drawn or read when they are asked for."""
        return store.mixture(self.sources, split=self.split, seed=self.seed)

    def __iter__(self) -> Iterator[Sample]:
        samples = self.open()
        return (samples[index] for index in range(self.samples))


def open_recipe(path: str | Path, overrides: Sequence[str] = ()) -> Recipe:
    """A recipe whose every name and option is known to its room; nothing heavy is loaded."""
    opened = recipe.load(path, overrides)
    losses.check(opened.loss.name, opened.loss.options or {})
    families.locate(opened.model.name)
    if opened.model.family is not None:
        names.check(
            families.FAMILIES, opened.model.family, what="family", listing="gnomon ls families"
        )
    store.mixture(opened.data, split="train", seed=opened.seed)
    Exam.of(opened).open()
    return opened


def generate(opened: Recipe, run: Path, *, workers: int) -> None:
    """Write the run's training and held-out samples to its data directory."""
    _claim(run, opened)
    exam = Exam.of(opened)
    sources = store.mixture(opened.data, split="train", seed=opened.seed)
    store.write(sources, run / "data", n=opened.train.samples, split="train", workers=workers)
    store.write(exam.open(), run / "data", n=exam.samples, split=exam.split, workers=workers)


def train(opened: Recipe, run: Path) -> Path:
    """Fine-tune; where the adapter or the model lies. Goes on where a killed run stopped."""
    _claim(run, opened)
    from gnomon.pipeline.train import train as fine_tune

    if (run / "data" / "manifest.json").exists():
        return fine_tune(opened, store.open(run / "data", "train"), run)
    return fine_tune(opened, store.mixture(opened.data, split="train", seed=opened.seed), run)


def predict(opened: Recipe, exam: Exam, out: Path, *, run: Path | None) -> Path:
    """Ask the exam's questions, of a run's trained weights or (run None) of the model itself."""
    from gnomon.pipeline.load import load, load_trained
    from gnomon.pipeline.predict import predict as ask

    loaded = load(opened.model) if run is None else load_trained(opened.model, run)
    about = {"exam": asdict(exam), "data": exam.open().describe(), "versions": versions()}
    _write_json(out.with_suffix(".about.json"), about)
    settings = {**asdict(opened.model), "weights": loaded.weights}
    ask(loaded, exam, out, total=exam.samples, settings=settings,
        batch_size=opened.eval.batch_size, max_new_tokens=opened.eval.max_new_tokens)  # fmt: skip
    return out


def read_pictures(opened: Recipe, folder: Path, out: Path, question: str, *, run: Path | None) -> int:
    """Ask one question of every picture in a folder; answers to a CSV file, how many there were."""
