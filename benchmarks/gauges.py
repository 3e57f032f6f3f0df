"""Gauges and dial indicators: drawings that training never saw, and whole photographs.

    python -m benchmarks.gauges drawn
    python -m benchmarks.gauges photographs SCALE    # from drawings alone
    python -m benchmarks.gauges curve SCALE          # with photographs beside them, and CNNs

SCALE is scale.zip (see benchmarks/wild.py). gnomon's finder cuts out the instrument. The test has
val and the last 100 rows of train of each instrument, in the order of the hashes of their names,
without pictures that occur in val. `curve` trains the language model further on 5, 20, 80 and all
other photographs beside drawings, with three seeds, and a plain CNN on the same cuts. The readings
stay under --out, and a killed run goes on.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import tau
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from benchmarks.making.chart_reader import Asked, Reader, Row
from benchmarks.making.gauge_eyes import SIDE
from benchmarks.making.gauge_reader import draw, features
from benchmarks.observe.report import with_interval
from benchmarks.real.cnn import Network, Size
from benchmarks.wild import Labelled, read_rows, split_rows
from benchmarks.wild_cnn import fit
from gnomon import atomic, generators
from gnomon.pipeline.answering.local import predict_batches
from gnomon.pipeline.load import Loaded, load
from gnomon.progress import track
from gnomon.recipe import Model
from gnomon.runs.finding import InstrumentFinder
from gnomon.sample import FINDING, Number, Sample
from gnomon.store.pictures import load_picture

HELD_OUT, SEEDS, COUNTS = 100, (0, 1, 2), (5, 20, 80, 1000)
STEPS, BATCH, DRAWN = 40, 32, 800
"""Steps of a further training, rows of a step, and drawings that it sees beside photographs."""
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "gauges and meters": ("gauge", {"instruments": ["gauge", "meter"]}),
    "gas-density gauges": ("face", {"description": "sf6_gauge"}),
    "dial indicators": ("face", {"description": "dial_indicator"}),
}
WITHIN = {"dial indicator": 0.02, "pressure gauge": 0.02}
CNN, CNN_STEPS = Size(96, (16, 32, 64, 96)), 300
Readings = list[float | None]


@dataclass(frozen=True)
class Shown:
    """A photograph's label, and the question about what the finder cut out of it."""

    row: Labelled
    sample: Sample

    @property
    def is_refused(self) -> bool:
        return bool((found := self.sample.facts.get(FINDING)) and found.refusal)


def shown(source: Path, out: Path, instrument: str) -> tuple[list[Shown], list[Shown]]:
    """Return the photographs for training and for the test, cut out. No picture is in both."""
    own = [row for row in read_rows(source, out) if row.instrument == instrument]
    with (own[0].file.parents[1] / "labels.csv").open(encoding="utf-8", newline="") as lines:
        asked = {Path(cells["image"]).name: cells["question"] for cells in csv.DictReader(lines)}
    others, test = split_rows(own, HELD_OUT)
    finder = InstrumentFinder()
    return tuple(  # type: ignore[return-value]
        [_find(finder, row, asked[row.file.name]) for row in track(rows, desc="finding")]
        for rows in (others, test)
    )


def _find(finder: InstrumentFinder, row: Labelled, asked: str) -> Shown:
    """Ask about the instrument in the unit of the benchmark's own question."""
    unit = re.findall(r"in (\w+)\?", asked)[-1]
    question = f"What does the {row.instrument} read? Answer in {unit}."
    target = Number(Decimal(repr(row.value)), unit=unit)
    sample = Sample(row.file.stem, load_picture(row.file), question, target, {})
    return Shown(row, finder.view(sample))


def read(loaded: Loaded, samples: Sequence[Sample]) -> Readings:
    """Ask the questions, and return the readings; None if an answer has no number."""
    loaded.model.eval()
    batches = predict_batches(loaded, list(samples), batch_size=50, max_new_tokens=16)
    texts = {answer.sample_id: answer.text for batch in batches for answer in batch}
    numbers = [re.match(r"-?\d+(\.\d+)?", texts[sample.id]) for sample in samples]
    return [float(number[0]) if number else None for number in numbers]


def read_photographs(loaded: Loaded, test: Sequence[Shown]) -> Readings:
    """Read what was found. What was refused has no reading."""
    asked = [one.sample for one in test if not one.is_refused]
    readings = dict(zip([s.id for s in asked], read(loaded, asked), strict=True))
    return [readings.get(one.sample.id) for one in test]


