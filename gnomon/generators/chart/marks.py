"""The marks of all types of charts: rectangles, lines, points, slices and rings."""

import math
from functools import lru_cache

from gnomon.generators.chart import axes, layout
from gnomon.generators.chart.axes import axis_labels, tick_texts
from gnomon.generators.chart.layout import Board
from gnomon.generators.chart.pen import RGB, Corners, PenLine, Point, Shape
from gnomon.generators.chart.scene import BUBBLE
from gnomon.generators.chart.spacing import INSET
from gnomon.generators.chart.style import mixed, readable_on
from gnomon.generators.chart.table import Cell

_HATCHES = ("//", "\\\\", "xx", "..")


def bar(board: Board, room: Corners) -> None:
    """Draw upright bars: one per row, or one for each series side by side."""
    plan = board.plan
    axes.vertical_axes(board, room, list(plan.frame.rows), axis_labels(board))
    columns = len(plan.frame.columns)
    slot = board.slot(0, len(plan.cells))[1] * (board.plot[2] - board.plot[0])
    # Bars of a group share 86 % of their slot, whatever the style.
    width = slot * (board.variation.width if columns == 1 else 0.86) / columns
    for row, column in plan.marked_cells:
        left = board.x(board.slot(row, len(plan.cells))[0]) - width * columns / 2
        sides = round(left + width * column), round(left + width * (column + 1))
        _bar(board, (row, column), sides)
    layout.draw_zero_line(board)


def barh(board: Board, room: Corners) -> None:
    """Draw bars to the right, the first row on top."""
    plan = board.plan
    axes.horizontal_axes(board, room, list(plan.frame.rows), axis_labels(board))
    slot = board.slot(0, len(plan.cells))[1] * (board.plot[3] - board.plot[1])
    half = slot * board.variation.width / 2
    for cell in plan.marked_cells:
        middle = board.y(1 - board.slot(cell[0], len(plan.cells))[0])
        _bar(board, cell, (round(middle - half), round(middle + half)), middle)
    layout.draw_zero_line(board, across=True)


def _bar(board: Board, cell: Cell, sides: tuple[int, int], name_y: float | None = None) -> None:
    """Draw a bar from zero, or from the end of an axis without zero."""
    plan, axis, value = board.plan, board.plan.axis, board.plan.value(cell)
    place = board.y if name_y is None else board.x
    # On an axis without zero, bars start at its end.
    end, foot = place(axis.share(value)), place(axis.share(0) if axis.step and axis.low <= 0 else 0)
    corners: Corners
    first, last, sign = min(end, foot), max(end, foot), 1 if value >= 0 else -1
    if name_y is None:
        middle, vertical = sum(sides) / 2, len(plan.frame.columns) > 1
        corners, at = (sides[0], first, sides[1], last), (middle, end)
        label, anchors = (middle, end - 2 * sign), ("lm", "rm") if vertical else ("cb", "ct")
    else:
        corners, at, vertical = (first, sides[0], last, sides[1]), (end, name_y), False
        label, anchors = (end + 3 * sign, name_y), ("lm", "rm")
    board.mark(cell, _filled(board, cell, corners), at)
    if plan.has_labels:
        anchor = anchors[value < 0]
        board.text(plan.label(cell), label, "value", anchor, vertical=vertical)


def _filled(board: Board, cell: Cell, corners: Corners) -> Shape:
    """Draw a bar in the colour of its series. Rows of a single series may differ."""
    # In one chart of four, each row of a single series has its own colour.
    rows_differ = len(board.plan.frame.columns) == 1 and board.variation.smooth % 4 == 0
    number = cell[0] if rows_differ and board.plan.chart != "histogram" else cell[1]
    hatch = _HATCHES[cell[1] % 4] if board.variation.hatched else None
    fill, line, pale = board.colour(number), board.edge, board.plan.spacing.pale
    if pale and board.plan.chart in INSET:
        fill, line = mixed(fill, board.look.style.floor, pale), PenLine(fill, 1.0)
    if hatch and line is None:
        # Hatches have the colour of the line. Without a line they are a darker or lighter tone.
        line = PenLine(mixed(board.colour(number), readable_on(board.colour(number)), 0.4), 1.0)
    return board.pen.rectangle(corners, fill, line, hatch=hatch)


