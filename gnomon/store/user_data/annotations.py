"""Annotations of detection: COCO's JSON, CVAT's XML, and folders of YOLO and Pascal VOC.

Each picture is a row with the columns `image` and `answer`, a list of boxes with labels. The list
is empty if the picture has no annotations. A box states its own format, whatever `box_format` is.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree import ElementTree

import yaml

from gnomon import files
from gnomon.store.user_data.annotated_sizes import SIZE_COLUMN, stated_size
from gnomon.store.user_data.building import warn_once
from gnomon.store.user_data.checked_pictures import PICTURE_SUFFIXES

Row: TypeAlias = dict[str, Any]

_COCO = {"images", "annotations", "categories"}
# Largest size in bytes of one picture's annotations (10,000 boxes have about a million), and of
# CVAT's annotations of all pictures.
_MAX_NOTES, _MAX_CVAT = 2**24, 2**28


def is_coco(root: Any) -> bool:
    """Return True if a JSON object has COCO's three lists."""
    return isinstance(root, dict) and root.keys() >= _COCO


def coco_rows(root: Row, file: Path) -> Iterator[tuple[int, Row]]:
    """Yield number and row of each picture of COCO's annotations.

    Crowds are left out because their box surrounds many things. A picture with crowds only is also
    left out, because it is not empty.
    """
    boxes: dict[Any, list[Row]] = defaultdict(list)
    notes = _items(root, "annotations", ("image_id", "category_id"), file)
    images = _items(root, "images", ("id", "file_name"), file)
    categories = _items(root, "categories", ("id", "name"), file)
    for name, items in (("images", images), ("categories", categories)):
        _check_ids(name, items, file)
    labels = {category["id"]: str(category["name"]) for category in categories}
    image_ids = {image["id"] for image in images}
    n, strays, crowds = 0, [], []
    for note in notes:
        if note.get("iscrowd"):
            crowds.append(note["image_id"])
            continue
        n += 1
        if note["category_id"] not in labels:
            which = f"annotation {note.get('id')} has category_id {note['category_id']!r}"
            raise ValueError(f"{file}: {which}, which `categories` does not list")
        if note["image_id"] not in image_ids:
            strays.append(note)
        box = {"id": note.get("id"), "label": labels[note["category_id"]], "xywh": note.get("bbox")}
        attributes = note.get("attributes")  # CVAT writes angles of turned boxes there
        if isinstance(attributes, dict):
            box["rotation"] = attributes.get("rotation")
        boxes[note["image_id"]].append(box)
    if strays:
        _report_strays(strays, n, file)
    crowded = {id_ for id_ in crowds if id_ in image_ids and not boxes[id_]}
    if crowded:
        warn_once(f"{file}: pictures with only crowds are left out: {len(crowded):,}")
    for number, image in enumerate(images, 1):
        if image["id"] not in crowded:
            size = stated_size(image.get("width"), image.get("height"))
            answer = boxes[image["id"]]
            yield number, {"image": image["file_name"], "answer": answer, SIZE_COLUMN: size}


def _check_ids(name: str, items: list[Row], file: Path) -> None:
    """Refuse two objects with the same id, because their annotations could not be told apart."""
    doubles = [id_ for id_, n in Counter(item["id"] for item in items).items() if n > 1]
    if doubles:
        raise ValueError(
            f"{file}: {len(doubles):,} ids of `{name}` occur twice or more, such as"
            f" {doubles[0]!r}: give each entry a different id"
        )


def _items(root: Row, name: str, keys: tuple[str, ...], file: Path) -> list[Row]:
    """Return the objects of one of COCO's lists. Each of them must have these keys."""
    problem = f"{file}: these look like COCO's annotations, but"
    if not isinstance(root[name], list):
        raise ValueError(f"{problem} `{name}` is not a list")
    for index, item in enumerate(root[name], 1):
        missing = [key for key in keys if not _has(item, key)]
        if missing:
            number = f" (id {item['id']})" if _has(item, "id") else ""
            raise ValueError(
                f"{problem} entry {index}{number} of `{name}` lacks {', '.join(missing)}"
            )
    return list(root[name])


def _has(item: Any, key: str) -> bool:
    """Return True if the item is an object with a number or a text under the key."""
    return isinstance(item, dict) and isinstance(item.get(key), int | float | str)


def _report_strays(strays: list[Row], n: int, file: Path) -> None:
    """Warn of annotations of unlisted pictures. Refuse a file that only has such annotations."""
    many = "1 annotation is" if len(strays) == 1 else f"{len(strays):,} annotations are"
    first = f"annotation {strays[0].get('id')} has image_id {strays[0]['image_id']!r}"
    text = f"{file}: {many} of pictures that `images` does not list: {first}"
    if len(strays) == n:
        raise ValueError(f"{text}; no other annotation is left, so the ids may be of another kind")
    warn_once(f"{text}; left out")


