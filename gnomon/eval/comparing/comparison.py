"""Compare two models on the same samples: differences in each metric, with significance tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Any, TypeAlias

from gnomon.answers.base.answer_type import Metric
from gnomon.answers.registry import TYPES
from gnomon.eval.comparing.difference import Difference, Side, estimate_difference
from gnomon.eval.comparing.guessing import ChanceTest, compare_with_chance
from gnomon.eval.formatting import difference_text, figure, lower_first, p_text
from gnomon.eval.scoring import belief
from gnomon.eval.scoring.runs import RunResult, ScoredAnswer, Scores, type_as_kind
from gnomon.eval.scoring.score import has_refusals, measure_refusal, refusal_metrics
from gnomon.eval.stats.significance import holm

Seeds: TypeAlias = "Mapping[int, Scores]"
"""Scores of the runs of one recipe, by seed."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences of two models in every metric. Each type's most important metric comes first."""

    baseline: str
    candidate: str
    """Names of the two models. A difference is the candidate minus the baseline."""
    seeds: tuple[tuple[int, ...], tuple[int, ...]]
    """Seeds of the baseline and of the candidate."""
    differences: tuple[Difference, ...]
    chance: tuple[dict[str, ChanceTest], dict[str, ChanceTest]] = ({}, {})
    """Tests of the baseline and of the candidate against guessers, by type of answer."""

    def to_json(self) -> dict[str, Any]:
        """Return values for a report's JSON. Each difference has its verdict.

        An infinite figure becomes None, because JSON cannot hold it.
        """
        rows = []
        for difference in self.differences:
            row = _json_names(asdict(difference))
            row["by_seed"] = [_json_names(pair) for pair in row["by_seed"]]
            if difference.detectable_difference == inf:
                row["detectable"] = None
            rows.append({**row, "verdict": difference.verdict})
        names = {"a": self.baseline, "b": self.candidate}
        return {**names, "seeds": self.seeds, "differences": rows}

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Verdict on the first metric of each type of answer, as a sentence."""
        # A single type does not need a title, because its sentence names the metric.
        main = first_metrics(self.differences)
        titles = [
            f"{TYPES[difference.type_name].title}: " if len(main) > 1 else "" for difference in main
        ]
        return tuple(
            title + self._sentence(difference)
            for title, difference in zip(titles, main, strict=True)
        )

    @property
    def short_verdict(self) -> str:
        """Verdicts on all types in one sentence, for example "ntil against ce: better at times".

        Types of answers on which the candidate does not beat chance come first.
        """
        titles = {
            verdict: [
                lower_first(TYPES[difference.type_name].title)
                for difference in first_metrics(self.differences)
                if difference.verdict == verdict
            ]
            for verdict in ("better", "worse", "tied")
        }
        parts = [f"{verdict} at {', '.join(types)}" for verdict, types in titles.items() if types]
        # Only the candidate is mentioned: the comparison is about what is new.
        at_chance = [
            lower_first(TYPES[type_name].title)
            for type_name, test in self.chance[1].items()
            if not test.is_beaten
        ]
        if not at_chance:
            return f"{self.candidate} against {self.baseline}: {'; '.join(parts)}"
        return (
            f"{self.candidate} is not shown to be better than chance at {', '.join(at_chance)};"
            f" against {self.baseline}: {'; '.join(parts)}"
        )

    def _sentence(self, difference: Difference) -> str:
        """Describe one difference. Chance comes first if the candidate does not beat it."""
        baseline = figure(difference.baseline, difference.unit)
        candidate = figure(difference.candidate, difference.unit)
        size = difference_text(difference.estimate, difference.unit)
        figures = f"{lower_first(difference.label)} {candidate} against {baseline}, {size}"
        correction = f", Holm over {difference.n_tests}" if difference.n_tests > 1 else ""
        figures += f", p {p_text(difference.adjusted_p)} ({difference.test}{correction})"
        baseline_chance, chance = (tests.get(difference.type_name) for tests in self.chance)
        if chance is None or chance.is_beaten:
            if difference.verdict == "tied":
                return f"{self.candidate} and {self.baseline} are tied in this: {figures}"
            return f"{self.candidate} is {difference.verdict} than {self.baseline}: {figures}"
        if difference.verdict == "tied":
            # If neither model beats chance, the sentence says that of both.
            neither = ""
            if baseline_chance and not baseline_chance.is_beaten:
                neither = f", nor is {self.baseline}"
            tie = f"{self.candidate} and {self.baseline} are tied in this"
            return f"{self.candidate} is {chance.words}{neither}; {tie}: {figures}"
        conjunction = "though" if difference.verdict == "better" else "and"
        verdict = f"{conjunction} {difference.verdict} than {self.baseline}"
        return f"{self.candidate} is {chance.words}, {verdict}: {figures}"


def compare(
    a: Scores | RunResult | Seeds, b: Scores | RunResult | Seeds, *,
    names: tuple[str, str] = ("a", "b"),
) -> Comparison:  # fmt: skip
    """Compare the candidate b with the baseline a on the same items.

    Each of them is one run, or several runs by seed: {0: scores, 1: scores}. Raises a ValueError if
    their items differ. All items count: an answer that cannot be read is wrong, or has the largest
    error. With several seeds, a metric is tested by Student's t over seeds and pictures (see
    `crossed`). With one seed, it is tested by McNemar's exact test or by sign flips over items,
    and the result holds for this seed only. Holm's method corrects the first metrics of all types
    together, and the other metrics of each type among themselves.
    """
    first, second = (run.scores if isinstance(run, RunResult) else run for run in (a, b))
    return apply_holm([compare_uncorrected(first, second, names=names)])[0]


def compare_uncorrected(
    baseline: Scores | Seeds, candidate: Scores | Seeds, *, names: tuple[str, str] = ("a", "b")
) -> Comparison:
    """Compare without Holm's correction, which `apply_holm` applies to several comparisons."""
    # A single run is a recipe with one seed, whatever its seed was.
    seeds = [
        {0: scores} if isinstance(scores, Scores) else scores for scores in (baseline, candidate)
    ]
    sides = [_items_by_seed(scores, name) for scores, name in zip(seeds, names, strict=True)]
    if any(has_refusals(items.values()) for side in sides for items in side.values()):
        # A run without refusals lacks the measure that the other run has.
        sides = [
            {
                seed: {i: measure_refusal(item) for i, item in items.items()}
                for seed, items in by_seed.items()
            }
            for by_seed in sides
        ]
    items = next(iter(sides[0].values()))
    _check_same(items, next(iter(sides[1].values())), names)
    differences = []
    for type_name in next(iter(seeds[0].values())).summaries:
        of_type = [i for i, item in items.items() if item.type_name == type_name]
        costs = TYPES[type_name].costs([items[i].truth for i in of_type])
        # Intervals and certainty are not compared, because the models may refuse different
        # questions.
        rows = [items[i].measures for i in of_type]
        metrics = TYPES[type_name].metrics + belief.metrics(type_name, rows) + refusal_metrics(rows)
        for metric in metrics:
            # Medians and R² have no value per item, and a metric that is neither better when higher
            # nor when lower has no verdict.
            if (
                metric.among != "all"
                or not metric.better
                or metric.statistic not in ("share", "mean")
            ):
                continue
            ids = [i for i in of_type if _is_measured(metric, i, sides)]
            if ids:
                most = _largest_difference(metric, sum(costs) / len(costs))
                differences.append(estimate_difference(type_name, metric, ids, sides, most=most))
    chance = compare_with_chance(seeds[0]), compare_with_chance(seeds[1])
    return Comparison(*names, (tuple(seeds[0]), tuple(seeds[1])), tuple(differences), chance)


