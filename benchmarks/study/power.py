"""How large a gain has to be for the study to see it in four cases of five.

python benchmarks/study/power.py

200 simulated studies without a difference: K seeds and N questions, of which a loss and the
cross-entropy answer a share differently (one right, the other wrong), and a difference of each
seed's own. `gnomon.eval`'s interval and its "80 % power from", at 5 % over a part's losses by
Holm's first step: the median of the 200.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks is no installed package

from benchmarks.study.plan import PARTS
from gnomon.eval.formatting import align
from gnomon.eval.stats.crossed import estimate_crossed
from gnomon.eval.stats.significance import ALPHA, detectable
from gnomon.runs.resolve import resolve

STUDIES = 200
DIFFERING = 0.2
"""Of the questions, between a loss and the cross-entropy of the same seed."""
SPREADS = (0.0, 0.01, 0.02, 0.04)
"""Standard deviations over seeds of the difference in accuracy."""


def smallest(
    seeds: int, questions: int, spread: float, *, compared: int = 4, studies: int = STUDIES
) -> float:
    """The median gain that such a study sees with a power of 80 %."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(studies):
        own = rng.normal(0.0, spread, size=(seeds, 1))
        drawn = rng.random((seeds, questions))
        gains, losses = drawn < (DIFFERING + own) / 2, drawn > 1 - (DIFFERING - own) / 2
        arm = gains.astype(float) - losses
        over = estimate_crossed([arm], np.arange(questions), resamples=20)
        found.append(detectable(over, alpha=ALPHA / compared))
    return float(np.median(found))


def main() -> None:
    """A line for each part, a column for how much seeds differ."""
    rows = [["seeds differ by (points)", *(f"{100 * spread:g}" for spread in SPREADS)]]
    for part in PARTS.values():
        asked = part.questions * len(resolve(part.recipe).parsed.data)
        compared = len(part.losses) - 1
        gains = [smallest(len(part.seeds), asked, s, compared=compared) for s in SPREADS]
        name = f"{part.name}: {len(part.seeds)} seeds, {asked:,} questions"
        rows.append([name, *(f"{100 * gain:.1f} points" for gain in gains)])
    print("\n".join(align(rows)))


if __name__ == "__main__":
    main()
