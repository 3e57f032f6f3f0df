"""Plates and texts: parts that are printed on a face and show no number."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from gnomon.generators.drawing.canvas import Points
from gnomon.generators.drawing.lettering import Lettering
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import (
    arc,
    ellipse,
    joined,
    mirrored,
    oblong,
    rotate,
    rotation_matrix,
)
from gnomon.generators.faces.painter import FacePainter
from gnomon.generators.faces.paints import Paint
from gnomon.generators.faces.part import FacePart, FontName, Layer, Length, MountedPart, Place
from gnomon.recipe import STRICT


@dataclass(frozen=True, config=STRICT)
class Plate(FacePart):
    """A flat area on the floor, or behind the body: a disc, a ring, a sector or a box."""

    shape: Literal["disc", "ring", "box", "rose"] = "disc"
    """rose: a star of eight points, as on the card of a compass."""
    at: Place = (0.0, 0.0)
    """Middle of the plate."""
    radius: Length = 0.5
    """Radius of a disc or a rose, or the outer radius of a ring."""
    inner: Annotated[float, Field(ge=0, le=4)] = 0.4
    """Inner radius of a ring."""
    span: tuple[float, float] = (0.0, 360.0)
    """Degrees from up between which a ring lies."""
    turn: Annotated[float, Field(ge=-360, le=360)] = 0.0
    """Clockwise turn around its middle, in degrees."""
    size: tuple[Length, Length] = (0.5, 0.3)
    """Half the width and half the height of a box."""
    corner: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Radius of a box's corners."""
    colour: Paint = "faint"
    edge: Annotated[float, Field(ge=0, le=0.5)] = 0.0
    """Breadth of a line around the plate. 0 draws no line."""
    edge_colour: Paint = "ink"
    behind: bool = False
    """True for a plate behind the body that sticks out, such as a stem."""

    def __post_init__(self) -> None:
        if self.shape == "ring" and self.inner >= self.radius:
            raise ValueError(f"inner: {self.inner:g} must be less than the radius")

    @property
    def layer(self) -> Layer:
        return "behind" if self.behind else "floor"

    def paint(self, painter: FacePainter, mount: MountedPart) -> None:  # noqa: ARG002
        if self.shape == "rose":  # its rays overlap near the middle
            for number in range(8):
                ray = rotate([_ray(self.radius, number)], self.turn + 45 * number)[0]
                painter.fill([ray + self.at], self.colour)
            return
        if self.edge:
            painter.fill(self.contours(self.edge), self.edge_colour)
        painter.fill(self.contours(), self.colour)

    def contours(self, grow: float = 0.0) -> list[Points]:
        """Return the contours of the plate, grown by `grow`, in its frame."""
        (x, y), radius = self.at, self.radius + grow
        if self.shape == "disc":
            return [ellipse(x, y, radius)]
        if self.shape == "box":
            wide, high = self.size
            corner = self.corner + grow if self.corner else 0.0
            box = oblong(-wide - grow, -high - grow, wide + grow, high + grow,
                         min(corner, wide, high))  # fmt: skip
            return [box @ rotation_matrix(self.turn) + self.at]
        begin, end = (degrees + self.turn for degrees in self.span)
        inner = max(self.inner - grow, 0.0)
        if end - begin >= 360:
            return [ellipse(x, y, radius), ellipse(x, y, inner)[::-1]]
        return [joined(arc(x, y, radius, begin, end), arc(x, y, inner, end, begin))]

    def facts(self, pose: Pose, mount: MountedPart) -> dict[str, Any]:  # noqa: ARG002
        return {}


def _ray(length: float, number: int) -> Points:
    """Return a ray of a rose. Rays between the four main points are shorter."""
    far = length * (0.6 if number % 2 else 1.0)
    return mirrored([(0.0, far), (0.12 * length, 0.2 * length), (0.0, 0.0)])


@dataclass(frozen=True, config=STRICT)
class Caption(FacePart):
    """A text on the floor."""

    text: str
    """Text of the caption. {unit} is replaced by the unit."""
    at: Place = (0.0, 0.4)
    """Middle of the text."""
    height: Length = 0.08
    """Height of a digit."""
    turn: Annotated[float, Field(ge=-360, le=360)] = 0.0
    """Clockwise turn, in degrees."""
    orbit: float = 0.0
    """Clockwise turn around [0, 0] in degrees, for a text on a card that turns."""
    colour: Paint = "ink"
    font: FontName | None = None

    def paint(self, painter: FacePainter, mount: MountedPart) -> None:  # noqa: ARG002
        text = self.text.replace("{unit}", painter.unit)
        if text.strip():
            x, y = (np.array(self.at) @ rotation_matrix(self.orbit)).tolist()
            caption = Lettering(text, x, y, self.height, round(self.turn + self.orbit) % 360)
            painter.write([caption], self.colour, self.font)

    def facts(self, pose: Pose, mount: MountedPart) -> dict[str, Any]:  # noqa: ARG002
        return {}
