"""What guessers who never saw a picture score: by formula, and simulated through the same scorer.

python benchmarks/chance.py --n 14400
"""

from __future__ import annotations

import argparse

import numpy as np

from gnomon.dialect import Dialect
from gnomon.eval import RunResult, score
from gnomon.eval.figures import aligned, figure, interval
from gnomon.sample import Prediction, Sample, Time


def said(name: str, samples: list[Sample], minutes: list[int]) -> RunResult:
    """A guesser's answers, scored."""
    texts = [Dialect().write(Time(m % 720 * 60)) for m in minutes]
    given = [Prediction(s.id, t, None, "plain") for s, t in zip(samples, texts, strict=True)]
    return RunResult(name, score(given, samples))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=14_400, help="clocks, evenly over the dial")
    n = parser.parse_args().n
    rng = np.random.default_rng(1)
    samples = [Sample(str(i), None, "", Time(i % 720 * 60)) for i in range(n)]
    truths = [i % 720 for i in range(n)]
    # A model that is right in half of all cases, and five minutes late in the rest.
    half = [t + 5 * int(late) for t, late in zip(truths, rng.integers(2, size=n), strict=True)]
    guessers = [
        said("uniform", samples, rng.integers(720, size=n).tolist()),
        said("always 10:10", samples, [610] * n),
        said("shuffled", samples, [half[i] for i in rng.permutation(n)]),
        said("the model", samples, half),
    ]
    formula = guessers[-1].scores.summaries["time"]
    lines = [["", "uniform by formula", *(run.name for run in guessers)]]
    for result in formula.results:
        cells = [run.scores.summaries["time"][result.name] for run in guessers]
        by_formula = result.chance.get("uniform")
        lines.append(
            [
                result.label,
                figure(by_formula, result.unit),
                *(
                    f"{figure(c.estimate.value, c.unit)} {interval(c.estimate, c.unit)}"
                    for c in cells
                ),
            ]
        )
    print("\n".join(aligned(lines)))


if __name__ == "__main__":
    main()
