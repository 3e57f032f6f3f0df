"""Samples with several pictures: a user's rows, datasets on disk, and what compares samples."""

from dataclasses import replace
from functools import cache

import datasets
import pytest
from picture_tables import write_rows
from PIL import Image
from store_toys import Listed

from gnomon import generators, store
from gnomon.eval.scoring.question_file import Question
from gnomon.generators.base import split_of
from gnomon.recipe import Columns
from gnomon.sample import Box
from gnomon.store.samples import GeneratedSamples, Outline
from gnomon.store.user_data.opening import open_hub, open_table
from gnomon.store.writing.census import trace_hashes


@cache
def pairs():
    return generators.create("clock", questions=["between"], size=64)


def one():
    return replace(pairs()[0], more_images=())


def colour(image):
    return image.convert("RGB").getpixel((0, 0))[0]


@pytest.fixture
def photos(tmp_path):
    for index in range(8):
        Image.new("RGB", (40 + index, 30), (index, 0, 99)).save(tmp_path / f"{index}.png")
    return tmp_path


def written(folder, rows):
    return write_rows(folder / "rows.jsonl", rows)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv"])
def test_a_row_may_have_several_columns_of_pictures(photos, name):
    """An empty cell has none; boxes are in the first one's pixels."""
    rows = [
        {"image": "3.png", "after": "1.png", "last": "", "question": "?", "answer": "0 0 500 500"},
        {"image": "2.png", "after": "5.png", "last": "4.png", "question": "?", "answer": "0 0 9 9"},
    ]
    file = write_rows(photos / name, rows)
    columns = Columns(more_images=("after", "last"), kind="box", box_format="xyxy_1000")
    found = open_table(file, columns, "all")
    assert [[colour(i) for i in sample.images] for sample in found] == [[3, 1], [2, 5, 4]]
    assert found[0].target == Box(0, 0, 21.5, 15)
    assert found.has_several_pictures
    with pytest.raises(ValueError, match=r"no column 'aftr'.*set columns\.more_images"):
        open_table(file, Columns(more_images=("aftr",)), "all")


def test_a_column_may_hold_a_list_of_pictures(photos, hub):
    rows = [{"image": ["3.png", "1.png"], "question": "?", "answer": "1"}]
    found = open_table(written(photos, rows), Columns(), "all")
    assert [colour(i) for i in found[0].images] == [3, 1]
    pictures = [
        {"bytes": (photos / name).read_bytes(), "path": name} for name in ("3.png", "1.png")
    ]
    hub(lambda d: {"image": d.List(d.Image()), "question": d.Value("string"),
                   "answer": d.Value("string")},
        image=[pictures], question=["?"], answer=["1"])  # fmt: skip
    assert open_hub("some/rows", Columns(), "all")[0].images == found[0].images
    with pytest.raises(ValueError, match="line 1: column 'image' is empty"):
        open_table(written(photos, [{**rows[0], "image": []}]), Columns(), "all")
    with pytest.raises(ValueError, match=r"line 1: no picture at '9\.png'"):
        open_table(written(photos, [{**rows[0], "image": ["1.png", "9.png"]}]), Columns(), "all")


def test_rows_that_share_any_picture_stand_in_one_split(photos):
    """By others, too: 0 and 4 share none, and are linked by 2."""
    chain = [("0.png", "1.png"), ("6.png", "7.png"), ("2.png", "1.png"), ("3.png", "2.png")]
    rows = [
        {"image": a, "b": b, "question": "?", "answer": str(i)} for i, (a, b) in enumerate(chain)
    ]
    found = open_table(written(photos, rows), Columns(more_images=("b",)), "all")
    groups = [sample.facts["group"] for sample in found]
    assert groups == ["0.png", "6.png", "0.png", "0.png"]
    assert [row.split for row in found.rows] == [split_of("own", group) for group in groups]
    told = open_table(written(photos, rows), Columns(more_images=("b",), group="answer"), "all")
    assert [sample.facts["group"] for sample in told] == ["0", "1", "2", "3"]


def test_they_are_stored_in_parquet_and_read_back(tmp_path):
    samples, out = GeneratedSamples(pairs()), tmp_path / "set"
    store.write(samples, out, n=3)
    read = store.open(out)
    assert read.has_several_pictures
    for index, sample in enumerate(read):
        assert sample.images == samples[index].images
        assert len(sample.images) == 2
    assert list(store.verify(out)) == []
    hub = datasets.load_dataset(str(out), split="train")
    assert [p.size for p in hub[0]["more_images"]] == [(64, 64)]
    assert store.open(out)[1].facts["question"] == "between"


@pytest.mark.parametrize("form", ["imagefolder", "webdataset"])
def test_formats_of_one_picture_a_sample_refuse_them_before_anything_is_written(tmp_path, form):
    with pytest.raises(ValueError, match=f"format='{form}' holds one picture per sample.*parquet"):
        store.write(GeneratedSamples(pairs()), tmp_path / "set", n=3, format=form)
    assert not (tmp_path / "set").exists()


def test_files_of_one_picture_a_sample_have_no_column_for_more(tmp_path):
    store.write(Listed([one()]), tmp_path, n=1)
    assert not store.open(tmp_path).has_several_pictures


def test_samples_are_the_same_by_all_their_pictures():
    pair = pairs()[0]
    swapped = replace(pair, image=pair.more_images[0], more_images=(pair.image,))
    prints = [trace_hashes(Outline.of(s)) for s in (pair, swapped, one())]
    assert len({p["picture"] for p in prints}) == len({p["question"] for p in prints}) == 3
    assert len({Question.of(s).picture for s in (pair, swapped, one())}) == 3


def test_people_are_shown_them_side_by_side_unless_a_place_in_the_first_is_asked_for():
    pair = pairs()[0]
    shown = pair.display
    assert shown.size == (64 + 8 + 64, 64)
    assert shown.crop((72, 0, 136, 64)).tobytes() == pair.more_images[0].tobytes()
    assert replace(pair, more_images=()).display is pair.image
    assert replace(pair, target=Box(0, 0, 9, 9)).display is pair.image
