"""Intervals over seeds and pictures cover what they say, in simulations whose truth is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from simulated import Model, answers

from gnomon.eval.stats.crossed import estimate_crossed
from gnomon.eval.stats.significance import ALPHA, detectable, power

REPEATED = 1000
NAMES = np.arange(1500)


def repeated(model, k, n, name, *, other=None, seed=0, times=REPEATED):
    """Many times: a mean over k seeds and n pictures, or its difference to another model's."""
    rng = np.random.default_rng(seed)
    for _ in range(times):
        pictures = rng.normal(size=n)
        arm = answers(model, rng, k, pictures)[name]
        if other is not None:
            arm = answers(other, rng, k, pictures)[name] - arm
        yield estimate_crossed([arm], NAMES[:n], resamples=300)


def covered(found, truth):
    return np.mean([c.estimate.low <= truth <= c.estimate.high for c in found])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["exact", "charged"])
@pytest.mark.parametrize(("k", "n"), [(5, 150), (8, 150)])
def test_a_models_mean_is_covered(k, n, name):
    model = Model()
    assert 0.93 <= covered(repeated(model, k, n, name), model.truth[name]) <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("name", ["exact", "charged"])
def test_a_paired_difference_is_covered(name):
    model, other = Model(), Model().better_by(4)
    result = repeated(model, 5, 200, name, other=other)
    assert 0.93 <= covered(result, other.truth[name] - model.truth[name]) <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "spread", "most"),
    [
        (2, 0.0, 0.985),
        (2, 0.3, 0.97),
        (2, 0.8, 0.97),
        (3, 0.0, 0.97),
        (3, 0.3, 0.97),
        (3, 0.8, 0.97),
    ],
)
def test_few_seeds_are_taken_neither_for_many_nor_for_fewer(k, spread, most):
    """Seeds that do not differ are covered more often than the level: they might differ."""
    model = Model(seeds=spread)
    result = repeated(model, k, 200, "exact"), repeated(model, k, 200, "exact", other=model)
    for runs, truth in zip(result, (model.accuracy, 0), strict=True):
        assert 0.93 <= covered(runs, truth) <= most


@pytest.mark.parametrize("k", [2, 3, 5])
def test_pictures_add_to_what_seeds_alone_say(k):
    """Student's t over the seeds' means takes the pictures for given, and is never wider."""
    rng = np.random.default_rng(9)
    for _ in range(20):
        arm = answers(Model(seeds=1.5), rng, k, rng.normal(size=60))["charged"]
        alone = stats.t.interval(0.95, k - 1, arm.mean(), stats.sem(arm.mean(axis=1)))
        e = estimate_crossed([arm], NAMES[:60], resamples=50).estimate
        assert e.high - e.low >= (1 - 1e-9) * (alone[1] - alone[0])


def test_two_seeds_that_are_alike_by_luck_show_no_certainty():
    """Both differ in 80 of 100 answers, and by nothing on the average."""
    arm = np.array([np.arange(100) < 60, np.arange(100) >= 40], float)
    result = estimate_crossed([arm - arm[:, ::-1]], NAMES[:100])
    assert result.estimate.value == 0
    cells = float(np.sum((arm - arm[:, ::-1]) ** 2)) / 200**2 * 2 * 100 / 99
    luck = stats.chi2.ppf(0.025, 1)
    assert result.se**2 == pytest.approx(luck * cells)
    assert result.estimate.high > 5 * result.se


def test_a_planted_difference_is_found_as_often_as_is_said():
    """Three points, in a design that says it shows about so much with a power of 80 %."""
    model = Model(seeds=0.05, pictures=1.0, skill=2.0)
    result = list(repeated(model, 8, 380, "exact", other=model.better_by(3), times=400))
    shown = np.mean([c.p < ALPHA and c.estimate.value > 0 for c in result])
    assert np.median([100 * detectable(c) for c in result[:100]]) == pytest.approx(3, abs=0.3)
    assert np.mean([power(c, 0.03) for c in result]) == pytest.approx(shown, abs=0.05)
    assert shown == pytest.approx(0.8, abs=0.1)


def test_p_and_interval_agree():
    for c in repeated(Model(), 3, 100, "charged", other=Model().better_by(6), seed=4, times=200):
        half = (c.estimate.high - c.estimate.low) / 2
        assert (c.p < ALPHA) == (abs(c.estimate.value) > half)


