"""The baseline that anybody would write in an evening: a small CNN that regresses the reading.

It sees 32 pixels and learns sine and cosine of a reading that goes round, or the reading itself,
with the augmentation that gnomon trains photographs with.
"""

from __future__ import annotations

import math
from itertools import pairwise

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import nn

from benchmarks.real.photographs import Photograph
from gnomon.generators.looks.augment import Augment, augment_picture
from gnomon.generators.rng import Rng
from gnomon.progress import track
from gnomon.store.pictures import load_picture

SIDE, STEPS, BATCH = 32, 1500, 64
_CHANNELS = (3, 32, 64, 128, 256)
# Larger photographs are shrunk to this side before they are augmented.
_LARGEST = 128


def read_by_cnn(
    train: list[Photograph],
    test: list[Photograph],
    *,
    cycle: float,
    seed: int,
    steps: int = STEPS,
    augment: Augment = "light",
) -> list[float]:
    """Train on some photographs; the readings of others."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    images, values = _load(train), np.array([photograph.value for photograph in train])
    low, spread = float(values.min()), float(np.ptp(values)) or 1.0
    network = _network()
    optimizer = torch.optim.AdamW(network.parameters(), 3e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=steps)
    for step in track(range(steps), total=steps, desc="training the CNN"):
        chosen = rng.integers(0, len(train), BATCH)
        batch = [images[index] for index in chosen]
        if augment != "off":
            batch = [
                augment_picture(image, augment, Rng("cnn", seed, step, place))[0]
                for place, image in enumerate(batch)
            ]
        targets = _encode(values[chosen], cycle, low, spread)
        loss = ((network(_pixels(batch)) - targets) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
    network.eval()
    with torch.no_grad():
        outputs = network(_pixels(_load(test))).numpy().astype(float)
    return _decode(outputs, cycle, low, spread)


def _network() -> nn.Module:
    """Four blocks of convolution, norm and pooling: 0.5 million parameters."""
    blocks: list[nn.Module] = []
    for ahead, behind in pairwise(_CHANNELS):
        blocks += [nn.Conv2d(ahead, behind, 3, padding=1), nn.BatchNorm2d(behind), nn.ReLU(),
                   nn.MaxPool2d(2)]  # fmt: skip
    flat = _CHANNELS[-1] * (SIDE // 2 ** (len(_CHANNELS) - 1)) ** 2
    head = (nn.Flatten(), nn.Linear(flat, 128), nn.ReLU(), nn.Dropout(0.2), nn.Linear(128, 2))
    return nn.Sequential(*blocks, *head)


def _encode(values: NDArray[np.float64], cycle: float, low: float, spread: float) -> torch.Tensor:
    """Sine and cosine on a cycle; else the place between the ends, twice."""
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


def _load(photographs: list[Photograph]) -> list[Image.Image]:
    images = []
    for photograph in photographs:
        image = load_picture(photograph.file)
        image.thumbnail((_LARGEST, _LARGEST))
        images.append(image)
    return images


def _pixels(images: list[Image.Image]) -> torch.Tensor:
    """What the network sees: squares of 32 pixels."""
    small = [
        cv2.resize(np.asarray(image), (SIDE, SIDE), interpolation=cv2.INTER_AREA)
        for image in images
    ]
    return _standardized(np.stack(small).astype(np.float32) / 255)


def _standardized(images: NDArray[np.float32]) -> torch.Tensor:
    """Pictures of mean 0 and deviation 1 each, as cameras differ in light and contrast."""
    mean, deviation = images.mean((1, 2, 3), keepdims=True), images.std((1, 2, 3), keepdims=True)
    channels_first = ((images - mean) / (deviation + 0.05)).transpose(0, 3, 1, 2)
    return torch.from_numpy(np.ascontiguousarray(channels_first, np.float32))
