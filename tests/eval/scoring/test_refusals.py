"""Right, missed and wrong answers that nothing can be read, and what beliefs say of it."""

from dataclasses import replace
from decimal import Decimal
from math import exp, log

import numpy as np
import pytest
from eval_toys import csv_rows, exam, scored

from gnomon.eval import RunResult, compare, reward, table
from gnomon.eval.calibration.calibration import Calibration, Certifier, Terms, calibrate
from gnomon.eval.report.page import write_report
from gnomon.eval.scoring.belief import belief_of, best_answer, measures
from gnomon.eval.scoring.certainty import measures as certainty_measures
from gnomon.eval.scoring.question_file import Question
from gnomon.sample import Number, Prediction, Text, Unreadable, target_to_json

DIAL = Number(Decimal("4.2"), within=Decimal("0.1"), cycle=Decimal(10))
READABLE = [replace(DIAL, value=Decimal(n)) for n in range(4)]


def test_each_way_of_refusing_is_counted_and_no_distance_has_them():
    samples = exam(*READABLE, *[Unreadable(FORM)] * 5)
    texts = ["0.0", "illegible", "At 3.\nAnswer: unreadable", "what?"]
    texts += ["unreadable", "It cannot be read.", "4.2", "I see", ""]
    result = scored(samples, texts)
    dials, blind = result.summaries["cyclic"], result.summaries["unreadable"]
    assert (dials.n, dials.unread, blind.n, blind.unread) == (4, 3, 5, 1)
    assert dials["unreadable_wrongly"].estimate.value == 0.5
    assert dials["error"].estimate.value == 0  # of the only one that was read
    assert blind["exact"].estimate.value == 0.4
    assert blind["missed"].estimate.value == 0.6
    # A guesser who always refuses would be right in all of them: that is no level to beat.
    assert all(not line.chance for line in blind.results)
    assert [item.correct for item in result.items] == [1, 0, 0, 0, 1, 1, 0, 0, 0]
    text = table([RunResult("a", result)])
    assert "Wrongly said to be unreadable" in text
    assert "Missed: not said to be unreadable" in text


def test_an_exam_without_any_is_summed_up_as_ever():
    samples = exam(*READABLE)
    result = scored(samples, ["0", "1", "2", "?"])
    names = [line.name for line in result.summaries["cyclic"].results]
    assert "unreadable_wrongly" not in names
    assert all("unreadable_wrongly" not in item.measures for item in result.items)


def test_two_models_are_compared_in_wrong_refusals():
    samples = exam(*READABLE * 3)
    careful = scored(samples, ["unreadable"] * 8 + ["3"] * 4)
    bold = scored(samples, ["0", "1", "2", "3"] * 3)
    (wrongly,) = (d for d in compare(careful, bold).differences if d.name == "unreadable_wrongly")
    assert (wrongly.baseline, wrongly.candidate) == (8 / 12, 0)
    assert (wrongly.verdict, wrongly.test) == ("better", "McNemar's exact test")
    names = {d.name for d in compare(bold, bold).differences}
    assert "unreadable_wrongly" not in names


def test_a_free_text_that_is_the_word_stays_an_answer():
    samples = exam(Text("unreadable"), Text("unreadable", ("open", "unreadable")), Text("open"))
    right = scored(samples, ["Unreadable", "Unreadable", "open"])
    assert all(i.correct and not i.is_refusal for i in right.items)
    wrong = scored(samples, ["Unreadable"] * 3)
    assert [i.is_refusal for i in wrong.items] == [False, False, True]
    listed = exam(Text("yes", ("yes", "no", "cannot be determined")))
    assert not scored(listed, ["Cannot be determined."]).items[0].is_refusal


def test_the_page_and_its_csv_say_it(tmp_path):
    samples = exam(*READABLE, Unreadable(FORM), Unreadable(FORM))
    texts = ["0.0", "unreadable", "2", "3", "unreadable", "4.2"]
    run = RunResult("a", scored(samples, texts))
    page = write_report(tmp_path / "report.html", [run]).read_text("utf-8")
    assert "said to be unreadable" in page
    assert "gave an answer for an unreadable picture" in page
    rows = csv_rows(tmp_path, [run])
    assert "unreadable_wrongly" in rows[0]
    assert [row["truth"] for row in rows[-2:]] == ["unreadable"] * 2


