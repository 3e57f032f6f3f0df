"""Steps before the answers of a user's rows."""

from pathlib import Path

import pytest
from PIL import Image

from gnomon import dialect
from gnomon.eval import read_number
from gnomon.recipe import Columns, Recipe, validate
from gnomon.store.user_data.opening import open_table


@pytest.fixture
def table(tmp_path):
    """Write a table of two pictures, and open it with some columns."""
    for name in "ab":
        Image.new("RGB", (20, 20), (ord(name), 0, 0)).save(tmp_path / f"{name}.png")
    file = tmp_path / "labels.csv"
    file.write_text("image,answer,seen,low,high\na.png,4.7,needle: past 4,4,5\nb.png,7,,6,\n")

    def open_with(**columns):
        more = {"kind": "number", "ask": "What does it read?", **columns}
        samples = open_table(Path(file), Columns(**more), "all")
        return [samples[index] for index in range(samples.length)]

    return open_with


@pytest.mark.parametrize(
    ("steps", "rationale"),
    [
        ("seen", "Steps: needle: past 4"),
        ("between {low} and {high}", "between 4 and 5"),
        ("needle past {low}", "Steps: needle past 4"),
        (None, ""),
    ],
)
def test_a_column_or_a_text_with_columns_gives_the_steps(table, steps, rationale):
    first, second = table(steps=steps)
    assert first.rationale == rationale
    # A row with an empty cell has no steps.
    assert second.rationale == ("" if steps != "needle past {low}" else "Steps: needle past 6")
    answer = first.target.write()
    text = dialect.add_working(first.rationale, answer)
    assert str(read_number(text).value) == "4.7"
    if rationale:
        assert read_number(text.removesuffix(answer)) is None


def test_a_missing_column_is_named(table):
    with pytest.raises(ValueError, match=r"no column 'hour'.*: set columns.steps"):
        table(steps="short hand {hour}")


def test_rows_with_other_steps_are_other_rows(table, tmp_path):
    columns = {"kind": "number", "ask": "What does it read?"}
    tables = [
        open_table(tmp_path / "labels.csv", Columns(**columns, steps=steps), "all")
        for steps in ("seen", "needle past {low}")
    ]
    assert tables[0].content != tables[1].content


@pytest.mark.parametrize(
    ("data", "tokens"),
    [
        ([{"kind": "clock"}], 32),
        ([{"kind": "clock", "options": {"answer": "value"}}], 32),
        ([{"kind": "clock"}, {"kind": "gauge", "options": {"answer": "mixed"}}], 128),
        ([{"path": "my.csv", "columns": {"steps": "seen"}}], 128),
        ([{"kind": "mixture", "options": {"parts": [
            {"kind": "clock", "options": {"answer": "steps"}}]}}], 128),
    ],
)  # fmt: skip
def test_answers_with_steps_may_be_longer(data, tokens):
    assert validate(Recipe, {"data": data}, name="test").max_new_tokens == tokens
    recipe = validate(Recipe, {"data": data, "eval": {"max_new_tokens": 9}}, name="test")
    assert recipe.max_new_tokens == 9
