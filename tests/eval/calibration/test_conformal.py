"""Limits and thresholds against ranks counted by hand, and against simulated pictures to come."""

from itertools import count
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchmarks.calibration import (
    COVERAGE,
    MANY,
    SIMULATIONS,
    WRONG,
    new_cameras,
    refusals,
    same_cameras,
)
from gnomon.eval.calibration import conformal

scores = st.lists(st.floats(0, 100), min_size=9, max_size=60)


@given(scores)
def test_without_groups_the_limit_is_the_score_of_the_usual_rank(some):
    rank = int(np.ceil((len(some) + 1) * 0.9))
    assert conformal.limit(some, range(len(some)), 0.9) == sorted(some)[rank - 1]


@given(scores, st.integers(2, 5))
def test_pictures_that_come_several_times_in_their_group_change_nothing(some, times):
    groups = list(range(len(some)))
    expected = conformal.limit(some, groups, 0.9)
    assert conformal.limit(some * times, groups * times, 0.9) == expected


def test_a_group_weighs_the_same_however_many_pictures_it_has():
    """A hundred bad pictures of one camera are a tenth of what is known, and not nine tenths."""
    some = [1.0] * 10 + [9.0] * 100
    groups = [*range(10), *["bad"] * 100]
    assert conformal.limit(some, groups, 0.8) == 1.0
    assert conformal.limit(some, groups, 0.9) == 9.0


@pytest.mark.parametrize(("coverage", "least"), [(0.5, 1), (0.8, 4), (0.9, 9), (0.95, 19)])
def test_too_few_groups_are_refused_with_their_number(coverage, least):
    assert conformal.fewest_groups(coverage) == least
    assert conformal.limit([1.0] * least, range(least), coverage) == 1.0
    if least > 1:
        with pytest.raises(ValueError, match=f"at least {least} groups"):
            conformal.limit([1.0] * 50, [n % (least - 1) for n in range(50)], coverage)


@pytest.mark.parametrize("coverage", [0, 1, -0.1, 90])
def test_a_coverage_that_is_no_share_is_refused(coverage):
    with pytest.raises(ValueError, match="between 0 and 1"):
        conformal.fewest_groups(coverage)


def test_the_binomial_bound_is_clopper_and_pearson_s():
    """Figures of the exact 95 % interval of 3 of 20, which has 2.5 % above it."""
    assert conformal.upper_bound(3, 20, 0.025) == pytest.approx(0.37893, abs=1e-5)
    assert conformal.upper_bound(0, 59, 0.05) == pytest.approx(1 - 0.05 ** (1 / 59))
    assert conformal.upper_bound(5, 5, 0.1) == 1


def test_sure_answers_are_given_and_unsure_ones_are_not():
    trusts = [0.9] * 200 + [0.3] * 200
    right = [True] * 200 + [n % 2 == 0 for n in range(200)]
    assert conformal.threshold_by_risk(trusts, right, 0.05) == 0.9
    assert conformal.threshold_by_risk(trusts, [True] * 400, 0.05) == 0.3
    assert conformal.threshold_by_risk(trusts, [False] * 400, 0.05) == inf
    # Ten right answers show nothing of 5 %.
    assert conformal.threshold_by_risk([0.9] * 10, [True] * 10, 0.05) == inf


