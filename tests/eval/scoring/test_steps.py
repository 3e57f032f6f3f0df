"""Scores of the steps before an answer."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gnomon.dialect import add_working
from gnomon.eval import RunResult, score, write_report
from gnomon.eval.scoring.question_file import Question
from gnomon.eval.scoring.steps import CONTRADICTS, CUT
from gnomon.generators import create as generator
from gnomon.sample import Number, Prediction, Sample, Text, Time

CLOCK = Sample(
    "clock", None, "What time is it?", Time(36480), rationale="short hand 10.13, long hand 1.6"
)
GAUGE = Sample(
    "gauge", None, "What does it read?", Number(Decimal("4.7"), within=Decimal("0.1")),
    rationale="between 4 and 5, 7 of 10",
)  # fmt: skip


def scored(sample, text):
    (item,) = score([Prediction(sample.id, text, None, "plain")], [sample]).items
    return item


@pytest.mark.parametrize(
    ("sample", "text", "correct", "right", "contradicts"),
    [
        (CLOCK, "short hand 10.13, long hand 1.6: 10:08", True, [True, True], 0),
        (CLOCK, "short hand 10.1, long hand 1.5: 10:08", True, [True, True], 0),
        (CLOCK, "short hand 1.6, long hand 10.1: 01:50", False, [False, False], 0),
        (CLOCK, "short hand 10.13, long hand 1.6: 11:08", False, [True, True], 1),
        (CLOCK, "short hand 10.13: 10:08", True, [True, False], 0),
        (GAUGE, "between 4 and 5, 7 of 10: 4.7", True, [True, True], 0),
        (GAUGE, "between 4 and 5, 7 of 10: 5.7", False, [True, True], 1),
        (GAUGE, "between 5 and 6, 7 of 10: 5.7", False, [False, True], 0),
    ],
)
def test_each_step_is_compared_with_the_facts(sample, text, correct, right, contradicts):
    item = scored(sample, text)
    assert item.correct is correct
    assert [step.right for step in item.steps] == right
    assert item.measures[CONTRADICTS] == contradicts
    assert item.measures[CUT] == 0


def test_an_answer_cut_in_its_steps_is_unread_and_counted():
    item = scored(GAUGE, "between 4 and 5, 7 o")
    assert (item.value, item.measures["unread"], item.measures[CUT]) == (None, 1, 1)
    assert [step.right for step in item.steps] == [True, False]
    choice = Sample("chart", None, "Which is highest?", Text("Rome"), {}, "bar 2 of 4 at 49.6")
    item = scored(choice, "bar 2")
    assert (item.value, item.measures["unread"], item.measures[CUT]) == (None, 1, 1)


DIAL = Sample(
    "dial", None, "What does it read?", Number(Decimal("5.09"), within=Decimal("0.01")),
    rationale="pointer small.hand at 5.09, pointer hand at 8.7",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "contradicts"),
    [
        ("pointer small.hand at 5.09, pointer hand at 8.7: 5.09", 0),
        ("pointer small.hand at 5.09, pointer hand at 8.7: 6.09", 1),
        ("pointer small.hand at 5.9, pointer hand at 8.7: 6.09", None),
        ("pointer small.hand at 5.09, pointer hand at 8.7", None),
    ],
)
def test_a_value_contradicts_true_steps_if_it_is_wrong(text, contradicts):
    """What other steps lead to is known only if they give a value by themselves."""
    assert scored(DIAL, text).measures.get(CONTRADICTS) == contradicts


@pytest.mark.parametrize(
    ("sample", "text"),
    [
        (CLOCK, "short hand 10 1, long hand 1.6, shows 10: 10:08"),
        (GAUGE, "between 4 5 and 6, 7 of 10: 4.7"),
        (GAUGE, "between 4 and 5, 7 of 0: 4.7"),
    ],
)
def test_steps_with_the_wrong_count_of_numbers_are_wrong_and_contradict_nothing(sample, text):
    item = scored(sample, text)
    assert item.correct
    assert not all(step.right for step in item.steps)
    assert CONTRADICTS not in item.measures


@pytest.mark.parametrize("text", ["4.7", "the gauge reads 4.7"])
def test_an_answer_without_steps_has_no_measure_of_steps(text):
    item = scored(GAUGE, text)
    assert item.correct
    assert not [name for name in item.measures if "step" in name or "first" in name]


def test_a_summary_has_the_share_of_each_step_and_of_the_first_wrong_one():
    texts = {
        "a": "short hand 10.13, long hand 1.6: 10:08",
        "b": "short hand 9.13, long hand 1.6: 09:08",
        "c": "short hand 10.13, long hand 9: 10:45",
        "d": "short hand 10.13, long hand 1.6: 10:09",
    }
    samples = [Sample(name, None, "?", CLOCK.target, {}, CLOCK.rationale) for name in texts]
    predictions = [Prediction(name, text, None, "plain") for name, text in texts.items()]
    summary = score(predictions, samples).summaries["time"]
    figures = {result.name: result.estimate.value for result in summary.results}
    assert {name: figures[name] for name in figures if name.startswith(("step.", "wrong_"))} == {
        "step.short_hand": 0.75, "step.long_hand": 0.75, "step.hour": 0.75, "step.minute": 0.5,
        "step.answer": 0.25, "wrong_first.short_hand": 0.25, "wrong_first.long_hand": 0.25,
        "wrong_first.hour": 0, "wrong_first.minute": 0.25, "wrong_first.answer": 0,
    }  # fmt: skip


OPTIONS = [
    ("clock", {"size": 112, "second_hand": 0.5, "questions": ["read", "shift", "angle"]}),
    ("clock", {"size": 224, "numerals": ["arabic-24"], "one_hand": 0.3}),
    ("gauge", {"size": 160, "level": "hard", "log": 0.3, "questions": ["read", "percent"]}),
    ("gauge", {"size": 224, "instruments": ["dial", "compass", "speedometer"], "level": "hard"}),
    ("face", {"size": 240, "questions": ["read", "part", "difference"]}),
    ("counter", {"size": 160, "level": "hard", "questions": ["read", "wheel"]}),
    ("chart", {"size": 224, "questions": ["retrieve", "sum"], "level": "hard"}),
    ("scene", {"size": 168, "questions": ["count", "relation"]}),
]


@pytest.mark.parametrize(("kind", "options"), OPTIONS)
def test_true_steps_are_right_and_agree_with_the_answer(kind, options):
    checked = 0
    for sample in generator(kind, answer="steps", **options)[:25]:
        text = add_working(sample.rationale, sample.target.write())
        (item,) = score(
            [Prediction(sample.id, text, sample.image.size, "plain")], [Question.of(sample)]
        ).items
        assert item.correct
        assert all(step.right for step in item.steps)
        assert not item.measures.get(CONTRADICTS), text
        checked += CONTRADICTS in item.measures
    assert checked


def test_the_report_shows_steps_and_the_first_wrong_one(tmp_path):
    text = "short hand 9.13, long hand 1.6: 09:08"
    scores = score([Prediction("clock", text, None, "plain")], [CLOCK])
    run = RunResult("run", scores, questions=[Question.of(CLOCK)])
    page = write_report(tmp_path / "page.html", [run], samples={"clock": CLOCK}).read_text()
    assert "Steps before the answer" in page
    assert '<tr><th scope="row">Step right: short hand</th>' in page
    assert "1 of 2 steps are right. Wrong first: short hand 9.13, not short hand 10.13." in page
