"""A chart before drawing: its table, its axes, and the questions that it can answer."""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, combinations, pairwise
from math import sqrt
from typing import Any, NamedTuple, TypeAlias

from gnomon.generators.chart.catalog import COLOURED, TYPES, WHOLE_ROWS, WITHOUT_AXIS
from gnomon.generators.chart.spacing import EVEN, Spacing
from gnomon.generators.chart.table import POINTS, Cell, Cells, Frame
from gnomon.generators.chart.tiles import map_grid, treemap_places
from gnomon.generators.wording import decimal_text
from gnomon.sample import Size


class Axis(NamedTuple):
    """Axis from low to high. All numbers are in the smallest unit of the table."""

    low: int
    high: int
    step: int
    """Distance between ticks. 0 for a logarithmic axis, which has ticks at the powers of ten."""

    def share(self, value: float) -> float:
        """Return the place of a value along the axis, 0 to 1."""
        if self.step:
            return (value - self.low) / (self.high - self.low)
        return math.log(value / self.low) / math.log(self.high / self.low)

    @property
    def ticks(self) -> tuple[int, ...]:
        """Values with a number at the axis."""
        if self.step:
            first = -(-self.low // self.step) * self.step
            return tuple(range(first, self.high + 1, self.step))
        decades = round(math.log10(self.high / self.low))
        return tuple(self.low * 10**i for i in range(decades + 1))

    @property
    def small_ticks(self) -> tuple[int, ...]:
        """Minor ticks of a logarithmic axis, 2 to 9 times each power of ten. Empty for other
        axes."""
        if self.step:
            return ()
        return tuple(tick * i for tick in self.ticks[:-1] for i in range(2, 10))

    @property
    def half_steps(self) -> tuple[float, ...]:
        """Values in the middle between two neighbouring numbers."""
        return tuple((a + b) / 2 for a, b in pairwise(self.ticks))

    def gap(self, a: float, b: float, pixels: float) -> float:
        """Return the pixels between two values on an axis of this length."""
        return abs(self.share(a) - self.share(b)) * pixels

    def reading(self, value: int, pixels: int) -> int:
        """Return the error of a careful reading: a tenth of a step, but at least two pixels.

        It is 0 if the smallest unit is at least six pixels high, because such a reading is exact.
        """
        if not self.step:
            return max(1, math.ceil(value / 10))
        unit = pixels / (self.high - self.low)
        return 0 if unit >= 6 else max(math.ceil(self.step / 10), math.ceil(2 / unit))


@lru_cache(maxsize=4096)
def linear(low: int, high: int, most: int, from_zero: bool = True) -> Axis:
    """Build an axis over the values, with at most `most` steps of 1, 2 or 5 powers of ten."""
    if from_zero:
        low, high = min(low, 0), max(high, 0)
    span = max(high - low, 1)
    # The power of ten at or below the smallest possible step.
    power = 10 ** max(0, len(str(span // most)) - 1)
    for step in (power, 2 * power, 5 * power, 10 * power, 20 * power):
        first, last = low // step * step, -(-high // step) * step
        if (last - first) // step <= most:
            return Axis(first, max(last, first + step), step)
    raise AssertionError(f"no step for {low} to {high} in {most}")


@lru_cache(maxsize=1024)
def logarithmic(low: int, high: int) -> Axis:
    """Build an axis of whole decades around the values."""
    first = 10 ** (len(str(low)) - 1)
    # high − 1, so a value of 1,000 ends at its own decade.
    last = 10 ** len(str(high - 1))
    return Axis(first, max(last, 10 * first), 0)


# Cells, series and limits that a question is about.
About: TypeAlias = dict[str, Any]
ROUND = ("pie", "ring", "radar")
SMALLEST = 224
# Radius of the largest bubble, in heights of the letters.
BUBBLE = 1.3
# Smallest distance in pixels between two markers that do not hide each other.
MARKER = 7


class Room(NamedTuple):
    """Smallest room for the plot by size of the picture. A test checks the layout against it."""

    width: int
    height: int
    text: float
    """Height of the letters, as the font size in pixels."""
    size: Size
    """Width and height of the picture."""

    @property
    def ratio(self) -> float:
        """Width of the plot by its height."""
        return self.width / self.height


class ChartPlan(NamedTuple):
    """Table of a chart with its axes and display options."""

    frame: Frame
    cells: Cells
    axis: Axis
    across: Axis | None
    """Axis of the other measure of a scatter plot."""
    has_labels: bool
    """True if each value is written at its mark."""
    room: Room
    coarseness: float = 1.0
    """Pixels of a degraded picture that show as much as one pixel of a clean picture."""
    missing: Cell | None = None
    """Cell without a mark. Questions do not ask about it."""
    spacing: Spacing = EVEN

    @property
    def chart(self) -> str:
        """Type of the chart."""
        return self.frame.chart

    def value(self, cell: Cell) -> int:
        """Return the value of a cell, in the smallest unit of the table."""
        return self.cells[cell[0]][cell[1]]

    def written(self, cell: Cell) -> str:
        """Return the value of a cell as the table shows it. Empty if the value is missing."""
        places = self.frame.topic_of(cell[1]).places
        return "" if cell == self.missing else decimal_text(self.value(cell), places)

    def label(self, cell: Cell) -> str:
        """Return the label next to a cell's mark: the value with the symbol of its unit."""
        written = self.written(cell)
        return written and self.frame.number_text(written, self.frame.topic)

    @property
    def total(self) -> str:
        """The sum of the first column, as a label."""
        topic = self.frame.topic
        return self.frame.number_text(decimal_text(sum(self.column(0)), topic.places), topic)

    @property
    def marked_cells(self) -> list[Cell]:
        """Cells that have a mark."""
        return [cell for cell in self.frame.cells if cell != self.missing]

    def column(self, number: int) -> list[int]:
        """Return the values of a series."""
        return [row[number] for row in self.cells]

    def names(self, pair: Sequence[Cell]) -> tuple[str, ...]:
        """Return a name for each of two cells: the column if they share a row, else the row."""
        frame = self.frame
        one_row = pair[0][0] == pair[1][0]
        return tuple(frame.columns[c] if one_row else frame.rows[r] for r, c in pair)

    @property
    def table(self) -> list[list[str]]:
        """The values as they are displayed."""
        columns = range(len(self.frame.columns))
        return [[self.written((row, c)) for c in columns] for row in range(len(self.cells))]

    @property
    def header(self) -> tuple[str, ...]:
        """First line of the table."""
        measure = f"{self.frame.topic.measure} ({self.frame.topic.unit})"
        return (self.frame.each, *(f"{name} {measure}".strip() for name in self.frame.columns))

    @property
    def is_stacked(self) -> bool:
        """Return True if marks stand on other marks: on those of their row, or of a waterfall."""
        several = self.chart in ("stacked", "area") and len(self.frame.columns) > 1
        return several or self.chart == "waterfall"

    @property
    def length(self) -> int:
        """Smallest length of the value axis, in pixels."""
        if self.chart == "radar":
            return self.room.width // 2
        return self.room.width if self.chart in ("barh", "bullet") else self.room.height

    def error(self, cell: Cell) -> int | None:
        """Return the error of a careful reading, in the smallest unit. None if the value cannot be
        read."""
        if not self.is_free(cell):
            return None
        if self.has_labels:
            return 0
        if self.chart in (*WITHOUT_AXIS, *COLOURED) or (cell[1] == 2 and self.chart == "bubble"):
            return None
        axis, pixels = self.axis_of(cell[1])
        once = axis.reading(self.value(cell), pixels)
        # The value of a stacked segment is the difference of two edges.
        is_first = cell[0 if self.chart == "waterfall" else 1] == 0
        return 2 * once if self.is_stacked and not is_first else once

    def is_apart(self, cell: Cell, other: Cell) -> bool:
        """Return True if the picture shows which of the two is greater."""
        a, b = self.value(cell), self.value(other)
        if self.has_labels or a == b:
            return a != b
        if self.chart in ("pie", "ring"):
            circle = sum(row[0] for row in self.cells)
            return abs(a - b) * 50 >= circle * self.coarseness  # 2 % of it
        if self.chart == "treemap":  # areas that differ by an eighth
            return abs(a - b) * 8 >= max(a, b) * self.coarseness
        if self.chart == "funnel":
            # Two pixels at either side.
            widest = max(self.column(0))
            return abs(a - b) * self.room.width >= 4 * self.coarseness * widest
        if self.chart in COLOURED:
            # A seventh of the colour bar, because similar colours are hard to tell apart.
            return abs(a - b) * 7 >= (self.axis.high - self.axis.low) * self.coarseness
        if self.chart == "bubble" and cell[1] == 2:  # two pixels across, where they are smallest
            # Areas show values, so a radius grows with the square root. The smaller bubbles have
            # 0.75.
            unit = 0.75 * BUBBLE * self.room.text / sqrt(max(row[2] for row in self.cells))
            return unit * abs(sqrt(a) - sqrt(b)) >= self.coarseness
        axis, pixels = self.axis_of(cell[1])
        # A difference of two pixels is visible. For segments, both edges have errors.
        return axis.gap(a, b, pixels) >= (4 if self.is_stacked else 2)

    def axis_of(self, column: int) -> tuple[Axis, int]:
        """Return the axis of a column, and its length in pixels of a clean picture."""
        if self.across is not None and column == 0:
            return self.across, int(self.room.width / self.coarseness)
        return self.axis, int(self.length / self.coarseness)

    @property
    def is_crowded(self) -> bool:
        """Return True if points may hide each other or each other's letters."""
        if self.across is None:
            return False
        text, (width, height) = self.room.text, self.room[:2]
        if self.chart == "bubble":
            # Two bubbles of the largest size side by side.
            width_of_two = height_of_two = 2 * BUBBLE * text + 2
        else:
            width_of_two, height_of_two = 0.8 * text + 8, text + 12
        return any(
            self.across.gap(first[0], second[0], width) < width_of_two
            and self.axis.gap(first[1], second[1], height) < height_of_two
            for first, second in combinations(self.cells, 2)
        )

    def is_free(self, cell: Cell) -> bool:
        """Return True if the cell has a mark and a later series does not cover it."""
        # Lines are drawn in order, and later markers cover earlier markers.
        above = self.cells[cell[0]][cell[1] + 1 :] if self.chart in ("line", "radar") else ()
        gaps = (self.axis.gap(self.value(cell), other, self.length) for other in above)
        return cell != self.missing and all(gap >= MARKER for gap in gaps)


def plot_room(chart: str, size: Size) -> Room:
    """Return the smallest room for a plot in pictures of this size."""
    width, height = size
    # 8 pixels is the smallest readable size. Beyond 22 pixels, letters crowd out the marks.
    text = min(8 + (min(size) - SMALLEST) / 60, 22)
    if chart in ROUND:
        side = int(0.35 * min(size))
        return Room(side, side, text, size)
    return Room(int(0.5 * width), int(0.45 * height), text, size)


def max_rows(chart: str, size: Size, columns: int) -> int:
    """Return the largest number of rows for a chart of this size with readable labels."""
    space, most = plot_room(chart, size), TYPES[chart].most
    if chart in ROUND:
        return most
    if chart == "map":
        name = 3.3 * space.text + 2, 1.1 * space.text
        return max((n for n in range(1, most + 1) if _regions_fit(n, space, *name)), default=0)
    # Smallest width of a slot in pixels: five for each bar of a group, 14 for a cell of a heat
    # map.
    wide = {"grouped": 5.0 * columns + 6, "heatmap": 14.0, "bullet": 2 * space.text}
    wide |= {"histogram": 2.2 * space.text, "bubble": 2.8 * space.text, "funnel": 1.8 * space.text}
    # A vertical name is as wide as a letter is high.
    slot = max(1.3 * space.text + 2, wide.get(chart, 0.0))
    lies = chart in ("barh", "heatmap", "bullet", "funnel")
    # A waterfall has one more bar, the total.
    return min(most, int((space.height if lies else space.width) / slot) - (chart == "waterfall"))


def plan_chart(
    frame: Frame, cells: Cells, size: Size, missing: Cell | None = None, *,
    has_labels: bool, coarseness: float = 1.0, spacing: Spacing = EVEN,
) -> ChartPlan:  # fmt: skip
    """Plan the axes of a table, and values at the marks if wanted and if they fit."""
    chart, space, across = frame.chart, plot_room(frame.chart, size), None
    # 7 pixels is the size of letters that most screens still show.
    space = space._replace(text=min(space.text, max(7.0, space.text * spacing.letters)))
    height = space.height / 2 if chart == "radar" else space.height
    line = spacing.lines * space.text
    up = _max_steps(height, line, spacing.steps)
    wide = _max_steps(space.width / 2, 2 * space.text, spacing.steps)
    if chart in POINTS:
        across, axis = (
            _axis_with_margin([row[0] for row in cells], wide),
            _axis_with_margin([r[1] for r in cells], up),
        )
    else:
        if chart in ("stacked", "area"):
            values = [0, *map(sum, cells)]
        elif chart == "waterfall":
            values = list(accumulate(row[0] for row in cells))
        else:
            values = [value for row in cells for value in row]
        axis = _axis(frame.scale, values, wide if chart in ("barh", "bullet") else up)
        if spacing.ends is not None and axis.step and chart not in _EVEN_AXIS:
            axis = with_ends(axis, values, spacing.ends)
    plan = ChartPlan(frame, cells, axis, across, False, space, coarseness, missing, spacing)
    return plan._replace(has_labels=has_labels and _labels_fit(plan))


def _max_steps(pixels: float, apart: float, most: int) -> int:
    """Return the largest number of steps for which the axis numbers are so many pixels apart."""
    return max(2, min(most, int(pixels / apart)))


# Types whose axis ends at its last number: a ring, a colour bar, or ranges up to the end.
_EVEN_AXIS = ("radar", "bullet", *COLOURED)


def with_ends(axis: Axis, values: list[int], ends: tuple[float, float]) -> Axis:
    """Let the axis begin and end at these distances from the values, if it keeps two numbers."""
    from_zero = axis.low <= 0 <= axis.high
    low, high = min(values), max(values)
    low, high = (min(low, 0), max(high, 0)) if from_zero else (low, high)
    below, above = (round((high - low) * share) for share in ends)
    wider = Axis(low - below, max(high, high + above), axis.step)
    return wider if len(wider.ticks) > 1 else axis


def _axis(scale: str, values: list[int], most: int) -> Axis:
    if scale == "log":
        return logarithmic(min(values), max(values))
    if scale == "truncated":
        return _axis_with_margin(values, most)
    return linear(min(values), max(values), most)


def _axis_with_margin(values: list[int], most: int) -> Axis:
    """Build an axis that does not start at zero, with some room at both ends."""
    low, high = min(values), max(values)
    # Some room at both ends keeps marks off the frame.
    edge = max(1, (high - low) // 15)
    return linear(max(0, low - edge), high + edge, most, from_zero=False)


def fits_upright(space: Room, rows: int, columns: int) -> bool:
    """Return True if values can be written vertically at the bars of groups."""
    return 1.1 * space.text + 3 <= 0.8 * space.width / rows / columns


def label_width(space: Room, letters: int) -> float:
    """Return the room for a value. A digit is at most 0.66 of the letters' height wide."""
    return 0.66 * space.text * letters + 3


def _regions_fit(count: int, space: Room, wide: float, tall: float) -> bool:
    """Return True if a text of this size fits into each region of a map, clear of its borders."""
    columns, rows = map_grid(count, space.ratio)
    return wide <= 0.75 * space.width / columns and tall <= 0.75 * space.height / rows


def _labels_fit(plan: ChartPlan) -> bool:
    """Return True if every value fits at its mark."""
    frame, space = plan.frame, plan.room
    rows, columns = len(frame.rows), len(frame.columns)
    # Values beside several lines would lie on the other lines.
    several = columns > 1 and plan.chart in ("line", "area")
    at_the_axis = plan.spacing.inset < 0.5
    if several or at_the_axis or plan.chart in (*WHOLE_ROWS, "radar", "bullet"):
        return False
    if plan.chart in ("pie", "ring", "barh", "funnel"):
        return True
    longest = max(len(plan.label(cell)) for cell in frame.cells) + frame.short
    wide, tall = label_width(space, longest), 1.1 * space.text + 3
    if plan.chart == "heatmap":
        return wide * columns <= space.width and tall * rows <= space.height
    if plan.chart == "map":
        return _regions_fit(rows, space, wide, 2 * tall)
    if plan.chart == "treemap":
        places = treemap_places(tuple(plan.column(0)), space.ratio)
        return all(
            wide <= (x2 - x1) * space.width and tall <= (y2 - y1) * space.height
            for x1, y1, x2, y2 in places
        )
    slot = space.width / (rows + (plan.chart == "waterfall") + 2 * plan.spacing.inset - 1)
    if plan.chart == "grouped":
        return fits_upright(space, rows, columns)
    if plan.chart == "stacked":
        least = min(map(min, plan.cells))
        return wide <= 0.75 * slot and plan.axis.gap(least, 0, plan.length) >= tall
    return wide <= slot