def stacked(board: Board, room: Corners) -> None:
    """Draw series on top of one another."""
    plan = board.plan
    axes.vertical_axes(board, room, list(plan.frame.rows), axis_labels(board))
    slot = board.x(1 / len(plan.cells)) - board.x(0)
    for row, values in enumerate(plan.cells):
        middle, foot = board.x((row + 0.5) / len(plan.cells)), 0
        # Broad enough for a number in each segment.
        half = slot * max(board.variation.width, 0.76) / 2
        for column, value in enumerate(values):
            top, bottom = (board.y(plan.axis.share(v)) for v in (foot + value, foot))
            corners = (round(middle - half), top, round(middle + half), bottom)
            board.mark((row, column), _filled(board, (row, column), corners), (middle, top))
            if plan.has_labels:
                ink = readable_on(board.colour(column))
                at = (middle, (top + bottom) / 2)
                board.text(plan.label((row, column)), at, "value", "cm", colour=ink)
            foot += value


def histogram(board: Board, room: Corners) -> None:
    """Draw bars side by side over the edges of their bins."""
    plan = board.plan
    across = plan.frame.topics[1]
    count = len(plan.cells)
    width = (across.high - across.low) // count
    edges = [str(across.low + width * i) for i in range(count + 1)]
    labels = (f"{across.measure} ({across.unit})", plan.frame.topic.measure)
    axes.vertical_axes(board, room, edges, labels, edges=True)
    for row in range(count):
        _bar(board, (row, 0), (round(board.x(row / count)), round(board.x((row + 1) / count))))


def box(board: Board, room: Corners) -> None:
    """Draw boxes from quartile to quartile with the median in them, and whiskers to both ends."""
    plan = board.plan
    axes.vertical_axes(board, room, list(plan.frame.rows), axis_labels(board))
    slot = board.x(1 / len(plan.cells)) - board.x(0)
    ink = PenLine(board.look.style.ink, 1.2)
    for row, values in enumerate(plan.cells):
        middle, half = board.x((row + 0.5) / len(plan.cells)), slot * board.variation.width / 2.6
        low, first, median, third, high = (board.y(plan.axis.share(v)) for v in values)
        for start, end in ((low, first), (third, high)):
            board.pen.path([(middle, start), (middle, end)], None, ink)
        for end in (low, high):
            board.pen.path([(middle - half / 2, end), (middle + half / 2, end)], None, ink)
        # Half of the charts give every group the same colour.
        fill = board.colour(row if board.variation.smooth % 2 else 0)
        shape = board.pen.rectangle((middle - half, third, middle + half, first), fill, ink)
        centre = PenLine(readable_on(fill), 1.6)
        board.pen.path([(middle - half + 1, median), (middle + half - 1, median)], None, centre)
        board.mark((row, 0), shape, (middle, median))


MAPS = ("viridis", "Blues", "Greens", "Oranges", "YlGnBu", "cividis", "magma")


