"""Windows: rolling wheels, displays of seven segments, and rows of small dials."""

from __future__ import annotations

import math
from dataclasses import field
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Literal

import cv2
import numpy as np
from pydantic import AfterValidator, Field
from pydantic.dataclasses import dataclass

from gnomon.generators.drawing.canvas import Pixels, Points, bounding_box
from gnomon.generators.drawing.colours import Colour
from gnomon.generators.drawing.lettering import Lettering, text_tile
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import ellipse, oblong
from gnomon.generators.faces.cells import (
    CellStyle,
    dial_cell,
    display_cell,
    figure_ink,
    wheel_cell,
)
from gnomon.generators.faces.engraving import ENGRAVED, Stroke
from gnomon.generators.faces.painter import FacePainter
from gnomon.generators.faces.paints import Paint, check_paint
from gnomon.generators.faces.part import FacePart, Length, MountedPart, Place, PlainText
from gnomon.generators.faces.segments import SEGMENTS, UNSEEN_SEGMENTS
from gnomon.generators.faces.varying import DRIVE
from gnomon.recipe import STRICT

# Breadth of a display's point with its room, in heights of the window.
_POINT_ROOM = 0.14
# Pixels of a window's picture per pixel of the picture, and its least and greatest height.
_FINE, _SMALLEST, _LARGEST = 2.0, 24, 280
# Height of the text beside a window, and its distance; pixels at which its breadth is measured.
_TEXT_HEIGHT, _TEXT_GAP, _MEASURED = 0.22, 0.08, 40


def _check_pair(pair: str) -> str:
    names = pair.split()
    if len(names) not in (2, 3):
        raise ValueError(f"{pair!r}: give two or three colours, for example '161616 f4f4f0'")
    for name in names:
        check_paint(name)
    return pair


PaintPair = Annotated[str, AfterValidator(_check_pair)]
"""Two or three colours in one text, so that a list can choose them together."""


