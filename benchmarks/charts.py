"""Asks the chart reader about gnomon's own test split, in styles that it never saw.

    python -m benchmarks.charts                # each type of chart and question
    python -m benchmarks.charts --steps        # with steps before the value
    python -m benchmarks.charts --models runs/chart-reader/after-*    # as it learnt

The charts have one series of three to eight values that are not written at the marks. An answer is
right within 5 % of the axis, of a pie within 5 points of a hundred.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

import gnomon
from gnomon.eval.stats.intervals import wilson
from gnomon.generators import Chart
from gnomon.generators.drawing.picture_generator import STEPS_WANTED

CHARTS = ("bar", "barh", "line", "pie")
QUESTIONS = {"nth": "n-th", "peak": "highest or lowest", "named": "named"}
SHARE = 0.05


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each model, type of chart and question."""
    words = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.charts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--n", type=int, default=200, help="charts of each type and question (200)")
    parser.add_argument("--charts", nargs="+", default=CHARTS, choices=CHARTS)
    parser.add_argument("--questions", nargs="+", default=("nth", "peak"), choices=QUESTIONS)
    parser.add_argument("--models", nargs="+", default=["gnomon-tiny-charts"])
    parser.add_argument("--steps", action="store_true", help="ask for steps before the value")
    given = parser.parse_args(words)
    torch.set_num_threads(1)
    print(f"$ python -m benchmarks.charts {shlex.join(words)}")
    print(f"{'':44}{'within 5 % of the axis':>24}  best constant  CPU s")
    for model in given.models:
        own = {} if model == "gnomon-tiny-charts" else {"model.family": "gnomon-tiny-charts"}
        overrides = {**own, "eval.max_new_tokens": 64, "model.load_in_4bit": False}
        reader = gnomon.load(model, overrides=overrides)
        for chart in given.charts:
            for question in given.questions:
                if (chart, question) != ("pie", "nth"):
                    found = measure(reader, chart, question, given.n, steps=given.steps)
                    print(
                        f"{Path(model).name:20}{chart:5} {QUESTIONS[question]:18}{found}",
                        flush=True,
                    )
    return 0


def measure(reader: gnomon.Reader, chart: str, question: str, n: int, *, steps: bool) -> str:
    """Return the share of n answers that are right, the best constant's share, and the time."""
    options: dict[str, Any] = {
        "charts": (chart,), "questions": (question,), "rows": (4 if chart == "line" else 3, 8),
        "series": (1, 1), "value_labels": 0.0, "ood": True,
    }  # fmt: skip
    right, truths, seconds = 0, [], 0.0
    for sample in Chart(split="test", **options)[0:n]:
        asked = f"{sample.question} {STEPS_WANTED}" if steps else sample.question
        began = time.process_time()
        answer = reader.read(sample.image, asked)
        seconds += time.process_time() - began
        axis = sample.facts["axis"] or sample.facts["across"] or {"low": 0, "high": 100}
        within, truth = SHARE * (axis["high"] - axis["low"]), float(sample.target.value)
        truths.append((truth, within))
        try:
            value = float(answer.text.rpartition(":")[2])
        except ValueError:  # unread
            continue
        right += abs(value - truth) <= within
    constant = max(
        sum(abs(value - truth) <= within for truth, within in truths) for value, _ in truths
    )
    share = wilson(right, n)
    value, low, high = (100 * end for end in (share.value, share.low, share.high))
    interval = f"{value:.1f} % [{low:.1f}, {high:.1f}]"
    return f"{interval:>24}  {constant / n:13.1%}  {seconds / n:5.2f}"


if __name__ == "__main__":
    sys.exit(main())
