"""The answer that a belief supports best, against the loss of every listed answer by itself."""

from __future__ import annotations

from decimal import Decimal
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.eval.scoring.belief import best_answer
from gnomon.sample import Number, Text, Time

DIAL = Number(Decimal(0), "", Decimal("0.1"), Decimal(10))
weights = st.lists(st.floats(0.001, 1), min_size=10, max_size=10)


def logprobs_of(answers, shares):
    return {answer: log(share) for answer, share in zip(answers, shares, strict=True)}


@given(weights)
def test_the_median_has_the_least_expected_distance_round_the_dial(shares):
    """Every listed answer is tried, with distances as one would count them on the dial."""
    values = [Decimal(tenth) / 10 * 10 for tenth in range(10)]
    logprobs = logprobs_of([f"{value:.1f}" for value in values], shares)

    def cost(value):
        apart = [abs(float(value - other)) for other in values]
        return sum(w * min(d, 10 - d) for w, d in zip(shares, apart, strict=True))

    chosen = Decimal(best_answer(logprobs, DIAL, "plain", "median"))
    assert cost(chosen) == pytest.approx(min(map(cost, values)))


@given(weights)
def test_on_a_line_the_mean_and_the_median_are_those_of_numpy(shares):
    values = np.arange(10.0) ** 2
    logprobs = logprobs_of([f"{value:.0f}" for value in values], shares)
    p = np.array(shares) / sum(shares)
    mean = float(best_answer(logprobs, Number(Decimal(0)), "plain", "mean"))
    assert abs(mean - p @ values) == pytest.approx(np.abs(values - p @ values).min())
    median = float(best_answer(logprobs, Number(Decimal(0)), "plain", "median"))
    assert p[values < median].sum() <= 0.5 + 1e-9
    assert p[values > median].sum() <= 0.5 + 1e-9


@pytest.mark.parametrize(
    ("form", "shares", "mode", "median", "mean"),
    [
        # Both sides of zero: the mean of the numbers would be 5.
        (DIAL, {"9.8": 0.35, "0.2": 0.3, "0.0": 0.25, "5.0": 0.1}, "9.8", "0.0", "0.0"),
        (Time(0), {"11:50": 0.45, "12:00": 0.1, "12:10": 0.45}, "11:50", "12:00", "12:00"),
        # Two opposite places have no mean direction.
        (DIAL, {"1.0": 0.5, "6.0": 0.5}, "1.0", "1.0", "1.0"),
        (Number(Decimal(0)), {"0": 0.4, "1": 0.35, "9": 0.25}, "0", "1", "1"),
        (Text("no", ("yes", "no")), {"yes": 0.6, "no": 0.4}, "yes", "yes", "yes"),
    ],
)  # fmt: skip
def test_each_rule_chooses_its_answer(form, shares, mode, median, mean):
    logprobs = {answer: log(share) for answer, share in shares.items()}
    rules = {"mode": mode, "median": median, "mean": mean}
    assert {rule: best_answer(logprobs, form, "plain", rule) for rule in rules} == rules


def test_a_rule_that_needs_no_list_is_refused():
    with pytest.raises(ValueError, match="answer='greedy': give one of"):
        best_answer({"1": 0.0}, Number(Decimal(0)), "plain", "greedy")
