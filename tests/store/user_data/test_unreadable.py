"""Rows whose label says that nobody can read the picture."""

import pytest
from picture_tables import write_rows
from PIL import Image

from gnomon.recipe import Columns
from gnomon.sample import Number, Unreadable
from gnomon.store.user_data.opening import open_table

LABELS = ("4.2", "", "NaN", "unreadable", "0.0", "blurred")


@pytest.fixture
def table(tmp_path):
    """A file with a row for each label."""
    rows = [{"image": f"{number}.png", "answer": label} for number, label in enumerate(LABELS)]
    for number, row in enumerate(rows):
        Image.new("L", (20, 20), 40 * number).save(tmp_path / row["image"])
    return write_rows(tmp_path / "dials.csv", rows)


def columns(**more):
    return Columns(ask="How far?", kind="number", cycle=10, within=0.1, unit="bar", **more)


def test_without_the_key_they_are_refused_with_its_name(table):
    with pytest.raises(ValueError, match="4 rows cannot be used") as error:
        open_table(table, columns(), "all")
    lines = str(error.value).split("\n")
    assert lines[1] == (
        "line 3: column 'answer' is empty; if the picture cannot be read, set"
        " columns.unreadable=true"
    )
    assert sum("set columns.unreadable=true" in line for line in lines) == 3
    assert "line 7: 'blurred'" in lines[4]
    assert "unreadable" not in lines[4]


def test_true_takes_the_usual_words_and_a_list_takes_its_own(table):
    words = ["", "nan", "unreadable", "blurred"]
    rows = open_table(table, columns(unreadable=tuple(words)), "all")
    targets = [row.target for row in rows]
    assert [isinstance(target, Unreadable) for target in targets] == [0, 1, 1, 1, 0, 1]
    assert targets[1].form.cycle == 10
    assert isinstance(targets[4], Number)
    with pytest.raises(ValueError, match="line 7: 'blurred'"):
        open_table(table, columns(unreadable=True), "all")
    # What is named is all that counts.
    with pytest.raises(ValueError, match="3 rows cannot be used"):
        open_table(table, columns(unreadable=("blurred",)), "all")


def test_places_and_words_may_be_unreadable_too(tmp_path):
    Image.new("L", (20, 20)).save(tmp_path / "0.png")
    file = tmp_path / "rows.csv"
    for kind, more in (("box", {}), ("boxes", {}), ("time", {}), ("text", {"choices": ("a",)})):
        file.write_text("image,answer\n0.png,unreadable\n")
        options = Columns(ask="Where?", kind=kind, unreadable=True, **more)
        assert isinstance(open_table(file, options, "all")[0].target, Unreadable)
    # A missing cell is no empty one.
    file = tmp_path / "rows.jsonl"
    file.write_text('{"image": "0.png", "answer": null}\n{"image": "0.png"}\n')
    with pytest.raises(ValueError, match="line 2: column 'answer' is not there"):
        open_table(file, Columns(ask="?", kind="time", unreadable=True), "all")
