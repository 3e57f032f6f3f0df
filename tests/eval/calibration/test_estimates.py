"""Scores, intervals and trust of beliefs, counted by hand on short lists."""

from decimal import Decimal
from math import inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.answers.number.answer import NumberForm
from gnomon.answers.text.answer import TextForm
from gnomon.answers.time.answer import TimeForm
from gnomon.eval.calibration.estimates import BestAnswer
from gnomon.sample import Number, Text, Time

DIAL = NumberForm("", Decimal("0.1"), Decimal(10))
TENTHS = [f"{tenth / 10:.1f}" for tenth in range(100)]


def estimate(shares, form, *, within=0.0, rule="mean"):
    logprobs = {answer: log(share) for answer, share in shares.items()}
    return BestAnswer.of(logprobs, form, "plain", rule, within)


def dial(value):
    return Number(Decimal(value), "", Decimal("0.1"), Decimal(10))


def test_the_scale_is_the_expected_distance_and_half_a_step():
    found = estimate({"3": 0.25, "4": 0.5, "5": 0.25}, NumberForm())
    assert found.scale == pytest.approx(0.5 + 0.5)
    assert found.nonconformity(Number(Decimal(5))) == pytest.approx(1.0)
    assert found.nonconformity(Number(Decimal(4))) == 0
    assert found.trust == pytest.approx(0.5)
    assert estimate({"3": 0.25, "4": 0.5, "5": 0.25}, NumberForm(), within=1).trust == 1


def test_a_truth_beyond_the_list_fits_worse_than_anything():
    found = estimate({"3": 0.25, "4": 0.5, "5": 0.25}, NumberForm())
    assert found.nonconformity(Number(Decimal("5.4"))) == pytest.approx(1.4)
    assert found.nonconformity(Number(Decimal(6))) == inf


def test_an_interval_goes_over_the_end_of_a_dial():
    shares = dict.fromkeys(TENTHS, 1e-9) | {"9.9": 0.25, "0.0": 0.5, "0.1": 0.25}
    found = estimate(shares, DIAL)
    assert found.interval(TENTHS, 0, DIAL) == ("0.0", "0.0")
    assert found.interval(TENTHS, 1.01, DIAL) == ("9.9", "0.1")
    assert found.interval(TENTHS, 1e6, DIAL) == ("0.0", "9.9")
    assert found.nonconformity(dial("9.9")) == pytest.approx(1.0, abs=1e-3)
    assert found.is_right(dial("9.9"), 0.1)
    assert not found.is_right(dial("0.2"), 0.1)


def test_a_clock_s_interval_goes_over_twelve():
    minutes = [Time(60 * minute).write() for minute in range(720)]
    shares = dict.fromkeys(minutes, 1e-9) | {"11:58": 0.3, "12:00": 0.4, "12:02": 0.3}
    found = estimate(shares, TimeForm())
    assert found.interval(minutes, 2.1 / found.scale, TimeForm()) == ("11:58", "12:02")
    assert found.is_right(Time(60), 1)


def test_labels_between_listed_answers_end_an_interval():
    found = estimate({"3": 0.25, "4": 0.5, "5": 0.25}, form := NumberForm())
    assert found.interval(["3", "4", "5"], 0.74, form, Decimal("0.1")) == ("3.3", "4.7")
    assert found.interval(["3", "4", "5"], 9, form, Decimal("0.1")) == ("2.5", "5.5")
    shares = dict.fromkeys(TENTHS, 1e-9) | {"9.9": 0.25, "0.0": 0.5, "0.1": 0.25}
    found = estimate(shares, DIAL)
    assert found.interval(TENTHS, 0.034 / found.scale, DIAL, Decimal("0.01")) == ("9.97", "0.03")
    assert found.interval(TENTHS, 1e6, DIAL, Decimal("0.01")) == ("0.00", "9.99")
    # No list of half hours has the times between, so that the next ones hold them.
    found = estimate({"09:30": 0.1, "10:00": 0.8, "10:30": 0.1}, TimeForm(), rule="mode")
    times = ["09:30", "10:00", "10:30"]
    assert found.interval(times, 0, TimeForm()) == ("10:00", "10:00")
    assert found.interval(times, 0, TimeForm(), Decimal(1)) == ("09:30", "10:30")


def test_words_have_a_set_in_place_of_an_interval():
    form = TextForm(("red", "green", "blue"))
    found = estimate({"red": 0.6, "green": 0.3, "blue": 0.1}, form)
    words = ["red", "green", "blue"]
    assert found.choices(words, 0.4) == ["red"]
    assert found.choices(words, 0.7) == ["red", "green"]
    assert found.choices(words, 1) == words
    assert found.nonconformity(Text("green", form.choices)) == pytest.approx(0.7)


@given(
    st.lists(st.floats(0.001, 1), min_size=100, max_size=100),
    st.integers(0, 99),
    st.sampled_from(["mode", "median", "mean"]),
)
def test_an_interval_up_to_a_truth_s_own_score_holds_it(shares, tenth, rule):
    """Whatever the belief: this is what makes the coverage exact."""
    found = estimate(dict(zip(TENTHS, shares, strict=True)), DIAL, rule=rule)
    low, high = found.interval(TENTHS, found.nonconformity(dial(TENTHS[tenth])), DIAL)
    first, last = TENTHS.index(low), TENTHS.index(high)
    assert (tenth - first) % 100 <= (last - first) % 100
