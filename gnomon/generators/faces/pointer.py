"""Pointers: needles that turn around a pivot, columns that rise, and triangles that slide."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from gnomon.generators.drawing.canvas import Points, bounding_box
from gnomon.generators.drawing.colours import blend
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import disc, hand_shape, needle, rotate
from gnomon.generators.faces.dial_pointers import POINTERS
from gnomon.generators.faces.painter import FacePainter
from gnomon.generators.faces.paints import Paint
from gnomon.generators.faces.part import (
    Distance,
    FacePart,
    Layer,
    Length,
    MountedPart,
    PlainText,
)  # fmt: skip
from gnomon.generators.faces.paths import RoundPath
from gnomon.generators.faces.track import Track, rounded
from gnomon.generators.faces.varying import DRIVE
from gnomon.recipe import STRICT

# Shapes that do not turn around a pivot.
SLIDING = ("column", "triangle", "line")
PointerShape = Literal[
    "baton", "rounded", "sword", "dauphine", "taper", "arrow", "leaf", "breguet", "skeleton",
    "counterweight", "needle", "pin", "flag", "lever", "drop", "teardrop", "wedge", "shield",
    "trowel", "spade", "syringe", "diamond", "magnet", "hammer", "sector", "crescent", "capped",
    "paddle", "saucer", "halves", "compass", "column", "triangle", "line",
]  # fmt: skip


@dataclass(frozen=True, config=STRICT)
class Pointer(FacePart):
    """A mark that shows a number on a track. Lengths are shares of the track's radius.

    Lengths of a column, a triangle or a line, and `away` and `bulb`, are in halves of the face.
    """

    track: str
    """Name of the track."""
    drive: PlainText = field(default="value", metadata={DRIVE: True})
    """The number to show on the track's scale. On a ring it may exceed the last value."""
    shape: PointerShape = "taper"
    """Shape of a needle. column is a liquid's column, triangle and line slide along a track."""
    length: Length = 0.92
    """Distance from pivot to tip. For a triangle, from tip to base."""
    width: Annotated[float, Field(gt=0, le=2)] = 0.06
    """Largest breadth."""
    tail: Annotated[float, Field(ge=-0.9, le=1)] = 0.18
    """Length behind the pivot. Negative: the needle begins at this distance before the pivot."""
    away: Distance = 0.0
    """Distance of a column or of a triangle's tip from the track, inwards. Negative: outwards."""
    colour: Paint = "pointer"
    hub: Annotated[float, Field(ge=0, le=1)] = 0.09
    """Radius of the disc over the pivot. 0 draws no disc."""
    hub_colour: Paint = "hands"
    plate: Paint = "bcbebe"
    """Colour of a plate on the pointer, of metal, milky glass or a coated magnet."""
    weight: Annotated[float, Field(ge=0.5, le=9)] = 2.8
    """Breadth of a counterweight, as a multiple of the pointer's width."""
    bulb: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Radius of a column's bulb below its first value."""
    begin: Annotated[float, Field(ge=-1, le=0)] = 0.0
    """Share of the track at which a column without a bulb begins."""
    beneath: bool = False
    """True for a column that lies beneath the ticks, such as a liquid in glass."""

    def check(self, mount: MountedPart) -> None:
        track = mount.track
        assert isinstance(track, Track)
        if track.line is not None and self.shape not in SLIDING:
            raise ValueError(
                f"shape: {self.shape!r} turns around a pivot, and {self.track} is straight: give"
                f" {', '.join(SLIDING)}"
            )
        if self.beneath and self.shape != "column":
            raise ValueError("beneath: only a column lies beneath the ticks")
        number, (low, high) = mount.scale_number, track.values
        # A hundredth of the scale beyond its ends is still on the dial.
        slack = 0.01 * (high - low)
        if not track.goes_round and not low - slack <= number <= high + slack:
            raise ValueError(
                f"drive: {self.drive!r} gives {number:g}, which is not on {self.track} from {low:g}"
                f" to {high:g}"
            )

    def colours(self) -> dict[str, str]:
        return {"colour": self.colour}

    @property
    def layer(self) -> Layer:
        if self.shape != "column":
            return "above"
        return "beneath" if self.beneath else "floor"

    def reach(self, mount: MountedPart) -> float:
        """Return the distance from pivot to tip, in the unit of the track's frame."""
        return self.length * (_track(mount).radius or 1.0)

    def distance(self, mount: MountedPart, place: tuple[float, float]) -> float:
        """Return the distance of a place from the line between pivot and tip."""
        track = _track(mount)
        path = track.path
        begin = path.pivot if isinstance(path, RoundPath) else self._tip(track, mount.share)
        line = np.subtract(self._tip(track, mount.share), begin)
        away = np.subtract(place, begin)
        share = min(1.0, max(0.0, float(away @ line) / max(float(line @ line), 1e-9)))
        return float(np.hypot(*(away - share * line)))

    def paint(self, painter: FacePainter, mount: MountedPart) -> None:
        if self.layer == "beneath":
            for contours, _ in self.layers(mount, painter.fine_swell):
                painter.fill_below(contours, self.colour)
        elif self.layer == "above":
            self._paint(painter, mount)
        else:
            painter.later(lambda: self._paint(painter, mount))

    def _paint(self, painter: FacePainter, mount: MountedPart) -> None:
        names = {"b": self.colour, "p": self.plate, "h": "hands", "c": "case"}
        for contours, material in self.layers(mount, painter.fine_swell):
            if material == "d":
                painter.fill_fine(contours, blend(painter.colour(self.colour), (0, 0, 0), 0.6))
            else:
                painter.fill_fine(contours, painter.colour(names[material]))
        for hub in self.hub_discs(mount):
            painter.fill_fine([hub], painter.colour(self.hub_colour))

    def hub_discs(self, mount: MountedPart) -> list[Points]:
        """List the disc over the pivot, in the track's frame. Empty for a pointer without a hub."""
        track = _track(mount)
        if not self.hub or self.shape in SLIDING:
            return []
        return [disc(self.hub * (track.radius or 1.0)) + track.at]

    def contours(self, mount: MountedPart) -> list[Points]:
        """List the contours of all layers without the hub, in the track's frame."""
        return [contour for contours, _ in self.layers(mount) for contour in contours]

    def layers(self, mount: MountedPart, swell: float = 0.0) -> list[tuple[list[Points], str]]:
        """Return the layers from bottom to top, each as its contours and its material.

        `swell` is the width that anti-aliasing adds on each side. Contours are drawn thinner by it.
        Materials are b for the pointer's colour, d for a darker colour, p for a plate, h for the
        colour of hands and c for the colour of the case. A contour within another contour of the
        same layer is a hole.
        """
        track, share = _track(mount), mount.share
        if self.shape in SLIDING:
            return [([contour], "b") for contour in self._sliding(track, share, swell)]
        radius = track.radius or 1.0

        def turn_into_place(shapes: list[Points]) -> list[Points]:
            turned = rotate(shapes, track.path.direction(share))
            if radius == 1 and not any(track.at):
                return turned
            return [radius * contour + track.at for contour in turned]

        length = self.length
        if self.shape in POINTERS:
            shape, materials = POINTERS[self.shape]
            # Thinner by the swell, as long as enough of a thin pointer remains.
            breadth = max(self.width / 2 - swell / radius, 0.25 * self.width)
            contours = turn_into_place(shape(length, breadth))
            return [([c], material) for c, material in zip(contours, materials, strict=True)]
        if self.shape == "counterweight":
            # A thin needle keeps a third of its width, since the swell may exceed it.
            thin = max(self.width - 2 * swell / radius, 0.3 * self.width)
            return [(turn_into_place(needle(length, thin, self.tail, self.weight)), "b")]
        if self.shape == "flag":
            return [(turn_into_place([_flag(length, self.width, self.tail)]), "b")]
        style = "taper" if self.shape == "needle" else self.shape
        broad = max(self.width - 2 * swell / radius, 0.5 * self.width)
        return [(turn_into_place(hand_shape(style, length, broad, self.tail)), "b")]

    def _sliding(self, track: Track, share: float, swell: float) -> list[Points]:
        path, half = track.path, self.width / 2
        if self.shape == "column":
            begin = self.begin - 0.9 * self.bulb / path.length
            end = max(share - swell / path.length, begin + 1e-3)
            column = path.band(begin, end, self.away - half, self.away + half)
            if not self.bulb:
                return [column]
            return [column, disc(self.bulb) + path.point(begin, self.away)]
        wide = half / path.length
        if self.shape == "line":
            ends = [(-wide, 0.0), (wide, 0.0), (wide, self.length), (-wide, self.length)]
        else:
            ends = [(0.0, 0.0), (-wide, -self.length), (wide, -self.length)]
        return [np.array([path.point(share + along, self.away + far) for along, far in ends])]

    def facts(self, pose: Pose, mount: MountedPart) -> dict[str, Any]:
        track, share, number = _track(mount), mount.share, mount.scale_number
        path, contours = track.path, np.concatenate(self.contours(mount))
        pivot = path.pivot if isinstance(path, RoundPath) else self._tip(track, share)
        points = pose(np.concatenate([[self._tip(track, share), pivot], contours]))
        more: dict[str, Any] = {}
        if isinstance(path, RoundPath):
            more["degrees"] = round(path.direction(share) % 360, 4)
            more["pivot"] = rounded(points[1])
        return more | {
            "track": self.track,
            "number": number,
            "share": share,
            "tip": rounded(points[0]),
            "neighbours": track.neighbours(pose, number),
            "box": [round(v, 3) for v in bounding_box(points[2:])],
        }

    def _tip(self, track: Track, share: float) -> tuple[float, float]:
        if self.shape in SLIDING:
            return track.path.point(share, self.away)
        radius = track.radius or 1.0
        return track.path.point(share, radius * (1 - self.length))


def _flag(length: float, width: float, tail: float) -> Points:
    """Return the needle of a dial indicator: a thin tip and a broad, arrow-shaped tail."""
    w = width / 2
    half = [(0.3 * w, length), (0.75 * w, 0.0), (0.9 * w, -0.3 * tail), (2.1 * w, -0.75 * tail),
            (1.2 * w, -tail), (0.0, -0.9 * tail)]  # fmt: skip
    return np.array([*half, *[(-x, y) for x, y in reversed(half) if x]], float)


def _track(mount: MountedPart) -> Track:
    assert isinstance(mount.track, Track)
    return mount.track
