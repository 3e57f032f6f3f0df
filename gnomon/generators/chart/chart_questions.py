"""Questions about a chart and their wording. A question is asked only if the picture determines its
answer."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import NamedTuple, TypeAlias

from gnomon.files import read_toml
from gnomon.generators.chart import answers, short_questions
from gnomon.generators.chart.catalog import NAMES, PARTS, TYPES, WHOLE_ROWS
from gnomon.generators.chart.scene import About, ChartPlan, linear
from gnomon.generators.chart.table import POINTS, Cell
from gnomon.generators.rng import Rng
from gnomon.generators.wording import decimal_text, plural
from gnomon.sample import Target


class ChartQuestion(NamedTuple):
    """Question before it is worded."""

    name: str
    about: About
    """Cells, series and limits. Together with the table, they determine the answer."""


def ask_question(name: str, plan: ChartPlan, rng: Rng) -> ChartQuestion | None:
    """Ask the question of this name. None if the chart does not allow it."""
    about = FUNCTIONS[name][0](plan, rng)
    return None if about is None else ChartQuestion(name, about)


def _retrieve(plan: ChartPlan, rng: Rng) -> About | None:
    cells = [cell for cell in plan.frame.cells if _readable(plan, cell)]
    return {"cells": [rng.choice(cells)]} if cells else None


def _extreme(plan: ChartPlan, rng: Rng) -> About | None:
    column, greatest = rng.choice(_columns(plan)), rng.chance(0.5)
    # The two values nearest to that end decide whether the picture shows their order.
    marked = [cell for cell in _series(plan, column) if cell != plan.missing]
    first, second, *_ = sorted(marked, key=plan.value, reverse=greatest)
    about = {"column": column, "which": "highest" if greatest else "lowest"}
    return about if _distinguishable(plan, first, second) else None


def _count(plan: ChartPlan, rng: Rng) -> About | None:
    side = rng.choice(("above", "below"))
    columns = _columns(plan)
    for column in rng.sample(columns, len(columns)):
        limits = _limits(plan, column)
        if limits and _readable(plan, *_series(plan, column)):
            return {"column": column, "side": side, "limit": rng.choice(limits)}
    return None


def _compare(plan: ChartPlan, rng: Rng) -> About | None:
    pair = _pair(plan, rng, lambda a, b: _distinguishable(plan, a, b))
    return {"cells": pair, "which": rng.choice(("greater", "smaller"))} if pair else None


def _difference(plan: ChartPlan, rng: Rng) -> About | None:
    def fits(a: Cell, b: Cell) -> bool:
        return _readable(plan, a, b) and plan.is_apart(a, b)

    if plan.chart in _SPREADS and rng.chance(0.4):
        row = rng.integer(0, len(plan.cells) - 1)
        spread = [(row, column) for column in rng.choice(_SPREADS[plan.chart])]
        return {"cells": spread} if fits(spread[0], spread[1]) else None
    pair = _pair(plan, rng, fits)
    return {"cells": pair} if pair else None


# Range of a group, range between its quartiles, and its halves, by columns; range and body of a
# candle.
_SPREADS = {"box": ((0, 4), (1, 3), (0, 2), (2, 4)), "candlestick": ((1, 2), (0, 3))}


def _ratio(plan: ChartPlan, rng: Rng) -> About | None:
    if plan.frame.scale == "log":
        return None
    pair = _pair(plan, rng, lambda a, b: _can_divide(plan, a) and _can_divide(plan, b))
    return {"cells": pair, "places": 2} if pair else None


def _group_of_cells(plan: ChartPlan, rng: Rng) -> About | None:
    """Choose a whole series, some neighbours in it, or a row of several series.

    Never all shares of a whole, because their sum is always 100.
    """
    if plan.frame.scale == "log":
        return None
    rows, columns = len(plan.cells), len(plan.frame.columns)
    if columns > 1 and rng.chance(0.5):
        row = rng.integer(0, rows - 1)
        cells = [(row, column) for column in range(columns)]
    else:
        cells = _series(plan, rng.integer(0, columns - 1))
        shares = plan.chart in PARTS and plan.frame.topic.unit == "%"
        if shares or (rows > 3 and rng.chance(0.5)):
            # Two or three neighbours.
            start, many = rng.integer(0, max(1, rows - 3)), rng.integer(2, 3 if rows > 3 else 2)
            cells = cells[start : start + many]
    return {"cells": cells} if _readable(plan, *cells) else None


def _mean(plan: ChartPlan, rng: Rng) -> About | None:
    cells = _group_of_cells(plan, rng)
    return cells and {**cells, "more": 1}


def _median(plan: ChartPlan, rng: Rng) -> About | None:
    cells = _series(plan, rng.integer(0, len(plan.frame.columns) - 1))
    fits = plan.frame.scale != "log" and _readable(plan, *cells)
    return {"cells": cells, "more": 1} if fits else None


def _trend(plan: ChartPlan, rng: Rng) -> About | None:
    if plan.chart == "scatter":  # asked only where there is no doubt: above 0.8 or under 0.2
        squared, _ = answers.correlation(plan.column(0), plan.column(1))
        doubtful = Fraction(4, 100) < squared < Fraction(64, 100)
        return None if doubtful else {"trend": "tendency"}
    if plan.is_stacked or not plan.frame.ordered:
        return None
    cells = _series(plan, rng.choice(_columns(plan)))
    if rng.chance(0.5):
        start = rng.integer(0, len(cells) - 2)
        ends = [cells[start], cells[rng.integer(start + 1, len(cells) - 1)]]
        return {"trend": "between", "cells": ends} if _distinguishable(plan, *ends) else None
    if not all(_distinguishable(plan, a, b) for a, b in pairwise(cells)):
        return None
    return {"trend": "rises", "column": cells[0][1]}


def _crossing(plan: ChartPlan, rng: Rng) -> About | None:
    columns = len(plan.frame.columns)
    if columns < 2:
        return None
    a, b = rng.choice(list(combinations(range(columns), 2)))
    if not all(plan.is_apart((row, a), (row, b)) for row in range(len(plan.cells))):
        return None
    return {"columns": [a, b]}


def _table(plan: ChartPlan, _: Rng) -> About | None:
    return {} if all(plan.error(cell) == 0 for cell in plan.frame.cells) else None


def _box(plan: ChartPlan, rng: Rng) -> About | None:
    """Choose a cell with its own mark. A point, a group or a candle has one mark, and so has each
    series of an area chart."""
    if plan.chart == "area":
        columns = len(plan.frame.columns)
        return {"cells": [(0, rng.integer(0, columns - 1))]} if columns > 1 else None
    is_row = plan.chart in WHOLE_ROWS
    cells = _series(plan, 0) if is_row else [c for c in plan.frame.cells if plan.is_free(c)]
    return {"cells": [rng.choice(cells)]} if cells else None


def _boxes(plan: ChartPlan, rng: Rng) -> About | None:
    """Choose all marks of a series, or its marks above or below a limit. There may be none.

    Absent series are named as often as each present series.
    """
    names = plan.frame.columns
    if len(names) > 1 and plan.chart not in POINTS and rng.chance(0.5):
        alike = [name for group in NAMES["series"] if names[0] in group for name in group]
        absent = [name for name in alike if name not in names]
        column = rng.integer(0, len(names) if absent else len(names) - 1)
        if column == len(names):
            return {"words": "marks_of", "named": rng.choice(absent), "cells": []}
        cells = _series(plan, column)
        about: About = {"words": "marks_of", "named": names[column]}
    else:
        column = rng.choice(_columns(plan))
        cells = _series(plan, column)
        if not _readable(plan, *cells):
            return None
        side, by_number = rng.choice(("above", "below")), _limits_by_number(plan, column)
        if not by_number:
            return None
        # Each number of marks is equally frequent, so the wording does not reveal it.
        limit = rng.choice(by_number[rng.choice(sorted(by_number))])
        cells = [c for c in cells if (plan.value(c) > limit) == (side == "above")]
        # A point has one mark for all of its measures.
        cells = [(row, 0) for row, _ in cells] if plan.chart in POINTS else cells
        about = {"words": "marks_beyond", "column": column, "side": side, "limit": limit}
    return {**about, "cells": cells} if all(map(plan.is_free, cells)) else None


def _mismatch(plan: ChartPlan, rng: Rng) -> About | None:
    """Choose another value for a cell of the table. The chart contradicts it, and no other cell has
    it."""
    cells, frame = plan.frame.cells, plan.frame
    if not _readable(plan, *cells):
        return None
    cell = rng.choice(cells)
    error, true = plan.error(cell) or 0, plan.value(cell)
    for _ in range(10):
        other = rng.integer(frame.low, frame.high)
        # Well beyond any reading error, and at least a fifth of the value.
        far = abs(other - true) > max(4 * error, abs(true) // 5)
        if far and all(other != plan.value(cell) for cell in cells):
            return {"cells": [cell], "instead": other}
    return None


Ask: TypeAlias = Callable[[ChartPlan, Rng], About | None]
# Functions that ask and answer each question. The place of a mark is known only after drawing.
FUNCTIONS: dict[str, tuple[Ask, Callable[[ChartPlan, About], Target] | None]] = {
    "retrieve": (_retrieve, answers.total),
    "extreme": (_extreme, answers.extreme),
    "count": (_count, answers.count),
    "compare": (_compare, answers.compare),
    "difference": (_difference, answers.difference),
    "ratio": (_ratio, answers.ratio),
    "sum": (_group_of_cells, answers.total),
    "mean": (_mean, answers.total),
    "median": (_median, answers.median),
    "trend": (_trend, answers.trend),
    "crossing": (_crossing, answers.crossing),
    "table": (_table, answers.table),
    "box": (_box, None),
    "boxes": (_boxes, None),
    "mismatch": (_mismatch, answers.mismatch),
    "nth": (short_questions.nth, short_questions.value),
    "peak": (short_questions.peak, short_questions.value),
    "named": (short_questions.named, short_questions.value),
}
# The question about a chart and a table in two pictures, the question for lists of boxes, and the
# short questions are asked only if they are named.
MISMATCH = "mismatch"
QUESTIONS = tuple(
    name for name in FUNCTIONS if name not in (MISMATCH, "boxes", *short_questions.CHARTS)
)
# Questions that allow a table with a missing value.
PARTIAL = ("retrieve", "extreme", "compare", "difference", "ratio", "sum", "mean", "box")


def _series(plan: ChartPlan, column: int) -> list[Cell]:
    return [(row, column) for row in range(len(plan.cells))]


def _columns(plan: ChartPlan) -> range:
    """Return the series to ask for: the measured series of points, all five of a box plot."""
    if plan.chart == "scatter":
        return range(1, 2)
    return range(1 if plan.chart == "bubble" else 0, len(plan.frame.columns))


def _readable(plan: ChartPlan, *cells: Cell) -> bool:
    """Return True if all the values can be read off the chart."""
    return all(plan.error(cell) is not None for cell in cells)


def _distinguishable(plan: ChartPlan, a: Cell, b: Cell) -> bool:
    return plan.is_apart(a, b) and plan.is_free(a) and plan.is_free(b)


def _can_divide(plan: ChartPlan, cell: Cell) -> bool:
    error = plan.error(cell)
    # Otherwise a reading error would change the ratio by more than an eighth.
    return error is not None and plan.value(cell) > 8 * error


def _pair(plan: ChartPlan, rng: Rng, fits: Callable[[Cell, Cell], bool]) -> list[Cell] | None:
    """Draw two cells of one series or one row for which `fits` is True.

    None if ten random pairs do not fit. For a box plot or candles the cells are of different rows,
    because the order of a row's numbers is known without the picture.
    """
    rows, columns = len(plan.cells), len(plan.frame.columns)
    by_row = columns > 1 and plan.chart not in WHOLE_ROWS
    for _ in range(10):
        row, column = rng.integer(0, rows - 1), rng.choice(_columns(plan))
        if by_row and rng.chance(0.4):
            other = (row, (column + rng.integer(1, columns - 1)) % columns)
        else:
            other = ((row + rng.integer(1, rows - 1)) % rows, column)
        if fits((row, column), other):
            return [(row, column), other]
    return None


def _limits_by_number(plan: ChartPlan, column: int) -> dict[int, list[int]]:
    """Return limits by the number of values above them, including none and all."""
    values, limits = plan.column(column), _limits(plan, column, is_between=False)
    by_number: dict[int, list[int]] = {}
    for limit in limits:
        by_number.setdefault(sum(value > limit for value in values), []).append(limit)
    return by_number


def _limits(plan: ChartPlan, column: int, *, is_between: bool = True) -> list[int]:
    """Return round numbers that are not close to any value, usually numbers of the axis.

    With `is_between`, some values lie above and some below.
    """
    values = plan.column(column)
    # Smallest distance in pixels between a limit and a value.
    near = 0 if plan.has_labels else 4 if plan.is_stacked else 2
    axis, pixels = plan.axis_of(column)
    # Segments do not start at the ticks of an axis, so any round number is possible.
    ticked = linear(min(values), max(values), 6, from_zero=False) if plan.is_stacked else axis
    return [
        tick
        for tick in ticked.ticks
        if (not is_between or min(values) < tick < max(values))
        and all(v != tick and axis.gap(v, tick, pixels) >= near for v in values)
    ]


_TABLE = read_toml(__file__, "phrases.toml")
WORDS: dict[str, list[str]] = _TABLE["questions"]
ANSWERS: dict[str, str] = _TABLE["answers"]


def question_text(plan: ChartPlan, question: ChartQuestion, rng: Rng) -> str:
    """Return the text of the question and the form of its answer."""
    about = question.about
    name = str(about.get("trend") or about.get("words") or question.name)
    parts = _placeholders(plan, about)
    text = rng.choice(WORDS[name])
    # Points are named by letters, and questions use the letters.
    if name == "extreme" and plan.chart in POINTS:
        name = "point"
    if name == "compare":
        parts["one"], parts["other"] = plan.names(about["cells"])
    how = ANSWERS.get(name) or _precision_text(plan, about["cells"][0][1], about.get("more", 0))
    return f"{text} {how}".format(**parts)


def _placeholders(plan: ChartPlan, about: About) -> dict[str, str]:
    """Return the texts for the placeholders of a wording."""
    frame, kind = plan.frame, TYPES[plan.chart]
    parts = {"each": frame.each, "plural": plural(frame.each), "header": " | ".join(plan.header)}
    parts["marks"] = plural(kind.shows)
    parts |= {name: about[name] for name in ("which", "side", "named") if name in about}
    parts |= about.get("parts", {})
    if cells := about.get("cells"):
        ends = cells[0], cells[-1]
        parts["a"], parts["b"] = (_fill_in(plan, kind.cell, *cell) for cell in ends)
        of = "the bin " * (plan.chart == "histogram")  # from 35 to 40 to 45 to 50
        parts["first"], parts["last"] = (of + frame.rows[row] for row, _ in ends)
        parts |= {"group": _group_text(plan, cells), "mark": _fill_in(plan, kind.mark, *cells[0])}
        parts["series"] = _fill_in(plan, kind.column, *cells[0])
    if "columns" in about:
        parts["a"], parts["b"] = (frame.columns[column] for column in about["columns"])
    if "column" in about:
        topic = frame.topic_of(about["column"])
        parts["series"] = series = _fill_in(plan, kind.column, 0, about["column"])
        parts["a_series"] = f"{'an' if series[0] in 'aeiou' else 'a'} {series}"
        parts["limit"] = f"{decimal_text(about.get('limit', 0), topic.places)} {topic.unit}"
    if plan.chart in POINTS:
        parts["x"], parts["y"] = (topic.measure for topic in frame.topics[:2])
    return parts


def title_text(plan: ChartPlan, rng: Rng) -> str:
    """Draw a title of its type, with the chart's own words in it."""
    titles = TYPES[plan.chart].titles
    text = _fill_in(plan, titles[0] if len(titles) == 1 else rng.choice(titles), 0, 0)
    return text[0].upper() + text[1:]


