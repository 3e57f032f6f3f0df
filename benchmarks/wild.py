"""Instruments in whole photographs: how many are read, and which of four options is right.

    python -m benchmarks.wild SCALE [--model gnomon-tiny] [--no-find] [--views 3] [--cnn whole]

SCALE is a folder or a zip with labels.csv: image, instrument, question, value, options, split. The
test has all clocks of the split val and the last 150 of train in the order of the hashes of their
names, without pictures that occur in val. Pressure gauges and dial indicators are tested
on val if the model knows a question about them. Refused and unread answers count as wrong. Of four
options, the option nearest to the reading counts, and the option that gnomon chooses by the model's
belief in each (`eval.wording=trained`). Times are seconds of CPU for a reading.

--cnn also trains a plain CNN on the other clocks of train: on whole pictures, or on what gnomon's
finder cuts out. Answers stay under --out with a sheet of the pictures, and the next command prints
them beside its own. The errors by picture are also written to benchmarks/results/wild.csv.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageOps

import gnomon
from benchmarks.real.photographs import unpack
from benchmarks.wild_cnn import read_clocks
from gnomon import atomic
from gnomon.eval.stats.intervals import Estimate, bootstrap
from gnomon.runs.finding import SURE, best_detection
from gnomon.runs.trained_wording import in_trained_words
from gnomon.sample import OPTIONS, Number, Sample, Target, Time
from gnomon.store.benchmarks.instruments import scalebench
from gnomon.store.pictures import load_picture
from gnomon.store.samples import pixel_hash

HELD_OUT, HALF_DAY = 150, 720.0
# A word of the question about each instrument.
ASKED = {"clock": "clock", "pressure gauge": "pressure", "dial indicator": "indicator"}
OUTCOMES = Path("benchmarks/results/wild.csv")
THUMB, PER_ROW = 180, 12  # the sheet's pictures, in pixels


@dataclass(frozen=True)
class Labelled:
    """A row of labels.csv. Values are minutes of twelve hours, or the instrument's unit."""

    file: Path
    instrument: str
    split: str
    value: float
    options: tuple[float, ...]
    question: str = ""
    """The benchmark's question with its options by letter."""
    answer: Target | None = None
    """The letter of the right option."""

    def off(self, reading: float) -> float:
        """Distance of a reading from the label."""
        return distance(self, reading, self.value)

    def share(self, reading: float) -> float:
        """Chance that the option nearest to a reading is right; below 1 if several are as near."""
        away = {option: distance(self, reading, option) for option in self.options}
        best = [option for option in self.options if away[option] <= min(away.values()) + 1e-9]
        return (self.value in best) / len(best)


def distance(row: Labelled, a: float, b: float) -> float:
    """Distance of two readings of an instrument; a clock goes round."""
    away = abs(a - b)
    return min(away, HALF_DAY - away) if row.instrument == "clock" else away


def read_rows(source: Path, out: Path) -> list[Labelled]:
    """Read labels.csv in the order of the names' hashes. A zip is unpacked under `out` first."""
    folder = unpack(source, out) if source.suffix == ".zip" else source
    rows: list[Labelled] = []
    file = folder / "labels.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        table = csv.DictReader(lines)
        for cells in sorted(table, key=lambda row: sha256(row["image"].encode()).hexdigest()):
            texts = [cells["value"], *json.loads(cells["options"])]
            kind, split = cells["instrument"], cells["split"]
            if kind == "clock" or ":" not in "".join(texts):
                value, *options = map(_number, texts)
                asked = next(scalebench(0, cells, file))
                rows.append(Labelled(folder / cells["image"], kind, split, value, tuple(options),
                                     asked.question, asked.target))  # fmt: skip
    return rows


def _number(text: str) -> float:
    """Convert a time to minutes of twelve hours, and another text to its number."""
    if ":" not in text:
        return float(text)
    hour, minute, second = (*map(int, text.split(":")), 0)[:3]
    return (hour * 60 + minute + second / 60) % HALF_DAY


def split_clocks(rows: Sequence[Labelled]) -> tuple[list[Labelled], list[Labelled]]:
    """Return the clocks for training and the clocks of the test. No picture is in both."""
    return split_rows([row for row in rows if row.instrument == "clock"], HELD_OUT)


def split_rows(rows: Sequence[Labelled], count: int) -> tuple[list[Labelled], list[Labelled]]:
    """Return rows for training, and a test of val and the last `count` rows of train. No picture is
    in both."""
    val, train = ([row for row in rows if row.split == split] for split in ("val", "train"))
    pixels = {row.file: pixel_hash(load_picture(row.file)) for row in rows}
    seen = {pixels[row.file] for row in val}
    held_out = [row for row in train[-count:] if pixels[row.file] not in seen]
    seen |= {pixels[row.file] for row in held_out}
    return [row for row in train[:-count] if pixels[row.file] not in seen], [*val, *held_out]


