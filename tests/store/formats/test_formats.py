"""What every format promises, and what other people's readers see in it."""

import io
import json
import pickle
import random
import tarfile
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from store_toys import Listed, toys, tree

from gnomon import store
from gnomon.recipe import Source
from gnomon.sample import Box, Number, Sample
from gnomon.store import write
from gnomon.store.formats import FORMATS, create
from gnomon.store.records import from_record, to_record

FORMS = sorted(FORMATS)


@pytest.mark.parametrize("form", FORMS)
def test_what_was_drawn_is_read_back_in_any_order(tmp_path, form):
    write(toys(), tmp_path / "set", n=60, shards=3, format=form)
    rows, drawn = store.open(tmp_path / "set"), toys()
    places = list(range(60))
    random.Random(0).shuffle(places)
    assert len(rows) == 60
    assert all(rows[i] == drawn[i] for i in places)
    assert [rows.id(i) for i in range(60)] == [drawn[i].id for i in range(60)]
    assert pickle.loads(pickle.dumps(rows))[41] == drawn[41]
    assert [rows.target(i) for i in range(3)] == [drawn[i].target for i in range(3)]
    path = Source(path=str(tmp_path / "set"))
    assert store.mixture((path,), split="train", seed=0)[7] == drawn[7]


WORDS = st.text(st.characters(codec="utf-8"), max_size=30)
"""Line breaks of every alphabet, quotes, zeros: a line of JSON and a member of a tar take all."""
ROWS = st.lists(
    st.builds(
        lambda facts, name, side: Sample(
            name, Image.new("RGB", (side, 1)), name, Number(Decimal(side)), facts, name
        ),
        st.dictionaries(WORDS, WORDS, max_size=2), WORDS, st.integers(1, 9),
    ),
    min_size=1, max_size=4,
)  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@given(samples=ROWS)
@settings(max_examples=30, deadline=None)
def test_whatever_is_written_comes_back_equal(form, samples):
    made = create(form)
    with TemporaryDirectory() as folder:
        shard = Path(folder) / "shard"
        made.write(shard, map(to_record, samples), split="train", first=3)
        assert [from_record(made.record(shard, i)) for i in range(len(samples))] == samples
        with pytest.raises(IndexError):
            made.record(shard, len(samples))


def test_all_formats_hold_the_same(tmp_path):
    for form in FORMS:
        write(toys(), tmp_path / form / "set", n=30, format=form)
    described = [store.open(tmp_path / form / "set").describe() for form in FORMS]
    assert described[1:] == described[:-1]


@pytest.mark.parametrize("form", FORMS)
def test_sound_data_is_sound_and_a_flipped_bit_is_found_and_mended(tmp_path, form):
    write(toys(), tmp_path, n=40, shards=4, format=form)
    assert store.verify(tmp_path) == []
    before = tree(tmp_path)
    name = min(file for file in before if "00002-of" in file)
    damaged = bytearray((tmp_path / name).read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / name).write_bytes(damaged)
    (problem,) = store.verify(tmp_path)
    assert "00002-of-00004" in problem
    assert "its bytes have changed" in problem
    write(toys(), tmp_path, n=40, shards=4)  # in the format that lies there
    assert tree(tmp_path) == before


def test_a_picture_too_many_or_too_few_in_a_folder_is_found(tmp_path):
    write(toys(), tmp_path, n=20, shards=2, format="imagefolder")
    folder = tmp_path / "train/00001-of-00002"
    (folder / "mine.png").write_bytes(b"")
    assert len(store.verify(tmp_path)) == 1
    (folder / "mine.png").unlink()
    assert store.verify(tmp_path) == []
    (folder / "train-000000012.png").unlink()
    assert len(store.verify(tmp_path)) == 1
    with pytest.raises(ValueError, match=r"row 2: .*train-000000012\.png"):
        store.open(tmp_path)[12]


@pytest.mark.parametrize("form", FORMS)
def test_a_directory_holds_one_format(tmp_path, form):
    write(toys(), tmp_path, n=20, format=form)
    other = next(name for name in FORMS if name != form)
    before = tree(tmp_path)
    with pytest.raises(ValueError, match=f"holds {form}, not {other}"):
        write(toys(split="test"), tmp_path, n=20, split="test", format=other)
    assert tree(tmp_path) == before
    write(toys(split="test"), tmp_path, n=20, split="test")
    assert json.loads((tmp_path / "manifest.json").read_text())["shards"] == form
    with pytest.raises(ValueError, match="unknown format 'webdatset': did you mean webdataset"):
        write(toys(), tmp_path / "out", n=20, format="webdatset")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("form", "file"),
    [
        ("imagefolder", "train/00000-of-00002/metadata.jsonl"),
        ("webdataset", "data/train-00000-of-00002.tar"),
        ("parquet", "data/train-00000-of-00002.parquet"),
    ],
)
@pytest.mark.parametrize("text", ["not at all", '{"id": "a", "file_name": "b.png"}\n'])
def test_a_shard_that_is_none_is_named(tmp_path, form, file, text):
    write(toys(), tmp_path, n=20, shards=2, format=form)
    (tmp_path / file).write_text(text)
    with pytest.raises(ValueError, match=r"00000-of-00002.*: row 0: "):
        store.open(tmp_path)[0]


