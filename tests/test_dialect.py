import contextlib
from decimal import Decimal

import pytest
from drawn_targets import boxes_in, lines, numbers, sizes, tables, texts, times
from hypothesis import example, given
from hypothesis import strategies as st

from gnomon import dialect
from gnomon.names import UnknownNameError
from gnomon.sample import Box, Number, Spot, Spots, Time

SIZE = (400, 300)
WHOLE = Box(0, 0, *SIZE)
LIKES = (Time(0), Number(Decimal(0)), WHOLE)
every_dialect = pytest.mark.parametrize("spoken", list(dialect.DIALECTS.values()))


@every_dialect
@given(time=times())
def test_times_are_read_back(spoken, time):
    assert spoken.read(spoken.write(time), like=time) == time


@every_dialect
@given(number=numbers)
@example(number=Number(Decimal("1E+3")))
@example(number=Number(Decimal("1E-30")))
@example(number=Number(Decimal("-0.0")))
@example(number=Number(Decimal("12.50"), "€"))
def test_numbers_are_read_back_exactly(spoken, number):
    assert spoken.read(spoken.write(number), like=number) == number


@every_dialect
@given(text=texts())
def test_texts_are_read_back(spoken, text):
    assert spoken.read(spoken.write(text), like=text) == text


@every_dialect
@given(table=tables())
def test_tables_are_read_back(spoken, table):
    assert spoken.read(spoken.write(table), like=table) == table


@every_dialect
@given(data=st.data(), size=sizes, said=st.lists(lines, min_size=1, max_size=4))
def test_spots_are_read_back_within_the_stated_precision_or_refused(spoken, data, size, said):
    across, down = spoken.precision(size)
    box = boxes_in(size, least=2.1 * max(across, down))
    spots = Spots(tuple(Spot(text, data.draw(box)) for text in said))
    try:
        written = spoken.write(spots, size)
    except ValueError:
        # A text that ends in a box of its own, or in the dialect's marks, is no text to train on.
        assert any(c in "".join(said) for c in "[(<")
        return
    back = spoken.read(written, size, like=spots)
    for spot, found in zip(spots.items, back.items, strict=True):
        assert found.text == spot.text
        assert abs(found.box.x1 - spot.box.x1) <= across * (1 + 1e-9)
        assert abs(found.box.y2 - spot.box.y2) <= down * (1 + 1e-9)


SPOTS = Spots((Spot("EXIT 9", Box(100, 150, 300, 300)), Spot("£5", Box(0, 0, 40, 30))))


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("plain", "EXIT 9 [0.250, 0.500, 0.750, 1.000]\n£5 [0.000, 0.000, 0.100, 0.100]"),
        (
            "qwen2-vl",
            "<|object_ref_start|>EXIT 9<|object_ref_end|>"
            "<|box_start|>(250,500),(750,1000)<|box_end|>\n"
            "<|object_ref_start|>£5<|object_ref_end|><|box_start|>(0,0),(100,100)<|box_end|>",
        ),
        (
            "qwen2.5-vl",
            '[{"bbox_2d": [100, 150, 300, 300], "label": "EXIT 9"},'
            ' {"bbox_2d": [0, 0, 40, 30], "label": "£5"}]',
        ),
        (
            "internvl",
            "<ref>EXIT 9</ref><box>[[250, 500, 750, 1000]]</box>\n"
            "<ref>£5</ref><box>[[0, 0, 100, 100]]</box>",
        ),
        (
            "gemini",
            '[{"box_2d": [500, 250, 1000, 750], "label": "EXIT 9"},'
            ' {"box_2d": [0, 0, 100, 100], "label": "£5"}]',
        ),
        (
            "qwen3-vl",
            '[{"bbox_2d": [250, 500, 750, 1000], "label": "EXIT 9"},'
            ' {"bbox_2d": [0, 0, 100, 100], "label": "£5"}]',
        ),
    ],
)
def test_every_dialect_writes_spots_its_own_way(name, written):
    assert dialect.create(name).write(SPOTS, SIZE) == written
    assert dialect.create(name).read(written, SIZE, like=SPOTS) == SPOTS