@dataclass(frozen=True, config=STRICT)
class Window(FacePart):
    """A row of figures behind a window. Lengths but `height` are in heights of the window."""

    digits: Annotated[int, Field(ge=1, le=12)]
    """Total number of digits."""
    style: Literal["wheels", "lcd", "led", "dials"] = "wheels"
    """dials: a row of dials, each with a pointer; neighbours turn in opposite directions."""
    drive: PlainText = field(default="value", metadata={DRIVE: True})
    """Formula of the number that the window shows."""
    at: Place = (0.0, 0.0)
    """Middle of the window."""
    height: Length = 0.2
    """Height in halves of the face."""
    decimals: Annotated[int, Field(ge=0, le=6)] = 0
    """Number of digits after the decimal point."""
    roll: Literal["up", "down", "still"] = "up"
    """Direction in which figures leave the window. still: wheels stop at whole figures."""
    figures: (
        Literal["engraved", "sans", "sans-bold", "serif-bold", "upright", "slanted", "blunt"] | None
    ) = None
    """The font of wheels and dials, or the style of segments (upright, slanted, blunt)."""
    stroke: Stroke | None = None
    """Stroke of engraved figures."""
    figure: Annotated[float, Field(gt=0.2, le=0.95)] = 0.68
    """Height of a figure."""
    breadth: Annotated[float, Field(gt=0.3, le=1.5)] = 0.66
    """Breadth of a wheel or of a display's place."""
    narrow: Annotated[float, Field(gt=0.3, le=1)] = 0.85
    """Breadth of a figure, as a multiple of its breadth in the font."""
    gap: Annotated[float, Field(ge=0, le=1)] = 0.08
    pitch: Annotated[float, Field(ge=0.7, le=1.5)] = 1.0
    """Distance from one figure of a wheel to the next."""
    curve: Annotated[float, Field(ge=0.55, le=9)] = 1.0
    """Radius of the wheels: the smaller, the more figures shrink above and below."""
    teeth: Annotated[float, Field(ge=0, le=0.5)] = 0.0
    """Marks along the last wheel's right edge, as a share of its breadth. 0 for none."""
    ground: Paint = "161616"
    """Colour of the wheels, of the display or of the dials."""
    ink: Paint = "f4f4f0"
    decimal_ground: Paint | None = None
    """`ground` of the decimals. Default: `ground`."""
    decimal_ink: Paint | None = None
    tints: PaintPair | None = None
    """Ground and ink in one text, such as "161616 f4f4f0", in place of `ground` and `ink`. Dials
    may have a third colour for their pointers."""
    decimal_tints: PaintPair | Literal[""] | None = None
    """`tints` of the decimals. Empty: `tints`."""
    clockwise: bool = True
    """True if the last dial turns clockwise."""
    frame: Annotated[float, Field(ge=0, le=1)] = 0.1
    frame_colour: Paint = "2a2a2c"
    decimal_frame: Paint | None = None
    """Colour of the frame around the decimals. Default: `frame_colour`."""
    point: Literal["between", "below", "none"] = "between"
    """Place of the point before the decimals: between the figures, or on the body below them."""
    blank: bool = False
    """True for a display that leaves leading zeros dark."""
    dead: tuple[int, int] | None = None
    """Index of a digit from the left, and its segment that never lights: 0 (top) to 6."""
    label: str = ""
    """Text to the right of the window, for example {unit}. Left out if the body has no room."""

    def __post_init__(self) -> None:
        if self.decimals >= self.digits:
            raise ValueError(f"decimals: {self.decimals}: give fewer than the {self.digits} digits")
        is_display = self.figures in (*SEGMENTS, *UNSEEN_SEGMENTS)
        if self.figures and is_display != self.is_display:
            raise ValueError(f"figures: {self.figures!r} does not fit style {self.style}")

    @property
    def is_display(self) -> bool:
        """True for digits of seven segments."""
        return self.style in ("lcd", "led")

    def check(self, mount: MountedPart) -> None:
        number = mount.number or Fraction(0)
        if not 0 <= number < 10 ** (self.digits - self.decimals):
            raise ValueError(
                f"drive: {self.drive!r} gives {float(number):g}, which {self.digits} figures with"
                f" {self.decimals} decimals cannot show"
            )

    def positions(self, number: Fraction) -> tuple[float, ...]:
        """Return the position of each wheel from the left, 0 to below 10. Integers for displays."""
        scaled = number * 10**self.decimals
        if self.is_display:  # displays show the nearest number that they can
            scaled = Fraction(math.floor(scaled + Fraction(1, 2)))
        whole = math.floor(scaled) % 10**self.digits
        turn = 0.0 if self.roll == "still" else float(scaled - math.floor(scaled))
        return (gear if self.style == "dials" else roll)(f"{whole:0{self.digits}}", turn)

    def paint(self, painter: FacePainter, mount: MountedPart) -> None:
        assert mount.number is not None
        number = mount.number
        painter.later(lambda: painter.paste(self._picture(painter, number), self._outline))
        (x, y), height = self.at, self.height
        if self.decimals and self.point == "below":
            point = self._offset(self.digits - self.decimals) - self.gap / 2 - self._width / 2
            dot = ellipse(x + height * point, y + 0.56 * height, 0.045 * height)
            painter.later(lambda: painter.fill_fine([dot], painter.colour("contrast")))
        text = self.label.replace("{unit}", painter.unit)
        if text:
            size = _TEXT_HEIGHT * height
            wide = size * text_tile(text, "sans", _MEASURED, 0).shape[1] / _MEASURED
            begin = x + height * (self._width / 2 + _TEXT_GAP)
            if begin + wide < painter.right_edge:
                label = Lettering(text, begin + wide / 2, y, size)
                painter.write([label], "contrast", "sans")

    @property
    def _outline(self) -> tuple[float, float, float, float]:
        """Upper left and lower right corner, including the frame."""
        wide, high = self.half_size
        x, y = self.at
        wide, high = wide + self.height * self.frame, high + self.height * self.frame
        return x - wide, y - high, x + wide, y + high

    @property
    def half_size(self) -> tuple[float, float]:
        """Half the breadth and half the height without the frame."""
        return self.height * self._width / 2, self.height / 2

    @property
    def _width(self) -> float:
        return self._offset(self.digits - 1) + self.breadth

    def _offset(self, index: int) -> float:
        """Return the distance of a digit's left edge from the window's left edge."""
        offset = index * (self.breadth + self.gap)
        return offset + self._point_room if index >= self.digits - self.decimals else offset

    @property
    def _point_room(self) -> float:
        """Room for a display's decimal point, since its digits nearly touch."""
        has_point = self.decimals and self.point == "between"
        return _POINT_ROOM if self.is_display and has_point else 0.0

    def middle(self, index: int) -> tuple[float, float]:
        """Return the middle of a digit's cell."""
        x, y = self.at
        return x + self.height * (self._offset(index) + (self.breadth - self._width) / 2), y

    def figure_ink(self, mount: MountedPart, index: int) -> Points:
        """Return outline points of a digit that is not turning, in lengths of the face."""
        assert mount.number is not None
        figure = int(self.positions(mount.number)[index])
        points: Points = self.height * figure_ink(self._style, figure, self._dead_segment(index))
        return points + self.middle(index)

    def _dead_segment(self, index: int) -> int | None:
        return self.dead[1] if self.dead and self.dead[0] == index else None

    def paints(self, index: int) -> tuple[str, str]:
        """Return the colours of a digit's ground and figure."""
        ground, ink = self.tints.split()[:2] if self.tints else (self.ground, self.ink)
        if index < self.digits - self.decimals:
            return ground, ink
        if self.decimal_tints:
            ground, ink = self.decimal_tints.split()[:2]
        return self.decimal_ground or ground, self.decimal_ink or ink

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
        if self.is_display:
            ground = painter.colour(self.paints(0)[0])
            picture[edge : edge + px, edge : size[1] - edge] = ground
        positions = self.positions(number)
        dark = self._dark(positions)
        for index, position in enumerate(positions):
            cell = self._cell(painter, index, None if index < dark else position, px)
            x = edge + round(px * self._offset(index))
            part = picture[edge : edge + px, x : x + cell.shape[1]]
            part[:] = cell[: part.shape[0], : part.shape[1]]
        if self.decimals and self.point == "between":
            x = edge + round(px * (self._offset(first) - (self.gap + self._point_room) / 2))
            y = edge + round(px * (0.5 + 0.46 * self.figure))
            ink = painter.colour(self.paints(0)[1])
            cv2.circle(picture, (x, y), max(2, round(0.05 * px)), ink, -1, cv2.LINE_AA)
        return picture

    def _cell(
        self, painter: FacePainter, index: int, position: float | None, px: int
    ) -> Pixels:  # fmt: skip
        """Draw a digit's cell. It stays dark if the position is None."""
        ground, ink = (painter.colour(name) for name in self.paints(index))
        colours: tuple[Colour, Colour] = (ground, ink)
        if self.is_display:
            figure, dead = None if position is None else int(position), self._dead_segment(index)
            return display_cell(self._style, figure, px, colours, painter.rng, dead)
        assert position is not None
        from_last = self.digits - 1 - index
        if self.style == "wheels":
            return wheel_cell(self._style, position, px, colours, is_last=not from_last,
                              upwards=self.roll != "down")  # fmt: skip
        # Neighbours mesh, so that they turn in opposite directions.
        is_clockwise = self.clockwise == (from_last % 2 == 0)
        pointer = painter.colour(self.tints.split()[-1] if self.tints else self.ink)
        return dial_cell(
            self.figures or painter.font, position, px, colours, pointer,
            painter.colour(self.frame_colour), is_clockwise=is_clockwise,
        )  # fmt: skip

    def _dark(self, positions: tuple[float, ...]) -> int:
        """Number of leading digits that are not lit."""
        if not self.is_display or not self.blank:
            return 0
        whole = positions[: self.digits - self.decimals - 1]
        return next((i for i, position in enumerate(whole) if position), len(whole))

    @cached_property
    def _style(self) -> CellStyle:
        font = self.figures or (SEGMENTS[0] if self.is_display else ENGRAVED)
        stroke = (self.stroke or Stroke()) if font == ENGRAVED else None
        return CellStyle(font, self.figure, round(self.narrow, 2), self.breadth, self.pitch,
                         self.curve, stroke, self.teeth, self.style == "led")  # fmt: skip

    def facts(self, pose: Pose, mount: MountedPart) -> dict[str, Any]:
        assert mount.number is not None
        positions = self.positions(mount.number)
        half = self.height * np.array([self.breadth, 1]) / 2
        cells = []
        for index in range(self._dark(positions), self.digits):
            middle = np.array(self.middle(index))
            cell = oblong(*(middle - half).tolist(), *(middle + half).tolist())
            cells.append({
                "position": round(positions[index], 4),
                "at": [round(v, 3) for v in pose.at(*middle.tolist())],
                "box": [round(v, 3) for v in bounding_box(pose(cell))],
            })  # fmt: skip
        box = bounding_box(pose(oblong(*self._outline)))
        return {
            "style": self.style,
            "number": float(mount.number),
            "decimals": self.decimals,
            "cells": cells,
            "box": [round(v, 3) for v in box],
        }


def roll(digits: str, turn: float) -> tuple[float, ...]:
    """Return the positions of wheels if the last wheel has advanced by `turn` of a figure.

    A wheel moves together with the wheel on its right while that goes from 9 to 0.
    """
    positions, carry = [], turn
    for digit in reversed(digits):
        position = int(digit) + carry
        positions.append(position)
        carry = max(0.0, position - 9)
    return tuple(reversed(positions))


def gear(digits: str, turn: float) -> tuple[float, ...]:
    """Return the positions of a register's pointers. Each turns ten times as slowly as the next."""
    positions, further = [], turn
    for digit in reversed(digits):
        further = int(digit) + further
        positions.append(further)
        further /= 10
    return tuple(reversed(positions))
