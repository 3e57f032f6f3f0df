"""The chart reader's eyes learn what a chart says at each place, before the model learns to speak.

    python -m benchmarks.making.chart_eyes runs/chart-eyes    # goes on where it was killed

Rounds with pieces of charts come first, because a piece costs a tenth of a whole chart: the tower
learns to read the texts in them and to see where marks end. Rounds with whole charts follow: each
mark also tells its place in the row, its share of the axis, and the numbers of the axis.
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
from decimal import Decimal
from pathlib import Path
from shutil import which
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor, nn

from benchmarks.making.eyes import patches_of
from benchmarks.making.tokens import picture_processor
from gnomon import generators
from gnomon.pipeline.families import TINY, tiny
from gnomon.progress import track

TOKEN = 28
"""Pixels of a side that one token of the picture covers."""
PIECE = (112, 112)
SHAPES = ((336, 252), (392, 224), (280, 280))
"""Width and height of whole charts, in turn: the shapes of about as many pixels."""
LETTERS = 6
ALPHABET = " abcdefghijklmnopqrstuvwxyz0123456789.,-%'/"
SHARES, ROWS, DIGITS, POWERS, SPOTS = 41, 16, 91, 12, 14
"""Classes: of a share of the axis, of a place in a row, of a number's first two digits (0 for
zero), of its power of ten (from -3), and of a point's place inside its token."""
HEADS = {
    "text": 1, "letters": LETTERS * (len(ALPHABET) + 1), "digits": DIGITS, "power": POWERS,
    "mark": 1, "x": SPOTS, "y": SPOTS,
    "share": SHARES, "row": ROWS, "rows": ROWS, "high": DIGITS, "high power": POWERS,
    "low": DIGITS, "value": DIGITS, "value power": POWERS,
}  # fmt: skip
SORTS: list[dict[str, Any]] = [
    {"charts": ["bar"], "questions": ["retrieve", "extreme"]},
    {"charts": ["bar"], "questions": ["retrieve", "extreme"], "level": "medium"},
    {"charts": ["barh"], "questions": ["retrieve", "extreme"]},
    {"charts": ["line"], "questions": ["retrieve", "extreme"], "series": [1, 1]},
    {"charts": ["bar"], "questions": ["retrieve", "extreme"]},
    {"charts": ["pie", "ring"], "questions": ["extreme"]},
]
COMMON = {"value_labels": 0.0, "rows": [3, 8], "missing": 0.0}
SCALES = (1.0, 1.2, 1.4, 1.6)


class Labels(NamedTuple):
    """Labels of n pictures with t tokens each. -1 if a token has no such label."""

    pixels: NDArray[np.uint8]
    of: dict[str, NDArray[np.float32]]


def number_classes(value: float) -> tuple[int, int]:
    """Classes of the first two digits and of the power of ten."""
    if value == 0:
        return 0, -1
    digits = Decimal(repr(abs(value)))
    power = digits.adjusted()
    lead = round(digits.scaleb(1 - power))
    if lead == 100:
        lead, power = 10, power + 1
    return lead - 9, min(max(power + 3, 0), POWERS - 1)


def text_classes(text: str) -> list[int]:
    """Classes of the first letters, then 0 behind the end; the last class is any other letter."""
    found = [ALPHABET.find(letter) for letter in text.lower()[:LETTERS]]
    codes = [len(ALPHABET) if code < 0 else code for code in found]
    return codes + [0] * (LETTERS - len(codes))


