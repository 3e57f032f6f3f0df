"""Charts of fourteen types with the table they display, and questions about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from gnomon.generators import _chart_plan as plans
from gnomon.generators import _chart_table as tables
from gnomon.generators._chart_questions import FORMS, asked
from gnomon.generators.base import Generator
from gnomon.names import nearest_names
from gnomon.sample import Box, Number, Sample, Table, Target, Text

if TYPE_CHECKING:
    from gnomon.generators._chart_layout import Board
    from gnomon.generators._chart_plan import Plan
    from gnomon.generators._chart_questions import Asked
    from gnomon.generators._chart_style import Look
    from gnomon.generators._chart_table import Cells, Frame
    from gnomon.generators.base import Split
    from gnomon.generators.rng import Rng
    from gnomon.sample import Size

CHARTS = (
    "bar", "barh", "grouped", "stacked", "line", "area", "scatter", "bubble", "pie", "ring",
    "radar", "histogram", "box", "heatmap",
)  # fmt: skip
QUESTIONS = tuple(FORMS)
SCALES = ("zero", "truncated", "negative", "log")
_SCALES_OF = {
    "bar": SCALES, "barh": SCALES, "line": SCALES, "grouped": ("zero", "truncated", "negative"),
    "box": ("zero", "truncated", "negative"), "heatmap": ("zero", "negative"),
}  # fmt: skip
_SERIES_OF = {
    "grouped": (2, 4), "stacked": (2, 4), "line": (1, 4), "area": (1, 3), "radar": (1, 3),
    "heatmap": (2, 4),
}  # fmt: skip
_FEWEST = {"scatter": 5, "radar": 5, "histogram": 4, "line": 4, "area": 4}
_MOST = 16
_TRIES = 1000
_VALUES = 25
"""How often values are drawn for one frame before another is."""


class Scope(NamedTuple):
    """How hard charts are."""

    rows: tuple[int, int]
    series: tuple[int, int]
    value_labels: float
    scales: tuple[str, ...]
    ties: float


LEVELS = {
    "easy": Scope((3, 5), (1, 2), 0.7, ("zero",), 0.0),
    "medium": Scope((4, 8), (1, 3), 0.4, ("zero", "truncated", "negative"), 0.2),
    "hard": Scope((6, 14), (2, 4), 0.15, SCALES, 0.5),
}


@dataclass(frozen=True, kw_only=True)
class Chart(Generator):
    """One chart and one question; numbers, names, verdicts, boxes or the whole table."""

    kind: ClassVar[str] = "chart"
    version: ClassVar[int] = 1
    targets: ClassVar[tuple[type[Target], ...]] = (Box, Number, Table, Text)

    size: int | tuple[int, int] = (448, 336)
    """Width and height in pixels, or the side of a square; 224 to 2048."""
    level: Literal["easy", "medium", "hard"] = "easy"
    """easy: 3 to 5 rows, mostly labelled; medium: 4 to 8, axes that do not begin at zero; hard:
    6 to 14 with up to 4 series, logarithmic axes, near ties, hardly a value written out."""
    charts: tuple[str, ...] = CHARTS
    """Which types are drawn, each as often."""
    questions: tuple[str, ...] = QUESTIONS
    """Which forms of question are asked, where a chart allows them."""
    rows: tuple[int, int] | None = None
    """How many values a series has, from and to, in place of the level's; 3 to 16, and as many as
    the picture has room for."""
    series: tuple[int, int] | None = None
    """How many series charts of several have, from and to (1 to 4)."""
    value_labels: float | None = None
    """The share of charts with their values written at the marks, where these fit."""
    scales: tuple[str, ...] | None = None
    """What axes do: begin at zero, are truncated, reach below zero (negative), are logarithmic."""
    near_ties: float | None = None
    """The share of tables whose greatest value has another close under it, though visibly."""
    ood: bool = False
    """The styles, palettes and fonts that are never drawn without it."""

    def __post_init__(self) -> None:
        _check_names("charts", self.charts, CHARTS)
        _check_names("questions", self.questions, QUESTIONS)
        if self.scales is not None:
            _check_names("scales", self.scales, SCALES)
        if self.level not in LEVELS:
            raise ValueError(f"level={self.level!r}: give one of {', '.join(LEVELS)}")
        if not all(plans.SMALLEST <= side <= 2048 for side in self.pixels):
            raise ValueError(f"size={self.size!r}: give sides of {plans.SMALLEST} to 2048 pixels")
        _check_range("rows", self.rows, 3, _MOST)
        _check_range("series", self.series, 1, 4)
        for name in ("value_labels", "near_ties"):
            share = getattr(self, name)
            if share is not None and not 0 <= share <= 1:
                raise ValueError(f"{name}={share}: give a share from 0 to 1")
        if not self._choices:
            raise ValueError(
                f"charts={list(self.charts)}: none of these has {self._scope.rows[0]} rows in"
                f" {self.pixels} pixels on the scales {list(self._scope.scales)} and can be asked"
                f" {list(self.questions)}; allow others"
            )

    def key(self, index: int) -> str:
        """The table, the type of chart and what is asked of it."""
        _, plan, question = self._meaning(index)
        table = _names_key(plan.frame) + _values_key(plan.cells)
        labels = "labelled" if plan.labelled else "bare"
        return "|".join((plan.chart, labels, table, question.text))

    def draw(self, index: int) -> Sample:
        """One chart."""
        from gnomon.generators import _chart_draw, _chart_style

        rng, plan, question = self._meaning(index)
        look = _chart_style.look(rng, ood=self.ood)
        board = _chart_draw.drawn(plan, look, rng, self.pixels)
        target = question.target or _box_of(board, question)
        facts = _facts(plan, question, board, look)
        return Sample(self.id(index), board.pen.image(), question.text, target, facts)

    @property
    def pixels(self) -> Size:
        """Width and height."""
        return (self.size, self.size) if isinstance(self.size, int) else self.size

    def _meaning(self, index: int) -> tuple[Rng, Plan, Asked]:
        """The first table of the draws that belongs to the split and answers a question.

        One table in ten belongs to it at least, and most answer most of the questions that their
        type can be asked (a test holds that every pair of the two is found).
        """
        rng = self.rng(index)
        for _ in range(_TRIES):
            chart, form, needs_labels = rng.choice(self._choices)
            frame, labelled, tie = self._frame(rng, chart)
            cells = self._mine(rng, frame, tie)
            if cells is None:
                continue
            plan = plans.planned(frame, cells, self.pixels, labelled=labelled or needs_labels)
            if (question := asked(form, plan, rng)) is not None:
                return rng, plan, question
        raise AssertionError(f"{self}: no chart of the {self.split} split in {_TRIES}")

    def _mine(self, rng: Rng, frame: Frame, tie: int) -> Cells | None:
        """Values that make the table one of the split, of some hundred tables."""
        names = _names_key(frame)
        for _ in range(_VALUES):
            for cells in tables.orders(frame, tables.values(rng, frame, tie)):
                if _split(names + _values_key(cells)) == self.split:
                    return cells
        return None

    def _frame(self, rng: Rng, chart: str) -> tuple[Frame, bool, int]:
        """What a chart is about; whether it is labelled; how close the nearest values are."""
        scope = self._scope
        scale = rng.choice(self._scales(chart))
        series = rng.integer(*self._series(chart))
        rows = rng.integer(*self._rows(chart, series))
        frame = tables.frame(rng, chart, scale, rows, series)
        labelled = rng.chance(scope.value_labels)
        tied = rng.chance(scope.ties) and chart in _TIED
        if not tied:
            return frame, labelled, 0
        room = plans.room(chart, self.pixels)
        two = (
            3 * (frame.high - min(frame.low, 0)) / (room.width if chart == "barh" else room.height)
        )
        return frame, labelled, max(1, round(two * rng.uniform(1, 2.5)))

    @cached_property
    def _choices(self) -> tuple[tuple[str, str, bool], ...]:
        """Type and question, where the two go together and the picture has room; whether the
        question takes written values."""
        return tuple(
            (chart, form, form == "table" or (chart in _ONLY_LABELLED and form in _NUMERIC))
            for chart in self.charts
            if self._scales(chart) and self._fits(chart)
            for form in self.questions
            if form not in _NEVER.get(chart, ()) and self._answers(chart, form)
        )

    def _answers(self, chart: str, form: str) -> bool:
        """Whether such charts ever determine the answer to such a question."""
        several = self._series(chart)
        if form == "crossing" or (chart, form) == ("area", "box"):
            return several[1] > 1
        if chart == "area" and form in ("trend", "table"):
            return several[0] == 1
        if chart == "line" and form == "table" and several[0] > 1:
            return False
        if form == "table" or (chart in _ONLY_LABELLED and form in _NUMERIC):
            return self._scope.value_labels > 0
        return form not in ("sum", "mean", "median", "ratio") or self._scales(chart) != ("log",)

    def _fits(self, chart: str) -> bool:
        low, high = self._rows(chart, self._series(chart)[1])
        return low <= high

    def _scales(self, chart: str) -> tuple[str, ...]:
        return tuple(s for s in self._scope.scales if s in _SCALES_OF.get(chart, ("zero",)))

    def _series(self, chart: str) -> tuple[int, int]:
        low, high = _SERIES_OF.get(chart, (1, 1))
        return max(low, min(self._scope.series[0], high)), max(
            low, min(self._scope.series[1], high)
        )

    def _rows(self, chart: str, series: int) -> tuple[int, int]:
        """What is wanted, as far as there is room."""
        most = plans.most_rows(chart, self.pixels, series)
        low, high = self._scope.rows
        few = _FEWEST.get(chart, 3)
        if self.rows is None:
            return max(few, min(low, most)), max(few, min(high, most))
        return max(few, low), min(high, most)

    @cached_property
    def _scope(self) -> Scope:
        own = LEVELS[self.level]
        return Scope(
            self.rows or own.rows,
            self.series or own.series,
            own.value_labels if self.value_labels is None else self.value_labels,
            own.scales if self.scales is None else tuple(self.scales),
            own.ties if self.near_ties is None else self.near_ties,
        )


_TIED = ("bar", "barh", "grouped", "line", "histogram")
_ONLY_LABELLED = ("pie", "ring", "heatmap")
_NUMERIC = ("retrieve", "count", "difference", "ratio", "sum", "mean", "median")
_NO_ORDER = ("crossing", "trend")
_NEVER = {
    "bar": ("crossing",), "barh": ("crossing", "trend"), "grouped": ("crossing",),
    "stacked": _NO_ORDER, "area": ("crossing",), "histogram": ("crossing", "mean", "median"),
    "scatter": ("crossing", "table", "sum", "mean", "median"),
    "bubble": ("crossing", "trend", "table", "sum", "mean", "median", "ratio"),
    "pie": _NO_ORDER, "ring": _NO_ORDER, "radar": (*_NO_ORDER, "table"), "heatmap": _NO_ORDER,
    "box": ("crossing", "trend", "sum", "mean", "median", "table"),
}  # fmt: skip
"""What is not asked of a type, because it makes no sense there."""


def _names_key(frame: Frame) -> str:
    return f"{frame.topic.measure}/{','.join(frame.rows)}/{','.join(frame.columns)}/"


def _values_key(cells: Cells) -> str:
    return repr(cells)


def _split(table: str) -> Split:
    """As `split_of` shares them out, by one short hash: many tables are tried for one picture."""
    tenth = blake2b(table.encode(), digest_size=1, key=b"chart").digest()[0] * 10 >> 8
    return "train" if tenth < 8 else "val" if tenth == 8 else "test"


def _box_of(board: Board, question: Asked) -> Box:
    """The mark that is asked for; of an area the whole band."""
    wanted = list(question.about["cells"][0])
    return Box(*next(mark["box"] for mark in board.marks if mark["cell"] == wanted))


def _facts(plan: Plan, question: Asked, board: Board, look: Look) -> dict[str, Any]:
    frame = plan.frame
    columns = range(len(frame.columns))
    return {
        "chart": plan.chart,
        "title": board.whims.title,
        "each": frame.each,
        "rows": list(frame.rows),
        "columns": list(frame.columns),
        "measures": [topic.measure for topic in frame.topics],
        "units": [frame.unit(column) for column in columns],
        "cells": [
            [plan.written((row, column)) for column in columns] for row in range(len(frame.rows))
        ],
        "labelled": plan.labelled,
        "plot": list(board.plot),
        "axis": _axis_facts(plan.axis, frame.topic.places),
        "across": plan.across and _axis_facts(plan.across, frame.topics[0].places),
        "marks": board.marks,
        "texts": [
            {"text": word.text, "role": word.role, "box": list(word.box)}
            for word in board.pen.words
        ],
        "style": {"name": look.style.name, "palette": look.palette, "font": look.font},
        "question": question.form,
        "about": _plain(question.about),
    }


def _axis_facts(axis: Any, places: int) -> dict[str, Any]:
    scale = 10**places
    return {
        "low": axis.low / scale,
        "high": axis.high / scale,
        "ticks": [tick / scale for tick in axis.ticks],
        "log": axis.step == 0,
    }


def _plain(about: dict[str, Any]) -> dict[str, Any]:
    """Cells as lists, as JSON has them."""
    cells = {"cells": [list(cell) for cell in about["cells"]]} if "cells" in about else {}
    return {**about, **cells}


def _check_names(option: str, given: tuple[str, ...], known: tuple[str, ...]) -> None:
    if not given:
        raise ValueError(f"{option} is empty: give some of {', '.join(known)}")
    for name in given:
        if name not in known:
            near = ", ".join(nearest_names(name, known))
            raise ValueError(f"{option}: {name!r} is none; did you mean {near}?")


def _check_range(option: str, given: tuple[int, int] | None, least: int, most: int) -> None:
    if given is not None and not least <= given[0] <= given[1] <= most:
        raise ValueError(f"{option}={given!r}: give a range within {least} to {most}")
