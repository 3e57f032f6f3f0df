"""Test models against guessers that never see the picture, and warn of repeated answers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from gnomon.answers.base.answer_type import Metric
from gnomon.answers.registry import TYPES
from gnomon.eval.comparing.difference import estimate_difference
from gnomon.eval.formatting import figure, lower_first, p_text, truth_text, value_text
from gnomon.eval.scoring.runs import ScoredAnswer, Scores, type_as_kind, unit_names
from gnomon.eval.stats.significance import ALPHA, binomial, mcnemar

Guesser = Literal["uniform", "constant"]
_GUESSER_NAMES: dict[Guesser, str] = {
    "uniform": "a random guess",
    "constant": "the best constant answer",
}


@dataclass(frozen=True, slots=True)
class ChanceTest:
    """Test of a model against the better of two guessers, in the first metric of a type of answer.

    One guesser draws answers at random. The other gives a constant answer, the best for the labels
    of these items. It is a little harder to beat than a constant answer that was chosen beforehand.
    """

    type_name: str
    """Type of answer, a key of `registry.TYPES`."""
    metric: str
    label: str
    unit: str
    guesser: Guesser
    chance: float
    uniform: float | None
    """Figure of random guesses, which tables show as chance. None if it is unknown for the type."""
    value: float
    """The metric's value for the model."""
    ahead: float
    """Difference to the guesser, above 0 if the model is better."""
    p: float
    """One-sided p-value of the hypothesis that the model is not better than the guesser."""
    test: str

    @property
    def is_beaten(self) -> bool:
        """True if the model is significantly better than the guesser."""
        return self.ahead > 0 and self.p < ALPHA

    @property
    def words(self) -> str:
        """Verdict without a subject, for example "no better than a random guess, 8.3 %"."""
        guesser = f"{_GUESSER_NAMES[self.guesser]}, {figure(self.chance, self.unit)}"
        if self.guesser == "constant" and self.uniform is not None:
            guesser += f" (a random guess has {figure(self.uniform, self.unit)})"
        if self.ahead <= 0:
            return f"no better than {guesser}"
        return f"not shown to be better than {guesser} (one-sided p {p_text(self.p)}, {self.test})"

    @property
    def sentence(self) -> str:
        """`words` with the figure of the model."""
        return f"{self.words}: {lower_first(self.label)} {figure(self.value, self.unit)}"

    def to_json(self) -> dict[str, Any]:
        """Return values for a report's JSON."""
        return {**type_as_kind(asdict(self)), "beaten": self.is_beaten}


def compare_with_chance(scores_by_seed: Mapping[int, Scores]) -> dict[str, ChanceTest]:
    """Test a model against the better of two guessers, for each type of answer.

    Measures are averaged over seeds, so the verdict holds for these runs and not for other seeds.
    A type is left out if its guessers are unknown, or if the seeds have different items.
    """
    first = next(iter(scores_by_seed.values()))
    tests = {}
    for type_name, summary in first.summaries.items():
        metric = TYPES[type_name].metrics[0]
        by_seed = [
            {item.sample_id: item for item in scores.of_type(type_name)}
            for scores in scores_by_seed.values()
        ]
        # All seeds follow the order of the first seed.
        items = list(by_seed[0].values())
        chance = next(
            (result.chance for result in summary.results if result.name == metric.name), {}
        )
        # The first run gives the best constant answer, because all seeds have the same questions.
        guesser, guesses = _better_guesser(
            chance, first.constant_measures.get(type_name, ()), len(items), metric
        )
        if guesses and all(items_of_seed.keys() == by_seed[0].keys() for items_of_seed in by_seed):
            matrix = [
                [items_of_seed[item.sample_id].measures[metric.key] for item in items]
                for items_of_seed in by_seed
            ]
            values = np.mean(matrix, axis=0).tolist()
            tests[type_name] = _test_guesser(
                type_name, metric, items, values, guesser, guesses, chance.get("uniform")
            )
    return tests


