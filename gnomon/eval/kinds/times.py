"""Times on a dial of 12 or 24 hours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from gnomon.eval import metrics
from gnomon.eval.kinds.base import Among, Answer, Kind, Line, Statistic
from gnomon.eval.kinds.uniform import uniform
from gnomon.eval.parse import Reading, read_time
from gnomon.eval.parse.reading import Value, Which
from gnomon.sample import Prediction, Target, Time


@dataclass(frozen=True)
class TimeKind(Kind):
    """Deviations are in minutes; an unread answer costs half a turn, P/2, the largest there is."""

    hours: Literal[12, 24]

    @property
    def lines(self) -> tuple[Line, ...]:
        """Shares count unread answers as wrong; deviations are of the answers that were read."""
        charged = f"Mean deviation, unread as {self.hours * 30} min"
        return (
            Line("exact", "Exactly right", "exact", headline=True),
            Line("within_1", "Within 1 minute", "within_1", headline=True),
            Line("within_5", "Within 5 minutes", "within_5", headline=True),
            _deviation("deviation", "Mean deviation of read answers", headline=True),
            _deviation("charged", charged, "charged", among="all", headline=True),
            Line("unread", "Could not be read", "unread", better="lower", headline=True),
            _deviation("deviation_median", "Median deviation of read answers", statistic="median"),
            _deviation("deviation_p90", "90th percentile of the deviation", statistic="p90"),
            _deviation("deviation_wrong", "Mean deviation of wrong answers", among="wrong"),
            _deviation("linear", "Mean linear deviation", "linear"),
            Line("hour", "Hour right", "hour"),
            Line("minute", "Minute right", "minute"),
            Line("swapped", "Hands swapped", "swapped", better=""),
        )

    def read(self, prediction: Prediction, truth: Target, which: Which) -> Reading[Value] | None:
        """What the tolerant reader finds, as this dial shows it."""
        return read_time(prediction.text, hours=_time(truth).hours, which=which)

    def measures(self, truth: Target, answer: Answer, cost: float) -> dict[str, float]:
        """Minutes and shares; an unread answer has no deviation, and is charged."""
        if answer.value is None:
            return {**dict.fromkeys(_SHARES, 0.0), "unread": 1.0, "charged": cost}
        period, target = self.hours, _time(truth).hms
        value = cast("tuple[int, int, int | None]", answer.value)
        deviation = metrics.time_deviation(value, target, period)
        return {
            "exact": float(metrics.time_exact(value, target, period)),
            "within_1": float(deviation <= 1),
            "within_5": float(deviation <= 5),
            "hour": float(metrics.hour_right(value, target, period)),
            "minute": float(metrics.minute_right(value, target)),
            "swapped": float(metrics.hands_swapped(value, target, period)),
            "unread": 0.0,
            "deviation": deviation,
            "linear": metrics.linear_deviation(value, target, period),
            "charged": deviation,
        }

    def credit(self, measures: dict[str, float]) -> float:
        """1 − d / (P/2), d the circular deviation and P the dial's period; unread 0."""
        return 1 - measures["deviation"] / (self.hours * 30) if "deviation" in measures else 0.0

    def costs(self, truths: Sequence[Target]) -> list[float]:
        """Half a turn of the dial: no time is further from any truth."""
        return [self.hours * 30.0] * len(truths)

    def uniform(self, truths: Sequence[Target]) -> dict[str, float]:
        """Every time that the answer could be is as likely."""
        return uniform([_time(truth) for truth in truths])

    def value_of(self, truth: Target) -> Value:
        """Hour, minute and second, if any."""
        return _time(truth).hms


_SHARES = ("exact", "within_1", "within_5", "hour", "minute", "swapped")


def _deviation(
    name: str,
    label: str,
    measure: str = "deviation",
    *,
    statistic: Statistic = "mean",
    among: Among = "read",
    headline: bool = False,
) -> Line:
    return Line(name, label, measure, statistic, among, "min", "lower", headline)


def _time(target: Target) -> Time:
    assert isinstance(target, Time)
    return target
