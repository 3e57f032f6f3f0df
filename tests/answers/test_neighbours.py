"""Answers some steps away from the truth: round cycles and dials, within limits."""

from dataclasses import replace
from decimal import Decimal
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st
from target_strategies import boxes_in, sizes, tables, texts, times

from gnomon.answers.registry import TARGETS
from gnomon.sample import Box, Boxes, LabelledBox, Number, Spot, Spots, Time

CYCLE = {"cycle": Decimal(10)}


def number(text, **fields):
    return Number(Decimal(text), **fields)


@pytest.mark.parametrize(
    ("truth", "steps", "neighbour"),
    [
        (number("0.0", **CYCLE), -1, "9.9"),
        (number("9.9", **CYCLE), 2, "0.1"),
        (number("359", unit="°", cycle=Decimal(360)), 1, "0 °"),
        (number("3.50"), 1, "3.51"),
        (number("9.9"), 1, "10.0"),
        (number("-0.2"), 1, "-0.1"),
        (number("1E+3", unit="kWh"), -1, "999 kWh"),
        (number("00099", digits=5), 1, "00100"),
        (number("99999", digits=5, cycle=Decimal(100000)), 1, "00000"),
        # A gauge's tolerance is finer than the last figure of 3, and not than that of 3.5.
        (number("3", within=Decimal("0.25")), 1, "3.25"),
        (number("3", within=Decimal("0.25")), 4, "4"),
        (number("3.5", within=Decimal("0.25")), -1, "3.4"),
        (Time(12 * 3600 - 60), 1, "12:00"),
        (Time(59 * 60), 1, "01:00"),
        (Time(0, form="words"), -1, "one minute to twelve"),
        (Time(24 * 3600 - 1, 24, shows_seconds=True), 1, "00:00:00"),
        (Time(24 * 3600 - 60, 24), 1, "00:00"),
    ],
)
def test_steps_are_those_of_the_answer(truth, steps, neighbour):
    assert truth.neighbour(lambda limit: steps, None).write() == neighbour


@pytest.mark.parametrize(
    ("truth", "limit"),
    [
        (number("0"), 0),  # no count is negative
        (number("0.3"), 3),
        (number("-2"), 2),
        (number("99998", digits=5), 1),
        (number("5", digits=5), 5),
        (number("0.0", **CYCLE), None),
        (number("123456789012345678901234567890.5"), 1234567890123456789012345678905),
    ],
)
def test_no_draw_goes_beyond_what_can_be_shown(truth, limit):
    limits = []
    truth.neighbour(lambda limit: limits.append(limit) or 0, None)
    assert limits == [limit]


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
        assert neighbour.form_of_question == truth.form_of_question
    for x1, y1, x2, y2 in neighbour.boxes:
        assert -1e-6 <= x1 < x2 <= size[0] + 1e-6
        assert -1e-6 <= y1 < y2 <= size[1] + 1e-6
    if isinstance(truth, Number):
        assert truth.read_back(neighbour.write()) == neighbour
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


def test_nothing_but_the_value_changes():
    truth = Number(Decimal("9.5"), "m³", Decimal("0.1"), Decimal(10))
    assert truth.neighbour(lambda limit: 7) == replace(truth, value=Decimal("0.2"))
