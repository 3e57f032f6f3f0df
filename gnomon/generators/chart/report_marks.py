"""The marks of charts in business reports: waterfall, funnel, candlestick and bullet."""

from gnomon.generators.chart import axes, layout
from gnomon.generators.chart.axes import axis_labels
from gnomon.generators.chart.layout import Board
from gnomon.generators.chart.pen import Corners, PenLine
from gnomon.generators.chart.style import mixed


def waterfall(board: Board, room: Corners) -> None:
    """Draw bars that each start where the bar before ends, and the total as the last bar."""
    plan = board.plan
    names = [*plan.frame.rows, "Total"]
    axes.vertical_axes(board, room, names, axis_labels(board))
    slot = board.x(1 / len(names)) - board.x(0)
    half, level = slot * max(board.variation.width, 0.6) / 2, 0
    line = PenLine(mixed(board.look.style.ink, board.look.style.floor, 0.4), 1.0)
    values = plan.column(0)
    for row, value in enumerate([*values, sum(values)]):
        is_total = row == len(values)
        start, level = (0, value) if is_total else (level, level + value)
        foot, end = (board.y(plan.axis.share(v)) for v in (start, level))
        middle = board.x((row + 0.5) / len(names))
        sides = round(middle - half), round(middle + half)
        fill = board.colour(2 if is_total else int(value < 0))
        corners = (sides[0], min(foot, end), sides[1], max(foot, end))
        shape = board.pen.rectangle(corners, fill, board.edge)
        if not is_total:
            board.mark((row, 0), shape, (middle, end))
            # The level is carried to the next bar.
            board.pen.path([(sides[1], end), (sides[1] + slot - 2 * half, end)], None, line)
        if plan.has_labels:
            text = plan.total if is_total else plan.label((row, 0))
            board.text(text, (middle, min(foot, end) - 2), "value", "cb")
    layout.draw_zero_line(board)


def funnel(board: Board, room: Corners) -> None:
    """Draw a centred bar for each stage, one below the other, or slopes from stage to stage."""
    plan, small, gap = board.plan, board.small, board.gap
    rows, values = plan.frame.rows, plan.column(0)
    label = max(small.width(plan.label((row, 0))) for row in range(len(rows)))
    x1 = room[0] + max(map(small.width, rows)) + 2 * gap
    x2 = room[2] - gap - (label + gap if plan.has_labels else 0)
    board.plot = (x1, room[1] + gap, x2, room[3] - gap)
    middle, has_slopes = board.x(0.5), board.variation.smooth % 2 == 0
    height = board.plot[3] - board.plot[1]
    air = 1 if has_slopes else max(1, round((1 - board.variation.width) * height / len(rows) / 2))
    halves = [(x2 - x1) / 2 * value / max(values) for value in values]
    for row, half in enumerate(halves):
        top, bottom = (round(board.y(1 - (row + i) / len(rows))) for i in (0, 1))
        top, bottom = top + air, bottom - air
        lower = halves[row + 1] if has_slopes and row + 1 < len(rows) else half
        points = [
            *((middle + x, top) for x in (-half, half)),
            *((middle + x, bottom) for x in (lower, -lower)),
        ]
        fill = board.colour(row if board.variation.smooth % 3 else 0)
        shape = board.pen.polygon(points, fill, board.edge)
        board.mark((row, 0), shape, (middle + half, top))
        y = (top + bottom) / 2
        board.text(rows[row], (x1 - gap, y), "tick", "rm")
        if plan.has_labels:
            board.text(plan.label((row, 0)), (middle + half + gap, y), "value", "lm")


def candlestick(board: Board, room: Corners) -> None:
    """Draw a candle for each row: a body from open to close on a line from low to high."""
    plan = board.plan
    axes.vertical_axes(board, room, list(plan.frame.rows), axis_labels(board))
    slot = board.x(1 / len(plan.cells)) - board.x(0)
    half = max(2, round(slot * board.variation.width / 2.6))
    for row, prices in enumerate(plan.cells):
        middle = round(board.x((row + 0.5) / len(plan.cells)))
        start, high, low, end = (board.y(plan.axis.share(price)) for price in prices)
        top, bottom = min(start, end), max(start, end)
        fill = board.colour(0 if end < start else 1)
        ink = PenLine(mixed(fill, board.look.style.ink, 0.4), 1.2)
        # One outline around body and lines, so that the box of the shape contains both.
        right = [(0.4, high), (0.4, top), (half, top), (half, bottom), (0.4, bottom), (0.4, low)]
        outline = [*right, *((-x, y) for x, y in reversed(right))]
        points = [(middle + x, y) for x, y in outline]
        shape = board.pen.polygon(points, fill, ink)
        board.mark((row, 0), shape, (middle, end))


def bullet(board: Board, room: Corners) -> None:
    """Draw bars to the right on grey bands, each with a stroke at its target."""
    plan, style = board.plan, board.look.style
    axes.horizontal_axes(board, room, list(plan.frame.rows), axis_labels(board))
    slot = board.y(0) - board.y(1 / len(plan.cells))
    foot = board.x(plan.axis.share(0))
    for row, values in enumerate(plan.cells):
        middle = board.y(1 - (row + 0.5) / len(plan.cells))
        for share, tone in ((1.0, 0.04), (0.75, 0.08), (0.5, 0.11)):
            corners = (foot, round(middle - 0.4 * slot), board.x(share), round(middle + 0.4 * slot))
            board.pen.rectangle(corners, mixed(style.floor, style.ink, tone))
        for column, (value, half) in enumerate(zip(values, (0.15, 0.3), strict=True)):
            x = board.x(plan.axis.share(value))
            sides = (foot, x) if column == 0 else (x - 1.5, x + 1.5)
            corners = (sides[0], round(middle - half * slot), sides[1], round(middle + half * slot))
            shape = board.pen.rectangle(corners, board.colour(column))
            board.mark((row, column), shape, (x, middle))
