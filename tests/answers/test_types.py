"""What any dialect writes, alone and inside prose, is read back as the target it was."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gnomon import dialect
from gnomon.answers.registry import TYPES
from gnomon.sample import Box, Number, Spot, Spots, Table, Text, Time

SIZE = (640, 480)
LONG = "The hands are long and thin, and the picture is a little blurred. " * 40
PROSE = [
    "{}",
    " {}\n",
    "It is {}.",
    "I think it is {}, but look again.",
    "**{}**",
    "Answer: {}",
    "The dial has marks at 3, 6 and 9, and so on.\nAnswer: {}",
    LONG + "\nAnswer: {}",
    "It is {}. " + LONG,
]
OF_LISTS = ["{}", "Let me see.\nAnswer: {}", "Answer:\n{}\n", LONG + "\nAnswer: {}"]
"""Where all that is said is the answer: free texts, spots and tables."""

WORDS = st.text("abcdefgXYZ0123456789äß€-", min_size=1, max_size=8)
PHRASES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
CHOICES = ("left", "lower left", "right", "yes", "no", "Q3 2020")


@st.composite
def times(draw):
    hours, form = (
        draw(st.sampled_from([12, 24])),
        draw(st.sampled_from(["digits", "words", "json"])),
    )
    hours = 12 if form == "words" else hours
    seconds = form != "words" and draw(st.booleans())
    step = 1 if seconds else 60
    return Time(draw(st.integers(0, hours * 3600 // step - 1)) * step, hours, seconds, form)


@st.composite
def boxes(draw):
    x1, x2 = sorted(draw(st.tuples(st.floats(0, SIZE[0]), st.floats(0, SIZE[0]))))
    y1, y2 = sorted(draw(st.tuples(st.floats(0, SIZE[1]), st.floats(0, SIZE[1]))))
    assume(x2 - x1 > 4)
    assume(y2 - y1 > 4)
    return Box(x1, y1, x2, y2)


numbers = st.builds(
    Number,
    st.decimals(-(10**12), 10**12, places=3, allow_nan=False),
    st.sampled_from(["", "kg", "%", "°C", "m", "M€", "million", "k", "bar", "degrees"]),
)
spots = st.lists(st.builds(Spot, PHRASES, boxes()), min_size=1, max_size=4).map(
    lambda items: Spots(tuple(items))
)
CELLS = PHRASES.filter(lambda cell: "--" not in cell)  # a row of them is Markdown's rule
tables = st.integers(2, 4).flatmap(
    lambda columns: st.builds(
        lambda rows: Table(tuple(rows[0]), tuple(map(tuple, rows[1:]))),
        st.lists(st.lists(CELLS, min_size=columns, max_size=columns), min_size=2, max_size=4),
    )
)


def read(spoken, target, text):
    reading = TYPES[target.answer_type].read(text, target, which="last", dialect=spoken, size=SIZE)
    return reading and reading.value


def written(name, target, prose):
    spoken = dialect.create(name)
    return spoken, prose.format(spoken.write(target, SIZE))


every_dialect = pytest.mark.parametrize("name", sorted(dialect.DIALECTS))


@every_dialect
@given(times(), st.sampled_from(PROSE))
def test_times(name, time, prose):
    spoken, text = written(name, time, prose)
    hour, minute, second = read(spoken, time, text)
    assert (hour % time.hours, minute, second) == (time.hms[0] % time.hours, *time.hms[1:])


@every_dialect
@given(numbers, st.sampled_from(PROSE))
def test_numbers(name, number, prose):
    spoken, text = written(name, number, prose)
    assert read(spoken, number, text) == number.value


@pytest.mark.slow
@every_dialect
@given(boxes(), st.sampled_from(PROSE))
def test_boxes(name, box, prose):
    spoken, text = written(name, box, prose)
    across, down = spoken.precision(SIZE)
    x1, y1, x2, y2 = read(spoken, box, text)
    assert (x1, x2) == pytest.approx((box.x1, box.x2), abs=across + 1e-6)
    assert (y1, y2) == pytest.approx((box.y1, box.y2), abs=down + 1e-6)


@every_dialect
@given(st.sampled_from(CHOICES), st.sampled_from(PROSE))
def test_choices(name, choice, prose):
    spoken, text = written(name, Text(choice, CHOICES), prose)
    assert read(spoken, Text(choice, CHOICES), text) == choice


@pytest.mark.slow
@every_dialect
@given(PHRASES, st.sampled_from(OF_LISTS))
def test_free_texts(name, phrase, prose):
    spoken, text = written(name, Text(phrase), prose)
    assert read(spoken, Text(phrase), text) == phrase


@pytest.mark.slow
@every_dialect
@given(spots, st.sampled_from(OF_LISTS))
def test_spots(name, target, prose):
    spoken, text = written(name, target, prose)
    found = read(spoken, target, text)
    assert [spot.text for spot in found.items] == [spot.text for spot in target.items]
    limit = max(spoken.precision(SIZE)) + 1e-6
    for said, true in zip(found.items, target.items, strict=True):
        assert said.box.corners == pytest.approx(true.box.corners, abs=limit)


@pytest.mark.slow
@every_dialect
@given(tables, st.sampled_from([*OF_LISTS, "Here it is:\n\n{}\n\nThat is all."]))
def test_tables(name, table, prose):
    spoken, text = written(name, table, prose)
    assert read(spoken, table, text) == table
