"""Tables of charts, in whole numbers of the smallest displayed unit, so values are never
rounded."""

from itertools import accumulate
from math import cos, pi
from typing import NamedTuple

from gnomon.generators.chart import catalog
from gnomon.generators.chart.catalog import Topic
from gnomon.generators.rng import Rng

# Values row by row, in the smallest displayed unit.
Cells = tuple[tuple[int, ...], ...]
# Row and column.
Cell = tuple[int, int]


# Marks before three digits and before decimals, by form of the numbers.
NUMBERS = {"plain": ("", "."), "comma": (".", ","), "space": ("\N{NO-BREAK SPACE}", ","),
           "apostrophe": ("'", "."), "english": (",", ".")}  # fmt: skip
NAME_FORMS = ("whole", "turned", "cut")
# Letters that a cut name keeps.
_KEPT = 7


# Charts whose columns measure different things.
POINTS = ("scatter", "bubble")


class Frame(NamedTuple):
    """Table without its values."""

    chart: str
    topics: tuple[Topic, ...]
    """Measures of the columns. A single measure if the columns are series."""
    each: str
    """Name of the category of the rows: a month, a city."""
    ordered: bool
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    """Names of the series. A single series has an empty name."""
    scale: str
    """Kind of the value axis: zero, truncated, negative or log."""
    low: int
    high: int
    """Smallest and largest possible value."""
    short: bool = False
    """True if numbers are written with $, €, %, k or M instead of the unit."""
    numbers: str = "plain"
    """Form of the numbers, from NUMBERS."""
    names: str = "whole"
    """Form of the names of the rows, from NAME_FORMS."""

    @property
    def topic(self) -> Topic:
        """Topic on the vertical axis."""
        return self.topic_of(1)

    def topic_of(self, column: int) -> Topic:
        """Return the topic of a column."""
        return self.topics[column if self.chart in POINTS else 0]

    @property
    def cells(self) -> list[Cell]:
        """Cells of the table, row by row."""
        return [(r, c) for r in range(len(self.rows)) for c in range(len(self.columns))]

    def number_text(self, number: str, topic: Topic) -> str:
        """Return a number with its sign or letter, as the chart writes it."""
        if self.numbers != "plain":
            number = _localised(number.replace(",", ""), *NUMBERS[self.numbers])
        before, after = catalog.AFFIXES.get(topic.unit, ("", "")) if self.short else ("", "")
        return f"-{before}{number[1:]}{after}" if number[0] == "-" else before + number + after

    def row_names(self) -> list[str]:
        """Return the names of the rows as the axis writes them. Cut names stay distinct."""
        short = [n if len(n) <= _KEPT + 2 else n[:_KEPT].rstrip() + "…" for n in self.rows]
        is_cut = self.names == "cut" and len(set(short)) == len(short)
        return short if is_cut else list(self.rows)


def _localised(number: str, thousands: str, decimal: str) -> str:
    """Write a plain number with the marks of a country: 1234.5 as 1.234,5."""
    sign, (whole, point, rest) = "-" * (number[0] == "-"), number.lstrip("-").partition(".")
    grouped = f"{int(whole):,}".replace(",", thousands)
    return sign + grouped + (decimal if point else "") + rest


