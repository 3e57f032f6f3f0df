"""COCO's and Label Studio's JSON, YOLO's folders and Pascal VOC's, as their tools write them."""

import json
import math
import os
import re
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from gnomon.recipe import Columns
from gnomon.store.user_data.building import warn_once
from gnomon.store.user_data.label_studio import is_label_studio_min
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


def rectangle(label, box, **more):
    """A result of Label Studio's: percent of pictures of 100 by 60 pixels."""
    x1, y1, x2, y2 = box
    value = {"x": x1, "y": y1 / 0.6, "width": x2 - x1, "height": (y2 - y1) / 0.6, "rotation": 0}
    return {
        "id": f"{label}{x1}", "type": "rectanglelabels", "from_name": "tag", "to_name": "img",
        "original_width": 100, "original_height": 60, "image_rotation": 0,
        "value": {**value, "rectanglelabels": [label], **more},
    }  # fmt: skip


def task(image, *results, **more):
    """A task of Label Studio's with one annotation, and with a prediction and a draft besides."""
    note = {"id": 4, "completed_by": 2, "was_cancelled": False, "ground_truth": False,
            "result": list(results), "updated_at": "2024-05-02T08:49:24.923046Z"}  # fmt: skip
    guess = {"result": [rectangle("guess", (0, 0, 9, 9))]}
    return {"id": 71, "data": {"image": image}, "annotations": [note], "predictions": [guess],
            "drafts": [guess], "meta": {}, **more}  # fmt: skip


def label_studio(folder, *tasks):
    """A project's export, with what is no answer: an earlier one, a skipped and an open task."""
    pictures(folder)
    if not tasks:
        tasks = [
            task(f"/data/upload/3/{number}bc0ffee-{name}.png", *(rectangle(*box) for box in boxes))
            for number, (name, boxes) in enumerate(TRUTH.items())
        ]
        earlier = {"result": [], "updated_at": "2024-05-01T08:49:24.923046Z"}
        tasks[0]["annotations"].append(earlier)
        skipped = task("/data/upload/3/deadbeef-d.png")
        skipped["annotations"][0]["was_cancelled"] = True
        tasks += [skipped, task("/data/upload/3/deadbeef-e.png", annotations=[])]
    (folder / "export.json").write_text(json.dumps(tasks))
    return folder / "export.json"


def label_studio_min(folder):
    """The same project's short form, typed after Label Studio's converter: a record an annotation.

    With an earlier annotation, a transcript of a region, a region without labels of its own, one
    with nothing, a polygon, and a task that nobody has annotated.
    """
    return pictures_with("label_studio_min.json", folder)


def boxes_of(table):
    found = [[(i.label, i.box.corners) for i in sample.target.items] for sample in table]
    return [[(label, pytest.approx(box, abs=1e-6)) for label, box in boxes] for boxes in found]


@pytest.mark.parametrize("form", ["xyxy", "xywh", "xyxy_1000"])
@pytest.mark.parametrize("make", [coco, label_studio, label_studio_min, yolo, voc])
def test_annotations_are_read_as_they_come_whatever_the_recipes_form(tmp_path, make, form):
    place = make(tmp_path / "set")
    assert is_user_data(place)
    table = open_table(place, replace(FIND, box_format=form), "all")
    assert boxes_of(table) == list(TRUTH.values())
    assert [sample.image.getpixel((0, 0))[0] for sample in table] == [0, 1, 2]


@pytest.mark.parametrize(
    "address",
    [
        "/data/upload/3/1bc0ffee-a.png",
        "/data/local-files/?d=photos/a.png",
        "/data/local-files/?d=some%5Cphotos%5Ca.png",
        "https://example.com/pictures/a.png?signature=x%2Fb.png",
        "s3://bucket/photos/a.png",
        "a.png",
    ],
)
@pytest.mark.parametrize("key", ["image", "ocr"])
def test_label_studios_pictures_lie_here_under_the_end_of_their_address(tmp_path, address, key):
    """Under whatever key the labelling interface had them."""
    entry = task(address, rectangle("cat", (10, 5, 30, 25)))
    entry["data"] = {"note": "a note.", key: address}
    table = open_table(label_studio(tmp_path, entry), FIND, "all")
    assert boxes_of(table) == [TRUTH["a"][:1]]
    assert table[0].facts["picture"] == "a.png"


