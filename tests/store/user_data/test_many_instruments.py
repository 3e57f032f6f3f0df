"""A table of many instruments: each row has its own unit and tolerance in columns of the table."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest
from picture_tables import write_rows

from gnomon.answers.number.answer import NumberForm
from gnomon.eval import score
from gnomon.recipe import Columns
from gnomon.sample import Number, Prediction, Unreadable
from gnomon.store.user_data.opening import open_table

ROWS = [
    {"question": "A", "answer": "3.5", "unit": "bar", "tolerance": "0.1"},
    {"question": "B", "answer": "21 °C", "unit": "°C", "tolerance": 1},
    {"question": "C", "answer": "3.5", "unit": "", "tolerance": "0"},
    {"question": "D", "answer": "n/a", "unit": "bar", "tolerance": "0.1"},
]
COLUMNS = Columns(image=None, kind="number", unit="unit", within="tolerance", unreadable=True)


@pytest.mark.parametrize("name", ["labels.jsonl", "labels.csv"])
def test_each_row_has_its_unit_and_its_tolerance(tmp_path, name):
    table = open_table(write_rows(tmp_path / name, ROWS), COLUMNS, "all")
    tenth = Decimal("0.1")
    assert [sample.target for sample in table] == [
        Number(Decimal("3.5"), "bar", tenth),
        Number(Decimal(21), "°C", Decimal(1)),
        Number(Decimal("3.5")),
        Unreadable(NumberForm("bar")),
    ]
    assert table.describe() == json.loads(json.dumps(table.describe()))
    answers = ["3.6 bar", "22 °C", "3.6", "unreadable"]
    predictions = [
        Prediction(table.id(index), text, None, "plain") for index, text in enumerate(answers)
    ]
    scores = score(predictions, table)
    assert [item.correct for item in scores.items] == [True, True, False, True]


def test_a_tolerance_has_the_decimal_mark_of_the_labels(tmp_path):
    file = write_rows(tmp_path / "a.csv", [{"question": "?", "answer": "3,5", "by": "0,25"}])
    columns = Columns(image=None, kind="number", within="by", decimal="comma")
    assert open_table(file, columns, "all")[0].target.within == Decimal("0.25")


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"tolerance": ""}, "line 1: column 'tolerance' is empty"),
        ({"tolerance": "-1"}, "line 1: column 'tolerance' says '-1': give a distance"),
        ({"tolerance": "NaN"}, "line 1: column 'tolerance' says 'NaN': give a distance"),
        ({"answer": "3 bar", "unit": "kWh"}, "line 1: '3 bar' is in bar, and"),
        ({"unit": "7.5"}, r"line 1: column 'unit' says '7.5', which is not a unit: .*s.unit="),
        ({"unit": ["bar"]}, "line 1: column 'unit'"),
    ],
)  # fmt: skip
def test_a_cell_that_is_no_tolerance_or_unit_is_refused(tmp_path, cells, message):
    file = write_rows(tmp_path / "labels.jsonl", [ROWS[0] | cells, ROWS[1]])
    with pytest.raises(ValueError, match=message):
        open_table(file, COLUMNS, "all")


def test_a_column_of_tolerances_that_is_not_there_is_refused(tmp_path):
    file = write_rows(tmp_path / "labels.jsonl", ROWS)
    with pytest.raises(ValueError, match=r"no column 'tolerence'.*did you mean tolerance"):
        open_table(file, replace(COLUMNS, within="tolerence"), "all")


def test_a_unit_that_is_also_a_column_is_refused_unless_it_is_clear_what_is_meant(tmp_path):
    rows = [{"question": "?", "answer": "12", "kWh": "11"}]
    file = write_rows(tmp_path / "labels.csv", rows)
    columns = Columns(image=None, kind="number", unit="kWh")
    with pytest.raises(ValueError, match=r"column 'kWh' says '11', which is not a unit"):
        open_table(file, columns, "all")
    write_rows(file, [rows[0] | {"answer": "12 kWh", "kWh": "MWh"}])
    with pytest.raises(ValueError, match=r"'12 kWh' has a unit that is also the name of a column"):
        open_table(file, columns, "all")
    table = open_table(file, replace(columns, unit=("kWh",)), "all")
    assert table[0].target == Number(Decimal(12), "kWh")
    # A column that is used for something else is no column of units.
    write_rows(file, [{"question": "?", "bar": "3.5 bar"}])
    table = open_table(file, replace(columns, answer="bar", unit="bar"), "all")
    assert table[0].target == Number(Decimal("3.5"), "bar")