def _fill_in(plan: ChartPlan, wording: str, row: int, column: int) -> str:
    """Name a cell, its column or its mark in the words of its type of chart."""
    frame, series = plan.frame, plan.frame.columns[column]
    other = frame.topics[0 if plan.chart in POINTS else -1]
    return wording.format(
        row=frame.rows[row],
        at=_row_text(plan, frame.rows[row]),
        series=series,
        in_series=series and f" ({series})",
        each=frame.each,
        measure=frame.topic.measure,
        unit=frame.topic.unit,
        across=other.measure,
        bins=other.unit,
        shows=TYPES[plan.chart].shows,
    )


def _group_text(plan: ChartPlan, of: Sequence[Cell]) -> str:
    """Name several cells: a row, a series or a part of a series."""
    frame = plan.frame
    if len(of) > 1 and of[0][0] == of[1][0]:
        return f"the {frame.topic.measure} {_row_text(plan, frame.rows[of[0][0]])} over all series"
    measure = f"the {_fill_in(plan, TYPES[plan.chart].column, *of[0])}"
    if len(of) == len(plan.cells):
        return f"{measure} over all {plural(frame.each)} shown"
    names = [frame.rows[at[0]] for at in of]
    measure += " in the bins" if plan.chart == "histogram" else " for"
    return f"{measure} {', '.join(names[:-1])} and {names[-1]}"


def _precision_text(plan: ChartPlan, column: int, more: int) -> str:
    topic = plan.frame.topic_of(column)
    if (places := topic.places + more) == 0:
        return f"Answer in {topic.unit}, as a whole number."
    return f"Answer in {topic.unit}, rounded to {places} decimal{'s' if places > 1 else ''}."


def _row_text(plan: ChartPlan, row: str) -> str:
    if not plan.frame.ordered:
        return f"for {row}"
    return f"on {row}" if plan.frame.each in ("day", "date") else f"in {row}"
