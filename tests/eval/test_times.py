"""Times in free text: a table of hard cases, and what must hold of any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon import dialect
from gnomon.eval import parse_time, read_time
from gnomon.sample import Time

STATED = {
    # figures
    "10:08": (10, 8, None),
    "1:05": (1, 5, None),
    "01:05": (1, 5, None),
    "00:00": (0, 0, None),
    "0:30": (0, 30, None),
    "12:00": (12, 0, None),
    "22:08": (22, 8, None),
    "23:59": (23, 59, None),
    "10:08:30": (10, 8, 30),
    "10:08:00": (10, 8, 0),
    "10:08:30 AM": (10, 8, 30),
    "10:08:30 PM": (22, 8, 30),
    "10:08am": (10, 8, None),
    "10:08 a.m.": (10, 8, None),
    "10:08 P.M.": (22, 8, None),
    "12:08 AM": (0, 8, None),
    "12:08 PM": (12, 8, None),
    "10 : 08": (10, 8, None),
    "10: 08": (10, 8, None),
    "10：08": (10, 8, None),
    "１０：０８": (10, 8, None),
    "10:08.": (10, 8, None),
    "**10:08**": (10, 8, None),
    "`10:08`": (10, 8, None),
    "$10{:}08$": None,
    "\\boxed{10:08}": (10, 8, None),
    "(10:08)": (10, 8, None),
    "time=10:08": (10, 8, None),
    '{"time": "10:08"}': (10, 8, None),
    "2024-05-01T10:08:30": (10, 8, 30),
    "2024-05-01 10:08": (10, 8, None),
    "10:08:30.750": (10, 8, 30),
    "10:08:30+02:00": (10, 8, 30),
    "10.08": (10, 8, None),
    "10.08.30": (10, 8, 30),
    "10.08 Uhr": (10, 8, None),
    "10.08 pm": (22, 8, None),
    "10h08": (10, 8, None),
    "10H08": (10, 8, None),
    "10 h 08": (10, 8, None),
    "10h8": (10, 8, None),
    "10h 8min": (10, 8, None),
    "10h08m30s": (10, 8, 30),
    "2208 hours": (22, 8, None),
    "0008 hrs": (0, 8, None),
    # hours and minutes
    "10 hours 8 minutes": (10, 8, None),
    "10 hours and 8 minutes": (10, 8, None),
    "10 hours, 8 minutes": (10, 8, None),
    "10 hours, 8 minutes and 30 seconds": (10, 8, 30),
    "10 hrs 8 mins": (10, 8, None),
    "1 hour 1 minute": (1, 1, None),
    "ten hours and eight minutes": (10, 8, None),
    '{"hours":10,"minutes":8}': (10, 8, None),
    '{"hours": 10, "minutes": 8, "seconds": 30}': (10, 8, 30),
    '{"hour": "10", "minute": "08"}': (10, 8, None),
    "{'hours': 10, 'minutes': 8}": (10, 8, None),
    '{"minutes": 8, "hours": 10}': (10, 8, None),
    '```json\n{\n  "hours": 10,\n  "minutes": 8\n}\n```': (10, 8, None),
    '{"h": 10, "m": 8}': (10, 8, None),
    "hour: 10, minute: 8": (10, 8, None),
    "Hours: 10\nMinutes: 8": (10, 8, None),
    '{"hours": 10.0, "minutes": 8.0}': (10, 8, None),
    # past and to
    "8 past 10": (10, 8, None),
    "8 minutes past 10": (10, 8, None),
    "eight minutes past ten": (10, 8, None),
    "ten past ten": (10, 10, None),
    "Ten Past Ten": (10, 10, None),
    "ten after ten": (10, 10, None),
    "twenty-five past three": (3, 25, None),
    "twenty five past three": (3, 25, None),
    "quarter to four": (3, 45, None),
    "a quarter to four": (3, 45, None),
    "quarter of four": (3, 45, None),
    "quarter past four": (4, 15, None),
    "quarter-past four": (4, 15, None),
    "a quarter after four": (4, 15, None),
    "half past ten": (10, 30, None),
    "half-past ten": (10, 30, None),
    "half past 10": (10, 30, None),
    "half past noon": (12, 30, None),
    "half past midnight": (0, 30, None),
    "five minutes to twelve": (11, 55, None),
    "five to twelve": (11, 55, None),
    "5 to 12": (11, 55, None),
    "5 till 12": (11, 55, None),
    "5 before 12": (11, 55, None),
    "one minute to one": (12, 59, None),
    "ten to one": (12, 50, None),
    "ten to one AM": (0, 50, None),
    "ten to thirteen": (12, 50, None),
    "twenty past twenty-two": (22, 20, None),
    "five to midnight": (23, 55, None),
    "five past midnight": (0, 5, None),
    "five to noon": (11, 55, None),
    "five to twelve PM": (11, 55, None),
    "quarter past ten in the evening": (22, 15, None),
    "ten past ten o'clock": (10, 10, None),
    "8 minutes past 10:00": (10, 8, None),
    "8 minutes and 30 seconds past 10": (10, 8, 30),
    # o'clock, noon, spoken
    "10 o'clock": (10, 0, None),
    "10 o’clock": (10, 0, None),
    "10 oclock": (10, 0, None),
    "ten o'clock": (10, 0, None),
    "twelve o'clock": (12, 0, None),
    "10 o'clock PM": (22, 0, None),
    "10 o'clock and 8 minutes": (10, 8, None),
    "10 PM": (22, 0, None),
    "10pm": (22, 0, None),
    "3 in the afternoon": (15, 0, None),
    "10 at night": (22, 0, None),
    "2 at night": (2, 0, None),
    "noon": (12, 0, None),
    "12 noon": (12, 0, None),
    "midday": (12, 0, None),
    "midnight": (0, 0, None),
    "12 midnight": (0, 0, None),
    "twenty-two oh eight": (22, 8, None),
    "twenty two oh eight": (22, 8, None),
    "ten oh eight": (10, 8, None),
    "ten zero eight": (10, 8, None),
    "10 oh 8": (10, 8, None),
    "ten thirty-five": (10, 35, None),
    "ten fifteen": (10, 15, None),
    "ten ten": (10, 10, None),
    "eight-thirty": (8, 30, None),
    "seven forty five p.m.": (19, 45, None),
    "twenty-two hundred hours": (22, 0, None),
    # sentences
    "The clock shows 10:08.": (10, 8, None),
    "It is about 10:08 AM on the 12 hour clock": (10, 8, None),
    "The hour hand is near the 10 and the minute hand at 8 minutes, so it is 10:08": (10, 8, None),
    "The numbers run from 1 to 12. It is 10:08.": (10, 8, None),
    "The hour hand is at the 2 o'clock position; the time is 10:08": (10, 8, None),
    "First I thought 9:08, but it is 10:08.": (10, 8, None),
    "It's between 10:05 and 10:10": (10, 10, None),
    "good afternoon, it is 10:08": (10, 8, None),
    # refused
    "10:75": None,
    "25:00": None,
    "24:00": None,
    "10:60": None,
    "10:08:75": None,
    "110:08": None,
    "10:8": None,
    "10:081": None,
    "10:75 AM": None,
    "22:08 AM": None,
    "0:08 PM": None,
    "13 AM": None,
    "70 past 3": None,
    "8 past 25": None,
    "half to ten": None,
    "half ten": None,
    "10": None,
    "ten": None,
    "1008": None,
    "10 08": None,
    "10-08": None,
    "10.75": None,
    "10.5": None,
    "12.50 %": None,
    "12.50 degrees": None,
    "1.08.2024": None,
    "3.1415": None,
    "the numerals 1 to 12": None,
    "from 5 to 12": None,
    "1 to 12": None,
    "10 of 12": None,
    "ten, eleven, twelve": None,
    "10 hours": None,
    "8 minutes": None,
    "the afternoon": None,
    "the first quarter": None,
    "one half of the dial": None,
    '{"hours": 25, "minutes": 8}': None,
    '{"minutes": 8}': None,
    "": None,
    "   ": None,
    "I cannot tell.": None,
    "١٠:٠٨": None,
}

ON_A_12_HOUR_DIAL = {
    "22:08": (10, 8, None),
    "00:08": (12, 8, None),
    "12:08": (12, 8, None),
    "midnight": (12, 0, None),
    "noon": (12, 0, None),
    "10:08 PM": (10, 8, None),
    "five to midnight": (11, 55, None),
}


@pytest.mark.parametrize(("text", "time"), STATED.items())
def test_time_as_it_was_stated(text, time):
    assert parse_time(text) == time


@pytest.mark.parametrize(("text", "time"), ON_A_12_HOUR_DIAL.items())
def test_time_as_a_12_hour_dial_shows_it(text, time):
    assert parse_time(text, hours=12) == time


def test_the_table_is_long():
    assert len(STATED) >= 100


def test_several_times_the_last_counts_unless_asked_otherwise():
    text = "At first 9:08. Answer: 10:08. Or is it 11:08?"
    assert parse_time(text) == (11, 8, None)
    assert parse_time(text, which="first") == (9, 8, None)
    assert parse_time(text, which="answer") == (10, 8, None)
    assert parse_time("10:08", which="answer") is None
    with pytest.raises(ValueError, match="which='best'"):
        parse_time(text, which="best")


@pytest.mark.parametrize(
    ("text", "rule", "place"),
    [
        ("It is 10:08.", "colon", "10:08"),
        ("So: twenty-five minutes past ten!", "past or to", "twenty-five minutes past ten"),
        ("now Twenty-two oh eight then", "spoken", "Twenty-two oh eight"),
        ("at ten o'clock sharp", "o'clock", "ten o'clock"),
        ('x {"hours": 10, "minutes": 8} y', "fields", 'hours": 10, "minutes": 8'),
        ("İstanbul at 10:08", "colon", "10:08"),
    ],
)
def test_a_reading_says_where_and_by_which_rule(text, rule, place):
    reading = read_time(text)
    assert (reading.rule, text[slice(*reading.span)]) == (rule, place)


@given(
    st.sampled_from(sorted(dialect.DIALECTS)),
    st.sampled_from([12, 24]),
    st.booleans(),
    st.data(),
)
def test_what_any_dialect_writes_is_read_back(name, hours, shows_seconds, data):
    step = 1 if shows_seconds else 60
    seconds = data.draw(st.integers(0, hours * 3600 // step - 1)) * step
    time = Time(seconds, hours, shows_seconds)
    assert parse_time(dialect.create(name).write(time), hours=hours) == time.hms
    assert parse_time(f"I think it is {dialect.create(name).write(time)}.") == time.hms


# fmt: off
FRAGMENTS = st.sampled_from(
    ["10", ":", "08", " ", ".", "past", "to", "ten", "quarter", "half", "o'clock", "noon", "-",
     "hours", "h", "am", "oh", "twenty", "{", '"hours":', "minutes", ",", "\n", "é", "İ", "½"]
)
# fmt: on


@given(st.one_of(st.text(), st.lists(FRAGMENTS).map("".join), st.lists(FRAGMENTS).map(" ".join)))
def test_no_text_raises_and_what_is_read_is_a_time(text):
    reading = read_time(text)
    if reading:
        hour, minute, second = reading.value
        assert 0 <= hour <= 23
        assert 0 <= minute <= 59
        assert second is None or 0 <= second <= 59
        assert 0 <= reading.span[0] < reading.span[1] <= len(text)
