"""A user's own rows: read, refused by line, dealt out to splits without parting groups."""

from __future__ import annotations

import contextlib
import csv
import json
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ExifTags, Image

from gnomon.eval import read_time
from gnomon.recipe import Columns, Source
from gnomon.sample import TARGETS, Box, Number, Text, Time
from gnomon.store import mixture
from gnomon.store.pictures import load_picture
from gnomon.store.reading.sources import open_splits
from gnomon.store.samples import Outline, train_size
from gnomon.store.user_data import building, opening, pictures
from gnomon.store.user_data.opening import open_table


def read_answer(value, columns, size):
    return TARGETS[columns.kind].from_label(value, columns, size)


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
    found = [s for split in SPLITS for s in open_table(file, Columns(kind="time"), split)]
    assert len(found) == 60 == len({s.id for s in found})
    rows = open_table(file, Columns(kind="time"), "test")
    assert repr(rows) == f"<UserTable {name}, test: {rows.length} rows>"
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
    assert open_table(tmp_path, Columns(kind="time"), "train")[0].image.size == (40, 30)
    with pytest.raises(
        ValueError, match="no column 'photo'; its columns are file_name, question, answer"
    ):
        open_table(tmp_path, Columns(image="photo", kind="time"), "train")


@pytest.mark.parametrize("by", [",", ";", "\t"])
def test_a_spreadsheets_export_is_read_whatever_stands_between_its_cells(tmp_path, by):
    photos(tmp_path, 1)
    lines = (
        ("image", "question", "answer", "split"),
        ("0.png", '"Is it 3,5; or 4?"', "3", "train"),
    )
    text = "".join(f"{by.join(cells)}\r\n" for cells in lines)
    (tmp_path / "labels.csv").write_bytes(text.encode("utf-8-sig"))
    (row,) = open_table(tmp_path / "labels.csv", Columns(split="split"), "train")
    assert row.question == "Is it 3,5; or 4?"


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl"])
def test_what_is_no_utf8_is_told_by_its_file(tmp_path, name):
    (tmp_path / name).write_bytes('{"image": "K\u00fcche.png"}\n'.encode("cp1252"))
    with pytest.raises(ValueError, match=rf"{name}: it is no UTF-8 text .*: save it as UTF-8"):
        open_table(tmp_path / name, Columns(), "train")


def test_a_file_without_rows_says_so(tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text("image,question,answer\n")
    with pytest.raises(ValueError, match=r"labels\.csv: there is no row in it"):
        open_table(file, Columns(), "train")


def test_rows_of_one_group_never_cross_a_split(tmp_path):
    photos(tmp_path, 200)
    file = table(tmp_path, clocks(200, house=lambda i: f"house {i % 40}"))
    splits = {
        split: {
            s.facts["group"] for s in open_table(file, Columns(kind="time", group="house"), split)
        }
        for split in SPLITS
    }
    assert sum(map(len, splits.values())) == 40
    assert len(splits["train"]) > 20


def test_two_questions_of_one_picture_stay_together(tmp_path):
    photos(tmp_path, 50)
    file = table(tmp_path, [row for row in clocks(50) for _ in range(2)])
    for split in SPLITS:
        names = [s.facts["group"] for s in open_table(file, Columns(kind="time"), split)]
        assert all(names.count(name) == 2 for name in names)


def test_a_column_may_say_the_split(tmp_path):
    photos(tmp_path, 6)
    file = table(tmp_path, clocks(6, part=lambda i: ["train", "validation", "Test"][i % 3]))
    for split in SPLITS:
        assert open_table(file, Columns(kind="time", split="part"), split).length == 2


def test_bad_rows_are_refused_together_and_by_line(tmp_path):
    photos(tmp_path, 6)
    (tmp_path / "5.png").write_bytes(b"no picture")
    rows = clocks(7)
    rows[0]["answer"] = "25:00"
    rows[1]["answer"] = "noonish"
    rows[2]["answer"] = ""
    file = table(tmp_path, rows)
    with pytest.raises(ValueError, match="5 rows cannot be used") as told:
        open_table(file, Columns(kind="time"), "train")
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
        open_table(file, Columns(kind="number"), "train")


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("12 kWh", "12"),
        ("12kWh", "12"),
        ("1,234.5", "1234.5"),
        ("1,234,567 kWh", "1234567"),
        ("1 234", "1234"),
        ("1\u202f234.5", "1234.5"),
        ("1'234", "1234"),
        ("\u22125", "-5"),
        ("1e5", "1e5"),
        ("1.234", "1.234"),
        (1.5, "1.5"),
    ],
)
def test_a_label_with_its_unit_or_with_thousands_is_read(label, value):
    found = read_answer(label, Columns(kind="number", unit="kWh"), None)
    assert found == Number(Decimal(value), "kWh")