def ask(reader: gnomon.Reader, rows: Sequence[Labelled]) -> list[dict[str, Any]]:
    """Ask about each picture. Empty if the model knows no question about the instrument."""
    word = ASKED[rows[0].instrument]
    question = next((text for text in reader.questions if word in text.lower()), None)
    answers = []
    for row in rows if question else ():
        start = time.process_time()
        answer = reader.read(row.file, question)
        reading = None
        if isinstance(answer.value, Time):
            reading = answer.value.seconds / 60
        elif isinstance(answer.value, Number):
            reading = float(answer.value.value)
        seconds = round(time.process_time() - start, 3)
        answers.append({"reading": reading, "refused": answer.refused, "corners": answer.corners,
                        "believed": choose(reader, row), "seconds": seconds})  # fmt: skip
    return answers


def choose(reader: gnomon.Reader, row: Labelled) -> float | None:
    """Return 1 if the model chooses the right option, else 0; None if it cannot be asked.

    gnomon chooses the option in which the model believes most.
    """
    assert row.answer is not None
    sample = Sample(row.file.stem, load_picture(row.file), row.question, row.answer)
    if OPTIONS not in in_trained_words(sample, reader.questions).facts:
        return None
    (prediction,) = next(iter(reader.predictions([sample])))
    return float(prediction.text == row.answer.write())


def found_but_unread(reader: gnomon.Reader, rows: Sequence[Labelled]) -> str:
    """Say in how many pictures an instrument is surely found, although none is read."""
    if reader.finder is None:
        return ""
    detections = [reader.finder.detections(load_picture(row.file)) for row in rows]
    best = [best_detection(of_picture, ("gauge", "dial")) for of_picture in detections]
    sure = sum(detection is not None and detection.score >= SURE for detection in best)
    return f": an instrument is found in {sure} of {len(rows)} pictures, and none is read"


