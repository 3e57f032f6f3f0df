"""Intervals hold what they say, and say so where they cannot."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from gnomon.eval.statistics import bootstrap, mcnemar, paired_difference, wilson


def test_wilson_holds_at_the_ends():
    none, every = wilson(0, 50), wilson(50, 50)
    assert (none.value, none.low) == (0, 0)
    assert 0 < none.high < 0.1
    assert every.high == pytest.approx(1)
    assert 0.9 < every.low < 1
    # Newcombe 1998, table I: 81 of 263
    assert wilson(81, 263).low == pytest.approx(0.2553, abs=1e-4)
    assert wilson(81, 263).high == pytest.approx(0.3662, abs=1e-4)


def test_nothing_is_shown_of_nothing():
    for found in (wilson(0, 0), bootstrap([])):
        assert (found.value, found.low, found.high, found.n) == (None, None, None, 0)


def test_equal_items_show_no_certainty():
    found = bootstrap([0.0] * 30)
    assert found.value == 0
    assert found.low is None
    assert found.method == "no interval: all items are equal"
    assert bootstrap([3.0]).method == "no interval: one item"


def test_a_wild_answer_does_not_break_the_bootstrap():
    found = bootstrap([1.0, 2.0, 3.0, 1e300])
    assert "as BCa degenerates" in found.method
    assert found.low <= found.value <= found.high


def test_bootstrap_is_the_same_each_time():
    values = np.random.default_rng(0).exponential(size=200)
    assert bootstrap(values) == bootstrap(list(values))
    assert bootstrap(values, seed=1) != bootstrap(values, seed=2)


@pytest.mark.parametrize("statistic", ["mean", "median", "p90"])
@pytest.mark.parametrize("n", [30, 1500])
def test_the_estimate_lies_in_its_interval(statistic, n):
    values = np.random.default_rng(0).exponential(size=n)
    found = bootstrap(values, statistic)
    assert found.low < found.value < found.high
    assert found.n == n
    assert ("BCa" in found.method) == (statistic == "mean" and n == 30)


def test_wilson_covers_its_share():
    rng = np.random.default_rng(1)
    for share in (0.02, 0.5, 0.95):
        found = [wilson(int(k), 100) for k in rng.binomial(100, share, size=400)]
        covered = np.mean([e.low <= share <= e.high for e in found])
        assert 0.91 <= covered <= 0.99


def test_the_bootstrap_covers_a_skewed_mean():
    rng = np.random.default_rng(2)
    found = [bootstrap(rng.exponential(size=80), seed=i, resamples=500) for i in range(200)]
    covered = np.mean([e.low <= 1 <= e.high for e in found])
    assert 0.88 <= covered <= 0.99


def test_the_bootstrap_covers_a_median():
    rng = np.random.default_rng(3)
    found = [bootstrap(rng.normal(size=80), "median", seed=i, resamples=500) for i in range(200)]
    covered = np.mean([e.low <= 0 <= e.high for e in found])
    assert 0.88 <= covered <= 1


def test_pairs_are_resampled_together():
    """Between items the spread is 100 times that of the difference: unpaired would see nothing."""
    rng = np.random.default_rng(4)
    a = rng.normal(scale=100, size=200)
    found = paired_difference(a, a + 1 + rng.normal(size=200))
    assert 0.7 < found.low < 1 < found.high < 1.3
    with pytest.raises(ValueError, match="2 of one and 3 of the other"):
        paired_difference([1, 2], [1, 2, 3])


def test_mcnemar_counts_only_what_differs():
    a = [True] * 50 + [True] * 2 + [False] * 9
    b = [True] * 50 + [False] * 2 + [True] * 9
    found = mcnemar(a, b)
    assert found.n == 11
    assert found.value == pytest.approx(stats.binomtest(9, 11).pvalue)
    assert mcnemar(a, a).value == 1


def test_mcnemar_rarely_cries_wolf():
    rng = np.random.default_rng(5)
    p = [mcnemar(rng.random(100) < 0.7, rng.random(100) < 0.7).value for _ in range(300)]
    assert np.mean(np.array(p) < 0.05) <= 0.07
