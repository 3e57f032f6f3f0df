"""CSV for spreadsheets: no text is a formula, numbers stay numbers, and there is one writer."""

import csv
import io
import re
from pathlib import Path

import pytest

import gnomon
from gnomon.files import write_rows
from gnomon.recipe import Columns
from gnomon.sample import Number
from gnomon.store.user_data.opening import open_table


def test_texts_are_guarded_and_numbers_are_not():
    table = io.StringIO()
    write_rows(table, [["=a", "b"], ["@x", -5], ["-1+1", -2.5], ["＝1", None], ["-5", True]])
    found = list(csv.reader(io.StringIO(table.getvalue())))
    assert found == [["'=a", "b"], ["'@x", "-5"], ["'-1+1", "-2.5"], ["'＝1", ""], ["-5", "True"]]


@pytest.mark.parametrize(
    "text", ["-5 °C", "+5 kWh", "-1,234.5 m³", "-5 km/h", "-5%", "-3 µm", "-12 $", "-12 l/min"]
)
def test_a_number_with_its_unit_is_no_formula_and_is_read_as_a_label(text):
    assert written(text) == [text]
    unit = text.lstrip("+-0123456789.,e").strip()
    assert Number.from_label(text, Columns(kind="number", unit=unit, decimal="point"), None)


@pytest.mark.parametrize(
    "text", ["-5 °C+1", "-5 kWh|' /C calc'!A0", "-5 SUM(A1)", "-5 °C\n=1", "-5,=1", "- 5", "-a"]
)
def test_what_begins_as_a_number_may_still_be_a_formula(text):
    assert written(text) == [f"'{text}"]


def written(text):
    """The cells that a table of one text has."""
    table = io.StringIO()
    write_rows(table, [[text]])
    return next(csv.reader(io.StringIO(table.getvalue(), newline="")))


def test_labels_that_carry_our_apostrophe_are_read(tmp_path):
    """As of our own table of answers; an apostrophe of the user's own stays."""
    texts = ["-a", "=1+1", "@home", "'quoted'", "-5 °C", "'tis", "'"]
    with (tmp_path / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        write_rows(file, [["question", "answer"], *(["+?", text] for text in texts)])
        file.write("?,'-5 °C\n")  # as earlier tables of answers have it
    table = open_table(tmp_path / "labels.csv", Columns(image=None), "all")
    assert [sample.target.text for sample in table] == [*texts, "-5 °C"]
    assert table[0].question == "+?"


def test_nothing_else_writes_csv():
    root = Path(gnomon.__file__).parent
    writers = re.compile(r"csv\.(writer|DictWriter)|to_csv\(.*index|savetxt")
    found = [f.name for f in root.rglob("*.py") if writers.search(f.read_text(encoding="utf-8"))]
    assert found == ["files.py"]
