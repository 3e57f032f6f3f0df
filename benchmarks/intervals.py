"""How often intervals over seeds and pictures cover a known truth, and tests find or invent.

Columns: seeds, pictures, the seeds' spread in log odds; how often intervals cover the truth: of
accuracy as if every answer of every seed were an item of its own, of accuracy, of the deviation,
of the difference of two equal models; how often these are tied; the difference in points that is
said to show with a power of 80 %, and how often it is found where it is planted.

python benchmarks/intervals.py --repeat 1000
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "eval"))

from simulated import Model, answers

from gnomon.eval.crossed import Crossed, crossed
from gnomon.eval.significance import ALPHA, detectable
from gnomon.eval.statistics import wilson

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

DESIGNS = ((1, 400, 0.0), (2, 200, 0.3), (3, 200, 0.0), (3, 200, 0.3), (5, 200, 0.3), (8, 200, 0.3))
"""Seeds, pictures, and the spread of the seeds in log odds."""


def drawn(
    model: Model, k: int, n: int, name: str, repeat: int, other: Model | None = None
) -> Iterator[tuple[Crossed, Floats]]:
    """A mean or a difference over seeds and pictures, and the answers that it is of."""
    rng = np.random.default_rng(0)
    pictures = [str(i) for i in range(n)]
    for _ in range(repeat):
        effects = rng.normal(size=n)
        arm = answers(model, rng, k, effects)[name]
        if other is not None:
            arm = answers(other, rng, k, effects)[name] - arm
        yield crossed([arm], pictures, resamples=200), arm


def row(k: int, n: int, spread: float, repeat: int) -> list[str]:
    """Coverage of a model's means and of a difference; equal models; what is said to show."""
    model = Model(seeds=spread)
    exact, charged = (list(drawn(model, k, n, name, repeat)) for name in ("exact", "charged"))
    equal = [found for found, _ in drawn(model, k, n, "exact", repeat, model)]
    smallest = float(np.median([detectable(found) or 0.0 for found in equal[:100]]))
    planted = "–"
    if model.accuracy + smallest < 0.99:
        better = model.better_by(100 * smallest)
        found = [c.p < ALPHA for c, _ in drawn(model, k, n, "exact", repeat, better)]
        planted = share(found)
    return [
        str(k),
        str(n),
        str(spread),
        share([alone(arm, model.truth["exact"]) for _, arm in exact]),
        share([covers(found, model.truth["exact"]) for found, _ in exact]),
        share([covers(found, model.truth["charged"]) for found, _ in charged]),
        share([covers(found, 0.0) for found in equal]),
        share([found.p >= ALPHA for found in equal]),
        f"{100 * smallest:.1f}",
        planted,
    ]


def covers(found: Crossed, truth: float) -> bool:
    """Whether the interval holds it."""
    low, high = found.estimate.low, found.estimate.high
    return low is not None and high is not None and low <= truth <= high


def alone(arm: Floats, truth: float) -> bool:
    """Whether Wilson's interval does that takes every answer of every seed for an item."""
    found = wilson(int(arm.sum()), arm.size)
    return found.low is not None and found.high is not None and found.low <= truth <= found.high


def share(values: list[bool]) -> str:
    """A mean in percent."""
    return f"{100 * np.mean(values):.1f} %"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=1000, help="repetitions of each design")
    repeat = parser.parse_args().repeat
    heads = ("seeds", "pictures", "spread", "items only", "accuracy", "deviation", "difference",
             "equal: tied", "shows from", "it: found")  # fmt: skip
    print("".join(f"{head:>12}" for head in heads))
    for design in DESIGNS:
        print("".join(f"{cell:>12}" for cell in row(*design, repeat)), flush=True)


if __name__ == "__main__":
    main()
