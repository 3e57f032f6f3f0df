"""Annotations whose pictures were resized, turned or cropped since, in every format.

Each case says how one picture of 100 by 60 pixels was annotated and what became of the file. The
cases run over all formats that can say it.
"""

import json
from dataclasses import dataclass, replace

import pytest
from PIL import ExifTags, Image

from gnomon.recipe import Columns
from gnomon.store.pictures import load_picture
from gnomon.store.user_data.building import warn_once
from gnomon.store.user_data.opening import open_table

FIND = Columns(kind="boxes", ask="Find everything.")
SIZE = (100, 60)
BOX = (20, 6, 40, 54)
"""A red thing in the picture as its file stores it, before EXIF turns it."""


@dataclass(frozen=True)
class Case:
    """One picture with its annotation, and what must come of them."""

    file: tuple[int, int] = SIZE
    """Size of the file's pixels as they are stored."""
    stated: tuple[int, int] | None = SIZE
    """Size that the annotation states."""
    box: tuple[float, ...] = BOX
    """Box in pixels of the stated size, or what stands in its place."""
    orientation: int = 1
    result: tuple[float, ...] | str = BOX
    """Box in pixels of the upright picture, or a part of the refusal."""
    warning: str = ""
    formats: str = "coco cvat voc yolo table"


def save_picture(folder, case):
    """Save a picture that is red within the box, as shares of its sides."""
    picture = Image.new("RGB", case.file)
    wide, tall = (new / old for new, old in zip(case.file, SIZE, strict=True))
    x1, y1, x2, y2 = BOX
    red = tuple(round(edge) for edge in (x1 * wide, y1 * tall, x2 * wide, y2 * tall))
    picture.paste((255, 0, 0), red)
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = case.orientation
    folder.mkdir(parents=True, exist_ok=True)
    picture.save(folder / "a.png", exif=exif)


def coco(folder, case):
    x1, y1, x2, y2 = case.box
    image = {"id": 1, "file_name": "a.png"}
    if case.stated:
        image |= {"width": case.stated[0], "height": case.stated[1]}
    note = {"image_id": 1, "category_id": 1, "bbox": [x1, y1, x2 - x1, y2 - y1]}
    root = {"images": [image], "annotations": [note], "categories": [{"id": 1, "name": "red"}]}
    save_picture(folder, case)
    (folder / "labels.json").write_text(json.dumps(root))
    return folder / "labels.json", FIND


def cvat(folder, case):
    size = 'width="{}" height="{}"'.format(*case.stated) if case.stated else ""
    box = 'xtl="{}" ytl="{}" xbr="{}" ybr="{}"'.format(*case.box)
    save_picture(folder / "images", case)
    (folder / "annotations.xml").write_text(
        "<annotations><version>1.1</version>"
        f'<image id="0" name="a.png" {size}><box label="red" {box}/></image></annotations>'
    )
    return folder, FIND


def voc(folder, case):
    size = "<size><width>{}</width><height>{}</height><depth>3</depth></size>"
    x1, y1, x2, y2 = case.box
    save_picture(folder / "JPEGImages", case)
    (folder / "Annotations").mkdir()
    (folder / "Annotations" / "a.xml").write_text(
        f"<annotation><filename>a.png</filename>{size.format(*case.stated) if case.stated else ''}"
        f"<object><name>red</name><bndbox><xmin>{x1 + 1}</xmin><ymin>{y1 + 1}</ymin>"
        f"<xmax>{x2}</xmax><ymax>{y2}</ymax></bndbox></object></annotation>"
    )
    return folder, FIND


def yolo(folder, case):
    (x1, y1, x2, y2), (wide, tall) = case.box, case.stated
    middle = (x1 + x2) / 2 / wide, (y1 + y2) / 2 / tall
    words = (0, *middle, (x2 - x1) / wide, (y2 - y1) / tall)
    save_picture(folder / "images", case)
    (folder / "labels").mkdir()
    (folder / "labels" / "a.txt").write_text(" ".join(map(str, words)))
    (folder / "data.yaml").write_text('{"train": "images", "names": ["red"]}')
    return folder, FIND