def test_a_unit_may_have_several_spellings_of_which_the_first_is_written(tmp_path):
    photos(tmp_path, 3)
    rows = [
        {"image": f"{n}.png", "question": "?", "answer": f"{n} {unit}"}
        for n, unit in enumerate(("kWh", "KWH", "kwh"))
    ]
    file = table(tmp_path, rows)
    columns = Columns(kind="number", unit=("kWh", "KWH", "kwh"))
    opened = open_table(file, columns, "all")
    assert [sample.target.write() for sample in opened] == ["0 kWh", "1 kWh", "2 kWh"]
    assert opened.describe() == json.loads(json.dumps(opened.describe()))
    with pytest.raises(ValueError, match=r"set columns.unit=\[kWh, KWH\]"):
        open_table(file, replace(columns, unit="kWh"), "all")


@pytest.mark.parametrize(
    ("decimal", "label", "value"),
    [
        ("comma", "1,234", "1.234"),
        ("comma", "1234,5", "1234.5"),
        ("comma", "1.234", "1234"),
        ("comma", "1.234.567,89", "1234567.89"),
        ("comma", "1 234,5", "1234.5"),
        ("comma", 1.5, "1.5"),
        ("point", "1,234", "1234"),
        ("point", "1.234", "1.234"),
    ],
)
def test_the_decimal_mark_can_be_said(decimal, label, value):
    found = read_answer(label, Columns(kind="number", decimal=decimal), None)
    assert found.value == Decimal(value)


@pytest.mark.parametrize(
    ("columns", "label", "told"),
    [
        ({}, "12 kWh", "'12 kWh' has a unit: set columns.unit=kWh, or give the number alone"),
        ({}, "$5", r"'\$5' has a unit: set columns.unit=\$"),
        ({"unit": "kWh"}, "12 MWh", "'12 MWh' is in MWh, and columns.unit is kWh"),
        ({}, "1,234", "is 1234 with columns.decimal=point, 1.234 with columns.decimal=comma"),
        ({}, "1234,5", "decimal mark of '1234,5' is a comma: set columns.decimal=comma"),
        ({}, "0,234", "decimal mark of '0,234' is a comma: set columns.decimal=comma"),
        ({}, "1.234,5", "decimal mark of '1.234,5' is a comma: set columns.decimal=comma"),
        ({"decimal": "comma"}, "1.5", "'1.5' is a point, and columns.decimal is comma"),
        ({}, "1,23,4", "'1,23,4' is no number"),
        ({}, "10:08", "'10:08' is no number"),
    ],
)
def test_a_label_that_may_be_two_numbers_says_what_would_be_read(columns, label, told):
    with pytest.raises(ValueError, match=told):
        read_answer(label, Columns(kind="number", **columns), None)


@pytest.mark.parametrize(
    ("label", "hour"),
    [("10:08 AM", 10), ("10:08 p.m.", 22), ("12:08am", 0), ("12:08 PM", 12)],
)
def test_a_time_before_or_after_noon_is_read(label, hour):
    assert read_answer(label, Columns(kind="time", hours=24), None) == Time(hour * 3600 + 480, 24)
    with pytest.raises(ValueError, match="no clock shows it"):
        read_answer(f"13{label[2:]}", Columns(kind="time", hours=24), None)


