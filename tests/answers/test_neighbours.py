"""Answers some steps away from the truth: round cycles and dials, within limits."""

from dataclasses import replace
from decimal import Decimal
from math import isclose

import pytest
from case_tables import table
from hypothesis import given
from hypothesis import strategies as st
from target_strategies import boxes_in, sizes, tables, texts, times

from gnomon.answers.registry import TARGETS
from gnomon.sample import Box, Boxes, LabelledBox, Number, Spot, Spots, Time, target_from_json


@table(__file__, "neighbours")
def test_steps_are_those_of_the_answer_and_none_goes_beyond_what_can_be_shown(row):
    truth, limits = target_from_json(row["target"]), []
    neighbour = truth.neighbour(lambda limit: limits.append(limit) or row.get("steps", 0), None)
    if "steps" in row:
        assert neighbour.write() == row["neighbour"]
    else:
        assert limits == [row["limit"]]


def test_a_box_stays_in_its_picture_and_in_order():
    limits = []

    def farthest(limit):
        limits.append(limit)
        return -limit if len(limits) % 2 else limit

    # A step is 2 pixels across and 1 pixel down.
    box = Box(0, 10, 40, 1000).neighbour(farthest, (2000, 1000))
    assert limits == [0, 9, 10, 0]
    assert box.corners == (0, 0, 58, 1000)
    narrow = Box(10, 10, 11, 500)
    assert narrow.neighbour(lambda limit: limit, (1000, 1000)).corners[::2] == (10, 11)
    with pytest.raises(ValueError, match="a box is written for a picture"):
        narrow.neighbour(lambda limit: 0, None)


tolerances = st.sampled_from([Decimal(0), Decimal("0.05"), Decimal("0.3"), Decimal(25)])


@st.composite
def numbers(draw):
    """A number as labels have it: plain, on a cycle, or of a counter."""
    within, places = draw(tolerances), draw(st.integers(0, 2))
    form = draw(st.sampled_from(["plain", "cycle", "counter"]))
    if form == "plain":
        return Number(draw(st.decimals(-(10**6), 10**6, places=places)), "bar", within)
    value = draw(st.decimals(0, Decimal("9.99"), places=places).filter(lambda d: d < 10))
    fields = {"cycle": Decimal(10)} if form == "cycle" else {"digits": 1}
    return Number(value, "", within, **fields)


@given(st.data())
def test_neighbours_are_answers_of_the_same_form_and_draws_are_undone(data):
    size = data.draw(sizes)
    spots = st.builds(lambda box: Spots((Spot("EXIT", box),)), boxes_in(size))
    several = st.builds(lambda box: Boxes((LabelledBox("", box),)), boxes_in(size))
    truth = data.draw(st.one_of(numbers(), times(), boxes_in(size), several, spots))
    drawn = []

    def draw(limit):
        most = 50 if limit is None else limit
        drawn.append(data.draw(st.integers(-most, most)))
        return drawn[-1]

    neighbour = truth.neighbour(draw, size)
    if not truth.has_place:
        assert neighbour.answer_form == truth.answer_form
    for x1, y1, x2, y2 in neighbour.boxes:
        assert -1e-6 <= x1 < x2 <= size[0] + 1e-6
        assert -1e-6 <= y1 < y2 <= size[1] + 1e-6
    if isinstance(truth, Number):
        back = truth.answer_form.read_back(neighbour.write())
        assert replace(back, within=neighbour.within) == neighbour
        assert neighbour.value * truth.value >= 0
        # The truth is in the middle of two draws that are as likely.
        mirrored = truth.neighbour(lambda limit: -drawn[-1], size)
        middle = (mirrored.value + neighbour.value) / 2
        assert truth.cycle or middle == truth.value
    if isinstance(truth, Time):
        assert neighbour.neighbour(lambda limit: -drawn[-1], size) == truth
    if isinstance(truth, Box):
        moved = [a - b for a, b in zip(neighbour.corners, truth.corners, strict=True)]
        steps = [side / 1000 for side in size]
        x1, x2, y1, y2 = drawn
        for by, n, step in zip(moved, (x1, y1, x2, y2), steps * 2, strict=True):
            assert isclose(by, n * step, abs_tol=1e-6)


@given(st.one_of(texts(), tables()))
def test_words_and_tables_have_no_steps(truth):
    assert truth.neighbour(lambda limit: 1, None) is truth


def test_the_types_say_which_of_them_have_steps():
    assert {name for name, target in TARGETS.items() if target.has_steps} == {
        "time", "number", "box", "boxes", "spots",
    }  # fmt: skip
