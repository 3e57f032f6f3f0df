"""The baseline: plain CNNs in three sizes that regress the reading from photographs alone.

They learn the sine and cosine of a reading that goes round, or else the reading itself. Each block
has two 3×3 convolutions and halves the picture. Pictures are made brighter or darker, tinted,
scaled and moved, and get noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from benchmarks.real.photographs import Photograph
from gnomon.progress import track
from gnomon.store.pictures import load_picture

STEPS, BATCH, LEARNING_RATE = 1500, 64, 3e-3


@dataclass(frozen=True)
class Size:
    """The side of the pictures that a CNN sees, and the channels of its blocks."""

    side: int
    channels: tuple[int, ...]


SIZES = {
    "cnn-32": Size(32, (32, 64, 96)),
    "cnn-64": Size(64, (16, 32, 64, 96)),
    "cnn-64-large": Size(64, (32, 64, 96, 128)),
}


def read_by_cnn(
    train: list[Photograph],
    test: list[Photograph],
    *,
    size: Size,
    cycle: float,
    seed: int,
    steps: int = STEPS,
) -> list[float]:
    """Train on some photographs and return the readings of others."""
    torch.manual_seed(seed)
    images = _load(train, size.side)
    values = np.array([photograph.value for photograph in train])
    low, spread = float(values.min()), float(np.ptp(values)) or 1.0
    targets = _encode(values, cycle, low, spread)
    network = Network(size)
    optimizer = torch.optim.AdamW(network.parameters(), LEARNING_RATE, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=steps)
    for _ in track(range(steps), total=steps, desc="training the CNN"):
        chosen = torch.randint(len(train), (BATCH,))
        loss = functional.mse_loss(network(augment(images[chosen])), targets[chosen])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
    network.eval()
    with torch.no_grad():
        outputs = torch.cat([network(batch) for batch in _load(test, size.side).split(BATCH)])
    return _decode(outputs.double().numpy(), cycle, low, spread)


class Network(nn.Module):
    """Blocks of convolutions in bfloat16, and a head with one hidden layer in float32."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        blocks: list[nn.Module] = []
        for inputs, outputs in pairwise((3, *size.channels)):
            for channels in (inputs, outputs):
                convolution = nn.Conv2d(channels, outputs, 3, padding=1, bias=False)
                blocks += [convolution, nn.BatchNorm2d(outputs), nn.ReLU()]
            blocks.append(nn.MaxPool2d(2))
        features = size.channels[-1] * (size.side // 2 ** len(size.channels)) ** 2
        self.blocks = nn.Sequential(*blocks, nn.Flatten()).to(memory_format=torch.channels_last)
        self.head = nn.Sequential(
            nn.Linear(features, 128), nn.ReLU(), nn.Dropout(0.2), nn.Linear(128, 2)
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return two outputs for each picture of a batch, [n, 3, side, side] from 0 to 1."""
        # Cameras differ in light and contrast.
        deviation, mean = torch.std_mean(images, (1, 2, 3), keepdim=True)
        standardized = (images - mean) / (deviation + 0.05)
        with torch.autocast("cpu", torch.bfloat16):
            features = self.blocks(standardized.to(memory_format=torch.channels_last))
        outputs: torch.Tensor = self.head(features.float())
        return outputs


def augment(images: torch.Tensor) -> torch.Tensor:
    """Change brightness by 30 %, colour by 15 %, scale and place by 10 %, and add noise of 3 %."""
    n = len(images)

    def uniform(reach: float, *shape: int) -> torch.Tensor:
        return (2 * torch.rand(shape) - 1) * reach

    move = torch.zeros(n, 2, 3)
    move[:, 0, 0] = move[:, 1, 1] = 1 + uniform(0.1, n)
    # affine_grid measures places from -1 to 1, so a tenth of the side is 0.2.
    move[:, :, 2] = uniform(0.2, n, 2)
    grid = functional.affine_grid(move, list(images.shape), align_corners=False)
    moved = functional.grid_sample(images, grid, padding_mode="border", align_corners=False)
    lit = moved * (1 + uniform(0.3, n, 1, 1, 1)) * (1 + uniform(0.15, n, 3, 1, 1))
    return lit + 0.03 * torch.randn_like(lit)


def _encode(values: NDArray[np.float64], cycle: float, low: float, spread: float) -> torch.Tensor:
    """Return sine and cosine on a cycle, and otherwise the place between the ends, twice."""
    if cycle:
        angle = values * (math.tau / cycle)
        pair = np.stack([np.sin(angle), np.cos(angle)], 1)
    else:
        pair = np.repeat(((values - low) / spread)[:, None], 2, 1)
    return torch.from_numpy(pair.astype(np.float32))


def _decode(outputs: NDArray[np.float64], cycle: float, low: float, spread: float) -> list[float]:
    if cycle:
        angle = np.arctan2(outputs[:, 0], outputs[:, 1])
        return list(map(float, angle * (cycle / math.tau) % cycle))
    return list(map(float, low + spread * outputs.mean(1)))


def _load(photographs: list[Photograph], side: int) -> torch.Tensor:
    """Load photographs as squares, [n, 3, side, side] from 0 to 1."""
    squares = [
        cv2.resize(
            np.asarray(load_picture(photograph.file)), (side, side), interpolation=cv2.INTER_AREA
        )
        for photograph in photographs
    ]
    return torch.from_numpy(np.stack(squares)).permute(0, 3, 1, 2).float() / 255
