"""Difference of two models in one metric of the summary, with its significance test."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Literal, TypeAlias

import numpy as np

from gnomon.answers.base.answer_type import Metric
from gnomon.answers.registry import TYPES
from gnomon.eval.scoring.runs import ScoredAnswer, unit_names
from gnomon.eval.stats.crossed import CrossedEstimate, estimate_crossed
from gnomon.eval.stats.intervals import Estimate, Floats, wilson
from gnomon.eval.stats.significance import ALPHA, detectable, mcnemar, sign_flip

Side: TypeAlias = Mapping[int, Mapping[str, ScoredAnswer]]
"""Items of one model, by seed and sample id."""
Verdict: TypeAlias = Literal["better", "worse", "tied"]
T_TEST = "Student's t over seeds"
"""Name of the test if each model has several seeds."""


@dataclass(frozen=True, slots=True)
class SeedPair:
    """The metric of both models for one seed, and the test of these two runs only."""

    seed: int
    baseline: float
    candidate: float
    p: float
    test: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Candidate minus baseline in one metric of the summary, on the same items."""

    type_name: str
    """Type of answer, a key of `registry.TYPES`."""
    name: str
    """Name of the metric."""
    label: str
    unit: str
    baseline: float
    candidate: float
    estimate: Estimate
    p: float
    test: str
    """Name of the test that gave `p`."""
    adjusted_p: float
    """p after Holm's correction over `n_tests` tests."""
    n_tests: int
    detectable_difference: float | None
    """Smallest difference that these seeds and items show with a power of 80 %.

    It is infinite if the metric cannot differ by so much, and None if all values are equal."""
    by_seed: tuple[SeedPair, ...]
    """The pair of runs of each seed. Empty if the models have different seeds."""
    better: Literal["higher", "lower"]

    @property
    def verdict(self) -> Verdict:
        """Verdict on the candidate. It is "tied" if the difference is not significant."""
        if not self.estimate.value or self.adjusted_p >= ALPHA:
            return "tied"
        return "better" if (self.estimate.value > 0) == (self.better == "higher") else "worse"


def estimate_difference(
    type_name: str, metric: Metric, ids: Sequence[str], sides: Sequence[Side], *, most: float
) -> Difference:
    """Estimate candidate minus baseline over the items `ids`, which all runs have measured.

    `sides` are the items of the baseline and of the candidate. `most` is the largest difference
    that the metric can have.
    """
    baseline, candidate = (_measure_matrix(metric, ids, side) for side in sides)
    seeds = list(sides[0])
    paired = sides[0].keys() == sides[1].keys()
    # Runs with the same seed share initialization and data order, so their difference varies less.
    if paired:
        # Sort the candidate's runs in the order of the baseline's seeds.
        candidate = candidate[[list(sides[1]).index(seed) for seed in seeds]]
    if baseline.shape == candidate.shape:
        candidate = _snap(candidate, baseline)
    items = next(iter(sides[0].values()))
    clusters, cluster_noun = unit_names([items[i] for i in ids])
    # Paired seeds are one arm of differences. Otherwise, the seeds of each model are an arm.
    arms = [candidate, -baseline]
    if paired or len(baseline) == len(candidate) == 1:
        arms = [candidate - baseline]
    result = estimate_crossed(arms, clusters, cluster_noun=cluster_noun)
    # Labels and units may depend on the questions.
    (display_metric,) = TYPES[type_name].present([metric], [items[i].truth for i in ids])
    p, test = _test(metric, result, baseline, candidate, clusters)
    smallest = detectable(result)
    # The smallest p of McNemar's test and of sign flips: all clusters differ in one direction.
    if test != T_TEST and 2.0 ** (1 - result.n_clusters) >= ALPHA:
        smallest = inf
    return Difference(
        type_name=type_name,
        name=metric.name,
        label=display_metric.label,
        unit=metric.unit,
        baseline=float(baseline.mean()),
        candidate=float(candidate.mean()),
        estimate=_share_interval(metric, result, cluster_noun),
        p=p,
        test=test,
        adjusted_p=p,
        n_tests=1,
        detectable_difference=inf if smallest and smallest > most else smallest,
        by_seed=tuple(
            SeedPair(seed, float(a.mean()), float(b.mean()), *_test_items(metric, a, b, clusters))
            for seed, a, b in zip(seeds, baseline, candidate, strict=True)
        )
        if paired
        else (),
        better=metric.better or "higher",
    )


def _measure_matrix(metric: Metric, ids: Sequence[str], side: Side) -> Floats:
    """Collect the metric's measure of all items for each seed: [K, N]."""
    return np.array([[items[i].measures[metric.key] for i in ids] for items in side.values()])


def _test(
    metric: Metric,
    result: CrossedEstimate,
    baseline: Floats,
    candidate: Floats,
    clusters: Sequence[str],
) -> tuple[float, str]:
    """Return p and the name of the test, over seeds if there are several, else over items."""
    if result.se and min(len(baseline), len(candidate)) > 1:
        return result.p, T_TEST
    return _test_items(metric, baseline.mean(axis=0), candidate.mean(axis=0), clusters)


def _test_items(
    metric: Metric, baseline: Floats, candidate: Floats, clusters: Sequence[str]
) -> tuple[float, str]:
    """Return p and the name of the test over items.

    It is McNemar's exact test if answers are right or wrong and each is its cluster's only item.
    Otherwise, it flips signs.
    """
    candidate = _snap(candidate, baseline)  # may be means over different numbers of seeds
    is_independent = len(set(clusters)) == len(clusters)
    is_binary = {*baseline, *candidate} <= {0.0, 1.0}
    if metric.statistic == "share" and is_independent and is_binary:
        return mcnemar(baseline == 1, candidate == 1), "McNemar's exact test"
    codes = np.unique(np.asarray(clusters), return_inverse=True)[1]
    # All items of a cluster share a sign: answers about one picture are not independent.
    return sign_flip(np.bincount(codes, candidate - baseline)), "sign flips"


def _snap(values: Floats, reference: Floats) -> Floats:
    """Replace values that differ from the reference only by rounding errors."""
    # Sums of 720 probabilities have such errors, and sign flips would call them significant.
    return np.where(np.isclose(values, reference, rtol=1e-12, atol=1e-12), reference, values)


def _share_interval(metric: Metric, result: CrossedEstimate, cluster_noun: str) -> Estimate:
    """Bound the interval of a difference of shares by ±1.

    If all clusters differ by 0, by 1 or by -1, the estimate has no interval. It then gets Wilson's
    interval for the share of clusters that differ. Means are not bounded.
    """
    value, n = result.estimate.value, result.n_clusters
    if metric.statistic != "share":
        return result.estimate
    if result.estimate.low is not None and result.estimate.high is not None:
        ends = max(-1.0, result.estimate.low), min(1.0, result.estimate.high)
        return replace(result.estimate, low=ends[0], high=ends[1])
    if value not in (-1, 0, 1):
        return result.estimate
    # All clusters agree (0), or all differ in one direction (±1).
    share = wilson(n * abs(int(value)), n)
    assert share.low is not None
    assert share.high is not None
    by_value = {-1: (-1.0, -share.low), 0: (-share.high, share.high), 1: (share.low, 1.0)}
    ends = by_value[int(value)]
    return Estimate(value, *ends, f"Wilson, {n} {cluster_noun}", result.estimate.n)
