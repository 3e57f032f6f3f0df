"""Intervals hold what they say, and say so where they cannot."""

import math
from decimal import Decimal
from functools import partial

import numpy as np
import pytest
from eval_toys import boxes, exam, numbers, predict, run, scored
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from gnomon.answers.base.answer_type import format_exact
from gnomon.answers.number.measure import r_squared
from gnomon.eval import score
from gnomon.eval.formatting import error_text
from gnomon.eval.report.sections import summary_rows
from gnomon.eval.stats.intervals import bootstrap, r_squared_values, ratio, wilson
from gnomon.sample import Table


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
    for result in (wilson(0, 0), bootstrap([])):
        assert (result.value, result.low, result.high, result.n) == (None, None, None, 0)


def test_equal_items_show_no_certainty():
    result = bootstrap([0.0] * 30)
    assert result.value == 0
    assert result.low is None
    assert result.method == "no interval: all items are equal"
    assert bootstrap([3.0]).method == "no interval: one item"


def test_a_ratio_is_that_of_independent_items_where_each_unit_is_one():
    """A logit's delta method: 1/√(n p (1 − p)), with n − 1 for a variance of few."""
    parts = [1] * 30 + [0] * 10
    result = ratio(parts, [1] * 40)
    half = stats.t.ppf(0.975, 39) / math.sqrt(39 * 0.75 * 0.25)
    ends = [1 / (1 + math.exp(-math.log(3) + sign * half)) for sign in (1, -1)]
    assert (result.value, result.n) == (0.75, 40)
    assert [result.low, result.high] == pytest.approx(ends)
    # As others' interval for 30 of 40 (Agresti 2013 has the same form), a little wider.
    assert result.low == pytest.approx(wilson(30, 40).low, abs=0.02)


def test_a_ratio_counts_units_and_not_what_is_in_them():
    alike = [ratio([2 * k] * 6 + [k] * 6, [2 * k] * 12) for k in (1, 50)]
    assert alike[0] == alike[1]
    assert ratio([0, 2, 4] * 3, [0, 2, 4] * 3) == wilson(6, 6)
    assert ratio([0, 1] * 3 + [0] * 9, [0, 2] * 3 + [0] * 9).method == "no interval: too few items"
    assert ratio([1] * 9, [3] * 9).method == "no interval: all items are equal"
    assert ratio([0], [0]) == wilson(0, 0)


def test_a_wild_answer_does_not_break_the_bootstrap():
    result = bootstrap([*range(7), 1e300])
    assert "as BCa degenerates" in result.method
    assert result.low <= result.value <= result.high


def test_a_wild_answer_among_thousands_leaves_an_interval():
    result = bootstrap(np.r_[np.zeros(5999), 1e200])
    assert result.value == pytest.approx(1e200 / 6000)
    assert -1e197 < result.low < result.value < result.high < 1e197


def test_bootstrap_is_the_same_each_time():
    values = np.random.default_rng(0).exponential(size=200)
    assert bootstrap(values) == bootstrap(list(values))
    assert bootstrap(values, seed=1) != bootstrap(values, seed=2)


@pytest.mark.parametrize("statistic", ["mean", "median", "p90"])
@pytest.mark.parametrize("n", [40, 1500])
def test_the_estimate_lies_in_its_interval(statistic, n):
    values = np.random.default_rng(0).exponential(size=n)
    result = bootstrap(values, statistic)
    assert result.low < result.value < result.high
    assert result.n == n
    assert ("BCa" in result.method) == (statistic == "mean" and n == 40)


def test_the_bootstrap_covers_a_skewed_mean():
    rng = np.random.default_rng(2)
    result = [bootstrap(rng.exponential(size=80), seed=i, resamples=500) for i in range(200)]
    covered = np.mean([e.low <= 1 <= e.high for e in result])
    assert 0.88 <= covered <= 0.99


@pytest.mark.parametrize(("statistic", "enough"), [("mean", 8), ("median", 6), ("p90", 36)])
def test_too_few_values_show_nothing(statistic, enough):
    """The greatest of 7 values is under the 90th percentile in 48 % of the cases."""
    truth = {"mean": np.mean, "median": np.median, "p90": partial(np.quantile, q=0.9)}[statistic]
    for n in range(2, enough):
        values = np.arange(n) ** 2.0
        result = bootstrap(values, statistic)
        assert (result.low, result.high, result.method) == (
            None,
            None,
            "no interval: too few items",
        )
        assert result.value == pytest.approx(truth(values))
    assert bootstrap(np.arange(enough), statistic).low is not None


