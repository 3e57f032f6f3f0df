"""Spread of the demo's figures over seeds. README shows one seed.

    python -m benchmarks.demo_seeds > benchmarks/results/demo_seeds.txt

Each seed trains on other drawings and from other adapters, and all read the same questions. The
seeds run one after the other. A stopped command resumes where it stopped.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev

from gnomon.eval.formatting import align, figure
from gnomon.eval.scoring.runs import RunResult
from gnomon.runs.answer_scores import score_run

FIGURES = ("accepted", "exact", "unread", "error")
"""Names of the lines that README shows."""


def run_demo(seed: int, out: Path, overrides: Sequence[str]) -> None:
    """Run the demo with a seed; the steps that an earlier call has finished are kept."""
    words = ["run", "demo", *overrides, f"seed={seed}", "--out", str(out)]
    # Standard output is the table's.
    subprocess.run([sys.executable, "-m", "gnomon", *words], check=True, stdout=sys.stderr)


def lines_of(title: str, runs: Sequence[RunResult]) -> list[list[str]]:
    """List each figure by seed, with its mean, standard deviation, minimum and maximum."""
    summaries = [next(iter(run.scores.summaries.values())) for run in runs]
    lines = []
    for name in FIGURES:
        results = [summary[name] for summary in summaries]
        values = [result.estimate.value or 0.0 for result in results]
        spread = (mean(values), stdev(values), min(values), max(values))
        cells = [figure(value, results[0].unit) for value in (*values, *spread)]
        lines.append([f"{results[0].label}, {title}", *cells])
    return lines


def main(words: Sequence[str]) -> None:
    """Run the missing demos and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.demo_seeds", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("overrides", nargs="*", help="key=value, of the demo's recipe")
    parser.add_argument("--seeds", type=int, default=5, help="how many, from 0 on (5)")
    parser.add_argument("--out", type=Path, default=Path("runs/demo-seeds"))
    options = parser.parse_args(words)
    folders = [options.out / f"seed-{seed}" for seed in range(options.seeds)]
    for seed, folder in enumerate(folders):
        run_demo(seed, folder, options.overrides)
    before, after = zip(*map(score_run, folders), strict=True)
    seeds = [f"seed {seed}" for seed in range(options.seeds)]
    header = ["", *seeds, "mean", "deviation", "min", "max"]
    table = [header, *lines_of("before", before), *lines_of("after", after)]
    print("\n".join([" ".join(["$ python -m benchmarks.demo_seeds", *words]), *align(table)]))


if __name__ == "__main__":
    main(sys.argv[1:])