def heatmap(board: Board, room: Corners) -> None:
    """Draw a coloured cell for each value, with a colour bar at the side."""
    plan, small, gap = board.plan, board.small, board.gap
    rows, columns = len(plan.cells), len(plan.frame.columns)
    numbers = axes.tick_texts(board, plan.axis, plan.frame.topic)
    bar = max(6, round(small.digit_height))
    right = room[2] - gap - max(map(small.width, numbers)) - 2 * gap - bar - gap
    left = room[0] + max(map(small.width, plan.frame.rows)) + gap
    slot = (right - left) / columns
    flat = max(map(small.width, plan.frame.columns)) + 3 <= slot
    # Names of columns that do not fit side by side are vertical.
    tall = small.line_height if flat else max(map(small.width, plan.frame.columns))
    board.plot = (left, room[1] + small.digit_height, right, room[3] - tall - gap - 2)
    colours = MAPS[board.variation.smooth % len(MAPS)]
    for row, column in plan.marked_cells:
        x1, x2 = (round(board.x((column + i) / columns)) for i in (0, 1))
        y1, y2 = (round(board.y(1 - (row + i) / rows)) for i in (0, 1))
        fill = colour_at(colours, plan.axis.share(plan.value((row, column))))
        middle = ((x1 + x2) / 2, (y1 + y2) / 2)
        board.mark((row, column), board.pen.rectangle((x1, y1, x2, y2), fill), middle)
        if plan.has_labels:
            label = plan.label((row, column))
            board.text(label, middle, "value", "cm", colour=readable_on(fill))
    for row, name in enumerate(plan.frame.rows):
        board.text(name, (left - gap, board.y(1 - (row + 0.5) / rows)), "tick", "rm")
    for column, name in enumerate(plan.frame.columns):
        at = (board.x((column + 0.5) / columns), board.plot[3] + gap)
        board.text(name, at, "tick", "ct" if flat else "rm", vertical=not flat)
    draw_colour_bar(board, colours, (right + 2 * gap, bar), numbers)


def draw_colour_bar(
    board: Board, colours: str, place: tuple[float, int], numbers: list[str]
) -> None:
    """Draw the colour bar from the lowest to the highest value."""
    x, width = place
    top, bottom = board.plot[1], board.plot[3]
    # Steps of the colour bar, finer than the eye can distinguish.
    steps = 48
    for i in range(steps):
        ends = [round(bottom + (top - bottom) * share / steps) for share in (i + 1, i)]
        fill = colour_at(colours, (i + 0.5) / steps)
        board.pen.rectangle((x, ends[0], x + width, ends[1]), fill)
    line = PenLine(board.look.style.ink, 0.8)
    board.pen.rectangle((x, top, x + width, bottom), None, line, snap=True)
    for value, number in zip(board.plan.axis.ticks, numbers, strict=True):
        at = (x + width + board.gap, board.y(board.plan.axis.share(value)))
        board.text(number, at, "tick", "lm")


@lru_cache(maxsize=8192)
def colour_at(name: str, share: float) -> RGB:
    """Return the colour at a share of a colour map."""
    from matplotlib import colormaps

    # The ends of a colour map, nearly black or white, are left out.
    red, green, blue, _ = colormaps[name](0.08 + 0.84 * share)
    return float(red), float(green), float(blue)


MARKS = ("o", "s", "^", "D")
RADIUS = 3.2


def line(board: Board, room: Corners) -> None:
    """Draw a line for each series, with a marker at each value."""
    plan = board.plan
    axes.vertical_axes(board, room, list(plan.frame.rows), axis_labels(board))
    layout.draw_zero_line(board)
    series = [_points(board, plan.column(c)) for c in range(len(plan.frame.columns))]
    for column, points in enumerate(series):
        # If the style has hatches, lines differ by dashes, in multiples of their width.
        dashes = ((), (5, 2), (1.5, 1.5), (6, 2, 1, 2))[
            column % 4 if board.variation.hatched else 0
        ]
        stroke = PenLine(board.colour(column), board.variation.lines, dashes)
        gap = next((r for r in range(len(points)) if (r, column) == plan.missing), len(points))
        # A missing value breaks the line in two.
        for part in filter(None, (points[:gap], points[gap + 1 :])):
            board.pen.path(part, None, stroke)
    for row, column in sorted(plan.marked_cells, key=lambda cell: cell[1]):
        marker = MARKS[column % 4] if board.variation.smooth % 2 else board.variation.marker
        at = series[column][row]
        shape = board.pen.mark(at, RADIUS, marker, board.colour(column), board.edge)
        board.mark((row, column), shape, at)
    if plan.has_labels:
        _write_values(board, series[0])


