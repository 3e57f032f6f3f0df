"""The gauge reader's eyes learn what a gauge says, before the model learns to speak.

    python -m benchmarks.making.gauge_eyes runs/gauge-eyes    # goes on where it was killed

The tower of the chart reader can read texts already. It sees gauges, meters and dial indicators,
cut out as a finder or a person would do it. Each token of a picture must tell how far the pointer
has come along the scale, both ends of the scale, and the reading. Each text and each tip of a
pointer must be told by the token in which it lies.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor, nn

from benchmarks.making.chart_eyes import (
    ALPHABET,
    LETTERS,
    POWERS,
    TOKEN,
    cut,
    number_classes,
    text_classes,
    worn,
)
from gnomon import generators
from gnomon.generators.base import Generator
from gnomon.pipeline.families import CHARTS, tiny
from gnomon.progress import track
from gnomon.sample import Sample

SIDE = 224
SHARES, TURNS, TENTHS = 101, 100, 100
WHOLE = {
    "share": SHARES, "ring": TURNS, "small": TENTHS, "sign": 2,
    "low": 91, "low power": POWERS, "low sign": 2, "high": 91, "high power": POWERS,
    "value": 91, "value power": POWERS,
}  # fmt: skip
"""Classes of what the whole picture says. `ring` and `small` are the two pointers of a dial
indicator, in hundredths of a turn and in tenths."""
PLACED = {"text": 1, "letters": LETTERS * (len(ALPHABET) + 1), "tip": 1}
"""Classes of what a token says about itself."""
ROUND = ("ring", "small")
PHOTO: dict[str, Any] = {"look": "photo"}
SCALED = ["gauge", "sf6_gauge", "voltmeter", "ammeter", "hygrometer", "barometer"]
SORTS: list[tuple[str, dict[str, Any]]] = [
    ("face", {"description": "dial_indicator", "level": "medium", **PHOTO}),
    ("face", {"description": "dial_indicator", "level": "medium"}),
    ("face", {"description": "dial_indicator", "level": "hard", **PHOTO}),
    ("face", {"description": "sf6_gauge", "level": "medium", **PHOTO}),
    ("face", {"description": "sf6_gauge", "level": "hard", **PHOTO}),
    ("face", {"description": SCALED, "level": "medium", **PHOTO}),
    ("gauge", {"instruments": ["gauge", "meter"], "level": "medium", **PHOTO}),
    ("gauge", {"instruments": ["gauge", "meter"], "level": "medium"}),
    ("gauge", {"instruments": ["gauge", "meter", "speedometer"], "level": "hard", **PHOTO}),
]
SCALES = (1.0, 1.3, 1.7)
Labels = dict[str, NDArray[np.float32]]


def label(sample: Sample, corner: tuple[float, float], scale: float) -> Labels:
    """Label a picture whose cut begins at `corner` and is scaled; -1 if a label is not known."""
    facts, tokens = sample.facts, (SIDE // TOKEN) ** 2
    of = {name: np.full((), -1, np.float32) for name in WHOLE}
    placed = {name: np.zeros(tokens, np.float32) for name in ("text", "tip")}
    placed["letters"] = np.full((tokens, LETTERS), -1, np.float32)

    def token_at(at: Sequence[float]) -> int | None:
        x, y = ((at[i] - corner[i]) * scale for i in (0, 1))
        inside = 0 <= x < SIDE and 0 <= y < SIDE
        return int(y // TOKEN) * (SIDE // TOKEN) + int(x // TOKEN) if inside else None

    def mark(name: str, at: Sequence[float]) -> int | None:
        token = token_at(at)
        if token is not None:
            placed[name][token] = 1
        return token

    if "parts" in facts:
        parts = facts["parts"]
        hand = parts["hand"]
        on = parts[hand["track"]]
        texts = [text for part in parts.values() for text in part.get("labels", [])]
        tips = [parts[name]["tip"] for name in ("small.hand", "hand") if name in parts]
        low, high, share = float(on["low"]), float(on["high"]), hand["share"]
        if facts["name"] == "dial indicator":
            of["ring"][...] = hand["number"] % 100
            of["small"][...] = parts["small.hand"]["number"] * 10 % TENTHS
            texts = [text for part in ("ring", "small.dial") for text in parts[part]["labels"]]
            low = high = math.nan
    else:
        texts, tips = facts["labels"], [facts["tip"]]
        low, high, share = float(facts["low"]), float(facts["high"]), facts["share"]
    if not math.isnan(low):
        of["share"][...] = min(max(share, 0), 1) * (SHARES - 1)
        of["low"][...], of["low power"][...] = number_classes(low)
        of["high"][...], of["high power"][...] = number_classes(high)
        of["low sign"][...] = low < 0
        value = float(facts["value"])
        of["sign"][...] = value < 0
        of["value"][...], of["value power"][...] = number_classes(value)
    for text in texts:
        token = mark("text", text["at"])
        if token is not None:
            placed["letters"][token] = text_classes(text["text"].replace("−", "-"))
    aims = [mark("tip", tip) for tip in tips]
    # Where the main pointer ends, or the middle of the picture if that is cut off.
    of["aim"] = np.float32(tokens // 2 + SIDE // TOKEN // 2 if aims[-1] is None else aims[-1])
    return of | placed


def cut_out(sample: Sample, rng: np.random.Generator) -> tuple[NDArray[np.uint8], Labels]:
    """Cut a square around the case, as exactly as a finder does, and label it."""
    assert sample.image is not None
    image = sample.image.convert("RGB")
    left, top, right, bottom = sample.facts["case_box"]
    side = max(right - left, bottom - top) * rng.uniform(0.95, 1.25)
    if rng.random() < 0.25:
        corner, side = (0.0, 0.0), float(image.width)
    else:
        x, y = rng.normal(0, 0.02, 2) * side
        corner = ((left + right - side) / 2 + x, (top + bottom - side) / 2 + y)
    box = (*corner, corner[0] + side, corner[1] + side)
    wide = round(SIDE * rng.uniform(0.7, 1.0)) if rng.random() < 0.3 else SIDE
    whole = tuple(round(at) for at in box)
    pixels = np.asarray(image.crop(whole).resize((SIDE, SIDE), Image.Resampling.BICUBIC))
    if wide < SIDE:
        blurred = Image.fromarray(pixels).resize((wide, wide), 4).resize((SIDE, SIDE), 3)
        pixels = np.asarray(blurred)
    return worn(pixels, rng), label(sample, corner, SIDE / side)


def drawings(indices: range, **options: Any) -> Iterator[tuple[Sample, NDArray[np.uint8], Labels]]:
    """Draw the pictures with these indices. Yield each as it was drawn, cut out, and its labels."""
    rng = np.random.default_rng(indices.start)
    made: dict[tuple[int, int], Generator] = {}
    for index in indices:
        size = round(SIDE * SCALES[int(rng.integers(len(SCALES)))])
        sort = index % len(SORTS)
        if (sort, size) not in made:
            kind, own = SORTS[sort]
            made[sort, size] = generators.create(kind, **own, **options, size=size)
        sample = made[sort, size][index]
        yield sample, *cut_out(sample, rng)


def draw(indices: range) -> tuple[NDArray[np.uint8], Labels]:
    """Draw the pictures with these indices, and their labels."""
    _, pixels, labels = zip(*drawings(indices), strict=True)
    return np.stack(pixels), {n: np.stack([of[n] for of in labels]) for n in (*WHOLE, *PLACED)}


class GaugeEyes(nn.Module):
    """The vision tower with linear heads on its tokens, which are thrown away after training."""

    def __init__(self, tower: Any) -> None:
        super().__init__()
        self.tower, width = tower, tower.config.hidden_size
        self.sizes = {**WHOLE, **PLACED}
        self.heads = nn.Linear(width, sum(self.sizes.values()))
        nn.init.zeros_(self.heads.weight)

    def forward(self, patches: Tensor) -> dict[str, Tensor]:
        """Logits of each head, [n, tokens, classes]."""
        grid = torch.tensor([[1, SIDE // 14, SIDE // 14]] * len(patches))
        tokens = self.tower(patches.flatten(0, 1), grid_thw=grid).pooler_output
        logits = self.heads(tokens).float().unflatten(0, (len(patches), -1))
        return dict(zip(self.sizes, logits.split(list(self.sizes.values()), -1), strict=True))


def near(classes: int, values: Tensor, name: str) -> Tensor:
    """Spread a label over the classes near it, round the turn if the scale is round."""
    away = torch.arange(classes) - values[:, None]
    if name in ROUND:
        away = (away + classes / 2) % classes - classes / 2
    return (-((away / 0.8) ** 2)).softmax(-1)


def loss_of(logits: dict[str, Tensor], truth: dict[str, Tensor]) -> tuple[Tensor, dict[str, Any]]:
    """Return the sum of the heads' losses, and for each head how many labels it gets right."""
    losses, right = [], {}
    for name, classes in WHOLE.items():
        known = truth[name] >= 0
        if not known.any():
            continue
        scores, values = logits[name][known].log_softmax(-1), truth[name][known]
        # All tokens together say what the picture says.
        best = scores.mean(1).argmax(-1)
        if name in ("share", *ROUND):
            soft = near(classes, values, name)
            away = (best - values).abs()
            off = torch.minimum(away, classes - away) if name in ROUND else away
            hits = off <= 1
        else:
            soft = nn.functional.one_hot(values.long(), classes).float()
            if name in ("value", "low", "high"):
                sizes = torch.arange(classes) + 9.0
                ratio = (sizes.log() - (values[:, None] + 9).log()) / 0.03
                soft = torch.where(values[:, None] > 0, (-(ratio**2)).softmax(-1), soft)
            hits = best == values
        losses.append(-(soft[:, None] * scores).sum(-1).mean())
        right[name] = float(hits.float().sum()), len(hits)
    for name in ("text", "tip"):
        scores, yes = logits[name][..., 0], truth[name] > 0
        losses.append(
            nn.functional.binary_cross_entropy_with_logits(
                scores, truth[name], pos_weight=torch.tensor(3.0)
            )
        )
        right[name] = float((scores[yes] > 0).float().sum()), int(yes.sum())
    known = truth["letters"][..., 0] >= 0
    chosen = logits["letters"][known].unflatten(-1, (LETTERS, -1))
    codes = truth["letters"][known].long()
    losses.append(nn.functional.cross_entropy(chosen.flatten(0, 1), codes.flatten()))
    right["letters"] = float((chosen.argmax(-1) == codes).all(-1).float().sum()), len(codes)
    return torch.stack(losses).sum(), right


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the eyes, and write the model that has them to RUN/model."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.making.gauge_eyes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--pictures", type=int, default=4000, help="new pictures of a round")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--start", type=Path, default=CHARTS)
    parser.add_argument("--rates", type=float, nargs=2, default=(1e-3, 0.01))
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = tiny.GnomonTiny().load_model(options.start, dtype=torch.float32)
    eyes = GaugeEyes(model.model.visual)
    for block in eyes.tower.blocks:
        block.compile(dynamic=False)
    matrices = [weight for weight in eyes.tower.blocks.parameters() if weight.ndim == 2]
    ids = set(map(id, matrices))
    rest = [weight for weight in eyes.parameters() if id(weight) not in ids]
    rate, muon_rate = options.rates
    parts: list[Any] = [
        eyes,
        torch.optim.Muon(matrices, muon_rate, weight_decay=0.05),
        torch.optim.AdamW(rest, rate, betas=(0.9, 0.98), weight_decay=0.05),
    ]
    run: Path = options.run
    run.mkdir(parents=True, exist_ok=True)
    checkpoint, first = run / "checkpoint.pt", 0
    if checkpoint.is_file():
        first, *states = torch.load(checkpoint)
        for part, state in zip(parts, states, strict=True):
            part.load_state_dict(state)
    steps, batch, size = 0, 32, options.pictures
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn) as pool:
        future = pool.submit(draw, range(first * size, (first + 1) * size))
        for number in range(first, options.rounds):
            pixels, labels = future.result()
            future = pool.submit(draw, range((number + 1) * size, (number + 2) * size))
            began, rng = time.monotonic(), np.random.default_rng(number)
            order = np.concatenate([rng.permutation(size) for _ in range(options.epochs)])
            count, total = len(order) // batch, 0.0
            found: dict[str, list[tuple[float, int]]] = {}
            for step in track(range(count), desc=f"round {number + 1}"):
                steps += 1
                share = (number + step / count) / options.rounds
                schedule = min(steps / 100, 1) * (0.03 + 0.97 * (1 + math.cos(math.pi * share)) / 2)
                for optimizer, most in zip(parts[1:], (muon_rate, rate), strict=True):
                    for group in optimizer.param_groups:
                        group["lr"] = most * schedule
                rows = order[step * batch : (step + 1) * batch]
                with torch.autocast("cpu", torch.bfloat16):
                    logits = eyes(cut(torch.from_numpy(pixels[rows])).bfloat16())
                loss, right = loss_of(
                    logits, {n: torch.from_numpy(v[rows]) for n, v in labels.items()}
                )
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(eyes.parameters(), 1.0)
                for optimizer in parts[1:]:
                    optimizer.step()
                    optimizer.zero_grad()
                total += loss.item()
                if step >= count // 2:
                    for name, hits in right.items():
                        found.setdefault(name, []).append(hits)
            row = {
                "round": number + 1, "loss": round(total / count, 3),
                **{
                    name: round(sum(h for h, _ in hits) / max(1, sum(n for _, n in hits)), 3)
                    for name, hits in found.items()
                },
                "s": round(time.monotonic() - began),
            }  # fmt: skip
            print(json.dumps(row), flush=True)
            with (run / "log.jsonl").open("a", encoding="utf-8") as log:
                log.write(json.dumps(row) + "\n")
            unfinished = checkpoint.with_suffix(".new")
            torch.save((number + 1, *(part.state_dict() for part in parts)), unfinished)
            unfinished.replace(checkpoint)
            model.save_pretrained(run / "model")
    return 0


if __name__ == "__main__":
    sys.exit(main())
