"""One cell: train gnomon-tiny by its method, ask it about the test, and measure the answers.

The trainings on photographs are those of benchmarks.real, with another section `loss`.
"""

from __future__ import annotations

import hashlib
import math
import shutil
import subprocess
import tarfile
import time
from dataclasses import dataclass
from importlib.metadata import version
from io import BytesIO
from pathlib import Path

import torch

from benchmarks.real.cells import BATCH, Lab, model_section, reading_of
from benchmarks.real.photographs import SUBJECTS, choose, read_photographs, split_by_group
from benchmarks.study.photographs import plan
from benchmarks.study.photographs.outcomes import Outcome, lock
from benchmarks.study.photographs.plan import Cell
from gnomon.eval import score
from gnomon.eval.scoring import predictions
from gnomon.eval.scoring.belief import RULES, measures
from gnomon.runs.answer_file import answer_exam
from gnomon.runs.exam import Exam
from gnomon.runs.resolve import resolve_values
from gnomon.runs.training import train_run

PACKAGES = ("torch", "transformers", "trl", "peft")


@dataclass(frozen=True)
class Place:
    """Where photographs lie, and where trainings work."""

    photographs: Path
    """Folder with needles.zip and digits.zip, or folders of these names."""
    work: Path
    shorten: int | None = None
    """Steps and test pictures at most, for a smoke run."""


def measure(cell: Cell, place: Place) -> Outcome:
    """Run a cell and return its outcome."""
    torch.set_num_threads(1)
    began = time.process_time()
    work = place.work / "cells" / cell.key
    # What a killed worker left behind is begun anew.
    shutil.rmtree(work, ignore_errors=True)
    ask = _ask_drawn if cell.block.is_drawn else _ask_photographed
    outcome = {"key": cell.key, "loss": cell.loss, **ask(cell, place, work)}
    shutil.rmtree(work, ignore_errors=True)
    outcome["cpu_seconds"] = round(time.process_time() - began)
    outcome["versions"] = {name: version(name) for name in PACKAGES}
    return outcome


def lab_of(cell: Cell, place: Place) -> Lab:
    """Return the laboratory of a cell on photographs, with its groups split as the plan says."""
    block, subject = cell.block, SUBJECTS[cell.block.subject]
    train, test = split_by_group(
        read_photographs(_set(place, block.subject), place.work / block.subject),
        share=plan.TEST_SHARE, least=plan.LEAST,
    )  # fmt: skip
    most = plan.TESTS[block.subject]
    if block.is_choice:
        train, test = split_by_group(train, share=plan.VALIDATION_SHARE, least=plan.LEAST)
        most = plan.VALIDATION
    return Lab(
        train=train,
        test=choose(test, min(most, place.shorten or most), 0),
        question=subject.question,
        drawn=None,
        cycle=subject.cycle,
        step=subject.step,
        steps=min(block.steps, place.shorten or block.steps),
        cnn_steps=0,
        learning_rate=plan.LEARNING_RATE,
        passes=plan.PASSES,
        out=place.work,
        grid=subject.grid,
        augment=block.augment,
        loss=cell.loss,
        weights=weights_of(cell, place),
    )


def weights_of(cell: Cell, place: Place) -> Path:
    """Return the gnomon-tiny that a cell begins from, taken from the history of the repository.

    The one that ships may change, and a study begins from the same one to its end.
    """
    commit, digest = plan.MODELS[cell.block.start]
    folder = place.work / "models" / cell.block.start
    with lock(place.work / "models.lock"):
        if not folder.is_dir():
            archive = subprocess.run(
                ["git", "archive", commit, "gnomon/pipeline/tiny"],
                cwd=plan.ROOT, check=True, capture_output=True,
            ).stdout  # fmt: skip
            part = folder.with_name(f"{folder.name}.part")
            with tarfile.open(fileobj=BytesIO(archive)) as tar:
                tar.extractall(part, filter="data")
            (part / "gnomon" / "pipeline" / "tiny").rename(folder)
            shutil.rmtree(part)
    if hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest() != digest:
        raise ValueError(f"{folder}: these are not the weights of the plan")
    return folder


def _ask_photographed(cell: Cell, place: Place, work: Path) -> Outcome:
    lab = lab_of(cell, place)
    chosen = choose(lab.train, cell.block.count, cell.seed)
    pairs = lab.train_and_ask(work, chosen, seed=cell.seed, drawings=False)
    distances = {}
    for rule in ("greedy", *RULES):
        readings = [reading_of(prediction, sample, rule) for prediction, sample in pairs]
        distances[rule] = [round(float(distance), 3) for distance in lab.distances(readings)]
    beliefs = [measures(prediction, sample.target, "number") for prediction, sample in pairs]
    # Numbers in place of the names of cameras, in the order of their names.
    names = sorted({photograph.group for photograph in lab.test})
    return {
        "groups": [names.index(photograph.group) for photograph in lab.test],
        "distances": distances,
        "nll": [round(-math.log(max(belief["belief_true"], 1e-30)), 4) for belief in beliefs],
        "crps": [round(belief["belief_crps"], 4) for belief in beliefs],
    }


def _ask_drawn(cell: Cell, place: Place, work: Path) -> Outcome:
    """Train on drawings; relative errors of bars, and 1 − IoU of boxes."""
    kind = cell.block.subject
    steps = min(cell.block.steps, place.shorten or cell.block.steps)
    questions = min(plan.DRAWN_QUESTIONS, place.shorten or plan.DRAWN_QUESTIONS)
    recipe = {
        "seed": cell.seed,
        "data": [{"kind": kind, "options": plan.DRAWN[kind]}],
        "model": model_section(weights_of(cell, place)),
        "loss": cell.loss,
        "train": {
            "samples": steps * BATCH,
            "max_steps": steps,
            "learning_rate": plan.LEARNING_RATE,
            "warmup_steps": min(30, steps // 3),
            "per_device_train_batch_size": BATCH,
            "language": "full",
            "vision": "full",
            "projector": "full",
        },
        "eval": {"batch_size": BATCH, "max_new_tokens": 32, "samples": questions},
    }
    resolved = resolve_values(recipe, name="study")
    train_run(resolved, work / "run")
    exam = Exam.of(resolved.recipe)
    file = answer_exam(resolved.recipe, exam, work / "answers.jsonl", run=work / "run")
    scores = score(predictions.read(file), list(exam))
    distances = []
    for item in scores.items:
        if "iou" in item.measures:
            distances.append(1.0 - item.measures["iou"])
        else:  # an unread number has no error
            distances.append(min(1.0, item.measures.get("relative", 1.0)))
    return {
        "groups": list(range(len(distances))),
        "distances": {"greedy": [round(distance, 4) for distance in distances]},
    }


def _set(place: Place, name: str) -> Path:
    folder = place.photographs / name
    return folder if folder.is_dir() else folder.with_suffix(".zip")
