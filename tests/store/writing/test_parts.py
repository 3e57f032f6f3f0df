"""Parts of one dataset that several machines write, and the command that joins them."""

import json
import shutil

import pytest
from store_toys import toys, tree

from gnomon import store
from gnomon.store import write

N = {"n": 40, "shards": 4}


def part(root, number, of=3):
    return root / "parts" / f"train-{number:05}-of-{of:05}"


@pytest.mark.parametrize("shard_format", ["parquet", "imagefolder", "webdataset"])
def test_joined_parts_are_the_bytes_of_one_command(tmp_path, shard_format):
    write(toys(), tmp_path / "one", **N, format=shard_format, license="mit")
    for number in (3, 1, 2):
        write(toys(), tmp_path / "joined", **N, format=shard_format, part=(number, 3))
    assert not (tmp_path / "joined/manifest.json").exists()
    shards = json.loads((part(tmp_path / "joined", 1) / "manifest.json").read_text())["splits"]
    assert [bool(shard) for shard in shards["train"]["shards"]] == [True, False, False, True]
    write(toys(), tmp_path / "joined", **N, format=shard_format, license="mit")
    assert tree(tmp_path / "joined") == tree(tmp_path / "one")
    assert not (tmp_path / "joined/parts").exists()


def test_joining_draws_only_what_no_part_holds_whole(tmp_path, monkeypatch):
    write(toys(), tmp_path / "one", **N)
    for number in (1, 2):
        write(toys(), tmp_path / "joined", **N, part=(number, 3))
    held = sorted(part(tmp_path / "joined", 1).glob("data/*"))
    held[0].write_bytes(b"damaged")
    drawn = []
    monkeypatch.setattr(
        "gnomon.store.writing.write.write_shard",
        lambda plan, number, real=store.writing.write.write_shard: (
            drawn.append(number) or real(plan, number)
        ),
    )
    write(toys(), tmp_path / "joined", **N)
    assert drawn == [0, 2]
    assert tree(tmp_path / "joined") == tree(tmp_path / "one")


def test_a_part_resumes_and_writes_no_more_than_its_own(tmp_path):
    write(toys(), tmp_path, **N, part=(1, 3))
    before = tree(tmp_path)
    held = sorted(part(tmp_path, 1).glob("data/*"))
    assert [file.name for file in held] == [
        "train-00000-of-00004.parquet",
        "train-00003-of-00004.parquet",
    ]
    held[1].unlink()
    write(toys(), tmp_path, **N, part=(1, 3))
    assert tree(tmp_path) == before


def test_folders_of_several_machines_may_be_copied_together(tmp_path):
    write(toys(), tmp_path / "one", **N)
    for number in (1, 2):
        write(toys(), tmp_path / f"machine-{number}", **N, part=(number, 2))
        shutil.copytree(tmp_path / f"machine-{number}", tmp_path / "joined", dirs_exist_ok=True)
    write(toys(), tmp_path / "joined", **N)
    assert tree(tmp_path / "joined") == tree(tmp_path / "one")


@pytest.mark.parametrize(
    ("samples", "options", "message"),
    [
        (toys(seed=1), {}, r"train-00001-of-00003 holds another .*samples\.seed is 0 there, 1"),
        (toys(), {"n": 41}, "train-00001-of-00003 holds another .*n is 40 there, 41 here"),
        (toys(), {"format": "webdataset"}, "train-00001-of-00003 holds parquet, not webdataset"),
    ],
)
def test_a_part_of_another_dataset_is_refused_before_anything_is_moved(
    tmp_path, samples, options, message
):
    write(toys(), tmp_path, **N, part=(1, 3))
    before = tree(tmp_path)
    with pytest.raises(ValueError, match=message):
        write(samples, tmp_path, **{**N, **options})
    assert tree(tmp_path) == before


def test_a_part_is_refused_where_it_could_not_be_joined(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"holds notes\.txt, which no manifest\.json names"):
        write(toys(), tmp_path, **N, part=(1, 2))
    with pytest.raises(ValueError, match="4 files: make at most 4 parts"):
        write(toys(), tmp_path / "new", **N, part=(1, 5))
    assert list(tree(tmp_path)) == ["notes.txt"]
    assert not (tmp_path / "new").exists()
