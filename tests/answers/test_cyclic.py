"""Numbers on a scale that goes round: a meter's dial, a wheel, a compass."""

import math
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.answers.number.answer import _wrap_large, wrap_around
from gnomon.answers.number.measure import Turn, cyclic_distance
from gnomon.eval import score
from gnomon.sample import Number, Prediction, Sample, target_from_json, target_to_json

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


@pytest.mark.parametrize(
    ("truth", "text", "accepted", "exact", "error"),
    [
        ("0.0", "9.9", 1, 0, 0.1),
        ("9.9", "0.0", 1, 0, 0.1),
        ("0.0", "10.0", 1, 1, 0.0),
        ("0.2", "9.9", 0, 0, 0.3),
        ("3.7", "3.7", 1, 1, 0.0),
        ("3.7", "8.7", 0, 0, 5.0),
        ("0.0", "-0.1", 1, 0, 0.1),
        ("9.5", "about 29.5", 1, 1, 0.0),
    ],
)
def test_an_answer_is_judged_round_the_dial(truth, text, accepted, exact, error):
    figures = scored(dial(truth), text).summaries["cyclic"]
    measured = (
        figures["accepted"].estimate.value,
        figures["exact"].estimate.value,
        figures["error"].estimate.value,
    )
    assert measured == pytest.approx((accepted, exact, error))


def test_unread_answers_cost_half_a_turn_and_guesses_a_quarter():
    figures = scored(dial("3.0"), "I cannot tell").summaries["cyclic"]
    assert figures["charged"].estimate.value == 5
    assert figures["unread"].estimate.value == 1
    assert figures["charged"].chance["uniform"] == 2.5
    # Of a hundred tenths three are within a tenth.
    assert figures["accepted"].chance["uniform"] == pytest.approx(0.03)
    assert figures["exact"].chance["uniform"] == pytest.approx(0.01)


def test_chance_is_that_of_all_guesses():
    truth = dial("9.7")
    guesses = [guess.value for guess in truth.possible_answers()]
    apart = [cyclic_distance(Turn(guess, TEN), Turn(truth.value, TEN)) for guess in guesses]
    figures = scored(truth, "9.7").summaries["cyclic"]
    assert np.mean(apart) == pytest.approx(figures["error"].chance["uniform"])
    assert np.mean(np.array(apart) <= 0.1 + 1e-9) == pytest.approx(
        figures["accepted"].chance["uniform"]
    )


def test_a_belief_on_both_sides_of_zero_expects_zero():
    logprobs = {"9.9": math.log(0.5), "0.1": math.log(0.5)}
    figures = scored(dial("0.0"), "9.9", logprobs=logprobs).summaries["cyclic"]
    assert figures["belief_expected"].estimate.value == pytest.approx(0, abs=1e-9)
    # E|X − y| − E|X − X'| / 2, where the two stand 0.2 apart.
    assert figures["belief_crps"].estimate.value == pytest.approx(0.1 - 0.05)


@given(places)
def test_it_is_written_and_read_back(value):
    truth = Number(value, "", TENTH, TEN)
    assert target_from_json(target_to_json(truth)) == truth
    assert truth.read_back(truth.write()) == truth
    assert truth in truth.possible_answers()


def test_files_of_scales_that_end_have_no_cycle():
    assert "cycle" not in target_to_json(Number(Decimal(3)))


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
