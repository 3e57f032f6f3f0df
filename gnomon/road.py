"""The straight road: what strings the rooms together, from a recipe to a report."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon import losses, recipe, store
from gnomon.pipeline import families
from gnomon.recipe import Recipe, RecipeError, Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gnomon.generators.base import Split
    from gnomon.sample import Sample
    from gnomon.store import Samples

BEFORE, AFTER = "before", "after"
"""The model as it came, and with what the run trained."""


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
        return cls(asked.data or opened.data, asked.split, opened.seed, asked.samples)

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Exam:
        """The exam that `asdict` wrote."""
        return cls(**{**row, "sources": tuple(Source(**source) for source in row["sources"])})

    def open(self) -> Samples:
        """The samples, drawn or read when they are asked for."""
        return store.mixture(self.sources, split=self.split, seed=self.seed)

    def __iter__(self) -> Iterator[Sample]:
        samples = self.open()
        return (samples[index] for index in range(self.samples))


def open_recipe(path: str | Path, overrides: Sequence[str] = ()) -> Recipe:
    """A recipe whose every name and option is known to its room; nothing heavy is loaded."""
    return check(recipe.load(path, overrides))


def check(opened: Recipe) -> Recipe:
    """The same recipe, once each room has looked at its names and options."""
    losses.check(opened.loss.name, opened.loss.options)
    families.locate(opened.model.name)
    if opened.model.family is not None:
        families.check(opened.model.family)
    store.mixture(opened.data, split="train", seed=opened.seed)
    exam = Exam.of(opened)
    length = exam.open().length
    if length is not None and length < exam.samples:
        raise RecipeError(f"eval.samples: {exam.samples}: the {exam.split} split has only {length}")
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


def _claim(run: Path, opened: Recipe) -> None:
    """Take the directory for this recipe; one that another recipe holds is left as it was."""
    file = run / "recipe.yaml"
    if file.exists():
        held = recipe.load(file)
        if held != opened:
            raise RecipeError(
                f"{run} holds a run of another recipe ({_difference(held, opened)}):"
                " give another --out, or delete that directory"
            )
        return
    run.mkdir(parents=True, exist_ok=True)
    file.write_text(recipe.to_yaml(opened), encoding="utf-8")
    _write_json(run / "versions.json", versions())


def _difference(held: Recipe, asked: Recipe) -> str:
    """The first few keys that differ, with both values."""
    old, new = _flat(asdict(held)), _flat(asdict(asked))
    keys = [key for key in old | new if old.get(key) != new.get(key)]
    shown = [f"{key}: {old.get(key)!r} there, {new.get(key)!r} here" for key in keys[:3]]
    return "; ".join(shown) + ("; …" if len(keys) > 3 else "")


def _flat(value: Any, path: str = "") -> dict[str, Any]:
    if not isinstance(value, dict | list | tuple):
        return {path: value}
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    flat: dict[str, Any] = {}
    for key, inner in pairs:
        flat |= _flat(inner, f"{path}.{key}" if path else str(key))
    return flat


def versions() -> dict[str, str]:
    """What a run stood on."""
    found = {"python": platform.python_version()}
    for package in ("gnomon", "torch", "transformers", "trl", "peft", "bitsandbytes", "numpy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _write_json(file: Path, value: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
