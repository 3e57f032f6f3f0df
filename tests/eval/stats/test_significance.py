"""Tests cry wolf as rarely as they say, and agree with what others have."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests

from gnomon.eval.stats.crossed import CrossedEstimate, estimate_crossed
from gnomon.eval.stats.intervals import Estimate
from gnomon.eval.stats.significance import detectable, holm, mcnemar, power, sign_flip


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_mcnemar_is_that_of_statsmodels(pairs):
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    table = [[np.sum(x & y) for y in (b, ~b)] for x in (a, ~a)]
    with np.errstate(invalid="ignore"):
        expected = float(statsmodels_mcnemar(table, exact=True).pvalue)
    assert mcnemar(a, b) == pytest.approx(1.0 if np.isnan(expected) else expected)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8))
def test_few_signs_are_all_flipped(values):
    result = np.array([v for v in values if v])
    sums = [abs(np.dot(s, result)) for s in itertools.product((-1, 1), repeat=len(result))]
    assert sign_flip(values) == pytest.approx(np.mean(np.array(sums) >= abs(result.sum())))


def test_many_flips_are_normal():
    values = np.random.default_rng(0).exponential(size=3000) - 0.97
    assert sign_flip(values) == pytest.approx(stats.ttest_1samp(values, 0).pvalue, abs=0.005)
    assert sign_flip(values[:400]) == pytest.approx(
        stats.ttest_1samp(values[:400], 0).pvalue, abs=0.02
    )


def test_no_difference_has_p_1():
    assert sign_flip([0, 0, 0]) == 1
    assert sign_flip([]) == 1


@pytest.mark.parametrize("n", [8, 40, 900])
def test_huge_differences_have_the_p_of_small_ones(n):
    differences = np.random.default_rng(3).normal(0.9, 1, n)
    assert sign_flip(differences * 2.0**700) == sign_flip(differences) < 0.5


@pytest.mark.parametrize("m", [1, 2, 15])
def test_holm_is_that_of_statsmodels(m):
    p = np.random.default_rng(m).uniform(0, 0.2, m).round(2)  # some are equal, some beyond 1 / m
    assert holm(p) == pytest.approx(list(multipletests(p, method="holm")[1]))


@pytest.mark.parametrize("errors", [12, 16, 37, 1000, 1e13])
def test_what_is_many_errors_large_is_always_found(errors):
    """The noncentral t's far tail is empty; scipy may return NaN for it."""
    result = estimate_crossed([np.random.default_rng(1).normal(size=(1, 88))], np.arange(88))
    assert power(result, errors * result.se) == pytest.approx(1)


@pytest.mark.parametrize("df", [1, 1.01, 1.1, 1.3, 1.5, 2, 3, 7, 50])
def test_power_is_right_at_few_degrees_of_freedom(df):
    """The power equals an integral over the standard error, for 1 degree of freedom or a few."""
    result = CrossedEstimate(Estimate(0.1, 0.0, 0.2, "", 9), 0.5, df, 9)
    critical = stats.t.ppf(0.975, df)

    def shown(error):
        passed = stats.norm.sf(critical * error - smallest) + stats.norm.cdf(
            -critical * error - smallest
        )
        return passed * stats.chi.pdf(error * np.sqrt(df), df) * np.sqrt(df)

    for wanted in (0.4, 0.5, 0.8, 0.9):
        smallest = detectable(result, power=wanted) / result.se
        true = integrate.quad(shown, 0, 1)[0] + integrate.quad(shown, 1, np.inf)[0]
        assert true == pytest.approx(wanted, abs=1e-4)
        assert power(result, smallest * result.se) == pytest.approx(wanted, abs=1e-4)