def test_other_seeds_make_two_arms():
    rng = np.random.default_rng(5)
    pictures = rng.normal(size=200)
    a, b = (answers(Model(), rng, k, pictures)["exact"] for k in (3, 5))
    result = estimate_crossed([b, -a], NAMES[:200])
    assert result.estimate.value == pytest.approx(b.mean() - a.mean())
    # A variance of the means over seeds at least, whatever the pictures say.
    assert result.se**2 >= 0.99 * sum(x.mean(axis=1).var(ddof=1) / len(x) for x in (a, b))


def test_the_variance_is_that_of_naive_loops():
    rng = np.random.default_rng(6)
    arm = rng.normal(size=(3, 12)) + rng.normal(size=(3, 1))
    names = ["a"] * 5 + ["b"] * 3 + ["c"] * 3 + ["d"]
    result = estimate_crossed([arm], names)
    mean = sum(arm[s][i] for s in range(3) for i in range(12)) / 36
    pictures, cells, seeds = 0.0, 0.0, 0.0
    by_seed = [sum(row) / 12 for row in arm]
    for picture in "abcd":
        own = [i for i in range(12) if names[i] == picture]
        together = sum(arm[s][i] for s in range(3) for i in own) / 3
        pictures += (together - mean * len(own)) ** 2 / 144 * 4 / 3
        for s in range(3):
            left = sum(arm[s][i] for i in own) - together - (by_seed[s] - mean) * len(own)
            cells += left**2 / 36**2 * 3 / 2 * 4 / 3
    for value in by_seed:
        seeds += (value - mean) ** 2 / 2 / 3
    assert result.se**2 == pytest.approx(max(pictures - cells, 0) + seeds)


def test_a_skewed_mean_has_a_lopsided_interval():
    values = np.random.default_rng(7).exponential(size=(1, 60)) ** 2
    e = estimate_crossed([values], NAMES[:60]).estimate
    assert e.high - e.value > 1.1 * (e.value - e.low)


def test_nothing_varies():
    result = estimate_crossed([np.zeros((3, 50))], NAMES[:50])
    assert result.estimate.method == "no interval: all items are equal"
    assert (result.estimate.low, result.p, detectable(result), power(result, 1)) == (
        None,
        1,
        None,
        None,
    )
    assert estimate_crossed([np.eye(2)], ["a", "a"]).estimate.method == "no interval: one picture"


def test_many_pictures_need_no_resampling():
    values = np.random.default_rng(8).normal(size=(2, 30_000))
    assert (
        "Student's t" in estimate_crossed([values], [str(i) for i in range(30_000)]).estimate.method
    )


@given(
    st.integers(1, 5).flatmap(
        lambda k: st.lists(
            st.lists(st.floats(-1e6, 1e6), min_size=k, max_size=k), min_size=2, max_size=30
        )
    )
)
def test_the_estimate_lies_in_its_interval_whatever_the_values(rows):
    arm = np.array(rows).T
    e = estimate_crossed([arm], NAMES[: arm.shape[1]], resamples=50).estimate
    assert e.value == pytest.approx(arm.mean(), rel=1e-9, abs=1e-6)
    if e.low is not None:
        assert e.low <= e.value <= e.high


@pytest.mark.parametrize("power_of_two", [-700, -40, 40, 700, 1000])
def test_a_scale_changes_nothing_but_the_scale(power_of_two):
    """Loops of nines are read as 1e200 and more, whose squares have no float."""
    size, arm = 2.0**power_of_two, np.random.default_rng(5).normal(size=(3, 60))
    plain, scaled = (
        estimate_crossed([one], NAMES[:60], resamples=200) for one in (arm, size * arm)
    )
    for said, as_it_is in zip(ends(scaled), ends(plain), strict=True):
        assert said == as_it_is * size
    assert (scaled.p, scaled.df) == (plain.p, plain.df)


def ends(found):
    return (
        found.estimate.low,
        found.estimate.value,
        found.estimate.high,
        found.se,
        detectable(found),
    )


def test_two_seeds_that_have_the_same_number_right_are_not_sure():
    """Two seeds of 98 % have the same number of 200 right in one of six cases, by luck."""
    rng = np.random.default_rng(6)
    result = []
    for _ in range(400):
        arms = (rng.random((2, 2, 200)) < 0.98).astype(float)
        result.append(estimate_crossed([arms[1] - arms[0]], NAMES[:200], resamples=50))
    assert np.mean([c.p < 0.05 for c in result]) <= 0.06
