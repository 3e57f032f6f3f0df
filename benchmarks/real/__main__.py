"""Measures how many photographs it takes, with drawings and without, beside an evening's CNN.

python -m benchmarks.real needles.zip                    # the whole table: hours
python -m benchmarks.real digits.zip --counts 20 --seeds 1 --steps 100
python -m benchmarks.real gauges/ --question "What does the gauge read?" --step 0.5

A set is a folder or a zip with labels.csv: image, value and a group such as the camera. A third of
the groups is never seen in training. Sets called needles or digits have their question, what is
drawn beside them, and how they go round. Results stay under --out; the same command goes on there.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.real.cells import Cell, Lab, cells_for
from benchmarks.real.photographs import SUBJECTS, read_photographs, split_by_group
from gnomon.eval.stats.crossed import CrossedEstimate
from gnomon.progress import note

COUNTS = (5, 20, 80, 320)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; the exit code is 2 where the set cannot be used."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser().parse_args(words)
    if not sys.stderr.isatty():  # transformers' bars, which fill a log; read when tqdm is imported
        os.environ["TQDM_DISABLE"] = "1"
    try:
        lab, cells = _lab(options)
        rows = list(_rows(lab, cells, options.seeds))
    except (ValueError, OSError) as error:
        print(f"real: {error}", file=sys.stderr)
        return 2
    print(f"$ python -m benchmarks.real {shlex.join(words)}")
    groups = len({photograph.group for photograph in lab.test})
    print(f"{len(lab.test)} photographs of {groups} groups that training never saw,"
          f" {options.seeds} seeds of {lab.steps} steps, intervals over both")  # fmt: skip
    print(f"{'reader':12} {'photographs':>11} {'drawings':>8}  "
          f"{f'within {lab.step:g}':>20}  {'mean distance':>20}")  # fmt: skip
    print(*rows, sep="\n")
    return 0


def _lab(options: argparse.Namespace) -> tuple[Lab, list[Cell]]:
    name = options.set.stem
    subject = SUBJECTS.get(name)
    if subject is None and (options.question is None or options.step is None):
        raise ValueError(f"{options.set}: give --question and --step, which no set of its name has")
    out = options.out / name
    train, test = split_by_group(read_photographs(options.set, out))
    lab = Lab(
        train=train,
        test=test,
        question=options.question or (subject.question if subject else ""),
        drawn=subject.drawn if subject else None,
        cycle=subject.cycle if subject else options.cycle,
        step=subject.step if options.step is None and subject else options.step,
        steps=options.steps,
        out=out / options.augment,
        augment=options.augment,
    )
    cells = cells_for([count for count in options.counts if count < len(train)], subject)
    if options.readers:
        cells = [cell for cell in cells if cell.reader in options.readers]
    return lab, cells


def _rows(lab: Lab, cells: list[Cell], seeds: int) -> list[str]:
    """One line for each cell, below a guess and the best constant."""
    constant = lab.best_constant()
    rng = np.random.default_rng(0)
    labels = np.array([photograph.value for photograph in [*lab.train, *lab.test]])
    # A guess is a label drawn from the whole set: what somebody says who knows the scale alone.
    guesses = [list(map(float, rng.choice(labels, len(lab.test)))) for _ in range(20)]
    rows = [
        _row("guess", "", "", lab.estimates(guesses)),
        _row("constant", "", "", lab.estimates([[constant] * len(lab.test)])),
    ]
    for cell in cells:
        readings = []
        for seed in range(seeds):
            note(f"{cell.name}, seed {seed}")
            readings.append(lab.readings(cell, seed))
        count = "all" if cell.count is None else str(cell.count)
        drawings = "yes" if cell.drawings else ""
        rows.append(_row(cell.reader, count, drawings, lab.estimates(readings)))
    return rows


def _row(
    reader: str, count: str, drawings: str, estimates: tuple[CrossedEstimate, CrossedEstimate]
) -> str:
    hits, distance = estimates
    share, away = (
        _interval(estimate, unit, digits)
        for estimate, unit, digits in ((hits, 100, 1), (distance, 1, 2))
    )
    return f"{reader:12} {count:>11} {drawings:>8}  {share:>20}  {away:>20}"


def _interval(result: CrossedEstimate, unit: float, digits: int) -> str:
    estimate = result.estimate
    value = f"{unit * (estimate.value or 0):.{digits}f}"
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} [{unit * estimate.low:.{digits}f}, {unit * estimate.high:.{digits}f}]"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.real", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("set", type=Path, help="folder or zip with labels.csv")
    parser.add_argument("--counts", type=int, nargs="*", default=list(COUNTS),
                        help="photographs in training, besides all")  # fmt: skip
    parser.add_argument(
        "--readers", nargs="*", choices=["cnn", "gnomon-tiny"], help="default: both"
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--steps", type=int, default=300, help="steps of a training, 64 samples each"
    )
    parser.add_argument("--question", help="of a set without a name that is known")
    parser.add_argument("--step", type=float, help="distance up to which a reading is right")
    parser.add_argument("--cycle", type=float, default=0.0, help="where the scale begins anew")
    parser.add_argument("--augment", choices=["off", "light", "heavy"], default="light",
                        help="of the photographs, by both readers")  # fmt: skip
    parser.add_argument("--out", type=Path, default=Path("runs/real"))
    return parser


if __name__ == "__main__":
    sys.exit(main())
