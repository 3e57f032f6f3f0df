"""Comparison of two models on the same samples: differences, and which are more than luck."""

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
"""Scores of one recipe's runs by seed."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences of two models in every metric, the most important of each type first."""

    baseline: str
    candidate: str
    """Names of the two models; differences are the candidate minus the baseline."""
    seeds: tuple[tuple[int, ...], tuple[int, ...]]
    """Seeds of the baseline and of the candidate."""
    differences: tuple[Difference, ...]
    chance: tuple[dict[str, ChanceTest], dict[str, ChanceTest]] = ({}, {})
    """Tests of the baseline and of the candidate against guessers, by type of answer."""

    def to_json(self) -> dict[str, Any]:
        """Return plain values, each difference with its verdict; an infinite figure is null."""
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
        """Verdict on each type's first metric, in words."""
        # One type needs no title: its sentence names the measure.
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
        """Verdicts on all types in a sentence: "ntil against ce: better at times; tied at numbers".

        Types of answers in which the candidate does not beat chance come first.
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
        # The candidate alone: whether the baseline beats chance is no news of a comparison.
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
        """Put chance before the difference, unless the candidate beats it."""
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
            # If neither beats chance, the sentence says so of both.
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
    """Compare the candidate b with the baseline a; refused unless both have the same items.

    Either is one run, or several by seed: {0: scores, 1: scores}. Every item counts: unread answers
    as wrong, or with what they are charged. With several seeds a metric is judged by Student's t
    over seeds and pictures (`crossed`), with one by McNemar's exact test or sign flips over the
    items, which says nothing of other seeds. The first metrics of all types are corrected together
    by Holm, the others of each type among themselves.
    """
    first, second = (run.scores if isinstance(run, RunResult) else run for run in (a, b))
    return apply_holm([compare_uncorrected(first, second, names=names)])[0]


def compare_uncorrected(
    baseline: Scores | Seeds, candidate: Scores | Seeds, *, names: tuple[str, str] = ("a", "b")
) -> Comparison:
    """Compare without any correction, if several comparisons are to be corrected together."""
    # A single run is a recipe with one seed, whatever its seed was.
    seeds = [
        {0: scores} if isinstance(scores, Scores) else scores for scores in (baseline, candidate)
    ]
    sides = [_items_by_seed(scores, name) for scores, name in zip(seeds, names, strict=True)]
    if any(has_refusals(items.values()) for side in sides for items in side.values()):
        # A run in which nobody refuses has no such measure of its own.
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
        # Intervals and certainty are not compared: models that withhold different answers are right
        # about different questions.
        rows = [items[i].measures for i in of_type]
        metrics = TYPES[type_name].metrics + belief.metrics(type_name, rows) + refusal_metrics(rows)
        for metric in metrics:
            # Medians and R² have no measure per item, and a metric without a better side has no
            # verdict.
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
    """Apply Holm's correction: over the first metrics of all types and comparisons; over the other
    metrics of one type in one comparison."""
    by_key = {(i, d.type_name, d.name): d for i, c in enumerate(comparisons) for d in c.differences}
    main_keys = [
        (i, d.type_name, d.name)
        for i, c in enumerate(comparisons)
        for d in first_metrics(c.differences)
    ]
    families: dict[tuple[int, str] | None, list[tuple[int, str, str]]] = {None: main_keys}
    # Families: None is that of all first metrics, else comparison and type.
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
    """Select the first metric of each type of answer, on which its verdict rests."""
    # A dict keeps the last of each key: the first metric, if the order is reversed.
    return list({d.type_name: d for d in reversed(differences)}.values())[::-1]


def _json_names(row: dict[str, Any]) -> dict[str, Any]:
    """Name the parts of a difference as the JSON of reports always did."""
    names = {
        "baseline": "first",
        "candidate": "second",
        "adjusted_p": "adjusted",
        "n_tests": "family",
        "detectable_difference": "detectable",
    }
    return {names.get(key, key): value for key, value in type_as_kind(row).items()}


def _items_by_seed(scores_by_seed: Seeds, name: str) -> dict[int, dict[str, ScoredAnswer]]:
    """Return each seed's items by id; refuse seeds with other items."""
    by_seed = {
        seed: {item.sample_id: item for item in scores.items}
        for seed, scores in scores_by_seed.items()
    }
    # All seeds are compared with the first: equal to it, they are equal to each other.
    (seed, first), *rest = by_seed.items()
    for other, items in rest:
        _check_same(first, items, (f"{name}, seed {seed}", f"{name}, seed {other}"))
    return by_seed


def _check_same(
    baseline: Mapping[str, ScoredAnswer],
    candidate: Mapping[str, ScoredAnswer],
    names: tuple[str, str],
) -> None:
    """Refuse two runs that answered other samples, or the same ids with other truths."""
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
        # The same box has other pixels where another model saw the picture in another size.
        same = item.truth.has_place or item.truth == other_item.truth
        if item.type_name != other_item.type_name or not same:
            raise ValueError(
                f"not the same samples: {sample_id!r} is {item.truth} in {names[0]} and"
                f" {other_item.truth} in {names[1]}"
            )


def _largest_difference(metric: Metric, cost: float) -> float:
    """Largest amount by which two models can differ; `cost` is what an unread answer costs."""
    # Nobody can be further off than an unread answer is charged with.
    if metric.key == "charged" or metric.unit == "min":
        return cost
    return (
        1.0
        if metric.statistic == "share" or metric.unit == "%" or metric.better == "higher"
        else inf
    )


def _is_measured(metric: Metric, item: str, sides: Sequence[Side]) -> bool:
    """True if every run has the metric's measure of an item: some may have stored no belief."""
    return all(metric.key in items[item].measures for side in sides for items in side.values())
