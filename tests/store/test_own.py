"""A user's own rows: read, refused by line, dealt out to splits without parting groups."""

from __future__ import annotations

import contextlib
import csv
import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ExifTags, Image

from gnomon.recipe import Columns, Source
from gnomon.sample import Box, Number, Text, Time
from gnomon.store import mixture
from gnomon.store.own import open_own
from gnomon.store.own_answers import read_answer

SPLITS = ("train", "val", "test")


def photos(folder, n, size=(40, 30)):
    """n small pictures, each of its own colour."""
    for index in range(n):
        Image.new("RGB", size, (index % 256, index // 256, 99)).save(folder / f"{index}.png")


def table(folder, rows, name="labels.csv"):
    file = folder / name
    if name.endswith(".jsonl"):
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        with file.open("w", newline="") as opened:
            writer = csv.DictWriter(opened, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return file


def clocks(n, **more):
    return [
        {"image": f"{i}.png", "question": "What time is it?", "answer": f"{1 + i % 12}:{i % 60:02}"}
        | {key: value(i) for key, value in more.items()}
        for i in range(n)
    ]


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl"])
def test_rows_become_samples_with_typed_targets(tmp_path, name):
    photos(tmp_path, 60)
    file = table(tmp_path, clocks(60), name)
    found = [s for split in SPLITS for s in open_own(file, Columns(kind="time"), split)]
    assert len(found) == 60 == len({s.id for s in found})
    rows = open_own(file, Columns(kind="time"), "test")
    assert repr(rows) == f"<Own {name}, test: {rows.length} rows>"
    for sample in found:
        index = sample.facts["line"] - (2 if name.endswith("csv") else 1)
        assert sample.image.getpixel((0, 0)) == (index, 0, 99)
        assert sample.target == Time((1 + index % 12) % 12 * 3600 + index % 60 * 60)
        assert sample.question == "What time is it?"


def test_a_folder_with_metadata_is_read_as_it_is(tmp_path):
    photos(tmp_path, 30)
    rows = [{"file_name": f"{i}.png", "value": str(i / 4)} for i in range(30)]
    table(tmp_path, rows, "metadata.csv")
    columns = Columns(image="file_name", ask="How much?", answer="value", kind="number", unit="bar",
                      within=0.5)  # fmt: skip
    found = mixture((Source(path=str(tmp_path), columns=columns),), split="train", seed=0)
    sample = found[0]
    assert sample.question == "How much?"
    assert sample.target == Number(
        Decimal(str((sample.facts["line"] - 2) / 4)), "bar", Decimal("0.5")
    )


@pytest.mark.parametrize("name", ["metadata.csv", "metadata.jsonl"])
def test_a_folder_as_hugging_face_wants_it_is_read_without_a_word(tmp_path, name):
    photos(tmp_path, 60)
    rows = [{"file_name": row["image"]} | row for row in clocks(60)]
    table(tmp_path, [{k: v for k, v in row.items() if k != "image"} for row in rows], name)
    assert open_own(tmp_path, Columns(kind="time"), "train")[0].image.size == (40, 30)
    with pytest.raises(ValueError, match="column 'photo' is not there"):
        open_own(tmp_path, Columns(image="photo", kind="time"), "train")


@pytest.mark.parametrize("by", [",", ";", "\t"])
def test_a_spreadsheets_export_is_read_whatever_stands_between_its_cells(tmp_path, by):
    photos(tmp_path, 1)
    lines = (
        ("image", "question", "answer", "split"),
        ("0.png", '"Is it 3,5; or 4?"', "3", "train"),
    )
    text = "".join(f"{by.join(cells)}\r\n" for cells in lines)
    (tmp_path / "labels.csv").write_bytes(text.encode("utf-8-sig"))
    (row,) = open_own(tmp_path / "labels.csv", Columns(split="split"), "train")
    assert row.question == "Is it 3,5; or 4?"


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl"])
def test_what_is_no_utf8_is_told_by_its_file(tmp_path, name):
    (tmp_path / name).write_bytes('{"image": "K\u00fcche.png"}\n'.encode("cp1252"))
    with pytest.raises(ValueError, match=rf"{name}: it is no UTF-8 text .*: save it as UTF-8"):
        open_own(tmp_path / name, Columns(), "train")


def test_a_file_without_rows_says_so(tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text("image,question,answer\n")
    with pytest.raises(ValueError, match=r"labels\.csv: there is no row in it"):
        open_own(file, Columns(), "train")


def test_rows_of_one_group_never_cross_a_split(tmp_path):
    photos(tmp_path, 200)
    file = table(tmp_path, clocks(200, house=lambda i: f"house {i % 40}"))
    splits = {
        split: {
            s.facts["group"] for s in open_own(file, Columns(kind="time", group="house"), split)
        }
        for split in SPLITS
    }
    assert sum(map(len, splits.values())) == 40
    assert len(splits["train"]) > 20


def test_two_questions_of_one_picture_stay_together(tmp_path):
    photos(tmp_path, 50)
    file = table(tmp_path, [row for row in clocks(50) for _ in range(2)])
    for split in SPLITS:
        names = [s.facts["group"] for s in open_own(file, Columns(kind="time"), split)]
        assert all(names.count(name) == 2 for name in names)


def test_a_column_may_say_the_split(tmp_path):
    photos(tmp_path, 6)
    file = table(tmp_path, clocks(6, part=lambda i: ["train", "validation", "Test"][i % 3]))
    for split in SPLITS:
        assert open_own(file, Columns(kind="time", split="part"), split).length == 2


def test_bad_rows_are_refused_together_and_by_line(tmp_path):
    photos(tmp_path, 6)
    (tmp_path / "5.png").write_bytes(b"no picture")
    rows = clocks(7)
    rows[0]["answer"] = "25:00"
    rows[1]["answer"] = "noonish"
    rows[2]["answer"] = ""
    file = table(tmp_path, rows)
    with pytest.raises(ValueError, match="5 rows cannot be used") as told:
        open_own(file, Columns(kind="time"), "train")
    said = str(told.value).split("\n")[1:]
    assert said == [
        "line 2: '25:00': no clock shows it",
        "line 3: 'noonish' is no time such as 10:08 or 10:08:30",
        "line 4: column 'answer' is empty",
        said[3],
        "line 8: no picture at '6.png'",
    ]
    assert said[3].startswith("line 7: 5.png is no picture")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"answer": "many"}, "'many' is no number"),
        ({"answer": "NaN"}, "'NaN' is no number"),
        ({"answer": "1e400"}, "'1e400' is no number"),
    ],
)
def test_a_value_that_is_no_number_is_refused(tmp_path, change, told):
    photos(tmp_path, 1)
    file = table(tmp_path, [clocks(1)[0] | change])
    with pytest.raises(ValueError, match=f"line 2: {told}"):
        open_own(file, Columns(kind="number"), "train")


