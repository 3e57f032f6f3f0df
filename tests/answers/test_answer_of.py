"""Values that readers return become answers again, in the form of the question."""

from dataclasses import replace

import pytest
from hypothesis import example, given
from target_strategies import targets

from gnomon.answers.box.answer import BoxForm
from gnomon.answers.number.answer import NumberForm
from gnomon.answers.registry import TYPES
from gnomon.answers.time.answer import TimeForm
from gnomon.sample import Box, Number, Text, Time


@given(targets)
@example(Text("'0"))
@example(Text("U.S."))
def test_the_value_of_an_answer_gives_it_back(target):
    answer_type = TYPES[target.type_name]
    back = answer_type.answer_of(answer_type.value_of(target), target.answer_form)
    if isinstance(target, Text) and not target.choices:  # readers drop quotes and a full stop
        assert back.text
        assert back.text in target.text
    elif isinstance(target, Time) and target.shows_seconds:
        assert back.hms == target.hms
    elif isinstance(target, Number):  # a tolerance is the label's
        assert replace(back, within=target.within) == target
    else:
        assert back == target


@pytest.mark.parametrize(
    ("value", "form", "expected"),
    [
        ((10, 8, None), TimeForm(), Time(36480)),
        ((12, 0, 5), TimeForm(12, "words"), Time(5, 12, shows_seconds=True)),
        ((9.0, 8.0, 1.0, 2.0), BoxForm(), Box(1, 2, 9, 8)),
    ],
)
def test_an_answer_may_say_more_than_its_form(value, form, expected):
    assert TYPES[form.type_name].answer_of(value, form) == expected


def test_a_number_beyond_its_figures_keeps_its_value():
    from decimal import Decimal

    form = NumberForm(digits=3)
    assert TYPES["counter"].answer_of(Decimal(1234), form) == Number(Decimal(1234))
    assert TYPES["counter"].answer_of(Decimal(45), form).decimal_text == "045"
    assert float(Number(Decimal("4.7"))) == 4.7
    assert f"{Time(36480)}" == "10:08"