def apply_holm(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Apply Holm's correction to the p-values of all comparisons.

    The first metrics of all types and comparisons are one family of tests. The other metrics of a
    type in a comparison are another family.
    """
    by_key = {(i, d.type_name, d.name): d for i, c in enumerate(comparisons) for d in c.differences}
    main_keys = [
        (i, d.type_name, d.name)
        for i, c in enumerate(comparisons)
        for d in first_metrics(c.differences)
    ]
    families: dict[tuple[int, str] | None, list[tuple[int, str, str]]] = {None: main_keys}
    # The key None is for all first metrics. Other keys are a comparison and a type.
    for key in by_key:
        if key not in main_keys:
            families.setdefault(key[:2], []).append(key)
    for keys in families.values():
        for key, p in zip(keys, holm([by_key[key].p for key in keys]), strict=True):
            by_key[key] = replace(by_key[key], adjusted_p=p, n_tests=len(keys))
    return [
        replace(c, differences=tuple(by_key[i, d.type_name, d.name] for d in c.differences))
        for i, c in enumerate(comparisons)
    ]


def first_metrics(differences: Sequence[Difference]) -> list[Difference]:
    """Select the first metric of each type of answer. It decides the verdict."""
    # A dict keeps the last value of each key, which is the first metric in reversed order.
    return list({d.type_name: d for d in reversed(differences)}.values())[::-1]


def _json_names(row: dict[str, Any]) -> dict[str, Any]:
    """Rename the fields of a difference to the names that reports' JSON files use."""
    names = {
        "baseline": "first",
        "candidate": "second",
        "adjusted_p": "adjusted",
        "n_tests": "family",
        "detectable_difference": "detectable",
    }
    return {names.get(key, key): value for key, value in type_as_kind(row).items()}


def _items_by_seed(scores_by_seed: Seeds, name: str) -> dict[int, dict[str, ScoredAnswer]]:
    """Return the items of each seed by id. Raises a ValueError if seeds have different items."""
    by_seed = {
        seed: {item.sample_id: item for item in scores.items}
        for seed, scores in scores_by_seed.items()
    }
    # It is enough to compare all seeds with the first.
    (seed, first), *rest = by_seed.items()
    for other, items in rest:
        _check_same(first, items, (f"{name}, seed {seed}", f"{name}, seed {other}"))
    return by_seed


def _check_same(
    baseline: Mapping[str, ScoredAnswer],
    candidate: Mapping[str, ScoredAnswer],
    names: tuple[str, str],
) -> None:
    """Raise a ValueError if two runs have different sample ids, or different truths for one id."""
    for name, ids, other_ids in ((names[0], baseline, candidate), (names[1], candidate, baseline)):
        missing = [i for i in ids if i not in other_ids]
        if missing:
            examples = ", ".join(map(repr, missing[:3])) + (", …" if len(missing) > 3 else "")
            raise ValueError(
                f"not the same samples: {len(missing)} of {len(ids)} are only in {name}"
                f" ({examples}): compare runs that answered the same questions"
            )
    for sample_id, item in baseline.items():
        other_item = candidate[sample_id]
        # The same box has other pixels if another model saw the picture in another size.
        same = item.truth.has_place or item.truth == other_item.truth
        if item.type_name != other_item.type_name or not same:
            raise ValueError(
                f"not the same samples: {sample_id!r} is {item.truth} in {names[0]} and"
                f" {other_item.truth} in {names[1]}"
            )


def _largest_difference(metric: Metric, cost: float) -> float:
    """Return the largest possible difference of two models.

    `cost` is the error that an answer counts with if it cannot be read.
    """
    # No answer counts with a larger error than an answer that cannot be read.
    if metric.key == "charged" or metric.unit == "min":
        return cost
    return (
        1.0
        if metric.statistic == "share" or metric.unit == "%" or metric.better == "higher"
        else inf
    )


def _is_measured(metric: Metric, item: str, sides: Sequence[Side]) -> bool:
    """Return True if every run has the metric's measure of the item. Some runs store no beliefs."""
    return all(metric.key in items[item].measures for side in sides for items in side.values())
