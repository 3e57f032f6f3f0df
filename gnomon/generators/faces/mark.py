"""Marks: signs that name a value of a track, such as the twelve of a clock."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

import numpy as np
from pydantic.dataclasses import dataclass

from gnomon.generators.drawing.canvas import Points
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import rotate
from gnomon.generators.faces.painter import FacePainter
from gnomon.generators.faces.paints import Paint
from gnomon.generators.faces.part import Distance, FacePart, Length, MountedPart, PlainText
from gnomon.generators.faces.track import Track
from gnomon.generators.faces.varying import DRIVE
from gnomon.recipe import STRICT

# Contours for a size of 1, upwards from the pivot; the first half lies outside of their middle.
_TRIANGLE = ((-0.6, 0.5), (0.6, 0.5), (0.0, -0.6))
_BARS = tuple(
    ((x - 0.15, 0.5), (x + 0.15, 0.5), (x + 0.15, -0.6), (x - 0.15, -0.6)) for x in (-0.28, 0.28)
)


@dataclass(frozen=True, config=STRICT)
class Mark(FacePart):
    """A triangle or a double bar, printed on the floor inside a track."""

    track: str
    """Name of the track."""
    drive: PlainText = field(default="0", metadata={DRIVE: True})
    """Formula of the number on the track's scale at which the mark stands."""
    shape: Literal["triangle", "double"] = "triangle"
    size: Length = 0.12
    """Height, in halves of the face."""
    span: tuple[Distance, Distance] | None = None
    """Distances of a triangle's tip and base from the track, inwards. Negative: outwards. `size` is
    then its breadth. Default:
    the triangle stands inside the track."""
    colour: Paint = "ink"

    def paint(self, painter: FacePainter, mount: MountedPart) -> None:
        painter.fill(self.contours(mount), self.colour)

    def contours(self, mount: MountedPart) -> list[Points]:
        """Return the contours in the track's frame."""
        track = mount.track
        assert isinstance(track, Track)
        if self.span is not None:
            (tip, base), half = self.span, self.size / 2 / track.path.length
            corners = ((0.0, tip), (-half, base), (half, base))
            return [np.array([track.path.point(mount.share + x, far) for x, far in corners])]
        contours = [_TRIANGLE] if self.shape == "triangle" else list(_BARS)
        turned = rotate([self.size * np.array(c) for c in contours],
                        track.path.direction(mount.share))  # fmt: skip
        middle = track.path.point(mount.share, self.size / 2)
        return [contour + middle for contour in turned]

    def facts(self, pose: Pose, mount: MountedPart) -> dict[str, Any]:  # noqa: ARG002
        return {}
