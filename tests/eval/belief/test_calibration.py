"""Calibration, and what a report shows of beliefs."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from eval_toys import clock_run, clock_text, clocks, numbers, page_of, predict
from hypothesis import given
from hypothesis import strategies as st

from gnomon.answers.registry import TYPES
from gnomon.eval import RunResult, score
from gnomon.eval.report.sections import _confidences
from gnomon.eval.scoring.belief import calibration_bins, expected_error, read_belief, top_answer
from gnomon.sample import Number, Prediction, Sample, Time


def stored(shares, truth, name):
    """A belief and its truth, from probabilities by answer."""
    prediction = Prediction("s", "", None, "plain", {}, {a: np.log(p) for a, p in shares.items()})
    return read_belief(prediction, truth, name), TYPES[name].value_of(truth)


def test_the_likeliest_answer_is_judged():
    belief = stored({"10:08": 0.5, "10:09": 0.2, "11:38": 0.3}, Time(36540), "time")
    assert top_answer(*belief) == (pytest.approx(0.5), False)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
def test_the_error_is_that_of_naive_bins(pairs):
    result = calibration_bins(pairs)
    expected = 0.0
    for b in range(10):
        own = [(s, r) for s, r in pairs if min(9, int(s * 10)) == b]
        if own:
            sure, right = (sum(side) / len(own) for side in zip(*own, strict=True))
            expected += len(own) / len(pairs) * abs(right - sure)
    assert expected_error(result) == pytest.approx(expected)
    assert sum(b.n for b in result) == len(pairs)


def believing(n):
    samples = [*clocks(n, picture=True), *numbers([7, 8])]
    texts = [clock_text(s.target.seconds // 60) for s in samples[:n]] + ["7", "9"]
    minutes = {clock_text(m): -0.1 * (m % 60) - 7.0 for m in range(720)}
    whole = {str(value): -4.6 for value in range(101)}
    predictions = [
        replace(p, logprobs=minutes if p.sample_id.startswith("clock") else whole)
        for p in predict(samples, texts, size=(64, 48))
    ]
    return RunResult("<believer>", score(predictions, samples), predictions), samples


def test_the_surest_are_wrong_as_the_table_counts_them():
    """Within a scale's tolerance, where a belief is exactly right or not."""
    truth = Number(Decimal(4), within=Decimal(1))
    samples = [Sample(f"dial/{i}", None, "?", truth) for i in range(3)]
    predictions = [
        replace(p, logprobs={"4": -0.7, "5": -0.6, "9": -3.0})
        for p in predict(samples, ["4", "5", "9"])
    ]
    run = RunResult("dials", score(predictions, samples), predictions)
    answers = list(_confidences(run, truth.type_name))
    assert [is_exact for _, is_exact, _ in answers] == [False] * 3
    assert [is_correct for _, _, is_correct in answers] == [True, True, False]


@pytest.mark.parametrize("n", [1, 20])
def test_a_report_shows_beliefs(tmp_path, n):
    run, samples = believing(n)
    page = page_of(tmp_path, [run], samples)
    for words in (
        "Confidence of the model",
        "Expected calibration error",
        "CRPS of the belief, circular",
        "90.0 min",
    ):
        assert words in page, words
    assert "<believer>" not in page
    assert len(page) < 400_000
    assert "Confidence of the model" not in page_of(tmp_path, [clock_run("plain", 0.5, n=1)])
