"""Free layouts: axes that end beyond their numbers, small letters, and marks anywhere."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.generators import Chart
from gnomon.generators.chart import scene as plans
from gnomon.generators.chart.generator import CHARTS
from tests.generators.test_chart import cut, inside

SHARES = st.floats(0, 0.2)


@given(st.lists(st.integers(-5000, 5000), min_size=2), st.integers(2, 14), SHARES, SHARES)
def test_a_freed_axis_holds_its_values_and_two_numbers(values, most, before, after):
    axis = plans.with_ends(plans.linear(min(values), max(values), most), values, (before, after))
    assert axis.low <= min(0, *values)
    assert max(0, *values) <= axis.high
    assert len(axis.ticks) > 1
    assert axis.low <= axis.ticks[0] <= axis.ticks[-1] <= axis.high
    assert all(tick % axis.step == 0 for tick in axis.ticks)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(224, 224), (448, 336), (600, 400)], ids=str)
@pytest.mark.parametrize("level", ["easy", "hard"])
def test_no_text_is_clipped_or_over_another_and_plots_have_room(level, size):
    for sample in Chart(level=level, size=size, charts=CHARTS, layouts=("free",))[0:60]:
        facts = sample.facts
        boxes = [text["box"] for text in facts["texts"]]
        assert all(inside(box, size) for box in boxes), facts
        assert not any(cut(a, b) for a, b in combinations(boxes, 2)), facts
        room = plans.plot_room(facts["chart"], size)
        left, top, right, bottom = facts["plot"]
        assert (right - left >= room.width, bottom - top >= room.height) == (True, True), facts
        assert all(inside(mark["box"], size) for mark in facts["marks"]), facts


def test_free_axes_end_beyond_their_numbers_and_begin_before_them():
    beyond = before = 0
    for sample in Chart(charts=("bar", "line"), layouts=("free",))[0:40]:
        axis = sample.facts["axis"]
        beyond += axis["high"] > axis["ticks"][-1]
        before += axis["low"] < axis["ticks"][0]
    assert beyond > 15
    assert before > 5
    for sample in Chart(charts=("bar", "line"))[0:20]:
        axis = sample.facts["axis"]
        assert (axis["low"], axis["high"]) == (axis["ticks"][0], axis["ticks"][-1])


def test_free_lines_start_at_any_distance_from_the_side():
    starts = set()
    for sample in Chart(charts=("line",), series=(1, 1), layouts=("free",))[0:30]:
        left, _, right, _ = sample.facts["plot"]
        first, second = (sample.facts["marks"][i]["at"][0] for i in (0, 1))
        inset = (first - left) / (second - first)
        assert right - sample.facts["marks"][-1]["at"][0] == pytest.approx(first - left)
        starts.add(round(inset, 1))
    assert {0.0, 0.5} < starts


def test_free_pies_turn_either_way():
    ways = set()
    for sample in Chart(charts=("pie",), layouts=("free",), rows=(3, 3), value_labels=0)[0:20]:
        left, top, right, bottom = sample.facts["plot"]
        spots = [mark["at"] for mark in sample.facts["marks"]]
        one, two = ((x - (left + right) / 2, y - (top + bottom) / 2) for x, y in spots[:2])
        share = float(sample.facts["cells"][0][0]) + float(sample.facts["cells"][1][0])
        total = sum(float(row[0]) for row in sample.facts["cells"])
        if share < total * 0.8:  # the way from one to the next is less than half a turn
            ways.add(one[0] * two[1] - one[1] * two[0] > 0)
    assert ways == {True, False}
