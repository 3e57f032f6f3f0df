"""Beliefs are measured as their equations say, on dials the shorter way round, and chosen from."""

import math
from dataclasses import replace
from decimal import Decimal
from math import log

import numpy as np
import pytest
from eval_toys import clock_text, clocks, exam, predict, scored, true_texts
from hypothesis import given
from hypothesis import strategies as st

from gnomon.answers.number.answer import NumberForm
from gnomon.answers.text.answer import TextForm
from gnomon.answers.time.answer import TimeForm
from gnomon.answers.time.measure import time_deviation
from gnomon.eval import RunResult, compare, score, table
from gnomon.eval.scoring.belief import Belief, best_answer, measures, read_belief
from gnomon.eval.scoring.question_file import Question
from gnomon.sample import Box, Number, Prediction, Text, Time

MINUTES = [clock_text(m) for m in range(720)]
WHOLE = [str(n) for n in range(101)]


def held(logits, answers=MINUTES, *, missing=0.0):
    """A prediction whose belief is softmax(logits), but for what is missing from the list."""
    logits = np.asarray(logits, dtype=float)
    logprobs = logits - np.logaddexp.reduce(logits) + math.log1p(-missing)
    stored = dict(zip(answers, logprobs.tolist(), strict=True))
    return Prediction("s", "10:08", None, "plain", {}, stored)


def sure(answer, answers=MINUTES):
    return held([0 if a == answer else -800 for a in answers], answers)


def even(answers=MINUTES):
    return held([0.0] * len(answers), answers)


LOG_720, LOG_202 = math.log(720), math.log(202)
NOON = [0 if text in ("11:50", "12:20") else -800 for text in MINUTES]


@pytest.mark.parametrize(
    ("prediction", "truth", "figures"),
    [
        (sure("11:50"), Time(600), {"crps": 20, "expected": 20, "1": 0, "5": 0}),  # 12:10
        (sure("12:05"), Time(600), {"5": 1}),
        (
            *(even(), Time(8 * 3600)),
            {"crps": 90, "nll": LOG_720, "true": 1 / 720, "5": 11 / 720, "listed": 1},
        ),
        (held(NOON), Time(0), {"expected": 5}),  # round the dial
        (
            *(held([0.0] * 101, WHOLE, missing=0.5), Number(Decimal(50))),
            {"listed": 0.5, "nll": LOG_202, "true": 1 / 101, "5pct": 5 / 101},
        ),
        (held([1.0, 0.0], ["yes", "no"]), Text("yes", ("yes", "no")), {"true": 0.7310585786}),
        (held([9.0, 0.0], ["7 kg", "8 kg"]), Number(Decimal(7), "kg"), {"true": 0.9998766}),
        (
            *(held([9.0, 0.0], ["five past ten", "ten past ten"]), Time(36300, form="words")),
            {"true": 0.9998766},
        ),
        (held([5.0, 0.0], ["10:08:00", "10:08:30"]), Time(36480), {"true": 0.9933071}),
    ],
)
def test_a_belief_has_the_measures_of_its_equations(prediction, truth, figures):
    result = measures(prediction, truth, truth.type_name)
    assert {name: result[f"belief_{name}"] for name in figures} == pytest.approx(figures)


logits = st.lists(st.floats(-6, 6), min_size=6, max_size=6)


@given(logits, st.integers(0, 719))
def test_crps_on_the_dial_is_that_of_naive_loops(values, truth):
    places = [0, 10, 200, 355, 500, 719]
    answers = [clock_text(m) for m in places]
    result = measures(held(values, answers), Time(60 * truth), "time")
    p = np.exp(values) / np.exp(values).sum()

    def apart(a, b):
        return time_deviation(Time(60 * a).hms, Time(60 * b).hms)

    first = sum(q * apart(m, truth) for q, m in zip(p, places, strict=True))
    second = sum(
        q * r * apart(m, n)
        for q, m in zip(p, places, strict=True)
        for r, n in zip(p, places, strict=True)
    )
    assert result["belief_crps"] == pytest.approx(max(0, first - second / 2), abs=1e-7)


@given(logits, st.integers(0, 60))
def test_crps_on_the_line_is_the_area_between_the_distributions(values, truth):
    """∫ (F(x) − 1{x ≥ y})² dx, which E|X − y| − E|X − X′|/2 is another form of."""
    places = [0, 3, 10, 11, 40, 60]
    answers = [str(n) for n in places]
    result = measures(held(values, answers), Number(Decimal(truth)), "number")
    p = np.exp(values) / np.exp(values).sum()
    area = 0.0
    for x in range(60):
        below = sum(q for q, n in zip(p, places, strict=True) if n <= x)
        area += (below - (x >= truth)) ** 2
    assert result["belief_crps"] == pytest.approx(area, abs=1e-7)
    mean = sum(q * n for q, n in zip(p, places, strict=True))
    assert result["belief_expected"] == pytest.approx(abs(mean - truth), abs=1e-7)


@pytest.mark.parametrize(
    ("prediction", "truth", "names"),
    [
        (held([1.0, 0.0], ["yes", "no"]), Text("yes", ("yes", "no")), "true nll listed"),
        (held([0.0, 0.0], ["1", "2"]), Number(Decimal(7)), "listed crps expected 5pct"),
        (replace(even(), logprobs=None), Time(0), ""),
        (replace(even(), logprobs={}), Time(0), ""),
    ],
    ids=["choices have no distance", "a list without the truth", "no list", "an empty list"],
)
def test_what_cannot_be_said_of_a_belief_is_left_out(prediction, truth, names):
    result = measures(prediction, truth, truth.type_name)
    assert set(result) == {f"belief_{name}" for name in names.split()}


