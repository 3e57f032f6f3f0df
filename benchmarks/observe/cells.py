"""Trainings of the plan: directly, with steps, and with steps and rewards. All answers are kept."""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import gnomon
from benchmarks.making.chart_reader import Asked, Reader, Row
from benchmarks.observe.kinds import KINDS, WORK, Kind
from benchmarks.study.photographs.outcomes import append, claim, lock, read
from gnomon.eval import score
from gnomon.pipeline.answering.local import predict_batches
from gnomon.pipeline.collate import write_answer
from gnomon.pipeline.families import TINY, tiny
from gnomon.pipeline.families.base import encode
from gnomon.pipeline.load import Loaded, load, load_trained
from gnomon.progress import note, track
from gnomon.runs.resolve import resolve_values
from gnomon.sample import Sample

OUTCOMES = Path(__file__).parent / "outcomes.jsonl.xz"
PICTURES, STEPS, BATCH, REWARDED = 4_000, 120, 32, 16
"""Drawings of a kind, steps of a training with their batch, and steps with rewards."""
ARMS = ("direct", "steps", "rewards")
SEEDS = (41, 42, 43, 44, 45)
RATES = 0.01, 1e-3
"""Learning rates of matrices, by Muon, and of other weights, by AdamW."""
TOKENS = 96


@dataclass(frozen=True)
class Cell:
    """A training of one kind in one way from one seed."""

    kind: Kind
    arm: str
    seed: int

    @property
    def key(self) -> str:
        return f"{self.kind.name}-{self.arm}-{self.seed}"


@dataclass(frozen=True)
class Seen:
    """Drawings as the eyes see them, with a question and both forms of the answer."""

    tokens: list[Tensor]
    shapes: list[tuple[int, int]]
    questions: list[str]
    answers: dict[str, list[str]]


def cells() -> list[Cell]:
    """List the trainings in the plan's order, seed by seed."""
    return [Cell(kind, arm, seed) for seed in SEEDS for kind in KINDS for arm in ARMS]


def run(photographs: Path, kinds: Sequence[str]) -> None:
    """Run the trainings without an outcome. Another process may do the same at the same time."""
    torch.set_num_threads(1)
    for cell in cells():
        if kinds and cell.kind.name not in kinds:
            continue
        with claim(WORK / "claims" / f"{cell.key}.lock") as is_ours:
            if is_ours and cell.key not in read(OUTCOMES):
                append(OUTCOMES, outcome(cell, photographs), WORK)
                note(f"{cell.key} is finished")


def outcome(cell: Cell, photographs: Path) -> dict[str, Any]:
    """Train a cell and ask it the held-out questions."""
    folder = WORK / "models" / cell.key
    began = time.process_time()
    seen = drawings(cell.kind)
    ready = time.process_time()
    loaded = start(cell.kind)
    is_rewarded = cell.arm == "rewards"
    trained = teach(
        loaded,
        seen,
        "direct" if cell.arm == "direct" else "steps",
        STEPS * 2 // 3 if is_rewarded else STEPS,
        cell.seed,
    )
    if is_rewarded:
        loaded, written = reward(cell, loaded, folder)
        trained += written
    used = time.process_time() - ready
    found = ask(loaded, cell.kind, photographs)
    shutil.rmtree(folder, ignore_errors=True)
    return {
        "key": cell.key,
        "tokens": trained,
        "cpu_seconds": round(used),
        "drawing_seconds": round(ready - began),
        **found,
    }


def start(kind: Kind) -> Loaded:
    """Join the language model of gnomon-tiny to the eyes of a kind."""
    loaded = load(kind.model)
    language = tiny.GnomonTiny().load_model(TINY, dtype=torch.float32).model.language_model
    model = loaded.model
    model.model.language_model = language
    model.lm_head.weight = language.embed_tokens.weight
    model.config.text_config = language.config
    return loaded


def drawings(kind: Kind) -> Seen:
    """Draw a kind's pictures and pass them through its eyes, unless it has been done already."""
    file = WORK / "seen" / f"{kind.name}.pt"
    with lock(file.with_suffix(".lock")):
        if not file.is_file():
            torch.save(_look_at(kind), file.with_suffix(".new"))
            file.with_suffix(".new").replace(file)
    kept = torch.load(file)
    return Seen(**kept)