def test_a_reward_is_earned_by_saying_it():
    grade = reward("unreadable")
    targets = [target_to_json(t) for t in (Unreadable(FORM), Unreadable(FORM), DIAL)]
    assert grade(completions=["unreadable", "4.2", "unreadable"], target=targets) == [1, 0, None]
    assert reward("cyclic")(completions=["unreadable"], target=targets[2:]) == [0]


FORM = DIAL.answer_form
TENTHS = [f"{n / 10:.1f}" for n in range(100)]


def belief(place, unreadable, *, blur=0.15):
    """Log-probabilities of a model that sees a place, and refuses with a probability."""
    away = np.abs(np.arange(100) / 10 - place)
    scores = -0.5 * (np.minimum(away, 10 - away) / blur) ** 2
    scores += log(1 - unreadable) - np.logaddexp.reduce(scores)
    return {**dict(zip(TENTHS, scores.tolist(), strict=True)), "unreadable": log(unreadable)}


def test_a_belief_parts_the_values_from_the_refusal():
    stored = belief(9.9, 0.3)
    held = belief_of(stored, FORM, "plain", "cyclic")
    assert held.unreadable == pytest.approx(0.3)
    assert held.p.sum() == pytest.approx(1)
    assert best_answer(stored, FORM, "plain", "mean") == "9.9"
    assert best_answer(belief(9.9, 0.6), FORM, "plain", "mean") == "unreadable"
    seen = measures(Prediction("s", "9.9", None, "plain", {}, stored), DIAL, "cyclic")
    # The CRPS is that of the values alone.
    without = {name: value for name, value in stored.items() if name != "unreadable"}
    alone = measures(Prediction("s", "9.9", None, "plain", {}, without), DIAL, "cyclic")
    assert seen["belief_crps"] == pytest.approx(alone["belief_crps"])
    assert seen["belief_nll"] == pytest.approx(alone["belief_nll"])
    assert seen["belief_true"] == pytest.approx(0.7 * alone["belief_true"])
    blind = measures(
        Prediction("s", "9.9", None, "plain", {}, stored), Unreadable(FORM), "unreadable"
    )
    assert blind == pytest.approx({"belief_listed": 1, "belief_nll": -log(0.3), "belief_true": 0.3})


def simulated(rng, n):
    """Answers about n dials, a fifth of which nobody can read, with well-founded refusals."""
    pairs = []
    for number in range(n):
        is_blind = rng.random() < 0.2
        odds = rng.normal(2 if is_blind else -2, 1.5)
        place = float(rng.uniform(0, 10))
        target = replace(DIAL, value=Decimal(f"{int(place * 10) / 10:.1f}"))
        target = Unreadable(FORM) if is_blind else target
        stored = belief((place + rng.normal(0, 0.3)) % 10, 1 / (1 + exp(-odds)))
        question = Question(f"{number}", target, None, f"{number}")
        pairs.append((Prediction(f"{number}", "?", None, "plain", {}, stored), question))
    return pairs


def test_what_is_certified_is_what_was_calibrated():
    pairs = simulated(np.random.default_rng(2), 80)
    parts = calibrate(pairs, "mean", within=0.5)
    certifier = Certifier(Calibration(None, "mean", None, None, parts, True), Terms())
    limit = parts[0].limit(0.9)
    for (prediction, question), score_of, is_right in zip(
        pairs, parts[0].scores, parts[0].right, strict=True
    ):
        text, certainty = certifier.certify(prediction.logprobs, FORM, "plain", "")
        assert (text == "unreadable") == (prediction.logprobs["unreadable"] > log(0.5))
        certified = replace(prediction, text=text, certainty=certainty)
        truth = question.target
        seen = certainty_measures(certified, truth, truth.type_name)
        if truth.is_readable:
            assert seen["interval_covers"] == (score_of <= limit)
        else:
            assert seen == {"answered": 1}
            assert is_right == (text == "unreadable")