def test_a_picture_outside_its_folder_is_not_read(tmp_path):
    write(toys(), tmp_path, n=20, shards=2, format="imagefolder")
    file = tmp_path / "train/00000-of-00002/metadata.jsonl"
    file.write_text(file.read_text().replace("train-000000001.png", "../../sheet.png"))
    with pytest.raises(ValueError, match=r"row 1: '../../sheet.png' lies outside the folder"):
        store.open(tmp_path)[1]


@pytest.mark.parametrize("form", ["parquet", "webdataset"])
def test_text_alone_is_stored_without_pictures(tmp_path, load_dataset, form):
    write(toys(pictures=False), tmp_path / "set", n=20, format=form)
    samples = [toys(pictures=False)[i] for i in range(20)]
    assert list(store.open(tmp_path / "set")) == samples
    rows = load_dataset(tmp_path / "set", split="train")
    if form == "parquet":
        assert rows["image"][:] == [None] * 20
        assert rows[0]["answer"] is not None
    else:
        rows = [row["json"] for row in rows]
    assert {row["id"] for row in rows} == {sample.id for sample in samples}


@pytest.mark.parametrize("form", ["imagefolder", "webdataset"])
def test_where_some_have_no_picture_the_first_is_named_and_nothing_is_in_the_way(tmp_path, form):
    mixed = Listed(tuple(toys(pictures=index != 3)[index] for index in range(9)))
    with pytest.raises(ValueError, match=r"sample 'toy-.*-0000003' has no .* --format parquet"):
        write(mixed, tmp_path, n=9, format=form)
    write(mixed, tmp_path, n=9, format="parquet")
    assert list(store.open(tmp_path)) == list(mixed)


def test_a_tar_file_s_headers_say_nothing_of_when_and_by_whom(tmp_path):
    write(toys(), tmp_path, n=20, shards=2, format="webdataset")
    with tarfile.open(tmp_path / "data/train-00001-of-00002.tar") as tar:
        members = tar.getmembers()
        first = json.load(tar.extractfile(members[1]))
        picture = Image.open(io.BytesIO(tar.extractfile(members[0]).read()))
    assert [m.name for m in members[:3]] == [
        "train-000000010.png", "train-000000010.json", "train-000000011.png"
    ]  # fmt: skip
    assert {(m.mtime, m.uid, m.gid, m.uname, m.gname, m.mode) for m in members} == {
        (0, 0, 0, "", "", 0o644)
    }
    assert first["id"] == toys()[10].id
    assert np.array_equal(np.asarray(picture), np.asarray(toys()[10].image))


@pytest.mark.parametrize(
    ("form", "by_name"),
    [("parquet", False), ("imagefolder", False), ("imagefolder", True), ("webdataset", False),
     ("webdataset", True)],
)  # fmt: skip
def test_load_dataset_opens_all_splits_with_every_column(tmp_path, load_dataset, form, by_name):
    """By the card, or as the library finds files of this kind."""
    root = tmp_path / "set"
    write(toys(), root, n=30, shards=3, format=form)
    write(toys(split="test"), root, n=12, split="test")
    splits = load_dataset(form, data_dir=str(root)) if by_name else load_dataset(root)
    assert {name: len(rows) for name, rows in splits.items()} == {"train": 30, "test": 12}
    for split, rows in splits.items():
        samples = {sample.id: sample for sample in toys(split=split)[: len(rows)]}
        if form == "webdataset":
            rows = [{"image": row["png"], **row["json"]} for row in rows]
        assert {row["id"] for row in rows} == set(samples)
        for row in rows:
            sample = samples[row["id"]]
            assert row["question"] == sample.question
            assert json.loads(row["facts"])["index"] == sample.facts["index"]
            assert {"answer", "target", "rationale"} <= row.keys()
            assert np.array_equal(np.asarray(row["image"]), np.asarray(sample.image))


@pytest.mark.parametrize("form", ["imagefolder", "webdataset"])
def test_load_dataset_takes_answers_that_are_nulls_at_first(tmp_path, load_dataset, form):
    """A sliver of a box has no answer in words; readers guess a column's type by its first rows."""
    sliver = Sample("", Image.new("L", (2000, 20)), "?", Box(1, 1, 1.01, 1.01))
    plain = Sample("", Image.new("L", (20, 20)), "?", Number(Decimal(3)))
    rows = [(sliver if i < 10 else plain) for i in range(20)]
    samples = Listed(tuple(Sample(f"s-{i}", r.image, "?", r.target) for i, r in enumerate(rows)))
    write(samples, tmp_path / "set", n=20, shards=1, format=form)
    assert len(load_dataset(tmp_path / "set", split="train")) == 20
    assert list(store.open(tmp_path / "set")) == list(samples)
