import json

import pytest
from store_toys import toys

from gnomon import store


def verify(path):
    return store.verify(path)


@pytest.fixture
def root(tmp_path):
    store.write(toys(), tmp_path / "set", n=60, shards=3)
    return tmp_path / "set"


def change_manifest(root, change):
    file = root / "manifest.json"
    manifest = json.loads(file.read_text())
    change(manifest["splits"]["train"])
    file.write_text(json.dumps(manifest))


def test_what_was_written_is_sound(root):
    assert verify(root) == []


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


def test_an_unfinished_split_is_said(root):
    change_manifest(root, lambda split: split["shards"].__setitem__(2, None))
    assert verify(root) == [
        "train: 2 of 3 shards are written",
        "data/train-00002-of-00003.parquet: the manifest does not name it",
    ]


def test_shards_after_one_that_is_not_written_yet_are_sound(root):
    (root / "data/train-00001-of-00003.parquet").unlink()
    change_manifest(root, lambda split: split["shards"].__setitem__(1, None))
    assert verify(root) == ["train: 2 of 3 shards are written"]


def test_without_a_manifest_there_is_nothing_to_check_against(root):
    (root / "manifest.json").unlink()
    with pytest.raises(ValueError, match=r"set has no manifest\.json"):
        verify(root)


@pytest.mark.parametrize(
    "broken",
    ["", "{", "[]", '{"format": 1}', '{"format": 1, "splits": []}',
     '{"format": 1, "splits": {"train": {}}}', '{"format": 2, "splits": {}}'],
)  # fmt: skip
def test_a_broken_manifest_is_told_with_the_way_out(root, broken):
    """What was no manifest but JSON ended in a KeyError."""
    (root / "manifest.json").write_text(broken)
    told = "manifest.json is no .*; delete the directory, and the `gnomon generate` that made it"
    with pytest.raises(ValueError, match=told):
        verify(root)
    with pytest.raises(ValueError, match=told):
        store.open(root)
    with pytest.raises(ValueError, match=told):
        store.write(toys(), root, n=60)


def test_a_missing_directory_is_named(tmp_path):
    with pytest.raises(ValueError, match="nowhere: there is no such directory"):
        verify(tmp_path / "nowhere")


@pytest.mark.parametrize("value", [5, "a", ["a"], {"a": [1]}, None])
@pytest.mark.parametrize("key", ["kind", "options", "seed", "files", "sources", "source"])
def test_what_a_manifest_says_of_its_samples_has_its_shape(root, key, value):
    """What only the card, the command or a backdrop asks for is looked at as well."""
    manifest = json.loads((root / "manifest.json").read_text())
    described = {"source": "drawn", "kind": "clock", "options": {}, "seed": 0} | {key: value}
    sound = (key, value) in (("kind", "a"), ("source", "a"), ("seed", 5), ("seed", None))
    manifest["splits"]["train"]["samples"] = described
    (root / "manifest.json").write_text(json.dumps(manifest))
    if sound or (key == "options" and isinstance(value, dict)):
        verify(root)
        return
    with pytest.raises(
        ValueError, match=rf"manifest.json is no manifest: splits.train.*{key}|kind"
    ):
        verify(root)
