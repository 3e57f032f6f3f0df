import errno
import json
import os
from pathlib import Path

import pytest
from PIL import Image
from store_toys import Listed, toys, tree

from gnomon import store
from gnomon.sample import Sample, Time
from gnomon.store import write
from gnomon.store.formats import manifest as manifests
from gnomon.store.writing.write import shards_for


def leftovers(root):
    return [file for file in tree(root) if file.endswith(".tmp")]


@pytest.fixture
def written(tmp_path):
    write(toys(), tmp_path / "data", n=40, shards=4)
    return tmp_path / "data"


def test_the_manifest_says_what_was_written_and_nothing_of_when(written):
    manifest = json.loads((written / "manifest.json").read_text())
    split = manifest["splits"]["train"]
    assert split["samples"] == toys().describe()
    assert split["n"] == 40
    known = {"cv2", "gnomon", "numpy", "pillow", "pyarrow", "python", "zlib-ng"}
    assert set(split["versions"]) == known
    files = tree(written)
    assert [shard["rows"] for shard in split["shards"]] == [10] * 4
    for number, shard in enumerate(split["shards"]):
        assert shard["file"] == f"data/train-{number:05}-of-00004.parquet"
        assert shard["sha256"] == files[shard["file"]]
        assert set(shard) == {"file", "rows", "sha256", "pixels", "labels", "counts"}


def test_shards_are_neither_silly_nor_too_large_and_may_be_uneven(tmp_path):
    assert [shards_for(n) for n in (1, 9, 25, 199, 200, 5000, 40_000)] == [1, 1, 2, 19, 20, 20, 20]
    assert shards_for(1_000_000) == 500
    write(toys(), tmp_path, n=11, shards=3)
    assert [sample.facts["index"] for sample in store.open(tmp_path)] == list(range(11))


def test_a_second_split_leaves_the_first_as_it_is(written):
    before = tree(written)
    manifest = write(toys(split="test"), written, n=12, split="test")
    after = tree(written)
    assert list(manifest["splits"]) == ["train", "test"] == list(manifests.read(written)["splits"])
    assert {f: after[f] for f in before if "train" in f} == {
        f: before[f] for f in before if "train" in f
    }
    assert len(store.open(written, "test")) == 12


def test_the_same_call_again_writes_nothing_but_a_shard_that_is_gone(written):
    before = tree(written)
    times = {file: file.stat().st_mtime_ns for file in written.rglob("*")}
    write(toys(), written, n=40, shards=4)
    assert {file: file.stat().st_mtime_ns for file in written.rglob("*")} == times
    (written / "data/train-00002-of-00004.parquet").unlink()
    write(toys(), written, n=40, shards=4)
    assert tree(written) == before


def test_what_somebody_put_into_a_shards_folder_is_not_removed(tmp_path):
    options = {"n": 20, "shards": 2, "format": "imagefolder"}
    write(toys(), tmp_path, **options)
    before = tree(tmp_path)
    shard = tmp_path / "train" / "00001-of-00002"
    (shard / "train-000000012.png").write_bytes(b"damaged")
    (shard / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"00001-of-00002 must be written again but holds notes"):
        write(toys(), tmp_path, **options)
    assert (shard / "notes.txt").read_text() == "mine"
    (shard / "notes.txt").rename(shard / ".DS_Store")  # hidden files are nobody's
    write(toys(), tmp_path, **options)
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    ("samples", "options", "difference"),
    [
        (toys(size=24), {}, r"samples\.options\.size is 16 there, 24 here"),
        (toys(seed=1), {}, r"samples\.seed is 0 there, 1 here"),
        (toys(), {"n": 41}, "n is 40 there, 41 here"),
        (toys(), {"shards": 5}, "shards is 4 there, 5 here"),
    ],
)
def test_other_data_is_refused_and_what_is_there_stays(written, samples, options, difference):
    before = tree(written)
    with pytest.raises(ValueError, match=difference + r".* \(out\), or delete this one"):
        write(samples, written, **{"n": 40, "shards": 4, **options})
    assert tree(written) == before


def test_half_a_dataset_by_other_versions_is_refused_but_a_whole_one_is_kept(written, monkeypatch):
    monkeypatch.setattr(manifests, "versions", lambda: {"cv2": "99"})
    before = tree(written)
    write(toys(), written, n=40, shards=4)
    assert tree(written) == before
    (written / "data/train-00002-of-00004.parquet").unlink()
    with pytest.raises(ValueError, match=r'versions\.cv2 is ".*" there, "99" here'):
        write(toys(), written, n=40, shards=4)


