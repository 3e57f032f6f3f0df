"""Windows: rolling wheels, and displays of seven segments."""

from __future__ import annotations

import math
from dataclasses import field
from fractions import Fraction
from typing import Annotated, Any, Literal

import cv2
import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from gnomon.generators.counter.cells import display_cell, wheel_cell
from gnomon.generators.counter.scene import ENGRAVED, SEGMENTS, Build, random_stroke, roll
from gnomon.generators.drawing.canvas import Pixels, bounding_box
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import oblong
from gnomon.generators.faces.painter import FacePainter
from gnomon.generators.faces.paints import Paint
from gnomon.generators.faces.part import FacePart, Length, MountedPart, Place, PlainText
from gnomon.generators.faces.varying import DRIVE
from gnomon.recipe import STRICT

# Breadth of a display's point with its room, in heights of the window.
_POINT_ROOM = 0.14
# Pixels of a window's picture per pixel of the picture, and its least and greatest height.
_FINE, _SMALLEST, _LARGEST = 2.0, 24, 240


@dataclass(frozen=True, config=STRICT)
class Window(FacePart):
    """A row of figures behind a window. Lengths but `height` are in heights of the window."""

    digits: Annotated[int, Field(ge=1, le=12)]
    """Figures in all."""
    style: Literal["wheels", "lcd", "led"] = "wheels"
    drive: PlainText = field(default="value", metadata={DRIVE: True})
    """The number that it shows."""
    at: Place = (0.0, 0.0)
    """Its middle."""
    height: Length = 0.2
    decimals: Annotated[int, Field(ge=0, le=6)] = 0
    """Figures after the point."""
    roll: Literal["up", "down", "still"] = "up"
    """Direction in which figures leave the window. still: wheels stop at whole figures."""
    figures: (
        Literal["engraved", "sans", "sans-bold", "serif-bold", "upright", "slanted", "blunt"] | None
    ) = None
    """The wheels' font, or the style of segments (upright, slanted, blunt)."""
    figure: Annotated[float, Field(gt=0.2, le=0.95)] = 0.68
    """Height of a figure."""
    breadth: Annotated[float, Field(gt=0.3, le=1.5)] = 0.66
    """Breadth of a wheel or of a display's place."""
    narrow: Annotated[float, Field(gt=0.3, le=1)] = 0.85
    """Breadth of a figure, as a share of its font's."""
    gap: Annotated[float, Field(ge=0, le=1)] = 0.08
    curve: Annotated[float, Field(ge=0.55, le=9)] = 1.0
    """Radius of the wheels: the smaller, the more figures shrink above and below."""
    ground: Paint = "161616"
    """Colour of the wheels or of the display."""
    ink: Paint = "f4f4f0"
    decimal_ground: Paint | None = None
    """The same after the point. Default: as before it."""
    decimal_ink: Paint | None = None
    frame: Annotated[float, Field(ge=0, le=1)] = 0.1
    frame_colour: Paint = "2a2a2c"
    decimal_frame: Paint | None = None
    """Colour of the frame around the decimals. Default: as around the others."""
    point: bool = True
    """True for a point before the decimals."""
    blank: bool = False
    """True for a display that leaves zeros in front dark."""

    def __post_init__(self) -> None:
        if self.decimals >= self.digits:
            raise ValueError(f"decimals: {self.decimals}: give fewer than the {self.digits} digits")
        if self.figures and (self.figures in (*SEGMENTS, "blunt")) == (self.style == "wheels"):
            raise ValueError(f"figures: {self.figures!r} does not fit style {self.style}")

    def check(self, mount: MountedPart) -> None:
        number = mount.number or Fraction(0)
        if not 0 <= number < 10 ** (self.digits - self.decimals):
            raise ValueError(
                f"drive: {self.drive!r} gives {float(number):g}, which {self.digits} figures with"
                f" {self.decimals} decimals cannot show"
            )

    def positions(self, number: Fraction) -> tuple[float, ...]:
        """Return the turn of each wheel from the left, 0 to below 10, whole for displays."""
        scaled = number * 10**self.decimals
        if self.style != "wheels":  # displays show the nearest number that they can
            scaled = Fraction(math.floor(scaled + Fraction(1, 2)))
        whole = math.floor(scaled) % 10**self.digits
        turn = 0.0 if self.roll == "still" else float(scaled - math.floor(scaled))
        return roll(f"{whole:0{self.digits}}", turn)

    def paint(self, painter: FacePainter, mount: MountedPart) -> None:
        assert mount.number is not None
        number = mount.number
        painter.later(lambda: painter.paste(self._picture(painter, number), self._outline))

    @property
    def _outline(self) -> tuple[float, float, float, float]:
        """Upper left and lower right corner, the frame included."""
        half_width = self.height * (self._width / 2 + self.frame)
        half_height = self.height * (0.5 + self.frame)
        x, y = self.at
        return x - half_width, y - half_height, x + half_width, y + half_height

    @property
    def _width(self) -> float:
        return self._offset(self.digits - 1) + self.breadth

    def _offset(self, index: int) -> float:
        """Left edge of a place, from the window's own."""
        offset = index * (self.breadth + self.gap)
        return offset + self._point_room if index >= self.digits - self.decimals else offset

    @property
    def _point_room(self) -> float:
        """Room for the point of a display, whose figures nearly touch."""
        return _POINT_ROOM if self.style != "wheels" and self.decimals and self.point else 0.0

    def _picture(self, painter: FacePainter, number: Fraction) -> Pixels:
        px = round(min(_LARGEST, max(_SMALLEST, _FINE * painter.scale * self.height)))
        edge = round(self.frame * px)
        size = (px + 2 * edge, round(self._width * px) + 2 * edge)
        picture = np.empty((*size, 3), np.uint8)
        picture[:] = painter.colour(self.frame_colour)
        first = self.digits - self.decimals
        if self.decimals and self.decimal_frame:
            edge_x = edge + round(px * (self._offset(first) - self.gap / 2))
            picture[:, edge_x:] = painter.colour(self.decimal_frame)
        if self.style != "wheels":
            picture[edge : edge + px, edge : size[1] - edge] = painter.colour(self.ground)
        build, positions = self._build(painter), self.positions(number)
        dark = self._dark(positions)
        for index, position in enumerate(positions):
            is_decimal = index >= first
            names = (
                (is_decimal and self.decimal_ground) or self.ground,
                (is_decimal and self.decimal_ink) or self.ink,
            )
            ground, ink = (painter.colour(name) for name in names)
            if self.style == "wheels":
                is_last = index == self.digits - 1
                cell = wheel_cell(build, position, px, (ground, ink), is_last=is_last,
                                  upwards=self.roll != "down")  # fmt: skip
            else:
                figure = None if index < dark else int(position)
                cell = display_cell(build, figure, px, (ground, ink), painter.rng, None)
            x = edge + round(px * self._offset(index))
            part = picture[edge : edge + px, x : x + cell.shape[1]]
            part[:] = cell[:, : part.shape[1]]
        if self.decimals and self.point:
            x = edge + round(px * (self._offset(first) - (self.gap + self._point_room) / 2))
            y = edge + round(px * (0.5 + 0.46 * self.figure))
            ink = painter.colour(self.ink)
            cv2.circle(picture, (x, y), max(2, round(0.05 * px)), ink, -1, cv2.LINE_AA)
        return picture

    def _dark(self, positions: tuple[float, ...]) -> int:
        """Places in front that are not lit."""
        if self.style == "wheels" or not self.blank:
            return 0
        whole = positions[: self.digits - self.decimals - 1]
        return next((i for i, position in enumerate(whole) if position), len(whole))

    def _build(self, painter: FacePainter) -> Build:
        standard = ENGRAVED if self.style == "wheels" else SEGMENTS[0]
        font = self.figures or standard
        black = (0, 0, 0)
        return Build(
            face=self.style,
            font=font,
            figure_height=self.figure,
            narrow=round(self.narrow, 2),
            breadth=self.breadth,
            gap=self.gap,
            pitch=1.0,
            curve=self.curve,
            margin=(0.0, 0.0),
            whole_colours=(black, black),
            decimal_colours=(black, black),
            plate_colour=black,
            framed=False,
            stroke=random_stroke(painter.rng) if font == ENGRAVED else None,
        )

    def facts(self, pose: Pose, mount: MountedPart) -> dict[str, Any]:
        assert mount.number is not None
        positions = self.positions(mount.number)
        dark, (edge_x, top) = self._dark(positions), self._outline[:2]
        cells = []
        for index, position in enumerate(positions):
            x = edge_x + self.height * (self.frame + self._offset(index))
            y = top + self.height * self.frame
            cell = oblong(x, y, x + self.height * self.breadth, y + self.height)
            middle = (x + self.height * self.breadth / 2, y + self.height / 2)
            if index >= dark:
                cells.append({
                    "position": round(position, 4),
                    "at": [round(v, 3) for v in pose.at(*middle)],
                    "box": [round(v, 3) for v in bounding_box(pose(cell))],
                })  # fmt: skip
        box = bounding_box(pose(oblong(*self._outline)))
        return {
            "number": float(mount.number),
            "decimals": self.decimals,
            "cells": cells,
            "box": [round(v, 3) for v in box],
        }
