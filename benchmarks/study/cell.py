"""One cell: train by the part's recipe, answer the held-out questions, score, and keep the outcome.

Everything is gnomon's own: the recipe, the trainer, greedy answers and their scores. Nothing of the
model is kept.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import transformers
from transformers.trainer_utils import SaveStrategy

from benchmarks.study import outcomes
from gnomon import recipe
from gnomon.eval import score
from gnomon.pipeline.answering.local import predict_batches
from gnomon.pipeline.load import Loaded, load
from gnomon.pipeline.training.train import make_trainer
from gnomon.runs.resolve import resolve
from gnomon.store import mixture

if TYPE_CHECKING:
    from benchmarks.study.plan import Cell, Part
    from gnomon.generators.base import Split
    from gnomon.recipe import Eval, Source
    from gnomon.sample import Sample

HELD_OUT_SEED = 1
"""Of the questions: the same for all cells."""
PACKAGES = ("torch", "transformers", "trl", "peft")


def one_thread() -> None:
    """So that two cells side by side do not depend on each other, and a sum has one order."""
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()


def measured(part: Part, cell: Cell) -> dict[str, Any]:
    """A cell's outcome, as `outcomes.write` keeps it."""
    given = resolve(part.recipe, (*part.overrides, *cell.overrides)).parsed
    loaded = load(given.model, seed=given.seed)
    samples = mixture(given.data, split="train", seed=given.seed)
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        trainer = make_trainer(given, loaded, samples, Path(folder))
        trainer.args.save_strategy = SaveStrategy.NO
        trainer.train()
    trained = time.process_time()
    split: Split = "test" if cell.stage == "study" else "val"
    asked = part.questions if cell.stage == "study" else part.validation_questions
    learnt = replace(loaded, model=trainer.model)
    return {
        "part": part.name,
        "loss": cell.loss,
        "weight": cell.weight,
        "seed": cell.seed,
        "split": split,
        "recipe": recipe.to_yaml(given),
        "versions": {name: version(name) for name in PACKAGES},
        "cpu": {"train": round(trained - began, 1)},
        "curve": curve(trainer.state.log_history),
        "sources": {
            source.kind: answers(learnt, questions(source, split, asked), given.eval)
            for source in given.data
        },
    }


def questions(source: Source, split: Split, n: int) -> list[Sample]:
    """The first n of a source that ask different things; every cell is asked the same."""
    drawn = mixture((source,), split=split, seed=HELD_OUT_SEED)
    found: dict[Any, Sample] = {}
    index = 0
    while len(found) < n:
        sample = drawn[index]
        index += 1
        asked = sample.id if sample.image else (sample.facts["expression"], str(sample.target))
        found.setdefault(asked, sample)
    return list(found.values())


def answers(loaded: Loaded, asked: list[Sample], how: Eval) -> dict[str, Any]:
    """What the model says to each, greedily, scored by gnomon."""
    batches = predict_batches(
        loaded, asked, batch_size=how.batch_size, max_new_tokens=how.max_new_tokens
    )
    return outcomes.columns(score([one for batch in batches for one in batch], asked))


def curve(log: list[dict[str, Any]]) -> list[dict[str, float]]:
    """The lines of the training's log, without what is the same for all losses."""
    kept = ("step", "loss", "ce", "digit_accuracy")
    return [
        {name: round(float(line[name]), 5) for name in kept if name in line}
        for line in log
        if "loss" in line
    ]
