"""Numbers on a scale that goes round: a meter's dial, a wheel, a compass."""

import math
from decimal import Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.answers.number.answer import _wrap_large, wrap_around
from gnomon.answers.number.measure import Turn, cyclic_distance, cyclic_exact, share_of_turn
from gnomon.eval import score
from gnomon.sample import Number, Prediction, Sample

TENTH, TEN = Decimal("0.1"), Decimal(10)
places = st.integers(0, 99).map(lambda tenths: Decimal(tenths) / 10)


def scored(truth, text, **fields):
    sample = Sample("a", None, "What does it read?", truth)
    return score([Prediction("a", text, size=None, dialect="plain", **fields)], [sample])


def dial(value):
    return Number(Decimal(value), "", TENTH, TEN)


@given(places, places)
def test_the_distance_is_that_of_two_points_on_a_circle(a, b):
    angle = 2 * math.pi / 10 * float(a - b)
    around = abs(math.atan2(math.sin(angle), math.cos(angle))) * 10 / (2 * math.pi)
    assert cyclic_distance(Turn(a, TEN), Turn(b, TEN)) == pytest.approx(around, abs=1e-9)


def test_a_constant_answer_stands_where_the_question_s_own_scale_has_it():
    """350 of a compass is 0 on a dial of 10: the distance from it was negative."""
    assert cyclic_exact(Turn(Decimal(350), Decimal(360)), Turn(Decimal(0), TEN))
    assert share_of_turn(Turn(Decimal(356), Decimal(360)), Turn(Decimal(1), TEN)) == 0.5
    truths = [dial(place) for place in ("1.0", "3.0", "5.5", "8.0")]
    truths += [Number(Decimal(n), "", Decimal(1), Decimal(360)) for n in (10, 100, 222, 350)]
    samples = [Sample(str(i), None, "?", truth) for i, truth in enumerate(truths)]
    answers = [Prediction(sample.id, "5", size=None, dialect="plain") for sample in samples]
    figures = score(answers, samples).summaries["cyclic"]
    # Of eight truths a constant answer meets its own; on the dials they are a turn or more apart.
    assert figures["accepted"].chance["constant"] == 1 / 8
    assert 0 < figures["error"].chance["constant"] <= figures["error"].estimate.value


def test_unread_answers_cost_half_a_turn_and_guesses_a_quarter():
    figures = scored(dial("3.0"), "I cannot tell").summaries["cyclic"]
    assert figures["charged"].estimate.value == 5
    assert figures["unread"].estimate.value == 1
    assert figures["charged"].chance["uniform"] == 2.5
    # Of a hundred tenths three are within a tenth.
    assert figures["accepted"].chance["uniform"] == pytest.approx(0.03)
    assert figures["exact"].chance["uniform"] == pytest.approx(0.01)


def test_a_belief_on_both_sides_of_zero_expects_zero():
    logprobs = {"9.9": math.log(0.5), "0.1": math.log(0.5)}
    figures = scored(dial("0.0"), "9.9", logprobs=logprobs).summaries["cyclic"]
    assert figures["belief_expected"].estimate.value == pytest.approx(0, abs=1e-9)
    # E|X − y| − E|X − X'| / 2, where the two stand 0.2 apart.
    assert figures["belief_crps"].estimate.value == pytest.approx(0.1 - 0.05)


@pytest.mark.parametrize(
    ("value", "way_out"), [("10.0", "write 0.0"), ("12.5", "write 2.5"), ("-0.5", "write 9.5")]
)
def test_a_label_beyond_the_scale_is_refused_with_its_place_on_it(value, way_out):
    with pytest.raises(ValueError, match=way_out):
        dial(value)


@given(
    st.integers(-(10**60), 10**60), st.integers(-3, 400), st.sampled_from(["10", "360.0", "7.5"])
)
def test_a_number_of_any_length_has_its_place_on_the_dial(number, exponent, cycle):
    """Decimal's own remainder refuses what is 10^28 times as long as the dial."""
    value, cycle = Decimal(number).scaleb(exponent, Context(prec=100)), Decimal(cycle)
    expected = Fraction(number) * Fraction(10) ** exponent % Fraction(cycle)
    assert Fraction(wrap_around(value, cycle)) == expected
    assert Fraction(_wrap_large(value, cycle)) == expected
