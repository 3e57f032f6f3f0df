"""What guessers who never saw the picture score: by formula, and simulated through the same scorer.

python benchmarks/chance.py --n 14400 --others 1000
"""

from __future__ import annotations

import argparse
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.answers.registry import TYPES
from gnomon.dialect import Dialect
from gnomon.eval import RunResult, score
from gnomon.eval.formatting import align, figure, interval_text
from gnomon.generators import create
from gnomon.sample import Prediction, Sample, Time

if TYPE_CHECKING:
    from gnomon.eval.scoring.runs import Summary

GUESSERS = ("uniform", "constant")
OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "sums": ("arithmetic", {}),
    "gauges": ("gauge", {}),
    "things in scenes": ("scene", {}),
    "all texts of a picture": ("text_spotting", {"questions": ("both",)}),
    "words about charts": ("chart", {"questions": ("compare", "trend")}),
    "tables of charts": ("chart", {"questions": ("table",)}),
}
"""What the guessers are asked beside clocks: a kind with its options."""


def said(name: str, samples: list[Sample], minutes: list[int]) -> RunResult:
    """A guesser's answers, scored."""
    texts = [Dialect().write(Time(m % 720 * 60)) for m in minutes]
    given = [Prediction(s.id, t, None, "plain") for s, t in zip(samples, texts, strict=True)]
    return RunResult(name, score(given, samples))


def clocks(n: int) -> list[list[str]]:
    """Uniform guesses by formula and simulated, a constant, a shuffled model and the model."""
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
    lines = [["Clocks", "uniform by formula", *(run.name for run in guessers)]]
    for result in formula.results:
        cells = [run.scores.summaries["time"][result.name].estimate for run in guessers]
        by_formula = figure(result.chance.get("uniform"), result.unit)
        lines.append([result.label, by_formula, *(_cell(c, result.unit) for c in cells)])
    return lines


def beliefs(n: int) -> list[list[str]]:
    """The same belief in every minute: by formula, and stored and scored."""
    step = max(1, 720 // n)
    truths = [Time(minute * 60) for minute in range(0, 720, step)]
    even = {Dialect().write(Time(minute * 60)): -log(720) for minute in range(720)}
    samples = [Sample(str(place), None, "", truth) for place, truth in enumerate(truths)]
    given = [Prediction(s.id, "10:10", None, "plain", logprobs=even) for s in samples]
    found = score(given, samples).summaries["time"]
    lines = [["Belief about clocks", "even by formula", "even, scored"]]
    for result in found.results:
        if result.name.startswith("belief"):
            by_formula = figure(result.chance.get("uniform"), result.unit)
            lines.append([result.label, by_formula, _cell(result.estimate, result.unit)])
    return lines


def others(name: str, kind: str, options: dict[str, Any], n: int) -> list[list[str]]:
    """Guessers, and a model that half the time gives its neighbour's answer."""
    drawn = create(kind, split="test", **options)
    samples = _of_one_kind([drawn[i] for i in range(n)])
    rng = np.random.default_rng(1)
    places = np.arange(len(samples))
    of = np.where(rng.integers(2, size=len(samples)), places, places - 1)
    given = [_answer(sample, samples[other]) for sample, other in zip(samples, of, strict=True)]
    (summary,) = score(given, samples).summaries.values()
    return [
        [f"{TYPES[summary.type_name].title}: {name}", *GUESSERS, "the model"],
        *_rows(summary),
    ]


def _of_one_kind(samples: list[Sample]) -> list[Sample]:
    return [sample for sample in samples if sample.target.type_name == samples[0].target.type_name]


def _answer(sample: Sample, other: Sample) -> Prediction:
    """Another question's answer, its boxes in the same place of the picture."""
    text = Dialect().write(other.target, other.image.size if other.image else None)
    size = sample.image.size if sample.image else None
    return Prediction(sample.id, text, size, "plain")


def _rows(summary: Summary) -> list[list[str]]:
    return [
        [
            result.label,
            *(figure(result.chance.get(who), result.unit) for who in GUESSERS),
            _cell(result.estimate, result.unit),
        ]
        for result in summary.results
    ]


def _cell(estimate: Any, unit: str) -> str:
    return f"{figure(estimate.value, unit)} {interval_text(estimate, unit)}".strip()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=14_400, help="clocks, evenly over the dial")
    parser.add_argument("--others", type=int, default=1000, help="questions of each other kind")
    given = parser.parse_args()
    tables = [clocks(given.n), beliefs(given.others)]
    tables += [others(name, *asked, given.others) for name, asked in OTHERS.items()]
    print("\n\n".join("\n".join(align(table)) for table in tables))


if __name__ == "__main__":
    main()
