"""Forms: what is known about the answers to a question before its answer is."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from target_strategies import targets

from gnomon.answers.base.target import Unlabelled
from gnomon.answers.number.answer import NumberForm, form_with_decimals, tolerance_of
from gnomon.answers.registry import (
    TYPES,
    form_from_json,
    form_to_json,
    is_listed,
    target_from_json,
    target_to_json,
)
from gnomon.answers.text.answer import TextForm
from gnomon.answers.time.answer import TimeForm
from gnomon.sample import Box, Number, Text, Time


@given(targets)
def test_a_form_comes_back_from_json_and_its_example_depends_on_no_truth(target):
    form = target.answer_form
    row = form_to_json(form)
    assert form_from_json(row) == form
    assert target_from_json(row).answer_form == form
    assert TYPES[form.type_name].target is type(target)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Number(Decimal("4.2"), "bar", Decimal("0.1")), Number(Decimal(7), "bar")),
        (Time(600), Time(36480)),
        (Text("open", ("open", "shut")), Text("shut", ("open", "shut"))),
        (Box(0, 0, 1, 1), Box(5, 6, 7, 8)),
    ],
)
def test_answers_to_one_question_have_one_form(one, other):
    assert one.answer_form == other.answer_form
    assert hash(one.answer_form) == hash(other.answer_form)


def test_a_counters_decimals_are_kept_if_they_are_asked_for():
    label = Number(Decimal("12.50"), digits=4)
    assert label.answer_form == NumberForm(digits=4)
    form = form_with_decimals(label)
    assert form == NumberForm(digits=4, decimals=2)
    assert form_from_json(form_to_json(form)) == form
    assert form_to_json(form)["value"] == "0.00"
    # It is not known how many decimals other numbers have.
    assert (label.answer_form.number_range() is None, form.number_range()) == (False, None)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (Number(Decimal(42), within=Decimal("0.5")), True),
        (Number(Decimal("42.5")), False),
        (Number(Decimal(101)), False),
        (Number(Decimal(42), digits=5), False),
        (Number(Decimal("9.9"), "", Decimal("0.1"), Decimal(10)), True),
        (Number(Decimal("9.95"), "", Decimal("0.1"), Decimal(10)), False),
        (Number(Decimal(1), "", Decimal("0.1"), Decimal(360)), False),
        (Time(36480), True),
        (Time(36485, shows_seconds=True), False),
        (Text("shut", ("open", "shut")), True),
        (Text("shut"), False),
        (Box(0, 0, 1, 1), False),
        (Unlabelled(NumberForm()), True),
        (Unlabelled(TextForm()), False),
    ],
)
def test_an_answer_is_listed_if_its_question_lists_it(target, expected):
    assert is_listed(target) is expected


@given(targets.map(lambda target: target.answer_form))
def test_a_question_without_a_label_has_a_form_and_no_answer(form):
    unlabelled = Unlabelled(form)
    assert unlabelled.answer_form == form
    assert (unlabelled.type_name, unlabelled.has_place) == (form.type_name, form.has_place)
    assert target_from_json(target_to_json(unlabelled)) == unlabelled
    with pytest.raises(ValueError, match="without a label has no answer"):
        unlabelled.write()


@given(st.sampled_from(['"', "'", "«", "“ ”"]))
def test_an_answer_of_signs_is_read_only_if_the_question_has_such_answers(signs):
    form = Text(signs).answer_form
    read = TYPES["text"].read
    asked = {"which": "final", "dialect": None, "size": None}
    assert read(signs, form, **asked).value == signs
    assert read(signs, replace(form, is_signs=False), **asked) is None


def test_positions_begin_again_on_a_dial():
    assert [TimeForm(hours).period for hours in (12, 24)] == [720, 1440]
    assert NumberForm(cycle=Decimal(360)).period == 360
    assert NumberForm().period == TextForm().period == 0


def test_only_a_number_has_a_tolerance():
    assert tolerance_of(Number(Decimal(3), within=Decimal("0.5"))) == 0.5
    assert tolerance_of(Time(0)) == 0
