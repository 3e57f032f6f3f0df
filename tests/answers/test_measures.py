"""Metrics at their edges."""

from __future__ import annotations

import inspect
from decimal import Decimal
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon import answers, names
from gnomon import eval as metrics
from gnomon.eval import METRICS, iou, parse_number, relaxed_correctness, time_deviation

TIMES = st.tuples(st.integers(0, 23), st.integers(0, 59), st.none() | st.integers(0, 59))


@pytest.mark.parametrize(
    ("prediction", "target", "period", "minutes"),
    [
        ((10, 8, None), (10, 8, None), 12, 0),
        ((11, 59, None), (12, 1, None), 12, 2),  # over the top of the dial
        ((12, 0, None), (0, 0, None), 12, 0),
        ((0, 8, None), (12, 8, None), 12, 0),
        ((22, 8, None), (10, 8, None), 12, 0),
        ((22, 8, None), (10, 8, None), 24, 720),
        ((23, 59, None), (0, 1, None), 24, 2),
        ((24, 0, None), (0, 0, None), 24, 0),  # midnight at either end of the day
        ((0, 0, None), (12, 0, None), 24, 720),
        ((0, 0, 0), (23, 59, 59), 24, 1 / 60),
        ((4, 8, None), (10, 8, None), 12, 360),  # the farthest there is
        ((10, 8, 30), (10, 8, None), 12, 0.5),
        ((10, 8, None), (10, 8, 30), 12, 0.5),
        ((12, 0, 10), (11, 59, 50), 12, 1 / 3),
    ],
)
def test_circular_deviation(prediction, target, period, minutes):
    assert time_deviation(prediction, target, period) == pytest.approx(minutes)


def test_linear_deviation_does_not_go_over_the_top():
    assert metrics.linear_deviation((11, 59, None), (12, 1, None)) == 718
    assert metrics.linear_deviation((12, 5, None), (0, 1, None)) == 4


@given(TIMES, TIMES, st.sampled_from([12, 24]))
def test_deviation_is_a_distance_on_the_circle(a, b, period):
    apart = time_deviation(a, b, period)
    assert 0 <= apart <= period * 30
    assert apart == time_deviation(b, a, period)
    assert apart <= metrics.linear_deviation(a, b, period)
    assert metrics.within(a, b, apart, period)
    if metrics.time_exact(a, b, period):
        assert apart == 0


def test_exact_asks_for_the_seconds_that_were_asked_for():
    assert metrics.time_exact((12, 8, None), (0, 8, None))
    assert not metrics.time_exact((10, 8, None), (10, 8, 0))
    assert not metrics.time_exact((10, 8, None), (10, 8, 30))
    assert metrics.time_exact((10, 8, 0), (10, 8, None))
    assert not metrics.time_exact((10, 8, 30), (10, 8, None))
    assert not metrics.time_exact((22, 8, None), (10, 8, None), 24)


def test_hour_and_minute_count_apart():
    assert metrics.hour_right((12, 50, None), (0, 8, None))
    assert not metrics.hour_right((11, 8, None), (10, 8, None))
    assert metrics.minute_right((11, 8, None), (10, 8, None))


@pytest.mark.parametrize(
    ("prediction", "target", "swapped"),
    [
        ((1, 50, None), (10, 8, None), True),  # the hands stand at 8 and 50.7 minutes
        ((2, 51, None), (10, 8, None), True),
        ((10, 8, None), (10, 8, None), False),
        ((6, 15, None), (3, 30, None), True),
        ((3, 30, None), (6, 17, None), True),
        ((12, 0, None), (12, 0, None), False),  # the hands are one: right, not swapped
        ((2, 10, None), (2, 11, None), False),
        ((9, 4, None), (12, 46, None), True),
        ((1, 20, None), (10, 8, None), False),
    ],
)
def test_hands_swapped(prediction, target, swapped):
    assert metrics.hands_swapped(prediction, target) is swapped


