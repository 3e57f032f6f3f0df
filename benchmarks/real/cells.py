"""The rows of the table: who reads the test's photographs, after which training.

Each cell's readings stay in a JSON file, so that the same command goes on after a kill.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.real import cnn
from benchmarks.real.photographs import Photograph, Subject, choose
from gnomon import atomic
from gnomon.answers.number.read import read_number
from gnomon.commands.exam import Exam
from gnomon.commands.predict import answer_exam
from gnomon.commands.resolve import resolve_values
from gnomon.commands.train import train_run
from gnomon.eval.scoring import predictions
from gnomon.eval.stats.crossed import CrossedEstimate, estimate_crossed
from gnomon.generators.looks.augment import Augment
from gnomon.recipe import Columns, Source

BATCH = 64
# Drawings in a batch of ten samples, where both are trained on.
_DRAWN_WEIGHT, _PHOTOGRAPHED_WEIGHT = 4.0, 6.0


@dataclass(frozen=True)
class Cell:
    """A reader with its training: how many photographs, with drawings or without."""

    reader: str
    """cnn or gnomon-tiny."""
    count: int | None
    """Photographs in training; 0 for drawings alone, None for all."""
    drawings: bool

    @property
    def name(self) -> str:
        """Name for files and rows, such as gnomon-tiny-20-drawings."""
        count = "all" if self.count is None else str(self.count)
        return f"{self.reader}-{count}" + "-drawings" * self.drawings


def cells_for(counts: Sequence[int], subject: Subject | None) -> list[Cell]:
    """List the table's cells; without a drawn subject there are no drawings."""
    photographs: list[int | None] = [*counts, None]
    cells = [Cell("cnn", count, drawings=False) for count in photographs]
    cells += [Cell("gnomon-tiny", count, drawings=False) for count in photographs]
    if subject is not None:
        cells += [Cell("gnomon-tiny", count, drawings=True) for count in [0, *photographs]]
    return cells


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
    out: Path
    augment: Augment = "light"
    """What both readers' trainings do to the photographs."""

    def readings(self, cell: Cell, seed: int) -> list[float | None]:
        """Readings of the test's photographs, made once and kept; None where nothing was read."""
        file = self.out / f"{cell.name}-{seed}.json"
        if file.is_file():
            kept: list[float | None] = json.loads(file.read_text())
            if len(kept) == len(self.test):
                return kept
        chosen = choose(self.train, cell.count, seed)
        values: list[float | None]
        if cell.reader == "cnn":
            steps = min(cnn.STEPS, self.steps)
            values = [
                *cnn.read_by_cnn(
                    chosen,
                    self.test,
                    cycle=self.cycle,
                    seed=seed,
                    steps=steps,
                    augment=self.augment,
                )
            ]
        else:
            values = self._gnomon(cell, chosen, seed)
        self.out.mkdir(parents=True, exist_ok=True)
        atomic.put_text(file, json.dumps(values))
        return values

    def distances(self, values: Sequence[float | None]) -> np.ndarray:
        """Distance of each reading from its label, round the dial; the farthest if unread."""
        labels = np.array([photograph.value for photograph in self.test])
        farthest = self.cycle / 2 if self.cycle else float(np.ptp(labels))
        read = np.array([np.nan if value is None else value for value in values], float)
        away = np.abs(read - labels)
        if self.cycle:
            away = away % self.cycle
            away = np.minimum(away, self.cycle - away)
        return np.nan_to_num(np.minimum(away, farthest), nan=farthest)

    def estimates(
        self, readings: Sequence[Sequence[float | None]]
    ) -> tuple[CrossedEstimate, CrossedEstimate]:
        """Share within a step and mean distance, over seeds and groups that training never saw."""
        distances = np.stack([self.distances(values) for values in readings])
        groups = [photograph.group for photograph in self.test]
        hits = (distances <= self.step + 1e-9).astype(float)
        return estimate_crossed([hits], groups), estimate_crossed([distances], groups)

    def best_constant(self) -> float:
        """The label that is right most often among the training's photographs."""
        labels = sorted({photograph.value for photograph in self.train})
        truths = np.array([photograph.value for photograph in self.train])

        def hits(constant: float) -> int:
            away = np.abs(truths - constant)
            away = np.minimum(away, self.cycle - away) if self.cycle else away
            return int((away <= self.step + 1e-9).sum())

        return max(labels, key=hits)

    def _gnomon(self, cell: Cell, chosen: list[Photograph], seed: int) -> list[float | None]:
        """Train all parts of gnomon-tiny, and read its answers."""
        run = self.out / f"{cell.name}-{seed}"
        run.mkdir(parents=True, exist_ok=True)
        data: list[dict[str, Any]] = []
        if chosen:
            table = run / "train.csv"
            self._write_table(table, chosen)
            source = {"path": str(table), "columns": self._columns, "pictures": self._folder}
            data.append({**source, "weight": _PHOTOGRAPHED_WEIGHT, "augment": self.augment})
        if cell.drawings and self.drawn is not None:
            data.append({**self.drawn, "weight": _DRAWN_WEIGHT})
        test = run / "test.csv"
        self._write_table(test, self.test)
        test_source = {"path": str(test), "columns": self._columns, "pictures": self._folder}
        resolved = resolve_values(self._recipe(data, test_source, seed), name="real")
        train_run(resolved, run / "run")
        source = Source(path=str(test), columns=Columns(**self._columns), pictures=self._folder)
        exam = Exam((source,), "test", 0, len(self.test))
        answers = answer_exam(resolved.recipe, exam, run / "answers.jsonl", run=run / "run")
        texts = {prediction.sample_id: prediction.text for prediction in predictions.read(answers)}
        samples = list(exam)
        # A sample is its row of the table, in the table's order: the labels show it.
        assert [float(sample.target.value) for sample in samples] == [
            photograph.value for photograph in self.test
        ]
        readings = [read_number(texts[sample.id]) for sample in samples]
        return [None if reading is None else float(reading.value) for reading in readings]

    def _recipe(
        self, data: list[dict[str, Any]], test: dict[str, Any], seed: int
    ) -> dict[str, Any]:
        # Photographs alone are gone through until the steps are over; drawings have no end.
        is_endless = any("kind" in source for source in data)
        train = {
            **({"samples": self.steps * BATCH} if is_endless else {}),
            "max_steps": self.steps,
            "learning_rate": 5e-4,
            "warmup_steps": min(30, self.steps),
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
            "model": {"name": "gnomon-tiny", "load_in_4bit": False, "dtype": "float32"},
            "loss": {"name": "ce"},
            "train": train,
            "eval": {"data": [test], "batch_size": BATCH, "max_new_tokens": 8},
        }

    @property
    def _columns(self) -> dict[str, Any]:
        return {
            "image": "image",
            "answer": "value",
            "ask": self.question,
            "kind": "number",
            "within": self.step,
            "split": "split",
        }

    @property
    def _folder(self) -> str:
        return str(self.test[0].file.parent.resolve())

    def _write_table(self, file: Path, photographs: list[Photograph]) -> None:
        split = "test" if photographs is self.test else "train"
        with file.open("w", encoding="utf-8", newline="") as lines:
            rows = csv.writer(lines)
            rows.writerow(["image", "value", "split"])
            for photograph in photographs:
                rows.writerow([photograph.file.resolve(), f"{photograph.value:.1f}", split])
