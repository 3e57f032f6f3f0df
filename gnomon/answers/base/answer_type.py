"""Base classes of the types of answers, their metrics, and figures as text."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from gnomon.answers.base.dialect import Dialect
from gnomon.answers.base.target import Corners, Size, Target
from gnomon.answers.reading.base import Reading, Which

Value: TypeAlias = Hashable
"""Value of a reading: (hour, minute, second) of a time, a Decimal, the corners of a box, ..."""
# No measure is larger, so that sums over any number of answers stay finite.
_LARGEST = 1e300
NONE = "–"
"""Text of an unknown figure."""


class ModelAnswer(NamedTuple):
    """A model's text and the value that was read from it. None stands for an unread answer."""

    value: Value | None
    text: str


class AnswerType(ABC):
    """A type of answer, with its metrics. An unread answer has only some of the measures."""

    target: ClassVar[type[Target]]
    """Class of its true answers."""
    title: str
    """Name for people."""
    metrics: tuple[Metric, ...]
    """Metrics of its summary, the most important first."""
    error_histogram: ErrorHistogram
    """Histogram of the errors in a report."""
    reward_measure: ClassVar[str] = "exact"
    """Key of the measure, from 0 to 1, that an answer gets as its reward."""
    cost_measure: ClassVar[str] = ""
    """Key of the measure that `charged` repeats, with unread answers at their `costs`."""
    axis: AnswerAxis | None = None
    """Axis on which its values have a position, if they have one."""
    readers: ClassVar[tuple[Callable[..., Any], ...]] = ()
    """Functions that read such answers, for users: `gnomon.eval` has them by name."""
    is_listable: ClassVar[bool] = False
    """True if answers can be listed. A belief over the list can then be measured."""

    @abstractmethod
    def read(
        self, text: str, form: Any, *, which: Which, dialect: Dialect, size: Size | None
    ) -> Reading[Value] | None:
        """Read the value of an answer to a question of this form.

        `size` is the size of the picture as the model saw it. The dialect gives the space of boxes.
        """

    def measures(self, truth: Any, answer: ModelAnswer, cost: float) -> dict[str, float]:
        """Measure one answer by every metric; `cost` is the most that it can be charged.

        An unread answer is charged the whole cost. It has 0 in each share and mean over all
        answers, and does not count in other metrics.
        """
        charge = {"charged": cost} if self.cost_measure else {}
        if answer.value is None:
            shares = (metric for metric in self.metrics if metric.compute and metric.among == "all")
            return {**{metric.key: 0.0 for metric in shares}, "unread": 1.0, **charge}
        true_value, measures = self.value_of(truth), {"unread": 0.0}
        for metric in self.metrics:
            measure = metric.compute(answer.value, true_value) if metric.compute else None
            if measure is not None:
                # An answer of 1e999 is far off, and an infinite mean would hide all others.
                measures[metric.key] = min(float(measure), _LARGEST)
        if self.cost_measure:
            measures["charged"] = min(measures[self.cost_measure], cost)
        return measures

    def measures_without_chance(
        self, truth: Any, value: Any, size: Size | None
    ) -> dict[str, float]:
        """Measures that take long or need the size of the answer's own picture.

        Guesses are not measured by them, because a guess does not belong to one picture.
        """
        return {}

    def value_of(self, truth: Any) -> Any:
        """Value that a reader would give for a perfect answer."""
        return truth

    def answer_of(self, value: Any, form: Any) -> Target:
        """Return the answer of a form that has a reader's value: the inverse of `value_of`."""
        assert isinstance(value, Target)
        return value

    def is_correct(self, measures: dict[str, float]) -> bool:
        """True if an answer with these measures counts as right."""
        return measures["exact"] == 1

    def credit(self, measures: dict[str, float], truth: Any) -> float:
        """Reward of an answer with these measures, 0 to 1."""
        return measures[self.reward_measure]

    def costs(self, truths: Sequence[Any]) -> list[float]:
        """Return the error charged for an unread answer to each truth: that of the worst answer."""
        return [0.0] * len(truths)

    def present(self, metrics: Sequence[Metric], truths: Sequence[Any]) -> list[Metric]:
        """Return the metrics as a report shows them. Headlines may depend on the questions."""
        return list(metrics)

    def is_same(self, value: Any, other: Any) -> bool:
        """True if two values are the same answer."""
        return bool(value == other)

    def position(self, value: Any) -> float:
        """Coordinate of a value on the axis, or NaN without an axis."""
        return math.nan

    @abstractmethod
    def display(self, value: Any) -> str:
        """Text of a value for people."""

    def describe_result(self, measures: dict[str, float]) -> str:
        """Say in a few words that an answer is right, or how wrong it is: "12 min off"."""
        return "right" if self.is_correct(measures) else "wrong"


class PlacedType(AnswerType):
    """A type whose answers are boxes in a picture."""

    @abstractmethod
    def boxes(self, value: Any) -> Sequence[Corners]:
        """Corners of every box in a value."""

    @abstractmethod
    def scaled(self, value: Any, old: Size, new: Size) -> Any:
        """Scale a value as a picture that is resized from `old` to `new`."""

    def matched_boxes(self, truth: Any, value: Any) -> list[tuple[int, Corners]]:
        """Return pairs of the index of a box in `value` and the corners of its true box."""
        return []