def test_spots_are_read_without_their_special_tokens():
    """Decoding drops <|object_ref_start|> and its like; what is left says enough."""
    text = "EXIT 9(250,500),(750,1000)\n£5(0,0),(100,100)"
    assert dialect.create("qwen2-vl").read(text, SIZE, like=SPOTS) == SPOTS


@pytest.mark.parametrize(
    ("time", "text"),
    [
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
def test_times_are_said_as_people_say_them(time, text):
    assert dialect.Dialect().write(time) == text


def test_the_answer_stands_after_the_working():
    written = dialect.worked("3 × 4 = 12\n12 + 5 = 17", "17")
    assert written == "3 × 4 = 12\n12 + 5 = 17\nAnswer: 17"
    assert dialect.final(written) == "17"
    assert dialect.worked("", "17") == dialect.final("17") == "17"


@every_dialect
@given(data=st.data(), size=sizes)
def test_boxes_are_read_back_within_the_stated_precision(spoken, data, size):
    across, down = spoken.precision(size)
    box = data.draw(boxes_in(size, least=2.1 * max(across, down)))
    back = spoken.read(spoken.write(box, size), size, like=box)
    assert abs(back.x1 - box.x1) <= across * (1 + 1e-9)
    assert abs(back.x2 - box.x2) <= across * (1 + 1e-9)
    assert abs(back.y1 - box.y1) <= down * (1 + 1e-9)
    assert abs(back.y2 - box.y2) <= down * (1 + 1e-9)


@every_dialect
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
    ],
)
def test_times_stand_as_on_a_clock(spoken, time, text):
    assert spoken.write(time) == text


@every_dialect
@pytest.mark.parametrize(("hours", "seconds"), [(12, 0), (24, 12 * 3600)])
def test_twelve_oclock_is_midnight_on_a_12_hour_dial_and_noon_on_a_24_hour_one(
    spoken, hours, seconds
):
    assert spoken.read("12:00", like=Time(0, hours)) == Time(seconds, hours)


@every_dialect
@pytest.mark.parametrize(
    ("text", "hours"),
    [("00:00", 12), ("22:08", 12), ("13:00", 12), ("24:00", 24), ("10:60", 24), ("10:08:60", 24)],
)
def test_a_time_no_such_clock_shows_is_none(spoken, text, hours):
    assert spoken.read(text, like=Time(0, hours)) is None


BOXES = {
    "plain": "[0.250, 0.500, 0.750, 1.000]",
    "qwen2-vl": "<|box_start|>(250,500),(750,1000)<|box_end|>",
    "qwen2.5-vl": '{"bbox_2d": [100, 150, 300, 300]}',
    "qwen3-vl": '{"bbox_2d": [250, 500, 750, 1000]}',
    "llava": "[0.250, 0.500, 0.750, 0.875]",
    "pixels": "[100, 150, 300, 300]",
    "percent": "[25.0, 50.0, 75.0, 100.0]",
    "paligemma": "<loc0511><loc0256><loc1023><loc0767>",
    "florence-2": "<loc_250><loc_500><loc_749><loc_999>",
    "internvl": "<box>[[250, 500, 750, 1000]]</box>",
    "gemini": '{"box_2d": [500, 250, 1000, 750]}',
}


def test_every_dialect_writes_boxes_its_own_way():
    written = {name: d.write(Box(100, 150, 300, 300), SIZE) for name, d in dialect.DIALECTS.items()}
    assert written == BOXES


@pytest.mark.parametrize("text", ["[0.100, 0.100, 0.200, 0.500]", "[0.100, 0.200, 0.200, 0.900]"])
def test_llavas_padding_is_no_part_of_the_picture(text):
    """400×300 in a square of 400: the picture lies between 0.125 and 0.875."""
    assert dialect.create("llava").read(text, SIZE, like=WHOLE) is None
    assert dialect.Dialect().read(text, SIZE, like=WHOLE) is not None


def test_a_box_is_read_without_its_special_tokens():
    """Decoding drops <|box_start|> and <|box_end|>; what is left is still the box."""
    found = dialect.create("qwen2-vl").read("(250,500),(750,1000)", SIZE, like=WHOLE)
    assert found == Box(100, 150, 300, 300)