def _better_guesser(
    chance: Mapping[str, float], constant_measures: Sequence[float], n: int, metric: Metric
) -> tuple[Guesser, Sequence[float]]:
    """Return the better guesser, with its measure of each of n items, or () if it is unknown.

    A constant answer that is right on a single item is ignored, because such an answer exists for
    any labels.
    """
    uniform, sign = chance.get("uniform"), -1 if metric.better == "lower" else 1
    # For twenty questions with twenty truths, each of these truths is right once.
    if sum(map(bool, constant_measures)) <= 1:
        constant_measures = ()
    if uniform is None or (
        constant_measures and sign * uniform <= sign * float(np.mean(constant_measures))
    ):
        return "constant", constant_measures
    return "uniform", [uniform] * n


def _test_guesser(
    type_name: str,
    metric: Metric,
    items: Sequence[ScoredAnswer],
    model: Sequence[float],
    guesser: Guesser,
    guesses: Sequence[float],
    uniform: float | None,
) -> ChanceTest:
    """Test the measures of a model against the measures of a guesser, one-sided."""
    sides = [
        {
            0: {
                item.sample_id: replace(item, measures={metric.key: value})
                for item, value in zip(items, values, strict=True)
            }
        }
        for values in (guesses, model)
    ]
    ids = [item.sample_id for item in items]
    result = estimate_difference(type_name, metric, ids, sides, most=1.0)
    ahead = (result.candidate - result.baseline) * (-1 if metric.better == "lower" else 1)
    # Half of a two-sided p is the one-sided p, if the difference has the right sign.
    p, test = result.p / 2 if ahead > 0 else 1 - result.p / 2, result.test
    is_independent = len(set(unit_names(items)[0])) == len(items)
    # The number of right random guesses is binomial, which is exact even for few items.
    if guesser == "uniform" and is_independent and {*model} <= {0.0, 1.0}:
        p, test = binomial(int(sum(model)), len(items), guesses[0]), "exact binomial test"
    return ChanceTest(
        type_name=type_name,
        metric=metric.name,
        label=result.label,
        unit=metric.unit,
        guesser=guesser,
        chance=result.baseline,
        uniform=uniform,
        value=result.candidate,
        ahead=ahead,
        p=p,
        test=test,
    )


# Share of answers that must be equal before they are tested for a warning.
_MOST_OF_ALL = 0.5
# Characters of the answer that a warning shows.
_LONGEST_ANSWER = 40


def repeated_answer_warnings(scores: Scores) -> list[str]:
    """Return a warning for each type with mostly equal answers, unless its truths are as equal."""
    type_names = list(scores.summaries)
    warnings = []
    for type_name in type_names:
        if text := _repeated_answer(scores.of_type(type_name)):
            warnings.append(f"{TYPES[type_name].title}: {text}" if len(type_names) > 1 else text)
    return warnings


def _repeated_answer(items: Sequence[ScoredAnswer]) -> str | None:
    """Describe the most common answer, if it is given to most questions but true of fewer."""
    answers = [_answer_key(item) for item in items]
    # Labels may also be skewed: `mcnemar` below tests if answers are more skewed.
    (commonest, n), *_ = Counter(answers).most_common(1)
    if n <= _MOST_OF_ALL * len(items):
        return None
    is_read, text = commonest
    is_given = np.array([answer == commonest for answer in answers])
    is_true = np.array([is_read and truth_text(item.truth) == text for item in items])
    if is_true.sum() >= is_given.sum() or mcnemar(is_true, is_given) >= ALPHA:
        return None
    short = text if len(text) <= _LONGEST_ANSWER else f"{text[:_LONGEST_ANSWER]}…"
    right = f"which is true of {figure(is_true.mean(), '%')}" if is_read else "which cannot be read"
    return f'{figure(is_given.mean(), "%")} of the answers are "{short}", {right}'


def _answer_key(item: ScoredAnswer) -> tuple[bool, str]:
    """Return True and the value of an answer, or False and its text if it has no value."""
    if item.value is None:
        return False, item.text.strip()
    return True, value_text(item.value, item.type_name)