def cvat_rows(file: Path) -> Iterator[tuple[int, Row]]:
    """Yield number and row of each picture of CVAT's XML for images, version 1.1.

    A polygon is read as the box around it. Other shapes are ignored, and a picture with such shapes
    only is left out, because it is not empty.
    """
    images = _xml(file, _MAX_CVAT).findall("image")
    if not images:
        raise ValueError(f"{file}: it has no picture: export it from CVAT as `CVAT for images 1.1`")
    shapes, left_out = set(), 0
    for number, image in enumerate(images, 1):
        name, subset = image.get("name", ""), image.get("subset")
        nodes = [node for node in image if node.tag in ("box", "polygon")]
        shapes |= (others := {node.tag for node in image} - {"box", "polygon", "tag"})
        if others and not nodes:
            left_out += 1
            continue
        row: Row = {
            "image": _first_file(file.parent, name, f"images/{subset or ''}", "images", "."),
            "answer": [_cvat_box(node) for node in nodes],
            SIZE_COLUMN: stated_size(image.get("width"), image.get("height")),
        }
        yield number, row | ({"split": subset} if subset else {})
    if shapes:
        names = ", ".join(sorted(shapes))
        warn_once(
            f"{file}: shapes other than boxes and polygons are not read ({names}); pictures with"
            f" only such shapes are left out: {left_out:,}"
        )


def _cvat_box(node: ElementTree.Element) -> Row:
    """Return the box of a shape. Its numbers are checked when the row is read."""
    box: Any = [node.get(edge) for edge in ("xtl", "ytl", "xbr", "ybr")]
    if node.tag == "polygon":
        numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", node.get("points", ""))]
        xs, ys = numbers[0::2], numbers[1::2]
        box = [min(xs), min(ys), max(xs), max(ys)] if ys else []
    return {"label": node.get("label", ""), "xyxy": box, "rotation": node.get("rotation")}


def is_annotated(folder: Path) -> bool:
    """Return True for a folder as the tools of YOLO or Pascal VOC write it."""
    return _yolo_file(folder) is not None or (folder / "Annotations").is_dir()


def state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return path, time and size of every annotation file, which change with the file."""
    states = []
    for path, _, names in os.walk(folder):
        for name in sorted(names):
            if name.lower().endswith((".txt", ".xml", ".yaml", ".yml")):
                status = Path(path, name).stat()
                states.append((os.path.join(path, name), status.st_mtime_ns, status.st_size))
    return tuple(sorted(states))


def folder_rows(folder: Path) -> Iterator[tuple[int, Row]]:
    """Yield the rows of an annotated folder, numbered from 1 by the names of the pictures."""
    yolo = _yolo_file(folder)
    rows = _voc_rows(folder) if yolo is None else _yolo_rows(yolo)
    return enumerate(rows, 1)


def _yolo_file(folder: Path) -> Path | None:
    """Return the YAML of a YOLO dataset, which names its classes."""
    for name in ("data.yaml", "data.yml", "dataset.yaml", "dataset.yml"):
        if (folder / name).is_file() and "names" in _yaml(folder / name):
            return folder / name
    return None


def _yaml(file: Path) -> Row:
    try:
        content = yaml.safe_load(files.read_text(file, "a description of a data set"))
    except yaml.YAMLError as error:
        raise ValueError(f"{file}: it cannot be read as YAML: {error}") from error
    return content if isinstance(content, dict) else {}


def _yolo_rows(file: Path) -> list[Row]:
    content = _yaml(file)
    names = content["names"]
    pairs = enumerate(names) if isinstance(names, list) else dict(names or {}).items()
    labels = {str(number): str(name) for number, name in pairs}
    root = file.parent / str(content.get("path") or "")
    # Tools often write the path of the machine on which they ran.
    root = root if root.is_dir() else file.parent
    splits = {split: content[split] for split in ("train", "val", "test") if content.get(split)}
    rows, notes = [], []
    for split, paths in (splits or {"train": "images"}).items():
        for path in paths if isinstance(paths, list) else [paths]:
            for picture in _yolo_pictures(root, str(path)):
                notes.append(_yolo_notes(picture))
                answer = [_yolo_box(line, labels, notes[-1]) for line in _yolo_lines(notes[-1])]
                image = os.path.relpath(picture, file.parent)
                rows.append({"image": image, "answer": answer, "split": split})
    if notes and not any(note.is_file() for note in notes):
        raise ValueError(
            f"{file}: none of its {len(rows):,} pictures has a file of labels, such as {notes[0]}:"
            " put pictures into a folder `images`, and their labels into a folder `labels` next to"
            " it"
        )
    return rows


def _yolo_pictures(root: Path, path: str) -> list[Path]:
    """Return the pictures of a split: those in a folder, or those that a text file lists."""
    # Roboflow writes ../train/images for a folder next to the YAML.
    choices = [root / path, root / path.removeprefix("../")]
    where = next((choice for choice in choices if choice.exists()), choices[0])
    if where.suffix.lower() == ".txt":
        lines = files.read_text(where, "a list of pictures", limit=2**28).split("\n")
        return [where.parent / line.strip() for line in lines if line.strip()]
    if not where.is_dir():
        raise ValueError(
            f"{where}: the YAML of the data set names this folder of pictures, but it does not"
            " exist"
        )
    return sorted(path for path in where.rglob("*") if path.suffix.lower() in PICTURE_SUFFIXES)


def _yolo_notes(picture: Path) -> Path:
    """Return the file of a picture's boxes, which may be missing."""
    parts = list(picture.with_suffix(".txt").parts)
    # The last folder called images: data/images/train/a.jpg has data/labels/train/a.txt.
    for index in range(len(parts) - 1, -1, -1):
        if parts[index] == "images":
            parts[index] = "labels"
            break
    return Path(*parts)


