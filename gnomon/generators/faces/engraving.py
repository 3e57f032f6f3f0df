"""Figures as they are engraved or moulded on the wheels of meters, drawn by strokes.

No printed font has figures that are so square and so narrow.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import cv2
import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from gnomon.generators.drawing.canvas import Pixels, Points
from gnomon.recipe import STRICT

# The name of these figures among fonts.
ENGRAVED = "engraved"


@dataclass(frozen=True, config=STRICT)
class Stroke:
    """Shape parameters of a set of engraved figures."""

    weight: Annotated[float, Field(gt=0, le=0.4)] = 0.14
    """Breadth of the stroke, as a share of the figure's height."""
    roundness: Annotated[float, Field(ge=0, le=1)] = 0.6
    """Rounding of corners: 0 for none, 1 for arcs that meet in the middle of a side."""
    width: Annotated[float, Field(ge=0.2, le=1)] = 0.55
    """Breadth of a figure, as a share of its height."""
    alternate: bool = False
    """True for the flat-topped 3, the open 4, the footed 1 and the curved 6 and 9."""


# Strokes of each figure through corners in a box of 1 by 1, y downwards. A stroke whose ends meet
# is closed. Drawn after photographs of meters' wheels.
_FIGURES: dict[str, list[str]] = {
    "0": ["0,0 1,0 1,1 0,1 0,0"],
    "1": [".2,.22 .6,0 .6,1"],
    "2": ["0,.28 0,0 1,0 1,.42 0,1 1,1"],
    "3": ["0,.2 0,0 1,0 1,.48 .35,.48", ".35,.48 1,.48 1,1 0,1 0,.8"],
    "4": [".72,1 .72,0 0,.72 1,.72"],
    "5": ["1,0 .08,0 .04,.42 1,.4 1,1 0,1 0,.82"],
    "6": ["1,.2 1,0 0,0 0,1 1,1 1,.44 0,.44"],
    "7": ["0,0 1,0 .35,1"],
    "8": ["0,0 1,0 1,.47 0,.47 0,0", "0,.47 1,.47 1,1 0,1 0,.47"],
    "9": ["0,.8 0,1 1,1 1,0 0,0 0,.56 1,.56"],
}
_ALTERNATES: dict[str, list[str]] = {
    "1": [".2,.22 .6,0 .6,1", ".25,1 .95,1"],
    "3": ["0,0 1,0 .42,.4", ".42,.4 1,.4 1,1 0,1 0,.8"],
    "4": [".1,0 0,.62 1,.62", ".74,.32 .74,1"],
    "6": [".8,0 0,.55 0,1 1,1 1,.46 0,.46"],
    "9": [".2,1 1,.45 1,0 0,0 0,.54 1,.54"],
}
# Points of a rounded corner, and bits after the point of OpenCV's places.
_CORNER, _SHIFT = 6, 4


@lru_cache(maxsize=4096)
def engraved(figure: str, stroke: Stroke, height: int) -> Pixels:
    """The figure's mask, [height, width], 255 where the stroke is."""
    thick = max(1, round(stroke.weight * height))
    wide = max(thick + 2, round(stroke.width * height))
    mask = np.zeros((height, wide), np.uint8)
    paths = _ALTERNATES.get(figure) if stroke.alternate else None
    # The stroke's middle keeps half its breadth from the edges.
    scale, corner = np.array([wide - thick - 1, height - thick - 1]), (thick / 2, thick / 2)
    for path in paths or _FIGURES[figure]:
        corners = np.array([[float(x) for x in point.split(",")] for point in path.split()])
        points = _rounded(corners * scale + corner, stroke.roundness)
        fixed = np.rint(points * 2**_SHIFT).astype(np.int32)
        cv2.polylines(mask, [fixed], False, 255, thick, cv2.LINE_AA, _SHIFT)
    return mask


def _rounded(corners: Points, roundness: float) -> Points:
    """The path with each corner replaced by a curve that begins and ends on its sides."""
    is_closed = bool((corners[0] == corners[-1]).all())
    inner = corners[:-1] if is_closed else corners[1:-1]
    before = np.roll(inner, 1, 0) if is_closed else corners[:-2]
    after = np.roll(inner, -1, 0) if is_closed else corners[2:]
    parts = [] if is_closed else [corners[:1]]
    steps = np.linspace(0, 1, _CORNER)[:, None]
    for a, b, c in zip(before, inner, after, strict=True):
        reach = roundness / 2 * min(np.linalg.norm(a - b), np.linalg.norm(c - b))
        start = b + (a - b) * reach / max(float(np.linalg.norm(a - b)), 1e-9)
        end = b + (c - b) * reach / max(float(np.linalg.norm(c - b)), 1e-9)
        # A quadratic curve whose handle is the corner.
        parts.append((1 - steps) ** 2 * start + 2 * steps * (1 - steps) * b + steps**2 * end)
    parts.append(parts[0][:1] if is_closed else corners[-1:])
    return np.concatenate(parts)