def area(board: Board, room: Corners) -> None:
    """Fill the area under a line. Several series are stacked."""
    plan = board.plan
    axes.vertical_axes(board, room, list(plan.frame.rows), axis_labels(board))
    below = [0] * len(plan.cells)
    for column in range(len(plan.frame.columns)):
        above = [foot + row[column] for foot, row in zip(below, plan.cells, strict=True)]
        tops, feet = _points(board, above), _points(board, below)
        shape = board.pen.polygon([*tops, *feet[::-1]], board.colour(column), board.edge)
        for row, at in enumerate(tops):
            board.mark((row, column), shape, at)
        below = above
    if plan.has_labels:
        _write_values(board, _points(board, below))


def _points(board: Board, values: list[int]) -> list[Point]:
    axis, count = board.plan.axis, len(values)
    return [
        (board.x(board.slot(i, count)[0]), board.y(axis.share(v))) for i, v in enumerate(values)
    ]


def _write_values(board: Board, points: list[Point]) -> None:
    """Write each value above its point."""
    for row, (x, y) in enumerate(points):
        if (row, 0) != board.plan.missing:
            board.text(board.plan.label((row, 0)), (x, y - RADIUS - 3), "value", "cb")


def scatter(board: Board, room: Corners) -> None:
    """Draw points with their letters above them."""
    for row, (x, y) in enumerate(_draw_axes(board, room)):
        shape = board.pen.mark((x, y), 3.6, board.variation.marker, board.colour(0), board.edge)
        board.mark((row, 0), shape, (x, y))
        board.text(board.plan.frame.rows[row], (x, y - 6), "name", "cb")


def bubble(board: Board, room: Corners) -> None:
    """Draw circles whose area is the third value, with their letters inside."""
    plan = board.plan
    largest = max(row[2] for row in plan.cells)
    # In half of the charts, bubbles are a quarter smaller.
    reach = BUBBLE * plan.room.text * (1.0 - 0.25 * (board.variation.smooth % 2))
    for row, (x, y) in enumerate(_draw_axes(board, room)):
        fill = board.colour(row if board.variation.smooth % 3 == 0 else 0)
        # Areas show values, so radii grow with the square root.
        radius = reach * (plan.cells[row][2] / largest) ** 0.5
        edge = PenLine(mixed(fill, board.look.style.floor, 0.6), 1.0)
        shape = board.pen.mark((x, y), radius, "o", fill, edge)
        board.mark((row, 0), shape, (x, y))
        board.text(plan.frame.rows[row], (x, y), "name", "cm", colour=readable_on(fill))


def _draw_axes(board: Board, room: Corners) -> list[Point]:
    """Draw both axes. Return the places of the points."""
    plan, (across, up) = board.plan, board.plan.frame.topics[:2]
    axes.numeric_axes(
        board, room, (axes.measure_label(plan.frame, across), axes.measure_label(plan.frame, up))
    )
    assert plan.across is not None
    x, y = plan.across.share, plan.axis.share
    return [(board.x(x(row[0])), board.y(y(row[1]))) for row in plan.cells]


def pie(board: Board, room: Corners) -> None:
    """Draw slices clockwise from the top, named in the legend. A ring has a hole."""
    plan, small = board.plan, board.small
    hole = 0.55 if plan.chart == "ring" else 0.0
    values = [row[0] for row in plan.cells]
    texts = [plan.label((row, 0)) for row in range(len(values))]
    wide = max(map(small.width, texts)) if plan.has_labels else 0
    # A ring does not have room for numbers. Half of the pies have the numbers outside.
    outside = plan.has_labels and (hole > 0 or board.variation.smooth % 2 == 0)
    margin = (wide + small.digit_height) / 2 + 4 if outside else 2
    centre = ((room[0] + room[2]) / 2, (room[1] + room[3]) / 2)
    radius = min((room[2] - room[0]) / 2 - margin - wide / 4, (room[3] - room[1]) / 2 - margin)
    board.plot = (centre[0] - radius, centre[1] - radius, centre[0] + radius, centre[1] + radius)
    # Clockwise from the top, in degrees counted from the right as in matplotlib.
    start, total = 90.0 - 360 * plan.spacing.turn, sum(values)
    way = -1 if plan.spacing.clockwise else 1
    edge = PenLine(board.look.style.page, 1.2)
    for row, value in enumerate(values):
        end = start + way * 360 * value / total
        fill = board.colour(row)
        shape = board.pen.wedge(
            centre, radius, hole, (min(start, end), max(start, end)), fill, edge
        )
        middle = math.radians((start + end) / 2)
        # At 0.72 of the radius a slice is wide, and its number is far from the rim.
        reach = radius + margin - 2 if outside else 0.72 * radius
        board.mark((row, 0), shape, _on(centre, middle, radius * (1 + hole) / 2))
        if plan.has_labels:
            ink = None if outside else readable_on(fill)
            board.text(texts[row], _on(centre, middle, reach), "value", "cm", colour=ink)
        start = end


