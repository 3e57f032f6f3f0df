"""What other people's tools see."""

import numpy as np
import pytest
from store_toys import toys

from gnomon import store


def test_load_dataset_opens_all_splits_with_the_pictures_that_were_drawn(tmp_path, load_dataset):
    root = tmp_path / "set"
    store.write(toys(), root, n=30, shards=3)
    store.write(toys(split="test"), root, n=6, split="test")
    found = load_dataset(root)
    assert {name: len(rows) for name, rows in found.items()} == {"train": 30, "test": 6}
    for row, drawn in zip(found["train"], toys(), strict=False):
        assert row["id"] == drawn.id
        assert row["question"] == drawn.question
        assert np.array_equal(np.asarray(row["image"]), np.asarray(drawn.image))


def test_load_dataset_opens_text_alone(tmp_path, load_dataset):
    root = tmp_path / "set"
    store.write(toys(pictures=False), root, n=12)
    rows = load_dataset(root, split="train")
    assert rows["image"][:] == [None] * 12
    assert rows[0]["answer"] is not None


@pytest.mark.slow
def test_a_stream_sees_every_row_once(tmp_path, load_dataset):
    root = tmp_path / "set"
    store.write(toys(), root, n=25, shards=5)
    stream = load_dataset(root, split="train", streaming=True).shuffle(seed=0, buffer_size=4)
    assert sorted(row["id"] for row in stream) == sorted(toys()[i].id for i in range(25))
