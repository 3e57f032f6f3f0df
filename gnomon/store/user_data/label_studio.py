"""Label Studio's exports JSON and JSON-MIN: tasks with the annotations of their annotators.

Each task is a row with the columns `image` and `answer`, as in annotations.py. Rectangles are in
percent of the picture; one that was turned becomes the upright box around it. Predictions, drafts
and skipped annotations are not read. JSON-MIN has a record for each annotation: the task's data,
and under the name of each tag a list of values. The values of one region have the same index in
these lists; here they are matched by equal coordinates.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import cos, radians, sin
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias
from urllib.parse import parse_qs, unquote, urlsplit

from gnomon.store.user_data.building import warn_once
from gnomon.store.user_data.pictures import PICTURE_SUFFIXES

JsonObject: TypeAlias = dict[str, Any]

_RECTANGLES = ("rectanglelabels", "rectangle")
# Regions whose results have an outline, but no box.
_SHAPES = ("polygon", "ellipse", "brush", "keypoint", "bitmask", "vector")
_OTHER_SHAPES = {*_SHAPES, *(f"{shape}labels" for shape in _SHAPES)}
# Most parts of a picture's address, its file name among them, by which the file is looked for;
# upload/1/photo.jpg has three.
_MAX_PARTS = 8
# Label Studio puts eight hexadecimal digits before the name of an uploaded file.
_PREFIX_LENGTH = 8


def is_label_studio(root: Any) -> bool:
    """True if JSON is a list of Label Studio's tasks."""
    return isinstance(root, list) and bool(root) and all(map(_is_task, root))


def is_label_studio_min(root: Any) -> bool:
    """True if JSON is a list of JSON-MIN's records with rectangles.

    Records with other answers alone, such as choices, are a table as they are.
    """
    if not (isinstance(root, list) and all(isinstance(row, dict) for row in root)):
        return False
    is_export = all(row.keys() >= _RECORD_KEYS for row in root)
    regions = [region for row in root for _, region in _regions(row)]
    rectangles = list(filter(_is_rectangle, regions))
    # Label Studio's documentation shows records without these keys.
    return any("rectanglelabels" in region for region in rectangles) or (
        is_export and bool(rectangles)
    )


def tasks_of_records(root: Sequence[JsonObject]) -> list[JsonObject]:
    """Tasks, as the export called JSON has them, of JSON-MIN's records."""
    tasks: dict[Any, JsonObject] = {}
    for index, record in enumerate(root):
        data = {key: value for key, value in record.items() if isinstance(value, str)}
        for key in ("created_at", "updated_at"):
            data.pop(key, None)
        # Records without an id are tasks of their own.
        task_id = record.get("id", f"record {index}")
        task = tasks.setdefault(task_id, {"data": data, "annotations": []})
        # A task that nobody has annotated has a record as well.
        if "annotation_id" in record and record["annotation_id"] is None:
            continue
        times = {key: record[key] for key in ("created_at", "updated_at") if record.get(key)}
        task["annotations"].append({"result": _results(record), **times})
    return list(tasks.values())


_RECORD_KEYS = {"annotation_id", "annotator", "lead_time"}


