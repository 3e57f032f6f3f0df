"""Chance levels agree with simulated guessers."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from eval_toys import clock_text, clock_texts, clocks, predict, scored
from PIL import Image

from gnomon.answers.registry import TYPES
from gnomon.eval import score
from gnomon.sample import Box, Number, Prediction, Sample, Text, Time

SIMULATED = ("exact", "within_1", "within_5", "deviation", "charged", "deviation_median")
SIMULATED += ("deviation_p90", "deviation_wrong", "linear", "hour", "minute", "swapped")


@pytest.fixture(scope="module")
def summary():
    samples = clocks(720)
    return scored(samples, clock_texts(samples, 0.3)).summaries["time"]


def test_a_metric_without_a_chance_level_is_refused(monkeypatch):
    """A metric that a list elsewhere forgot lost its level in silence, as swapped hands did."""
    *metrics, last = TYPES["time"].metrics
    without = replace(TYPES["time"], metrics=(*metrics, replace(last, chance=None)))
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


@pytest.mark.parametrize("hours", [12, 24])
def test_the_chance_of_swapped_hands_is_a_count_of_guesses(hours):
    guesses = [Time(60 * minute, hours).hms for minute in range(60 * hours)]
    (swapped,) = [m for m in TYPES[Time(0, hours).type_name].metrics if m.name == "swapped"]
    for seconds in range(0, 3600 * hours, 60 * 7):
        truth = Time(seconds, hours)
        n = sum(swapped.compute(guess, truth.hms) for guess in guesses)
        assert swapped.chance(truth) == pytest.approx(n / len(guesses))


@pytest.mark.slow
def test_a_thousand_of_many_questions_are_like_all(summary, simulated):
    every, some = (result["linear"].chance["uniform"] for result in (summary, simulated))
    assert some == pytest.approx(every, rel=0.1)


HALVES = [(Box(0, 0, w / 2, h / 2), (w, h)) for w, h in [(100, 50), (400, 300)] * 20]
LEVELS = {
    "a dial": (
        [Time(i * 7919 % 720 * 60) for i in range(720)],
        {"deviation": 180, "charged": 180, "linear": pytest.approx(240, abs=0.1), "exact": 1 / 720},
    ),
    "a dial of 24 hours": (
        [Time(i * 60, hours=24) for i in range(0, 1440, 7)],
        {"deviation": 360},
    ),
    "seconds": (
        [Time(i * 61, shows_seconds=True) for i in range(100)],
        {"exact": 1 / 43200},
    ),
    "the commonest answer": (
        [Time(600 * 60 if i < 30 else i * 60) for i in range(100)],
        {"exact constant": 0.3},
    ),
    "about the median": (
        [Number(Decimal(i)) for i in range(101)],
        {"error constant": pytest.approx(25.2, abs=0.5), "error": None},
    ),
    "the same share of each picture": (
        HALVES,
        {"iou constant": 1, "centre constant": pytest.approx(0, abs=1e-9)},
    ),
    "among the choices": (
        [Text("yes", ("yes", "no")), Text("red", ("red", "green", "blue", "grey"))] * 10,
        {"exact": (1 / 2 + 1 / 4) / 2},
    ),
    "free texts": ([Text("yes", ("yes", "no")), Text("a word")] * 9, {"exact": None}),
}
"""Truths, with their pictures' sizes, and chance levels by line: of uniform guesses or of the
best constant answer."""


@pytest.mark.parametrize(("truths", "levels"), LEVELS.values(), ids=LEVELS)
def test_chance_levels_are_those_of_the_truths(truths, levels):
    samples = []
    for i, truth in enumerate(truths):
        target, size = truth if isinstance(truth, tuple) else (truth, (9, 9))
        samples.append(Sample(str(i), Image.new("RGB", size), "?", target))
    answers = [Prediction(s.id, "?", s.image.size, "plain") for s in samples]
    (summary,) = score(answers, samples).summaries.values()
    for name, level in levels.items():
        line, _, guesser = name.partition(" ")
        chance = summary[line].chance.get(guesser or "uniform")
        assert chance == (pytest.approx(level) if isinstance(level, float | int) else level), name