def test_two_addresses_with_one_name_are_not_taken_for_one_picture(tmp_path):
    tasks = [task(f"s3://bucket/{name}/a.png") for name in "xy"]
    pictures(tmp_path / "x")
    with pytest.raises(ValueError, match=r"line 2: no picture at 'y/a.png'"):
        open_table(label_studio(tmp_path, *tasks), FIND, "all")


@pytest.mark.parametrize("turn", [-40, 0.5, 90, 135, 200, 330])
def test_a_turned_rectangle_is_the_upright_box_around_it(tmp_path, capsys, turn):
    """Turned clockwise round its upper left corner, in pixels; cut where it leaves the picture."""
    angle = math.radians(turn)
    points = [
        (50 + dx * math.cos(angle) - dy * math.sin(angle),
         30 + dx * math.sin(angle) + dy * math.cos(angle))
        for dx in (0, 40) for dy in (0, 12)
    ]  # fmt: skip
    (x1, x2), (y1, y2) = ((min(edges), max(edges)) for edges in zip(*points, strict=True))
    box = (max(x1, 0), max(y1, 0), min(x2, 100), min(y2, 60))
    file = label_studio(tmp_path, task("a.png", rectangle("cat", (50, 30, 90, 42), rotation=turn)))
    warn_once.cache_clear()
    assert boxes_of(open_table(file, FIND, "all")) == [[("cat", box)]]
    assert (
        "1 turned rectangles are read as the upright boxes around them" in capsys.readouterr().err
    )


def annotation(*results, **more):
    return {"result": list(results), "was_cancelled": False, "ground_truth": False, **more}


CAT, DOG = (rectangle(*box) for box in TRUTH["a"])
POLYGON = {"id": "p", "type": "polygonlabels", "value": {"points": [[1, 1], [9, 1], [9, 9]]}}
CHOICE = {"id": CAT["id"], "type": "choices", "value": {**CAT["value"], "choices": ["unsure"]}}
PLAIN = {**CAT, "type": "rectangle", "value": {**CAT["value"], "rectanglelabels": None}}
TWICE = {**CAT, "value": {**CAT["value"], "rectanglelabels": ["cat", "pet"]}}
LABELS = {"id": CAT["id"], "type": "labels", "value": {"labels": ["tom"]}}


@pytest.mark.parametrize(
    ("annotations", "labels", "warning"),
    [
        ([annotation(CAT, DOG, CHOICE)], ["cat", "dog"], ""),
        ([annotation()], [], ""),
        ([annotation(PLAIN, LABELS)], ["tom"], ""),  # as the interface for OCR writes them
        ([annotation(PLAIN)], [""], ""),
        ([annotation(TWICE)], ["cat", "pet"], ""),
        (
            [annotation(CAT, updated_at="2024-02"), annotation(DOG, updated_at="2024-01")],
            ["cat"],
            "1 tasks have several annotations: the ground truth or else the latest is read",
        ),
        (
            [annotation(CAT, updated_at="2024-02"), annotation(DOG, ground_truth=True)],
            ["dog"],
            "1 tasks have several annotations",
        ),
        ([annotation(DOG), annotation(CAT, was_cancelled=True)], ["dog"], ""),
        (
            [annotation(CAT, was_cancelled=True)],
            None,
            "1 tasks without an annotation, or skipped, are left out",
        ),
        ([], None, "1 tasks without an annotation"),
        ([annotation(POLYGON)], None, "1 tasks with other shapes alone (polygonlabels) are left"),
        ([annotation(CAT, POLYGON)], ["cat"], "1 tasks have other shapes besides (polygonlabels)"),
    ],
)
@pytest.mark.parametrize("key", ["annotations", "completions"])
def test_one_annotation_of_a_task_is_its_answer(
    tmp_path, capsys, key, annotations, labels, warning
):
    """Those of versions before 1.0 are called completions. A second task is always there."""
    first = task("a.png") | {"annotations": annotations}
    first = {key if name == "annotations" else name: value for name, value in first.items()}
    warn_once.cache_clear()
    table = open_table(label_studio(tmp_path, first, task("b.png", DOG)), FIND, "all")
    found = [[item.label for item in sample.target.items] for sample in table]
    assert found == [["dog"]] if labels is None else [labels, ["dog"]]
    assert table[table.length - 1].facts["line"] == 2
    assert warning in (message := capsys.readouterr().err)
    assert bool(warning) == bool(message)