def table(folder, case):
    save_picture(folder, case)
    row = {"image": "a.png", "answer": [list(case.box)]}
    (folder / "labels.jsonl").write_text(json.dumps(row))
    return folder / "labels.jsonl", FIND


WRITERS = {"coco": coco, "cvat": cvat, "voc": voc, "yolo": yolo, "table": table}
TURNED = (6, 20, 54, 40)
"""The box in the upright picture of 60 by 100 pixels, after a quarter turn to the right."""
CASES = {
    "same size": Case(),
    "no size": Case(stated=None, formats="coco cvat voc table"),
    "a size of 0": Case(stated=(0, 0), formats="coco cvat voc"),
    "file half as large": Case(
        file=(50, 30), result=(10, 3, 20, 27), warning="boxes are scaled", formats="coco cvat voc"
    ),
    "file thrice as large": Case(
        file=(300, 180), result=(60, 18, 120, 162), warning="boxes are scaled",
        formats="coco cvat voc",
    ),
    "file resized and rounded": Case(
        file=(33, 20), result=(6.6, 2, 13.2, 18), warning="boxes are scaled",
        formats="coco cvat voc",
    ),
    "shares of a resized file": Case(file=(50, 30), result=(10, 3, 20, 27), formats="yolo"),
    "file squeezed": Case(
        file=(100, 100), formats="coco cvat voc",
        result="its annotation is of a picture of 100 by 60 pixels, but the file has 100 by 100",
    ),
    "file cropped": Case(file=(100, 50), result="but the file has 100 by 50",
                         formats="coco cvat voc"),
    "turned without EXIF": Case(file=(60, 100), result="but the file has 60 by 100",
                                formats="coco cvat voc"),
    "EXIF turns, annotated as stored": Case(
        orientation=6, result=(6, 20, 54, 40), warning="turned as EXIF says",
        formats="coco cvat voc",
    ),
    "EXIF turns, annotated upright": Case(
        orientation=6, stated=(60, 100), box=TURNED, result=TURNED, formats="coco cvat voc"
    ),
    "EXIF turns, annotated as stored, then resized": Case(
        file=(50, 30), orientation=8, result=(3, 30, 27, 40),
        warning="turned as EXIF says", formats="coco cvat voc",
    ),
    "EXIF turns, no size": Case(
        orientation=6, stated=None, box=TURNED, result=TURNED, warning="read as boxes of the"
        " upright picture", formats="coco cvat voc table",
    ),
    "EXIF turns, shares": Case(
        orientation=6, stated=(60, 100), box=TURNED, result=TURNED,
        warning="read as boxes of the upright picture", formats="yolo",
    ),
    "EXIF turns by half, which no size shows": Case(
        orientation=3, result=BOX, warning="read as boxes of the upright picture"
    ),
    "boxes on 0 to 1": Case(
        box=(0.2, 0.1, 0.4, 0.9), stated=None, result="lies within one pixel",
        formats="coco cvat voc table",
    ),
}  # fmt: skip
COMBINATIONS = [
    pytest.param(name, case, id=f"{name}: {what}")
    for what, case in CASES.items()
    for name in case.formats.split()
]


@pytest.mark.parametrize(("name", "case"), COMBINATIONS)
def test_boxes_lie_where_the_thing_is_or_are_refused(tmp_path, capsys, name, case):
    warn_once.cache_clear()
    path, columns = WRITERS[name](tmp_path, case)
    if isinstance(case.result, str):
        with pytest.raises(ValueError, match=case.result):
            open_table(path, columns, "all")
        return
    (sample,) = open_table(path, columns, "all")
    (box,) = sample.target.boxes
    assert box == pytest.approx(case.result, abs=1e-6)
    message = capsys.readouterr().err
    assert case.warning in message
    assert bool(case.warning) == bool(message)


@pytest.mark.parametrize("orientation", [5, 6, 7, 8])
def test_a_box_turns_with_its_picture(tmp_path, orientation):
    """What is red in the upright picture is what the box holds."""
    path, columns = coco(tmp_path, Case(orientation=orientation))
    (sample,) = open_table(path, columns, "all")
    (box,) = sample.target.boxes
    red = load_picture(tmp_path / "a.png").getchannel("R").getbbox()
    assert box == red