PHOTOGRAPHS = [f"IMG_{number}.jpg" for number in range(5)]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["README.md"], "holds README.md, which no manifest.json"),
        (["data/train-00000-of-00001.parquet"], "holds data, which no manifest.json"),
        (PHOTOGRAPHS, "holds IMG_0.jpg, IMG_1.jpg, IMG_2.jpg and 2 more, .*: write to a new or"),
    ],
)
def test_somebody_s_own_files_are_not_overwritten(tmp_path, names, message):
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("mine")
    before = tree(tmp_path)
    with pytest.raises(ValueError, match=message):
        write(toys(), tmp_path, n=10)
    assert tree(tmp_path) == before


def test_a_directory_can_be_written_anew_and_holds_no_more(written, tmp_path):
    samples = store.open(written)
    write(samples, tmp_path / "copy", n=40, shards=2)
    assert list(store.open(tmp_path / "copy")) == list(samples)
    for options, message in (
        ({"n": 41}, "n=41: give 1 to 40"),
        ({"n": 0}, "n=0: give 1 to 40"),
        ({"n": 5, "split": "test"}, "split='test': the samples belong to the split 'train'"),
    ):
        with pytest.raises(ValueError, match=message):
            write(samples, tmp_path / "more", **options)
    assert not (tmp_path / "more").exists()


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), ValueError("no such dial")])
def test_whatever_stops_it_nothing_half_written_stays(tmp_path, stop):
    good = Sample("a", Image.new("L", (8, 8)), "?", Time(0))
    with pytest.raises(type(stop)):
        write(Listed((*[good] * 35, stop, *[good] * 4)), tmp_path, n=40, shards=4)
    assert not leftovers(tmp_path)
    assert len([file for file in tree(tmp_path) if file.startswith("data/")]) == 3
    with pytest.raises(ValueError, match=r"not finished \(3 of 4 shards\).* repeat the `gnomon"):
        store.open(tmp_path)


def test_a_drawing_that_misses_a_file_keeps_its_own_message(tmp_path):
    missing = FileNotFoundError(errno.ENOENT, "No such file or directory", "fonts/Roman.ttf")
    with pytest.raises(FileNotFoundError, match=r"fonts/Roman\.ttf"):
        write(Listed((missing,)), tmp_path, n=1)


def test_a_target_that_is_no_folder_is_one_error_that_names_it(tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "below", "/dev/full", "/proc/gnomon"):
        with pytest.raises(OSError, match=f"'{out}'"):
            write(toys(), out, n=10)


@pytest.mark.parametrize(
    ("call", "file", "n_kept"),
    [("fsync", "data/train-00002-of-00004.parquet", 3), ("replace", "manifest.json", 0),
     ("replace", "README.md", 6)],
)  # fmt: skip
def test_a_disk_that_fills_up_names_the_file_and_keeps_what_is_whole(
    tmp_path, monkeypatch, call, file, n_kept
):
    real = getattr(os, call)

    def full(*words):
        name = words[1] if call == "replace" else os.readlink(f"/proc/self/fd/{words[0]}")
        if Path(file).name.partition(".")[0] in str(name):
            raise OSError(errno.ENOSPC, "No space left on device")
        real(*words)

    monkeypatch.setattr(os, call, full)
    with pytest.raises(OSError, match=f"No space left on device: .*{file}"):
        write(toys(), tmp_path, n=40, shards=4)
    kept = tree(tmp_path)
    assert len(kept) == n_kept
    assert not leftovers(tmp_path)
    monkeypatch.undo()
    write(toys(), tmp_path, n=40, shards=4)
    assert store.verify(tmp_path) == []
    after = tree(tmp_path)
    assert all(after[name] == digest for name, digest in kept.items() if "data/" in name)


def test_hidden_files_and_what_a_killed_run_left_are_nobody_s(tmp_path):
    for name in (".DS_Store", ".gnomon.lock", ".gnomon.lock.txt", ".manifest.json.77.tmp"):
        (tmp_path / name).write_text("")
    write(toys(), tmp_path, n=10)
    assert store.verify(tmp_path) == []
    (tmp_path / "notes.txt").write_text("mine")  # a dataset may have company that came later
    write(toys(split="test"), tmp_path, n=10, split="test")


def test_leftovers_of_a_killed_run_are_removed_but_not_another_split_s(written):
    (written / "data/train-00001-of-00004.parquet").unlink()
    old = [written / "data" / f".{name}-00001-of-00004.parquet.77.tmp" for name in ("train", "val")]
    for file in [*old, written / ".manifest.json.77.tmp"]:
        file.write_text("half")
    write(toys(), written, n=40, shards=4)
    assert leftovers(written) == [str(old[1].relative_to(written))]


def test_a_shard_is_flushed_to_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    calls = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: calls.append("fsync") or fsync(fd))
    monkeypatch.setattr(os, "replace", lambda a, b: calls.append(b.suffix) or replace(a, b))
    write(toys(), tmp_path, n=1)
    names = [".json", ".parquet", ".json", ".png", ".md"]
    assert calls == [call for name in names for call in ("fsync", name)]
