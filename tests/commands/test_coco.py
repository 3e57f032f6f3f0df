"""A COCO file of a user's from its preview to its report, in a folder away from its own."""

import json
import re
from pathlib import Path

import pytest
from command_toys import gnomon
from PIL import Image, ImageDraw

from gnomon.store.user_data.building import warn_once

# Split by their names: two of the last three are tested, and one validates.
NAMES = (*(f"{number:03}" for number in range(2, 8)), "033", "041", "001")
SIZE = (96, 64)
COLOURS = {"ball": "red", "crate": "blue", "sign": "green"}
RECIPE = """
data:
  - path: coco/notes.json
    pictures: coco/pictures
    columns: {kind: boxes, ask: Find all things.}
train: {per_device_train_batch_size: 3, max_steps: 2, logging_steps: 1, learning_rate: 1e-3}
eval: {batch_size: 2, max_new_tokens: 8}
"""
WORDS = ("columns.kind=boxes", "columns.ask=Find all things.", "pictures=../coco/pictures")
ROWS = "6 train, 1 val, 2 test rows"
LEFT_OUT = (
    "gnomon: ../coco/notes.json: 1 annotation is of pictures that `images` does not list:"
    " annotation 0 has image_id 999; left out\n"
)


def boxes_in(number):
    """Labels and corners of a picture's things, of which every third has none."""
    return [
        (label, (4 + 30 * place, 5 + number, 24 + 30 * place, 25 + 3 * number))
        for place, label in enumerate(COLOURS)
        if place < number % 3
    ]


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A working directory beside the COCO file, its pictures and a recipe."""
    (tmp_path / "coco" / "pictures").mkdir(parents=True)
    images, notes = [], []
    for number, name in enumerate(NAMES):
        picture = Image.new("RGB", SIZE, (220, 220, 200 + number))
        images.append({"id": 100 + number, "file_name": f"{name}.png"})
        for label, (x1, y1, x2, y2) in boxes_in(number):
            draw = ImageDraw.Draw(picture)
            draw.rectangle((x1, y1, x2 - 1, y2 - 1), fill=COLOURS[label])
            note = {"id": len(notes), "image_id": 100 + number, "category_id": label[0]}
            notes.append(note | {"iscrowd": 0, "bbox": [x1, y1, x2 - x1, y2 - y1]})
        picture.save(tmp_path / "coco" / "pictures" / f"{name}.png")
    notes.append(notes[0] | {"iscrowd": 1, "image_id": 100, "bbox": [0, 0, *SIZE]})
    notes.append(notes[0] | {"image_id": 999})
    categories = [{"id": label[0], "name": label} for label in COLOURS]
    root = {"images": images, "annotations": notes, "categories": categories}
    (tmp_path / "coco" / "notes.json").write_text(json.dumps(root))
    (tmp_path / "find.yaml").write_text(RECIPE)
    (folder := tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(folder)
    warn_once.cache_clear()  # another test may have warned of a file of this name
    return folder


def lines_of(file):
    return [json.loads(line) for line in Path(file).read_text().splitlines()]


def test_a_coco_file_is_previewed_planned_and_exported(elsewhere, capsys):
    assert gnomon("preview", "../coco/notes.json", "-o", "sheet.png", *WORDS) == 0
    printed = capsys.readouterr()
    assert printed.out == f"notes.json: {ROWS}\nsheet.png\n"
    assert printed.err == LEFT_OUT
    with Image.open("sheet.png") as sheet:
        assert sheet.width > 3 * SIZE[0]
    # A recipe finds its files beside itself; pictures are augmented where it trains.
    assert gnomon("preview", "../find.yaml", "-o", "seen.png") == 0
    assert gnomon("plan", "../find.yaml", "--config-only") == 0
    printed = capsys.readouterr().out
    assert f"notes.json: {ROWS}\ngnomon-tiny" in printed
    assert "steps     2 of 3 × 1 samples" in printed
    words = ("--to", "trl", "--family", "qwen3-vl", "--out", "exported")
    assert gnomon("export", "../coco/notes.json", *words, *WORDS) == 0
    answers = [
        row["completion"][0]["content"][0]["text"] for row in lines_of("exported/data.jsonl")
    ]
    # Qwen3-VL counts thousandths of the picture, from the top down.
    assert json.loads(answers[1]) == [{"bbox_2d": [42, 94, 250, 438], "label": "ball"}]
    assert [len(json.loads(answer)) for answer in answers] == [0, 1, 2, 0, 1, 2]


def test_a_picture_that_is_not_there_is_named_or_left_out(elsewhere, capsys):
    Path("../coco/pictures/003.png").unlink()
    assert gnomon("plan", "../find.yaml", "--config-only") == 2
    message = capsys.readouterr().err
    assert "notes.json: 1 row cannot be used; on_bad: skip would leave them out" in message
    assert "line 2: no picture at '003.png'" in message
    assert gnomon("plan", "../find.yaml", "--config-only", "data.0.on_bad=skip") == 0
    assert "notes.json: 5 train, 1 val, 2 test rows" in capsys.readouterr().out


@pytest.mark.slow
def test_a_coco_file_is_trained_on_asked_and_scored(elsewhere, capsys):
    assert gnomon("train", "../find.yaml", "--out", "run") == 0
    assert "digits that ntil sees: 100 % (boxes)" in capsys.readouterr().err
    assert [row["step"] for row in lines_of("run/log.jsonl") if "ce" in row] == [1, 2]
    assert gnomon("predict", "run") == 0
    answers = Path("run/predictions/after.jsonl")
    questions = lines_of("run/predictions/after.asked.jsonl")
    assert [row["question"] for row in questions] == ["Find all things."] * 2
    assert [len(row["target"]["items"]) for row in questions] == [0, 1]
    rows = lines_of(answers)
    assert [row["sample_id"] for row in rows] == [row["id"] for row in questions]
    # As a trained model would answer, in the thousandths of its family.
    x1, y1, x2, y2 = (
        round(1000 * edge / side) for edge, side in zip(boxes_in(7)[0][1], SIZE * 2, strict=True)
    )
    box = f"({x1},{y1}),({x2},{y2})"
    texts = ["none", f"<|object_ref_start|>ball<|object_ref_end|><|box_start|>{box}<|box_end|>"]
    lines = [json.dumps(row | {"text": text}) for row, text in zip(rows, texts, strict=True)]
    answers.write_text("".join(f"{line}\n" for line in lines))
    capsys.readouterr()
    assert gnomon("score", "run") == 0
    printed = capsys.readouterr().out
    assert re.search(r"^F1 of boxes with their labels +1\.0+ ", printed, re.MULTILINE)
    assert re.search(r"^Boxes where there is nothing +0\.0 % ", printed, re.MULTILINE)
    scores = json.loads(Path("run/report.json").read_text())["runs"]["after"]["boxes"]
    assert scores["n"] == 2
    assert "base64" in Path("run/report.html").read_text()  # the boxes over their pictures