@pytest.mark.parametrize(
    ("label", "seconds"),
    [("10h08", None), ("10 h 08", None), ("10h08min30", 30), ("10h08m30s", 30), ("10:08:30", 30)],
)
def test_a_time_is_read_as_answers_write_it(label, seconds):
    """Answers took 10h08, and labels refused it."""
    time = Time(36480 + (seconds or 0), shows_seconds=seconds is not None)
    assert read_answer(label, Columns(kind="time"), None) == time
    assert read_time(label).value == time.hms


def test_a_split_of_another_name_is_a_bad_row(tmp_path):
    """Its rows were in no split, and nobody was told."""
    (tmp_path / "l.csv").write_text("question,answer,part\n?,1,train\n?,2,testing\n")
    columns = Columns(image=None, kind="number", split="part")
    with pytest.raises(
        ValueError, match="line 3: column 'part' says 'testing': give train, val or"
    ):
        open_table(tmp_path / "l.csv", columns, "train")


def test_the_split_of_a_row_follows_from_the_file_alone(tmp_path, monkeypatch):
    """A relative and an absolute spelling of the file's path fell into different splits."""
    folder = tmp_path / "photos"
    folder.mkdir()
    photos(folder, 40)
    rows = clocks(40)
    table(folder, rows, "metadata.csv")
    monkeypatch.chdir(tmp_path)
    spelled = ["photos", "./photos/metadata.csv", str(folder), "../" + tmp_path.name + "/photos"]
    found = [
        [
            [row.line for row in open_table(path, Columns(kind="time"), split).rows]
            for split in SPLITS
        ]
        for path in spelled
    ]
    assert found[0] == found[1] == found[2] == found[3]
    table(folder, [row | {"image": f"./{row['image']}"} for row in rows], "metadata.csv")
    again = [
        [row.line for row in open_table("photos", Columns(kind="time"), s).rows] for s in SPLITS
    ]
    assert again == found[0]


def test_pictures_that_break_off_are_listed_with_all_other_bad_rows(tmp_path):
    noise = Image.effect_noise((80, 60), 90).convert("RGB")
    rows = [row | {"image": f"{i}.{'jpg' if i % 2 else 'png'}"} for i, row in enumerate(clocks(24))]
    for row in rows:
        noise.save(file := tmp_path / row["image"])
        if row["image"] not in ("0.png", "1.jpg"):
            file.write_bytes(file.read_bytes()[:-500])
    rows[0]["answer"] = "noonish"
    with pytest.raises(ValueError, match="23 rows cannot be used; on_bad: skip would") as told:
        open_table(table(tmp_path, rows), Columns(kind="time"), "train")
    _, first, *said, rest = str(told.value).split("\n")
    assert first.startswith("line 2: 'noonish' is no time")
    assert rest == "and 13 more"
    lines = [int(line.partition(" ")[2].partition(":")[0]) for line in said]
    assert lines == list(range(4, 13))
    assert all("is no picture" in line for line in said)


def test_a_table_of_unusable_rows_alone_is_not_told_to_skip_them(tmp_path):
    (tmp_path / "labels.csv").write_text("image,question,answer\nno.png,How many?,4\n")
    with pytest.raises(ValueError, match="1 row cannot be used; and no other row is left"):
        open_table(str(tmp_path / "labels.csv"), Columns(kind="number"), "all", on_bad="skip")


