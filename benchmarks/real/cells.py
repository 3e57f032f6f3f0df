"""The rows of the table: who reads the test's photographs, after which training.

Each cell's readings stay in a JSON file, so that the same command goes on after a kill.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.real import cnn
from benchmarks.real.photographs import Photograph, Subject, choose
from gnomon import atomic
from gnomon.answers.number.read import read_number
from gnomon.eval.scoring import predictions
from gnomon.eval.scoring.belief import RULES, best_answer
from gnomon.eval.stats.crossed import CrossedEstimate, estimate_crossed
from gnomon.generators.looks.augment import Augment
from gnomon.recipe import Columns, Source
from gnomon.runs.answer_file import answer_exam
from gnomon.runs.exam import Exam
from gnomon.runs.resolve import resolve_values
from gnomon.runs.training import train_run
from gnomon.sample import Prediction, Sample

BATCH = 64
GREEDY = ["greedy"]
# Share of photographs in training, where drawings are trained on, too.
PHOTOGRAPHED_SHARE = 0.6


@dataclass(frozen=True)
class Cell:
    """A reader with its training: how many photographs, with drawings or without."""

    reader: str
    """gnomon-tiny or a size of the CNN."""
    count: int | None
    """Photographs in training; None for all. With 0 and no drawings nothing is trained: the model
    is asked as it ships."""
    drawings: bool

    @property
    def name(self) -> str:
        """Name for files and rows, such as gnomon-tiny-20-drawings."""
        count = "all" if self.count is None else str(self.count)
        return f"{self.reader}-{count}" + "-drawings" * self.drawings

    @property
    def is_cnn(self) -> bool:
        """Whether the reader is a CNN, which learns from photographs alone."""
        return self.reader in cnn.SIZES

    @property
    def is_trained(self) -> bool:
        """Whether there is anything to learn from; else all seeds read alike."""
        return self.count != 0 or self.drawings


def cells_for(counts: Sequence[int | None], subject: Subject | None) -> list[Cell]:
    """List the table's cells; without a drawn subject there are no drawings."""
    trained = [count for count in counts if count != 0]
    cells = [Cell(reader, count, drawings=False) for reader in cnn.SIZES for count in trained]
    cells += [Cell("gnomon-tiny", count, drawings=False) for count in counts]
    if subject is not None:
        cells += [Cell("gnomon-tiny", count, drawings=True) for count in counts]
    return cells


@dataclass(frozen=True)
class Row:
    """A line of the table; without a cell it is a baseline, which its rule names."""

    cell: Cell | None
    rule: str
    hits: CrossedEstimate
    """Share of the readings within a step of their label."""
    distance: CrossedEstimate
    """Mean distance, in the scale's unit."""
    readings: Sequence[Sequence[float | None]] = ()
    """Readings of the test by seed, where the row has a cell."""


