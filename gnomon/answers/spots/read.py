"""Reader of texts with their boxes, item by item and in any format."""

import json
import re
from collections.abc import Iterator

from gnomon.answers.base.dialect import Dialect
from gnomon.answers.base.target import Corners, Size
from gnomon.answers.box.answer import Box
from gnomon.answers.box.read import find_boxes, to_pixels
from gnomon.answers.reading.base import Reading, trim_label
from gnomon.answers.spots.answer import Spot, Spots


def read_spots(text: str, dialect: Dialect, size: Size) -> Reading[Spots] | None:
    """Read a list of texts with their boxes: JSON objects, or lines with a text and a box.

    An item without a text or a proper box is left out and counted in `Spots.unread`. Boxes are not
    clipped to the picture.
    """
    rows = [*_objects(text)] or [*_lines(text)]
    items = [_spot(label, box, dialect, size) for label, box, _ in rows]
    if not any(items):
        return None
    span = rows[0][2][0], rows[-1][2][1]
    return Reading(Spots(tuple(filter(None, items)), items.count(None)), span, "in parts")


def _spot(label: str, box: Reading[Corners] | None, dialect: Dialect, size: Size) -> Spot | None:
    try:
        return Spot(label, Box(*to_pixels(box, dialect, size).value)) if box else None
    except ValueError:  # no text, or swapped corners
        return None


def _objects(text: str) -> Iterator[tuple[str, Reading[Corners] | None, tuple[int, int]]]:
    """Find JSON objects with the key of a box. The last object may have been cut off.

    A label between two objects belongs to the second.
    """
    last = 0
    for match in _OBJECT.finditer(text):
        if _BOX_KEY.search(match[0]):
            before = [*_LABEL.finditer(text, last, match.start())]
            # Some models put the text before the object: "EXIT": {"x1": ...}.
            label = _LABEL.search(match[0]) or (before[-1] if before else None)
            readings = find_boxes(_LABEL.sub("", match[0]))
            box = readings[-1] if readings else None
            yield _words(label) if label else "", box, match.span()
        last = match.end()


# Possessive quantifiers keep a text full of quotation marks from taking quadratic time.
_STRING = r"\"(?:[^\"\\]|\\.)*+\""
_OBJECT = re.compile(rf"\{{(?:[^{{}}\"]|{_STRING})*+(?:\}}|\"|\Z)")
_BOX_KEY = re.compile(r"[\"'](?:b?box\w*|bounding_?box|[xy]1|[xy]_?min|left|x)[\"']\s*+:")
_LABEL = re.compile(
    r"[\"'](?:text_content|text|label|content|word|transcription|caption|name)[\"']\s*+:\s*+"
    rf"(?:(?P<json>{_STRING})|'(?P<words>[^']*+)'|(?P<number>[-+\w.]++)),?"
)


def _words(label: re.Match[str]) -> str:
    if not label["json"]:
        return label["words"] or label["number"]
    try:
        return str(json.loads(label["json"]))
    except ValueError:  # a backslash that escapes nothing
        return label["json"][1:-1]


def _lines(text: str) -> Iterator[tuple[str, Reading[Corners] | None, tuple[int, int]]]:
    """Find lines with boxes. The text stands before its box, or after it."""
    line_start = 0
    for line in text.splitlines(keepends=True):
        readings = find_boxes(line)
        # The texts stand between the boxes of a line.
        edges = [0, *(edge for box in readings for edge in box.span), len(line)]
        labels = [
            trim_label(line[start:end]) for start, end in zip(edges[::2], edges[1::2], strict=True)
        ]
        for label, box in zip(labels if labels[0] else labels[1:], readings, strict=False):
            yield label, box, (line_start + box.span[0], line_start + box.span[1])
        line_start += len(line)
