"""Readers read what a person reads."""

import cases
import pytest

from gnomon.answers.registry import TYPES
from gnomon.answers.time.answer import TimeForm
from gnomon.dialect import DIALECTS
from gnomon.eval import parse_number, parse_time, read_time

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


def test_a_type_of_times_reads_what_its_form_asks_for():
    """Who is asked for HH:MM and says 10-08 means a time; without a question it may be a date."""
    dialect = DIALECTS["plain"]
    for text in ("10-08", "1008", "10:8"):
        for form, value in (("digits", (10, 8, None)), ("words", None)):
            asked = {"which": "final", "dialect": dialect, "size": None}
            reading = TYPES["time"].read(text, TimeForm(style=form), **asked)
            assert (reading and reading.value) == value
        assert read_time(text) is None


def test_a_way_of_choosing_that_there_is_not_is_refused():
    assert parse_time("10:08", which="first") == (10, 8, None)
    assert parse_number("minus 5") == -5
    with pytest.raises(ValueError, match="which='best'"):
        parse_time("10:08", which="best")


@pytest.mark.parametrize("sign", ["", "-"])
def test_a_number_that_sums_of_floats_cannot_hold_is_unread(sign):
    for text, is_read in (("1e299", True), ("1e300", False), ("1e-299", True), ("1e-300", False)):
        assert (parse_number(sign + text) is not None) is is_read
