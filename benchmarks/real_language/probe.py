"""A probe of the projected features, which tells where reading is lost.

A linear probe reads the hour and the minute, or the tenth of a dial, from the mean of a picture's
tokens, as they enter the language model. If the probe reads better than the model answers, the
language model loses the rest; if it reads as badly, the tower or the projector does.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.making.eyes import CELLS, patches_of
from benchmarks.making.tokens import picture_processor
from benchmarks.real_language.sight import CLASSES, draw
from gnomon.progress import track

TRAIN, TEST, FIRST = 6000, 1500, 1_000_000
"""Pictures to fit the probe, pictures to try it on, and the first index, which sight never drew."""
RIDGE = 1e-2


def probe_all(work: Path) -> None:
    """Print the probe of the model after each stage that changes the features."""
    from transformers import AutoModelForImageTextToText

    torch.set_num_threads(1)
    for stage in ("sighted", "stage_one/model"):
        model = AutoModelForImageTextToText.from_pretrained(work / stage, dtype=torch.float32)
        print(json.dumps({"after": stage, **probe(model)}), flush=True)


def probe(model: Any) -> dict[str, float]:
    """Fit the probe to the model's features, and return the share right of each quantity.

    Minutes and tenths may be off by one, hours may not. `time` is right if the hour and the minute
    are.
    """
    features, truth = _features(model, range(FIRST, FIRST + TRAIN + TEST))
    features = np.hstack([features, np.ones((len(features), 1))])
    fitted, tested = features[:TRAIN], features[TRAIN:]
    found, right = {}, {}
    for (name, n), values in zip(CLASSES.items(), truth.T, strict=True):
        known, asked = ~np.isnan(values[:TRAIN]), ~np.isnan(values[TRAIN:])
        apart = (np.arange(n) - values[:TRAIN][known, None] + n / 2) % n - n / 2
        x, labels = fitted[known], np.exp(-(apart**2))
        weights = np.linalg.solve(x.T @ x + RIDGE * len(x) * np.eye(x.shape[1]), x.T @ labels)
        best = (tested[asked] @ weights).argmax(1)
        away = np.abs((best - values[TRAIN:][asked] + n / 2) % n - n / 2)
        right[name] = away <= (0 if name == "hour" else 1)
        found[name] = float(right[name].mean())
    return {**found, "time": float((right["hour"] & right["minute"]).mean())}


def _features(model: Any, indices: range) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Return the mean token of each picture, divided by the spread of all, and the truth."""
    settings = picture_processor()
    means, truths = [], []
    for start in track(range(indices.start, indices.stop, 100), desc="probe"):
        pixels, truth = draw(range(start, min(start + 100, indices.stop)))
        patches = patches_of(torch.from_numpy(pixels), settings.image_mean, settings.image_std)
        grid = torch.tensor([[1, CELLS, CELLS]] * len(pixels))
        with torch.no_grad():
            visual = model.model.visual.float()
            tokens = visual(patches.flatten(0, 1), grid_thw=grid).pooler_output
        means.append(tokens.unflatten(0, (len(pixels), -1)).mean(1).double().numpy())
        truths.append(truth)
    features = np.concatenate(means)
    return (features - features.mean(0)) / features.std(), np.concatenate(truths)