def test_bad_rows_are_left_out_where_the_source_says_so(tmp_path, capsys):
    photos(tmp_path, 40)
    rows = clocks(40)
    rows[3]["answer"] = "noonish"
    rows[5]["image"] = "gone.png"
    (tmp_path / "7.png").write_bytes((tmp_path / "7.png").read_bytes()[:60])
    source = Source(path=str(table(tmp_path, rows)), columns=Columns(kind="time"), on_bad="skip")
    parts = [mixture((source,), split=split, seed=0) for split in SPLITS]
    lines = sorted(row.line for part in parts for row in part.rows)
    assert lines == [line for line in range(2, 42) if line not in (5, 7, 9)]
    said = capsys.readouterr().err
    assert said.startswith(
        "gnomon: labels.csv: 3 rows left out: line 5: 'noonish' is no time such as 10:08 or"
        " 10:08:30; line 7: no picture at 'gone.png'; line 9: 7.png is no picture"
    )
    assert said.count("\n") == 1  # once, not for each split
    table(tmp_path, rows[3:4])
    with pytest.raises(ValueError, match="1 row cannot be used"):
        mixture((source,), split="train", seed=0)
    with pytest.raises(ValueError, match="columns and on_bad belong to a file of your own"):
        Source(kind="clock", on_bad="skip")


def test_a_picture_is_decoded_once_however_often_its_row_is_asked_for(tmp_path, monkeypatch):
    decoded = []
    monkeypatch.setattr(pictures, "refuse_broken", lambda image: decoded.append(image.name))
    photos(tmp_path, 30)
    file = table(tmp_path, clocks(30) * 2)
    for split in SPLITS:
        open_table(file, Columns(kind="time"), split)
    assert sorted(decoded) == sorted(f"{i}.png" for i in range(30))
    Image.new("RGB", (9, 9)).save(tmp_path / "3.png")
    open_table(file, Columns(kind="time"), "train")
    assert decoded[30:] == ["3.png"]


def test_a_cell_too_long_for_a_file_s_name_is_a_bad_row(tmp_path):
    file = table(tmp_path, [clocks(1)[0] | {"image": "x" * 5000}])
    with pytest.raises(ValueError, match=r"line 2: no picture at 'x+…$"):
        open_table(file, Columns(kind="time"), "train")


def own_numbers(folder, n, name="labels.jsonl"):
    rows = [{"question": f"{i} + 1?", "answer": i + 1, "split": "train"} for i in range(n)]
    columns = Columns(image=None, kind="number", split="split")
    return Source(path=str(table(folder, rows, name)), columns=columns)


def test_every_row_is_trained_on_by_default_and_more_than_there_are_is_refused(tmp_path):
    clock = Source(kind="clock", weight=3)
    few = own_numbers(tmp_path, 40)
    many = replace(own_numbers(tmp_path, 90, "many.jsonl"), weight=2)

    def size(*sources, asked=None):
        return train_size(mixture(sources, split="train", seed=0), asked)

    assert size(few) == 40
    assert size(few, asked=40) == 40
    with pytest.raises(ValueError, match=r"train\.samples: 41: there are only 40 to train on"):
        size(few, asked=41)
    assert size(clock) == 10_000
    assert size(few, clock) == 10_000  # a weight says how often the few come again
    assert size(few, clock, asked=50_000) == 50_000
    both = mixture((few, many), split="train", seed=0)
    whole = size(few, many)
    assert len({both.id(i) for i in range(whole)}) == 130  # each at least once, the last one last
    assert len({both.id(i) for i in range(whole - 1)}) == 129


def test_a_photograph_stands_upright_and_its_box_is_within_it(tmp_path):
    """A telephone held upright writes rows from top to bottom, and says so beside them."""
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    photo = Image.new("RGB", (40, 30), "white")
    photo.paste("black", (0, 0, 40, 6))
    photo.save(tmp_path / "0.jpg", exif=exif, quality=100)
    row = {"image": "0.jpg", "question": "Where?", "answer": "[24, 0, 30, 40]", "split": "train"}
    columns = Columns(kind="box", split="split")
    sample = open_table(table(tmp_path, [row]), columns, "train")[0]
    assert sample.image.size == (30, 40)
    assert sample.target == Box(24, 0, 30, 40)
    assert sample.image.getpixel((27, 20)) < (9, 9, 9) < sample.image.getpixel((12, 20))


