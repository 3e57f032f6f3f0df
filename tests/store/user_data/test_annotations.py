"""COCO's JSON, YOLO's folders and Pascal VOC's, as their tools write them."""

import json
import os
import re
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from gnomon.recipe import Columns
from gnomon.store.user_data.opening import open_table
from gnomon.store.user_data.row_files import is_user_data

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


def pictures_with(name, folder):
    """The pictures, and beside them a file that lies beside this one."""
    pictures(folder)
    return Path(shutil.copy(Path(__file__).with_name(name), folder))


def coco(folder):
    return pictures_with("coco.json", folder)


def yolo(folder, *, images="images/train", entry="images/train"):
    """A folder of YOLO's, in which a picture without boxes has no file."""
    pictures(folder / images)
    labels = folder / images.replace("images", "labels")
    labels.mkdir(parents=True)
    (labels / "a.txt").write_text("1 0.2 0.25 0.2 0.33333333\n0 0.7 0.58333333 0.4 0.5\n")
    (labels / "b.txt").write_text("0 0.5 0.5 1 1\n")
    (folder / "data.yaml").write_text(json.dumps({"train": entry, "names": ["dog", "cat"]}))
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


@pytest.mark.parametrize("form", ["xyxy", "xywh", "xyxy_1000"])
@pytest.mark.parametrize("make", [coco, yolo, voc])
def test_annotations_are_read_as_they_come_whatever_the_recipes_form(tmp_path, make, form):
    place = make(tmp_path / "set")
    assert is_user_data(place)
    table = open_table(place, replace(FIND, box_format=form), "all")
    assert boxes_of(table) == list(TRUTH.values())
    assert [sample.image.getpixel((0, 0))[0] for sample in table] == [0, 1, 2]


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


def coco_with(change):
    """COCO's JSON after a change of what it holds."""

    def make(folder):
        file = coco(folder)
        root = json.loads(file.read_text())
        change(root)
        file.write_text(json.dumps(root))
        return file

    return make


def with_note(**values):
    """COCO's JSON with one annotation more, number 42."""
    return coco_with(lambda root: root["annotations"].append(
        {**root["annotations"][0], "id": 42, **values}
    ))  # fmt: skip


def texts_as_ids(root):
    for note in root["annotations"]:
        note["image_id"] = str(note["image_id"])


def with_file(make, name, text):
    """A folder of annotations, with another text in one of its files."""

    def make_and_write(folder):
        (make(folder) / name).write_text(text)
        return folder

    return make_and_write


with_label = partial(with_file, yolo, "labels/train/a.txt")
with_xml = partial(with_file, voc, "Annotations/a.xml")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (coco_with(lambda root: root["categories"].pop(0)),
         "annotation 1 has category_id 18, which `categories` does not list"),
        (coco_with(texts_as_ids), "3 annotations are of pictures that `images` does not list"),
        (with_note(category_id=None), "entry 5 (id 42) of `annotations` lacks category_id"),
        (with_note(bbox=[1, 2, 3]), "annotation 42: [1, 2, 3] is not a box: give four numbers"),
        (with_note(bbox=[90, 2, 30, 4]), "annotation 42: [90, 2, 30, 4] lies outside its picture"),
        (with_label("0 0.5 0.5 0.5\n"), "is not a box: give four numbers"),
        (with_label("0 0.1 0.1 0.2 0.1 0.2 0.2 0.1 0.2\n"), "is not a box: give four numbers"),
        (with_label("0 0.9 0.5 0.5 0.5\n"), "lies outside its picture of 100 by 60"),
        (with_label("0 0.5 0.5 0 0.5\n"), "is not a box in cxcywh_1"),
        (with_xml("<annotation><object/></annotation>"), "no bndbox with four numbers"),
        (with_xml("<annotation>"), "cannot be read as XML"),
        (with_xml('<!DOCTYPE a [<!ENTITY b "c">]><annotation/>'), "files with a document type"),
        (with_label("7 0.5 0.5 0.5 0.5\n"), "a.txt: class '7' has no name in the YAML"),
        (partial(yolo, entry="images/test"), "names this folder of pictures, but"),
        (coco_with(lambda root: root["images"].append({**root["images"][0], "file_name": "z.png"})),
         "1 ids of `images` occur twice or more, such as"),
        (coco_with(lambda root: root["categories"].append(root["categories"][0])),
         "1 ids of `categories` occur twice or more, such as"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_with_its_place(tmp_path, make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        open_table(make(tmp_path), FIND, "all")


def test_a_set_whose_labels_are_nowhere_is_refused(tmp_path):
    """Else a model would learn that there is nothing to find."""
    folder = yolo(tmp_path)
    (folder / "labels").rename(folder / "Labels")
    with pytest.raises(ValueError, match=r"none of its 3 pictures has a file of labels, such as"):
        open_table(folder, FIND, "all")


def test_annotations_of_pictures_that_are_not_listed_are_counted(tmp_path, capsys):
    file = with_note(image_id=77)(tmp_path)
    for _ in range(2):
        assert boxes_of(open_table(file, FIND, "all")) == list(TRUTH.values())
    warning = capsys.readouterr().err
    assert warning.count("coco.json: 1 annotation is of pictures that `images` does not list") == 1
    assert "annotation 42 has image_id 77; left out" in warning


def test_a_folder_with_metadata_of_its_own_is_read_by_that(tmp_path):
    folder = yolo(tmp_path)
    pictures(folder)
    Path(folder, "metadata.csv").write_text('file_name,answer\na.png,"[[1, 2, 3, 4]]"\n')
    (sample,) = open_table(folder, FIND, "all")
    assert sample.target.boxes == ((1, 2, 3, 4),)
