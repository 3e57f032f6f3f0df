"""Boxes of a picture that was resized after its annotation, or is turned by EXIF.

Formats of annotations state the size of the picture in which the boxes were drawn. Together with
the size of the file and its EXIF orientation, it shows what happened to the picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

from gnomon.answers.base.target import Corners
from gnomon.sample import Size, Target
from gnomon.store.pictures import upright_frame
from gnomon.store.user_data.checked_pictures import Picture

SIZE_COLUMN = "annotated size"
"""Column of a row of annotations: width and height of the annotated picture."""

_RESIZED = "boxes are scaled, because the picture was resized since it was annotated"
_TURNED = "boxes are turned as EXIF says, because the picture was annotated as it is stored"
_UNCLEAR = (
    "boxes are read as boxes of the upright picture, because EXIF turns it and its annotation does"
    " not say whether they are turned (`gnomon preview` draws them)"
)


def stated_size(width: Any, height: Any) -> Size | None:
    """Return the size that an annotation states. Some tools state none, or zeros."""
    try:
        size = int(float(width)), int(float(height))
    except (OverflowError, TypeError, ValueError):
        return None
    return size if min(size) > 0 else None


def place_boxes(
    parse: Callable[[Size], Target], image: Picture, stated: Size | None, notes: Counter[str]
) -> Target:
    """Return boxes in pixels of the upright picture.

    `parse` reads the label for a picture of a given size. `notes` counts the changes to boxes. A
    picture that is not a plain resize of the annotated picture is refused.
    """
    size, orientation = upright_frame(image)
    frame = stated or size
    miss = _mismatch(frame, size)
    # EXIF swaps width and height from 5 on. The annotation may state the size as stored.
    stored_miss = _mismatch(frame, size[::-1]) if stated and orientation >= 5 else inf
    if min(miss, stored_miss) > 1:
        raise ValueError(
            f"its annotation is of a picture of {frame[0]} by {frame[1]} pixels, but the file has"
            f" {size[0]} by {size[1]}, which is not the same shape: export the pictures together"
            " with the annotations, or correct the size in the annotation"
        )
    target = parse(frame)
    if not target.boxes:
        return target
    if stored_miss < miss:
        notes[_TURNED] += 1
        target, frame = target.map_boxes(partial(_turn, orientation, frame)), frame[::-1]
    elif orientation > 1 and (stated is None or orientation < 5 or stored_miss == miss):
        notes[_UNCLEAR] += 1
    if frame != size:
        notes[_RESIZED] += 1
        target = target.scaled(frame, size)
    return target


def _mismatch(old: Size, new: Size) -> float:
    """Return the difference of two sizes in aspect, in pixels. Up to 1 is the rounding of a
    resize."""
    # In the smaller of the two pictures, whose sides are rounded or cut to a pixel.
    return abs(new[0] * old[1] - new[1] * old[0]) / max(sum(old), sum(new))


def _turn(orientation: int, stored: Size, corners: Corners) -> Corners:
    """Move a box of the stored picture to its place after EXIF's orientation, 5 to 8."""
    wide, tall = stored
    x1, y1, x2, y2 = corners
    if orientation in (6, 7):  # the lower edge becomes the left one
        y1, y2 = tall - y2, tall - y1
    if orientation in (7, 8):  # the right edge becomes the upper one
        x1, x2 = wide - x2, wide - x1
    return y1, x1, y2, x2
