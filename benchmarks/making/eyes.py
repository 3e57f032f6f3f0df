"""The embedded model's eyes learn where hands point, before the model learns to speak.

    python -m benchmarks.making.eyes runs/tiny-eyes    # goes on where it was killed
    python -m benchmarks.making.eyes runs/tiny-eyes --start gnomon/pipeline/tiny    # learns more

A time in words tells a vision tower little: for a thousand steps it learns nothing but how times
are written. So the tower is taught first, with what the generator knows of every picture: the
directions of the hands, where their tips are, and how far a pointer or a wheel has turned.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor, nn

from benchmarks.making.tokens import picture_processor
from gnomon import generators
from gnomon.pipeline.families import BLANK, tiny
from gnomon.progress import track
from gnomon.recipe import Model
from gnomon.sample import Sample

BATCH = 64
ROUND_SIZE = 16_000
"""Pictures of a round. The tower sees each EPOCHS times while the next round is drawn."""
EPOCHS = 2
ROUNDS = 20
RATE, MUON_RATE = 1e-3, 0.02
UPRIGHT, ROUNDS_UPRIGHT = 12.0, 3
"""Degrees that clocks are turned at most, and the rounds for which this holds: from upright clocks
the tower learns to find hands sooner."""
CLOCKS: dict[str, Any] = {
    "size": [84, 320], "offset": 0.8, "one_hand": 0.05, "second_hand": 0.35,
}  # fmt: skip
PHOTOS: dict[str, Any] = {"size": 160, "look": "photo", "level": "medium"}
PHOTOGRAPHED_CLOCKS: dict[str, Any] = {**CLOCKS, "size": [112, 240], "look": "photo"}
DIALS: dict[str, Any] = {**PHOTOS, "instruments": ["dial"]}
WHEELS: dict[str, Any] = {**PHOTOS, "questions": ["wheel"]}
SORTS = [
    ("clock", CLOCKS, "off", UPRIGHT),
    ("clock", CLOCKS, "light", UPRIGHT),
    ("clock", CLOCKS, "off", 30.0),
    ("clock", CLOCKS, "light", 30.0),
    ("clock", PHOTOGRAPHED_CLOCKS, "off", UPRIGHT),
    ("clock", PHOTOGRAPHED_CLOCKS, "off", UPRIGHT),
    ("clock", PHOTOGRAPHED_CLOCKS, "off", 30.0),
    ("clock", PHOTOGRAPHED_CLOCKS, "off", 30.0),
    ("gauge", DIALS, "off", 6.0),
    ("gauge", DIALS, "off", 6.0),
    ("gauge", DIALS, "off", 12.0),
    ("gauge", {**DIALS, "look": "flat"}, "light", 6.0),
    ("counter", WHEELS, "off", 4.0),
    ("counter", WHEELS, "off", 4.0),
    ("counter", {**WHEELS, "look": "flat"}, "light", 4.0),
    ("gauge", {"size": 224}, "light", 8.0),
]
"""Kind, options, degrade and rotation. Picture i has sort i modulo their number."""
HANDS = ("hour", "minute", "second", "pointer", "wheel")
DIRECTIONS = 60
CELLS = tiny.SIDE // 14
"""Cells of 14 pixels in a row. A tip lies in one of them, or in between."""
Labelled = tuple[NDArray[np.uint8], NDArray[np.float32]]
"""Pictures [n, SIDE, SIDE, 3]; and [n, hands, 3]: degrees of each hand, and x and y of its tip as
shares of the side. NaN if the picture has no such hand."""


class Eyes(nn.Module):
    """The vision tower with two heads on its tokens, which are thrown away after training."""

    def __init__(self, tower: Any) -> None:
        super().__init__()
        self.tower, width = tower, tower.config.embed_dim
        self.directions = nn.Linear((CELLS // 2) ** 2 * width, len(HANDS) * DIRECTIONS)
        self.tips = nn.Linear(width, len(HANDS) * 4)
        for head in (self.directions, self.tips):
            nn.init.zeros_(head.weight)

    def forward(self, patches: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of directions [n, hands, DIRECTIONS] and of tips' cells [n, hands, CELLS²]."""
        grid = torch.tensor([[1, CELLS, CELLS]] * len(patches), device=patches.device)
        tokens = self.tower(patches.flatten(0, 1), grid_thw=grid).pooler_output.float()
        tokens = tokens.unflatten(0, (len(patches), -1))
        # Qwen2-VL merges 2 × 2 cells into a token.
        cells = self.tips(tokens).unflatten(1, (CELLS // 2, -1)).unflatten(-1, (-1, 2, 2))
        return (
            self.directions(tokens.flatten(1)).unflatten(1, (len(HANDS), DIRECTIONS)),
            cells.permute(0, 3, 1, 4, 2, 5).flatten(2),
        )


def patches_of(pixels: Tensor, mean: Sequence[float], std: Sequence[float]) -> Tensor:
    """Cut pictures [n, height, width, 3] as Qwen2-VL does, into [n, patches, values]."""
    n, height, width = pixels.shape[:3]
    scaled = pixels.float().div_(255).sub_(torch.tensor(mean, device=pixels.device))
    scaled.div_(torch.tensor(std, device=pixels.device))
    parts = scaled.reshape(n, height // 28, 2, 14, width // 28, 2, 14, 3)
    cut = parts.permute(0, 1, 4, 2, 5, 7, 3, 6)
    # A picture is two equal frames of a video.
    return cut.reshape(n, -1, 3, 1, 14, 14).expand(-1, -1, 3, 2, 14, 14).flatten(2)


def truth_of(sample: Sample) -> list[tuple[float, float, float]]:
    """Degrees, x and y of each hand, in the order of HANDS."""
    facts = sample.facts
    assert sample.image is not None
    width, height = sample.image.size
    tips: dict[str, Any] = {}
    if "angles" in facts:
        angles, tips = facts["angles"], facts["tips"]
    elif "cells" in facts:  # a wheel has turned by a tenth of a circle for each figure
        angles = {"wheel": 36 * facts["cells"][-1]["position"]}
    else:
        # Dials go all the way round. Where they turn to the left this is no direction in the
        # picture, but what the needle says.
        sweep = 360 if facts["instrument"] == "dial" else 300
        angles, tips = {"pointer": sweep * facts["share"]}, {"pointer": facts["tip"]}
    nowhere = (math.nan, math.nan)
    return [
        (angles.get(hand, math.nan), x / width, y / height)
        for hand in HANDS
        for x, y in [tips.get(hand, nowhere)]
    ]


def draw(number: int, indices: range, upright: int = ROUNDS_UPRIGHT) -> Labelled:
    """Draw the pictures with these indices for round `number`; clocks lean from round `upright`."""
    steepest = UPRIGHT if number < upright else 180.0
    sorts = [
        generators.create(kind, **options, degrade=wear, rotation=min(rotation, steepest))
        for kind, options, wear, rotation in SORTS
    ]
    pixels = np.empty((len(indices), tiny.SIDE, tiny.SIDE, 3), np.uint8)
    truth = np.empty((len(indices), len(HANDS), 3), np.float32)
    for row, index in enumerate(indices):
        # Two sorts of clocks draw the same scene from the same index: each picture has its own.
        sample = sorts[index % len(sorts)][index]
        assert sample.image is not None
        small = sample.image.convert("RGB").resize((tiny.SIDE, tiny.SIDE), Image.Resampling.BICUBIC)
        pixels[row], truth[row] = np.asarray(small), truth_of(sample)
    return pixels, truth


def rounds(first: int, last: int, size: int, upright: int) -> Iterator[Labelled]:
    """Yield the pictures of each round, drawing those of the next in other processes meanwhile."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), spawn, initializer=os.nice, initargs=(5,)) as pool:

        def submit(number: int) -> list[Future[Labelled]]:
            if number >= last:
                return []
            start, end = number * size, (number + 1) * size
            chunks = [range(first, min(first + 500, end)) for first in range(start, end, 500)]
            return [pool.submit(draw, number, chunk, upright) for chunk in chunks]

        futures = submit(first)
        for number in range(first, last):
            results = [future.result() for future in futures]
            futures = submit(number + 1)
            pixels, truths = zip(*results, strict=True)
            yield np.concatenate(pixels), np.concatenate(truths)


def loss_of(directions: Tensor, cells: Tensor, truth: Tensor) -> Tensor:
    """Return the cross-entropy of the directions and of the tips' cells, with soft labels.

    A direction or cell next to the right one counts in part.
    """
    degrees, tips = truth[..., 0], truth[..., 1:]
    around = torch.arange(DIRECTIONS, device=truth.device) * (360 / DIRECTIONS)
    apart = (around - degrees.nan_to_num()[..., None] + 180) % 360 - 180
    centres = (torch.arange(CELLS, device=truth.device) + 0.5) / CELLS
    x, y = (tips.nan_to_num()[..., None] - centres).unbind(-2)
    away = x[..., None, :] ** 2 + y[..., :, None] ** 2
    inside = ((tips >= 0) & (tips < 1)).all(-1)  # False for NaN
    return _cross_entropy(directions, -((apart / 4.2) ** 2), ~degrees.isnan()) + _cross_entropy(
        cells, -away.flatten(-2) / (2 * 0.06**2), inside
    )


def _cross_entropy(logits: Tensor, label_logits: Tensor, mask: Tensor) -> Tensor:
    losses = -(label_logits.softmax(-1) * logits.log_softmax(-1)).sum(-1)
    return (losses * mask).sum() / mask.sum().clamp(min=1)


def degrees_off(directions: Tensor, truth: Tensor) -> Tensor:
    """Return the degrees between each hand and its likeliest direction; NaN if there is no hand."""
    likeliest = directions.argmax(-1) * (360 / DIRECTIONS)
    return ((likeliest - truth[..., 0] + 180) % 360 - 180).abs()


def build_optimizers(eyes: Eyes) -> list[torch.optim.Optimizer]:
    """Return Muon for the tower's matrices, where it takes two thirds of the steps, and AdamW."""
    matrices = [weight for weight in eyes.tower.blocks.parameters() if weight.ndim == 2]
    matrix_ids = set(map(id, matrices))
    rest = [weight for weight in eyes.parameters() if id(weight) not in matrix_ids]
    return [
        torch.optim.Muon(matrices, MUON_RATE, weight_decay=0.05),
        torch.optim.AdamW(rest, RATE, betas=(0.9, 0.98), weight_decay=0.05),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the eyes, and write the model that has them to RUN/model."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.making.eyes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"({ROUNDS})")
    parser.add_argument(
        "--pictures", type=int, default=ROUND_SIZE, help=f"per round ({ROUND_SIZE})"
    )
    parser.add_argument(
        "--start",
        type=Path,
        help="a model whose eyes learn more, at half the rate (random weights)",
    )
    options = parser.parse_args(arguments)
    train(options.run, options.rounds, options.pictures, options.start)
    return 0


def train(run: Path, last: int, size: int, start: Path | None = None) -> None:
    """Train the rounds that no checkpoint has yet, and write a checkpoint after each."""
    torch.set_num_threads(max(1, (os.cpu_count() or 1) - 1))  # one core draws
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if start is None:
        model, share, upright = tiny.blank(), 1.0, ROUNDS_UPRIGHT
    else:
        model, share, upright = tiny.GnomonTiny().load_model(start, dtype=torch.float32), 0.5, 0
    model = model.to(device)
    eyes = Eyes(model.model.visual).to(device)
    if device.type == "cpu" and which("g++"):  # a fifth faster
        for block in eyes.tower.blocks:
            block.compile(dynamic=False)
    parts = [eyes, *build_optimizers(eyes)]
    run.mkdir(parents=True, exist_ok=True)
    checkpoint, first = run / "checkpoint.pt", 0
    if checkpoint.is_file():
        first, *states = torch.load(checkpoint, map_location=device)
        for part, state in zip(parts, states, strict=True):
            part.load_state_dict(state)
    for number, labelled in enumerate(rounds(first, last, size, upright), first):
        row = _train_round(parts, labelled, number, last, share)
        print(json.dumps(row), flush=True)
        with (run / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(row) + "\n")
        unfinished = checkpoint.with_suffix(".new")
        torch.save((number + 1, *(part.state_dict() for part in parts)), unfinished)
        unfinished.replace(checkpoint)
    model.save_pretrained(run / "model")
    tiny.GnomonTiny().load_processor(BLANK, Model(name=BLANK)).save_pretrained(run / "model")


def _train_round(
    parts: list[Any], labelled: Labelled, number: int, last: int, share: float
) -> dict[str, Any]:
    """Train one round, at this share of the rates, and return its line of the log.

    `parts` are the eyes and their optimizers.
    """
    eyes, *optimizers = parts
    device = eyes.directions.weight.device
    pixels, truth = (torch.from_numpy(values).to(device) for values in labelled)
    settings, rng, start = picture_processor(), np.random.default_rng(number), time.monotonic()
    epoch = len(truth) // BATCH
    orders = [rng.permutation(len(truth))[: epoch * BATCH] for _ in range(EPOCHS)]
    first, all_steps = number * EPOCHS * epoch, last * EPOCHS * epoch
    losses, errors = [], []
    batches = torch.from_numpy(np.concatenate(orders)).view(-1, BATCH).to(device)
    for step, rows in enumerate(track(batches, desc=f"round {number + 1} of {last}"), first + 1):
        # 200 steps of warm-up, then a cosine down to 3 % of the rate.
        cosine = (1 + math.cos(math.pi * step / all_steps)) / 2
        schedule = share * min(step / 200, 1) * (0.03 + 0.97 * cosine)
        for optimizer, rate in zip(optimizers, (MUON_RATE, RATE), strict=True):
            for group in optimizer.param_groups:
                group["lr"] = rate * schedule
        patches = patches_of(pixels[rows], settings.image_mean, settings.image_std)
        batch_truth = truth[rows]
        with torch.autocast(device.type, torch.bfloat16):
            directions, cells = eyes(patches.bfloat16())
        loss = loss_of(directions.float(), cells.float(), batch_truth)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(eyes.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        losses.append(loss.detach())  # read once a round: a GPU need not wait
        errors.append(degrees_off(directions, batch_truth))
    latest = torch.cat(errors[-250:])
    return {
        "step": first + len(batches),
        "loss": round(torch.stack(losses).mean().item(), 4),
        "within 6 degrees": {
            hand: round(float((degrees[~degrees.isnan()] <= 6).float().mean()), 4)
            for hand, degrees in zip(HANDS, latest.T, strict=True)
        },
        "seconds": round(time.monotonic() - start),
    }


if __name__ == "__main__":
    sys.exit(main())
