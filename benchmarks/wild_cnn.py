"""A plain CNN on the clocks of whole photographs, beside which gnomon-tiny is measured.

It learns the angles of both hands. A pretrained detector of clocks is not at hand, so the CNN reads
whole pictures, or what gnomon's finder cuts out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import tau
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from benchmarks.real.cnn import LEARNING_RATE, Network, Size, augment
from gnomon.progress import track
from gnomon.store.pictures import load_picture

if TYPE_CHECKING:
    from benchmarks.wild import Labelled

SIZE, STEPS, BATCH = Size(96, (16, 32, 64, 96)), 600, 32


def read_clocks(
    part: str, train: Sequence[Labelled], test: Sequence[Labelled], out: Path
) -> list[dict[str, Any]]:
    """Train on whole or found pictures, and return answers as `wild.ask` does."""
    if part == "found":
        train, test = cut_out(train, out / "cut"), cut_out(test, out / "cut")
    torch.manual_seed(0)
    network = Network(SIZE)
    network.head[-1] = nn.Linear(128, 4)
    images = _load(train)
    minutes = torch.tensor([row.value for row in train])
    angles = torch.stack([minutes / 720 * tau, minutes / 60 * tau], 1)
    targets = torch.cat([angles.sin(), angles.cos()], 1)
    fit(network, images, targets, STEPS)
    network.eval()
    with torch.no_grad():
        outputs = torch.cat([network(batch) for batch in _load(test).split(BATCH)])
    turns = torch.atan2(outputs[:, :2], outputs[:, 2:]) / tau % 1
    answer = {"refused": False, "corners": None, "seconds": None}
    return [{**answer, "reading": combine(720 * a, 60 * b)} for a, b in turns.tolist()]


def fit(network: Network, images: torch.Tensor, targets: torch.Tensor, steps: int) -> None:
    """Train a network on augmented pictures [n, 3, side, side] and what it should say of them."""
    optimizer = torch.optim.AdamW(network.parameters(), LEARNING_RATE, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=steps)
    for _ in track(range(steps), total=steps, desc="training the CNN"):
        chosen = torch.randint(len(images), (BATCH,))
        loss = functional.mse_loss(network(augment(images[chosen])), targets[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()


def _load(rows: Sequence[Labelled]) -> torch.Tensor:
    """Load pictures as squares, [n, 3, side, side] from 0 to 1."""
    side = (SIZE.side, SIZE.side)
    pictures = [np.asarray(load_picture(row.file)) for row in rows]
    squares = [cv2.resize(picture, side, interpolation=cv2.INTER_AREA) for picture in pictures]
    return torch.from_numpy(np.stack(squares)).permute(0, 3, 1, 2).float() / 255


def combine(hour: float, minute: float) -> float:
    """Return the time with these minutes whose hour hand is nearest to that of `hour`."""
    times = [60 * whole + minute for whole in range(12)]
    return min(times, key=lambda time: min(abs(time - hour), 720 - abs(time - hour)))


def cut_out(rows: Sequence[Labelled], folder: Path) -> list[Labelled]:
    """Cut out the surest clock of each picture. A picture without a clock stays whole."""
    from gnomon.pipeline.finder import Finder, cut
    from gnomon.runs.finding import best_detection

    folder.mkdir(parents=True, exist_ok=True)
    finder = Finder()
    cuts = []
    for row in rows:
        picture = load_picture(row.file)
        file = row.file
        if place := best_detection(finder.find(picture), ("clock",)):
            file = folder / f"{row.file.stem}.png"
            cut(picture, place.corners, side=224).save(file)
        cuts.append(replace(row, file=file))
    return cuts
