"""A user's own pictures, mixed with drawn ones: trained on, held apart, scored apart."""

from __future__ import annotations

import csv
import json

import pytest
from road_toys import gnomon

from gnomon.generators import create

pytestmark = [
    # PEFT asks transformers by the old name.
    pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning"),
]

RECIPE = """
data:
  - path: {folder}/labels.csv
    weight: 1
    columns: {{image: file, ask: "What time is it?", answer: time, kind: time, group: house}}
  - kind: clock
    weight: 4
    options: {{size: 84}}
loss: {{name: ntil}}
train: {{samples: 20, per_device_train_batch_size: 4, learning_rate: 1e-3, max_steps: 2}}
eval: {{samples: 10, batch_size: 5, max_new_tokens: 8}}
"""


@pytest.fixture
def labelled(tmp_path):
    """Forty files of pictures with a table of what they show, and a recipe."""
    clocks = create("clock", size=84, split_by="none", seed=9)
    rows = []
    for index in range(40):
        clocks[index].image.save(tmp_path / f"IMG_{index:04}.jpg", quality=85)
        hour, minute, _ = clocks[index].target.hms
        row = {"file": f"IMG_{index:04}.jpg", "time": f"{hour}:{minute:02}", "house": index // 2}
        rows.append(row)
    write(tmp_path, rows)
    recipe = tmp_path / "own.yaml"
    recipe.write_text(RECIPE.format(folder=tmp_path))
    return recipe, rows


def write(folder, rows):
    with (folder / "labels.csv").open("w", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_own_pictures_are_trained_on_and_scored_apart(labelled, tmp_path, capsys):
    recipe, _ = labelled
    run = tmp_path / "run"
    assert gnomon("run", recipe, "--out", run, "--workers", 1) == 0
    told = capsys.readouterr().out
    assert "labels.csv alone" in told
    assert "clock alone" in told
    scores = json.loads((run / "report.json").read_text())
    assert scores["after: labels.csv"]["summaries"]["time"]["n"] == 2
    assert scores["after: clock"]["summaries"]["time"]["n"] == 8
    assert "labels.csv alone" in (run / "report.html").read_text()


def test_bad_rows_are_told_by_line_before_anything_is_spent(labelled, tmp_path, capsys):
    recipe, rows = labelled
    rows[3]["file"] = "gone.jpg"
    rows[5]["time"] = "late"
    write(tmp_path, rows)
    assert gnomon("train", recipe, "--out", tmp_path / "run") == 2
    said = capsys.readouterr().err
    assert "line 5: no picture at 'gone.jpg'" in said
    assert "line 7: 'late' is no time" in said
    assert not (tmp_path / "run").exists()
