"""Readers read what a person reads: tables of cases, and what must hold of any text."""

import cases
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.answers.table.read import read_table
from gnomon.dialect import DIALECTS
from gnomon.eval import parse_number, parse_time, read_box, read_number, read_text, read_time

ROWS = [
    pytest.param(name, row, id=f"{name}-{number}")
    for name, rows in cases.CASES.items()
    for number, row in enumerate(rows, 1)
]


def askings(row):
    """Yield what the reader is told, in every dialect where the row holds in each."""
    asked = row.get("asked", {})
    names = DIALECTS if asked.get("dialect") == "*" else [asked.get("dialect")]
    for name in names:
        yield asked | ({"dialect": name} if name else {})


@pytest.mark.parametrize(("name", "row"), ROWS)
def test_an_answer_is_read_as_a_person_reads_it(name, row):
    values, rules = dict(row.get("which", {})), {}
    if "value" in row:
        values["final"] = row.get("final", row["value"])
    if row.get("rule"):
        values["last"], rules["last"] = row["value"], row["rule"]
    rules["final"] = row.get("final_rule")
    for asked in askings(row):
        for which, value in values.items():
            reading = cases.read(name, row["text"], asked, which)
            expected = cases.expected(name, value, row.get("within", 0))
            assert (reading and cases.plain(reading.value)) == expected, which
            if reading:
                piece = row["text"][slice(*reading.span)]
                assert piece == row.get("place", piece)
                assert piece.strip() == piece != "" or name != "spots"
                assert reading.rule == rules.get(which) or not rules.get(which)


def test_a_way_of_choosing_that_there_is_not_is_refused():
    assert parse_time("10:08", which="first") == (10, 8, None)
    assert parse_number("minus 5") == -5
    with pytest.raises(ValueError, match="which='best'"):
        parse_time("10:08", which="best")


# fmt: off
FRAGMENTS = st.sampled_from(
    ["10", ":", "08", " ", ".", "past", "to", "ten", "quarter", "half", "o'clock", "noon", "-",
     "hours", "h", "am", "oh", "twenty", "{", '"hours":', "minutes", ",", "\n", "é", "İ", "½",
     "1", "1,234", "/", "e5", "×10^", "three", "hundred", "and", "a", "point", "minus", "million",
     "%", "$", "\\frac{1}{0}", "'", "\u00a0", "third", "[", "]", "(", ")", "2.5", "<box>",
     "<loc0001>", "x1=", "y2:", "top", '"', "|"]
)
# fmt: on


@given(st.one_of(st.text(), st.lists(FRAGMENTS).map("".join), st.lists(FRAGMENTS).map(" ".join)))
def test_no_text_raises_and_what_is_read_is_in_its_range(text):
    time, number = read_time(text), read_number(text)
    if time:
        hour, minute, second = time.value
        assert 0 <= hour <= 23
        assert 0 <= minute <= 59
        assert second is None or 0 <= second <= 59
    assert number is None or abs(number.value) < 1e301
    choices = ("left", "lower left", "right", "valid", "invalid")
    readings = (time, number, read_box(text), read_text(text, choices=choices), read_text(text))
    for reading in (*readings, read_table(text)):
        assert reading is None or 0 <= reading.span[0] < reading.span[1] <= len(text)
