"""Cost of an answer by the belief in 100 readings, beside the one that greedy decoding writes.

    python -m benchmarks.answering > benchmarks/results/answering.txt

gnomon-tiny reads drawn dials, 0.0 to 9.9. The rules take turns, so that a busy machine slows all of
them, and each round gives a ratio. Greedy decoding answers in batches, a belief picture by picture:
its batch is the list. Peak memory is that of a process of its own, Python and torch included.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from decimal import Decimal
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING

import torch

from gnomon.generators import create
from gnomon.pipeline.answering.local import predict_batches
from gnomon.pipeline.answering.rule import AnswerRule
from gnomon.pipeline.load import load
from gnomon.recipe import Model

if TYPE_CHECKING:
    from gnomon.pipeline.load import Loaded
    from gnomon.sample import Sample

RULES = ("greedy", "mean", "median", "mode")
READINGS = tuple(Decimal(n) / 10 for n in range(100))
BATCHES = (1, 16)
"""Pictures that greedy decoding takes at once: one, and the default of `eval.batch_size`."""


def dials(n: int) -> list[Sample]:
    """Draw the first n dials of the test split."""
    return list(islice(iter(create("gauge", split="test", instruments=["dial"])), n))


def tiny() -> Loaded:
    """Load gnomon-tiny on one thread: on shared cores two of them wait for each other."""
    torch.set_num_threads(1)
    return load(Model(name="gnomon-tiny", load_in_4bit=False, dtype="float32"))


def seconds(loaded: Loaded, samples: list[Sample], rule: str, batch_size: int) -> float:
    """Answer all pictures; return the thread's seconds, of which a busy machine takes none."""
    # With greedy decoding nothing is listed, so it takes no grid.
    way = AnswerRule(rule, grid=READINGS if rule != "greedy" else ())
    start = time.thread_time()
    batches = predict_batches(
        loaded, samples, batch_size=batch_size, max_new_tokens=32, rule=way
    )  # the default of eval.max_new_tokens; an answer ends long before
    if sum(map(len, batches)) != len(samples):
        raise AssertionError("some pictures have no answer")
    return time.thread_time() - start


def peak(rule: str, n: int) -> float:
    """Megabytes at the peak of a process that answers n pictures by a rule."""
    command = [sys.executable, "-m", "benchmarks.answering", "--memory", rule, "--n", str(n)]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    megabytes: float = json.loads(process.stdout)
    return megabytes


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, default=24, help="pictures a round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--memory", choices=RULES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    loaded, samples = tiny(), dials(options.n)
    if options.memory:
        seconds(loaded, samples, options.memory, BATCHES[-1])
        print(json.dumps(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))
        return
    columns = [(rule, size) for rule in RULES for size in (BATCHES if rule == "greedy" else [1])]
    seconds(loaded, samples, "greedy", 1)  # the first pass allocates, and is not counted
    rounds = []
    for _ in range(options.rounds):
        rounds.append({column: seconds(loaded, samples, *column) for column in columns})
    print("$ python -m benchmarks.answering")
    print(f"{options.n} dials, {len(READINGS)} readings listed; {options.rounds} rounds in turn")
    print("median [least, most] of the rounds; one thread of a shared CPU, float32")
    print()
    heads = [f"beside greedy, {'one by one' if n == 1 else f'{n} at once'}" for n in BATCHES]
    print(f"{'':20}{'ms a picture':>22}" + "".join(f"{head:>28}" for head in heads) + "   peak MB")
    for rule, size in columns:
        name = rule + (f", {size} at once" if size > 1 else "")
        cells = [spread([1000 * row[rule, size] / options.n for row in rounds], ".1f")]
        for other in BATCHES:
            ratios = [row[rule, size] / row["greedy", other] for row in rounds]
            cells.append(spread(ratios, ".2f"))
        # The rules of a belief differ in the choice alone.
        memory = f"{peak(rule, options.n):10.0f}" if size > 1 or rule == "mean" else ""
        print(f"{name:20}{cells[0]:>22}" + "".join(f"{cell:>28}" for cell in cells[1:]) + memory)


def spread(values: list[float], form: str) -> str:
    """Format the median with the least and the largest value."""
    return f"{median(values):{form}} [{min(values):{form}}, {max(values):{form}}]"


if __name__ == "__main__":
    main()