def believing(samples, spread):
    """Runs that say the truth, and believe around it more or less widely."""
    predictions = predict(samples, true_texts(samples))
    away = np.minimum(np.arange(720), 720 - np.arange(720))
    return [
        replace(p, logprobs=held(-np.roll(away, s.target.seconds // 60) / spread).logprobs)
        for p, s in zip(predictions, samples, strict=True)
    ]


def test_beliefs_are_summed_up_with_intervals_and_chance():
    samples = clocks(30)
    summary = score(believing(samples, 2.0), samples).summaries["time"]
    assert summary["belief_crps"].estimate.value < 5
    assert summary["belief_crps"].chance["uniform"] == pytest.approx(90)
    assert summary["belief_nll"].chance["uniform"] == pytest.approx(math.log(720), abs=1e-3)
    assert summary["belief_5"].estimate.n == 30
    assert summary["exact"].chance["uniform"] == pytest.approx(1 / 720)
    assert not summary["belief_expected"].chance  # an even belief points nowhere on a dial


def test_beliefs_are_compared_where_both_have_them():
    """The answers are the same and right; the stored beliefs differ."""
    samples = clocks(40)
    wide, narrow = (score(believing(samples, spread), samples) for spread in (30.0, 2.0))
    result = {d.name: d for d in compare(wide, narrow).differences}
    assert result["exact"].verdict == "tied"
    assert result["belief_crps"].verdict == "better"
    assert result["belief_nll"].verdict == "better"
    without = scored(samples, MINUTES[:40])
    assert "belief_crps" not in {d.name for d in compare(without, narrow).differences}


def test_a_belief_adds_up_to_one_whatever_is_stored():
    stored = replace(even(["1", "2"]), logprobs={"1": -2000.0, "2": -2001.0})
    belief = read_belief(stored, Number(Decimal(1)), "number")
    assert isinstance(belief, Belief)
    assert belief.p.sum() == pytest.approx(1)
    assert measures(stored, Number(Decimal(1)), "number")["belief_nll"] == pytest.approx(2000)


def test_a_list_without_the_truth_is_measured_as_far_as_it_goes():
    samples = exam(*(Time(60 * i) for i in range(8)))
    listed = {"3:00": -1.0, "6:00": -2.0}
    given = [Prediction(s.id, "12:00", None, "plain", {}, listed) for s in samples]
    scores = score(given, samples)
    lines = [r for r in scores.summaries["time"].results if r.name.startswith("belief")]
    left = {"belief_listed", "belief_crps", "belief_expected", "belief_1", "belief_5"}
    assert {r.name for r in lines if r.estimate.n} == left
    assert all(not r.chance for r in lines if r.name not in left)
    assert "CRPS" in table([RunResult("one", scores)])


@pytest.mark.parametrize(
    ("logprobs", "truth", "message"),
    [
        ({"10:08": 0.0, "who knows": 0.0}, Time(0), "lists 'who knows', which cannot be read"),
        ({"12:00": -1.0, "3:00": -math.inf}, Time(0), "has log-probabilities that are not all"),
        ({"12:00": -1.0, "3:00": math.nan}, Time(0), "has log-probabilities that are not all"),
        ({"12:00": -1.0, "3:00": None}, Time(0), "has log-probabilities that are not all"),
        ({"[0, 0, 1, 1]": -1.0}, Box(1, 1, 4, 4), "has log-probabilities of a box"),
    ],
)
def test_a_belief_that_is_none_is_refused_by_name(logprobs, truth, message):
    given = Prediction("c0", "12:00", (9, 9), "plain", {}, logprobs)
    with pytest.raises(ValueError, match=f"prediction 'c0' {message}"):
        score([given], [Question("c0", truth, (9, 9), "")])


DIAL = NumberForm("", Decimal("0.1"), Decimal(10))
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
    mean = float(best_answer(logprobs, NumberForm(), "plain", "mean"))
    assert abs(mean - p @ values) == pytest.approx(np.abs(values - p @ values).min())
    median = float(best_answer(logprobs, NumberForm(), "plain", "median"))
    assert p[values < median].sum() <= 0.5 + 1e-9
    assert p[values > median].sum() <= 0.5 + 1e-9


@pytest.mark.parametrize(
    ("form", "shares", "mode", "median", "mean"),
    [
        # Both sides of zero: the mean of the numbers would be 5.
        (DIAL, {"9.8": 0.35, "0.2": 0.3, "0.0": 0.25, "5.0": 0.1}, "9.8", "0.0", "0.0"),
        (TimeForm(), {"11:50": 0.45, "12:00": 0.1, "12:10": 0.45}, "11:50", "12:00", "12:00"),
        # Two opposite places have no mean direction.
        (DIAL, {"1.0": 0.5, "6.0": 0.5}, "1.0", "1.0", "1.0"),
        (NumberForm(), {"0": 0.4, "1": 0.35, "9": 0.25}, "0", "1", "1"),
        (TextForm(("yes", "no")), {"yes": 0.6, "no": 0.4}, "yes", "yes", "yes"),
    ],
)  # fmt: skip
def test_each_rule_chooses_its_answer(form, shares, mode, median, mean):
    logprobs = {answer: log(share) for answer, share in shares.items()}
    rules = {"mode": mode, "median": median, "mean": mean}
    assert {rule: best_answer(logprobs, form, "plain", rule) for rule in rules} == rules


def test_a_rule_that_needs_no_list_is_refused():
    with pytest.raises(ValueError, match="answer='greedy': give one of"):
        best_answer({"1": 0.0}, NumberForm(), "plain", "greedy")