def boxes_in(answer_type: AnswerType, value: Any) -> Sequence[Corners]:
    """Return the corners of every box in a value. Most types have no boxes."""
    return answer_type.boxes(value) if isinstance(answer_type, PlacedType) else ()


def metric_rows(
    answer_type: AnswerType, metric: Metric, rows: Iterable[dict[str, float]]
) -> list[tuple[float, ...] | None]:
    """Return the values that answers add to a metric, by the measures of each.

    An answer that the metric does not count has None.
    """
    keys, values = metric.keys, list[tuple[float, ...] | None]()
    for measures in rows:
        # An unread answer has no error, and is neither right nor wrong.
        counts = metric.among == "all" or not measures["unread"]
        if metric.among == "wrong" and counts:
            counts = not answer_type.is_correct(measures)
        # A measure may be missing, such as the relative error if the truth is 0.
        counts = counts and all(key in measures for key in keys)
        values.append(tuple([measures[key] for key in keys]) if counts else None)
    return values


Statistic: TypeAlias = Literal["share", "mean", "median", "p90", "r_squared"]
Among: TypeAlias = Literal["all", "read", "wrong"]
"""All items, those that could be read, or those that were read and are wrong."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of a summary: its function, the items that count, and how they are summed up.

    Scoring, reports, chance levels and `gnomon ls metrics` all use this declaration.
    """

    name: str
    label: str
    compute: Callable[[Any, Any], float | None] | None = None
    """Function of the answer's value and the true one. None if the type computes it elsewhere."""
    statistic: Statistic = "share"
    among: Among = "all"
    unit: str = "%"
    better: Literal["higher", "lower", ""] = "higher"
    headline: bool = False
    same_as: str = ""
    """Name of another metric or measure, whose values this metric sums up in another way."""
    against: str = ""
    """Second measure that goes into the statistic: R² sets residuals against the truths."""
    chance: Callable[[Any], float | None] | None = None
    """Expected value under uniform guesses at a question with this truth, if there is such."""
    public_function: Callable[..., Any] | None = None
    """Public function that explains the metric if the type itself computes it."""

    @property
    def key(self) -> str:
        """Key of its values among the measures of an answer."""
        return self.same_as or self.name

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of all measures that go into the statistic."""
        return (self.key, self.against) if self.against else (self.key,)


@dataclass(frozen=True, slots=True)
class ErrorHistogram:
    """Bins of a histogram of errors: key of the measure, edges between bins, and their names."""

    title: str
    measure: str
    edges: tuple[float, ...]
    names: tuple[str, ...]
    more_is_better: bool = True
    """An edge then belongs to the bin above it."""


# 5e-324 is the least positive float: a share of 0 has a bin of its own.
SHARES = (
    (5e-324, 0.25, 0.5, 0.75, 0.9),
    ("0", "< 0.25", "0.25–0.5", "0.5–0.75", "0.75–0.9", "≥ 0.9"),
)
"""Edges and names of the bins of a share."""


@dataclass(frozen=True, slots=True)
class AnswerAxis:
    """A line on which answers can be drawn against truths."""

    names: tuple[str, str]
    """Names of the axis of truths and of the axis of answers."""
    end: float | None = None
    """Upper end of an axis from 0. None if the truths decide."""
    per: float = 1.0
    """Units of `AnswerType.position` in one unit of the axis: 60 minutes in an hour."""
    is_cyclic: bool = False
    """True if the axis goes round. The period may depend on the question."""

    @property
    def period(self) -> float:
        """Period that all questions share, or 0."""
        return self.end * self.per if self.is_cyclic and self.end else 0.0


@dataclass(frozen=True, slots=True)
class PrecisionRecall:
    """Precision and recall of a list of answers, each matched to at most one truth."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, or 0 if both are 0."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def figure(value: float | None, unit: str) -> str:
    """Format a figure with its unit. A share is written in percent, and None as a dash."""
    if value is None:
        return NONE
    in_unit = to_unit(value, unit)
    return f"{format_decimals(in_unit, decimal_places(in_unit, unit))} {unit}".rstrip()


def format_exact(value: float) -> str:
    """Write one measurement as 9.2 or 5, not 9.20 or 5.00 as a mean, and round long numbers."""
    # repr gives the shortest decimals that make this float: 9.2, not 9.199999999999999.
    shortest = Decimal(repr(value)).normalize().as_tuple().exponent
    decimals = -shortest if isinstance(shortest, int) else 0
    return format_decimals(value, max(0, min(decimals, decimal_places(value, ""))))


def to_unit(value: float, unit: str) -> float:
    """Convert a share to percent if the unit is percent."""
    return 100 * value if unit == "%" else value


def decimal_places(value: float, unit: str) -> int:
    """Number of decimals to show: one for percents, otherwise three significant digits."""
    if unit == "%":
        return 1
    exponent = 0 if value == 0 else math.floor(math.log10(abs(value)))
    # A figure without a unit is a share or an F1, which people read to three decimals.
    return max(0, min(3 if unit == "" else 2, 2 - exponent))


def format_decimals(value: float, places: int, *, sign: str = "") -> str:
    """Format with that many decimals and no minus zero. Large numbers get an exponent."""
    return f"{value:{sign}z,.{places}f}" if abs(value) < 1e12 else f"{value:{sign}.3g}"