def _regions(record: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Tag and value of each region of a record."""
    for name, values in record.items():
        if isinstance(values, list):
            yield from ((name, value) for value in values if isinstance(value, dict))


def _is_rectangle(region: JsonObject) -> bool:
    # Ellipses have radiusX, and keypoints no height.
    return region.keys() >= {"x", "y", "width", "height"}


def _results(record: JsonObject) -> list[JsonObject]:
    """Results of a record: a rectangle and its labels apart, as Rectangle and Labels give them."""
    results: list[JsonObject] = []
    outlines: set[str] = set()
    for _, region in _regions(record):
        if not _is_rectangle(region):
            shape = next((key for key in region if key in _OTHER_SHAPES), "")
            shape = shape or next((s for key, s in _SHAPE_KEYS.items() if key in region), "")
            results += [{"type": shape}] if shape else []
            continue
        outline = str([region.get(key) for key in ("x", "y", "width", "height", "rotation")])
        if outline not in outlines:
            outlines.add(outline)
            sizes = {key: region[key] for key in _SIZES if key in region}
            results.append({"type": "rectangle", "id": outline, "value": region, **sizes})
        labels = region.get("rectanglelabels") or region.get("labels") or []
        results.append({"type": "labels", "id": outline, "value": {"labels": labels}})
    return results


_SIZES = ("original_width", "original_height")
# Values of shapes without labels of their own.
_SHAPE_KEYS = {"points": "polygon", "radiusX": "ellipse", "rle": "brush"}


def _is_task(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and isinstance(row.get("data"), dict)
        and isinstance(_annotations(row), list)
    )


def _annotations(task: JsonObject) -> Any:
    # Versions before 1.0 called them completions.
    return task.get("annotations", task.get("completions"))


def label_studio_rows(root: Sequence[JsonObject], file: Path) -> Iterator[tuple[int, JsonObject]]:
    """Number and row of each task that somebody has annotated with rectangles, or with nothing.

    What is left out or converted is said in a warning.
    """
    addresses = [_address(task["data"]) for task in root]
    addresses_by_end: dict[str, set[str]] = defaultdict(set)
    for address in addresses:
        for end in _path_ends(address):
            addresses_by_end[end].add(address)
    rows, counts = [], Counter[str]()
    for number, (task, address) in enumerate(zip(root, addresses, strict=True), 1):
        try:
            answer = _answer(task, counts)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{file}: task {number} looks like Label Studio's, but a result of it cannot be"
                f" read ({type(error).__name__}: {error})"
            ) from error
        if answer is not None:
            # The end of an address that other pictures have as well says nothing.
            ends = [end for end in _path_ends(address) if len(addresses_by_end[end]) == 1]
            rows.append((number, {"image": {"path": ends} if ends else "", "answer": answer}))
    if counts:
        notes = [f"{count} {what}" for what, count in counts.items()]
        warn_once(f"{file.name}: {'; '.join(notes)}")
    return iter(rows)


def _address(data: JsonObject) -> str:
    """Path or URL of a task's picture, under whatever key the labelling interface names."""
    texts = [value for value in (data.get("image"), *data.values()) if isinstance(value, str)]
    for text in texts:
        if _path(text).lower().endswith(PICTURE_SUFFIXES):
            return _path(text)
    return _path(texts[0]) if texts else ""


def _path(address: str) -> str:
    """Path in an address: an upload, a local file, a URL, or the place in a bucket."""
    try:
        parts = urlsplit(address)
    except ValueError:  # brackets that are no IPv6 address
        return address
    # Local files are served as /data/local-files/?d=folder/photo.jpg.
    local = parse_qs(parts.query).get("d")
    if local and parts.path.rstrip("/").endswith("local-files"):
        return local[0].replace("\\", "/")
    return unquote(parts.path)


def _path_ends(address: str) -> list[str]:
    """Ends of an address by which its file may be called, the longest first."""
    parts = [part for part in PurePosixPath(address).parts if part not in ("/", "..")]
    ends = ["/".join(parts[start:]) for start in range(max(0, len(parts) - _MAX_PARTS), len(parts))]
    prefix, dash, name = (parts[-1] if parts else "").partition("-")
    if (
        dash
        and name
        and len(prefix) == _PREFIX_LENGTH
        and not set(prefix) - set("0123456789abcdef")
    ):
        ends.append(name)
    return ends


def _answer(task: JsonObject, counts: Counter[str]) -> list[JsonObject] | None:
    """Boxes of a task, none if its annotation has no region; None if the task is left out."""
    annotations = [item for item in _annotations(task) if not _is_skipped(item)]
    if not annotations:
        counts["tasks without an annotation, or skipped, are left out"] += 1
        return None
    if len(annotations) > 1:
        counts["tasks have several annotations: the ground truth or else the latest is read"] += 1
    results = max(enumerate(annotations), key=_rank)[1]["result"]
    labels: dict[Any, list[str]] = defaultdict(list)
    for result in results:
        # A rectangle without labels of its own has them in another result of the same region.
        if result.get("type") in ("labels", "rectanglelabels"):
            labels[result.get("id")] += result["value"].get(result["type"], [])
    boxes = []
    for result in results:
        if result.get("type") in _RECTANGLES:
            box = _upright_box(result, counts)
            # A rectangle of several labels is a box for each of them.
            for label in labels[result.get("id")] or [""]:
                boxes.append({"label": str(label), "xyxy_1": box})
    shapes = ", ".join(sorted({result.get("type") for result in results} & _OTHER_SHAPES))
    if shapes and not boxes:
        # Something is in this picture: an empty answer would be wrong.
        counts[f"tasks with other shapes alone ({shapes}) are left out"] += 1
        return None
    if shapes:
        counts[f"tasks have other shapes besides ({shapes}), which are not read"] += 1
    return boxes


def _is_skipped(annotation: Mapping[str, Any]) -> bool:
    return bool(annotation.get("was_cancelled") or annotation.get("skipped"))


def _rank(numbered: tuple[int, Mapping[str, Any]]) -> tuple[bool, str, int]:
    """Rank of an annotation among those of its task: ground truth, then time, then place."""
    index, annotation = numbered
    time = annotation.get("updated_at") or annotation.get("created_at") or ""
    return bool(annotation.get("ground_truth")), str(time), index


def _upright_box(result: JsonObject, counts: Counter[str]) -> list[float]:
    """Upright box around a rectangle, as fractions of the picture's width and height.

    It is turned clockwise round its upper left corner, in pixels: a percent of the width is not as
    long as one of the height. `image_rotation` turns the view of the annotator alone.
    """
    value = result["value"]
    x, y, wide, tall = (float(value[key]) / 100 for key in ("x", "y", "width", "height"))
    turn = radians(float(value.get("rotation") or 0) % 360)
    if not turn:
        return [x, y, x + wide, y + tall]
    counts["turned rectangles are read as the upright boxes around them"] += 1
    aspect = float(result["original_width"]) / float(result["original_height"])
    across = [0, wide * cos(turn), -tall / aspect * sin(turn)]
    down = [0, wide * aspect * sin(turn), tall * cos(turn)]
    xs = [x + step for step in (*across, across[1] + across[2])]
    ys = [y + step for step in (*down, down[1] + down[2])]
    # The corners of what is turned may lie outside, where there is nothing to find.
    return [min(1.0, max(0.0, edge)) for edge in (min(xs), min(ys), max(xs), max(ys))]
