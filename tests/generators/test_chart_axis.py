"""Axes hold their values, ticks are round, rounding is exact."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.generators.chart.answers import correlation, rounded
from gnomon.generators.chart.scene import Axis, linear, logarithmic

values = st.integers(-10_000, 1_000_000)


@given(values, values, st.integers(2, 8), st.booleans())
def test_a_linear_axis_holds_its_values_in_round_steps(one, other, most, from_zero):
    low, high = min(one, other), max(one, other)
    axis = linear(low, high, most, from_zero)
    assert axis.low <= low
    assert high <= axis.high
    assert not from_zero or axis.low <= 0 <= axis.high
    assert int(str(axis.step).rstrip("0")) in (1, 2, 5)
    assert axis.ticks[0] == axis.low
    assert axis.ticks[-1] == axis.high
    assert 2 <= len(axis.ticks) <= most + 1
    assert all(tick % axis.step == 0 for tick in axis.ticks)
    assert 0 <= axis.share(low) <= axis.share(high) <= 1


@given(st.integers(1, 10**7), st.integers(1, 10**7))
def test_a_logarithmic_axis_holds_its_values_in_whole_decades(one, other):
    low, high = min(one, other), max(one, other)
    axis = logarithmic(low, high)
    assert axis.low <= low
    assert high <= axis.high
    assert {str(tick).rstrip("0") for tick in axis.ticks} == {"1"}
    assert all(
        after == 10 * before for before, after in zip(axis.ticks, axis.ticks[1:], strict=False)
    )
    assert -1e-9 <= axis.share(low) <= axis.share(high) <= 1 + 1e-9
    assert all(axis.low < tick < axis.high for tick in axis.small_ticks)


def test_an_axis_is_read_exactly_only_where_a_unit_is_six_pixels():
    assert Axis(0, 20, 5).reading(7, 120) == 0
    assert Axis(0, 21, 5).reading(7, 120) == 1
    assert Axis(0, 1000, 200).reading(7, 120) == 20
    assert Axis(0, 1000, 100).reading(7, 120) == 17  # two pixels
    assert Axis(10, 1000, 0).reading(340, 120) == 34


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**6), st.integers(0, 4))
def test_rounding_is_half_away_from_zero(numerator, denominator, places):
    value = Fraction(numerator, denominator)
    found = rounded(value, places)
    assert abs(Fraction(found) - value) <= Fraction(1, 2 * 10**places)
    assert -found.as_tuple().exponent == places
    text = Decimal(numerator) / Decimal(denominator)  # 28 digits: no tie is hidden at this size
    assert found == text.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


@pytest.mark.parametrize(("ys", "squared", "sign"), [
    ((1, 2, 3), 1, 1), ((3, 2, 1), 1, -1), ((1, 0, 1), 0, 0), ((5, 5, 5), 0, 0),
])  # fmt: skip
def test_correlation(ys, squared, sign):
    assert correlation((1, 2, 3), ys) == (squared, sign)