def test_a_box_outside_its_picture_is_refused(tmp_path):
    photos(tmp_path, 1)
    file = table(tmp_path, [clocks(1)[0] | {"answer": [5, 5, 60, 20]}], "labels.jsonl")
    with pytest.raises(ValueError, match=r"line 1: .*lies outside its picture of 40 by 30 pixels"):
        open_table(file, Columns(kind="box"), "train")


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
    with pytest.raises(ValueError, match="no column") as told:
        open_table(file, Columns(answer="anser", group="house"), "train")
    assert str(told.value) == (
        "labels.csv: no column 'anser' or 'house'; its columns are image, question, answer:"
        " set columns.answer, columns.group"
    )


def test_text_alone_needs_no_picture(tmp_path):
    rows = [{"question": f"{i} + 1?", "answer": str(i + 1)} for i in range(40)]
    file = table(tmp_path, rows, "sums.jsonl")
    found = open_table(file, Columns(image=None, kind="number"), "train")
    assert found[0].image is None
    assert found[0].target.value == found[0].facts["line"]


def test_what_is_described_changes_with_the_rows(tmp_path):
    photos(tmp_path, 40)
    file = table(tmp_path, clocks(40))
    first = open_table(file, Columns(kind="time"), "train").describe()
    assert open_table(file, Columns(kind="time"), "train").describe() == first
    rows = clocks(40)
    rows[7]["answer"] = "12:59"
    table(tmp_path, rows)
    assert open_table(file, Columns(kind="time"), "train").describe() != first


def test_a_file_that_is_none_is_refused(tmp_path):
    with pytest.raises(ValueError, match="is no file"):
        open_table(tmp_path / "no.csv", Columns(), "train")
    (tmp_path / "a.jsonl").write_text("{\n")
    with pytest.raises(ValueError, match="line 1: not JSON"):
        open_table(tmp_path / "a.jsonl", Columns(), "train")


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
    rows["image"] = pictures[:20] * 2
    held["train"] = datasets.Dataset.from_dict(rows)
    source = Source(hub="me/red", columns=Columns(kind="number"))
    lines = [[row.line for row in mixture((source,), split="train", seed=0).rows] for _ in "12"]
    assert lines[0] == lines[1]  # they were told apart by their places in memory
    assert {line + 20 for line in lines[0] if line <= 20} == {n for n in lines[0] if n > 20}


def test_a_dataset_of_the_hub_opens_no_picture_that_a_file_could_not_hold(monkeypatch):
    """The library decodes whatever Pillow takes, with Ghostscript if need be."""
    datasets = pytest.importorskip("datasets")
    eps = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n"
    features = datasets.Features({"image": datasets.Image(), "question": datasets.Value("string")})
    rows = {"image": [{"bytes": eps, "path": None}], "question": ["?"]}
    held = {"train": datasets.Dataset.from_dict(rows, features=features)}
    monkeypatch.setattr(datasets, "load_dataset", lambda name: held)
    with pytest.raises(ValueError, match="line 1: what 61 bytes hold is no picture: give PNG"):
        mixture((Source(hub="me/eps", columns=Columns(answer="question")),), split="train", seed=0)


def test_a_dataset_of_the_hub_of_too_many_rows_is_refused_before_any_is_read(monkeypatch):
    datasets = pytest.importorskip("datasets")
    many = datasets.Dataset.from_dict({"question": ["?"] * 5, "answer": ["!"] * 5})
    monkeypatch.setattr(datasets, "load_dataset", lambda _: {"train": many, "test": many})
    monkeypatch.setattr("gnomon.store.user_data.opening.MAX_ROWS", 9)
    source = Source(hub="me/many", columns=Columns(image=None))
    with pytest.raises(ValueError, match="me/many: its 10 rows are more than the 9 that are read"):
        mixture((source,), split="train", seed=0)