@pytest.mark.parametrize("form", ["xyxy", "xywh", "cxcywh", "xyxy_1000"])
def test_shares_that_are_read_as_another_unit_are_refused(tmp_path, form):
    path, columns = table(tmp_path, Case(box=(0.3, 0.3, 0.4, 0.4)))
    with pytest.raises(ValueError, match="xyxy_1"):
        open_table(path, replace(columns, box_format=form), "all")


def turned_yolo(folder):
    path, columns = yolo(folder, Case())
    file = folder / "labels" / "a.txt"
    file.write_text(file.read_text() + " 0.7")  # an angle, or the confidence of a model
    return path, columns


def turned_coco(folder):
    path, columns = coco(folder, Case())
    root = json.loads(path.read_text())
    root["annotations"][0]["attributes"] = {"occluded": False, "rotation": 30.0}
    path.write_text(json.dumps(root))
    return path, columns


def turned_cvat(folder):
    path, columns = cvat(folder, Case())
    file = path / "annotations.xml"
    file.write_text(file.read_text().replace("<box", '<box rotation="30.00"'))
    return path, columns


def turned_table(folder):
    path, columns = table(folder, Case())
    row = {"image": "a.png", "answer": [{"bbox": list(BOX), "angle": 30}]}
    path.write_text(json.dumps(row))
    return path, columns


@pytest.mark.parametrize("write", [turned_yolo, turned_coco, turned_cvat, turned_table])
def test_a_turned_box_is_refused(tmp_path, write):
    path, columns = write(tmp_path)
    with pytest.raises(ValueError, match=r"line 1: .*(is turned|without an angle or a confidence)"):
        open_table(path, columns, "all")


def crowd(folder):
    """COCO's file of two pictures, of which one has a crowd alone."""
    path, columns = coco(folder, Case())
    root = json.loads(path.read_text())
    root["images"].insert(0, {"id": 2, "file_name": "a.png"})
    root["annotations"].append({**root["annotations"][0], "image_id": 2, "iscrowd": 1})
    path.write_text(json.dumps(root))
    return path, columns


def other_shapes(folder):
    """CVAT's file of two pictures, of which one has a polyline alone."""
    path, columns = cvat(folder, Case())
    file = path / "annotations.xml"
    line = '<image name="a.png"><polyline label="red" points="1.0,2.0;3.0,4.0"/></image>'
    file.write_text(file.read_text().replace("<image", f"{line}<image", 1))
    return path, columns


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (crowd, "pictures with only crowds are left out: 1"),
        (other_shapes, "(polyline); pictures with only such shapes are left out: 1"),
    ],
)
def test_a_picture_of_crowds_or_other_shapes_alone_is_left_out(tmp_path, capsys, write, message):
    """Something is in it, so that an empty answer would be wrong."""
    warn_once.cache_clear()
    path, columns = write(tmp_path)
    (sample,) = open_table(path, columns, "all")
    assert sample.target.boxes == (BOX,)
    assert sample.facts["line"] == 2
    assert message in capsys.readouterr().err


def test_cvats_polygons_subsets_and_zeros_are_read(tmp_path):
    path, columns = cvat(tmp_path, Case())
    file = path / "annotations.xml"
    polygon = '<polygon label="blue" points="8.5,2.0;30.25,4.5;9.0,40.0"/><tag label="indoors"/>'
    text = file.read_text().replace("</image>", f"{polygon}</image>")
    text = text.replace("<image", '<image subset="Validation"').replace("<box", '<box rotation="0"')
    file.write_text(text)
    (path / "images" / "Validation").mkdir()
    (path / "images" / "a.png").rename(path / "images" / "Validation" / "a.png")
    for source in (path, file):
        (sample,) = open_table(source, replace(columns, split="split"), "val")
        assert sample.target.pairs == [("blue", (8.5, 2, 30.25, 40)), ("red", BOX)]


def test_other_xml_than_cvats_is_refused(tmp_path):
    file = tmp_path / "annotations.xml"
    file.write_text('<annotations><track id="0" label="red"/></annotations>')
    with pytest.raises(ValueError, match=r"as `CVAT for images 1\.1`"):
        open_table(file, FIND, "all")