def test_numbers():
    assert metrics.number_exact(Decimal("3.50"), Decimal("3.5"))
    assert not metrics.number_exact(Decimal("0.1"), Decimal("0.10000000000000001"))
    assert metrics.absolute_error(-1, 2) == 3
    assert metrics.relative_error(90, 100) == pytest.approx(0.1)
    assert metrics.relative_error(90, 0) is None
    assert metrics.number_exact(0.1, Decimal("0.1"))
    assert metrics.number_within(-95, -100)
    assert metrics.number_within(44.1, 42)
    assert not metrics.number_within(float("inf"), float("inf"))
    assert not metrics.number_within(0.001, 0)
    assert metrics.number_within(0, 0)


def test_years_are_told_apart_only_by_what_is_exact():
    assert metrics.number_within(1984, 2024)
    assert not metrics.number_exact(1984, 2024)
    assert metrics.number_exact(Decimal("2024.0"), 2024)


@pytest.mark.parametrize(("said", "within"), [("45%", True), ("45", True), ("0.45", False)])
def test_a_percent_sign_changes_no_number(said, within):
    assert metrics.number_within(parse_number(said), 45) is within


@pytest.mark.parametrize(
    ("prediction", "target", "correct"),
    [
        ("42", "42", True),
        ("44", "42", True),
        ("44.1", "42", False),  # 5 % in decimals, more in floats
        ("40", "42", True),
        ("-42", "42", False),
        ("45%", "0.45", True),  # a trailing % divides by 100
        ("45", "45%", False),
        ("47%", "45%", True),
        ("0.0", "0", False),  # a zero target is compared as a string
        ("0", "0", True),
        ("1,000", "1000", False),
        ("1984", "2024", True),  # and a year is a number as any other
        ("1922", "2024", False),
        ("-", "42", False),
        ("42.", "42", True),
        ("Blue", "blue", True),
        ("blue ", "blue", False),
        ("nan", "42", False),
        ("inf", "inf", False),
        ("1_0", "10", True),  # float() takes it
        ("", "", True),
        ("42", "blue", False),
    ],
)
def test_relaxed_correctness_is_pix2structs(prediction, target, correct):
    assert relaxed_correctness(prediction, target) is correct


def test_iou():
    assert iou((0, 0, 2, 2), (0, 0, 2, 2)) == 1
    assert iou((0, 0, 2, 2), (1, 0, 3, 2)) == pytest.approx(1 / 3)
    assert iou((0, 0, 1, 1), (1, 1, 2, 2)) == 0


@pytest.mark.parametrize(
    "bad",
    [
        (2, 0, 0, 2),  # swapped
        (0, 2, 2, 0),
        (1, 1, 1, 1),  # degenerate
        (0, 0, 2, 0),
        (0, 0, float("nan"), 2),
        (0, 0, float("inf"), float("inf")),
        (0, 0, 1e-200, 1e-200),
    ],
)
def test_iou_of_no_box_is_0_and_never_an_error(bad):
    assert iou(bad, (0, 0, 2, 2)) == 0
    assert iou((0, 0, 2, 2), bad) == 0
    assert iou(bad, bad) == 0


CORNERS = st.tuples(*[st.floats(-1e3, 1e3)] * 4)


@given(CORNERS, CORNERS)
def test_iou_is_a_share(a, b):
    assert 0 <= iou(a, b) <= 1
    assert iou(a, b) == pytest.approx(iou(b, a))


def test_metrics_are_exactly_the_functions_of_the_answers():
    folder = Path(answers.__file__).parent
    modules = [
        import_module(f"gnomon.answers.{file.parent.name}.measure")
        for file in folder.glob("*/measure.py")
    ]
    public = {
        f"{module.__name__}:{name}"
        for module in modules
        for name, found in inspect.getmembers(module, inspect.isfunction)
        if not name.startswith("_") and found.__module__ == module.__name__
    }
    parts = {"gnomon.answers.number.measure:residual"}  # of R², which no user calls
    assert set(METRICS.values()) == public - parts
    assert all(hasattr(metrics, name) for name in METRICS)
    for name in METRICS:
        found = names.load(METRICS, name, what="metric", listing="gnomon ls metrics")
        assert found.__doc__