def table(rows: Sequence[Labelled], answers: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Return a line for chance, the best constant and each reader.

    The best constant is the best reading for each column, which nobody knows before the test.
    """
    is_clock = rows[0].instrument == "clock"
    columns = ["within 1 min", "within 5 min"] * is_clock
    columns += ["nearest of four", "believed of four", "mean error"]
    head = "".join(f"{column:>24}" for column in columns)
    lines = [f"{f'{len(rows)} x {rows[0].instrument}':24}{head} unread refused seconds"]
    grid = np.arange(HALF_DAY) if is_clock else sorted({row.value for row in rows})
    constants = [[{"reading": float(value), "refused": False}] * len(rows) for value in grid]
    guesses = np.array([list(map(measures, rows, constant)) for constant in constants])
    chance, means = guesses.mean((0, 1)), guesses.mean(1)
    chance[-3:-1] = 0.25
    best = [*means[:, :-1].max(0), means[:, -1].min()]
    for name, figures in (("chance", chance), ("best constant", best)):
        shares = ["" if np.isnan(share) else f"{100 * share:.1f}" for share in figures[:-1]]
        cells = [*shares, f"{figures[-1]:.2f}"]
        lines.append(f"{name:24}" + "".join(f"{cell:>24}" for cell in cells))
    for name, of_reader in answers.items():
        pairs = zip(rows, of_reader, strict=True)
        table = np.array([measures(row, answer) for row, answer in pairs])
        shares = [
            "" if np.isnan(column).any() else _interval(bootstrap(column), 100, 1)
            for column in table.T[:-1]
        ]
        away = _interval(bootstrap(table[~np.isnan(table[:, -1]), -1]), 1, 2)
        refused = sum(answer["refused"] for answer in of_reader)
        unread = sum(reading_of(answer) is None for answer in of_reader) - refused
        times = [answer["seconds"] for answer in of_reader if answer["seconds"] is not None]
        seconds = f"{np.median(times):.2f}" if times else ""
        lines.append(f"{name:24}" + "".join(f"{cell:>24}" for cell in [*shares, away])
                     + f"{unread:7}{refused:8}{seconds:>8}")  # fmt: skip
    return lines


def reading_of(answer: Mapping[str, Any]) -> float | None:
    """The reading of an answer; None if it was refused or is no time or number."""
    reading: float | None = None if answer["refused"] else answer["reading"]
    return reading


def measures(row: Labelled, answer: Mapping[str, Any]) -> list[float]:
    """Within a minute and within five (of a clock), both ways to choose of four options, distance.

    The distance is NaN without a reading, and the belief's option without a belief.
    """
    reading, believed = reading_of(answer), answer.get("believed")
    off = np.nan if reading is None else row.off(reading)
    within = [float(off <= limit + 1e-9) for limit in (1, 5)] * (row.instrument == "clock")
    share = 0.0 if reading is None else row.share(reading)
    return [*within, share, np.nan if believed is None else believed, off]


def _interval(estimate: Estimate, unit: float, digits: int) -> str:
    figures = [estimate.value or 0.0, estimate.low, estimate.high]
    value, *ends = (f"{unit * x:.{digits}f}" for x in figures if x is not None)
    return f"{value} [{', '.join(ends)}]" if ends else value


def draw_sheet(rows: Sequence[Labelled], answers: Sequence[dict[str, Any]], file: Path) -> None:
    """Draw the pictures with the corners that were read, the label and the reading below them."""
    size = PER_ROW * THUMB, -(-len(rows) // PER_ROW) * (THUMB + 14)
    draw = ImageDraw.Draw(sheet := Image.new("RGB", size, "white"))
    for place, (row, answer) in enumerate(zip(rows, answers, strict=True)):
        picture = load_picture(row.file)
        small = ImageOps.contain(picture, (THUMB - 4, THUMB - 4))
        scale = small.width / picture.width
        if answer["corners"]:
            points = [(scale * x, scale * y) for x, y in answer["corners"]]
            ImageDraw.Draw(small).line([*points, points[0]], fill="red", width=2)
        x, y = place % PER_ROW * THUMB, place // PER_ROW * (THUMB + 14)
        sheet.paste(small, (x, y))
        reading = reading_of(answer)
        read = "refused" if answer["refused"] else _display(row, reading)
        text = f"{row.file.stem[-5:]} {_display(row, row.value)} read {read}"
        colour = "green" if reading is not None and row.share(reading) == 1 else "black"
        draw.text((x, y + THUMB - 2), text, fill=colour)
    sheet.save(file)


def _display(row: Labelled, value: float | None) -> str:
    if value is None or row.instrument != "clock":
        return str(value)
    return f"{int(value // 60) or 12}:{int(value % 60):02}"


def write_outcomes(rows: Sequence[Labelled], answers: dict[str, list[dict[str, Any]]]) -> None:
    """Write the error of each reader in minutes for each clock: empty if unread or refused."""
    lines = [["clock", *answers]]
    for row, *of_row in zip(rows, *answers.values(), strict=True):
        readings = map(reading_of, of_row)
        errors = ["" if r is None else f"{row.off(r):.0f}" for r in readings]
        lines.append([row.file.stem.rpartition("-")[2], *errors])
    atomic.put_text(OUTCOMES, "".join(f"{','.join(line)}\n" for line in lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("scale", type=Path)
    parser.add_argument("--model", default="gnomon-tiny")
    parser.add_argument("--no-find", action="store_true", help="read whole pictures")
    parser.add_argument("--views", type=int, help="read this many views, by the model's belief")
    parser.add_argument("--addition", type=Path, help="read clocks with this file, not the shipped")
    parser.add_argument("--no-addition", action="store_true", help="read cuts as other pictures")
    parser.add_argument("--cnn", nargs="*", choices=["whole", "found"], default=[])
    parser.add_argument("--out", type=Path, default=Path("runs/wild"))
    options = parser.parse_args()
    (out := options.out).mkdir(parents=True, exist_ok=True)
    rows = read_rows(options.scale, out)
    train, clocks = split_clocks(rows)
    tests = {name: [r for r in rows if (r.instrument, r.split) == (name, "val")] for name in ASKED}
    tests["clock"] = clocks
    keys: dict[str, Any] = {"eval.wording": "trained"}
    if options.views:
        keys |= {"eval.answer": "mode", "eval.views": options.views}
    reader = gnomon.load(options.model, finder=False if options.no_find else None, overrides=keys)
    name = Path(options.model).name + " whole" * options.no_find
    if options.addition:
        reader.additions = {"clock": options.addition}
        name = options.addition.parent.name
    elif options.no_addition:
        reader.additions, name = {}, f"{name} unchanged"
    name += f" {options.views} views" if options.views else ""
    for instrument, test in tests.items():
        file = out / f"{instrument}.json"
        answers: dict[str, Any] = json.loads(file.read_text()) if file.is_file() else {}
        if own := ask(reader, test):
            answers[name] = own
            draw_sheet(test, own, out / f"{instrument} {name}.png")
        else:
            print(
                f"{instrument}: {name} knows no question about it{found_but_unread(reader, test)}"
            )
        for part in options.cnn if instrument == "clock" else []:
            answers[f"CNN {part}"] = read_clocks(part, train, test, out)
        atomic.put_text(file, json.dumps(answers))
        if answers:
            print(*table(test, answers), sep="\n")
    write_outcomes(clocks, json.loads((out / "clock.json").read_text()))


if __name__ == "__main__":
    main()
