"""Intervals hold the share of labels that is printed, also of labels between the listed answers."""

from decimal import Decimal

import numpy as np
import pytest

from gnomon.answers.number.answer import NumberForm, numbers_of
from gnomon.eval.calibration.calibration import Calibration, Certifier, Terms, calibrate
from gnomon.eval.scoring.certainty import measures
from gnomon.eval.scoring.question_file import Question
from gnomon.sample import Prediction

CASES = {
    "tenths among whole numbers": (NumberForm(), range(41), Decimal("0.1"), 0.3),
    "hundredths among tenths round a dial": (
        NumberForm(cycle=Decimal(4)),
        [Decimal(n) / 10 for n in range(40)],
        Decimal("0.01"),
        0.04,
    ),
    "whole numbers among fives": (NumberForm(), range(0, 101, 5), Decimal(1), 3.0),
}


def simulate(rng, form, values, step, noise, n):
    """A model that lists few answers, believes to see better than it does, and is asked of all."""
    listed = numbers_of(form, [Decimal(value) for value in values])
    places = np.array([float(number.value) for number in listed])
    last = int(Decimal(str(places[-1])) / step)
    pairs = []
    for row in range(n):
        truth = int(rng.integers(last + 1)) * step
        sight = float(truth) + rng.normal(0, noise * rng.lognormal(0, 0.7))
        away = places - sight
        if form.cycle:
            away = (away + 2) % 4 - 2
        logits = -0.5 * (away / noise) ** 2
        logits -= np.logaddexp.reduce(logits)
        logprobs = {n.write(): float(x) for n, x in zip(listed, logits, strict=True)}
        (target,) = numbers_of(form, [truth])
        answer = Prediction(str(row), "?", None, "plain", logprobs=logprobs)
        pairs.append((answer, Question(str(row), target, None, str(row))))
    return pairs


@pytest.mark.parametrize("case", CASES)
def test_labels_between_the_listed_answers_are_held_as_often_as_printed(case):
    """As `score` counts: truths are not moved to the next listed answer."""
    form, *options = CASES[case]
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(12):
        pairs = simulate(rng, form, *options, 500)
        (part,) = parts = calibrate(pairs[:250], "median")
        assert part.step == options[1]
        certifier = Certifier(Calibration(None, "median", None, None, parts), Terms())
        for answer, question in pairs[250:]:
            _, certainty = certifier.certify(answer.logprobs, form, "plain", "")
            stated = Prediction("a", "?", None, "plain", certainty=certainty)
            seen = measures(stated, question.target, form.type_name)
            covered.append(seen["interval_covers"])
    assert 0.88 <= np.mean(covered) <= 0.92
