"""COCO's JSON, YOLO's folders and Pascal VOC's, read as their tools write them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from PIL import Image

from gnomon.recipe import Columns
from gnomon.store.user_data.opening import is_user_data, open_table

FIND = Columns(kind="boxes", ask="Find everything.")
TRUTH = {
    "a": [("cat", (10, 5, 30, 25)), ("dog", (50, 20, 90, 50))],
    "b": [("dog", (0, 0, 100, 60))],
    "c": [],
}
"""Boxes of pictures of 100 by 60 pixels."""


def pictures(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for shade, name in enumerate(TRUTH):
        Image.new("RGB", (100, 60), (shade, 0, 0)).save(folder / f"{name}.png")


def coco(folder):
    pictures(folder)
    names = {"cat": 18, "dog": 3}
    notes = [
        {"id": 1, "image_id": 7, "category_id": names[label], "iscrowd": 0, "area": 9}
        | {"image_id": list(TRUTH).index(name), "bbox": [x1, y1, x2 - x1, y2 - y1]}
        for name, boxes in TRUTH.items()
        for label, (x1, y1, x2, y2) in boxes
    ]
    crowd = notes[0] | {"iscrowd": 1, "bbox": [0, 0, 99, 59]}
    images = [{"id": n, "file_name": f"{name}.png"} for n, name in enumerate(TRUTH)]
    categories = [{"id": number, "name": name} for name, number in names.items()]
    root = {"images": images, "annotations": [*notes, crowd], "categories": categories}
    (folder / "notes.json").write_text(json.dumps(root))
    return folder / "notes.json"


def yolo(folder, *, names=("dog", "cat"), images="images/train", entry="images/train"):
    pictures(folder / images)
    labels = folder / images.replace("images", "labels")
    labels.mkdir(parents=True)
    for name, boxes in TRUTH.items():
        lines = [
            f"{list(names).index(label)} {(x1 + x2) / 200} {(y1 + y2) / 120} {(x2 - x1) / 100}"
            f" {(y2 - y1) / 60}\n"
            for label, (x1, y1, x2, y2) in boxes
        ]
        if lines:  # as YOLO has it: a picture without boxes has no file
            (labels / f"{name}.txt").write_text("".join(lines))
    (folder / "data.yaml").write_text(json.dumps({"train": entry, "names": list(names)}))
    return folder


def voc(folder):
    pictures(folder / "JPEGImages")
    (folder / "Annotations").mkdir()
    for name, boxes in TRUTH.items():
        objects = "".join(
            f"<object><name>{label}</name><bndbox><xmin>{x1 + 1}</xmin><ymin>{y1 + 1}</ymin>"
            f"<xmax>{x2}</xmax><ymax>{y2}</ymax></bndbox></object>"
            for label, (x1, y1, x2, y2) in boxes
        )
        text = f"<annotation><filename>{name}.png</filename>{objects}</annotation>"
        (folder / "Annotations" / f"{name}.xml").write_text(text)
    return folder


def boxes_of(table):
    found = [[(i.label, i.box.corners) for i in sample.target.items] for sample in table]
    return [[(label, pytest.approx(box, abs=1e-6)) for label, box in boxes] for boxes in found]


@pytest.mark.parametrize("make", [coco, yolo, voc])
def test_annotations_are_read_as_they_come(tmp_path, make):
    place = make(tmp_path / "set")
    assert is_user_data(place)
    table = open_table(place, FIND, "all")
    assert boxes_of(table) == list(TRUTH.values())
    assert [sample.image.getpixel((0, 0))[0] for sample in table] == [0, 1, 2]


@pytest.mark.parametrize("form", ["xywh", "xyxy_1000"])
@pytest.mark.parametrize("make", [coco, yolo, voc])
def test_a_box_says_its_own_form_whatever_the_recipe_says(tmp_path, make, form):
    columns = Columns(kind="boxes", ask="Find everything.", box_format=form)
    assert boxes_of(open_table(make(tmp_path), columns, "all")) == list(TRUTH.values())


@pytest.mark.parametrize(
    ("images", "entry"),
    [
        ("images", "images"),
        ("train/images", "train/images"),
        ("train/images", "../train/images"),
        ("images/train", ["images/train"]),
        ("images/train", "list.txt"),
    ],
)
def test_yolos_pictures_lie_where_its_tools_put_them(tmp_path, images, entry):
    folder = yolo(tmp_path, images=images, entry=entry)
    lines = [f"./{images}/{name}.png\n" for name in TRUTH]
    (tmp_path / "list.txt").write_text("".join(lines))
    assert boxes_of(open_table(folder, FIND, "all")) == list(TRUTH.values())


def test_splits_are_columns_and_names_may_be_numbered(tmp_path):
    folder = yolo(tmp_path)
    pictures(tmp_path / "images" / "val")
    description = {"path": "/elsewhere", "train": "images/train", "val": "images/val",
                   "names": {0: "dog", 1: "cat"}}  # fmt: skip
    (folder / "data.yaml").write_text(
        json.dumps(description).replace('"0"', "0").replace('"1"', "1")
    )
    columns = Columns(kind="boxes", ask="Find everything.", split="split")
    assert boxes_of(open_table(folder, columns, "train")) == list(TRUTH.values())
    assert boxes_of(open_table(folder, columns, "val")) == [[], [], []]
    main = voc(tmp_path / "voc") / "ImageSets" / "Main"
    main.mkdir(parents=True)
    (main / "train.txt").write_text("a\nb\n")
    (main / "test.txt").write_text("c\n")
    assert boxes_of(open_table(tmp_path / "voc", columns, "test")) == [[]]


def test_labels_that_change_are_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr("gnomon.store.user_data.building._LARGE", 1)
    folder = yolo(tmp_path)
    assert boxes_of(open_table(folder, FIND, "all")) == list(TRUTH.values())
    file = folder / "labels" / "train" / "c.txt"
    file.write_text("0 0.5 0.5 0.5 0.5\n")
    os.utime(file, (1, 1))
    assert boxes_of(open_table(folder, FIND, "all"))[2] == [("dog", (25, 15, 75, 45))]


def without_category(folder):
    file = coco(folder)
    root = json.loads(file.read_text())
    file.write_text(json.dumps(root | {"categories": root["categories"][1:]}))
    return file


def with_note(**values):
    """COCO's JSON with one annotation more, number 42."""

    def make(folder):
        file = coco(folder)
        root = json.loads(file.read_text())
        root["annotations"].append({**root["annotations"][0], "id": 42, **values})
        file.write_text(json.dumps(root))
        return file

    return make


