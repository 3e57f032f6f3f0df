"""What a chart says before it is drawn: its table, its axes, and what can be read off it."""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from typing import NamedTuple

from gnomon.generators.chart import value_axis as axes
from gnomon.generators.chart.table import POINTS, Cell, Cells, Frame
from gnomon.generators.chart.value_axis import Axis
from gnomon.generators.decimals import pointed
from gnomon.sample import Size

ROUND = ("pie", "ring", "radar")
SMALLEST = 224
BUBBLE = 1.3
"""The radius of the largest bubble, in heights of the letters."""
MARKER = 7
"""Pixels between two markers that do not hide each other."""


class Room(NamedTuple):
    """What a picture of some size has for its plot at the least; the layout's tests hold it."""

    width: int
    height: int
    text: float
    """The height of its letters, in pixels of the font's size."""
    size: Size
    """The picture's."""


class ChartPlan(NamedTuple):
    """A chart as it is meant."""

    frame: Frame
    cells: Cells
    axis: Axis
    across: Axis | None
    """Of a scatter's other measure."""
    labelled: bool
    """Whether each value is written at its mark."""
    room: Room
    worn: float = 1.0
    """How many pixels of a degraded picture tell as much as one of a clean one."""
    missing: Cell | None = None
    """The cell without a mark, of which nothing is asked."""

    @property
    def chart(self) -> str:
        """Which type of chart."""
        return self.frame.chart

    def value(self, cell: Cell) -> int:
        """In the table's smallest unit."""
        return self.cells[cell[0]][cell[1]]

    def written(self, cell: Cell) -> str:
        """As the table displays it; nothing where it is missing."""
        return "" if cell == self.missing else pointed(self.value(cell), self.frame.places(cell[1]))

    def label(self, cell: Cell) -> str:
        """As it is written at its mark."""
        written = self.written(cell)
        return written and self.frame.said(written, self.frame.topic)

    @property
    def stacked(self) -> bool:
        """Whether a row's values stand on one another."""
        return self.chart in ("stacked", "area") and len(self.frame.columns) > 1

    @property
    def length(self) -> int:
        """How long the axis of values is, at the least."""
        if self.chart == "radar":
            return min(self.room.width, self.room.height) // 2
        return self.room.width if self.chart == "barh" else self.room.height

    def error(self, cell: Cell) -> int | None:
        """How far off a careful reading may be, in the smallest unit; None where none can be."""
        if self.labelled:
            return 0
        if self.chart in ("pie", "ring", "heatmap") or (cell[1] == 2 and self.chart == "bubble"):
            return None
        if self.across is not None and cell[1] == 0:
            return self.across.reading(self.value(cell), self.sharp(self.room.width))
        once = self.axis.reading(self.value(cell), self.sharp(self.length))
        return 2 * once if self.stacked and cell[1] else once

    def apart(self, one: Cell, other: Cell) -> bool:
        """Whether it can be seen which of the two is greater."""
        a, b = self.value(one), self.value(other)
        if self.labelled or a == b:
            return a != b
        if self.chart in ("pie", "ring"):
            circle = sum(row[0] for row in self.cells)
            return abs(a - b) * 50 >= circle * self.worn  # 2 % of it
        if self.chart == "heatmap":
            return abs(a - b) * 7 >= (self.axis.high - self.axis.low) * self.worn
        if self.chart == "bubble" and one[1] == 2:  # two pixels across
            return self.smallest_bubble * abs(sqrt(a) - sqrt(b)) >= self.worn
        axis, length = self.axis, self.length
        if self.across is not None and one[1] == 0:
            axis, length = self.across, self.room.width
        return axis.gap(a, b, self.sharp(length)) >= (4 if self.stacked else 2)

    def sharp(self, length: int) -> int:
        """The pixels of a clean picture that tell as much as so many of this one."""
        return int(length / self.worn)

    @property
    def smallest_bubble(self) -> float:
        """The least radius of a bubble of size 1, where the greatest is drawn at its smallest."""
        return 0.75 * BUBBLE * self.room.text / sqrt(max(row[2] for row in self.cells))

    @property
    def crowded(self) -> bool:
        """Whether points may hide each other or each other's letters."""
        if self.across is None:
            return False
        text, (width, height) = self.room.text, self.room[:2]
        if self.chart == "bubble":
            beside = above = 2 * BUBBLE * text + 2
        else:
            beside, above = 0.8 * text + 8, text + 12
        return any(
            self.across.gap(one[0], other[0], width) < beside
            and self.axis.gap(one[1], other[1], height) < above
            for one, other in combinations(self.cells, 2)
        )

    def free(self, cell: Cell) -> bool:
        """Whether its mark is there and no other on it: later series are drawn above it."""
        if cell == self.missing:
            return False
        if self.chart not in ("line", "radar"):
            return True
        row, column = cell
        length = self.length
        return all(
            self.axis.gap(self.value(cell), self.value((row, c)), length) >= MARKER
            for c in range(column + 1, len(self.frame.columns))
        )


