"""The finder that comes with gnomon-tiny learns where instruments are, from drawings alone.

    python -m benchmarks.making.finder runs/finder    # goes on where it was killed

Another process draws the pictures of the next round meanwhile. The weights are the average of the
last steps, in bfloat16.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import Tensor, nn

from benchmarks.making import wide
from benchmarks.making.surroundings import make_textures
from gnomon.pipeline.finder import CELLS, SIDE, STRIDE, FinderNetwork, normalise

BATCH = 48
ROUND_SIZE = 3_600
"""Pictures of a round. The network sees each EPOCHS times, once of them mirrored."""
EPOCHS = 2
ROUNDS = 42
RATE = 2.5e-3
TILES = 300
"""Instruments that are drawn for each part of a round."""
PART = 1_200
DECAY = 0.998
"""Share of the average that each step keeps."""
TEST_SEED, TEST_SIZE = 1_000_003, 600
Labelled = tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.int64]]
"""Pictures [n, SIDE, SIDE, 3], corners [n, MOST, 4, 2], kinds [n, MOST]; -1 for no instrument."""


def draw(seed: int, count: int) -> Labelled:
    """Draw wide pictures."""
    dice = np.random.default_rng(seed)
    tiles, textures = wide.draw_tiles(seed, TILES), make_textures(dice)
    pixels = np.empty((count, SIDE, SIDE, 3), np.uint8)
    corners = np.zeros((count, wide.MOST, 4, 2), np.float32)
    kinds = np.full((count, wide.MOST), -1, np.int64)
    for row in range(count):
        pixels[row], places, names = wide.picture(dice, tiles, textures)
        corners[row, : len(names)], kinds[row, : len(names)] = places, names
    return pixels, corners, kinds


def rounds(
    first: int, last: int, size: int, drawn: Callable[[int, int], tuple[Any, ...]] = draw
) -> Iterator[tuple[Any, ...]]:
    """Yield the pictures of each round, while another process draws those of the next."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn, initializer=os.nice, initargs=(5,)) as pool:

        def submit(number: int) -> list[Future[tuple[Any, ...]]]:
            seeds = range(number * size // PART, (number + 1) * size // PART)
            return [pool.submit(drawn, seed, PART) for seed in seeds] if number < last else []

        futures = submit(first)
        for number in range(first, last):
            results = [future.result() for future in futures]
            futures = submit(number + 1)
            yield tuple(np.concatenate(parts) for parts in zip(*results, strict=True))


def mirror(pixels: Tensor, corners: Tensor) -> tuple[Tensor, Tensor]:
    """Mirror pictures. The left corners become the right ones."""
    turned = corners[:, :, [1, 0, 3, 2]] * torch.tensor([-1.0, 1.0]) + torch.tensor([SIDE, 0.0])
    return pixels.flip(2), turned


def loss_of(
    maps: tuple[Tensor, Tensor, Tensor], corners: Tensor, kinds: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the losses of the middles, the kinds and the corners."""
    here, kind_logits, places = maps
    n, is_there = len(corners), kinds >= 0
    middles = corners.mean(2).clamp(0, SIDE - 1)  # [n, most, 2]
    longest = (corners.amax(2) - corners.amin(2)).amax(-1)
    cells = (torch.arange(CELLS) + 0.5) * STRIDE
    x, y = (middles[..., None] - cells).unbind(-2)
    # In cells: half a cell for the smallest, two for those that fill the picture.
    spread = (0.09 * longest).clamp(0.55 * STRIDE, 2.2 * STRIDE)[..., None, None]
    square = x[..., None, :] ** 2 + y[..., :, None] ** 2
    soft = torch.exp(-square / (2 * spread**2)) * is_there[..., None, None]
    # The cell that holds the middle counts as the middle.
    peak = (middles / STRIDE).long()
    index = (peak[..., 1] * CELLS + peak[..., 0]).clamp(0, CELLS**2 - 1)
    exact = torch.zeros(n, corners.shape[1], CELLS**2).scatter_(2, index[..., None], 1.0)
    exact = exact.unflatten(-1, (CELLS, CELLS)) * is_there[..., None, None]
    heat, owner = torch.maximum(soft, exact).max(1)
    logit, share = here[:, 0], torch.sigmoid(here[:, 0])
    is_peak = exact.amax(1) > 0
    right = -nn.functional.logsigmoid(logit) * (1 - share) ** 2
    wrong = -nn.functional.logsigmoid(-logit) * share**2 * (1 - heat) ** 4
    count = is_there.sum().clamp(min=1)
    middle_loss = torch.where(is_peak, right, wrong).sum() / count
    weight = torch.where(heat > 0.4, heat, torch.zeros(()))
    owned = corners.gather(1, owner.flatten(1)[:, :, None, None].expand(-1, -1, 4, 2))
    size = longest.clamp(min=12).gather(1, owner.flatten(1))
    away = places.flatten(2).transpose(1, 2).unflatten(-1, (4, 2)) - owned
    # Edges as well, since these turn with the instrument, wherever its middle is.
    edges = (away - away.roll(1, 2)).abs().mean((-1, -2))
    off = (away.abs().mean((-1, -2)) + edges) / size
    total = weight.sum().clamp(min=1)
    corner_loss = (off * weight.flatten(1)).sum() / total
    names = kinds.clamp(min=0).gather(1, owner.flatten(1)).unflatten(-1, (CELLS, CELLS))
    kind_loss = nn.functional.cross_entropy(kind_logits, names, reduction="none")
    return middle_loss, (kind_loss * weight).sum() / total, corner_loss


@torch.no_grad()
def test(network: FinderNetwork, labelled: Labelled) -> dict[str, float]:
    """Return how many of the first instruments are found, how well, and how often by mistake."""
    network.eval()
    pixels, corners, kinds = (torch.from_numpy(part) for part in labelled)
    with torch.autocast("cpu", torch.bfloat16):
        maps = [network(normalise(part)) for part in pixels.split(100)]
    here, names, places = (torch.cat(part) for part in zip(*maps, strict=True))
    score, at = torch.sigmoid(here).flatten(1).max(1)
    found = places.flatten(2)[torch.arange(len(at)), :, at].unflatten(1, (4, 2))
    name = names.flatten(2)[torch.arange(len(at)), :, at].argmax(1)
    size = (corners.amax(2) - corners.amin(2)).amax(-1).clamp(min=1)
    off = (found[:, None] - corners).norm(dim=-1).mean(-1) / size
    off = torch.where(kinds >= 0, off, torch.tensor(9.0))
    best, which = off.min(1)
    some, sure = (kinds >= 0).any(1), score > 0.4
    hit = some & (best < 0.25) & sure
    right = name == kinds.gather(1, which[:, None])[:, 0]
    return {
        "found": round(float(hit[some].float().mean()), 4),
        "corners off": round(float(best[hit].median()), 4),
        "kind": round(float(right[hit].float().mean()), 4),
        "false": round(float(sure[~some].float().mean()), 4),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the finder, and write its weights to RUN/finder.safetensors."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.making.finder",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"({ROUNDS})")
    parser.add_argument("--pictures", type=int, default=ROUND_SIZE, help=f"({ROUND_SIZE})")
    options = parser.parse_args(arguments)
    train(options.run, options.rounds, options.pictures)
    return 0


def train(run: Path, last: int, size: int) -> None:
    """Train the rounds that no checkpoint has yet, and write weights after each."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    network = FinderNetwork().to(memory_format=torch.channels_last)
    average = copy.deepcopy(network)
    optimizer = torch.optim.AdamW(network.parameters(), RATE, betas=(0.9, 0.98), weight_decay=0.02)
    parts: list[Any] = [network, average, optimizer]
    run.mkdir(parents=True, exist_ok=True)
    checkpoint, first = run / "checkpoint.pt", 0
    if checkpoint.is_file():
        first, *states = torch.load(checkpoint)
        for part, state in zip(parts, states, strict=True):
            part.load_state_dict(state)
    test_set = draw(TEST_SEED, TEST_SIZE)
    for number, labelled in enumerate(rounds(first, last, size), first):
        row = _train_round(parts, labelled, number, last) | test(average, test_set)
        print(json.dumps(row), flush=True)
        with (run / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(row) + "\n")
        unfinished = checkpoint.with_suffix(".new")
        torch.save((number + 1, *(part.state_dict() for part in parts)), unfinished)
        unfinished.replace(checkpoint)
        weights = {
            name: value.to(torch.bfloat16) if value.ndim == 4 else value
            for name, value in average.state_dict().items()
            if not name.endswith("num_batches_tracked")
        }
        save_file({n: v.contiguous() for n, v in weights.items()}, run / "finder.safetensors")


def _train_round(parts: list[Any], labelled: Labelled, number: int, last: int) -> dict[str, Any]:
    """Train one round and return its line of the log."""
    network, average, optimizer = parts
    network.train()
    pixels, corners, kinds = (torch.from_numpy(part) for part in labelled)
    rng, start, epoch = np.random.default_rng(number), time.monotonic(), len(pixels) // BATCH
    first, all_steps, losses = number * EPOCHS * epoch, last * EPOCHS * epoch, []
    for step in range(first + 1, first + EPOCHS * epoch + 1):
        turn, at = divmod(step - first - 1, epoch)
        if at == 0:
            order = torch.from_numpy(rng.permutation(len(pixels)))
        rows = order[at * BATCH : (at + 1) * BATCH]
        # A warm-up, then a cosine down to 2 % of the rate.
        cosine = (1 + math.cos(math.pi * step / all_steps)) / 2
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(step / 100, 1) * (0.02 + 0.98 * cosine)
        batch, places = pixels[rows], corners[rows]
        if turn % 2:
            batch, places = mirror(batch, places)
        with torch.autocast("cpu", torch.bfloat16):
            maps = network(normalise(batch).to(memory_format=torch.channels_last))
        middle, kind, corner = loss_of(maps, places, kinds[rows])
        (middle + 0.5 * kind + 6 * corner).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimizer.step()
        optimizer.zero_grad()
        losses.append([middle.item(), kind.item(), corner.item()])
        keep = min(DECAY, step / (step + 20))
        with torch.no_grad():
            for old, new in zip(
                average.state_dict().values(), network.state_dict().values(), strict=True
            ):
                if old.is_floating_point():
                    old.lerp_(new, 1 - keep)
    means = np.mean(losses, 0).round(4).tolist()
    return {
        "step": step, "loss": dict(zip(("middle", "kind", "corners"), means, strict=True)),
        "seconds": round(time.monotonic() - start),
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
