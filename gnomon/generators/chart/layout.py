"""The parts around a plot: title, legend, ground, grid and frame. Each part is measured first."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from gnomon.generators.chart.pen import (
    RGB,
    Corners,
    Pen,
    PenLine,
    Point,
    Shape,
    SizedFont,
    ink_mask,
)
from gnomon.generators.chart.scene import ChartPlan
from gnomon.generators.chart.style import ChartLook, mixed, rgb
from gnomon.generators.chart.table import Cell


class Variation(NamedTuple):
    """Random choices within a style."""

    title: str
    legend: str
    """Side of the plot on which the legend is drawn: top, bottom or right."""
    width: float
    """Width of bars, as a share of their slots."""
    marker: str
    lines: float
    """Width of lines in pixels."""
    hatched: bool
    smooth: int
    """Random number for further choices of each type."""


class ValueMark(NamedTuple):
    """Mark that shows a value."""

    cell: Cell
    shape: Shape
    at: Point
    """Point of the mark that shows the value, for example the end of a bar, in pixels."""


@dataclass
class Board:
    """Chart during drawing: the pen and, after the layout, the place of the plot."""

    pen: Pen
    plan: ChartPlan
    look: ChartLook
    variation: Variation
    plot: Corners = (0, 0, 0, 0)
    marks: list[ValueMark] = field(default_factory=list)

    @cached_property
    def small(self) -> SizedFont:
        """Font of numbers and names."""
        plain, _, larger = self.look.files
        return SizedFont(plain, round(self.plan.room.text * larger, 1))

    @cached_property
    def bold(self) -> SizedFont:
        """Font of the title, shrunk until the title fits."""
        plain, bold, larger = self.look.files
        font = bold if self.look.style.title.endswith("bold") else plain
        # A title is a fifth larger than the other texts, or as large as its room allows.
        size = round(1.2 * self.plan.room.text * larger, 1)
        wide = SizedFont(font, size).width(self.variation.title)
        room = self.pen.size[0] - 5 * self.gap
        return SizedFont(font, size if wide <= room else int(9.7 * size * room / wide) / 10)

    @property
    def gap(self) -> int:
        """Distance between neighbouring parts."""
        return max(3, round(0.45 * self.plan.room.text))

    def colour(self, number: int) -> RGB:
        """Return the colour of a series or of a part."""
        return self.look.colours[number % len(self.look.colours)]

    @cached_property
    def edge(self) -> PenLine | None:
        """Return the line around marks."""
        edge = self.look.style.edge
        return None if edge == "-" else PenLine(rgb(edge), 1.0)

    def text(self, text: str, at: Point, role: str, anchor: str, *, vertical: bool = False,
             turned: bool = False, colour: RGB | None = None, face: SizedFont | None = None,
             ) -> Corners:  # fmt: skip
        """Write a text in the style's font and ink. Return its box."""
        ink = colour or self.look.style.ink
        font = face or self.small
        return self.pen.text(text, at, font, ink, role, anchor, vertical=vertical, turned=turned)

    def mark(self, cell: Cell, shape: Shape, at: Point) -> None:
        """Store the drawn shape of a value and the place that shows the value."""
        self.marks.append(ValueMark(cell, shape, at))

    def x(self, share: float) -> float:
        """Return the pixel column at a share of the plot's width, from the left."""
        return self.plot[0] + share * (self.plot[2] - self.plot[0])

    def y(self, share: float) -> float:
        """Return the pixel row at a share of the plot's height, from below."""
        return self.plot[3] - share * (self.plot[3] - self.plot[1])

    def slot(self, number: int, count: int) -> tuple[float, float]:
        """Return the middle and the width of a slot, in shares of the side with the names."""
        inset = self.plan.spacing.inset
        slots = count - 1 + 2 * inset
        return (number + inset) / slots, 1 / slots

    def at(self, x: float, y: float) -> Point:
        """Return the pixel at shares of the plot's width and height, from the top left."""
        return self.x(x), self.y(1 - y)

    def corners(self, place: Corners) -> Corners:
        """Return the pixels of a place in shares of the plot, from the top left."""
        return *self.at(*place[:2]), *self.at(*place[2:])


def draw_title(board: Board) -> int:
    """Draw the title. Return the first row below it."""
    top = board.gap
    extra = board.look.style.extra
    if extra and extra != "sketch":
        tag = (2 * board.gap, 0, 5 * board.gap, board.gap)
        board.pen.rectangle(tag, rgb(extra))
        top += board.gap
    is_left = board.look.style.title.startswith("left")
    x = 2 * board.gap if is_left else board.pen.size[0] / 2
    face = board.bold
    at = (x, top + face.line_height - descent(face))
    board.text(board.variation.title, at, "title", "lb" if is_left else "cb", face=face)
    return top + face.line_height + board.gap


