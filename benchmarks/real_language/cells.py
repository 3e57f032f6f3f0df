"""Runs of the plan: train by a loss and a seed, ask the held-out questions, keep every answer."""

from __future__ import annotations

import csv
import re
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from benchmarks.real.photographs import SUBJECTS, read_photographs, split_by_group
from benchmarks.study.photographs.outcomes import append, claim, read
from gnomon.eval import score
from gnomon.pipeline.answering.belief import answer_logprobs
from gnomon.pipeline.answering.local import predict_batches
from gnomon.pipeline.answering.text_likelihood import text_likelihood
from gnomon.pipeline.collate import write_answer
from gnomon.pipeline.load import Loaded, fingerprint, load, load_trained
from gnomon.progress import note, track
from gnomon.runs.resolve import resolve
from gnomon.runs.training import train_run
from gnomon.sample import Number, Sample, Text
from gnomon.store import mixture

HERE = Path(__file__).parent
OUTCOMES = HERE / "outcomes.jsonl.xz"
PAGE = HERE.parents[1] / "docs" / "real.md"
GUARD = HERE / "guard.csv"
WORK = Path("runs/real_language")
"""Models and trainings, below the repository's root, where the recipes look for them."""
PACKAGES = ("torch", "transformers", "trl", "peft", "bitsandbytes")
HELD_OUT_SEED = 1
QUESTIONS = {"clocks": 300, "dials": 200, "bars": 200, "sums": 200}
"""Held-out questions by source. Dials in photographs are all of the test's cameras."""
SOURCE_INDEX = {"clocks": 0, "dials": 2, "bars": 3, "sums": 4}
"""Positions of the asked sources in the recipe of stage two."""


@dataclass(frozen=True)
class Cell:
    """A training of stage two, or no training: the model after stage one."""

    loss: str
    weight: float
    seed: int
    balance: str = "fixed"

    @property
    def name(self) -> str:
        return f"{self.loss}-ratio" if self.balance != "fixed" else self.loss

    @property
    def key(self) -> str:
        return f"{self.name}-{self.seed}"

    @property
    def is_trained(self) -> bool:
        """False for the models that only answer."""
        return self not in (BEFORE, WIDE, TINY)

    @property
    def overrides(self) -> tuple[str, ...]:
        loss = f"loss.name={self.loss}", f"loss.weight={self.weight:g}"
        return *loss, f"loss.balance={self.balance}", f"seed={self.seed}"


BEFORE, WIDE = Cell("before", 0.0, 0), Cell("before, 16 bits", 0.0, 0)
"""The model after stage one, in 4 bits and in 16."""
TINY = Cell("gnomon-tiny", 0.0, 0)
"""The eyes with their own small language model, as they ship."""
LOSSES = (
    ("ce", 0.0, "fixed"),
    ("smmd", 1.0, "fixed"),
    ("ntil", 0.3, "ce_ratio"),
    ("ntil", 0.3, "fixed"),
    ("crps", 0.3, "fixed"),
)
"""Losses with the weights that the first study chose on clocks; `ce_ratio` is NTIL as published."""
SEEDS, MORE_SEEDS = (31, 32, 33), (34, 35)
"""All losses have the first seeds; cross-entropy, SMMD and NTIL as published have all five."""


def cells() -> list[Cell]:
    """List the runs in the plan's order, seed by seed."""
    rows = [(seed, loss) for seed in SEEDS for loss in LOSSES]
    rows += [(seed, loss) for seed in MORE_SEEDS for loss in LOSSES[:3]]
    return [
        TINY,
        WIDE,
        BEFORE,
        *(Cell(name, weight, seed, how) for seed, (name, weight, how) in rows),
    ]


def run(photographs: Path) -> None:
    """Run the cells without an outcome. Another process may do the same at the same time."""
    torch.set_num_threads(1)
    check_start(read(OUTCOMES))
    for cell in cells():
        with claim(WORK / "claims" / f"{cell.key}.lock") as is_ours:
            if is_ours and cell.key not in read(OUTCOMES):
                append(OUTCOMES, outcome(cell, photographs), WORK)
                note(f"{cell.key} is finished")


def start_hash() -> str | None:
    """Hash the model after stage one, from which all runs start."""
    return fingerprint(resolve(str(HERE / "stage_two.yaml"), ()).recipe.model)


def check_start(outcomes: dict[str, dict[str, Any]]) -> None:
    """Refuse to add runs to the outcomes of runs that started from another model."""
    starts = {kept["start"] for key, kept in outcomes.items() if key != TINY.key}
    if starts - {start_hash()}:
        raise ValueError(
            f"{OUTCOMES}: these runs started from another model after stage one: move the file"
            " away to begin anew, and say so in PLAN.md"
        )


