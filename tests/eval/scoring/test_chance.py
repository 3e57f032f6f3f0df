"""Chance levels agree with simulated guessers."""

from dataclasses import replace

import numpy as np
import pytest
from eval_toys import clock_text, clock_texts, clocks, numbers, predict, scored
from PIL import Image

from gnomon.answers.registry import TYPES
from gnomon.eval import score
from gnomon.sample import Box, Prediction, Sample, Text, Time

SIMULATED = ("exact", "within_1", "within_5", "deviation", "charged", "deviation_median")
SIMULATED += ("deviation_p90", "deviation_wrong", "linear", "hour", "minute", "swapped")


@pytest.fixture(scope="module")
def summary():
    samples = clocks(720)
    return scored(samples, clock_texts(samples, 0.3)).summaries["time"]


def test_uniform_guesses_are_180_minutes_off_on_the_circle_and_240_on_the_line(summary):
    assert summary["deviation"].chance["uniform"] == pytest.approx(180)
    assert summary["charged"].chance["uniform"] == pytest.approx(180)
    assert summary["linear"].chance["uniform"] == pytest.approx(240, abs=0.1)
    assert summary["exact"].chance["uniform"] == pytest.approx(1 / 720)


def test_a_line_without_a_chance_level_is_refused(monkeypatch):
    """A metric that a list elsewhere forgot lost its level in silence, as swapped hands did."""
    *lines, last = TYPES["time"].lines
    without = replace(TYPES["time"], lines=(*lines, replace(last, chance=None)))
    monkeypatch.setitem(TYPES, "time", without)
    with pytest.raises(AssertionError, match="uniform guesses at time lack"):
        score(predict(clocks(2), ["10:08", "1:52"]), clocks(2))


@pytest.fixture(scope="module")
def simulated():
    """14,400 guesses at evenly spread truths."""
    rng = np.random.default_rng(0)
    samples = [Sample(str(i), None, "", Time(i % 720 * 60)) for i in range(14_400)]
    guesses = [clock_text(int(m)) for m in rng.integers(720, size=len(samples))]
    return scored(samples, guesses).summaries["time"]


@pytest.mark.slow
@pytest.mark.parametrize("name", SIMULATED)
def test_uniform_guesses_simulated(name, summary, simulated):
    estimate = simulated[name].estimate
    near = 2 * (estimate.high - estimate.low)
    assert summary[name].chance["uniform"] == pytest.approx(estimate.value, abs=near)


@pytest.mark.slow
def test_a_thousand_of_many_questions_are_like_all(summary, simulated):
    every, some = (result["linear"].chance["uniform"] for result in (summary, simulated))
    assert some == pytest.approx(every, rel=0.1)


def test_a_24_hour_dial_has_its_own_chance():
    samples = [Sample(str(i), None, "", Time(i * 60, hours=24)) for i in range(0, 1440, 7)]
    result = score([Prediction(s.id, "00:00", None, "plain") for s in samples], samples)
    assert result.summaries["time24"]["deviation"].chance["uniform"] == pytest.approx(360)
    assert "time" not in result.summaries


def test_seconds_make_guessing_harder():
    samples = [Sample(str(i), None, "", Time(i * 61, shows_seconds=True)) for i in range(100)]
    result = score([Prediction(s.id, "10:08:30", None, "plain") for s in samples], samples)
    assert result.summaries["time"]["exact"].chance["uniform"] == pytest.approx(1 / 43200)


def test_the_best_constant_is_the_commonest_answer():
    samples = [Sample(str(i), None, "", Time(600 * 60 if i < 30 else i * 60)) for i in range(100)]
    result = score([Prediction(s.id, "10:08", None, "plain") for s in samples], samples)
    assert result.summaries["time"]["exact"].chance["constant"] == pytest.approx(0.3)


def test_the_best_constant_number_is_about_the_median():
    samples = numbers(range(101))
    result = scored(samples, ["7"] * 101).summaries["number"]
    assert result["error"].chance["constant"] == pytest.approx(25.2, abs=0.5)
    assert "uniform" not in result["error"].chance


def test_one_answer_to_all_boxes_is_a_share_of_each_picture():
    """Boxes are in the pixels of their pictures."""
    sizes = [(100, 50), (400, 300)] * 20
    samples = [
        Sample(str(i), Image.new("RGB", size), "?", Box(0, 0, size[0] / 2, size[1] / 2))
        for i, size in enumerate(sizes)
    ]
    given = [
        Prediction(s.id, "[0.000, 0.000, 0.500, 0.500]", s.image.size, "plain") for s in samples
    ]
    boxes = score(given, samples).summaries["box"]
    assert boxes["iou"].chance["constant"] == pytest.approx(1)
    assert boxes["centre"].chance["constant"] == pytest.approx(0, abs=1e-9)


def test_uniform_guesses_at_a_text_are_among_its_choices():
    asked = [("yes", ("yes", "no")), ("red", ("red", "green", "blue", "grey"))] * 10
    samples = [Sample(str(i), None, "?", Text(*of)) for i, of in enumerate(asked)]
    result = scored(samples, ["yes"] * 20).summaries["text"]
    assert result["exact"].chance["uniform"] == pytest.approx((1 / 2 + 1 / 4) / 2)
    open_ = [*samples, Sample("20", None, "?", Text("a word"))]
    result = scored(open_, ["yes"] * 21).summaries["text"]
    assert "uniform" not in result["exact"].chance