def draw_legend(board: Board, names: Sequence[str], top: int) -> Corners:
    """Draw the legend into the room under the title. Return the remaining room."""
    width, height = board.pen.size
    room = (board.gap, top, width - board.gap, height - board.gap)
    if len(names) < 2:
        return room
    side = board.small.digit_height
    widths = [side + board.gap + board.small.width(name) + 2 * board.gap for name in names]
    line, position = board.small.line_height + board.gap, board.variation.legend
    # A legend at the side takes at most a quarter of the width. Small pictures do not have one.
    if position == "right" and max(widths) < 0.25 * width and width >= 360:
        left = width - board.gap - max(widths)
        for number, name in enumerate(names):
            _draw_entry(board, number, name, (left, top + line * number))
        return room[0], room[1], left - board.gap, room[3]
    # A legend on top or below is broken into rows like words.
    rows = _legend_rows(widths, width - 2 * board.gap)
    bottom = height - board.gap - line * len(rows)
    y = top if position == "top" else bottom
    for row in rows:
        x = (width - sum(widths[i] for i in row)) // 2 + board.gap
        for number in row:
            _draw_entry(board, number, names[number], (x, y))
            x += widths[number]
        y += line
    if position == "top":
        return room[0], y + board.gap // 2, room[2], room[3]
    return room[0], room[1], room[2], bottom


def _draw_entry(board: Board, number: int, name: str, at: tuple[int, int]) -> None:
    """Draw an entry of the legend: a patch of the colour, and the name."""
    side = board.small.digit_height
    small = board.small
    above_digits = small.line_height - small.digit_height - descent(small)
    x, y = at[0], at[1] + max(0, above_digits)
    board.pen.rectangle((x, y, x + side, y + side), board.colour(number), board.edge)
    board.text(name, (x + side + board.gap, y), "legend", "lt")


def _legend_rows(widths: list[int], room: int) -> list[list[int]]:
    """Break a legend into rows of entry numbers."""
    rows: list[list[int]] = [[]]
    for number, width in enumerate(widths):
        if rows[-1] and sum(widths[i] for i in rows[-1]) + width > room:
            rows.append([])
        rows[-1].append(number)
    return rows


def draw_ground(board: Board, *, across: bool = False) -> None:
    """Draw the ground and the grid of the plot. The frame follows, above the marks."""
    style, plan = board.look.style, board.plan
    board.pen.rectangle(board.plot, board.look.style.floor)
    x1, y1, x2, y2 = board.plot
    board.plot = x1 + 0.5, y1 + 0.5, x2 + 0.5, y2 + 0.5  # a line is centred on its pixels' middle
    # Then the style does not have a grid.
    if style.rules == "-":
        return
    grid = PenLine(style.grid, 0.8, (4, 3) if style.dashed == "yes" else ())
    if style.rules == "m":
        faint = grid._replace(width=0.4)
        for value in plan.axis.half_steps:
            _draw_rule(board, plan.axis.share(value), faint, across=across)
    for value in plan.axis.ticks:
        _draw_rule(board, plan.axis.share(value), grid, across=across)
    if plan.across is not None and style.rules == "b":
        for value in plan.across.ticks:
            _draw_rule(board, plan.across.share(value), grid, across=True)


def _draw_rule(board: Board, share: float, line: PenLine, *, across: bool) -> None:
    """Draw a line across the plot at a share of an axis."""
    x1, y1, x2, y2 = board.plot
    x, y = board.x(share), board.y(share)
    board.pen.path([(x, y1), (x, y2)] if across else [(x1, y), (x2, y)], None, line, snap=True)


def draw_frame(board: Board) -> None:
    """Draw the lines around the plot, above the marks."""
    style = board.look.style
    x1, y1, x2, y2 = board.plot
    line = PenLine(style.frame, 1.0)
    sides = {"l": [(x1, y1), (x1, y2)], "b": [(x1, y2), (x2, y2)],
             "r": [(x2, y1), (x2, y2)], "t": [(x1, y1), (x2, y1)]}  # fmt: skip
    for side in style.sides.strip("-"):
        board.pen.path(sides[side], None, line, snap=True)


def draw_zero_line(board: Board, *, across: bool = False) -> None:
    """Draw a line at zero if values lie on both sides of it."""
    axis = board.plan.axis
    if axis.ticks[0] < 0 < axis.high:
        line = PenLine(mixed(board.look.style.ink, board.look.style.floor, 0.3), 1.0)
        _draw_rule(board, axis.share(0), line, across=across)


def descent(face: SizedFont) -> int:
    """Return how many pixels letters hang below their line."""
    return ink_mask("gj", face)[1]
