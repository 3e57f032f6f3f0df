"""A folder with the files train, val and test is one dataset, whose splits are kept."""

import pytest
from picture_tables import write_rows
from PIL import Image

from gnomon.recipe import Columns
from gnomon.runs.picture_input import pictures_in
from gnomon.runs.resolve import exam_of
from gnomon.store.user_data.opening import open_table
from gnomon.store.user_data.row_files import is_user_data

COLUMNS = Columns(image=None)
ANSWERS = {"train": ["a", "b", "c", "d"], "val": ["e"], "test": ["f", "g"]}


def write(folder, names=("train", "val", "test"), suffix=".csv"):
    for name, answers in zip(names, ANSWERS.values(), strict=False):
        rows = [{"question": f"What is {text}?", "answer": text} for text in answers]
        write_rows(folder / f"{name}{suffix}", rows)
    return folder


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("val", ["val", "validation", "Val"])
def test_each_file_is_its_split(tmp_path, suffix, val):
    folder = write(tmp_path, ("train", val, "test"), suffix)
    assert is_user_data(folder)
    for split, answers in ANSWERS.items():
        table = open_table(folder, COLUMNS, split)
        assert [sample.target.text for sample in table] == answers
    table = open_table(folder, COLUMNS, "all")
    assert len({sample.id for sample in table}) == 7
    assert pictures_in(str(folder)) is None


def test_the_test_file_is_asked_unless_the_user_says_otherwise(tmp_path):
    folder = str(write(tmp_path))
    assert exam_of(folder, ["columns.image=null"]).split == "test"
    assert exam_of(folder, ["columns.image=null", "eval.split=all"]).samples == 7


def test_faults_name_the_file_and_its_line(tmp_path):
    folder = write(tmp_path)
    (folder / "test.csv").write_text("question,answer\nWhat?,x\nWhat?,\n")
    with pytest.raises(ValueError, match=r"line 3 of test\.csv: column 'answer' is empty"):
        open_table(folder, COLUMNS, "train")


def test_a_changed_file_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr("gnomon.store.user_data.building._LARGE", 1)
    folder = write(tmp_path)
    assert open_table(folder, COLUMNS, "test").length == 2
    write_rows(folder / "test.csv", [{"question": "What is z?", "answer": "z"}])
    assert open_table(folder, COLUMNS, "test").length == 1


def test_rows_of_one_picture_stay_in_their_files_split(tmp_path):
    """Their hash would put them into one split."""
    Image.new("L", (8, 8)).save(tmp_path / "a.png")
    for name in ("train", "test"):
        write_rows(tmp_path / f"{name}.csv", [{"image": "a.png", "question": name, "answer": "x"}])
    assert open_table(tmp_path, Columns(), "test")[0].question == "test"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("train.csv",), "has no metadata.csv"),
        (("val.csv", "test.csv"), "has no metadata.csv"),
        (
            ("train.csv", "train.jsonl", "test.csv"),
            r"train\.csv and train\.jsonl both belong to",
        ),
    ],
)
def test_other_files_are_no_dataset(tmp_path, names, message):
    for name in names:
        write_rows(tmp_path / name, [{"question": "What?", "answer": "x"}])
    with pytest.raises(ValueError, match=message):
        open_table(tmp_path, COLUMNS, "train")
