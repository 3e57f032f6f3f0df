"""The rule that reads labels best is chosen, on pictures that no interval uses."""

from decimal import Decimal
from math import log

import numpy as np
import pytest

from gnomon.answers.number.answer import NumberForm
from gnomon.eval.calibration.calibration import Calibration, Certifier, Terms, calibrate
from gnomon.eval.calibration.rule_choice import choose_rule
from gnomon.eval.scoring.certainty import measures
from gnomon.eval.scoring.question_file import Question
from gnomon.sample import Number, Prediction, Text

FORM = NumberForm()
LISTED = [str(number) for number in range(21)]


def asked(n, shares, truth, group=""):
    """An answer with a belief: shares by number, and next to nothing for all others."""
    logprobs = {text: log(shares.get(int(text), 1e-6)) for text in LISTED}
    facts = {"group": group} if group else {}
    question = Question(str(n), Number(Decimal(truth)), None, str(n), "How much?", facts)
    return Prediction(str(n), "?", None, "plain", logprobs=logprobs), question


def skewed(truth):
    """The likeliest number and a long tail above it, where the median lies."""
    return {truth: 0.4, truth + 2: 0.3, truth + 4: 0.3}


def split(truth):
    """Two likeliest numbers far apart, and the truth between them."""
    return {truth - 4: 0.35, truth: 0.25, truth + 4: 0.4}


@pytest.mark.parametrize(("shares", "rule"), [(skewed, "mode"), (split, "median")])
def test_the_rule_that_reads_a_quarter_best_answers(shares, rule):
    """The median answered whatever the labels said: 7 % right where the mode has 12 %."""
    answers = [asked(n, shares(5 + n % 10), 5 + n % 10, f"meter {n % 50}") for n in range(200)]
    choice = choose_rule(answers)
    assert choice.rule == rule
    assert choice.right[rule] == 1 > choice.right["median" if rule == "mode" else "mode"]
    assert f"answers are the {rule} of the belief, right for 100.0 % of".replace(" %", "%") in (
        choice.sentence
    )
    # Groups are used as wholes, in either place.
    assert 200 - len(choice.rest) == choice.n == 48
    groups = {question.group for _, question in choice.rest}
    assert len(groups) == 38


def test_equally_right_rules_are_told_apart_by_their_distance():
    answers = [asked(n, {3: 0.4, 5: 0.3, 7: 0.3}, 6) for n in range(100)]
    assert choose_rule(answers).rule == "median"
    assert choose_rule(answers, within=1).rule == "median"
    assert choose_rule(answers, within=5).right == {"mode": 1, "median": 1, "mean": 1}


@pytest.mark.parametrize("n_groups", [0, 8])
def test_too_few_pictures_or_groups_choose_nothing(n_groups):
    n = 200 if n_groups else 79
    answers = [asked(i, split(9), 9, f"g{i % n_groups}" if n_groups else "") for i in range(n)]
    choice = choose_rule(answers)
    assert (choice.rule, choice.n, len(choice.rest)) == ("mode", 0, n)
    assert "with 80 pictures or more" in choice.sentence
    if n_groups:
        assert choose_rule(answers, same_groups=True).rule == "median"


def test_words_need_no_choice():
    form = Text("red", ("red", "blue"))
    logprobs = {"red": log(0.6), "blue": log(0.4)}
    answers = [
        (Prediction(str(n), "red", None, "plain", logprobs=logprobs),
         Question(str(n), form, None, str(n)))
        for n in range(200)
    ]  # fmt: skip
    choice = choose_rule(answers)
    assert (choice.sentence, len(choice.rest)) == ("", 200)


def test_a_chosen_rule_leaves_the_promise_as_it_is():
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(10):
        answers = []
        for n in range(500):
            truth = int(rng.integers(21))
            away = np.arange(21) - truth - rng.normal(0, 1.5 * rng.lognormal(0, 0.7))
            shares = np.exp(-0.5 * away**2) + 1e-9
            answers.append(asked(n, dict(enumerate(shares / shares.sum())), truth))
        choice = choose_rule(answers[:300])
        parts = calibrate(choice.rest, choice.rule)
        certifier = Certifier(Calibration(None, choice.rule, None, None, parts), Terms())
        for answer, question in answers[300:]:
            _, certainty = certifier.certify(answer.logprobs, FORM, "plain", "How much?")
            stated = Prediction("a", "?", None, "plain", certainty=certainty)
            covered.append(measures(stated, question.target, "number")["interval_covers"])
    # Whole numbers tie, so that intervals hold a little more than nine of ten.
    assert 0.88 <= np.mean(covered) <= 0.94
