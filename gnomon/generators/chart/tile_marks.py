"""The marks of treemaps and of maps by region."""

from gnomon.generators.chart import axes, layout
from gnomon.generators.chart.layout import Board
from gnomon.generators.chart.marks import MAPS, colour_at, draw_colour_bar
from gnomon.generators.chart.pen import RGB, Corners, PenLine, Point
from gnomon.generators.chart.style import readable_on
from gnomon.generators.chart.tiles import map_cells, map_grid, treemap_places
from gnomon.generators.rng import Rng


def treemap(board: Board, room: Corners) -> None:
    """Draw a tile for each part, with its name inside, or with a legend if a name does not fit."""
    plan, names = board.plan, board.plan.frame.rows
    places = treemap_places(tuple(plan.column(0)), plan.room.ratio)
    board.plot = _inscribed(room, plan.room.ratio)
    lines = 2 if plan.has_labels else 1
    is_named = all(
        board.small.width(name) + 6 <= x2 - x1 and lines * board.small.line_height + 6 <= y2 - y1
        for name, (x1, y1, x2, y2) in zip(names, map(board.corners, places), strict=True)
    )
    if not is_named:
        board.plot = _inscribed(layout.draw_legend(board, names, int(room[1])), plan.room.ratio)
    edge = PenLine(board.look.style.page, 1.2)
    for row, place in enumerate(places):
        x1, y1, x2, y2 = map(round, board.corners(place))
        fill, middle = board.colour(row), ((x1 + x2) / 2, (y1 + y2) / 2)
        board.mark((row, 0), board.pen.rectangle((x1, y1, x2, y2), fill, edge), middle)
        _write(board, row, middle, fill, is_named=is_named)


def map_of_regions(board: Board, room: Corners) -> None:
    """Draw regions as tiles in a grid or with winding borders, and a colour bar at the side."""
    plan, small, gap = board.plan, board.small, board.gap
    numbers = axes.tick_texts(board, plan.axis, plan.frame.topic)
    bar = max(6, small.digit_height)
    right = room[2] - max(map(small.width, numbers)) - 4 * gap - bar
    board.plot = (room[0] + gap, room[1] + small.digit_height, right, room[3] - gap)
    rng = Rng("map", board.variation.smooth, *plan.frame.rows)
    count, has_borders = len(plan.cells), board.variation.smooth % 2 == 0
    columns, rows = map_grid(count, plan.room.ratio)
    cells = rng.sample(map_cells(count, plan.room.ratio), count)
    colours = MAPS[board.variation.smooth % len(MAPS)]
    shift = 0.1 if has_borders else 0.0

    def place(x: float, y: float) -> Point:
        # The outer border also winds, so the grid is a little smaller than the plot.
        return board.at((x + shift) / (columns + 2 * shift), (y + shift) / (rows + 2 * shift))

    # Neighbours share the points of their border.
    points = {
        (x, y): place(x / 4 + rng.uniform(-shift, shift), y / 4 + rng.uniform(-shift, shift))
        for x in range(4 * columns + 1)
        for y in range(4 * rows + 1)
        if x % 4 == 0 or y % 4 == 0
    }
    line = PenLine(board.look.style.page, 1.2 if has_borders else 3.0)
    for row, (column, level) in enumerate(cells):
        fill = colour_at(colours, plan.axis.share(plan.value((row, 0))))
        border = [points[4 * column + x, 4 * level + y] for x, y in _AROUND]
        middle = place(column + 0.5, level + 0.5)
        board.mark((row, 0), board.pen.polygon(border, fill, line), middle)
        _write(board, row, middle, fill, is_named=True)
    draw_colour_bar(board, colours, (right + 2 * gap, bar), numbers)


# The points around a cell of four by four steps, clockwise.
_AROUND = [
    *((x, 0) for x in range(4)),
    *((4, y) for y in range(4)),
    *((x, 4) for x in range(4, 0, -1)),
    *((0, y) for y in range(4, 0, -1)),
]


def _inscribed(room: Corners, ratio: float) -> Corners:
    """Return the largest plot with this ratio of sides in the middle of a room."""
    x1, y1, x2, y2 = room
    wide = min(x2 - x1, ratio * (y2 - y1))
    tall = wide / ratio
    x, y = (x1 + x2 - wide) / 2, (y1 + y2 - tall) / 2
    return x, y, x + wide, y + tall


def _write(board: Board, row: int, middle: Point, fill: RGB, *, is_named: bool) -> None:
    """Write the name and the value of a tile, each if the tile has it, in its middle."""
    plan, (x, y), ink = board.plan, middle, readable_on(fill)
    apart = board.small.line_height / 2 if is_named and plan.has_labels else 0
    if is_named:
        board.text(plan.frame.rows[row], (x, y - apart), "name", "cm", colour=ink)
    if plan.has_labels:
        board.text(plan.label((row, 0)), (x, y + apart), "value", "cm", colour=ink)