ERRORS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.lognormal(1, 1.5, size=n),
    "minutes": lambda rng, n: np.rint(rng.exponential(100, size=n)),
    "mostly none": lambda rng, n: np.where(rng.random(n) < 0.45, 0, rng.exponential(20, size=n)),
}


@pytest.mark.parametrize("errors", ["normal", "minutes", "mostly none"])
@pytest.mark.parametrize("n", [2, 5, 8, 12])
def test_a_mean_of_few_has_an_interval_that_covers_it_or_none(errors, n):
    """BCa of 5 values covers 78 to 81 %: such an interval is none."""
    rng = np.random.default_rng(5)
    truth = np.mean(ERRORS[errors](rng, 1_000_001))
    drawn = [ERRORS[errors](rng, n) for _ in range(300)]
    result = [e for values in drawn if (e := bootstrap(values, resamples=500)).low is not None]
    assert not result or np.mean([e.low <= truth <= e.high for e in result]) > 0.8


def test_r_squared_of_few_has_no_interval():
    """The jackknife's interval of 5 answers covers 75 %."""
    rng = np.random.default_rng(6)
    few, enough = (r_squared_values(rng.normal(size=n), rng.normal(size=n)) for n in (7, 8))
    assert bootstrap(few).method == "no interval: too few items"
    assert bootstrap(enough).low is not None


@pytest.mark.slow
@pytest.mark.parametrize("statistic", ["median", "p90"])
@pytest.mark.parametrize("errors", ERRORS)
@pytest.mark.parametrize("n", [50, 200])
def test_a_median_and_a_90th_percentile_are_covered(statistic, errors, n):
    rng = np.random.default_rng(3)
    many = ERRORS[errors](rng, 1_000_001)
    truth = np.quantile(many, 0.5 if statistic == "median" else 0.9)
    result = [bootstrap(ERRORS[errors](rng, n), statistic) for _ in range(1000)]
    assert {e.method for e in result} == {"order statistics"}
    assert 0.94 <= np.mean([e.low <= truth <= e.high for e in result]) <= 0.99
    assert all(e.low <= e.value <= e.high for e in result)


@given(st.integers(40, 400), st.sampled_from([("median", 0.5), ("p90", 0.9)]))
def test_order_statistics_are_the_nearest_that_hold_it(n, of):
    """Below the lower end, and above the upper, the truth lies in at most 2.5 % of all cases."""
    statistic, p = of
    result = bootstrap(np.random.default_rng(n).permutation(n) + 1.0, statistic)
    assert result.method == "order statistics"
    low, high = int(result.low), int(result.high)
    assert stats.binom.cdf(low - 1, n, p) <= 0.025 < stats.binom.cdf(low, n, p)
    assert stats.binom.sf(high - 1, n, p) <= 0.025 < stats.binom.sf(high - 2, n, p)


TRUE = Table(("year", "apples", "pears"), (("a", "10", "20"), ("b", "30", "40")))


def figures(samples, texts, size=None):
    """Figures of the one kind that all samples have."""
    (summary,) = score(predict(samples, texts, size=size), samples).summaries.values()
    return {result.name: result.estimate.value for result in summary.results}


def test_summaries_show_several_measures_and_leave_out_what_has_none():
    boxed = figures(boxes(1, size=(30, 40)), ["[0.5, 0.5, 1.8, 2.1]"], size=(100, 100))
    for name in ("centre", "corners"):
        assert boxed[name] == pytest.approx(100 * math.sqrt(2) * boxed[f"{name}_share"])
    half = figures(exam(TRUE), ["year | apples | pears\na | 10 | 20"])
    assert half["rms"] == pytest.approx(2 / 3)
    assert half["rnss"] == 0.5
    read = figures(numbers([0, 10, -5]), ["0", "100", "no idea"])
    assert read["symmetric"] == pytest.approx((0 + 180 / 110) / 2)
    assert read["magnitude"] == pytest.approx(1)


def test_no_interval_of_r_squared_goes_beyond_1():
    """The bootstrap's upper end was 1.0006 where one answer in ten was off, and no other."""
    rng = np.random.default_rng(1)
    truths = rng.uniform(0, 10, 30).round(1)
    texts = [f"{t + rng.choice([0] * 9 + [1.0]):.2f}" for t in truths]
    result = scored(numbers(truths), texts).estimate("number", "r_squared")
    assert result.low < result.value < result.high == 1


def summed(texts, truths):
    return run("one", numbers(truths), texts)