@every_dialect
@given(data=st.data(), size=sizes, part=st.floats(0.01, 1.99))
def test_a_sliver_is_written_readably_or_refused(spoken, data, size, part):
    across, _ = spoken.precision(size)
    x1 = data.draw(st.floats(0, size[0] - 2 * across))
    box = Box(x1, 0, x1 + part * across, size[1])
    with contextlib.suppress(ValueError):
        assert spoken.read(spoken.write(box, size), size, like=box) is not None


@every_dialect
def test_a_sliver_within_one_step_is_refused(spoken):
    with pytest.raises(ValueError, match=f"the {spoken.name} dialect cannot say it"):
        spoken.write(Box(100, 100, 100.01, 200), SIZE)


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
    ],
)
def test_a_box_outside_the_picture_is_refused(spoken, box):
    with pytest.raises(ValueError, match="cannot say it"):
        spoken.write(box, SIZE)


@every_dialect
def test_the_whole_picture_is_a_box(spoken):
    for size in ((28, 28), (84, 112), (1001, 667), (1999, 31)):
        whole = Box(0, 0, *size)
        back = spoken.read(spoken.write(whole, size), size, like=whole)
        across, down = spoken.precision(size)
        assert back.x2 == pytest.approx(size[0], abs=across)
        assert back.y2 == pytest.approx(size[1], abs=down)


@every_dialect
def test_a_box_needs_its_pictures_size(spoken):
    with pytest.raises(ValueError, match="give its size"):
        spoken.write(Box(0, 0, 1, 1))
    assert spoken.read(spoken.write(Box(0, 0, 100, 100), SIZE), like=WHOLE) is None


@every_dialect
@given(text=st.text() | st.text(alphabet="0123456789:.,-+()[]{} \n<|>_bdox\"'٣²½"))
@example(text="")
@example(text="1e5")
@example(text="1_000")
@example(text="１２")
@example(text="10:8")
@example(text="10:08 ")
@example(text="10:08\n")
@example(text="5  m")
@example(text="5 m ")
@example(text="5 \x1c")
@example(text="5 \xa0")
@example(text="5 a\u2003b")
@example(text="+5")
@example(text=".5")
@example(text="5.")
@example(text="1,234")
@example(text="[0.750, 0.500, 0.250, 1.000]")
@example(text="(750,500),(250,1000)")
@example(text="(0,0),(9999,9999)")
@example(text='{"bbox_2d": [0, 0, 99999999999999999999, 5]}')
def test_any_text_is_read_as_what_can_be_written_or_as_none(spoken, text):
    for like in (*LIKES, Time(0, 24)):
        found = spoken.read(text, SIZE, like=like)
        if isinstance(found, Box):
            assert isinstance(spoken.read(spoken.write(found, SIZE), SIZE, like=WHOLE), Box)
        elif found is not None:
            assert spoken.read(spoken.write(found), like=found) == found


@every_dialect
@pytest.mark.parametrize(
    "text",
    [
        "",
        "ten past ten",
        "1e5",
        "+5",
        ".5",
        "5.",
        "1,234",
        "10:8",
        "10:08 ",
        "10:08\n",
        "１２",
        "٣",
    ],
)
def test_what_no_dialect_writes_is_none(spoken, text):
    assert [spoken.read(text, SIZE, like=like) for like in LIKES] == [None] * 3


@every_dialect
@pytest.mark.parametrize("unit", [" ", "m ", " m", "sq  m", "sq\nm", "\xa0"])
def test_a_unit_that_could_not_be_read_back_is_refused(spoken, unit):
    with pytest.raises(ValueError, match=r"unit=.*give words with one space between them"):
        spoken.write(Number(Decimal(3), unit))


def test_dialects_go_by_name():
    for name, made in dialect.DIALECTS.items():
        assert dialect.create(name) is made
    with pytest.raises(UnknownNameError, match=r"unknown dialect 'qwen2vl'.*qwen2-vl"):
        dialect.create("qwen2vl")
