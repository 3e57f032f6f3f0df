"""How often intervals over seeds and pictures cover a known truth, and tests find or invent.

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
from gnomon.eval.significance import ALPHA, power

if TYPE_CHECKING:
    from collections.abc import Iterator

DESIGNS = ((1, 400, 0.0), (2, 200, 0.3), (3, 200, 0.0), (3, 200, 0.3), (5, 200, 0.3), (8, 200, 0.3))
"""Seeds, pictures, and the spread of the seeds in log odds."""
POINTS = 3


def drawn(
    model: Model, k: int, n: int, name: str, repeat: int, other: Model | None = None
) -> Iterator[tuple[Crossed, Crossed]]:
    """A mean or a difference over seeds and pictures, and as if each answer stood alone."""
    rng = np.random.default_rng(0)
    pictures, single = ([str(i) for i in range(size)] for size in (n, k * n))
    for _ in range(repeat):
        effects = rng.normal(size=n)
        arm = answers(model, rng, k, effects)[name]
        if other is not None:
            arm = answers(other, rng, k, effects)[name] - arm
        flat = crossed([arm.reshape(1, -1)], single, resamples=50)
        yield crossed([arm], pictures, resamples=300), flat


def covers(found: Crossed, truth: float) -> bool:
    """Whether the interval holds it."""
    low, high = found.estimate.low, found.estimate.high
    return low is not None and high is not None and low <= truth <= high


def row(k: int, n: int, spread: float, repeat: int) -> list[str]:
    """Coverage of accuracy and deviation; of a difference; equal models; three points planted."""
    model = Model(seeds=spread)
    better = model.better_by(POINTS)
    cells = []
    for name in ("exact", "charged"):
        pairs = list(drawn(model, k, n, name, repeat))
        cells.append(share([covers(found, model.truth[name]) for found, _ in pairs]))
        if name == "exact":
            flat = share([covers(alone, model.truth[name]) for _, alone in pairs])
    planted = [found for found, _ in drawn(model, k, n, "exact", repeat, better)]
    cells.append(share([covers(found, POINTS / 100) for found in planted]))
    equal = [found for found, _ in drawn(model, k, n, "exact", repeat, model)]
    cells.append(share([found.p >= ALPHA for found in equal]))
    cells.append(share([found.p < ALPHA for found in planted]))
    cells.append(share([power(found, POINTS / 100) or 0.0 for found in planted]))
    return [str(k), str(n), str(spread), flat, *cells]


def share(values: list[float] | list[bool]) -> str:
    """A mean in percent."""
    return f"{100 * np.mean(values):.1f} %"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=1000, help="repetitions of each design")
    repeat = parser.parse_args().repeat
    heads = ("seeds", "pictures", "spread", "items only", "accuracy", "deviation", "difference",
             "equal: tied", "+3: found", "+3: said")  # fmt: skip
    print("".join(f"{head:>13}" for head in heads))
    for design in DESIGNS:
        print("".join(f"{cell:>13}" for cell in row(*design, repeat)), flush=True)


if __name__ == "__main__":
    main()
