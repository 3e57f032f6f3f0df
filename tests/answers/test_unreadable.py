"""Answers that nothing can be read, and the labels of users that mean it."""

from decimal import Decimal

import pytest

from gnomon.answers.registry import target_from_json, target_to_json
from gnomon.answers.unreadable.answer import is_unreadable_label
from gnomon.answers.unreadable.read import is_refusal, is_whole_refusal
from gnomon.recipe import Columns
from gnomon.sample import Number, Text, Time, Unreadable

DIAL = Number(Decimal("4.2"), "kWh", Decimal("0.1"), Decimal(10))


@pytest.mark.parametrize(
    "text",
    [
        "unreadable",
        "Unreadable.",
        "**illegible**",
        "NaN",
        "The dial is not readable",
        "The last digit is hidden and the rest is blurred.\nAnswer: unreadable",
        "It stands between 3 and 4, perhaps.\nAnswer: it cannot be read",
        "<answer>unreadable</answer>",
        "<think>At 3, no, at 4.</think> Illegible",
        '{"reading": "unreadable"}',
        "I'm sorry, but the reading could not be read from this picture.",
        "I am unable to read the display.",
        "Nicht ablesbar",
        "Unlesbar!",
    ],
)
def test_it_is_said_in_many_words(text):
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "4.2",
        "",
        "I cannot read the small hand, so about 4.2",
        "4.2 (the last digit is illegible)",
        "It is not unreadable",
        "nano",
        "The meter is hard to read, but open",
        "none",
        "Answer: 4.2\n",
        "unreadable? No.\nAnswer: 4.2",
        "the banana is yellow",
    ],
)
def test_a_reading_is_none_however_unsure(text):
    assert not is_refusal(text)


def test_the_whole_answer_is_told_from_one_word_in_it():
    assert is_whole_refusal("At 3.\nAnswer: unreadable")
    assert not is_whole_refusal("I think that it is unreadable from here")


@pytest.mark.parametrize(
    ("label", "words", "is_one"),
    [
        ("", True, True),
        (None, True, True),
        ("  NaN ", True, True),
        (float("nan"), True, True),
        ("Not  readable", True, True),
        ("0", True, False),
        ("none", True, False),
        ([], True, False),
        (True, True, False),
        ("unreadable", False, False),
        ("blurred", ("blurred", "-1"), True),
        (-1, ("blurred", "-1"), True),
        ("", ("blurred",), False),
        ("unreadable", ("blurred",), False),
        ("", ("",), True),
    ],
)
def test_labels_mean_it_by_the_usual_words_or_by_the_users(label, words, is_one):
    assert is_unreadable_label(label, words) is is_one


@pytest.mark.parametrize("form", [DIAL, Time(600), Text("open", ("open", "shut")), Text("?")])
def test_the_truth_comes_back_from_json_with_its_form(form):
    truth = Unreadable(form)
    assert target_from_json(target_to_json(truth)) == truth
    # A datasets.Dataset of several types gives each row the fields of all.
    row = target_to_json(truth)
    row["form"] = {**row["form"], "rows": None}
    assert target_from_json(row) == truth
    assert truth.read_back(truth.write()) == truth
    assert truth.read_back("4.2") is None
    assert hash(truth) == hash(target_from_json(target_to_json(truth)))


@pytest.mark.parametrize("row", [{}, {"form": None}, {"form": {"type": "number"}}, {"form": 3}])
def test_a_form_that_is_none_is_refused(row):
    with pytest.raises(ValueError, match="target"):
        target_from_json({"type": "unreadable", **row})


def test_its_question_gives_nothing_away():
    truth = Unreadable(DIAL)
    assert truth.form_of_question == DIAL.form_of_question
    assert truth.possible_answers() == DIAL.possible_answers()
    grid = [Decimal(1), Decimal(2)]
    assert truth.on_grid(grid) == DIAL.on_grid(grid)
    assert truth.neighbour(lambda room: 3, None) == truth


@pytest.mark.parametrize("choices", [("open", "unreadable"), ("open", "illegible")])
def test_a_choice_that_would_say_it_is_refused(choices):
    with pytest.raises(ValueError, match="leave it out of one of them"):
        Columns(choices=choices, unreadable=True)
    assert Columns(choices=choices).choices == choices