def _look_at(kind: Kind) -> dict[str, Any]:
    loaded, drawn = load(kind.model), kind.drawings("steps")
    tokens, questions = [], []
    answers: dict[str, list[str]] = {"direct": [], "steps": []}
    shapes: list[tuple[int, int]] = []
    for first in track(range(0, PICTURES, BATCH), desc=f"{kind.name}: drawing"):
        samples = [drawn[index] for index in range(first, min(first + BATCH, PICTURES))]
        texts = [loaded.family.placeholder] * len(samples)
        batch = encode(loaded.processor, texts, [s.images for s in samples], side="right")
        grid = batch["image_grid_thw"]
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            found = loaded.model.model.visual(batch["pixel_values"].bfloat16(), grid_thw=grid)
        # A token of the language model stands for four patches.
        tokens += found.pooler_output.bfloat16().split((grid.prod(1) // 4).tolist())
        shapes += [(int(wide) * 14, int(high) * 14) for _, high, wide in grid]
        for sample in samples:
            written = write_answer(loaded.family, loaded.processor, sample)
            questions.append(sample.question)
            answers["steps"].append(written)
            answers["direct"].append(written.removeprefix(f"{sample.rationale}: "))
    return {
        "tokens": [one.clone() for one in tokens],
        "shapes": shapes,
        "questions": questions,
        "answers": answers,
    }


def teach(loaded: Loaded, seen: Seen, form: str, steps: int, seed: int) -> int:
    """Train the language model on drawings in one form of answers. Return the tokens it was
    trained on."""
    torch.manual_seed(seed)
    model, rng = loaded.model, np.random.default_rng(seed)
    reader = Reader(model, loaded.processor)
    text = model.model.language_model
    matrices = [weight for weight in text.layers.parameters() if weight.ndim == 2]
    ids = set(map(id, matrices))
    rest = [weight for weight in text.parameters() if id(weight) not in ids]
    optimizers: list[torch.optim.Optimizer] = [
        torch.optim.Muon(matrices, RATES[0], weight_decay=0.05),
        torch.optim.AdamW(rest, RATES[1], betas=(0.9, 0.98), weight_decay=0.01),
    ]
    order, count = rng.permutation(len(seen.questions)), 0
    for step in track(range(steps), desc=f"{form}: training"):
        schedule = min((step + 1) / 20, 1) * (1 + math.cos(math.pi * step / steps)) / 2
        for optimizer, most in zip(optimizers, RATES, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = most * schedule
        chosen = [int(i) for i in order[step * BATCH : (step + 1) * BATCH]]
        asked = [Asked(seen.questions[i], seen.answers[form][i], 0) for i in chosen]
        rows = [
            Row(seen.tokens[i], seen.shapes[i], [one], [], [0])
            for i, one in zip(chosen, asked, strict=True)
        ]
        count += sum(len(reader.block(one.question, one.answer)[0]) for one in asked)
        count += sum(len(row.tokens) + 3 for row in rows)
        for shape in sorted({row.shape for row in rows}):
            alike = [row for row in rows if row.shape == shape]
            loss, _ = reader.loss(alike, rng, aimed=False)
            (loss * len(alike) / len(rows)).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(text.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    return count


def reward(cell: Cell, loaded: Loaded, folder: Path) -> tuple[Loaded, int]:
    """Train an adapter by rewards on whole answers. Return the model, and the tokens it wrote."""
    kind = cell.kind
    loaded.model.save_pretrained(folder / "model")
    loaded.processor.save_pretrained(folder / "model")
    recipe = {
        "data": [kind.source_of("steps")],
        "model": {
            "name": str(folder / "model"), "family": "gnomon-tiny", "load_in_4bit": False,
            "dtype": "float32", "min_pixels": kind.pixels[0], "max_pixels": kind.pixels[1],
        },
        "loss": {"name": "ce"},
        "train": {
            "method": "grpo", "grpo": {"num_generations": 8}, "samples": 8 * REWARDED,
            "max_steps": REWARDED, "per_device_train_batch_size": 64, "learning_rate": 3e-4,
            "language": "lora", "lora_r": 16, "lora_alpha": 32, "logging_steps": 1,
        },
        "eval": {"max_new_tokens": TOKENS},
        "seed": cell.seed,
    }  # fmt: skip
    gnomon.train(recipe, out=folder / "run")
    log = (folder / "run" / "log.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, log) if "reward" in row]
    lengths = [row["completions/mean_length"] for row in rows]
    model = resolve_values(recipe, (), name="recipe").recipe.model
    return load_trained(model, folder / "run"), round(64 * sum(lengths))


def ask(loaded: Loaded, kind: Kind, photographs: Path) -> dict[str, Any]:
    """Ask the held-out questions greedily, and return each answer with its error."""
    samples: list[Sample] = kind.asked(photographs)
    loaded.model.eval()
    began = time.process_time()
    batches = predict_batches(loaded, samples, batch_size=50, max_new_tokens=TOKENS)
    given = [prediction for batch in batches for prediction in batch]
    took = time.process_time() - began
    by_id = {item.sample_id: item for item in score(given, samples).items}
    items = [by_id[sample.id] for sample in samples]
    return {
        "answers": [item.text for item in items],
        "right": [int(kind.is_right(s, i.measures)) for s, i in zip(samples, items, strict=True)],
        "error": [round(item.measures["charged"], 4) for item in items],
        "unread": [int(item.measures["unread"]) for item in items],
        "seconds": round(took / len(samples), 4),
    }