def room(chart: str, size: Size) -> Room:
    """The least room for a plot in pictures of that size."""
    width, height = size
    text = min(8 + (min(size) - SMALLEST) / 60, 22)
    if chart in ROUND:
        side = int(0.35 * min(size))
        return Room(side, side, text, size)
    return Room(int(0.5 * width), int(0.45 * height), text, size)


def most_rows(chart: str, size: Size, columns: int) -> int:
    """How many rows a chart of that size can show with every label readable."""
    space = room(chart, size)
    slot = 1.3 * space.text + 2
    if chart in ("pie", "ring", "radar"):
        return 8
    if chart == "scatter":
        return min(16, int(space.width / slot))
    if chart == "bubble":
        return min(8, int(space.width / (2.8 * space.text)))
    if chart == "grouped":
        slot = max(slot, 5.0 * columns + 6)
    if chart == "heatmap":
        slot = max(slot, 14.0)
    if chart == "histogram":
        slot = max(slot, 2.2 * space.text)
    return min(14, int((space.height if chart in ("barh", "heatmap") else space.width) / slot))


def planned(
    frame: Frame, cells: Cells, size: Size, missing: Cell | None = None, *,
    labelled: bool, worn: float = 1.0,
) -> ChartPlan:  # fmt: skip
    """The axes for a table, and labels where they are wanted and there is room for them."""
    space = room(frame.chart, size)
    across = None
    if frame.chart in POINTS:
        xs, ys = [row[0] for row in cells], [row[1] for row in cells]
        across = _roomy(min(xs), max(xs), _most(space.width / 2, space))
        axis = _roomy(min(ys), max(ys), _most(space.height, space))
    else:
        axis = _axis(frame, cells, space)
    plan = ChartPlan(frame, cells, axis, across, False, space, worn, missing)
    return plan._replace(labelled=labelled and _labels_fit(plan))


def _axis(frame: Frame, cells: Cells, space: Room) -> Axis:
    if frame.chart in ("stacked", "area"):
        low, high = 0, max(map(sum, cells))
    else:
        low, high = min(map(min, cells)), max(map(max, cells))
    if frame.scale == "log":
        return axes.logarithmic(low, high)
    if frame.chart == "barh":
        most = _most(space.width / 2, space)
    else:
        most = _most(space.height / (2 if frame.chart == "radar" else 1), space)
    if frame.scale == "truncated":
        return _roomy(low, high, most)
    return axes.linear(low, high, most)


def _most(pixels: float, space: Room) -> int:
    """How many steps an axis may have, two lines of text apart."""
    return max(2, min(8, int(pixels / (2 * space.text))))


def _roomy(low: int, high: int, most: int) -> Axis:
    """An axis that does not begin at zero, with some room at both ends."""
    edge = max(1, (high - low) // 15)
    return axes.linear(max(0, low - edge), high + edge, most, from_zero=False)


def upright_fit(space: Room, rows: int, columns: int) -> bool:
    """Whether values can be written upright at the bars of groups."""
    return 1.1 * space.text + 3 <= 0.8 * space.width / rows / columns


def _labels_fit(plan: ChartPlan) -> bool:
    """Whether every value can be written at its mark: a digit is at most 0.66 of the letters."""
    frame, space = plan.frame, plan.room
    rows, columns = len(frame.rows), len(frame.columns)
    if plan.chart in ("scatter", "bubble", "box"):
        return False
    if plan.chart in ("line", "area", "radar") and (columns > 1 or plan.chart == "radar"):
        return False
    if plan.chart in ("pie", "ring", "barh"):
        return True
    longest = (
        max(len(plan.label((r, c))) for r in range(rows) for c in range(columns)) + frame.short
    )
    wide, tall = 0.66 * space.text * longest + 3, 1.1 * space.text + 3
    if plan.chart == "heatmap":
        return wide * columns <= space.width and tall * rows <= space.height
    slot = space.width / rows
    if plan.chart == "grouped":
        return upright_fit(space, rows, columns)
    if plan.chart == "stacked":
        least = min(map(min, plan.cells))
        return wide <= 0.75 * slot and plan.axis.gap(least, 0, plan.length) >= tall
    return wide <= slot
