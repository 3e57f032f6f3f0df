"""What each type of chart can show and be asked, and how hard charts are."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from gnomon.generators.chart import plan as plans
from gnomon.generators.chart.questions import MISMATCH
from gnomon.sample import Size

SCALES = ("zero", "truncated", "negative", "log")
_NUMERIC = ("retrieve", "count", "difference", "ratio", "sum", "mean", "median", MISMATCH)
_WHOLE = ("sum", "mean", "median", "table")


class Type(NamedTuple):
    """One type of chart."""

    never: tuple[str, ...]
    """Questions that make no sense there."""
    scales: tuple[str, ...] = ("zero",)
    series: tuple[int, int] = (1, 1)
    fewest: int = 3
    tied: bool = False
    """Whether it may have near ties."""
    gaps: bool = False
    """Whether a value may be missing."""
    only_labelled: bool = False
    """Whether values can be told only where they are written."""


TYPES = {
    "bar": Type(("crossing",), SCALES, tied=True, gaps=True),
    "barh": Type(("crossing", "trend"), SCALES, tied=True, gaps=True),
    "grouped": Type(("crossing",), ("zero", "truncated", "negative"), (2, 4), tied=True, gaps=True),
    "stacked": Type(("crossing", "trend"), series=(2, 4)),
    "line": Type((), SCALES, (1, 4), 4, tied=True, gaps=True),
    "area": Type(("crossing",), series=(1, 3), fewest=4),
    "scatter": Type(("crossing", *_WHOLE), fewest=5),
    "bubble": Type(("crossing", "trend", "ratio", *_WHOLE)),
    "pie": Type(("crossing", "trend"), only_labelled=True),
    "ring": Type(("crossing", "trend"), only_labelled=True),
    "radar": Type(("crossing", "trend", "table"), series=(1, 3), fewest=5),
    "histogram": Type(("crossing", "mean", "median"), fewest=4, tied=True),
    "box": Type(("crossing", "trend", *_WHOLE), ("zero", "truncated", "negative")),
    "heatmap": Type(
        ("crossing", "trend"), ("zero", "negative"), (2, 4), only_labelled=True, gaps=True
    ),
}


class Scope(NamedTuple):
    """How hard charts are, in pictures of a size."""

    rows: tuple[int, int]
    series: tuple[int, int]
    value_labels: float
    scales: tuple[str, ...]
    ties: float
    missing: float
    size: Size
    wanted: bool = False
    """Whether the rows were asked for by number, so that fewer will not do."""

    def series_of(self, chart: str) -> tuple[int, int]:
        """How many series such a chart has, from and to."""
        low, high = TYPES[chart].series
        return max(low, min(self.series[0], high)), max(low, min(self.series[1], high))

    def rows_of(self, chart: str, series: int) -> tuple[int, int]:
        """How many rows, as far as there is room; the first is the greater where there is none."""
        return _rows(self, chart, series)

    def scales_of(self, chart: str) -> tuple[str, ...]:
        """What its axis may do."""
        return _scales(self, chart)

    def asks(self, chart: str, form: str) -> bool:
        """Whether such charts ever determine the answer to such a question."""
        kind, (fewest, most) = TYPES[chart], self.series_of(chart)
        if form in kind.never:
            return False
        if form == MISMATCH and ("table" in kind.never or self.scales_of(chart) == ("log",)):
            return False
        if form == "crossing" or (chart, form) == ("area", "box"):
            return most > 1
        if (chart, form) in (("area", "trend"), ("area", "table"), ("line", "table")):
            return fewest == 1 and (form == "trend" or self.value_labels > 0)
        if self.needs_labels(chart, form):
            return self.value_labels > 0
        whole = form in ("sum", "mean", "median", "ratio")
        return not whole or self.scales_of(chart) != ("log",)

    def _shows(self, chart: str, form: str, fewest: int) -> bool:
        """Whether there is room for the written values that the question takes, in few groups."""
        if chart != "grouped" or not self.needs_labels(chart, form):
            return True
        space = plans.room(chart, self.size)
        return plans.upright_fit(space, fewest, self.series_of(chart)[0])

    def needs_labels(self, chart: str, form: str) -> bool:
        """Whether the question takes written values."""
        return form == "table" or (TYPES[chart].only_labelled and form in _NUMERIC)

    def choices(
        self, charts: tuple[str, ...], forms: tuple[str, ...]
    ) -> dict[str, tuple[str, ...]]:
        """The questions of each type that has any, and room in the picture."""
        found = {}
        for chart in charts:
            low, high = self.rows_of(chart, self.series_of(chart)[1])
            asked = tuple(
                form for form in forms if self.asks(chart, form) and self._shows(chart, form, low)
            )
            if self.scales_of(chart) and low <= high and asked:
                found[chart] = asked
        return found


LEVELS = {
    "easy": Scope((3, 5), (1, 2), 0.7, ("zero",), 0.0, 0.0, (0, 0)),
    "medium": Scope((4, 8), (1, 3), 0.4, ("zero", "truncated", "negative"), 0.2, 0.15, (0, 0)),
    "hard": Scope((6, 14), (2, 4), 0.15, SCALES, 0.5, 0.25, (0, 0)),
}


@lru_cache(maxsize=1024)
def _rows(scope: Scope, chart: str, series: int) -> tuple[int, int]:
    most = plans.most_rows(chart, scope.size, series)
    few, (low, high) = TYPES[chart].fewest, scope.rows
    if scope.wanted:
        return max(few, low), min(high, most)
    return max(few, min(low, most)), max(few, min(high, most))


@lru_cache(maxsize=1024)
def _scales(scope: Scope, chart: str) -> tuple[str, ...]:
    return tuple(scale for scale in scope.scales if scale in TYPES[chart].scales)
