"""Calibration, and what a report shows of beliefs."""

from dataclasses import replace

import numpy as np
import pytest
from eval_toys import clock_run, clock_text, clocks, numbers, page_of, predict
from hypothesis import given
from hypothesis import strategies as st

from gnomon.answers.registry import TYPES
from gnomon.eval import RunResult, score
from gnomon.eval.scoring.belief import calibration_bins, expected_error, read_belief, top_answer
from gnomon.sample import Prediction, Time


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


@pytest.mark.parametrize("n", [1, 20])
def test_a_report_shows_beliefs(tmp_path, n):
    run, samples = believing(n)
    page = page_of(tmp_path, [run], samples)
    for words in (
        "What is believed",
        "Expected calibration error",
        "CRPS of the belief, circular",
        "90.0 min",
    ):
        assert words in page, words
    assert "<believer>" not in page
    assert len(page) < 400_000
    assert "What is believed" not in page_of(tmp_path, [clock_run("plain", 0.5, n=1)])
