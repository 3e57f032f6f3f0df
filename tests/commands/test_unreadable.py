"""A table with pictures that nobody can read, from its rows to a folder of photographs."""

import csv
import json
from pathlib import Path

import pytest
from command_toys import gnomon
from PIL import Image, ImageDraw

RECIPE = """
data:
  - path: dials.csv
    augment: off
    columns: {ask: "Where?", kind: number, split: part, unreadable: true}
loss: {name: crps}
train: {per_device_train_batch_size: 8, learning_rate: 3e-3, max_steps: 60, vision: lora, \
projector: full, logging_steps: 20, eval_steps: null}
eval: {samples: 12, batch_size: 6, max_new_tokens: 16}
"""
LABELS = ("", "NaN", "unreadable")


def picture(number):
    """A bar at one of three places; every fourth is black."""
    place = number % 4
    image = Image.new("RGB", (56, 56), "black" if place == 3 else "white")
    if place < 3:
        left = 5 + 16 * place
        ImageDraw.Draw(image).rectangle((left, 8, left + 10, 48), fill=(200, 0, 0))
    image.putpixel((number, 0), (9, 9, 9))  # no two are the same file
    return image


@pytest.fixture
def recipe(here):
    """Twenty-four rows to train on, twelve of each other split."""
    lines = ["image,answer,part"]
    for number in range(48):
        part = "train" if number < 24 else "val" if number < 36 else "test"
        picture(number).save(f"{number}.png")
        label = number % 4 + 1 if number % 4 < 3 else LABELS[number // 4 % 3]
        lines.append(f"{number}.png,{label},{part}")
    Path("dials.csv").write_text("\n".join(lines))
    Path("own.yaml").write_text(RECIPE)
    return "own.yaml"


def test_a_preview_shows_them_and_its_statistics_count_them(recipe, capsys):
    assert gnomon("preview", recipe, "-o", "sheet.png") == 0
    assert gnomon("stats", recipe) == 0
    assert "unreadable" in capsys.readouterr().out


@pytest.mark.slow
def test_refusal_is_trained_answered_scored_and_calibrated(recipe, capsys):
    assert gnomon("run", recipe, "--out", "run", "--workers", 1) == 0
    printed = capsys.readouterr().out
    for line in ("Said to be unreadable, rightly", "Missed: not said to be unreadable",
                 "Wrongly said to be unreadable"):  # fmt: skip
        assert line in printed
    assert "said to be unreadable" in Path("run/report.html").read_text("utf-8").lower()
    lines = Path("run/predictions/after.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["text"] for line in lines].count("unreadable") == 3
    # A folder of photographs, by the belief as well.
    Path("photos").mkdir()
    for number in range(4):
        picture(number).save(f"photos/{number}.png")
    for words in ((), ("eval.answer=mean", "eval.grid=[1,3,1]")):
        assert gnomon("predict", "run", "photos", "--out", "out.csv", *words) == 0
        with open("out.csv", encoding="utf-8") as file:
            assert [row["answer"] for row in csv.DictReader(file)] == ["1", "2", "3", "unreadable"]
        Path("out.csv").unlink()
    capsys.readouterr()
    # By a calibration, whose intervals leave out the seven black ones.
    lines = ["image,answer"]
    for number in range(28):
        picture(28 + number).save(f"new-{number}.png")
        lines.append(f"new-{number}.png,{number % 4 + 1 if number % 4 < 3 else LABELS[0]}")
    Path("new.csv").write_text("\n".join(lines))
    assert gnomon("calibrate", "run", "new.csv", "eval.grid=[1,3,1]", "eval.split=all") == 0
    printed = capsys.readouterr().out
    assert "28 answers" in printed
    assert "7 answers are about unreadable pictures: intervals leave them out" in printed
    assert gnomon("predict", "run", "photos", "--out", "out.csv") == 0
    with open("out.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["answer"] for row in rows] == ["1", "2", "3", "unreadable"]
    assert [row["low"] for row in rows[:3]] == ["1", "2", "3"]
    assert float(rows[3]["confidence"]) > 0.9
    assert rows[3]["refused"] == ""
