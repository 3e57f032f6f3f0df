"""A refusal to mix two sets of rows names the rows that differ."""

from pathlib import Path

import pytest
from PIL import Image

from gnomon import store
from gnomon.recipe import Columns, Source


def table(labels, ask="What does it read?"):
    """Open pictures 0.png, 1.png and so on with these labels."""
    lines = [f"{index}.png,{label}" for index, label in enumerate(labels)]
    Path("labels.csv").write_text("\n".join(["image,answer", *lines]))
    source = Source(path="labels.csv", columns=Columns(kind="number", ask=ask))
    return store.mixture((source,), split="all", seed=0)


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """A dataset of eight rows."""
    monkeypatch.chdir(tmp_path)
    for index in range(8):
        Image.new("RGB", (20, 20), (index, 0, 0)).save(f"{index}.png")
    store.write(table(range(8)), tmp_path / "data", n=8, split="all", workers=1)
    return tmp_path / "data"


@pytest.mark.parametrize(
    ("labels", "question", "message"),
    [
        ([0, 1, 9, *range(3, 8)], {}, r"split: labels\.csv line 4 had the label 2, and now 9\. "),
        (range(1, 9), {}, "line 2 had the label 0, and now 1; .*; 5 more rows"),
        (
            range(8),
            {"ask": "And now?"},
            "line 2 asked 'What does it read\\?', and now 'And now\\?'",
        ),
        (range(7), {}, "n is 8 there, 7 here"),
    ],
)
def test_rows_are_named(data, labels, question, message):
    changed = table(labels, **question)
    with pytest.raises(ValueError, match=message) as raised:
        store.write(changed, data, n=changed.length, split="all", workers=1)
    assert ("content is" in str(raised.value)) == (len(list(labels)) == 7)


def test_a_row_with_another_picture_is_named(data):
    Image.new("RGB", (20, 20), "red").save("5.png")
    with pytest.raises(ValueError, match=r"labels\.csv line 7 has another picture"):
        store.write(table(range(8)), data, n=8, split="all", workers=1)