def test_a_photograph_stands_upright_and_its_box_is_within_it(tmp_path):
    """A telephone held upright writes rows from top to bottom, and says so beside them."""
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    photo = Image.new("RGB", (40, 30), "white")
    photo.paste("black", (0, 0, 40, 6))
    photo.save(tmp_path / "0.jpg", exif=exif, quality=100)
    row = {"image": "0.jpg", "question": "Where?", "answer": "[24, 0, 30, 40]", "split": "train"}
    columns = Columns(kind="box", split="split")
    sample = open_own(table(tmp_path, [row]), columns, "train")[0]
    assert sample.image.size == (30, 40)
    assert sample.target == Box(24, 0, 30, 40)
    assert sample.image.getpixel((27, 20)) < (9, 9, 9) < sample.image.getpixel((12, 20))


def test_a_box_outside_its_picture_is_refused(tmp_path):
    photos(tmp_path, 1)
    file = table(tmp_path, [clocks(1)[0] | {"answer": [5, 5, 60, 20]}], "labels.jsonl")
    with pytest.raises(ValueError, match=r"line 1: .*lies outside its picture of 40 by 30 pixels"):
        open_own(file, Columns(kind="box"), "train")


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("xyxy", [10, 5, 30, 20]),
        ("xyxy", "10, 5, 30, 20"),
        ("xyxy", "[10.0, 5.0, 30.0, 20.0]"),
        ("xywh", [10, 5, 20, 15]),
        ("cxcywh", [20, 12.5, 20, 15]),
        ("xyxy_1", [0.25, 1 / 6, 0.75, 2 / 3]),
        ("xyxy_1000", [250, 1000 / 6, 750, 2000 / 3]),
    ],
)
def test_boxes_come_in_the_format_that_the_recipe_names(form, value):
    box = read_answer(value, Columns(kind="box", box_format=form), (40, 30))
    assert box.corners == pytest.approx((10, 5, 30, 20))


