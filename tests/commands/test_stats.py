"""gnomon stats: of a directory, a file of one's own, a kind and a recipe."""

import json

import pytest
from command_toys import gnomon, small
from PIL import Image


def test_of_a_kind_as_json(capsys):
    command = ("stats", "arithmetic", "--n", 30, "--seed", 2, "--json", "--workers", 1)
    assert gnomon(*command, "level=hard") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["samples"] == {"train": 30, "val": 30, "test": 30}
    assert found["counts"]["val"]["kind"] == {"arithmetic": 30}
    assert found["leaks"] == []


def test_of_a_recipe_is_what_it_trains_on_and_what_it_asks(tmp_path, capsys):
    assert gnomon("stats", small(tmp_path), "--json", "--workers", 1) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["samples"] == {"train": 24, "test": 12}
    assert sum(found["counts"]["train"]["kind"].values()) == 24
    assert found["counts"]["train"]["kind"].keys() == {"clock", "arithmetic"}


@pytest.fixture
def rows(tmp_path):
    """Two pictures with two questions each, one of which a careless column put in two splits."""
    said = ["train", "train", "train", "test"]
    lines = []
    for number, split in enumerate(said):
        picture = f"{number // 2}.png"
        Image.new("RGB", (8, 8), (number // 2, 0, 0)).save(tmp_path / picture)
        row = {"image": picture, "question": f"{number}?", "answer": "yes", "split": split}
        lines.append(json.dumps(row))
    (tmp_path / "own.jsonl").write_text("\n".join(lines))
    return tmp_path / "own.jsonl"


def test_a_leak_in_a_user_s_own_rows_is_told_and_fails(rows, capsys):
    assert gnomon("stats", rows, "--workers", 1, "columns.split=split") == 1
    told = capsys.readouterr().out
    assert (
        "leak: train and test have 1 picture in common, such as that of own.jsonl-0000003" in told
    )
    assert "own rows" in told
