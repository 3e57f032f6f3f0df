"""What a model is taught to write is read back: boxes in each family's way, all else in one."""

import contextlib
import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from target_strategies import boxes_in, lines, numbers, sizes, tables, texts, times

from gnomon import dialect
from gnomon.names import UnknownNameError
from gnomon.sample import Box, Boxes, LabelledBox, Number, Spot, Spots, Time

SIZE = (400, 300)
WHOLE = Box(0, 0, *SIZE)
LIKES = (Time(0), Number(Decimal(0)), WHOLE)
BOX = Box(100, 150, 300, 300)
SPOTS = Spots((Spot("EXIT 9", BOX), Spot("£5", Box(0, 0, 40, 30))))
SEVERAL = Boxes((LabelledBox("red mug", BOX), LabelledBox("", Box(0, 0, 40, 30))))
PLAIN = dialect.Dialect()
WRITTEN = json.loads(Path(__file__).with_name("dialects.json").read_text("utf-8"))
"""A box, and some dialects' spots, in a picture of SIZE."""
every_dialect = pytest.mark.parametrize("spoken", dialect.DIALECTS.values(), ids=dialect.DIALECTS)


def test_the_plain_dialect_is_the_default():
    assert dialect.DIALECTS["plain"] == PLAIN


@given(times() | texts() | tables())
def test_what_has_no_place_is_read_back(target):
    assert PLAIN.read(PLAIN.write(target), like=target) == target


@given(numbers)
@example(Number(Decimal("1E+3")))
@example(Number(Decimal("1E-30")))
@example(Number(Decimal("-0.0")))
@example(Number(Decimal("12.50"), "€"))
def test_numbers_are_read_back_exactly(number):
    back = PLAIN.read(PLAIN.write(number), like=number)
    assert replace(back, within=number.within) == number


@every_dialect
def test_what_has_no_place_is_written_alike_in_every_dialect(spoken):
    for target in (Time(36480), Time(7, shows_seconds=True), Number(Decimal("1.50"), "m")):
        assert spoken.write(target) == PLAIN.write(target)
        assert spoken.read(spoken.write(target), like=target) == target


@every_dialect
@given(data=st.data(), size=sizes, names=st.lists(lines, min_size=1, max_size=4))
def test_spots_are_read_back_within_the_stated_precision_or_refused(spoken, data, size, names):
    across, down = spoken.precision(size)
    box = boxes_in(size, least=2.1 * max(across, down))
    spots = Spots(tuple(Spot(text, data.draw(box)) for text in names))
    try:
        written = spoken.write(spots, size)
    except ValueError:
        # A text that ends in a box of its own, or in the dialect's marks, is no text to train on.
        assert any(c in "".join(names) for c in "[(<")
        return
    back = spoken.read(written, size, like=spots)
    for spot, copy in zip(spots.items, back.items, strict=True):
        assert copy.text == spot.text
        assert abs(copy.box.x1 - spot.box.x1) <= across * (1 + 1e-9)
        assert abs(copy.box.y2 - spot.box.y2) <= down * (1 + 1e-9)


@every_dialect
@given(data=st.data(), size=sizes, names=st.lists(lines | st.just(""), max_size=4))
def test_several_boxes_are_read_back_in_their_order_or_refused(spoken, data, size, names):
    across, down = spoken.precision(size)
    box = boxes_in(size, least=2.1 * max(across, down))
    several = Boxes(tuple(LabelledBox(name, data.draw(box)) for name in names))
    try:
        written = spoken.write(several, size)
    except ValueError:
        assert any(c in "".join(names) for c in "[(<")
        return
    pairs = spoken.read_spots(written, size)
    for item, (label, corners) in zip(several.items, pairs, strict=True):
        assert label == item.label
        assert abs(corners[0] - item.box.x1) <= across * (1 + 1e-9)
        assert abs(corners[3] - item.box.y2) <= down * (1 + 1e-9)
    back = spoken.read(written, size, like=several)
    assert sorted(item.label for item in back.items) == sorted(names)