def test_new_groups_are_promised_no_more_than_groups_show():
    """A hundred right pictures of each of a dozen cameras say little of the thirteenth."""
    groups = [n // 100 for n in range(1200)]
    trusts, right = [0.9] * 1200, [True] * 1200
    assert conformal.threshold_by_risk(trusts, right, 0.05) == 0.9
    assert conformal.threshold_by_risk(trusts, right, 0.05, groups) == inf
    assert conformal.threshold_by_risk(trusts, right, 0.25, groups) == 0.9
    least = conformal.fewest_for_risk(0.05, is_grouped=True)
    for n, threshold in ((least - 1, inf), (least, 0.9)):
        twice = [place // 2 for place in range(2 * n)]
        given = [0.9] * len(twice), [True] * len(twice)
        assert conformal.threshold_by_risk(*given, 0.05, twice) == threshold
    # One bad camera of a hundred counts as one, however many pictures it has.
    groups = [*np.repeat(np.arange(99), 2).tolist(), *[99] * 1000]
    right = [True] * 198 + [False] * 1000
    share, bound = conformal.risk(right, groups)
    assert share == pytest.approx(0.01)
    assert 0.03 < bound < 0.06


def test_a_mistake_in_the_surest_group_does_not_end_the_tests_of_thresholds():
    """The first threshold that is tested may hold one mistake if there are groups enough."""
    n = next(n for n in count(2) if conformal.evidence([0.5] + [0.0] * (n - 1), 0.05) >= 10)
    groups = [place // 2 for place in range(2 * n)]
    trusts = np.linspace(1, 0.5, 2 * n)
    right = [False] + [True] * (2 * n - 1)
    assert conformal.threshold_by_risk(trusts, right, 0.05, groups) == trusts[-1]


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=200))
def test_groups_of_one_picture_are_pictures(pairs):
    trusts, right = zip(*pairs, strict=True)
    groups = [f"camera {n}" for n in range(len(pairs))]
    for wrong in (0.05, 0.3):
        threshold = conformal.threshold_by_risk(trusts, right, wrong, groups)
        assert threshold == conformal.threshold_by_risk(trusts, right, wrong)
    assert conformal.risk(right, groups) == conformal.risk(right)


@given(st.floats(0.02, 0.6), st.integers(1, 30))
def test_bets_win_nothing_where_the_share_is_the_one_that_is_doubted(wrong, n):
    """Their mean over all that may come is 1, so that 10 is exceeded in one of ten at most."""
    values = [conformal.evidence([1.0] * k + [0.0] * (n - k), wrong) for k in range(n + 1)]
    assert stats.binom.pmf(range(n + 1), n, wrong) @ values == pytest.approx(1)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50), st.floats(0.01, 1))
def test_the_share_that_was_asked_for_is_answered(trusts, share):
    threshold = conformal.threshold_by_share(trusts, share)
    answered = np.mean(np.array(trusts) >= threshold)
    assert answered >= share - 1e-9


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=60))
def test_confidence_never_falls_and_keeps_the_mean(pairs):
    trusts, right = zip(*pairs, strict=True)
    levels, shares = conformal.fit_confidence(trusts, right)
    assert (np.diff(levels) > 0).all()
    assert (np.diff(shares) >= 0).all()
    assert 0 < shares.min() <= shares.max() < 1
    # Isotonic regression keeps the sum; only shares of 0 and 1 were moved in.
    mean = np.mean([shares[np.searchsorted(levels, trust)] for trust in trusts])
    assert mean == pytest.approx(np.mean(right), abs=1 / len(pairs))


@pytest.mark.slow
@pytest.mark.parametrize("name", SIMULATIONS)
def test_intervals_cover_and_refusal_keeps_its_word(name):
    """1,000 simulated calibrations, within three standard errors."""
    rng = np.random.default_rng(0)
    rows = SIMULATIONS[name](rng)
    same = same_cameras(rows, rng, 500, 1000)
    assert same.coverage >= COVERAGE - 3 * same.error
    assert same.coverage <= COVERAGE + 0.01  # no wider than that needs
    allowed = 1 - conformal.RISK_LEVEL + 3 * (0.09 / 1000) ** 0.5
    assert same.broken <= allowed
    assert same.answered > 0.1
    assert (~rows.right).mean() > 2 * WRONG  # there was something to refuse
    coverage, error = new_cameras(rows, rng, 12, 1000)
    assert coverage >= COVERAGE - 3 * error
    assert refusals(rows, rng, MANY, 1000).broken <= allowed


@pytest.mark.slow
def test_pictures_of_few_cameras_do_not_speak_for_new_ones():
    """Each of them counted as if it came from a camera of its own: promises broke too often."""
    rng = np.random.default_rng(1)  # the pool of benchmarks/results/calibration.txt
    new = refusals(SIMULATIONS["a dial, 0.0 to 9.9"](rng), rng, MANY, 200)
    assert new.answered > 0.25
    assert new.broken < 0.1 < new.broken_by_pictures