def radar(board: Board, room: Corners) -> None:
    """Draw a closed line for each series around axes from the middle."""
    plan, small = board.plan, board.small
    count = len(plan.frame.rows)
    wide = max(map(small.width, plan.frame.rows)) + 8
    centre = ((room[0] + room[2]) / 2, (room[1] + room[3]) / 2)
    radius = min((room[2] - room[0]) / 2 - wide, (room[3] - room[1]) / 2 - small.line_height - 6)
    board.plot = (centre[0] - radius, centre[1] - radius, centre[0] + radius, centre[1] + radius)
    angles = [math.pi / 2 - 2 * math.pi * i / count for i in range(count)]
    _web(board, centre, radius, angles)
    for column in range(len(plan.frame.columns)):
        points = [_on(centre, a, radius * plan.axis.share(row[column]))
                  for a, row in zip(angles, plan.cells, strict=True)]  # fmt: skip
        colour = board.colour(column)
        board.pen.polygon(points, colour, None, alpha=0.18)
        board.pen.polygon(points, None, PenLine(colour, board.variation.lines))
        for row, at in enumerate(points):
            board.mark((row, column), board.pen.mark(at, 3.0, "o", colour), at)
    for name, angle in zip(plan.frame.rows, angles, strict=True):
        x, y = _on(centre, angle, radius + 6)
        across = "c" if abs(math.cos(angle)) < 0.1 else "l" if math.cos(angle) > 0 else "r"
        # A name lies outside the plot: above its upper half, below its lower half.
        down = "b" if math.sin(angle) > 0.5 else "t" if math.sin(angle) < -0.5 else "m"
        board.text(name, (x, y), "tick", across + down)


def _web(board: Board, centre: Point, radius: float, angles: list[float]) -> None:
    """Draw rings at the ticks with their numbers between the first two axes, and the axes."""
    plan, style = board.plan, board.look.style
    floor, grid = board.look.style.floor, style.grid
    if grid == floor or style.rules == "-":
        grid = mixed(board.look.style.ink, floor, 0.75)
    board.pen.polygon([_on(centre, a, radius) for a in angles], floor, PenLine(grid, 1.0))
    for value in plan.axis.ticks[1:]:
        ring = [_on(centre, a, radius * plan.axis.share(value)) for a in angles]
        board.pen.polygon(ring, None, PenLine(grid, 0.8))
    for angle in angles:
        board.pen.path([centre, _on(centre, angle, radius)], None, PenLine(grid, 0.8))
    between = (angles[0] + angles[1]) / 2
    # Between two axes, a ring of straight lines comes closer to the middle.
    inner = math.cos((angles[0] - angles[1]) / 2)
    for value, text in zip(
        plan.axis.ticks, tick_texts(board, plan.axis, plan.frame.topic), strict=True
    ):
        at = _on(centre, between, radius * inner * plan.axis.share(value))
        # The axes meet at 0, where a number would hide the middle.
        if value:
            board.text(text, at, "tick", "cm")


def _on(centre: Point, angle: float, radius: float) -> Point:
    return centre[0] + radius * math.cos(angle), centre[1] - radius * math.sin(angle)
