"""Dials in wide pictures: read whole, and found and cut out first.

python -m benchmarks.find [--steps 400] [--out runs/find]
python -m benchmarks.find --without
python -m benchmarks.find --cropped needles.zip digits.zip

The test is 300 wide pictures, drawn as a small camera sees them, in which the dial takes a fifth to
seven tenths of the side among pipes, knobs and print. gnomon-tiny reads them as it ships, with and
without its finder. With --steps, gnomon-tiny also learns to say where dials are and to read those
that fill the picture. A second start goes on after a kill.

--cropped reads pictures that an instrument fills, as gnomon-tiny ships and without its finder:
clocks by the renderers of `benchmarks.transfer` that are installed, and photographs of the test
groups of `benchmarks.real`.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks.real.photographs import SUBJECTS, choose, read_photographs, split_by_group
from benchmarks.transfer import renderers
from gnomon import load
from gnomon.answers.number.read import read_number
from gnomon.commands import main as gnomon
from gnomon.eval.scoring import predictions
from gnomon.eval.stats.intervals import wilson
from gnomon.generators import create
from gnomon.generators.gauge.instruments import INSTRUMENTS
from gnomon.runs.cuts import square_around
from gnomon.runs.finding import SURE, InstrumentFinder, best_detection
from gnomon.sample import Number, Time
from gnomon.store.pictures import load_picture

PICTURES, SIDE, BATCH, SAMPLES = 300, 448, 64, 8000
QUESTION = "What does the dial read? Answer with a number."
CLOCK_QUESTION = "What time does the clock show? Answer HH:MM."
"""Questions that gnomon-tiny knows."""
OFF = ("--finder", "off")
MISTAKES, LEAST = 60, (SURE, 0.3)
"""Drawings of each kind without an instrument, and confidences that are counted."""
CROPPED, DRAWN = 250, 60
"""Photographs of a set, and clocks of a renderer."""
DIALS: dict[str, Any] = {"instruments": ["dial"], "look": "photo"}
WIDE: dict[str, Any] = {
    **DIALS, "size": SIDE, "questions": ["find"], "backgrounds": ["plain", "blotches", "clutter"],
}  # fmt: skip


def draw_test(folder: Path) -> None:
    """Draw the wide pictures, and the same cut out by their true boxes, each with its labels."""
    dials = create("gauge", split="test", **WIDE)
    rows = []
    for index in range(PICTURES):
        sample = dials[index]
        assert sample.image is not None
        name = f"{index:03}.png"
        for part in ("wide", "cut"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        sample.image.save(folder / "wide" / name)
        cut = square_around(sample.facts["case_box"], sample.image.size)
        sample.image.crop(cut).save(folder / "cut" / name)
        dial = INSTRUMENTS["dial"]
        rows.append((name, dial.answer(dial.scales[0], Decimal(sample.facts["value"]))))
    for part in ("wide", "cut"):
        with (folder / part / "labels.csv").open("w", encoding="utf-8", newline="") as lines:
            csv.writer(lines).writerows([("image", "value"), *rows])


def train(out: Path, steps: int) -> None:
    """Train all parts of gnomon-tiny on both questions, as many samples of each."""
    recipe = f"""
data:
  - {{kind: gauge, weight: 1, options: {json.dumps(DIALS)}}}
  - {{kind: gauge, weight: 1, options: {json.dumps(WIDE)}}}
model: {{name: gnomon-tiny, load_in_4bit: false, dtype: float32}}
loss: {{name: ce}}
train:
  samples: {min(SAMPLES, steps * BATCH)}
  max_steps: {steps}
  per_device_train_batch_size: {BATCH}
  learning_rate: 4.0e-4
  warmup_steps: 30
  language: full
  vision: full
  projector: full
  save_steps: 100
  logging_steps: 25
