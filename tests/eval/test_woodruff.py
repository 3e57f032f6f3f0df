"""Quantiles of questions that share pictures: their intervals hold what they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from gnomon.eval.stats.intervals import bootstrap
from gnomon.eval.stats.quantiles import quantile_over_pictures

SHARES = {"median": 0.5, "p90": 0.9}
FEWEST = {"median": 6, "p90": 36}


def drawn(rng, pictures, each, alike):
    """Errors of `each` questions about each picture, and whose they are."""
    common, own = rng.normal(size=(pictures, 1)), rng.normal(size=(pictures, each))
    errors = np.exp(np.sqrt(alike) * common + np.sqrt(1 - alike) * own).ravel()
    return errors, np.repeat(np.arange(pictures), each)


@pytest.mark.parametrize("statistic", SHARES)
@pytest.mark.parametrize(("pictures", "each", "alike"), [(60, 4, 0.5), (100, 2, 0.9)])
def test_the_interval_covers_the_truth(statistic, pictures, each, alike):
    """As if each question stood alone it covers in 84 to 88 % here."""
    rng = np.random.default_rng(0)
    truth = np.exp(stats.norm.ppf(SHARES[statistic]))
    rounds = [drawn(rng, pictures, each, alike) for _ in range(200)]
    over = [quantile_over_pictures(*found, statistic) for found in rounds]
    alone = [bootstrap(errors, statistic) for errors, _ in rounds]
    covered, too_seldom = (
        np.mean([found.low <= truth <= found.high for found in way]) for way in (over, alone)
    )
    assert 0.91 <= covered <= 0.985
    assert too_seldom < 0.9
    assert all(a.value == b.value for a, b in zip(over, alone, strict=True))


@pytest.mark.parametrize("statistic", SHARES)
def test_too_few_pictures_have_none(statistic):
    few, enough = (
        quantile_over_pictures(*drawn(np.random.default_rng(1), n, 20, 0.5), statistic)
        for n in (FEWEST[statistic] - 1, FEWEST[statistic])
    )
    assert (few.low, few.method) == (None, "no interval: too few pictures")
    assert enough.low <= enough.value <= enough.high


def test_where_most_values_are_the_greatest_there_is_none():
    found = quantile_over_pictures(
        np.r_[np.zeros(9), np.full(51, 3.0)], np.arange(60) // 2, "median"
    )
    assert (found.value, found.low) == (3.0, None)
    assert found.method == "no interval: no value is greater"
