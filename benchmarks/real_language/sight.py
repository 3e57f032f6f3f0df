"""The tower and the new projector learn what pictures say, before the language model is asked.

Each of the sixteen tokens of a picture must tell the hour, the minute or the tenth of a dial to the
same linear heads, which are thrown away afterwards. A step through the language model costs fifty
times as much, so this is where most pictures are seen.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor, nn

from benchmarks.making.eyes import CELLS, patches_of
from benchmarks.making.tokens import picture_processor
from gnomon import generators
from gnomon.pipeline.families import tiny
from gnomon.progress import track

BATCH, ROUND_SIZE, ROUNDS = 64, 4096, 24
RATES = (2e-4, 1e-3)
"""Of the tower, and of the projector with the heads."""
CLASSES = {"hour": 12, "minute": 60, "tenth": 100}
SORTS: list[tuple[str, dict[str, Any]]] = [
    ("clock", {"size": [84, 320], "second_hand": 0.2}),
    ("clock", {"size": [84, 320], "second_hand": 0.2}),
    ("clock", {"size": [112, 240], "look": "photo", "second_hand": 0.2}),
    ("gauge", {"size": 160, "instruments": ["dial"], "look": "photo", "level": "medium"}),
    ("gauge", {"size": 160, "instruments": ["dial"], "degrade": "light"}),
]
"""Kinds and their options. Picture i has sort i modulo their number."""


class Sight(nn.Module):
    """The tower with its projector and a linear head for each quantity."""

    def __init__(self, tower: Any) -> None:
        super().__init__()
        self.tower, width = tower, tower.config.hidden_size
        self.heads = nn.ModuleDict({name: nn.Linear(width, n) for name, n in CLASSES.items()})

    def forward(self, patches: Tensor) -> dict[str, Tensor]:
        """Logits of each quantity, [n, tokens, classes]."""
        grid = torch.tensor([[1, CELLS, CELLS]] * len(patches))
        tokens = self.tower(patches.flatten(0, 1), grid_thw=grid).pooler_output.float()
        tokens = tokens.unflatten(0, (len(patches), -1))
        return {name: head(tokens) for name, head in self.heads.items()}


def draw(indices: range) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Draw pictures with the quantities in them; NaN if a picture has no such quantity."""
    sorts = [generators.create(kind, **options) for kind, options in SORTS]
    pixels = np.empty((len(indices), tiny.SIDE, tiny.SIDE, 3), np.uint8)
    truth = np.full((len(indices), len(CLASSES)), np.nan, np.float32)
    for row, index in enumerate(indices):
        sample = sorts[index % len(sorts)][index]
        assert sample.image is not None
        small = sample.image.convert("RGB").resize((tiny.SIDE, tiny.SIDE), Image.Resampling.BICUBIC)
        pixels[row] = np.asarray(small)
        if "angles" in sample.facts:
            hours, minutes = str(sample.target).split(":")[:2]
            truth[row, :2] = int(hours) % 12, int(minutes)
        else:
            truth[row, 2] = round(100 * sample.facts["share"]) % 100
    return pixels, truth


def rounds(first: int) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.float32]]]:
    """Yield the pictures of each round, drawing the next in another process meanwhile."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn, initializer=os.nice, initargs=(5,)) as pool:

        def submit(number: int) -> Any:
            return pool.submit(draw, range(number * ROUND_SIZE, (number + 1) * ROUND_SIZE))

        future = submit(first)
        for number in range(first, ROUNDS):
            drawn, future = future.result(), submit(number + 1)
            yield drawn


def loss_of(logits: dict[str, Tensor], truth: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
    """Return the cross-entropy with soft labels, and for each quantity who is right within 1."""
    losses, right = [], {}
    for (name, n), values in zip(CLASSES.items(), truth.T, strict=True):
        known = ~values.isnan()
        apart = (torch.arange(n) - values[known, None] + n / 2) % n - n / 2
        labels = (-((apart / 0.7) ** 2)).softmax(-1)
        scores = logits[name][known].log_softmax(-1)
        losses.append(-(labels[:, None] * scores).sum(-1).mean())
        best = scores.mean(1).argmax(-1, keepdim=True)
        right[name] = apart.abs().gather(1, best)[:, 0] <= (0 if name == "hour" else 1)
    return torch.stack(losses).sum(), right


def train(model: Any, run: Path) -> None:
    """Train the rounds that no checkpoint has yet, on one thread."""
    torch.manual_seed(0)
    sight = Sight(tiny.use_fast_vision(model).model.visual)
    quick = [*sight.tower.merger.parameters(), *sight.heads.parameters()]
    tower = [p for n, p in sight.tower.named_parameters() if not n.startswith("merger.")]
    groups = [
        {"params": part, "lr": rate} for part, rate in zip((tower, quick), RATES, strict=True)
    ]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.01)
    run.mkdir(parents=True, exist_ok=True)
    checkpoint, first = run / "sight.pt", 0
    if checkpoint.is_file():
        first, weights, state = torch.load(checkpoint)
        sight.load_state_dict(weights)
        optimizer.load_state_dict(state)
    settings, steps = picture_processor(), ROUND_SIZE // BATCH
    for number, (pixels, truth) in enumerate(rounds(first) if first < ROUNDS else [], first):
        began, found = time.monotonic(), {name: [] for name in CLASSES}
        for step in track(range(steps), desc=f"sight, round {number + 1} of {ROUNDS}"):
            share = (number * steps + step + 1) / (ROUNDS * steps)
            for group, rate in zip(optimizer.param_groups, RATES, strict=True):
                group["lr"] = rate * min(1, 20 * share) * (1 + math.cos(math.pi * share)) / 2
            rows = slice(step * BATCH, (step + 1) * BATCH)
            patches = patches_of(
                torch.from_numpy(pixels[rows]), settings.image_mean, settings.image_std
            )
            with torch.autocast("cpu", torch.bfloat16):
                logits = sight(patches.bfloat16())
            loss, right = loss_of(logits, torch.from_numpy(truth[rows]))
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(sight.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            for name, hits in right.items():
                found[name].append(hits.float())
        row = {name: round(torch.cat(hits).mean().item(), 3) for name, hits in found.items()}
        print(json.dumps({"round": number + 1, **row, "s": round(time.monotonic() - began)}))
        unfinished = checkpoint.with_suffix(".new")
        torch.save((number + 1, sight.state_dict(), optimizer.state_dict()), unfinished)
        unfinished.replace(checkpoint)