def random_frame(rng: Rng, chart: str, scale: str, rows: int, columns: int, longest: int) -> Frame:
    """Draw the subject of a chart. Names have at most `longest` letters."""
    if chart in POINTS:
        return _points_frame(rng, chart, rows)
    if chart == "histogram":
        return _bins_frame(rng, rows)
    if chart in catalog.PARTS:
        names = _some_names(rng, _short_names(rng, "parts", longest), rows)
        share = rng.chance(0.6)
        topic = rng.choice(catalog.TOPICS["share" if share else "amount"])
        return Frame(
            chart, (topic,), "part", False, names, ("",), "zero", *_value_range(rng, topic, 0.5)
        )
    if chart == "radar":
        # All axes of a radar have one unit: scores of up to 50 or 100 points.
        names = rng.choice(catalog.NAMES["traits"])[:rows]
        topic = Topic("score", "points", 20, rng.choice((50, 100)))
        return Frame(chart, (topic,), "axis", False, names, _series(rng, columns, longest), "zero",
                     topic.high // 5, topic.high)  # fmt: skip
    kind = chart if chart in catalog.TOPICS else scale
    topic = rng.choice(catalog.TOPICS.get(kind, catalog.TOPICS["any"]))
    groups = catalog.row_groups(
        topic,
        rows,
        longest,
        times=chart not in (*catalog.STAGED, "map", "bullet"),
        things=chart not in ("line", "area", "candlestick"),
    )
    group = rng.choice(groups)
    if chart in catalog.STAGED:
        names = group.names[:rows]
    else:
        names = _some_names(rng, group.names, rows, ordered=group.ordered)
    least = 0.12 * columns if chart == "stacked" else 0.08  # no segment is a sliver
    series = catalog.COLUMNS.get(chart) or _series(rng, columns, longest)
    low, high = (
        (topic.low, topic.high)
        if scale in ("negative", "log") or chart == "waterfall"
        else _value_range(rng, topic, least)
    )
    if scale == "truncated":
        # From 50 to 85 % of the highest value, so an axis from zero would waste at least half of
        # its length.
        low, high = high * rng.integer(50, 85) // 100, high
    return Frame(chart, (topic,), group.each, group.ordered, names, series, scale, low, high)


def random_values(rng: Rng, frame: Frame, tie: int) -> Cells:
    """Draw the values of the table. With a tie, the second value is this close to the highest
    value."""
    if frame.chart in POINTS:
        return _points_values(rng, frame)
    rows, columns = len(frame.rows), len(frame.columns)
    if frame.chart == "box":
        return _five_numbers(_draws(rng, 6 * rows), frame)
    if frame.chart in _ROW_VALUES:
        return _ROW_VALUES[frame.chart](_draws(rng, 4 * rows), frame)
    draws = (
        _bell_curve(_draws(rng, rows), rng)
        if frame.chart == "histogram"
        else _series_values(rng, frame)
    )
    if frame.chart in catalog.PARTS and frame.topics[0].unit == "%":
        return tuple((share,) for share in _percentages(draws))
    if frame.scale == "log":
        flat = [_two_digits(frame.low * (frame.high / frame.low) ** u) for u in draws]
    else:
        low, span = frame.low, frame.high - frame.low
        flat = [low + int(span * u) for u in draws]
    if frame.scale == "negative":
        least = max(1, span // 25)  # a bar of no height is no mark
        flat = [v if abs(v) >= least else least if v >= 0 else -least for v in flat]
    if tie and rows > 1:
        flat = _with_tie(flat, columns, tie, frame.low)
    return tuple(tuple(flat[i : i + columns]) for i in range(0, rows * columns, columns))


def blank_out(cells: Cells, missing: Cell | None, least: int) -> Cells:
    """Replace a missing value, which is never shown, by the lowest possible value."""
    return tuple(
        tuple(least if (r, c) == missing else value for c, value in enumerate(row))
        for r, row in enumerate(cells)
    )


def _series_values(rng: Rng, frame: Frame) -> list[float]:
    """Return numbers from 0 to 1, row by row. Series have different levels and a common shape."""
    similarity = rng.uniform(0.4, 1) if len(frame.columns) > 1 else 1.0
    common, series = _curve(rng, frame), []
    for _ in frame.columns:
        # Series are mixed from a common curve and a separate curve.
        curve, level = (common if similarity == 1 else _curve(rng, frame)), rng.uniform(0.5, 1)
        series.append([level * (similarity * a + (1 - similarity) * b)
                       for a, b in zip(common, curve, strict=True)])  # fmt: skip
    flat = [column[row] for row in range(len(frame.rows)) for column in series]
    least, most = min(flat), max(flat)
    # Over times, the lowest value may be half of the highest.
    wide = not frame.ordered or frame.scale in ("negative", "log")
    low = rng.uniform(0, 0.1 if wide else 0.5)
    span = rng.uniform(0.8, 1) - low
    return [low + span * (value - least) / ((most - least) or 1.0) for value in flat]


def _curve(rng: Rng, frame: Frame) -> list[float]:
    """Over times: a trend, a season and a walk. Over things: a heavy tail, often sorted."""
    draws = _draws(rng, len(frame.rows))
    if not frame.ordered:
        tail = rng.uniform(0.1, 1.2)
        # A Pareto tail, cut at 0.97 so that no bar is much longer than all others.
        sizes = [(1 - 0.97 * u) ** -tail for u in draws]
        most = max(sizes)
        scaled = [size / most for size in sizes]
        return sorted(scaled, reverse=True) if rng.chance(0.3) else scaled
    trend, season, start = rng.uniform(-1, 1), rng.uniform(0, 0.5) * rng.chance(0.5), rng.unit()
    turn, walk, heights = 2 * pi / _PERIODS.get(frame.each, 8), 0.0, []
    for i, u in enumerate(draws):
        # A walk that returns to its mean, because series over time keep their level.
        walk = 0.7 * walk + 0.5 * (u - 0.5)
        slope = trend * (i / len(draws) - 0.5)
        heights.append(1.5 + slope + season * cos(turn * (i + 12 * start)) + walk)
    return heights


# Number of rows after which a season repeats.
_PERIODS = {"month": 12, "quarter": 4, "day": 7, "week": 13}


def _draws(rng: Rng, count: int) -> list[float]:
    """Return numbers from 0 to 1, four from each word."""
    numbers: list[float] = []
    for _ in range(-(-count // 4)):
        bits = rng.bits()
        # 16 bits per number are finer than any table shows.
        numbers += [(bits >> shift & 65535) / 65536 for shift in (0, 16, 32, 48)]
    return numbers[:count]


def _with_tie(flat: list[int], columns: int, tie: int, least: int) -> list[int]:
    """Put another value of the first series close below its highest value."""
    first = flat[::columns]
    top = first.index(max(first))
    # The row is chosen by existing draws, so no draw is added.
    other = (top + 1 + flat[0] % (len(first) - 1)) % len(first)
    flat[other * columns] = max(least, first[top] - tie)
    return flat


def _value_range(rng: Rng, topic: Topic, least: float) -> tuple[int, int]:
    """Return the ends of the values' range: the topic's range, or a part of it."""
    high = topic.low + (topic.high - topic.low) * rng.integer(35, 100) // 100
    return max(topic.low, int(high * least)), high


def _some_names(
    rng: Rng, names: tuple[str, ...], count: int, *, ordered: bool = False
) -> tuple[str, ...]:
    """Return some of the names. In an ordered list they are neighbours."""
    start = rng.integer(0, len(names) - count if ordered else len(names) - 1)
    return (names[start:] + names[:start])[:count]


def _series(rng: Rng, columns: int, longest: int) -> tuple[str, ...]:
    return _short_names(rng, "series", longest)[:columns] if columns > 1 else ("",)


def _short_names(rng: Rng, what: str, longest: int) -> tuple[str, ...]:
    """Draw a list of names with at most this many letters each."""
    return rng.choice([names for names in catalog.NAMES[what] if max(map(len, names)) <= longest])


def _bins_frame(rng: Rng, rows: int) -> Frame:
    across, widths = rng.choice(catalog.BINNED)
    width = rng.choice([w for w in widths if w * rows <= across.high - across.low])
    topic = rng.choice(catalog.TOPICS["counted"])
    start = width * rng.integer(-(-across.low // width), across.high // width - rows)
    names = tuple(f"{start + width * i} to {start + width * (i + 1)}" for i in range(rows))
    across = across._replace(low=start, high=start + width * rows)
    return Frame("histogram", (topic, across), "bin", True, names, ("",), "zero",
                 *_value_range(rng, topic, 0.1))  # fmt: skip


def _bell_curve(draws: list[float], rng: Rng) -> list[float]:
    """Return bins that rise to a peak and fall again."""
    peak, last = rng.uniform(0.15, 0.85), len(draws) - 1
    # A slope on either side of the peak. A quarter of it is random.
    heights = (max(0.0, 1 - 1.3 * abs(i / last - peak)) for i in range(len(draws)))
    return [0.75 * h + 0.25 * u for h, u in zip(heights, draws, strict=True)]


def _percentages(draws: list[float]) -> list[int]:
    """Return parts of a hundred, at least six each."""
    # At least six per cent, because a number does not fit into a thinner slice.
    free = 100 - 6 * len(draws)
    total = sum(draws) or 1.0
    shares = [6 + int(free * u / total) for u in draws]
    shares[0] += 100 - sum(shares)
    return shares


def _five_numbers(draws: list[float], frame: Frame) -> Cells:
    """Return five ordered numbers around a middle, each a step above the number before."""
    span = frame.high - frame.low
    step = max(1, span // 12)
    rows = []
    for i in range(0, len(draws), 6):
        # A draw for the group moves all five numbers together.
        five = sorted((u + draws[i]) / 2 for u in draws[i + 1 : i + 6])
        room = span - 4 * step
        rows.append(tuple(frame.low + int(room * u) + k * step for k, u in enumerate(five)))
    return tuple(rows)


def _waterfall_values(draws: list[float], frame: Frame) -> Cells:
    """Return contributions whose running sums stay above zero. The first is large."""
    values = [int(frame.high * (0.5 + draws[0] / 2))]
    least = max(1, frame.high // 12)
    for up, size in zip(draws[1::2], draws[2::2], strict=False):
        level = sum(values)
        is_up = up < 0.45 or level < 3 * least
        room = (frame.high if is_up else min(-frame.low, level)) - least
        values.append((1 if is_up else -1) * (least + int(0.6 * room * size)))
    return tuple((value,) for value in values[: len(frame.rows)])


def _funnel_values(draws: list[float], frame: Frame) -> Cells:
    """Return values of which each is 45 to 90 % of the value before."""
    shares = [0.45 + 0.45 * u for u in draws[1 : len(frame.rows)]]
    first = frame.high * (0.7 + 0.3 * draws[0])
    return tuple((max(1, int(value)),) for value in accumulate([first, *shares], float.__mul__))


def _candle_values(draws: list[float], frame: Frame) -> Cells:
    """Return prices of a walk. Each candle opens near the close before."""
    low, span = frame.low, frame.high - frame.low
    least, rows, close = max(1, span // 20), [], low + int(span * (0.3 + 0.4 * draws[0]))
    for gap, move, over, under in zip(*(draws[i::4] for i in range(4)), strict=True):
        # A step towards the middle is more likely, so that prices stay within their range.
        step = move - (close - low) / span
        opening = close + int(span * (gap - 0.5) / 10)
        close = opening + (least if step >= 0 else -least) + int(span * step / 2)
        top = max(opening, close) + least // 2 + int(span * over / 6)
        rows.append((opening, top, min(opening, close) - least // 2 - int(span * under / 6), close))
    return tuple(tuple(max(1, price) for price in row) for row in rows)


def _bullet_values(draws: list[float], frame: Frame) -> Cells:
    """Return actual values at 60 to 125 % of their targets."""
    span = frame.high - frame.low
    targets = [frame.low + int(span * (0.3 + 0.45 * u)) for u in draws[::4]]
    return tuple(
        (max(1, int(target * (0.6 + 0.65 * u))), target)
        for target, u in zip(targets, draws[1::4], strict=True)
    )


_ROW_VALUES = {
    "waterfall": _waterfall_values,
    "funnel": _funnel_values,
    "candlestick": _candle_values,
    "bullet": _bullet_values,
}


def _two_digits(value: float) -> int:
    """Round to two digits, as is usual for counts over many decades."""
    whole = int(value)
    power: int = 10 ** max(0, len(str(whole)) - 2)
    return whole // power * power


def _points_frame(rng: Rng, chart: str, rows: int) -> Frame:
    across, up = rng.choice(catalog.TOPICS["across"]), rng.choice(catalog.TOPICS["grown"])
    # The axes of a scatter plot never measure the same quantity.
    other = catalog.TOPICS["grown"][0] if across.measure == up.measure else up
    topics: tuple[Topic, ...] = (across, other)
    if chart == "bubble":
        topics += (Topic("size", rng.choice(("thousand", "tonnes", "shops")), 36, 90),)
    names = tuple(topic.measure for topic in topics)
    return Frame(chart, topics, "point", False, catalog.LETTERS[:rows], names,
                 rng.choice(("up", "down", "none")), up.low, up.high)  # fmt: skip


def _points_values(rng: Rng, frame: Frame) -> Cells:
    """Return points in separate slots, so they do not hide each other. Letters are in random
    order."""
    count = len(frame.rows)
    across, up = frame.topics[:2]
    draws = _draws(rng, 3 * count)
    slot = (across.high - across.low) / count
    slope = {"up": 1, "down": -1, "none": 0}[frame.scale]
    close = rng.uniform(0.5, 0.95)
    points = []
    for i, (u, v, w) in enumerate(zip(draws[::3], draws[1::3], draws[2::3], strict=True)):
        # The middle 60 % of a slot, so neighbours stay apart.
        x = across.low + int((i + 0.2 + 0.6 * u) * slot)
        share = (i + 0.5) / count
        y = v if slope == 0 else close * (share if slope > 0 else 1 - share) + (1 - close) * v
        row = (x, up.low + int((up.high - up.low) * y))
        points.append((*row, 36 + int(54 * w)) if frame.chart == "bubble" else row)
    # A stride that does not divide the count visits every point once.
    stride = next(k for k in (7, 5, 3, 11, 13, 1) if count % k) if count > 1 else 1
    start = int(draws[0] * count)
    return tuple(points[(start + i * stride) % count] for i in range(count))
