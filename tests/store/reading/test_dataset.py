import json
import multiprocessing
import os
import pickle

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from store_toys import toys

from gnomon import store


@pytest.fixture
def root(tmp_path):
    store.write(toys(), tmp_path / "set", n=90, shards=3)
    return tmp_path / "set"


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


def test_nothing_stays_open_between_reads_and_few_groups_are_held(root):
    rows = store.open(root)
    before = len(os.listdir("/proc/self/fd"))
    assert all(sample.image is not None for sample in rows)
    assert len(os.listdir("/proc/self/fd")) == before
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


def test_what_is_missing_says_what_is_there_and_what_makes_it(root, tmp_path):
    missing = tmp_path / "nowhere"
    with pytest.raises(ValueError, match=rf"not a directory: `gnomon generate .* --out {missing}`"):
        store.open(missing)
    with pytest.raises(ValueError, match=r"no split 'val', only train: `gnomon .*--split val"):
        store.open(root, "val")
    with pytest.raises(ValueError, match=r"holds no dataset: `gnomon generate"):
        store.open(tmp_path)
    (root / "data/train-00001-of-00003.parquet").unlink()
    with pytest.raises(ValueError, match=r"train-00001-of-00003\.parquet is missing: repeat"):
        store.open(root)


def change_manifest(root, change):
    file = root / "manifest.json"
    manifest = json.loads(file.read_text())
    change(manifest["splits"]["train"])
    file.write_text(json.dumps(manifest))


def missing_and_extra(root):
    (root / "data/train-00000-of-00003.parquet").rename(root / "data/val-00000-of-00001.parquet")


def unfinished(root):
    change_manifest(root, lambda split: split["shards"].__setitem__(2, None))


def unfinished_in_the_middle(root):
    (root / "data/train-00001-of-00003.parquet").unlink()
    change_manifest(root, lambda split: split["shards"].__setitem__(1, None))


@pytest.mark.parametrize(
    ("change", "problems"),
    [
        (missing_and_extra, ["data/train-00000-of-00003.parquet: it is missing",
                             "data/val-00000-of-00001.parquet: the manifest does not name it"]),
        (unfinished, ["train: 2 of 3 shards are written",
                      "data/train-00002-of-00003.parquet: the manifest does not name it"]),
        (unfinished_in_the_middle, ["train: 2 of 3 shards are written"]),
    ],
)  # fmt: skip
def test_what_is_not_as_it_was_written_is_named(root, change, problems):
    change(root)
    assert store.verify(root) == problems


@pytest.mark.parametrize("broken", ["", "[]", '{"format": 1, "splits": []}'])
def test_a_broken_manifest_is_told_with_the_way_out(root, broken):
    (root / "manifest.json").write_text(broken)
    message = (
        "manifest.json is not .*; delete the directory and repeat the `gnomon generate` command"
    )
    for use in (store.verify, store.open, lambda folder: store.write(toys(), folder, n=60)):
        with pytest.raises(ValueError, match=message):
            use(root)