def cells(one):
    """Cells of a run of numbers by the label of their row."""
    rows = summary_rows([one], "number", (), headline=False)
    return {row.label: row.cells[0] for row in rows}


def test_r_squared_stands_in_the_summary_with_what_was_dropped():
    truths = [1, 2, 3, 4, 5, 6, 0, 8, 7, 10]
    run = summed(["1", "2", "4", "none", "5.5", "6", "0", "9", "7", "9"], truths)
    result = run.scores.summaries["number"]["r_squared"].estimate
    expected = r_squared([1, 2, 4, None, 5.5, 6, 0, 9, 7, 9], truths)
    assert result.value == pytest.approx(expected.value)
    assert result.n == expected.n == 9
    assert result.low < result.value < result.high
    rows = cells(run)
    assert rows["R² of read answers"][1].endswith("] 1 dropped")
    assert rows["Mean relative error"][1].endswith("] 2 dropped")
    assert "dropped" not in rows["Mean absolute error (MAE)"][1]


def test_errors_have_the_digits_of_the_labels():
    """12.3 - 3.1 is 9.200000000000001 to floats."""
    run = summed(["12.3", "3.1", "none", "3.1"], [Decimal(t) for t in ("3.1", "12.3", "12.3", "3")])
    measures = [item.measures for item in run.scores.items]
    assert [result.get("error") for result in measures] == [9.2, 9.2, None, 0.1]
    assert [result["charged"] for result in measures] == [9.2, 9.2, 9.3, 0.1]
    assert [result.get("residual") for result in measures] == [9.2, -9.2, None, 0.1]
    assert [error_text(item) for item in run.scores.items] == [
        *("9.2 off", "9.2 off", "not read", "0.1 off")]  # fmt: skip
    assert cells(run)["Mean error, unread answers at the worst value"][0] == "6.95"


@pytest.mark.parametrize(
    ("value", "text"),
    [(5.0, "5"), (9.2, "9.2"), (0.1, "0.1"), (0.0, "0"), (31336.0, "31,336"), (1 / 3, "0.333"),
     (12.3456, "12.3"), (0.00051, "0.001"), (1e300, "1e+300")],
)  # fmt: skip
def test_a_single_error_is_written_to_its_own_digits(value, text):
    assert format_exact(value) == text


@pytest.mark.parametrize(
    ("texts", "truths", "note"),
    [(["3", "4"], [3, 3], ""), (["3", "none"], [3, 4], "1 dropped"), (["none"], [3], "1 dropped")],
)
def test_r_squared_has_no_value_where_truths_do_not_differ(texts, truths, note):
    """Readable answers do not count as dropped, though R² is undefined."""
    assert cells(summed(texts, truths))["R² of read answers"] == ("–", note)


def test_r_squared_by_chance_is_0_at_best():
    truths = list(range(1, 60))
    run = summed([str(t + t % 3) for t in truths], truths)
    assert -0.1 < run.scores.summaries["number"]["r_squared"].chance["constant"] <= 0


@given(st.lists(st.tuples(*[st.floats(-1e9, 1e9)] * 2), min_size=2, max_size=20))
def test_the_shares_of_r_squared_have_it_as_their_mean(pairs):
    said_, truths = zip(*pairs, strict=True)
    # Of truths that are nearly one number, what rounding leaves is no variance.
    assume(np.ptp(truths) == 0 or np.ptp(truths) > 1e-6 * np.abs(truths).max())
    value = r_squared(said_, truths).value
    shares = r_squared_values(np.subtract(said_, truths), np.array(truths))
    assert value is not None or shares.size == 0
    if value is not None and shares.size:
        assert shares.mean() == pytest.approx(value, rel=1e-6, abs=1e-6)


def test_wild_answers_have_no_r_squared_and_raise_nothing():
    truths = np.array([3.0, 1.0, 2.0])
    for wild in (1e80, 1e200, 1e308):
        assert r_squared_values(np.array([wild, 0.0, 0.0]), truths).size == 0
    run = summed([f"9{'0' * 60}", "1", "2"], [3, 1, 2])
    assert run.scores.summaries["number"]["r_squared"].estimate.n >= 2


def test_its_interval_covers_the_truth_in_95_of_100():
    rng = np.random.default_rng(0)
    truths, residuals = rng.normal(size=(400, 6000)), rng.normal(size=(400, 6000)) / 2
    result = [bootstrap(r_squared_values(r, t)) for r, t in zip(residuals, truths, strict=True)]
    assert 0.92 < np.mean([one.low <= 0.75 <= one.high for one in result]) < 0.98
