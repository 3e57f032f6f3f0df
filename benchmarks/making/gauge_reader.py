"""The gauge reader learns to speak: its language model answers from what its eyes see.

    python -m benchmarks.making.gauge_reader runs/gauge-eyes runs/gauge-reader

As for the chart reader, the eyes stay as they are, and two heads learn to look at the tip of the
pointer. Each picture is asked about twice: for the reading alone, and for what is seen first.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from benchmarks.making.chart_eyes import cut
from benchmarks.making.chart_reader import Asked, Reader, Row
from benchmarks.making.gauge_eyes import SIDE, SORTS, drawings
from gnomon import dialect
from gnomon.generators.drawing.picture_generator import STEPS_WANTED
from gnomon.pipeline import processor_of
from gnomon.pipeline.families import CHARTS, tiny
from gnomon.progress import track

BATCH, KEPT = 32, 20_000
QUESTION = "What does the {} read? Answer with a number."
Drawn = list[tuple[NDArray[np.uint8], Asked, Asked]]


def draw(indices: range) -> Drawn:
    """Draw pictures, each with a question for the reading and a question with steps.

    A third of the first asks for a number without a unit, in the same words for all gauges.
    """
    found = []
    for place, (sample, pixels, labels) in enumerate(drawings(indices, answer="steps")):
        aim = int(labels["aim"])
        value = dialect.create("qwen2-vl").write(sample.target, (SIDE, SIDE))
        direct = Asked(sample.question, value, aim)
        chained = Asked(f"{sample.question} {STEPS_WANTED}", f"{sample.rationale}: {value}", aim)
        if place // len(SORTS) % 3 == 2:
            is_dial = sample.facts.get("name") == "dial indicator"
            question = QUESTION.format("dial indicator" if is_dial else "gauge")
            direct = Asked(question, value.split()[0], aim)
        found.append((pixels, direct, chained))
    return found


def features(model: Any, drawn: Drawn) -> list[Row]:
    """Pass pictures through the eyes."""
    rows: list[Row] = []
    for start in range(0, len(drawn), BATCH):
        part = drawn[start : start + BATCH]
        pixels = torch.from_numpy(np.stack([picture for picture, *_ in part]))
        grid = torch.tensor([[1, SIDE // 14, SIDE // 14]] * len(part))
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            patches = cut(pixels).bfloat16().flatten(0, 1)
            tokens = model.model.visual(patches, grid_thw=grid).pooler_output
        for seen, (_, direct, chained) in zip(
            tokens.unflatten(0, (len(part), -1)), part, strict=True
        ):
            places = [direct.row]
            asked = [direct._replace(row=0)], [chained._replace(row=0)]
            rows.append(Row(seen.bfloat16().clone(), (SIDE, SIDE), *asked, places))
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the language model, and write the reader to RUN/model."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.making.gauge_reader",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("eyes", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--pictures", type=int, default=2000, help="new pictures of a round")
    parser.add_argument("--steps", type=int, default=120, help="steps of a round")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--muon", type=float, default=0.02)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = tiny.GnomonTiny().load_model(CHARTS, dtype=torch.float32)
    eyes = torch.load(options.eyes / "checkpoint.pt")[1]
    model.model.visual.load_state_dict(
        {
            name.removeprefix("tower.").replace("_orig_mod.", ""): weight
            for name, weight in eyes.items() if name.startswith("tower.")
        }
    )  # fmt: skip
    reader = Reader(model, processor_of("gnomon-tiny"))
    text = model.model.language_model
    matrices = [weight for weight in text.layers.parameters() if weight.ndim == 2]
    ids = set(map(id, matrices))
    rest = [weight for weight in text.parameters() if id(weight) not in ids]
    optimizers: list[torch.optim.Optimizer] = [
        torch.optim.Muon(matrices, options.muon, weight_decay=0.05),
        torch.optim.AdamW(rest, options.rate, betas=(0.9, 0.98), weight_decay=0.01),
    ]
    run: Path = options.run
    run.mkdir(parents=True, exist_ok=True)
    parts: list[Any] = [text, *optimizers]
    checkpoint, first = run / "checkpoint.pt", 0
    if checkpoint.is_file():
        first, *states = torch.load(checkpoint)
        for part, state in zip(parts, states, strict=True):
            part.load_state_dict(state)
    buffer: list[Row] = []
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn) as pool:

        def submit(number: int) -> Any:
            # Pictures beyond those that the eyes learnt from.
            start = 10_000_000 + number * options.pictures
            return pool.submit(draw, range(start, start + options.pictures))

        future = submit(first)
        for number in range(first, options.rounds):
            drawn, future = future.result(), submit(number + 1)
            began, rng = time.monotonic(), np.random.default_rng(number)
            buffer = (buffer + features(model, drawn))[-KEPT:]
            total, aimed, hits = 0.0, 0.0, []
            for step in track(range(options.steps), desc=f"round {number + 1}"):
                done = number * options.steps + step
                schedule = min((done + 1) / 50, 1) * (
                    0.02
                    + 0.98 * (1 + math.cos(math.pi * done / options.rounds / options.steps)) / 2
                )
                for optimizer, most in zip(optimizers, (options.muon, options.rate), strict=True):
                    for group in optimizer.param_groups:
                        group["lr"] = most * schedule
                rows = [buffer[index] for index in rng.integers(len(buffer), size=BATCH)]
                loss, right = reader.loss(rows, rng)
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(text.parameters(), 1.0)
                for optimizer in optimizers:
                    optimizer.step()
                    optimizer.zero_grad()
                total, aimed = total + loss.item(), aimed + reader.looks
                hits.append(right)
            row = {
                "round": number + 1, "pictures": (number + 1) * options.pictures,
                "loss": round(total / len(hits), 4), "aim": round(aimed / len(hits), 4),
                "exact": round(sum(hits) / len(hits), 4), "s": round(time.monotonic() - began),
            }  # fmt: skip
            print(json.dumps(row), flush=True)
            with (run / "log.jsonl").open("a", encoding="utf-8") as log:
                log.write(json.dumps(row) + "\n")
            unfinished = checkpoint.with_suffix(".new")
            torch.save((number + 1, *(part.state_dict() for part in parts)), unfinished)
            unfinished.replace(checkpoint)
            save(model, run / "model")
    return 0


def save(model: Any, folder: Path) -> None:
    """Write the model with the processor of its family."""
    model.save_pretrained(folder)
    processor = processor_of("gnomon-tiny")
    least, most = tiny.GnomonTinyGauges.pixels
    processor.image_processor.size = {"shortest_edge": least, "longest_edge": most}
    processor.save_pretrained(folder)


if __name__ == "__main__":
    sys.exit(main())