def measures(row: Labelled, reading: float | None) -> list[float]:
    """Return 1 or 0 for the right option of four, for 0.02 at most, and for the right turn.

    The second measure of a dial indicator leaves out whole turns.
    """
    if reading is None:
        return [0.0, 0.0, 0.0]
    off = abs(reading - row.value)
    turned = off % 1
    near = min(turned, 1 - turned) if row.instrument == "dial indicator" else off
    return [row.share(reading), float(near <= 0.02 + 1e-9), float(off <= 0.5)]


def table(test: Sequence[Shown], readings: dict[str, list[Readings]]) -> list[str]:
    """Return a line for the best constant and for each reader, with intervals over seeds."""
    rows = [one.row for one in test]
    is_dial = rows[0].instrument == "dial indicator"
    columns = ["of four options", "within 0.02 in the turn" if is_dial else "within 0.02"]
    columns += ["right turn"] * is_dial
    lines = [f"{f'{len(rows)} x {rows[0].instrument}':28}" + "".join(f"{c:>26}" for c in columns)]
    guesses = [[measures(row, float(value)) for row in rows] for value in {r.value for r in rows}]
    best = np.array(guesses).mean(1).max(0)
    lines.append(
        f"{'best constant of each column':28}"
        + "".join(f"{100 * share:>26.1f}" for share in best[: len(columns)])
    )
    for name, of_seeds in readings.items():
        values = np.array(
            [[measures(r, x) for r, x in zip(rows, one, strict=True)] for one in of_seeds]
        )
        cells = [with_interval(values[:, :, i], "{:.1f}") for i in range(len(columns))]
        lines.append(f"{name:28}" + "".join(f"{cell:>26}" for cell in cells))
    return lines


