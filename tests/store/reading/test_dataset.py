import multiprocessing
import os
import pickle
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from store_toys import toys

from gnomon import store


@pytest.fixture
def root(tmp_path):
    store.write(toys(), tmp_path / "set", n=90, shards=3)
    return tmp_path / "set"


def test_every_row_is_the_sample_that_was_drawn_in_any_order(root):
    rows, drawn = store.open(root), toys()
    places = list(range(90))
    random.Random(0).shuffle(places)
    assert len(rows) == rows.length == 90
    assert all(rows[i] == drawn[i] for i in places)
    assert [sample.id for sample in rows] == [drawn[i].id for i in range(90)]


def test_text_alone_has_no_picture(tmp_path):
    store.write(toys(pictures=False), tmp_path, n=20)
    samples = list(store.open(tmp_path))
    assert samples == [toys(pictures=False)[i] for i in range(20)]
    assert all(sample.image is None for sample in samples)


def test_a_row_outside_is_an_index_error(root):
    for index in (-1, 90):
        with pytest.raises(IndexError, match=rf"index {index}: .* has samples from 0 to 89"):
            store.open(root)[index]


def test_a_slice_is_a_list_and_the_whole_is_told_in_a_line(root):
    rows, drawn = store.open(root), toys()
    assert rows[28:34:3] == drawn[28:34:3] == [drawn[28], drawn[31]]
    assert rows[88:999] == rows[-2:] == [rows[88], rows[89]]
    assert repr(rows) == f"<Dataset {root}, train: 90 samples, parquet>"
    with pytest.raises(IndexError, match="no end; give both ends"):
        drawn[2:]


def test_a_copy_reads_the_same_wherever_its_process_stands(root, monkeypatch):
    monkeypatch.chdir(root.parent)
    rows = store.open("set")
    monkeypatch.chdir("/")
    assert pickle.loads(pickle.dumps(rows))[33] == rows[33] == toys()[33]


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_forked_processes_read_beside_each_other(root):
    rows = store.open(root)
    assert rows[0] == toys()[0]  # the parent has read before, as a training run has
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    workers = [context.Process(target=count_right, args=(rows, k, results)) for k in range(3)]
    for worker in workers:
        worker.start()
    assert sum(results.get() for _ in workers) == 90
    for worker in workers:
        worker.join()


def count_right(rows, first, results):
    results.put(sum(rows[i] == toys()[i] for i in range(first, 90, 3)))


def test_nothing_stays_open_between_reads(root):
    rows = store.open(root)
    before = len(os.listdir("/proc/self/fd"))
    assert rows[5] != rows[65]
    assert len(os.listdir("/proc/self/fd")) == before


def test_few_groups_are_held_however_much_is_read(root):
    rows = store.open(root)
    for sample in rows:
        assert sample.image is not None
    assert rows.format.group.cache_info().currsize <= 8


def test_the_description_follows_what_is_held_not_where(root, tmp_path):
    described = store.open(root).describe()
    moved = tmp_path / "elsewhere" / "set"
    moved.parent.mkdir()
    root.rename(moved)
    assert store.open(moved).describe() == described
    store.write(toys(seed=1), root, n=90)
    assert store.open(root).describe() != described


def test_a_row_that_is_no_sample_is_named(root):
    shard = root / "data/train-00001-of-00003.parquet"
    rows = pq.read_table(shard).drop_columns(["target"])
    pq.write_table(rows.append_column("target", pa.array(["{}"] * 30)), shard)
    with pytest.raises(ValueError, match=r"train-00001-of-00003\.parquet: row 1: target type None"):
        store.open(root)[31]


def test_a_missing_directory_or_split_says_what_is_there_and_what_makes_it(root, tmp_path):
    missing = tmp_path / "nowhere"
    with pytest.raises(ValueError, match=rf"no directory: `gnomon generate .* --out {missing}`"):
        store.open(missing)
    with pytest.raises(ValueError, match=r"no split 'val', only train: `gnomon .*--split val"):
        store.open(root, "val")
    with pytest.raises(ValueError, match=r"holds no dataset: `gnomon generate"):
        store.open(tmp_path)


def test_a_missing_shard_is_said_when_the_directory_is_opened(root):
    (root / "data/train-00001-of-00003.parquet").unlink()
    missing = r"train-00001-of-00003\.parquet is missing: .* restores it"
    with pytest.raises(ValueError, match=missing):
        store.open(root)


def test_a_file_that_is_no_parquet_is_named(root):
    (root / "data/train-00000-of-00003.parquet").write_text("not at all")
    with pytest.raises(ValueError, match=r"train-00000-of-00003\.parquet: row 7: "):
        store.open(root)[7]