def _yolo_lines(file: Path) -> list[str]:
    """Return the lines of a picture's boxes. Empty for a picture without a label file."""
    if not file.is_file():
        return []
    text = files.read_text(file, "labels of a picture", limit=_MAX_NOTES)
    return [line for line in text.split("\n") if line.strip()]


def _yolo_box(line: str, labels: dict[str, str], file: Path) -> Row:
    """Return the box of a line: class, middle and size as shares."""
    name, *numbers = line.split()
    label = labels.get(name.removesuffix(".0"))  # some write all numbers as floats
    if label is None:
        raise ValueError(f"{file}: class {name!r} has no name in the YAML of the data set")
    return {"label": label, "cxcywh_1": " ".join(numbers)}


def _voc_rows(folder: Path) -> Iterator[Row]:
    splits: dict[str, str] = {}
    for split in ("train", "val", "test"):
        file = folder / "ImageSets" / "Main" / f"{split}.txt"
        if file.is_file():
            names = files.read_text(file, "a list of pictures", limit=2**28).split()
            splits |= dict.fromkeys(names, split)
    for file in sorted((folder / "Annotations").glob("*.xml")):
        root = _xml(file)
        answer = [_voc_box(node, file) for node in root.iterfind("object")]
        size = stated_size(root.findtext("size/width"), root.findtext("size/height"))
        name = Path(root.findtext("filename") or "").name or f"{file.stem}.jpg"
        image = _first_file(folder, name, "JPEGImages", "images", "Annotations", ".")
        row: Row = {"image": image, "answer": answer, SIZE_COLUMN: size}
        yield row | ({"split": splits.get(file.stem, "train")} if splits else {})


def _xml(file: Path, limit: int = _MAX_NOTES) -> ElementTree.Element:
    text = files.read_text(file, "annotations", limit=limit)
    # Nested entities can grow beyond any memory, and VOC does not use them.
    if "<!" in text.replace("<!--", ""):
        raise ValueError(
            f"{file}: gnomon does not read files with a document type or entities: remove them"
        )
    try:
        return ElementTree.fromstring(text)  # noqa: S314 - without declarations nothing expands
    except ElementTree.ParseError as error:
        raise ValueError(f"{file}: it cannot be read as XML: {error}") from error


def _first_file(folder: Path, name: str, *subfolders: str) -> str:
    """Return the path of a file in the first subfolder that has it, otherwise in the last."""
    paths = [str(Path(subfolder, name)) for subfolder in subfolders]
    return next((path for path in paths if (folder / path).is_file()), paths[-1])


def _voc_box(node: ElementTree.Element, file: Path) -> Row:
    """Return the box of an object. VOC counts pixels from 1, and far edges belong to the object."""
    try:
        x1, y1, x2, y2 = (
            float(node.findtext(f"bndbox/{edge}") or "")
            for edge in ("xmin", "ymin", "xmax", "ymax")
        )
    except ValueError:
        raise ValueError(f"{file}: an object has no bndbox with four numbers") from None
    # Other tools that write VOC's XML start at 0.
    near = [max(0.0, edge - 1) for edge in (x1, y1)]
    return {"label": node.findtext("name") or "", "xyxy": [*near, x2, y2]}
