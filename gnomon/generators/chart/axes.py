"""Axes with numbers and names. They are measured first, and the plot gets the remaining room."""

from gnomon.generators.chart.catalog import AFFIXES, Topic
from gnomon.generators.chart.layout import Board, descent, draw_ground
from gnomon.generators.chart.pen import Corners, PenLine, Point
from gnomon.generators.chart.scene import Axis
from gnomon.generators.chart.table import Frame
from gnomon.generators.wording import decimal_text


def vertical_axes(board: Board, room: Corners, names: list[str], labels: tuple[str, str], *,
           edges: bool = False) -> None:  # fmt: skip
    """Draw axes with values upwards and names below. `edges` puts names between the slots."""
    plan, small, gap = board.plan, board.small, board.gap
    numbers = tick_texts(board, plan.axis, plan.frame.topic)
    room = _side_label(board, room, labels[1])
    x1 = room[0] + max(map(small.width, numbers)) + gap + _tick_length(board)
    x2 = room[2] - gap
    if names == list(plan.frame.rows):
        names = plan.frame.row_names()
    bottom = _under_label(board, room[3], labels[0], (x1, x2))
    widest = max(map(small.width, names))
    # Names that do not fit side by side are written vertically.
    inset = plan.spacing.inset
    if inset < 0.5:
        # Half of a name may stand beside the plot.
        x1, x2 = max(x1, room[0] + widest // 2), x2 - widest // 2
    slots = len(names) - edges + 2 * inset - 1
    flat = widest + 4 <= (x2 - x1) / max(1, slots)
    slanted = round(0.71 * (widest + small.line_height))
    # Names that are turned by 45° need more height than short names have.
    turned = plan.frame.names == "turned" and slanted <= max(widest, 2 * small.line_height)
    if turned:
        flat, widest = False, slanted
        x1 = max(x1, slanted - (x2 - x1) // (2 * len(names)))
    # The number of the last edge is centred under the plot's corner.
    x2 -= small.width(names[-1]) // 2 if edges and flat else 0
    spare = _value_room(board)
    under = spare if plan.axis.low < 0 else 0
    bottom -= (small.line_height if flat else widest) + _name_offset(board) + under
    board.plot = (x1, room[1] + gap + max(spare, small.digit_height // 2), x2, bottom)
    draw_ground(board)
    _numbers(board, plan.axis, numbers)
    for number, name in enumerate(names):
        x = board.x(number / (len(names) - 1) if edges else board.slot(number, len(names))[0])
        _tick(board, (x, bottom), (x, bottom + _tick_length(board)))
        at = (x, bottom + under + _name_offset(board))
        anchor = "ct" if flat else "rm"
        board.text(name, at, "tick", anchor, vertical=not flat, turned=turned)


def horizontal_axes(board: Board, room: Corners, names: list[str], labels: tuple[str, str]) -> None:
    """Draw axes with values to the right and names on the left, the first name on top."""
    plan, small, gap = board.plan, board.small, board.gap
    tick = _tick_length(board)
    numbers = tick_texts(board, plan.axis, plan.frame.topic)
    if names == list(plan.frame.rows):
        names = plan.frame.row_names()
    wide = max(small.width(plan.label((row, 0))) for row in range(len(plan.cells)))
    spare = wide + gap if plan.has_labels else 0
    before = tick + gap + (spare if plan.axis.low < 0 else 0)
    left = room[0] + max(map(small.width, names)) + before
    right = room[2] - gap - max(spare, small.width(numbers[-1]) // 2)
    bottom = (
        _under_label(board, room[3], labels[1], (left, right))
        - small.line_height
        - _name_offset(board)
    )
    board.plot = (left, room[1] + gap, right, bottom)
    draw_ground(board, across=True)
    for number, name in enumerate(names):
        y = board.y(1 - board.slot(number, len(names))[0])
        _tick(board, (left, y), (left - tick, y))
        board.text(name, (left - before, y), "tick", "rm")
    _numbers(board, plan.axis, numbers, below=True)


def numeric_axes(board: Board, room: Corners, labels: tuple[str, str]) -> None:
    """Draw axes with numbers on both, for points."""
    plan, small, gap = board.plan, board.small, board.gap
    assert plan.across is not None
    ups = tick_texts(board, plan.axis, plan.frame.topic)
    acrosses = tick_texts(board, plan.across, plan.frame.topics[0])
    room = _side_label(board, room, labels[1])
    left = room[0] + max(map(small.width, ups)) + gap + _tick_length(board)
    right = room[2] - gap - small.width(acrosses[-1]) // 2
    bottom = (
        _under_label(board, room[3], labels[0], (left, right))
        - small.line_height
        - _name_offset(board)
    )
    board.plot = (left, room[1] + gap + small.digit_height // 2, right, bottom)
    draw_ground(board)
    _numbers(board, plan.axis, ups)
    _numbers(board, plan.across, acrosses, below=True)


def _numbers(board: Board, axis: Axis, numbers: list[str], *, below: bool = False) -> None:
    """Write the numbers of an axis. Wide numbers are thinned out to every second or third."""
    left, bottom, tick = board.plot[0], board.plot[3], _tick_length(board)

    def place(value: int, away: float) -> Point:
        share = axis.share(value)
        return (board.x(share), bottom + away) if below else (left - away, board.y(share))

    widest = max(map(board.small.width, numbers)) + board.gap
    step = place(axis.ticks[1], 0)[0] - place(axis.ticks[0], 0)[0]
    # Rounded up: the smallest step at which neighbouring numbers do not touch.
    every = max(1, -(-widest // max(1, int(step)))) if below else 1
    for value, number in list(zip(axis.ticks, numbers, strict=True))[::every]:
        _tick(board, place(value, 0), place(value, tick))
        at = place(value, _name_offset(board) if below else tick + board.gap)
        board.text(number, at, "tick", "ct" if below else "rm")
    for value in axis.small_ticks:
        _tick(board, place(value, 0), place(value, tick / 2))


def _tick_length(board: Board) -> int:
    return 0 if board.look.style.ticks == "-" else 4


def _name_offset(board: Board) -> int:
    """Return the distance from the plot to the texts below it, clear of the lowest number on the
    axis."""
    return max(_tick_length(board) + board.gap, board.small.digit_height // 2 + 2)


def _value_room(board: Board) -> int:
    """Return the room for a value above the highest mark."""
    plan, small = board.plan, board.small
    if not plan.has_labels or plan.chart in ("stacked", "heatmap"):
        return 0
    # Values of several series are written vertically, so they need their full length.
    if len(plan.frame.columns) == 1:
        return small.line_height + 4
    return max(small.width(plan.label(cell)) for cell in plan.frame.cells) + 4


def tick_texts(board: Board, axis: Axis, topic: Topic) -> list[str]:
    """Write the numbers of an axis, with decimals only if some number is not whole."""
    whole = all(tick % 10**topic.places == 0 for tick in axis.ticks)
    if not whole:
        texts = [decimal_text(tick, topic.places) for tick in axis.ticks]
    elif board.variation.smooth % 3:
        texts = [str(tick // 10**topic.places) for tick in axis.ticks]
    else:
        texts = [f"{tick // 10**topic.places:,}" for tick in axis.ticks]
    return [board.plan.frame.number_text(text, topic) for text in texts]


def _tick(board: Board, start: Point, end: Point) -> None:
    """Draw a tick outwards or inwards, as the style says."""
    style = board.look.style
    if style.ticks in ("in", "both"):
        end = 2 * start[0] - end[0], 2 * start[1] - end[1]
    if style.ticks != "-":
        board.pen.path([start, end], None, PenLine(style.frame, 0.8), snap=True)
    if style.ticks == "both":
        x1, y1, x2, y2 = board.plot
        opposite = [
            (x1 + x2 - x, y) if start[1] == end[1] else (x, y1 + y2 - y) for x, y in (start, end)
        ]
        board.pen.path(opposite, None, PenLine(style.frame, 0.8), snap=True)


def _side_label(board: Board, room: Corners, text: str) -> Corners:
    """Write the measure of the side axis, turned. If it is too long, only the unit is written."""
    small, height = board.small, room[3] - room[1]
    # The measure with its unit, or the unit from its brackets, or nothing, whatever fits.
    text = next(
        (t for t in (text, text.partition("(")[2][:-1]) if small.width(t) < 0.7 * height), ""
    )
    if not text:
        return room
    # A little above the middle, because the numbers below take some of the height.
    middle = room[1] + 0.46 * height
    box = board.text(text, (room[0], middle), "label", "ct", vertical=True)
    return box[2] + board.gap, room[1], room[2], room[3]


def _under_label(board: Board, bottom: float, text: str, ends: tuple[float, float]) -> int:
    """Write the measure of the lower axis. Return the lowest row above it."""
    if not text or board.small.width(text) > ends[1] - ends[0]:
        return int(bottom)
    base = bottom - descent(board.small)
    board.text(text, (sum(ends) / 2, base), "label", "cb")
    return int(bottom) - board.small.line_height - board.gap // 2


def axis_labels(board: Board) -> tuple[str, str]:
    """Names of the lower and of the side axis."""
    frame = board.plan.frame
    each = frame.each if board.variation.smooth % 3 else ""
    return each, measure_label(frame, frame.topic)


def measure_label(frame: Frame, topic: Topic) -> str:
    """Return a measure, with its unit if the numbers do not show it."""
    has_affix = frame.short and topic.unit in AFFIXES
    return topic.measure if has_affix else f"{topic.measure} ({topic.unit})"