def label(
    facts: dict[str, Any], size: tuple[int, int], scale: float
) -> dict[str, NDArray[np.float32]]:
    """Label each token of the picture that is `size` pixels after scaling."""
    width, height = size[0] // TOKEN, size[1] // TOKEN
    of = {
        name: np.full((height * width, *((LETTERS,) if name == "letters" else ())), -1, np.float32)
        for name in HEADS
    }

    def token_at(x: float, y: float) -> int | None:
        x, y = x * scale, y * scale
        inside = 0 <= x < size[0] and 0 <= y < size[1]
        return int(y // TOKEN) * width + int(x // TOKEN) if inside else None

    of["text"][:] = of["mark"][:] = 0
    for text in facts["texts"]:
        left, top, right, bottom = text["box"]
        if bottom - top > right - left and len(text["text"]) > 2:
            continue  # turned
        token = token_at(left + min(6 / scale, (right - left) / 2), (top + bottom) / 2)
        if token is None:
            continue
        of["text"][token], of["letters"][token] = 1, text_classes(text["text"])
        if text["role"] == "tick":
            plain = text["text"].replace("−", "-")
            try:
                value = float(plain.replace(",", ""))
            except ValueError:
                continue
            of["digits"][token], of["power"][token] = number_classes(value)
    marks = [mark for mark in facts["marks"] if mark["cell"][1] == 0]
    axis = facts.get("axis") or facts.get("across")
    values = [float(row[0]) for row in facts["cells"]]
    for mark in marks:
        x, y = mark["at"]
        token = token_at(x, y)
        if token is None:
            continue
        value = values[mark["cell"][0]]
        low, high = (axis["low"], axis["high"]) if axis else (0.0, sum(values))
        share = (value - low) / (high - low)
        of["mark"][token] = 1
        of["x"][token] = x * scale % TOKEN / TOKEN * SPOTS // 1
        of["y"][token] = y * scale % TOKEN / TOKEN * SPOTS // 1
        of["share"][token] = min(max(share, 0), 1) * (SHARES - 1)
        of["row"][token], of["rows"][token] = mark["cell"][0], len(values) - 1
        if axis:
            of["high"][token], of["high power"][token] = number_classes(high)
            of["low"][token] = number_classes(low)[0]
            of["value"][token], of["value power"][token] = number_classes(value)
    return of


class Drawn(NamedTuple):
    """A chart as the tower sees it."""

    pixels: NDArray[np.uint8]
    shape: tuple[int, int]
    scale: float
    facts: dict[str, Any]


def draw_charts(indices: range) -> list[Drawn]:
    """Draw the charts with these indices, in the pixels that the tower sees."""
    rng = np.random.default_rng(indices.start)
    made: dict[tuple[int, tuple[int, int]], Any] = {}
    charts = []
    for index in indices:
        shape = SHAPES[int(rng.integers(len(SHAPES)))]
        stretch, sort = SCALES[int(rng.integers(len(SCALES)))], int(rng.integers(len(SORTS)))
        native = (round(shape[0] * stretch), round(shape[1] * stretch))
        if (sort, native) not in made:
            made[sort, native] = generators.create(
                "chart", **{**COMMON, **SORTS[sort], "size": list(native)}
            )
        sample = made[sort, native][index]
        assert sample.image is not None
        small = sample.image.convert("RGB").resize(shape, Image.Resampling.BICUBIC)
        pixels = worn(np.asarray(small), rng)
        charts.append(Drawn(pixels, shape, shape[0] / native[0], sample.facts))
    return charts


def draw(indices: range, pieces: bool) -> list[Labels]:
    """Draw the pictures with these indices, one set for each shape."""
    charts = draw_charts(indices)
    if pieces:
        rng = np.random.default_rng(indices.start + 1)
        cut_out = [_piece(chart, rng) for chart in charts for _ in range(3)]
        return [_stack(cut_out)]
    sets = [
        [
            (chart.pixels, label(chart.facts, shape, chart.scale))
            for chart in charts
            if chart.shape == shape
        ]
        for shape in SHAPES
    ]
    return [_stack(rows) for rows in sets if rows]


def _stack(rows: Sequence[tuple[NDArray[np.uint8], dict[str, NDArray[np.float32]]]]) -> Labels:
    pixels, labels = zip(*rows, strict=True)
    return Labels(np.stack(pixels), {n: np.stack([of[n] for of in labels]) for n in HEADS})


def worn(pixels: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Change light and noise of three pictures in four; one in eight becomes a negative."""
    kind = int(rng.integers(8))
    if kind < 2:
        return pixels
    values = pixels.astype(np.float32)
    if kind == 2:
        values = 255 - values
    values = values * rng.uniform(0.75, 1.1) + rng.uniform(-15, 15)
    values += rng.normal(0, rng.uniform(0, 8), values.shape)
    return values.clip(0, 255).astype(np.uint8)


def _piece(chart: Drawn, rng: np.random.Generator) -> tuple[NDArray[np.uint8], dict[str, Any]]:
    """Cut a piece around a mark or a number or name of an axis."""
    facts, scale = chart.facts, chart.scale
    points = [mark["at"] for mark in facts["marks"]]
    points += [
        ((text["box"][0] + text["box"][2]) / 2, (text["box"][1] + text["box"][3]) / 2)
        for text in facts["texts"] if text["role"] == "tick"
    ]  # fmt: skip
    corner = []
    x, y = points[int(rng.integers(len(points)))]
    for at, side, piece in zip((x * scale, y * scale), chart.shape, PIECE, strict=True):
        start = at - rng.uniform(0.1, 0.9) * piece
        corner.append(int(min(max(start, 0), side - piece)))
    left, top = corner
    by = (left / scale, top / scale)
    shifted = {
        **facts,
        "texts": [
            {**text, "box": [v - by[i % 2] for i, v in enumerate(text["box"])]}
            for text in facts["texts"]
        ],
        "marks": [
            {**mark, "at": [mark["at"][0] - by[0], mark["at"][1] - by[1]]}
            for mark in facts["marks"]
        ],
    }  # fmt: skip
    labels = label(shifted, PIECE, scale)
    for name in ("share", "row", "rows", "high", "high power", "low", "value", "value power"):
        labels[name][:] = -1
    return chart.pixels[top : top + PIECE[1], left : left + PIECE[0]], labels


class ChartEyes(nn.Module):
    """The vision tower with linear heads on its tokens, which are thrown away after training."""

    def __init__(self, tower: Any) -> None:
        super().__init__()
        self.tower, width = tower, tower.config.hidden_size
        self.heads = nn.Linear(width, sum(HEADS.values()))
        nn.init.zeros_(self.heads.weight)

    def forward(self, patches: Tensor, size: tuple[int, int]) -> dict[str, Tensor]:
        """Logits of each head, [n, tokens, classes]."""
        grid = torch.tensor([[1, size[1] // 14, size[0] // 14]] * len(patches))
        tokens = self.tower(patches.flatten(0, 1), grid_thw=grid).pooler_output
        logits = self.heads(tokens).float().unflatten(0, (len(patches), -1))
        return dict(zip(HEADS, logits.split(list(HEADS.values()), -1), strict=True))


def cut(pixels: Tensor) -> Tensor:
    """Cut pictures [n, height, width, 3] as gnomon-tiny's processor does."""
    settings = picture_processor()
    return patches_of(pixels, settings.image_mean, settings.image_std)


def loss_of(
    logits: dict[str, Tensor], truth: dict[str, Tensor]
) -> tuple[Tensor, dict[str, tuple[float, int]]]:
    """Return the sum of the heads' losses, and for each head how many labels it gets right."""
    losses, right = [], {}
    for name in HEADS:
        labels, scores = truth[name], logits[name]
        if name in ("text", "mark"):
            losses.append(
                nn.functional.binary_cross_entropy_with_logits(
                    scores[..., 0], labels, pos_weight=torch.tensor(3.0)
                )
            )
            yes = labels > 0
            right[name] = (float((scores[..., 0][yes] > 0).float().sum()), int(yes.sum()))
            continue
        if name == "letters":
            known = labels[..., 0] >= 0
            if not known.any():
                continue
            chosen = scores[known].unflatten(-1, (LETTERS, -1))
            codes = labels[known].long()
            losses.append(nn.functional.cross_entropy(chosen.flatten(0, 1), codes.flatten()))
            hits = (chosen.argmax(-1) == codes).all(-1)
            right[name] = (float(hits.float().sum()), len(hits))
            continue
        known = labels >= 0
        if not known.any():
            continue
        chosen, values = scores[known], labels[known]
        if name in ("share", "x", "y"):
            away = torch.arange(chosen.shape[-1]) - values[:, None]
            soft = (-((away / 0.8) ** 2)).softmax(-1)
            losses.append(-(soft * chosen.log_softmax(-1)).sum(-1).mean())
            hits = (chosen.argmax(-1) - values).abs() <= (2 if name == "share" else 1)
        elif name in ("value", "digits", "high", "low"):
            # Numbers near each other count in part, as far as their ratio is near 1.
            sizes = torch.arange(chosen.shape[-1]) + 9.0
            width = 0.04 if name == "value" else 0.01
            off = (sizes.log() - (values[:, None] + 9).log()) / width
            soft = (-(off**2)).softmax(-1)
            soft[values == 0] = nn.functional.one_hot(torch.tensor(0), chosen.shape[-1]).float()
            losses.append(-(soft * chosen.log_softmax(-1)).sum(-1).mean())
            best = chosen.argmax(-1)
            ratio = ((best + 9.0) / (values + 9.0)).log().abs()
            hits = ratio <= (0.1 if name == "value" else 0.001)
        else:
            losses.append(nn.functional.cross_entropy(chosen, values.long()))
            hits = chosen.argmax(-1) == values.long()
        right[name] = (float(hits.float().sum()), len(hits))
    return torch.stack(losses).sum(), right


def rounds(first: int, last: int, pieces: int, size: int) -> Iterator[list[Labels]]:
    """Yield the pictures of each round, drawing the next in another process meanwhile."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn) as pool:

        def submit(number: int) -> Any:
            return pool.submit(draw, range(number * size, (number + 1) * size), number < pieces)

        future = submit(first)
        for number in range(first, last):
            drawn, future = future.result(), submit(number + 1)
            yield drawn


def batches(drawn: list[Labels], rng: np.random.Generator, batch: int) -> list[tuple[int, Any]]:
    """Choose the rows of each batch: pictures of one shape."""
    chosen = []
    for number, labels in enumerate(drawn):
        order = rng.permutation(len(labels.pixels))
        chosen += [
            (number, order[start : start + batch])
            for start in range(0, len(order) - batch + 1, batch)
        ]
    rng.shuffle(chosen)  # type: ignore[arg-type]
    return chosen


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the eyes, and write the model that has them to RUN/model."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.making.chart_eyes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--pieces", type=int, default=8, help="rounds of pieces")
    parser.add_argument("--rounds", type=int, default=20, help="all rounds")
    parser.add_argument("--charts", type=int, default=3000, help="charts of a round of pieces")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--start", type=Path, default=TINY)
    parser.add_argument("--rates", type=float, nargs=2, default=(1e-3, 0.01))
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = tiny.GnomonTiny().load_model(options.start, dtype=torch.float32)
    eyes = ChartEyes(model.model.visual)
    if which("g++"):  # a fifth faster
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
    steps = 0
    for number, drawn in enumerate(
        rounds(first, options.rounds, options.pieces, options.charts), first
    ):
        began, rng = time.monotonic(), np.random.default_rng(number)
        pieces = number < options.pieces
        chosen = [
            one
            for _ in range(1 if pieces else options.epochs)
            for one in batches(drawn, rng, 64 if pieces else 16)
        ]
        found: dict[str, list[tuple[float, int]]] = {name: [] for name in HEADS}
        total = 0.0
        for step, (part, rows) in enumerate(track(chosen, desc=f"round {number + 1}")):
            share = (number + step / len(chosen)) / options.rounds
            steps += 1
            schedule = min(steps / 100, 1) * (0.03 + 0.97 * (1 + math.cos(math.pi * share)) / 2)
            for optimizer, most in zip(parts[1:], (muon_rate, rate), strict=True):
                for group in optimizer.param_groups:
                    group["lr"] = most * schedule
            pixels = torch.from_numpy(drawn[part].pixels[rows])
            truth = {n: torch.from_numpy(v[rows]) for n, v in drawn[part].of.items()}
            with torch.autocast("cpu", torch.bfloat16):
                logits = eyes(cut(pixels).bfloat16(), (pixels.shape[2], pixels.shape[1]))
            loss, right = loss_of(logits, truth)
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(eyes.parameters(), 1.0)
            for optimizer in parts[1:]:
                optimizer.step()
                optimizer.zero_grad()
            total += loss.item()
            if step >= len(chosen) // 2:
                for name, hits in right.items():
                    found[name].append(hits)
        row = {
            "round": number + 1, "pictures": len(chosen) * (64 if pieces else 16),
            "loss": round(total / len(chosen), 3),
            **{
                name: round(sum(h for h, _ in hits) / max(1, sum(n for _, n in hits)), 3)
                for name, hits in found.items() if hits
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
