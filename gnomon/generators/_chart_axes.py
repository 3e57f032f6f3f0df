"""The axes of a chart with their numbers and names, measured before the plot gets what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.generators._chart_layout import below, floor
from gnomon.generators._chart_pen import Line
from gnomon.generators._chart_style import rgb
from gnomon.generators._sum import pointed

if TYPE_CHECKING:
    from gnomon.generators._chart_axis import Axis
    from gnomon.generators._chart_layout import Board
    from gnomon.generators._chart_pen import Corners, Point


def upward(board: Board, room: Corners, names: list[str], labels: tuple[str, str], *,
           edges: bool = False) -> None:  # fmt: skip
    """Axes with values upwards and names below; `edges` puts the names between the slots."""
    plan, small, gap = board.plan, board.small, board.gap
    numbers = tick_texts(plan.axis, plan.frame.topic.places)
    tick = 0 if board.look.style.ticks == "-" else 4
    room = _side_label(board, room, labels[1])
    left = room[0] + max(map(small.width, numbers)) + gap + tick
    right = room[2] - gap
    bottom = _under_label(board, room[3], labels[0], (left, right))
    slot = (right - left) / max(1, len(names) - edges)
    flat = max(map(small.width, names)) + 4 <= slot
    right -= small.width(names[-1]) // 2 if edges and flat else 0
    drop = small.capital if edges else 0  # below the lowest number's foot
    bottom -= (small.line if flat else max(map(small.width, names))) + gap + tick + drop
    top = room[1] + gap + (small.line + 2 if plan.labelled else small.capital // 2)
    if plan.labelled and plan.axis.low < 0:
        bottom -= small.line + 2
    board.plot = (left, top, right, bottom)
    floor(board)
    _numbers_left(board, numbers, tick)
    ground = bottom + drop + (small.line + 2 if plan.labelled and plan.axis.low < 0 else 0)
    for number, name in enumerate(names):
        x = board.x(number / (len(names) - 1) if edges else (number + 0.5) / len(names))
        _tick(board, (x, bottom), (x, bottom + tick))
        at = (x, ground + tick + gap)
        board.text(name, at, "tick", "ct" if flat else "rm", upright=not flat)


def _numbers_left(board: Board, numbers: list[str], tick: int) -> None:
    left = board.plot[0]
    for value, number in zip(board.plan.axis.ticks, numbers, strict=True):
        y = board.y(board.plan.axis.share(value))
        _tick(board, (left - tick, y), (left, y))
        board.text(number, (left - tick - board.gap, y), "tick", "rm")
    for value in board.plan.axis.small_ticks:
        y = board.y(board.plan.axis.share(value))
        _tick(board, (left - tick / 2, y), (left, y))


def rightward(board: Board, room: Corners, names: list[str], labels: tuple[str, str]) -> None:
    """Axes with values to the right and names at the left, the first one on top."""
    plan, small, gap = board.plan, board.small, board.gap
    tick = 0 if board.look.style.ticks == "-" else 4
    numbers = tick_texts(plan.axis, plan.frame.topic.places)
    wide = max(small.width(plan.written((row, 0))) for row in range(len(plan.cells)))
    spare = wide + gap if plan.labelled else 0
    below = spare if plan.axis.low < 0 else 0
    left = room[0] + max(map(small.width, names)) + gap + tick + below
    right = room[2] - gap - max(spare, small.width(numbers[-1]) // 2)
    bottom = _under_label(board, room[3], labels[1], (left, right)) - small.line - gap - tick
    board.plot = (left, room[1] + gap, right, bottom)
    floor(board, across=True)
    for number, name in enumerate(names):
        y = board.y(1 - (number + 0.5) / len(names))
        _tick(board, (left - tick, y), (left, y))
        board.text(name, (left - below - tick - gap, y), "tick", "rm")
    numbersbelow(board, plan.axis, numbers, tick)


def numbersbelow(board: Board, axis: Axis, numbers: list[str], tick: int) -> None:
    """The numbers of an axis along the lower side; every second or third where they are wide."""
    widest = max(map(board.small.width, numbers)) + board.gap
    step = board.x(axis.share(axis.ticks[1])) - board.x(axis.share(axis.ticks[0]))
    every = max(1, -(-widest // max(1, int(step))))
    for value, number in list(zip(axis.ticks, numbers, strict=True))[::every]:
        x = board.x(axis.share(value))
        _tick(board, (x, board.plot[3]), (x, board.plot[3] + tick))
        board.text(number, (x, board.plot[3] + tick + board.gap), "tick", "ct")
    for value in axis.small_ticks:
        x = board.x(axis.share(value))
        _tick(board, (x, board.plot[3]), (x, board.plot[3] + tick / 2))


def crossed(board: Board, room: Corners, labels: tuple[str, str]) -> None:
    """Axes with numbers on both, for points."""
    plan, small, gap = board.plan, board.small, board.gap
    assert plan.across is not None
    tick = 0 if board.look.style.ticks == "-" else 4
    ups = tick_texts(plan.axis, plan.frame.topic.places)
    acrosses = tick_texts(plan.across, plan.frame.topics[0].places)
    room = _side_label(board, room, labels[1])
    left = room[0] + max(map(small.width, ups)) + gap + tick
    right = room[2] - gap - small.width(acrosses[-1]) // 2
    bottom = _under_label(board, room[3], labels[0], (left, right)) - small.line - gap - tick
    board.plot = (left, room[1] + gap + small.capital // 2, right, bottom)
    floor(board, both=True)
    _numbers_left(board, ups, tick)
    numbersbelow(board, plan.across, acrosses, tick)


def tick_texts(axis: Axis, places: int) -> list[str]:
    """The numbers beside an axis, without decimals where all are whole."""
    whole = all(tick % 10**places == 0 for tick in axis.ticks)
    return [str(t // 10**places) if whole else pointed(t, places) for t in axis.ticks]


def _tick(board: Board, start: Point, end: Point) -> None:
    if board.look.style.ticks == "-":
        return
    if board.look.style.ticks == "in":  # mirrored at the axis
        start, end = (end, _past(end, start)) if start[1] == end[1] else (start, _past(start, end))
    line = Line(rgb(board.look.style.frame), 0.8)
    board.pen.path([start, end], None, line, snap=True)


def _past(at: Point, other: Point) -> Point:
    return 2 * at[0] - other[0], 2 * at[1] - other[1]


def _side_label(board: Board, room: Corners, text: str) -> Corners:
    """The measure, turned, at the left; only its unit where there is no room for both."""
    small, height = board.small, room[3] - room[1]
    text = next(
        (t for t in (text, text[text.find("(") + 1 : -1]) if small.width(t) < 0.7 * height), ""
    )
    if not text:
        return room
    middle = room[1] + 0.46 * height
    box = board.text(text, (room[0], middle), "label", "ct", upright=True)
    return box[2] + board.gap, room[1], room[2], room[3]


def _under_label(board: Board, bottom: float, text: str, ends: tuple[float, float]) -> int:
    """What the lower axis measures; the last row above it."""
    if not text or board.small.width(text) > ends[1] - ends[0]:
        return int(bottom)
    base = bottom - below(board.small)
    board.text(text, (sum(ends) / 2, base), "label", "cb")
    return int(bottom) - board.small.line - board.gap // 2


def labels(board: Board) -> tuple[str, str]:
    """Of the lower and of the side axis."""
    frame = board.plan.frame
    each = frame.each if board.whims.smooth % 3 else ""
    return each, f"{frame.topic.measure} ({frame.topic.unit})"
