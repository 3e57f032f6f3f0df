"""Answers that nothing can be read, and the labels of users that mean it."""

from dataclasses import replace
from decimal import Decimal

import pytest
from case_tables import table

from gnomon.answers.registry import is_listed, target_from_json, target_to_json
from gnomon.answers.unreadable.answer import is_unreadable_label
from gnomon.answers.unreadable.read import is_refusal, is_whole_refusal
from gnomon.recipe import Columns
from gnomon.sample import Number, Text, Time, Unreadable

DIAL = Number(Decimal("4.2"), "kWh", Decimal("0.1"), Decimal(10))


@table(__file__, "refusals")
def test_it_is_said_in_many_words_and_a_reading_is_none_however_unsure(row):
    assert is_refusal(row["text"]) is row["refusal"]


def test_the_whole_answer_is_told_from_one_word_in_it():
    assert is_whole_refusal("At 3.\nAnswer: unreadable")
    assert not is_whole_refusal("I think that it is unreadable from here")


@table(__file__, "unreadable_labels")
def test_labels_mean_it_by_the_usual_words_or_by_the_users(row):
    words = row["words"] if isinstance(row["words"], bool) else tuple(row["words"])
    assert is_unreadable_label(row["label"], words) is row["unreadable"]


@pytest.mark.parametrize("form", [DIAL, Time(600), Text("open", ("open", "shut")), Text("?")])
def test_the_truth_comes_back_from_json_with_its_form(form):
    truth = Unreadable(form.answer_form)
    assert target_from_json(target_to_json(truth)) == truth
    # A datasets.Dataset of several types gives each row the fields of all.
    row = target_to_json(truth)
    row["form"] = {**row["form"], "rows": None}
    assert target_from_json(row) == truth
    assert hash(truth) == hash(target_from_json(target_to_json(truth)))


@pytest.mark.parametrize("row", [{}, {"form": None}, {"form": {"type": "number"}}, {"form": 3}])
def test_a_form_that_is_none_is_refused(row):
    with pytest.raises(ValueError, match="target"):
        target_from_json({"type": "unreadable", **row})


def test_its_question_gives_nothing_away():
    truth = Unreadable(DIAL.answer_form)
    assert truth.answer_form == DIAL.answer_form == replace(DIAL, value=Decimal(9)).answer_form
    assert is_listed(truth)
    assert not is_listed(Unreadable(Text("-").answer_form))
    assert truth.neighbour(lambda room: 3, None) == truth


@pytest.mark.parametrize("choices", [("open", "unreadable"), ("open", "illegible")])
def test_a_choice_that_would_say_it_is_refused(choices):
    with pytest.raises(ValueError, match="leave it out of one of them"):
        Columns(choices=choices, unreadable=True)
    assert Columns(choices=choices).choices == choices
