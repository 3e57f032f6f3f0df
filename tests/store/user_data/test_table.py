"""A user's own rows: read, refused by line, dealt out to splits without parting groups."""

import contextlib
import json
import math
import re
from dataclasses import replace
from decimal import Decimal

import case_tables
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from picture_tables import write_rows
from PIL import ExifTags, Image

from gnomon.eval import read_time
from gnomon.recipe import Columns, Source
from gnomon.sample import TARGETS, Box, Number, Text, Time
from gnomon.store import mixture
from gnomon.store.pictures import load_picture
from gnomon.store.reading.sources import open_splits
from gnomon.store.samples import Outline, train_size
from gnomon.store.user_data import building, checked_pictures, opening
from gnomon.store.user_data.opening import open_table

SPLITS = ("train", "val", "test")
TIMES = Columns(kind="time")


def read_answer(value, columns, size):
    return TARGETS[columns.kind].from_label(value, columns, size)


def photos(folder, n, size=(40, 30)):
    """n small pictures, each of its own colour."""
    for index in range(n):
        Image.new("RGB", size, (index % 256, index // 256, 99)).save(folder / f"{index}.png")


def write(folder, rows, name="labels.csv"):
    return write_rows(folder / name, rows)


def clocks(n, **more):
    return [
        {"image": f"{i}.png", "question": "What time is it?", "answer": f"{1 + i % 12}:{i % 60:02}"}
        | {key: value(i) for key, value in more.items()}
        for i in range(n)
    ]


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl"])
def test_rows_become_samples_with_typed_targets(tmp_path, name):
    photos(tmp_path, 60)
    file = write(tmp_path, clocks(60), name)
    samples = [s for split in SPLITS for s in open_table(file, TIMES, split)]
    assert len(samples) == 60 == len({s.id for s in samples})
    rows = open_table(file, TIMES, "test")
    assert repr(rows) == f"<UserTable {name}, test: {rows.length} rows>"
    for sample in samples:
        index = sample.facts["line"] - (2 if name.endswith("csv") else 1)
        assert sample.image.getpixel((0, 0)) == (index, 0, 99)
        assert sample.target == Time((1 + index % 12) % 12 * 3600 + index % 60 * 60)
        assert sample.question == "What time is it?"


@pytest.mark.parametrize("name", ["metadata.csv", "metadata.jsonl"])
def test_a_folder_as_hugging_face_wants_it_is_read_without_a_word(tmp_path, name):
    photos(tmp_path, 30)
    rows = [{"file_name": f"{i}.png", "value": str(i / 4)} for i in range(30)]
    write(tmp_path, rows, name)
    columns = Columns(ask="How much?", answer="value", kind="number", unit="bar", within=0.5)
    sample = mixture((Source(path=str(tmp_path), columns=columns),), split="train", seed=0)[0]
    index = sample.image.getpixel((0, 0))[0]
    target = Number(Decimal(rows[index]["value"]), "bar", Decimal("0.5"))
    assert (sample.question, sample.target) == ("How much?", target)
    with pytest.raises(ValueError, match="no column 'photo'; its columns are file_name, value:"):
        open_table(tmp_path, replace(columns, image="photo"), "train")


@pytest.mark.parametrize("by", [",", ";", "\t"])
def test_a_spreadsheets_export_is_read_whatever_stands_between_its_cells(tmp_path, by):
    photos(tmp_path, 1)
    lines = (("image", "question", "answer", "split"),
             ("0.png", '"Is it 3,5; or 4?"', "3", "train"))  # fmt: skip
    text = "".join(f"{by.join(cells)}\r\n" for cells in lines)
    (tmp_path / "labels.csv").write_bytes(text.encode("utf-8-sig"))
    (row,) = open_table(tmp_path / "labels.csv", Columns(split="split"), "train")
    assert row.question == "Is it 3,5; or 4?"


@pytest.mark.parametrize("kind", [pa.float32(), pa.float16(), pa.float64()])
def test_a_number_of_few_bits_is_the_decimal_that_was_written(tmp_path, kind):
    photos(tmp_path, 3)
    values = [np.dtype(kind.to_pandas_dtype()).type(value) for value in (2.7, 41.0, -0.1)]
    table = {"image": [f"{i}.png" for i in range(3)], "answer": pa.array(values, kind)}
    pq.write_table(pa.table(table), tmp_path / "labels.parquet")
    columns = Columns(kind="number", ask="What does it read?")
    rows = open_table(tmp_path / "labels.parquet", columns, "all")
    assert [row.target.write() for row in rows] == ["2.7", "41.0", "-0.1"]


def test_a_quotation_mark_that_is_not_closed_takes_no_rows_with_it(tmp_path):
    photos(tmp_path, 9)
    lines = ["image,answer", *(f"{i}.png,w{i}" for i in range(9))]
    file = tmp_path / "labels.csv"
    for line in ('4.png,"w4', '4.png,"w4" wide'):
        file.write_text("\n".join([*lines[:5], line, *lines[6:]]))
        with pytest.raises(ValueError, match=r"line 6: .*quotation mark"):
            open_table(file, Columns(ask="?"), "all")


def test_lines_are_counted_with_those_that_are_empty(tmp_path):
    photos(tmp_path, 2)
    file = tmp_path / "labels.csv"
    file.write_text('\nimage,answer\n0.png,"1\n"\n\n\r\n1.png,x\n')
    with pytest.raises(ValueError, match=r"line 7: 'x' is not a number"):
        open_table(file, Columns(kind="number", ask="?"), "all")


@pytest.mark.parametrize("column", ["answer", "question", "group"])
def test_a_cell_that_is_not_a_number_is_empty(tmp_path, column):
    """As pandas writes cells without content."""
    photos(tmp_path, 1)
    row = {"image": "0.png", "question": "What?", "answer": "red", "group": "a", column: math.nan}
    (tmp_path / "labels.jsonl").write_text(json.dumps(row))
    with pytest.raises(ValueError, match=f"column '{column}' is empty"):
        open_table(tmp_path / "labels.jsonl", Columns(group="group"), "all")


def test_rows_of_one_group_never_cross_a_split(tmp_path):
    """Of one picture by default, and of a column of their own."""
    photos(tmp_path, 200)
    rows = clocks(200, house=lambda i: f"house {i % 40}")
    file = write(tmp_path, rows + rows)
    for columns, many in ((TIMES, 200), (Columns(kind="time", group="house"), 40)):
        groups = {s: {x.facts["group"] for x in open_table(file, columns, s)} for s in SPLITS}
        assert sum(map(len, groups.values())) == many
        assert len(groups["train"]) > many / 2


def test_a_column_may_say_the_split(tmp_path):
    photos(tmp_path, 6)
    file = write(tmp_path, clocks(6, part=lambda i: ["train", "validation", "Test"][i % 3]))
    for split in SPLITS:
        assert open_table(file, Columns(kind="time", split="part"), split).length == 2


@case_tables.table(__file__, "labels")
def test_a_label_is_read_as_its_columns_say_or_refused(row):
    options = {k: tuple(v) if isinstance(v, list) else v for k, v in row["columns"].items()}
    columns = Columns(kind=row["kind"], **options)
    if "message" in row:
        with pytest.raises(ValueError, match=re.escape(row["message"])):
            read_answer(row["label"], columns, None)
        return
    target, value = read_answer(row["label"], columns, (40, 30)), row["value"]
    match row["kind"]:
        case "number":
            assert target == Number(Decimal(value), options.get("unit", ""))
        case "time":
            assert target == Time(*value)
            # Answers took 10h08, and labels refused it.
            assert options or read_time(row["label"]).value == target.hms
        case "box":
            assert target.corners == pytest.approx(value)
        case "text":
            assert target == Text(value, options["choices"])
        case "table":
            assert target.write() == value


def test_seconds_that_the_question_does_not_ask_for_are_told_of_and_may_be_dropped(
    tmp_path, capsys
):
    """No answer of HH:MM is exactly a label with seconds."""
    labels = ["10:08:30", "9:15", "22:59:59", "unreadable"]
    file = write(tmp_path, [{"answer": label} for label in labels])
    columns = Columns(image=None, kind="time", ask="Answer HH:MM.", hours=24, unreadable=True)
    open_table(file, columns, "all")
    warning = capsys.readouterr().err
    assert "labels.csv: 2 of 4 labels have seconds, but their question asks for HH:MM" in warning
    assert "columns.seconds=drop" in warning
    table = open_table(file, replace(columns, seconds="drop"), "all")
    assert [sample.target.write() for sample in table[:3]] == ["10:08", "09:15", "22:59"]
    assert table.describe()["columns"]["seconds"] == "drop"
    table = open_table(file, replace(columns, ask="Answer HH:MM:SS."), "all")
    assert table[0].target.write() == "10:08:30"
    assert "seconds" not in table.describe()["columns"]
    assert not capsys.readouterr().err


@given(st.text() | st.lists(st.floats()) | st.none() | st.integers())
def test_any_answer_is_a_target_or_refused(value):
    for kind in ("time", "number", "box", "text"):
        with contextlib.suppress(ValueError):
            assert read_answer(value, Columns(kind=kind), (40, 30))


def test_a_unit_may_have_several_spellings_of_which_the_first_is_written(tmp_path):
    units = ("kWh", "KWH", "kwh")
    rows = [{"question": "?", "answer": f"{n} {unit}"} for n, unit in enumerate(units)]
    file = write(tmp_path, rows)
    columns = Columns(image=None, kind="number", unit=units)
    table = open_table(file, columns, "all")
    assert [sample.target.write() for sample in table] == ["0 kWh", "1 kWh", "2 kWh"]
    assert table.describe() == json.loads(json.dumps(table.describe()))
    with pytest.raises(ValueError, match=r"set columns.unit=\[kWh, KWH\]"):
        open_table(file, replace(columns, unit="kWh"), "all")


def test_the_split_of_a_row_follows_from_the_file_alone(tmp_path, monkeypatch):
    """A relative and an absolute spelling of the file's path fell into different splits."""
    folder = tmp_path / "photos"
    folder.mkdir()
    photos(folder, 40)
    rows = clocks(40)
    write(folder, rows, "metadata.csv")
    monkeypatch.chdir(tmp_path)

    def lines_by_split(path):
        return [[row.line for row in open_table(path, TIMES, split).rows] for split in SPLITS]

    lines = lines_by_split("photos")
    for path in ("./photos/metadata.csv", str(folder), f"../{tmp_path.name}/photos"):
        assert lines_by_split(path) == lines
    write(folder, [row | {"image": f"./{row['image']}"} for row in rows], "metadata.csv")
    assert lines_by_split("photos") == lines


def test_pictures_that_break_off_are_listed_with_all_other_bad_rows(tmp_path):
    noise = Image.effect_noise((80, 60), 90).convert("RGB")
    rows = [row | {"image": f"{i}.{'jpg' if i % 2 else 'png'}"} for i, row in enumerate(clocks(24))]
    for row in rows:
        noise.save(file := tmp_path / row["image"])
        if row["image"] not in ("0.png", "1.jpg"):
            file.write_bytes(file.read_bytes()[:-500])
    rows[0]["answer"] = "noonish"
    way_out = "on_bad=skip after a table on the command line, or on_bad: skip in a recipe"
    with pytest.raises(ValueError, match=f"23 rows cannot be used; {way_out}") as error:
        open_table(write(tmp_path, rows), TIMES, "train")
    _, first, *others, rest = str(error.value).split("\n")
    assert first.startswith("line 2: 'noonish' is not a time")
    assert rest == "and 13 more"
    assert [re.match(r"line (\d+): .*is not a picture", x)[1] for x in others] == [
        str(line) for line in range(4, 13)
    ]


def test_bad_rows_are_left_out_where_the_source_says_so(tmp_path, capsys):
    photos(tmp_path, 40)
    rows = clocks(40)
    rows[3]["answer"] = "noonish"
    rows[7]["image"] = "gone.png"
    (tmp_path / "5.png").write_bytes((tmp_path / "5.png").read_bytes()[:60])
    source = Source(path=str(write(tmp_path, rows)), columns=TIMES, on_bad="skip")
    parts = [mixture((source,), split=split, seed=0) for split in SPLITS]
    lines = sorted(row.line for part in parts for row in part.rows)
    assert lines == [line for line in range(2, 42) if line not in (5, 7, 9)]
    error = capsys.readouterr().err
    assert error.startswith(
        "gnomon: labels.csv: 3 rows left out: line 5: 'noonish' is not a time such as 10:08 or"
        " 10:08:30; line 7: 5.png is not a picture: "
    )
    assert error.endswith("; line 9: no picture at 'gone.png'\n")
    assert error.count("\n") == 1  # once, not for each split
    write(tmp_path, rows[3:4])
    with pytest.raises(ValueError, match="1 row cannot be used; and no other row is left"):
        mixture((source,), split="train", seed=0)
    with pytest.raises(ValueError, match="columns and on_bad belong to a file of your own"):
        Source(kind="clock", on_bad="skip")


def test_a_picture_is_decoded_once_however_often_its_row_is_asked_for(tmp_path, monkeypatch):
    decoded = []
    monkeypatch.setattr(
        checked_pictures, "check_decodable", lambda image: decoded.append(image.name)
    )
    photos(tmp_path, 30)
    file = write(tmp_path, clocks(30) * 2)
    for split in SPLITS:
        open_table(file, TIMES, split)
    assert sorted(decoded) == sorted(f"{i}.png" for i in range(30))
    Image.new("RGB", (9, 9)).save(tmp_path / "3.png")
    open_table(file, TIMES, "train")
    assert decoded[30:] == ["3.png"]


def test_every_row_is_trained_on_by_default_and_more_than_there_are_is_refused(tmp_path):
    def numbers(n, name):
        rows = [{"question": f"{i} + 1?", "answer": i + 1, "split": "train"} for i in range(n)]
        columns = Columns(image=None, kind="number", split="split")
        return Source(path=str(write(tmp_path, rows, name)), columns=columns)

    def size(*sources, wanted=None):
        return train_size(mixture(sources, split="train", seed=0), wanted)

    clock, few = Source(kind="clock", weight=3), numbers(40, "few.jsonl")
    many = replace(numbers(90, "many.jsonl"), weight=2)
    assert size(few) == size(few, wanted=40) == 40
    with pytest.raises(ValueError, match=r"train\.samples: 41: there are only 40 to train on"):
        size(few, wanted=41)
    assert size(clock) == 10_000
    assert size(few, clock) == 10_000  # a weight says how often the few come again
    assert size(few, clock, wanted=50_000) == 50_000
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
    sample = open_table(write(tmp_path, [row]), columns, "train")[0]
    assert sample.image.size == (30, 40)
    assert sample.target == Box(24, 0, 30, 40)
    assert sample.image.getpixel((27, 20)) < (9, 9, 9) < sample.image.getpixel((12, 20))


def test_a_column_that_is_not_there_names_those_that_are(tmp_path):
    photos(tmp_path, 1)
    with pytest.raises(ValueError, match="no column") as error:
        open_table(write(tmp_path, clocks(1)), Columns(answer="anser", group="house"), "train")
    assert str(error.value) == (
        "labels.csv: no column 'anser' or 'house'; its columns are image, question, answer:"
        " set columns.answer, columns.group; did you mean answer?"
    )


def test_rows_are_described_by_the_keys_that_are_set(tmp_path):
    file = tmp_path / "l.csv"
    file.write_text("question,answer\nHow many?,3\nWhich?,05098\n")
    columns = Columns(kind="number", image=None, within=0.5)
    described = open_table(file, columns, "all").describe()
    assert described["columns"] == {"kind": "number", "image": None, "within": 0.5}
    for key, value in {"decimal": "comma", "cycle": 6000, "digits": 5, "unreadable": True}.items():
        other = open_table(file, replace(columns, **{key: value}), "all").describe()
        assert other["columns"] == {**described["columns"], key: value}
    turning = open_table(file, replace(columns, cycle=6000), "all").describe()
    assert turning["content"] != described["content"]


def test_a_dataset_of_the_hub_is_dealt_out_anew_and_each_time_alike(hub):
    images = [Image.new("RGB", (8, 8), (i, 0, 0)) for i in range(40)]
    rows = {"question": ["How red?"] * 40, "answer": list(range(40))}
    hub(image=images, who=[f"{i}" for i in range(40)], **rows)
    source = Source(hub="me/red", columns=Columns(kind="number", group="who"))
    parts = [mixture((source,), split=split, seed=0) for split in SPLITS]
    assert sum(part.length for part in parts) == 40
    assert parts[0][0].image.getpixel((0, 0))[0] == parts[0][0].target.value
    hub(image=images[:20] * 2, **rows)
    source = Source(hub="me/red", columns=Columns(kind="number"))
    lines = [[row.line for row in mixture((source,), split="train", seed=0).rows] for _ in "12"]
    assert lines[0] == lines[1]  # they were told apart by their places in memory
    assert {line + 20 for line in lines[0] if line <= 20} == {n for n in lines[0] if n > 20}


def test_a_dataset_of_the_hub_opens_no_picture_that_a_file_could_not_hold(hub):
    """The library decodes whatever Pillow takes, with Ghostscript if need be."""
    eps = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n"
    hub(lambda d: {"image": d.Image(), "question": d.Value("string")},
        image=[{"bytes": eps, "path": None}], question=["?"])  # fmt: skip
    with pytest.raises(ValueError, match="line 1: data of 61 bytes is not a picture: give PNG"):
        mixture((Source(hub="me/eps", columns=Columns(answer="question")),), split="train", seed=0)


def test_a_dataset_of_the_hub_of_too_many_rows_is_refused_before_any_is_read(hub, monkeypatch):
    hub(splits=("train", "test"), question=["?"] * 5, answer=["!"] * 5)
    monkeypatch.setattr("gnomon.store.user_data.opening.MAX_ROWS", 9)
    source = Source(hub="me/many", columns=Columns(image=None))
    with pytest.raises(ValueError, match="me/many: it has 10 rows, and gnomon reads at most 9"):
        mixture((source,), split="train", seed=0)


def test_an_outline_is_that_of_the_sample_without_opening_a_picture_twice(tmp_path, monkeypatch):
    photos(tmp_path, 2)
    rows = open_table(write(tmp_path, clocks(2) * 4), TIMES, "all")
    samples = [Outline.of(sample) for sample in rows]
    loaded = []
    monkeypatch.setattr(
        checked_pictures, "load_picture", lambda image: loaded.append(image) or load_picture(image)
    )
    assert [rows.outline(index) for index in range(len(samples))] == samples
    assert len(loaded) <= 2
    Image.new("L", (8, 6), 200).save(tmp_path / "0.png")
    assert rows.outline(0) == Outline.of(rows[0]) != samples[0]
    (tmp_path / "0.png").unlink()
    with pytest.raises(ValueError, match=r"labels\.csv: line 2: 0\.png is not a picture"):
        rows.outline(0)


def test_the_splits_of_a_table_are_read_from_it_once(tmp_path, monkeypatch):
    photos(tmp_path, 30)
    file, reads = write(tmp_path, clocks(30) * 2), []
    build = opening.build_table
    monkeypatch.setattr(opening, "build_table", lambda *a: reads.append(a) or build(*a))
    source = Source(path=str(file), columns=TIMES)
    splits = open_splits(source)
    assert len(reads) == 1
    assert list(splits) == [split for split in SPLITS if split in splits]
    for split, samples in splits.items():
        alone = mixture((source,), split=split, seed=0)
        assert list(samples.rows) == list(alone.rows)
        assert samples.describe() == alone.describe()


def test_a_large_table_is_read_again_only_once_it_or_a_picture_has_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "_LARGE", 8)
    monkeypatch.setattr(building, "_TABLES", {})
    photos(tmp_path, 2)
    file = write(tmp_path, clocks(2) * 4)
    first = open_table(file, TIMES, "all")
    assert open_table(file, TIMES, "all") is first
    assert open_table(file, Columns(kind="text"), "all") is not first
    Image.new("L", (9, 6)).save(tmp_path / "1.png")
    assert open_table(file, TIMES, "all") is not first
    (tmp_path / "1.png").write_bytes(b"none")
    with pytest.raises(ValueError, match="4 rows cannot be used"):
        open_table(file, TIMES, "all")
    (tmp_path / "1.png").unlink()
    with pytest.raises(ValueError, match=r"no picture at '1\.png'"):
        open_table(file, TIMES, "all")
    Image.new("L", (9, 6)).save(tmp_path / "1.png")
    write(tmp_path, clocks(2) * 4 + clocks(1))
    assert open_table(file, TIMES, "all").length == first.length + 1


@case_tables.table(__file__, "box_cells")
def test_a_cell_holds_several_boxes_or_none_or_is_refused(tmp_path, row):
    photos(tmp_path, 1)
    file = write(tmp_path, [{"image": "0.png", "boxes": row["cell"]}], "labels.jsonl")
    kind, form = row.get("kind", "boxes"), row.get("form", "xyxy")
    columns = Columns(answer="boxes", kind=kind, box_format=form, ask="Find all bolts.")
    if "message" in row:
        with pytest.raises(ValueError, match=re.escape(row["message"])):
            open_table(file, columns, "all")
        return
    (sample,) = open_table(file, columns, "all")
    assert [[item.label, *item.box.corners] for item in sample.target.items] == row["boxes"]