def of_other_ids(folder):
    """COCO's JSON whose annotations have texts for the ids of pictures."""
    file = coco(folder)
    root = json.loads(file.read_text())
    for note in root["annotations"]:
        note["image_id"] = str(note["image_id"])
    file.write_text(json.dumps(root))
    return file


def with_label(text):
    def make(folder):
        (yolo(folder) / "labels" / "train" / "a.txt").write_text(text)
        return folder

    return make


def with_xml(text):
    def make(folder):
        (voc(folder) / "Annotations" / "a.xml").write_text(text)
        return folder

    return make


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (without_category, "annotation 1 has category_id 18, which `categories` does not list"),
        (with_note(category_id=None), "entry 5 (id 42) of `annotations` lacks category_id"),
        (with_note(bbox=[1, 2, 3]), "annotation 42: [1, 2, 3] is no box: give four numbers"),
        (with_note(bbox=[90, 2, 30, 4]), "annotation 42: [90, 2, 30, 4] lies outside its picture"),
        (of_other_ids, "3 annotations are of pictures that `images` does not list"),
        (with_label("0 0.5 0.5 0.5\n"), "is no box: give four numbers"),
        (with_label("0 0.1 0.1 0.2 0.1 0.2 0.2 0.1 0.2\n"), "is no box: give four numbers"),
        (with_label("0 0.9 0.5 0.5 0.5\n"), "lies outside its picture of 100 by 60"),
        (with_label("0 0.5 0.5 0 0.5\n"), "is no box in cxcywh_1"),
        (with_xml("<annotation><object/></annotation>"), "no bndbox with four numbers"),
        (with_xml("<annotation>"), "cannot be read as XML"),
        (with_xml('<!DOCTYPE a [<!ENTITY b "c">]><annotation/>'), "declares a document type"),
        (lambda folder: yolo(folder, entry="images/test"), "no such folder of pictures"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(tmp_path, make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        open_table(make(tmp_path), FIND, "all")


def test_annotations_of_pictures_that_are_not_listed_are_counted(tmp_path, capsys):
    file = with_note(image_id=77)(tmp_path)
    for _ in range(2):
        assert boxes_of(open_table(file, FIND, "all")) == list(TRUTH.values())
    warning = capsys.readouterr().err
    assert warning.count("notes.json: 1 annotation is of pictures that `images` does not list") == 1
    assert "annotation 42 has image_id 77; left out" in warning


def test_a_folder_with_metadata_of_its_own_is_read_by_that(tmp_path):
    folder = yolo(tmp_path)
    pictures(folder)
    Path(folder, "metadata.csv").write_text('file_name,answer\na.png,"[[1, 2, 3, 4]]"\n')
    (sample,) = open_table(folder, FIND, "all")
    assert sample.target.boxes == ((1, 2, 3, 4),)