@every_dialect
def test_no_boxes_are_an_answer_and_silence_is_none(spoken):
    assert spoken.write(Boxes(), SIZE) == ("[]" if spoken.key else "none")
    assert spoken.read(spoken.write(Boxes(), SIZE), SIZE, like=SEVERAL) == Boxes()
    for text in ("", "0", "None of them", "[[]]", '{"bbox_2d": []}'):
        assert spoken.read(text, SIZE, like=SEVERAL) is None


@every_dialect
@given(data=st.data(), size=sizes)
def test_boxes_are_read_back_within_the_stated_precision(spoken, data, size):
    across, down = spoken.precision(size)
    box = data.draw(boxes_in(size, least=2.1 * max(across, down)))
    back = spoken.read(spoken.write(box, size), size, like=box)
    for side, other, step in zip(box.corners, back.corners, (across, down) * 2, strict=True):
        assert abs(other - side) <= step * (1 + 1e-9)


def test_every_dialect_writes_boxes_and_spots_its_own_way():
    assert {name: d.write(BOX, SIZE) for name, d in dialect.DIALECTS.items()} == WRITTEN["boxes"]
    for name, text in WRITTEN["spots"].items():
        assert dialect.create(name).write(SPOTS, SIZE) == text
        assert dialect.create(name).read(text, SIZE, like=SPOTS) == SPOTS
    several = {name: d.write(SEVERAL, SIZE) for name, d in dialect.DIALECTS.items()}
    assert several == WRITTEN["several boxes"]


def test_boxes_and_spots_are_read_without_their_special_tokens():
    """Decoding drops <|box_start|> and its like; what is left says enough."""
    qwen = dialect.create("qwen2-vl")
    assert qwen.read("(250,500),(750,1000)", SIZE, like=WHOLE) == BOX
    text = "EXIT 9(250,500),(750,1000)\n£5(0,0),(100,100)"
    assert qwen.read(text, SIZE, like=SPOTS) == SPOTS


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (Time(0), "12:00"),
        (Time(0, hours=24), "00:00"),
        (Time(12 * 3600, hours=24), "12:00"),
        (Time(10 * 3600 + 8 * 60), "10:08"),
        (Time(22 * 3600 + 8 * 60, hours=24), "22:08"),
        (Time(7, shows_seconds=True), "12:00:07"),
        (Time(60, hours=24, shows_seconds=True), "00:01:00"),
        (Time(0, form="words"), "twelve o'clock"),
        (Time(12 * 60, form="words"), "twelve minutes past twelve"),
        (Time(11 * 3600 + 45 * 60, form="words"), "quarter to twelve"),
        (Time(12 * 3600 - 60, form="words"), "one minute to twelve"),
        (Time(10 * 3600 + 10 * 60, form="words"), "ten past ten"),
        (Time(3 * 3600 + 30 * 60, form="words"), "half past three"),
        (Time(0, form="json"), '{"hours": 12, "minutes": 0}'),
        (Time(8, shows_seconds=True, form="json"), '{"hours": 12, "minutes": 0, "seconds": 8}'),
    ],
)
def test_times_stand_as_on_a_clock_or_as_people_say_them(time, text):
    assert PLAIN.write(time) == text


@pytest.mark.parametrize(("hours", "seconds"), [(12, 0), (24, 12 * 3600)])
def test_twelve_oclock_is_midnight_on_a_12_hour_dial_and_noon_on_a_24_hour_one(hours, seconds):
    assert PLAIN.read("12:00", like=Time(0, hours)) == Time(seconds, hours)


@pytest.mark.parametrize(
    ("text", "hours"),
    [("00:00", 12), ("22:08", 12), ("13:00", 12), ("24:00", 24), ("10:60", 24), ("10:08:60", 24)],
)
def test_a_time_no_such_clock_shows_is_none(text, hours):
    assert PLAIN.read(text, like=Time(0, hours)) is None