eval: {{samples: 8, max_new_tokens: 48, batch_size: {BATCH}}}
"""
    file = out / "find.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(recipe, encoding="utf-8")
    if gnomon(["train", str(file), "--out", str(out / "run")]):
        raise SystemExit("the training failed: start again, and it goes on")


def read(model: str, table: Path, answers: Path, *words: str) -> list[bool]:
    """Ask about each picture of a table; True where the reading is at most a tenth off."""
    columns = ["columns.image=image", "columns.answer=value", "columns.kind=number",
               "columns.cycle=10", "columns.within=0.1", f"columns.ask={QUESTION}"]  # fmt: skip
    line = ["predict", model, str(table), "--out", str(answers), *words, *columns]
    if gnomon([*line, "eval.split=all", f"eval.batch_size={BATCH}"]):
        raise SystemExit("the model did not answer")
    with table.open(encoding="utf-8") as lines:
        labels = [float(row["value"]) for row in csv.DictReader(lines)]
    hits = []
    # Refused pictures are answered first. Ids end in the number of the row.
    rows = sorted(predictions.read(answers), key=lambda answer: answer.sample_id)
    for label, prediction in zip(labels, rows, strict=True):
        reading = read_number(prediction.text)
        off = 5.0 if reading is None else abs(float(reading.value) - label) % 10
        hits.append(min(off, 10 - off) <= 0.1 + 1e-9)
    return hits


def count_mistakes() -> None:
    """Print how many drawings without an instrument the finder takes for one."""
    finder = InstrumentFinder()
    print(f"{MISTAKES} drawings of each kind without an instrument; 95 % intervals")
    print("taken for one" + " " * 3 + "".join(f"{f'confidence {c}':>24}" for c in LEAST))
    for kind in ("chart", "scene", "text_spotting"):
        drawings = create(kind, split="test")
        scores = []
        for index in range(MISTAKES):
            image = drawings[index].image
            assert image is not None
            best = best_detection(finder.detections(image), ())
            scores.append(0.0 if best is None else best.score)
        cells = [_percent(sum(score >= least for score in scores), MISTAKES) for least in LEAST]
        print(f"{kind:16}" + "".join(f"{cell:>24}" for cell in cells))


@dataclass(frozen=True)
class Crop:
    """A picture that an instrument fills, with its reading."""

    image: Any
    question: str
    value: float
    """Minutes of a clock, or the reading of a dial or wheel from 0 to 9.9."""
    cycle: float
    within: float

    def is_read(self, value: object) -> bool:
        """Return True if an answer is within the tolerance; the scale goes round."""
        if isinstance(value, Time):
            off = abs(value.seconds / 60 - self.value) % self.cycle
        elif isinstance(value, Number):
            off = abs(float(value.value) - self.value) % self.cycle
        else:
            return False
        return min(off, self.cycle - off) <= self.within + 1e-9


def draw_crops() -> Iterator[tuple[str, list[Crop]]]:
    """Yield the clocks of each renderer that is installed."""
    for renderer in renderers.of("clock"):
        if renderer.missing:
            print(f"left out: {renderer.missing}")
            continue
        crops = []
        for index in range(DRAWN):
            image, _, target = renderer.draw(index)
            assert isinstance(target, Time)
            crops.append(Crop(image, CLOCK_QUESTION, target.seconds / 60, 720, 1))
        yield f"clocks, {renderer.title}", crops


def open_crops(source: Path, out: Path) -> list[Crop]:
    """Open photographs of groups that no training saw, from as many groups as there are."""
    subject = SUBJECTS[source.stem]
    _, test = split_by_group(read_photographs(source, out))
    return [
        Crop(load_picture(one.file), subject.question, one.value, subject.cycle, subject.step)
        for one in choose(test, CROPPED, 0)
    ]


def read_cropped(sources: list[Path], out: Path) -> None:
    """Print what is read of crops with and without the finder, and how many it cuts or refuses."""
    with_finder, without = load("gnomon-tiny"), load("gnomon-tiny", finder=False)
    print("read of pictures that an instrument fills; 95 % intervals")
    heads = [f"{head:>24}" for head in ("as it ships", "without its finder")]
    print(f"{'':42}{'n':>5}{''.join(heads)}{'cut':>6}{'refused':>8}")
    sets = ((f"photographs, {source.stem}", open_crops(source, out)) for source in sources)
    for name, crops in chain(sets, draw_crops()):
        answers = [with_finder.read(crop.image, crop.question) for crop in crops]
        others = [without.read(crop.image, crop.question) for crop in crops]
        hits = (
            sum(crop.is_read(answer.value) for crop, answer in zip(crops, part, strict=True))
            for part in (answers, others)
        )
        cells = "".join(f"{_percent(hit, len(crops)):>24}" for hit in hits)
        n_cut = sum(answer.box is not None for answer in answers)
        n_refused = sum(answer.refused for answer in answers)
        print(f"{name:42}{len(crops):5}{cells}{n_cut:6}{n_refused:8}", flush=True)


def _percent(hits: int, of: int) -> str:
    share = wilson(hits, of)
    low, middle, high = (100 * (value or 0) for value in (share.low, share.value, share.high))
    return f"{middle:5.1f} % [{low:.1f}, {high:.1f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=0, help="of training on both questions")
    parser.add_argument("--out", type=Path, default=Path("runs/find"))
    parser.add_argument("--without", action="store_true", help="draw no instruments, and count")
    parser.add_argument("--cropped", type=Path, nargs="+", help="sets of benchmarks.real")
    options = parser.parse_args()
    if options.cropped:
        read_cropped(options.cropped, options.out)
        return
    if options.without:
        count_mistakes()
        return
    out: Path = options.out
    if not (out / "test" / "cut" / "labels.csv").is_file():
        draw_test(out / "test")
    wide, cut = (out / "test" / part / "labels.csv" for part in ("wide", "cut"))
    rows = {
        "as it ships": read("gnomon-tiny", wide, out / "ships.jsonl"),
        "without its finder, whole picture": read("gnomon-tiny", wide, out / "off.jsonl", *OFF),
        "cut by the true box": read("gnomon-tiny", cut, out / "ships-true.jsonl", *OFF),
    }
    if options.steps:
        train(out, options.steps)
        run = str(out / "run")
        rows |= {
            "trained, whole picture": read(run, wide, out / "whole.jsonl"),
            "trained, found and cut (--find)": read(run, wide, out / "found.jsonl", "--find"),
            "trained, cut by the true box": read(run, cut, out / "true.jsonl"),
        }
    print(f"{PICTURES} wide pictures; 95 % intervals")
    print(f"{'':34}within 0.1")
    for name, hits in rows.items():
        print(f"{name:34}{_percent(sum(hits), len(hits))}")


if __name__ == "__main__":
    main()