def outcome(cell: Cell, photographs: Path) -> dict[str, Any]:
    """Train a cell and ask it all questions. A killed training resumes."""
    words = [*cell.overrides] if cell.is_trained else []
    if cell in (TINY, WIDE):
        words.append("model.load_in_4bit=false")
    if cell == TINY:
        words += ["model.name=gnomon-tiny", "model.dtype=float32"]
    resolved = resolve(str(HERE / "stage_two.yaml"), words)
    recipe, folder, began = resolved.recipe, WORK / "cells" / cell.key, time.process_time()
    if cell.is_trained:
        train_run(resolved, folder)
    trained = time.process_time()
    loaded = load_trained(recipe.model, folder) if cell.is_trained else load(recipe.model)
    found = ask_all(loaded, photographs)
    shutil.rmtree(folder, ignore_errors=True)
    return {
        "key": cell.key,
        "start": start_hash(),
        **found,
        "cpu_seconds": [round(trained - began), round(time.process_time() - trained)],
        "versions": {name: version(name) for name in PACKAGES},
    }


def ask_all(loaded: Loaded, photographs: Path) -> dict[str, Any]:
    """Ask the plan's questions, and return the answers of each source under `sources`."""
    loaded.model.eval()
    data = resolve(str(HERE / "stage_two.yaml"), ()).recipe.data
    asked = {name: questions(data[index], QUESTIONS[name]) for name, index in SOURCE_INDEX.items()}
    sources = {name: answers(loaded, samples) for name, samples in asked.items()}
    samples, groups = photographed(photographs)
    sources["photographs"] = {**answers(loaded, samples), "groups": groups}
    return {"sources": sources, "general": general(loaded)}


def general(loaded: Loaded) -> dict[str, Any]:
    """Ask short questions that no training here has, and measure the text of a licence.

    An answer is right if the truth, or one of several, is a word in it.
    """
    with GUARD.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    samples = [
        Sample(str(index), None, row["question"], Text(row["answer"].split("|")[0]))
        for index, row in enumerate(rows)
    ]
    batches = predict_batches(loaded, samples, batch_size=23, max_new_tokens=24)
    by_id = {prediction.sample_id: prediction.text for batch in batches for prediction in batch}
    texts = [by_id[sample.id] for sample in samples]
    words = [set(re.findall(r"\w+", text.lower())) for text in texts]
    right = [
        int(bool(found & set(row["answer"].lower().split("|"))))
        for row, found in zip(rows, words, strict=True)
    ]
    licence = (HERE.parents[1] / "LICENSE").read_text(encoding="utf-8")[:4000]
    nats = -text_likelihood(loaded.model, loaded.tokenizer, licence).mean
    return {"right": right, "answers": texts, "nats": round(nats, 4)}


def questions(source: Any, n: int) -> list[Sample]:
    """Draw the first n different questions of a source's test split, the same for all cells."""
    drawn = mixture((replace(source, weight=1.0),), split="test", seed=HELD_OUT_SEED)
    found: dict[Any, Sample] = {}
    index = 0
    while len(found) < n:
        sample = drawn[index]
        found.setdefault(sample.facts.get("expression", sample.id), sample)
        index += 1
    return list(found.values())


def photographed(folder: Path) -> tuple[list[Sample], list[int]]:
    """Return the photographs of dials by cameras of the test, and the number of each camera."""
    from PIL import Image

    subject = SUBJECTS["needles"]
    _, test = split_by_group(read_photographs(folder / "needles.zip", WORK))
    names = sorted({photograph.group for photograph in test})
    samples = []
    for photograph in test:
        with Image.open(photograph.file) as picture:
            image = picture.convert("RGB")
        value = Decimal(f"{photograph.value:.1f}")
        target = Number(value, within=Decimal("0.1"), cycle=Decimal(10))
        samples.append(Sample(photograph.file.name, image, subject.question, target, {}))
    return samples, [names.index(photograph.group) for photograph in test]


def answers(loaded: Loaded, samples: Sequence[Sample]) -> dict[str, Any]:
    """Ask the questions greedily, and return each answer with its measures, as columns."""
    batches = predict_batches(loaded, list(samples), batch_size=50, max_new_tokens=8)
    given = [prediction for batch in batches for prediction in batch]
    by_id = {item.sample_id: item for item in score(given, list(samples)).items}
    items = [by_id[sample.id] for sample in samples]
    return {
        "truths": [str(sample.target) for sample in samples],
        "answers": [item.text for item in items],
        "right": [int(_is_right(item.type_name, item.measures)) for item in items],
        "error": [round(_error(item.type_name, item.measures), 4) for item in items],
        "nll": [
            round(negative_log_likelihood(loaded, s), 4) for s in track(samples, desc="−log p")
        ],
    }


def negative_log_likelihood(loaded: Loaded, sample: Sample) -> float:
    """Return −log p of the true answer as training writes it."""
    truth = write_answer(loaded.family, loaded.processor, sample)
    return -answer_logprobs(loaded, sample, [truth])[truth]


def _is_right(type_name: str, measures: dict[str, float]) -> bool:
    """Clocks within a minute, dials within a tenth, bars within 5 %, sums exactly."""
    names = {"time": "within_1", "cyclic": "accepted", "reading": "within_5pct"}
    return measures[names.get(type_name, "exact")] > 0


def _error(type_name: str, measures: dict[str, float]) -> float:
    """Minutes, tenths of a turn, or relative error; the farthest if the answer is unread."""
    if type_name == "reading":
        return min(1.0, measures.get("relative", 1.0))
    return measures["charged"]