@dataclass(frozen=True)
class Lab:
    """Photographs of one subject, and where results are kept."""

    train: list[Photograph]
    test: list[Photograph]
    question: str
    drawn: dict[str, Any] | None
    cycle: float
    step: float
    steps: int
    cnn_steps: int
    learning_rate: float
    passes: int
    """How often a photograph is seen at most: a model that sees twenty of them some hundred times
    learns these by heart, and reads others worse than before."""
    out: Path
    grid: tuple[float, float, float] | None = None
    """First, last and step of the possible readings, from which the model's belief chooses one."""
    views: int = 1
    """Views of a photograph over which beliefs are averaged; greedy answers have one."""
    augment: Augment = "light"
    """What gnomon-tiny's training does to the photographs."""
    loss: dict[str, Any] = field(default_factory=lambda: {"name": "ce"})
    """Section `loss` of gnomon-tiny's recipe."""
    weights: Path | None = None
    """Folder of another gnomon-tiny to begin from; default: the one that ships."""

    def rules(self, cell: Cell) -> Sequence[str]:
        """List a reader's ways to an answer: a CNN regresses, a belief needs a grid."""
        if cell.is_cnn:
            return ["regression"]
        return GREEDY if self.grid is None else [*GREEDY, *RULES]

    def readings(self, cell: Cell, seed: int) -> dict[str, list[float | None]]:
        """Readings of the test's photographs by rule, made once and kept; None if unread.

        A CNN's are rounded to the grid. Labels and gnomon-tiny's answers are tenths, so that 3.74
        would miss a label of 3.6 that 3.7 hits.
        """
        readings = self._kept_readings(cell, seed)
        if cell.is_cnn and self.grid is not None:
            first, _, step = self.grid
            return {
                rule: [
                    None if value is None else first + step * round((value - first) / step)
                    for value in values
                ]
                for rule, values in readings.items()
            }
        return readings

    def _kept_readings(self, cell: Cell, seed: int) -> dict[str, list[float | None]]:
        file = self.out / f"{cell.name}-{seed}.json"
        if file.is_file():
            kept: dict[str, list[float | None]] = json.loads(file.read_text())
            if all(len(kept.get(rule, ())) == len(self.test) for rule in self.rules(cell)):
                return kept
        chosen = choose(self.train, cell.count, seed)
        if cell.is_cnn:
            readings: dict[str, list[float | None]] = {
                "regression": [
                    *cnn.read_by_cnn(
                        chosen,
                        self.test,
                        size=cnn.SIZES[cell.reader],
                        cycle=self.cycle,
                        seed=seed,
                        steps=self.cnn_steps,
                    )
                ]
            }
        else:
            pairs = self.train_and_ask(
                self.out / f"{cell.name}-{seed}", chosen, seed=seed, drawings=cell.drawings
            )
            readings = {
                rule: [reading_of(prediction, sample, rule) for prediction, sample in pairs]
                for rule in self.rules(cell)
            }
        self.out.mkdir(parents=True, exist_ok=True)
        atomic.put_text(file, json.dumps(readings))
        # The weights, forty megabytes a cell, are not needed again.
        shutil.rmtree(self.out / f"{cell.name}-{seed}" / "run", ignore_errors=True)
        return readings

    def n_photographs(self, cell: Cell) -> int:
        """Photographs in a cell's training."""
        return len(self.train) if cell.count is None else cell.count

    def distances(self, values: Sequence[float | None]) -> np.ndarray:
        """Distance of each reading from its label, round the dial; the farthest if unread."""
        labels = np.array([photograph.value for photograph in self.test])
        farthest = self._farthest
        read = np.array([np.nan if value is None else value for value in values], float)
        away = np.abs(read - labels)
        if self.cycle:
            away = away % self.cycle
            away = np.minimum(away, self.cycle - away)
        return np.nan_to_num(np.minimum(away, farthest), nan=farthest)

    @property
    def _farthest(self) -> float:
        """The largest distance of a reading from its label."""
        labels = [photograph.value for photograph in self.test]
        return self.cycle / 2 if self.cycle else max(labels) - min(labels)

    def estimates(
        self, readings: Sequence[Sequence[float | None]]
    ) -> tuple[CrossedEstimate, CrossedEstimate]:
        """Share within a step and mean distance, over seeds and groups that training never saw."""
        distances = np.stack([self.distances(values) for values in readings])
        groups = [photograph.group for photograph in self.test]
        hits = (distances <= self.step + 1e-9).astype(float)
        return (
            _bounded(estimate_crossed([hits], groups), 1.0),
            _bounded(estimate_crossed([distances], groups), self._farthest),
        )

    def by_group(self, readings: Sequence[Sequence[float | None]]) -> dict[str, np.ndarray]:
        """Distances by group, [seeds, photographs of the group]."""
        distances = np.stack([self.distances(values) for values in readings])
        groups = np.array([photograph.group for photograph in self.test])
        return {str(group): distances[:, groups == group] for group in np.unique(groups)}

    def best_constant(self) -> float:
        """The label that is right most often among the training's photographs."""
        labels = sorted({photograph.value for photograph in self.train})
        truths = np.array([photograph.value for photograph in self.train])

        def hits(constant: float) -> int:
            away = np.abs(truths - constant)
            away = np.minimum(away, self.cycle - away) if self.cycle else away
            return int((away <= self.step + 1e-9).sum())

        return max(labels, key=hits)

    def train_and_ask(
        self, work: Path, chosen: list[Photograph], *, seed: int, drawings: bool
    ) -> list[tuple[Prediction, Sample]]:
        """Train all parts of gnomon-tiny, where there are samples, and ask it about the test.

        Answers come in the test's order; `work` is left with the run and the answers' file.
        """
        work.mkdir(parents=True, exist_ok=True)
        data: list[dict[str, Any]] = []
        views = self.passes * len(chosen)
        if drawings:
            steps, share = self.steps, min(PHOTOGRAPHED_SHARE, views / (self.steps * BATCH))
        else:
            steps, share = max(1, min(self.steps, round(views / BATCH))), 1.0
        if chosen:
            table = work / "train.csv"
            self._write_table(table, chosen)
            source = {"path": str(table), "columns": self._columns, "pictures": self._folder}
            data.append({**source, "weight": share, "augment": self.augment})
        if drawings:
            assert self.drawn is not None
            data.append({**self.drawn, "weight": 1.0 - share})
        test = work / "test.csv"
        self._write_table(test, self.test)
        test_source = {"path": str(test), "columns": self._columns, "pictures": self._folder}
        # A recipe has samples, also where nothing is trained.
        recipe = self._recipe(data or [{"kind": "gauge"}], test_source, seed, steps)
        resolved = resolve_values(recipe, name="real")
        run = work / "run" if data else None
        if run:
            train_run(resolved, run)
        source = Source(path=str(test), columns=Columns(**self._columns), pictures=self._folder)
        exam = Exam((source,), "test", 0, len(self.test))
        file = answer_exam(resolved.recipe, exam, work / "answers.jsonl", run=run)
        answers = {prediction.sample_id: prediction for prediction in predictions.read(file)}
        samples = list(exam)
        # A sample is its row of the table, in the table's order: the labels show it.
        assert [float(sample.target.value) for sample in samples] == [
            photograph.value for photograph in self.test
        ]
        return [(answers[sample.id], sample) for sample in samples]

    def _recipe(
        self, data: list[dict[str, Any]], test: dict[str, Any], seed: int, steps: int
    ) -> dict[str, Any]:
        # Photographs alone are gone through until the steps are over; drawings have no end.
        is_endless = any("kind" in source for source in data)
        train = {
            **({"samples": steps * BATCH} if is_endless else {}),
            "max_steps": steps,
            "learning_rate": self.learning_rate,
            "warmup_steps": min(30, steps // 3),
            "per_device_train_batch_size": BATCH,
            "language": "full",
            "vision": "full",
            "projector": "full",
            "save_steps": 100,
            "logging_steps": 25,
        }
        return {
            "seed": seed,
            "data": data,
            "model": model_section(self.weights),
            "loss": self.loss,
            "train": train,
            "eval": {
                "data": [test],
                "batch_size": BATCH,
                "max_new_tokens": 8,
                **self._belief,
            },
        }

    @property
    def _belief(self) -> dict[str, Any]:
        """Keys of section `eval` about a belief; none without a grid."""
        if self.grid is None:
            return {}
        return {"belief": True, "grid": list(self.grid), "views": self.views}

    @property
    def _columns(self) -> dict[str, Any]:
        return {
            "image": "image",
            "answer": "value",
            "ask": self.question,
            "kind": "number",
            "within": self.step,
            "split": "split",
            **({"cycle": self.cycle} if self.cycle else {}),
        }

    @property
    def _folder(self) -> str:
        """The folder that holds all photographs, some perhaps in subfolders."""
        folders = {photograph.file.parent.resolve() for photograph in (*self.train, *self.test)}
        return os.path.commonpath(folders)

    def _write_table(self, file: Path, photographs: list[Photograph]) -> None:
        split = "test" if photographs is self.test else "train"
        with file.open("w", encoding="utf-8", newline="") as lines:
            rows = csv.writer(lines)
            rows.writerow(["image", "value", "split"])
            for photograph in photographs:
                rows.writerow([photograph.file.resolve(), photograph.value, split])


def model_section(weights: Path | None) -> dict[str, Any]:
    """Section `model` of a recipe for gnomon-tiny, or for other weights of its making."""
    name = {"name": "gnomon-tiny"}
    if weights:
        name = {"name": str(weights), "family": "gnomon-tiny"}
    return {**name, "load_in_4bit": False, "dtype": "float32"}


def reading_of(prediction: Prediction, sample: Sample, rule: str) -> float | None:
    """One reading: what the model wrote, or what its belief supports best."""
    text = prediction.text
    if rule != "greedy":
        assert prediction.logprobs is not None
        text = best_answer(prediction.logprobs, sample.target.answer_form, prediction.dialect, rule)
    reading = read_number(text)
    return None if reading is None else float(reading.value)


def _bounded(estimate: CrossedEstimate, most: float) -> CrossedEstimate:
    """The estimate with its interval cut off at 0 and at the most that there can be."""
    ends = estimate.estimate
    low, high = (end if end is None else min(max(end, 0.0), most) for end in (ends.low, ends.high))
    return replace(estimate, estimate=replace(ends, low=low, high=high))
