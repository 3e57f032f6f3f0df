"""From a recipe to a report: the verbs that take a recipe and a run's directory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gnomon import store
from gnomon.recipe import RecipeError
from gnomon.road.answering import predict
from gnomon.road.directory import AFTER, BEFORE, as_text, claim, say
from gnomon.road.exam import Exam
from gnomon.road.scoring import pictures, report, results

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.recipe import Recipe


def run(opened: Recipe, out: Path, *, workers: int | None) -> Path:
    """Generate, train, predict before and after, score, report: the straight road."""
    _refuse_company()
    exam = Exam.of(opened)
    answers = out / "predictions"
    say("drawing the samples")
    generate(opened, out, workers=workers)
    say("asking the model as it came")
    predict(opened, exam, answers / f"{BEFORE}.jsonl")
    say("fine-tuning")
    train(opened, out)
    say("asking it again")
    predict(opened, exam, answers / f"{AFTER}.jsonl", run=out)
    say("scoring")
    return report(results(out), out / "report.html", pictures(exam))


def generate(opened: Recipe, run: Path, *, workers: int | None) -> None:
    """Write the run's training and held-out samples to its data directory."""
    claim(run, opened)
    exam = Exam.of(opened)
    sources = store.mixture(opened.data, split="train", seed=opened.seed)
    store.write(sources, run / "data", n=opened.train.samples, split="train", workers=workers)
    store.write(exam.open(), run / "data", n=exam.samples, split=exam.split, workers=workers)


def train(opened: Recipe, run: Path) -> Path:
    """Fine-tune; where the adapter or the model lies. Goes on where a killed run stopped."""
    if opened.model.server is not None:
        raise RecipeError("model.server: a model behind a server is asked, not trained")
    claim(run, opened)
    from gnomon.pipeline.train import train as fine_tune

    if (run / "data" / "manifest.json").exists():
        return fine_tune(opened, store.open(run / "data", "train"), run)
    return fine_tune(opened, store.mixture(opened.data, split="train", seed=opened.seed), run)


def plan(opened: Recipe, *, config_only: bool, gib: float | None, as_json: bool = False) -> bool:
    """Print what a recipe will take; whether it fits into the memory there is, or `gib`."""
    from gnomon.pipeline.plan import plan as planned

    samples = store.mixture(opened.data, split="train", seed=opened.seed)
    there = None if gib is None else gib * 2**30
    found = planned(opened, samples, config_only=config_only, there=there)
    print(as_text(found.to_json()) if as_json else found)
    return found.fits


def _refuse_company() -> None:
    """Launched processes would all write the same files; only the training is shared."""
    if (processes := int(os.environ.get("WORLD_SIZE", "1"))) > 1:
        raise RecipeError(
            f"gnomon run is of one process, and {processes} were launched: launch `gnomon train`,"
            " then `gnomon run` alone, which leaves what is trained and does the rest"
        )