def test_what_json_min_does_not_tell_is_said(tmp_path, capsys):
    warn_once.cache_clear()
    open_table(label_studio_min(tmp_path), FIND, "all")
    message = capsys.readouterr().err
    for part in ("have several annotations", "with other shapes alone (polygonlabels) are left out",
                 "without an annotation, or skipped, are left out"):  # fmt: skip
        assert f"1 tasks {part}" in message


def test_a_record_of_the_documentation_has_no_ids(tmp_path):
    pictures(tmp_path)
    region = {"x": 10, "y": 50, "width": 20, "height": 20, "rotation": 0}
    rows = [
        {"image": "https://example.com/a.png", "tag": [region | {"rectanglelabels": ["cat"]}]},
        {"image": "https://example.com/b.png"},
    ]
    (tmp_path / "export.json").write_text(json.dumps(rows))
    table = open_table(tmp_path / "export.json", FIND, "all")
    assert boxes_of(table) == [[("cat", (10, 30, 30, 42))], []]


@pytest.mark.parametrize(
    "values",
    [
        {"choice": "cat"},
        {"reading": [{"number": 12}]},
        {"boxes": [{"x": 1, "y": 2, "width": 3, "height": 4}], "lead_time": None},
    ],
)
def test_records_without_rectangles_stay_a_table(values):
    ids = {"annotation_id": 4, "annotator": 1, "lead_time": 2.5}
    assert not is_label_studio_min([{"image": "a.png", **ids, **values, "boxes": []}])
    assert not is_label_studio_min([{"image": "a.png", **values}])


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


UNSIZED = {k: v for k, v in rectangle("cat", (1, 5, 3, 25), rotation=9).items() if "width" not in k}


def of_results(*results):
    return lambda folder: label_studio(folder, task("a.png", *results))


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
        (with_note(bbox=[1, 2, 3]), "annotation 42: [1, 2, 3] is no box: give four numbers"),
        (with_note(bbox=[90, 2, 30, 4]), "annotation 42: [90, 2, 30, 4] lies outside its picture"),
        (of_results({"type": "rectanglelabels", "value": {"x": 1, "y": 1}}),
         "task 1 looks like Label Studio's, but a result of it cannot be read"),
        (of_results(UNSIZED), "cannot be read (KeyError: 'original_width')"),
        (with_label("0 0.5 0.5 0.5\n"), "is no box: give four numbers"),
        (with_label("0 0.1 0.1 0.2 0.1 0.2 0.2 0.1 0.2\n"), "is no box: give four numbers"),
        (with_label("0 0.9 0.5 0.5 0.5\n"), "lies outside its picture of 100 by 60"),
        (with_label("0 0.5 0.5 0 0.5\n"), "is no box in cxcywh_1"),
        (with_xml("<annotation><object/></annotation>"), "no bndbox with four numbers"),
        (with_xml("<annotation>"), "cannot be read as XML"),
        (with_xml('<!DOCTYPE a [<!ENTITY b "c">]><annotation/>'), "declares a document type"),
        (with_label("7 0.5 0.5 0.5 0.5\n"), "a.txt: class '7' has no name in the YAML"),
        (partial(yolo, entry="images/test"), "no such folder of pictures"),
        (coco_with(lambda root: root["images"].append({**root["images"][0], "file_name": "z.png"})),
         "1 ids of `images` stand for several, such as"),
        (coco_with(lambda root: root["categories"].append(root["categories"][0])),
         "1 ids of `categories` stand for several, such as"),
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