def test_pictures_of_the_hub_fall_into_the_same_splits_each_time(monkeypatch):
    """Their place in memory was their group."""
    datasets = pytest.importorskip("datasets")
    pictures = [Image.new("RGB", (8, 8), (i, 0, 0)) for i in range(40)]
    rows = {"image": pictures, "question": ["?"] * 40, "answer": list(range(40))}
    held = {"train": datasets.Dataset.from_dict(rows)}
    monkeypatch.setattr(datasets, "load_dataset", lambda name: held)
    source = Source(hub="me/red", columns=Columns(kind="number"))
    said = [[s.facts["group"] for s in mixture((source,), split="test", seed=0)] for _ in range(2)]
    assert said[0] == said[1]


@pytest.mark.parametrize("value", [{"text": "5"}, ["5"], {"a": {"b": 5}}])
@pytest.mark.parametrize("column", ["question", "answer", "group", "split"])
def test_a_cell_that_holds_no_text_is_refused_by_line_and_column(tmp_path, column, value):
    row = {"question": "?", "answer": "a", "group": "g", "split": "train"}
    file = table(tmp_path, [row, row | {column: value}], "labels.jsonl")
    columns = Columns(image=None, group="group", split="split")
    with pytest.raises(ValueError, match=rf"line 2: .*{column}.*: give (a|one) text"):
        open_table(file, columns, "all")


def counted(tmp_path, n=8, pictures=2):
    """A table of n rows about a few pictures, each with several questions."""
    for number in range(pictures):
        Image.new("L", (8, 6), 40 * number).save(tmp_path / f"{number}.png")
    rows = [
        {"image": f"{i % pictures}.png", "question": f"Digit {i}?", "answer": str(i % 10)}
        for i in range(n)
    ]
    return table(tmp_path, rows)


def test_an_outline_is_that_of_the_sample_without_opening_a_picture_twice(tmp_path, monkeypatch):
    rows = open_table(counted(tmp_path), Columns(kind="number"), "all")
    samples = [Outline.of(sample) for sample in rows]
    opened = []
    monkeypatch.setattr(
        pictures, "load_picture", lambda image: opened.append(image) or load_picture(image)
    )
    assert [rows.outline(index) for index in range(len(samples))] == samples
    assert len(opened) <= 2
    Image.new("L", (8, 6), 200).save(tmp_path / "0.png")
    assert rows.outline(0) == Outline.of(rows[0]) != samples[0]
    (tmp_path / "0.png").unlink()
    with pytest.raises(ValueError, match=r"labels\.csv: line 2: 0\.png is no picture"):
        rows.outline(0)


def test_the_splits_of_a_table_are_read_from_it_once(tmp_path, monkeypatch):
    file, reads = counted(tmp_path, n=60, pictures=30), []
    read = opening.build_table
    monkeypatch.setattr(opening, "build_table", lambda *a: reads.append(a) or read(*a))
    source = Source(path=str(file), columns=Columns(kind="number"))
    found = open_splits(source)
    assert len(reads) == 1
    assert list(found) == [split for split in SPLITS if split in found]
    for split, samples in found.items():
        alone = mixture((source,), split=split, seed=0)
        assert list(samples.rows) == list(alone.rows)
        assert samples.describe() == alone.describe()


def test_a_large_table_is_read_again_only_once_it_or_a_picture_has_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "_LARGE", 8)
    monkeypatch.setattr(building, "_TABLES", {})
    file, columns = counted(tmp_path), Columns(kind="number")
    first = open_table(file, columns, "all")
    assert open_table(file, columns, "all") is first
    assert open_table(file, Columns(kind="text"), "all") is not first
    Image.new("L", (9, 6)).save(tmp_path / "1.png")
    second = open_table(file, columns, "all")
    assert second is not first
    (tmp_path / "1.png").write_bytes(b"none")
    with pytest.raises(ValueError, match="4 rows cannot be used"):
        open_table(file, columns, "all")
    (tmp_path / "1.png").unlink()
    with pytest.raises(ValueError, match=r"no picture at '1\.png'"):
        open_table(file, columns, "all")
    Image.new("L", (9, 6)).save(tmp_path / "1.png")
    file.write_text(file.read_text() + "0.png,Digit 9?,9\n")
    assert open_table(file, columns, "all").length == first.length + 1
