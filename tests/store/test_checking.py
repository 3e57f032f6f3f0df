import json
import re

import pytest
from store_toys import Toy, toys

from gnomon import store
from gnomon.generators.rng import Rng


def verify(path, **options):
    return store.verify(path, progress=False, **options)


@pytest.fixture
def root(tmp_path):
    store.write(toys(), tmp_path / "set", n=60, shards=3, progress=False)
    return tmp_path / "set"


def change_manifest(root, change):
    file = root / "manifest.json"
    manifest = json.loads(file.read_text())
    change(manifest["splits"]["train"])
    file.write_text(json.dumps(manifest))


def test_what_was_written_is_sound(root):
    assert verify(root, redraw=1) == []


@pytest.mark.parametrize("place", [0, 1000, -1])
def test_a_flipped_bit_is_found_and_the_shard_named(root, place):
    shard = root / "data/train-00001-of-00003.parquet"
    data = bytearray(shard.read_bytes())
    data[place] ^= 1
    shard.write_bytes(data)
    assert verify(root) == [
        "data/train-00001-of-00003.parquet: its bytes are not those that were written"
    ]


def test_missing_and_extra_shards_are_named(root):
    (root / "data/train-00000-of-00003.parquet").rename(root / "data/val-00000-of-00001.parquet")
    assert verify(root) == [
        "data/train-00000-of-00003.parquet: it is missing",
        "data/val-00000-of-00001.parquet: the manifest does not name it",
    ]


def test_wrong_counts_are_found(root):
    def change(split):
        split["n"] = 61
        split["shards"][1]["rows"] = 21

    change_manifest(root, change)
    assert verify(root, redraw=0) == [
        "data/train-00001-of-00003.parquet: it has 20 rows, the manifest says 21"
    ]


def test_an_unfinished_split_is_said(root):
    change_manifest(root, lambda split: split["shards"].__setitem__(2, None))
    assert verify(root) == [
        "train: 2 of 3 shards are written",
        "data/train-00002-of-00003.parquet: the manifest does not name it",
    ]


def test_samples_that_are_drawn_otherwise_today_are_found(root, monkeypatch):
    monkeypatch.setattr(Toy, "rng", lambda self, index: Rng("other", index))
    problems = verify(root)
    assert len(problems) == 3
    assert problems[0].startswith(
        "data/train-00000-of-00003.parquet: 1 of 1 samples drawn again differ, such as row "
    )
    assert "in its pixels, answer, target, facts" in problems[0]
    assert verify(root, redraw=0) == []


def test_other_library_versions_are_said_beside_the_difference(root, monkeypatch):
    monkeypatch.setattr(Toy, "rng", lambda self, index: Rng("other", index))
    change_manifest(root, lambda split: split["versions"].update(cv2="0.1"))
    assert '(but cv2 is "0.1" there' in verify(root)[0]


@pytest.mark.parametrize("what", [{"version": 0}, {"kind": "sundial"}])
def test_what_another_version_or_an_unknown_kind_drew_is_not_compared(root, monkeypatch, what):
    monkeypatch.setattr(Toy, "rng", lambda self, index: Rng("other", index))
    change_manifest(root, lambda split: split["samples"].update(what))
    assert verify(root) == []


def test_options_that_the_kind_does_not_know_are_a_problem(root):
    change_manifest(root, lambda split: split["samples"]["options"].update(sise=3))
    assert "train: its samples cannot be drawn again: toy: sise: no such key" in verify(root)[0]


def test_shards_after_one_that_is_not_written_yet_are_sound(root):
    """Of a run that was killed: they were compared with the samples of those before them."""
    (root / "data/train-00001-of-00003.parquet").unlink()
    change_manifest(root, lambda split: split["shards"].__setitem__(1, None))
    assert verify(root, redraw=1) == ["train: 2 of 3 shards are written"]


def test_without_a_manifest_there_is_nothing_to_check_against(root):
    (root / "manifest.json").unlink()
    assert "has no manifest.json" in verify(root)[0]


@pytest.mark.parametrize(
    "broken",
    ["", "{", "[]", '{"format": 1}', '{"format": 1, "splits": []}',
     '{"format": 1, "splits": {"train": {}}}', '{"format": 2, "splits": {}}'],
)  # fmt: skip
def test_a_broken_manifest_is_told_with_the_way_out(root, broken):
    """What was no manifest but JSON ended in a KeyError."""
    before = list(store.open(root))
    (root / "manifest.json").write_text(broken)
    told = "manifest.json is no .*; delete that file, and the shards are read as they lie; or"
    assert re.search(told, verify(root)[0])
    with pytest.raises(ValueError, match=told):
        store.open(root)
    with pytest.raises(ValueError, match=told):
        store.write(toys(), root, n=60, progress=False)
    (root / "manifest.json").unlink()
    assert [s.id for s in store.open(root)] == [s.id for s in before]


def test_a_missing_directory_and_an_impossible_share_are_refused(root, tmp_path):
    with pytest.raises(ValueError, match="is no directory: `gnomon generate"):
        verify(tmp_path / "nowhere")
    with pytest.raises(ValueError, match=r"redraw=1\.5"):
        verify(root, redraw=1.5)
