"""The tables that charts display, in whole numbers of the smallest unit shown: nothing rounds."""

from __future__ import annotations

from typing import NamedTuple

from gnomon.generators.chart import subjects as words
from gnomon.generators.chart.subjects import Topic
from gnomon.generators.rng import Rng

Cells = tuple[tuple[int, ...], ...]
"""Row by row, in the smallest unit shown."""


POINTS = ("scatter", "bubble")
"""Charts whose columns measure different things."""


class Frame(NamedTuple):
    """A table without its values."""

    chart: str
    topics: tuple[Topic, ...]
    """What the columns measure; one for all where they are series."""
    each: str
    """What a row is: a month, a city."""
    ordered: bool
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    """Names of the series; empty names where there is one."""
    scale: str
    """zero, truncated, negative or log."""
    low: int
    high: int
    """The values lie between these."""

    @property
    def topic(self) -> Topic:
        """What is measured upwards."""
        return self.topics[1 if self.chart in POINTS else 0]

    def places(self, column: int) -> int:
        """The decimals shown in a column."""
        return self.topics[column if self.chart in POINTS else 0].places

    def unit(self, column: int) -> str:
        """The unit of a column."""
        return self.topics[column if self.chart in POINTS else 0].unit


def frame(rng: Rng, chart: str, scale: str, rows: int, columns: int) -> Frame:
    """What a chart is about, with as many rows and columns."""
    if chart in POINTS:
        return _points(rng, chart, rows)
    if chart == "histogram":
        return _bins(rng, rows)
    if chart in ("pie", "ring"):
        names = _some(rng, rng.choice(words.PARTS), rows)
        share = rng.chance(0.6)
        topic = rng.choice(words.SHARES if share else words.AMOUNTS)
        return Frame(chart, (topic,), "part", False, names, ("",), "zero", *_span(rng, topic, 0.5))
    if chart == "radar":
        names = rng.choice(words.TRAITS)[:rows]
        topic = Topic("score", "points", 20, rng.choice((50, 100)))
        return Frame(chart, (topic,), "axis", False, names, _series(rng, columns), "zero",
                     topic.high // 5, topic.high)  # fmt: skip
    kind = {"negative": words.NEGATIVE, "log": words.WIDE}.get(scale, words.TOPICS)
    topic = rng.choice(kind)
    group = rng.choice(words.groups(topic, rows, ordered=chart in ("line", "area")))
    names = _some(rng, group.names, rows, ordered=group.ordered)
    least = 0.12 * columns if chart == "stacked" else 0.08  # no segment is a sliver
    series = words.FIVE if chart == "box" else _series(rng, columns)
    low, high = (
        (topic.low, topic.high) if scale in ("negative", "log") else _span(rng, topic, least)
    )
    if scale == "truncated":
        low, high = high * rng.integer(50, 85) // 100, high
    return Frame(chart, (topic,), group.each, group.ordered, names, series, scale, low, high)


def values(rng: Rng, frame: Frame, tie: int) -> Cells:
    """Values for the table; with a tie, the second value lies so close to the greatest."""
    if frame.chart in POINTS:
        return _scattered(rng, frame)
    rows, columns = len(frame.rows), len(frame.columns)
    drawn = _draws(rng, rows * columns)
    if frame.chart in ("pie", "ring") and frame.topics[0].unit == "%":
        return tuple((share,) for share in _shares(drawn))
    if frame.chart == "box":
        return _fives(drawn, frame)
    if frame.chart == "histogram":
        drawn = _bell(drawn, rng)
    elif frame.chart in ("line", "area") and rng.chance(0.5):
        drawn = [
            (a + 2 * b) / 3 for a, b in zip(drawn, drawn[columns:] + drawn[:columns], strict=True)
        ]
    if frame.scale == "log":
        flat = [_two_digits(frame.low * (frame.high / frame.low) ** u) for u in drawn]
    else:
        low, span = frame.low, frame.high - frame.low
        flat = [low + int(span * u) for u in drawn]
    if frame.scale == "negative":
        least = max(1, span // 25)  # a bar of no height is no mark
        flat = [v if abs(v) >= least else least if v >= 0 else -least for v in flat]
    if tie and rows > 1:
        flat = _tied(flat, columns, tie, frame.low)
    return tuple(tuple(flat[i : i + columns]) for i in range(0, rows * columns, columns))


def orders(frame: Frame, cells: Cells) -> list[Cells]:
    """The same values over the rows in other orders: other tables, at no cost.

    Where neighbours belong together they are only turned round.
    """
    if frame.chart in ("line", "area", "histogram"):
        return [cells, cells[::-1]]
    return [cells[i:] + cells[:i] for i in range(len(cells))]


def _draws(rng: Rng, count: int) -> list[float]:
    """Numbers from 0 to 1, four from each word."""
    found: list[float] = []
    for _ in range(-(-count // 4)):
        bits = rng.bits()
        found += [(bits >> shift & 65535) / 65536 for shift in (0, 16, 32, 48)]
    return found[:count]


def _tied(flat: list[int], columns: int, tie: int, least: int) -> list[int]:
    """Another value of the first series comes close under its greatest."""
    first = flat[::columns]
    top = first.index(max(first))
    other = (top + 1 + flat[0] % (len(first) - 1)) % len(first)
    flat[other * columns] = max(least, first[top] - tie)
    return flat


def _span(rng: Rng, topic: Topic, least: float) -> tuple[int, int]:
    """From where to where the values go: the topic's, or a part of it."""
    high = topic.low + (topic.high - topic.low) * rng.integer(35, 100) // 100
    return max(topic.low, int(high * least)), high


def _some(
    rng: Rng, names: tuple[str, ...], count: int, *, ordered: bool = False
) -> tuple[str, ...]:
    """Neighbours in a list that is in order, any others."""
    start = rng.integer(0, len(names) - count if ordered else len(names) - 1)
    return (names[start:] + names[:start])[:count]


def _series(rng: Rng, columns: int) -> tuple[str, ...]:
    return rng.choice(words.SERIES)[:columns] if columns > 1 else ("",)


def _bins(rng: Rng, rows: int) -> Frame:
    measure, unit, widths = rng.choice(words.BINNED)
    width = rng.choice(widths)
    topic = rng.choice(words.COUNTED)
    start = width * rng.integer(1, 12)
    names = tuple(f"{start + width * i} to {start + width * (i + 1)}" for i in range(rows))
    across = Topic(measure, unit, start, start + width * rows)
    return Frame("histogram", (topic, across), "bin", True, names, ("",), "zero",
                 *_span(rng, topic, 0.1))  # fmt: skip


def _bell(drawn: list[float], rng: Rng) -> list[float]:
    """Bins that rise to a peak and fall again."""
    peak, last = rng.uniform(0.15, 0.85), len(drawn) - 1
    heights = (max(0.0, 1 - 1.3 * abs(i / last - peak)) for i in range(len(drawn)))
    return [0.75 * h + 0.25 * u for h, u in zip(heights, drawn, strict=True)]


def _shares(drawn: list[float]) -> list[int]:
    """Parts of a hundred, six at the least."""
    free = 100 - 6 * len(drawn)
    total = sum(drawn) or 1.0
    shares = [6 + int(free * u / total) for u in drawn]
    shares[0] += 100 - sum(shares)
    return shares


def _fives(drawn: list[float], frame: Frame) -> Cells:
    """Five numbers in order, each a step above the one before."""
    span = frame.high - frame.low
    step = max(1, span // 12)
    found = []
    for i in range(0, len(drawn), 5):
        five = sorted(drawn[i : i + 5])
        room = span - 4 * step
        found.append(tuple(frame.low + int(room * u) + k * step for k, u in enumerate(five)))
    return tuple(found)


def _two_digits(value: float) -> int:
    """Rounded to two digits, as counts over many decades are told."""
    whole = int(value)
    power: int = 10 ** max(0, len(str(whole)) - 2)
    return whole // power * power


def _points(rng: Rng, chart: str, rows: int) -> Frame:
    across, up = rng.choice(words.ACROSS), rng.choice(words.GROWN)
    topics: tuple[Topic, ...] = (
        (across, up) if across.measure != up.measure else (across, words.GROWN[0])
    )
    if chart == "bubble":
        topics += (Topic("size", rng.choice(("thousand", "tonnes", "shops")), 36, 90),)
    names = tuple(topic.measure for topic in topics)
    return Frame(chart, topics, "point", False, words.LETTERS[:rows], names,
                 rng.choice(("up", "down", "none")), up.low, up.high)  # fmt: skip


def _scattered(rng: Rng, frame: Frame) -> Cells:
    """Points in slots of their own, so that none hides another; letters run in no order."""
    count = len(frame.rows)
    across, up = frame.topics[:2]
    drawn = _draws(rng, 3 * count)
    slot = (across.high - across.low) / count
    slope = {"up": 1, "down": -1, "none": 0}[frame.scale]
    found = []
    for i, (u, v, w) in enumerate(zip(drawn[::3], drawn[1::3], drawn[2::3], strict=True)):
        x = across.low + int((i + 0.2 + 0.6 * u) * slot)
        share = (i + 0.5) / count
        y = v if slope == 0 else 0.75 * (share if slope > 0 else 1 - share) + 0.25 * v
        row = (x, up.low + int((up.high - up.low) * y))
        found.append((*row, 36 + int(54 * w)) if frame.chart == "bubble" else row)
    stride = next(k for k in (7, 5, 3, 11, 13, 1) if count % k) if count > 1 else 1
    start = int(drawn[0] * count)
    return tuple(found[(start + i * stride) % count] for i in range(count))
