"""A plain CNN beside the chart reader: it learns from the same drawn bar charts, in one evening.

    python -m benchmarks.making.chart_cnn runs/chart-cnn --ask runs/transfer/pictures/*/*.csv

It sees 224 × 168 pixels or more, and tells each bar's share of the axis and the axis's last number.
So it can only be asked for the n-th and the highest bar of axes that begin at zero.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import Tensor, nn

from benchmarks.making.chart_eyes import (
    DIGITS,
    POWERS,
    SHARES,
    draw_charts,
    number_classes,
)
from benchmarks.transfer.asked import PLAIN
from benchmarks.transfer.sources import OwnStyles
from gnomon.eval.stats.intervals import wilson
from gnomon.progress import track

SIZE = (336, 252)
BARS, BATCH = 8, 32


class Cnn(nn.Module):
    """Six convolutions and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        widths, layers = (3, 32, 48, 64, 96, 128, 160), []
        for before, after in pairwise(widths):
            layers += [nn.Conv2d(before, after, 3, 2, 1), nn.BatchNorm2d(after), nn.ReLU()]
        self.body = nn.Sequential(*layers, nn.Flatten())
        self.head = nn.LazyLinear(BARS * SHARES + DIGITS + POWERS)

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of the shares [n, bars, classes], and of digits and power of the last number."""
        shares, digits, power = self.head(self.body(pixels)).split(
            [BARS * SHARES, DIGITS, POWERS], -1
        )
        return shares.unflatten(-1, (BARS, SHARES)), digits, power


def labelled(indices: range) -> tuple[Tensor, Tensor, Tensor]:
    """Draw bar charts with their shares, -1 beyond the last bar, and the classes of their axis."""
    pixels, shares, ends = [], [], []
    for chart in draw_charts(indices):
        facts = chart.facts
        axis = facts["axis"] or facts["across"]
        if facts["chart"] not in ("bar", "barh"):
            continue
        pixels.append(np.asarray(Image.fromarray(chart.pixels).resize(SIZE)))
        span = axis["high"] - axis["low"]
        values = [(float(row[0]) - axis["low"]) / span for row in facts["cells"]][:BARS]
        shares.append(values + [-1.0] * (BARS - len(values)))
        ends.append(number_classes(axis["high"]))
    return torch.from_numpy(np.stack(pixels)), torch.tensor(shares), torch.tensor(ends)


def scaled(pixels: Tensor) -> Tensor:
    """Return pictures [n, height, width, 3] as the network takes them."""
    return pixels.permute(0, 3, 1, 2).float() / 127.5 - 1


def train(run: Path, rounds: int, charts: int) -> Cnn:
    """Train the rounds that no checkpoint has yet."""
    torch.manual_seed(0)
    model = Cnn()
    model(torch.zeros(2, 3, SIZE[1], SIZE[0]))
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    run.mkdir(parents=True, exist_ok=True)
    checkpoint, first = run / "checkpoint.pt", 0
    if checkpoint.is_file():
        first, weights, state = torch.load(checkpoint)
        model.load_state_dict(weights)
        optimizer.load_state_dict(state)
    for number in range(first, rounds):
        began = time.monotonic()
        pixels, shares, ends = labelled(range(number * charts, (number + 1) * charts))
        order = torch.randperm(2 * len(pixels)) % len(pixels)  # each twice
        batches = order[: len(order) // BATCH * BATCH].view(-1, BATCH)
        hits = defaultdict(list)
        for step, rows in enumerate(track(batches, desc=f"round {number + 1} of {rounds}")):
            done = (number + step / len(batches)) / rounds
            for group in optimizer.param_groups:
                group["lr"] = 1e-3 * (1 + math.cos(math.pi * done)) / 2
            told, digits, power = model(scaled(pixels[rows]))
            known = shares[rows] >= 0
            places = (shares[rows][known].clamp(0, 1) * (SHARES - 1)).round().long()
            loss = nn.functional.cross_entropy(told[known], places)
            loss = loss + nn.functional.cross_entropy(digits, ends[rows, 0])
            loss = loss + nn.functional.cross_entropy(power, ends[rows, 1])
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            hits["share"].append(((told[known].argmax(-1) - places).abs() <= 2).float().mean())
            hits["last number"].append((digits.argmax(-1) == ends[rows, 0]).float().mean())
        row = {name: round(torch.stack(values).mean().item(), 3) for name, values in hits.items()}
        print(json.dumps({"round": number + 1, "charts": len(pixels), **row,
                          "s": round(time.monotonic() - began)}), flush=True)  # fmt: skip
        torch.save((number + 1, model.state_dict(), optimizer.state_dict()), checkpoint)
    return model


def ask(model: Cnn, files: Sequence[Path]) -> None:
    """Print how many of the n-th and highest bars it reads within the tolerance of the rows."""
    model.eval()
    for file in files:
        right: dict[str, list[bool]] = defaultdict(list)
        with file.open(encoding="utf-8", newline="") as text:
            rows = list(csv.DictReader(text))
        for row in rows:
            # Designs are drawn in turns; bars and lying bars come first.
            source, number = re.fullmatch(r"(.+)-(\d+)\.png", row["image"]).groups()
            if int(number) % len(OwnStyles("chart").designs if source == "own" else PLAIN) > 1:
                continue
            nth = re.search(r"value of bar (\d+)", row["question"])
            if not nth and "highest value" not in row["question"]:
                continue
            with Image.open(file.parent / row["image"]) as picture:
                pixels = np.asarray(picture.convert("RGB").resize(SIZE, Image.Resampling.BICUBIC))
            with torch.no_grad():
                told, digits, power = model(scaled(torch.from_numpy(pixels)[None]))
            shares = told[0].argmax(-1) / (SHARES - 1)
            share = shares[int(nth[1]) - 1] if nth else shares.max()
            lead = int(digits.argmax()) + 9
            value = float(share) * lead * 10.0 ** (int(power.argmax()) - 4)
            off = abs(value - float(row["answer"]))
            right["n-th" if nth else "highest"].append(off <= float(row["within"]))
        for form, hits in right.items():
            found = wilson(sum(hits), len(hits))
            print(f"{file.stem:32} {form:8} {len(hits):4}  {found.value:6.1%}"
                  f" [{found.low:.1%}, {found.high:.1%}]")  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the network and ask it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.making.chart_cnn",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--charts", type=int, default=3000, help="drawn in a round, bars or not")
    parser.add_argument(
        "--ask", type=Path, nargs="*", default=[], help="rows of benchmarks.transfer"
    )
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    ask(train(options.run, options.rounds, options.charts), options.ask)
    return 0


if __name__ == "__main__":
    sys.exit(main())