@given(st.text() | st.lists(st.floats()) | st.none() | st.integers())
def test_any_answer_is_a_target_or_refused(value):
    for kind in ("time", "number", "box", "text"):
        with contextlib.suppress(ValueError):
            assert read_answer(value, Columns(kind=kind), (40, 30))


def test_choices_are_held():
    columns = Columns(choices=("yes", "no"))
    assert read_answer(" yes ", columns, None) == Text("yes", ("yes", "no"))
    with pytest.raises(ValueError, match="not among the choices"):
        read_answer("maybe", columns, None)


def test_a_column_that_is_not_there_names_those_that_are(tmp_path):
    photos(tmp_path, 1)
    file = table(tmp_path, clocks(1))
    with pytest.raises(
        ValueError, match=r"'label' is not there \(there are image, question, answer"
    ):
        open_own(file, Columns(answer="label"), "train")


def test_text_alone_needs_no_picture(tmp_path):
    rows = [{"question": f"{i} + 1?", "answer": str(i + 1)} for i in range(40)]
    file = table(tmp_path, rows, "sums.jsonl")
    found = open_own(file, Columns(image=None, kind="number"), "train")
    assert found[0].image is None
    assert found[0].target.value == found[0].facts["line"]


def test_what_is_described_changes_with_the_rows(tmp_path):
    photos(tmp_path, 40)
    file = table(tmp_path, clocks(40))
    first = open_own(file, Columns(kind="time"), "train").describe()
    assert open_own(file, Columns(kind="time"), "train").describe() == first
    rows = clocks(40)
    rows[7]["answer"] = "12:59"
    table(tmp_path, rows)
    assert open_own(file, Columns(kind="time"), "train").describe() != first


def test_a_file_that_is_none_is_refused(tmp_path):
    with pytest.raises(ValueError, match="is no file"):
        open_own(tmp_path / "no.csv", Columns(), "train")
    (tmp_path / "a.jsonl").write_text("{\n")
    with pytest.raises(ValueError, match="line 1: not JSON"):
        open_own(tmp_path / "a.jsonl", Columns(), "train")


def test_a_dataset_of_the_hub_is_dealt_out_anew(tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets")
    pictures = [Image.new("RGB", (8, 8), (i, 0, 0)) for i in range(40)]
    rows = {
        "image": pictures,
        "question": ["How red?"] * 40,
        "answer": list(range(40)),
        "who": [f"{i}" for i in range(40)],
    }
    held = datasets.DatasetDict({"train": datasets.Dataset.from_dict(rows)})
    monkeypatch.setattr(datasets, "load_dataset", lambda name: held if name == "me/red" else None)
    source = Source(hub="me/red", columns=Columns(kind="number", group="who"))
    parts = [mixture((source,), split=split, seed=0) for split in SPLITS]
    assert sum(part.length for part in parts) == 40
    sample = parts[0][0]
    assert sample.image.getpixel((0, 0))[0] == sample.target.value