def further(model: Path, chosen: Sequence[Shown], drawn: Sequence[Row], seed: int) -> Loaded:
    """Train the language model on photographs, half of each step, beside drawings."""
    loaded = load(_recipe_model(model))
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    reader = Reader(loaded.model, loaded.processor)
    cuts = [(_square(one.sample), _asked(one), _asked(one)) for one in chosen]
    photographs = [row._replace(chained=[]) for row in features(loaded.model, cuts)]
    text = loaded.model.model.language_model
    optimizer = torch.optim.AdamW(text.parameters(), 1e-3, weight_decay=0.05)
    for step in track(range(STEPS), desc=f"{len(chosen)} photographs"):
        for group in optimizer.param_groups:
            group["lr"] = 1e-3 * min((step + 1) / 10, 1 - step / STEPS)
        rows = [photographs[i] for i in rng.integers(len(photographs), size=BATCH // 2)]
        rows += [drawn[i] for i in rng.integers(len(drawn), size=BATCH // 2)]
        loss, _ = reader.loss(rows, rng, aimed=False)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(text.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return loaded


def _recipe_model(path: Path | str) -> Model:
    return Model(name=str(path), family="gnomon-tiny-gauges", load_in_4bit=False, dtype="float32")


def _asked(one: Shown) -> Asked:
    value = (
        f"{one.row.value:.2f}" if one.row.instrument == "dial indicator" else f"{one.row.value:g}"
    )
    return Asked(one.sample.question, f"{value} {one.sample.target.unit}", 0)  # type: ignore[attr-defined]


def _square(sample: Sample, side: int = SIDE) -> NDArray[np.uint8]:
    assert sample.image is not None
    pixels = np.asarray(sample.image.convert("RGB"))
    return cv2.resize(pixels, (side, side), interpolation=cv2.INTER_AREA)  # type: ignore[return-value]


def read_by_cnn(train: Sequence[Shown], test: Sequence[Shown], seed: int) -> Readings:
    """Train a plain CNN on cuts and read others: the place in the turn, and all of the value.

    A gauge has no turns, and the second output is its reading.
    """
    torch.manual_seed(seed)
    network = Network(CNN)
    network.head[-1] = nn.Linear(128, 4)
    images, values = _pictures(train), torch.tensor([one.row.value for one in train])
    around = torch.stack([values % 1, values / 10 % 1], 1) * tau
    targets = torch.cat([around.sin(), around.cos()], 1).float()
    fit(network, images, targets, CNN_STEPS)
    network.eval()
    with torch.no_grad():
        outputs = torch.cat([network(batch) for batch in _pictures(test).split(BATCH)])
    fine, coarse = (torch.atan2(outputs[:, :2], outputs[:, 2:]) / tau % 1).double().numpy().T
    turns = np.arange(10)[:, None] + fine
    away = np.abs(turns / 10 - coarse)
    best = np.minimum(away, 1 - away).argmin(0)
    readings: list[float] = turns[best, np.arange(len(test))].tolist()
    return list(readings)


def _pictures(photographs: Sequence[Shown]) -> torch.Tensor:
    squares = [_square(one.sample, CNN.side) for one in photographs]
    return torch.from_numpy(np.stack(squares)).permute(0, 3, 1, 2).float() / 255


def curve(source: Path, model: Path, out: Path, instrument: str) -> list[str]:
    """Measure a reader after 0, 5, 20, 80 and all photographs, and a CNN after the same."""
    train, test = shown(source, out, instrument)
    train = [one for one in train if not one.is_refused]
    file = out / f"{instrument} {model.name}.json"
    kept: dict[str, list[Readings]] = json.loads(file.read_text()) if file.is_file() else {}
    loaded = load(_recipe_model(model))
    drawn = features(loaded.model, draw(range(20_000_000, 20_000_000 + DRAWN)))
    if "drawings alone" not in kept:
        kept["drawings alone"] = [read_photographs(loaded, test)]
    for count in COUNTS:
        for seed in SEEDS:
            rng = np.random.default_rng([seed, 7])
            chosen = [train[i] for i in rng.permutation(len(train))[:count]]
            word = f"{len(chosen)} photographs"
            for name in (f"{word} beside", f"CNN, {word}"):
                done = kept.setdefault(name, [])
                if len(done) > seed:
                    continue
                if name.startswith("CNN"):
                    done.append(read_by_cnn(chosen, test, seed))
                else:
                    done.append(read_photographs(further(model, chosen, drawn, seed), test))
                atomic.put_text(file, json.dumps(kept))
    return table(test, kept)


def read_drawn(model: str, n: int) -> list[str]:
    """Measure a reader on the test split of drawings, in the photo look."""
    loaded = load(_recipe_model(model))
    lines = [f"{f'{n} drawings of each':28}{'right':>22}  best constant  CPU s"]
    for name, (kind, options) in KINDS.items():
        looks = {"look": "photo", "level": "medium", "size": 320}
        drawn = generators.create(kind, **options, **looks, split="test")
        samples = [drawn[index] for index in range(n)]
        began = time.process_time()
        readings = read(loaded, samples)
        seconds = (time.process_time() - began) / n
        limits = np.array([within(sample) for sample in samples])
        truths = np.array([float(sample.facts["value"]) for sample in samples])
        values = np.array([np.nan if reading is None else reading for reading in readings])
        right = (np.abs(values - truths) <= limits).astype(float)
        best = max((np.abs(constant - truths) <= limits).mean() for constant in truths)
        share = with_interval(right[None], "{:.1f}")
        lines.append(f"{name:28}{share:>22}  {100 * best:13.1f}  {seconds:.3f}")
    return lines


def within(sample: Sample) -> float:
    """Return 2 % of a gauge's scale, or 0.02 mm of a dial indicator."""
    facts = sample.facts
    if "parts" not in facts:
        return 0.02 * (float(facts["high"]) - float(facts["low"])) + 1e-9
    return 0.02 + 1e-9


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gauges",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("step", choices=("drawn", "photographs", "curve"))
    parser.add_argument("scale", nargs="?", type=Path)
    parser.add_argument("--model", default="gnomon-tiny-gauges")
    parser.add_argument("--n", type=int, default=200, help="drawings of each kind")
    parser.add_argument("--out", type=Path, default=Path("runs/gauges"))
    parser.add_argument("--instruments", nargs="+", default=list(WITHIN), choices=WITHIN)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    if options.step == "drawn":
        print(*read_drawn(options.model, options.n), sep="\n")
        return 0
    if options.scale is None:
        parser.error(f"{options.step}: name scale.zip")
    for instrument in options.instruments:
        if options.step == "curve":
            lines = curve(options.scale, Path(options.model), options.out, instrument)
        else:
            _, test = shown(options.scale, options.out, instrument)
            readings = read_photographs(load(_recipe_model(options.model)), test)
            refused = sum(one.is_refused for one in test)
            lines = [*table(test, {Path(options.model).name: [readings]}), f"refused: {refused}"]
        print(*lines, sep="\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
