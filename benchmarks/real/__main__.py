"""Measures how many photographs it takes, with drawings and without, beside plain CNNs.

python -m benchmarks.real needles.zip                    # the whole table: hours
python -m benchmarks.real digits.zip --counts 20 all --seeds 1 --steps 100
python -m benchmarks.real digits.zip --counts 0 --drawings without    # the model as it ships
python -m benchmarks.real gauges/ --question "What does the gauge read?" --step 0.5
python -m benchmarks.real needles.zip --counts 0 --drawings with --start flat/ --without glass \
    --steps 240 --learning-rate 5e-4 --out runs/no-glass   # flat/: weights that never saw the look

A set is a folder or a zip with labels.csv: image, value and a group such as the camera. A third of
the groups is never seen in training, and gnomon-tiny is shown no photograph more than 30 times.
Sets called needles or digits have their question, what is drawn beside them, and how they go round.
Results stay under --out; the same command goes on there, and others with other --counts, --readers
or --seeds may fill it at the same time.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.real import cnn
from benchmarks.real.cells import GREEDY, Cell, Lab, Row, cells_for
from benchmarks.real.curve import draw_curve
from benchmarks.real.looks import SOURCES, check_is_drawn, leave_out, options_without
from benchmarks.real.photographs import SUBJECTS, choose, read_photographs, split_by_group
from gnomon import atomic
from gnomon.eval.scoring.belief import RULES
from gnomon.eval.stats.crossed import CrossedEstimate
from gnomon.progress import note

COUNTS = (0, 5, 20, 80, 320, None)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; the exit code is 2 where the set cannot be used."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser().parse_args(words)
    if not sys.stderr.isatty():  # transformers' bars, which fill a log; read when tqdm is imported
        os.environ["TQDM_DISABLE"] = "1"
    try:
        lab, cells = _lab(options)
        with leave_out(options.without):
            seeds = range(options.first_seed, options.first_seed + options.seeds)
            rows = list(_rows(lab, cells, seeds, options.answers))
    except (ValueError, OSError) as error:
        print(f"real: {error}", file=sys.stderr)
        return 2
    print(f"$ python -m benchmarks.real {shlex.join(words)}")
    groups = len({photograph.group for photograph in lab.test})
    print(f"{len(lab.test)} photographs of {groups} groups that training never saw")
    if any(cell.is_trained for cell in cells):
        seeds = "1 seed" if options.seeds == 1 else f"{options.seeds} seeds"
        over = "groups" if options.seeds == 1 else "seeds and groups"
        print(f"{seeds} of {lab.steps} steps at most, {lab.cnn_steps} of the CNN;"
              f" 95 % intervals over {over}")  # fmt: skip
    else:
        print("nothing is trained; 95 % intervals over groups")
    print(f"{'reader':12} {'photographs':>11} {'drawings':>8} {'answer':>8}  "
          f"{f'within {lab.step:g}':>20}  {'mean distance':>20}")  # fmt: skip
    for row in rows:
        print(_line(row, lab))
        if options.by_group and row.cell:
            print(*_group_lines(row, lab), sep="\n")
    if options.plot:
        draw_curve([_line(row, lab) for row in rows], lab.step, options.plot)
    return 0


def _lab(options: argparse.Namespace) -> tuple[Lab, list[Cell]]:
    name = options.set.stem
    subject = SUBJECTS.get(options.like or name)
    if subject is None and (options.question is None or options.step is None):
        raise ValueError(
            f"{options.set}: give --question and --step, or --like {' or '.join(SUBJECTS)}"
        )
    drawn = subject.drawn if subject and options.drawings != "without" else None
    check_is_drawn(options.without, drawn)
    out = options.out / name
    train, test = split_by_group(read_photographs(options.set, out))
    test = choose(test, options.most, 0)
    lab = Lab(
        train=train,
        test=test,
        question=options.question or (subject.question if subject else ""),
        drawn=options_without(options.without, drawn) if drawn else None,
        cycle=subject.cycle if subject else options.cycle,
        step=subject.step if options.step is None and subject else options.step,
        steps=options.steps,
        cnn_steps=options.cnn_steps,
        learning_rate=options.learning_rate,
        passes=options.passes,
        grid=tuple(options.grid) if options.grid else subject.grid if subject else None,
        views=options.views,
        out=out / options.augment,
        augment=options.augment,
        weights=options.start,
    )
    _require_settings(lab, options.most, options.without)
    counts = [count for count in options.counts if count is None or count < len(train)]
    cells = cells_for(counts, subject)
    if options.readers:
        cells = [cell for cell in cells if cell.reader in options.readers]
    if options.drawings != "both":
        cells = [cell for cell in cells if cell.drawings == (options.drawings == "with")]
    return lab, cells


def _require_settings(lab: Lab, most: int, without: str | None) -> None:
    """Refuse a folder with results of other settings, which would stand in the same table."""
    settings = {
        "question": lab.question,
        "augment": lab.augment,
        "steps": lab.steps,
        "cnn_steps": lab.cnn_steps,
        "learning_rate": lab.learning_rate,
        "passes": lab.passes,
        "most": most,
        "views": lab.views,
        "start": lab.weights and str(lab.weights.resolve()),
        "without": without,
    }
    file = lab.out / "settings.json"
    if not file.is_file():
        lab.out.mkdir(parents=True, exist_ok=True)
        atomic.put_text(file, json.dumps(settings))
    # Older folders lack `views`, which was 1, and `start` and `without`, which were None.
    others = {"views": 1, **json.loads(file.read_text())}
    for name, value in settings.items():
        if others.get(name) != value:
            raise ValueError(
                f"{lab.out} has results with {name}={others.get(name)}, not {value}:"
                " name another folder (--out)"
            )


def _rows(
    lab: Lab, cells: list[Cell], seeds: Sequence[int], answers: Sequence[str]
) -> Iterator[Row]:
    """Yield a row for each cell and way to an answer, below a guess and the best constant."""
    rng = np.random.default_rng(0)
    labels = np.array([photograph.value for photograph in [*lab.train, *lab.test]])
    # A guess is a label drawn from the whole set: what somebody says who knows the scale alone.
    guesses = [list(map(float, rng.choice(labels, len(lab.test)))) for _ in range(20)]
    yield Row(None, "guess", *lab.estimates(guesses))
    yield Row(None, "constant", *lab.estimates([[lab.best_constant()] * len(lab.test)]))
    for cell in cells:
        readings = []
        for seed in seeds if cell.is_trained else [0]:
            note(f"{cell.name}, seed {seed}")
            readings.append(lab.readings(cell, seed))
        for rule in lab.rules(cell):
            if cell.is_cnn or rule in answers:
                values = [reading[rule] for reading in readings]
                yield Row(cell, rule, *lab.estimates(values), values)


def _line(row: Row, lab: Lab) -> str:
    reader, count, drawings = row.rule, "", ""
    if row.cell:
        reader, drawings = row.cell.reader, "yes" * row.cell.drawings
        count = str(lab.n_photographs(row.cell))
    rule = row.rule if row.cell and not row.cell.is_cnn else ""
    share, away = _interval(row.hits, 100, 1), _interval(row.distance, 1, 2)
    return f"{reader:12} {count:>11} {drawings:>8} {rule:>8}  {share:>20}  {away:>20}"


def _group_lines(row: Row, lab: Lab) -> Iterator[str]:
    for group, distances in lab.by_group(row.readings).items():
        hits = 100 * (distances <= lab.step + 1e-9).mean()
        count = distances.shape[1]
        yield f"  {group:31} {count:>8}  {hits:>20.1f}  {distances.mean():>20.2f}"


def _interval(result: CrossedEstimate, unit: float, digits: int) -> str:
    estimate = result.estimate
    value = f"{unit * (estimate.value or 0):.{digits}f}"
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} [{unit * estimate.low:.{digits}f}, {unit * estimate.high:.{digits}f}]"


def _count(word: str) -> int | None:
    return None if word == "all" else int(word)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.real", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("set", type=Path, help="folder or zip with labels.csv")
    parser.add_argument("--counts", type=_count, nargs="*", default=list(COUNTS),
                        help="photographs in training: numbers, or all")  # fmt: skip
    parser.add_argument(
        "--readers", nargs="*", choices=[*cnn.SIZES, "gnomon-tiny"], help="default: all"
    )
    parser.add_argument("--drawings", choices=["both", "without", "with"], default="both",
                        help="rows with drawings in training, or without them")  # fmt: skip
    parser.add_argument("--answers", nargs="*", choices=[*GREEDY, *RULES],
                        default=["greedy", "mean"],
                        help="ways to an answer that are printed; all are kept")  # fmt: skip
    parser.add_argument("--by-group", action="store_true",
                        help="below each row the groups of the test")  # fmt: skip
    parser.add_argument("--seeds", type=int, default=3, help="how many")
    parser.add_argument("--first-seed", type=int, default=0, help="the others follow it")
    parser.add_argument(
        "--steps", type=int, default=150, help="steps of a training, 64 samples each"
    )
    parser.add_argument("--learning-rate", type=float, default=1e-4, help="of gnomon-tiny")
    parser.add_argument("--passes", type=int, default=30,
                        help="how often gnomon-tiny sees a photograph at most")  # fmt: skip
    parser.add_argument("--cnn-steps", type=int, default=cnn.STEPS)
    parser.add_argument("--most", type=int, default=1000,
                        help="photographs of the test, from its groups in turn")  # fmt: skip
    parser.add_argument("--like", choices=SUBJECTS,
                        help="take question, scale and drawings of this instrument: a dial that"
                        " goes round from 0 to 9, or a rolling digit")  # fmt: skip
    parser.add_argument("--question", help="of a set of other instruments")
    parser.add_argument("--step", type=float, help="distance up to which a reading is right")
    parser.add_argument("--cycle", type=float, default=0.0, help="where the scale begins anew")
    parser.add_argument("--grid", type=float, nargs=3, metavar=("FIRST", "LAST", "STEP"),
                        help="possible readings, for the answers that a belief gives")  # fmt: skip
    parser.add_argument("--views", type=int, choices=[1, 3], default=1,
                        help="of a photograph, over which beliefs are averaged")  # fmt: skip
    parser.add_argument("--augment", choices=["off", "light", "heavy"], default="light",
                        help="of the photographs, for gnomon-tiny")  # fmt: skip
    parser.add_argument("--start", type=Path,
                        help="folder of other weights of gnomon-tiny to begin with")  # fmt: skip
    parser.add_argument("--without", choices=SOURCES,
                        help="what the drawings' photo look leaves out")  # fmt: skip
    parser.add_argument("--plot", type=Path, help="picture of the mean distances")
    parser.add_argument("--out", type=Path, default=Path("runs/real"))
    return parser


if __name__ == "__main__":
    sys.exit(main())