def test_the_answer_stands_after_the_working():
    written = dialect.add_working("3 × 4 = 12\n12 + 5 = 17", "17")
    assert written == "3 × 4 = 12\n12 + 5 = 17\nAnswer: 17"
    assert dialect.final_answer(written) == "17"
    assert dialect.add_working("", "17") == dialect.final_answer("17") == "17"


@pytest.mark.parametrize("text", ["[0.100, 0.100, 0.200, 0.500]", "[0.100, 0.200, 0.200, 0.900]"])
def test_llavas_padding_is_no_part_of_the_picture(text):
    """400×300 in a square of 400: the picture lies between 0.125 and 0.875."""
    assert dialect.create("llava").read(text, SIZE, like=WHOLE) is None
    assert PLAIN.read(text, SIZE, like=WHOLE) is not None


@every_dialect
@given(data=st.data(), size=sizes, part=st.floats(0.01, 1.99))
def test_a_sliver_is_written_readably_or_refused(spoken, data, size, part):
    across, _ = spoken.precision(size)
    x1 = data.draw(st.floats(0, size[0] - 2 * across))
    box = Box(x1, 0, x1 + part * across, size[1])
    with contextlib.suppress(ValueError):
        assert spoken.read(spoken.write(box, size), size, like=box) is not None


@every_dialect
@pytest.mark.parametrize(
    "box",
    [
        Box(-10, 10, 50, 50),
        Box(10, -10, 50, 50),
        Box(10, 10, 410, 50),
        Box(10, 10, 50, 310),
        Box(500, 400, 600, 500),
        Box(10, 10, 1e6, 50),
        Box(100, 100, 100.01, 200),  # within one step
    ],
)
def test_a_box_outside_the_picture_or_within_a_step_is_refused(spoken, box):
    with pytest.raises(ValueError, match=f"the {spoken.name} dialect cannot say it"):
        spoken.write(box, SIZE)


@every_dialect
def test_the_whole_picture_is_a_box_and_needs_the_picture_s_size(spoken):
    for size in ((28, 28), (84, 112), (1001, 667), (1999, 31)):
        whole = Box(0, 0, *size)
        back = spoken.read(spoken.write(whole, size), size, like=whole)
        across, down = spoken.precision(size)
        assert back.x2 == pytest.approx(size[0], abs=across)
        assert back.y2 == pytest.approx(size[1], abs=down)
    with pytest.raises(ValueError, match="give its size"):
        spoken.write(Box(0, 0, 1, 1))
    assert spoken.read(spoken.write(Box(0, 0, 100, 100), SIZE), like=WHOLE) is None


def examples(test):
    """Texts that were read and could not be written."""
    for text in WRITTEN["odd texts"]:
        test = example(text=text)(test)
    return test


@every_dialect
@examples
@given(text=st.text() | st.text(alphabet="0123456789:.,-+()[]{} \n<|>_bdox\"'٣²½"))
def test_any_text_is_read_as_what_can_be_written_or_as_none(spoken, text):
    for like in (*LIKES, Time(0, 24)):
        value = spoken.read(text, SIZE, like=like)
        if isinstance(value, Box):
            assert isinstance(spoken.read(spoken.write(value, SIZE), SIZE, like=WHOLE), Box)
        elif value is not None:
            assert spoken.read(spoken.write(value), like=value) == value


@every_dialect
@pytest.mark.parametrize("text", WRITTEN["never written"])
def test_what_no_dialect_writes_is_none(spoken, text):
    assert [spoken.read(text, SIZE, like=like) for like in LIKES] == [None] * 3


@pytest.mark.parametrize("unit", [" ", "m ", " m", "sq  m", "sq\nm", "\xa0"])
def test_a_unit_that_could_not_be_read_back_is_refused(unit):
    with pytest.raises(ValueError, match=r"unit=.*give words with one space between them"):
        PLAIN.write(Number(Decimal(3), unit))


def test_dialects_go_by_name():
    for name, made in dialect.DIALECTS.items():
        assert dialect.create(name) is made
    with pytest.raises(UnknownNameError, match=r"unknown dialect 'qwen2vl'.*qwen2-vl"):
        dialect.create("qwen2vl")
