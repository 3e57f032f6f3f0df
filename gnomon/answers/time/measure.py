"""Metrics of times on a dial of 12 or 24 hours, with their chance levels, and the types."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, TypeAlias

from gnomon.answers.base.answer_type import AnswerAxis, AnswerType, ErrorHistogram, Metric, Value
from gnomon.answers.base.dialect import Dialect
from gnomon.answers.base.target import Size
from gnomon.answers.reading.base import Reading, Which
from gnomon.answers.time.answer import Hms, Time, TimeForm
from gnomon.answers.time.read import parse_time, read_time

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"


def time_deviation(prediction: Hms, target: Hms, period: int = 12) -> float:
    """Minutes between two times, the shorter way round the dial: min(d, P − d), d = |p − t| mod P.

    `period` is the hours of the dial, 12 or 24. On a 12-hour dial the largest deviation is 6 hours,
    and a uniform guess gives 180 minutes on average. A missing second counts as 0. NTIL's clock
    task calls this metric the time gap.
    """
    apart = abs(_minutes(prediction, period) - _minutes(target, period))
    # 11:59 and 12:01 are 2 minutes apart.
    return min(apart, 60 * period - apart)


def linear_deviation(prediction: Hms, target: Hms, period: int = 12) -> float:
    """Minutes between two times on the line from 0:00 to P: |p − t|. 12:00 counts as 0:00.

    A uniform guess at a uniform truth gives P/3, 240 minutes on a 12-hour dial. Reports show both
    deviations, because papers do not say which they mean.
    """
    return abs(_minutes(prediction, period) - _minutes(target, period))


def within(prediction: Hms, target: Hms, minutes: float, period: int = 12) -> bool:
    """True if the circular deviation is at most `minutes`."""
    return time_deviation(prediction, target, period) <= minutes


def time_exact(prediction: Hms, target: Hms, period: int = 12) -> bool:
    """True if both are the same instant on the dial.

    If the question asks for seconds, an answer without seconds is not exact, even at second 0. If
    the question does not ask for seconds, an answer with seconds is exact only if they are 0.
    """
    # None stands for a missing seconds field.
    if target[2] is not None and prediction[2] is None:
        return False
    return _seconds(prediction, period) == _seconds(target, period)


def hour_right(prediction: Hms, target: Hms, period: int = 12) -> bool:
    """True if the hour is the same on the dial, whatever the minute."""
    return prediction[0] % period == target[0] % period


def minute_right(prediction: Hms, target: Hms) -> bool:
    """True if the minute is the same, whatever the hour."""
    return prediction[1] == target[1]


def hands_swapped(prediction: Hms, target: Hms, period: int = 12) -> bool:
    """True if the answer is the time that swapped hands would show.

    At h:m the hands stand at (h + m/60)/P and m/60 of a turn. Swapped, they show the hour m·P/60,
    rounded up or down, and the minute (h + m/60)·60/P, within 3 minutes. An answer within 5 minutes
    of the truth, as near 12:00, does not count. About 1.5 % of uniform guesses are of this kind.
    """
    if within(prediction, target, 5, period):
        return False
    hour, minute = target[0] % period, target[1]
    exact_hour = minute * period / 60
    # As an hour hand, the minute hand stands between two hours. Both are accepted.
    hours = {math.floor(exact_hour) % period, math.ceil(exact_hour) % period}
    apart = abs(prediction[1] - (hour + minute / 60) * 60 / period)
    return prediction[0] % period in hours and min(apart, 60 - apart) <= 3


def _seconds(time: Hms, hours: int) -> int:
    """Return the seconds from the top of the dial. 12:08 and 0:08 are equal."""
    return (time[0] % hours) * 3600 + time[1] * 60 + (time[2] or 0)


def _minutes(time: Hms, hours: int) -> float:
    return _seconds(time, hours) / 60


def _chance(truth: Time, summarize: Callable[[Floats], float]) -> float:
    """Return a statistic of the deviation in minutes, over uniform guesses on the dial.

    It is the same for all truths. The mean is P/4, 180 minutes on a 12-hour dial.
    """
    return _over_guesses(truth.hours, 1 if truth.shows_seconds else 60, summarize)


@cache
def _over_guesses(hours: int, unit: int, summarize: Callable[[Floats], float]) -> float:
    """Return a statistic of the deviations from one time to all times, `unit` seconds apart.

    The first deviation is 0, from the truth to itself.
    """
    import numpy as np

    later = np.arange(0, hours * 3600, unit) / 60
    return float(summarize(np.minimum(later, hours * 60 - later)))


def _share_within(deviations: Floats, minutes: float) -> float:
    return float((deviations <= minutes).mean())


def _mean(deviations: Floats) -> float:
    return float(deviations.mean())


def _mean_of_wrong(deviations: Floats) -> float:
    return float(deviations[1:].mean())


def _quantile(deviations: Floats, share: float) -> float:
    import numpy as np

    return float(np.quantile(deviations, share))


def _hour_chance(truth: Time) -> float:
    return 1 / truth.hours


def _minute_chance(truth: Time) -> float:  # noqa: ARG001 - every dial has 60
    return 1 / 60


def _linear_chance(truth: Time) -> float:
    """Return the mean of |g − t| over all guesses g: (t(t + u) + (P − t)(P − t − u)) / 2P.

    t is the truth, u the step between guesses and P the length of the dial, in minutes. The mean
    depends on the truth. Over uniform truths it is P/3, 240 minutes on a 12-hour dial.
    """
    unit = 1 / 60 if truth.shows_seconds else 1.0
    period, t = truth.hours * 60, truth.seconds / 60
    return (t * (t + unit) + (period - t) * (period - t - unit)) / (2 * period)


def _swapped_chance(truth: Time) -> float:
    """Return the share of uniform guesses for which `hands_swapped` is true.

    It counts the hours and minutes that the rule accepts, except near the truth.
    """
    # The rule of `hands_swapped`, solved for the accepted guesses.
    turn, exact_hour = truth.hours * 3600, truth.seconds // 60 % 60 * truth.hours / 60
    hours = {math.floor(exact_hour) % truth.hours, math.ceil(exact_hour) % truth.hours}
    off = (abs(minute - truth.seconds // 60 / truth.hours) for minute in range(60))
    minutes = [minute for minute, apart in enumerate(off) if min(apart, 60 - apart) <= 3]
    seconds = range(60) if truth.shows_seconds else (0,)
    seconds_later = [
        (3600 * hour + 60 * minute + second - truth.seconds) % turn
        for hour in hours
        for minute in minutes
        for second in seconds
    ]
    # A guess within 300 seconds of the truth does not count as swapped.
    n_swapped = sum(300 < later < turn - 300 for later in seconds_later)
    return n_swapped / (60 * truth.hours * len(seconds))


def _metrics(hours: int) -> tuple[Metric, ...]:
    """Metrics on a dial of 12 or 24 hours, each with its chance level."""
    mean_chance = partial(_chance, summarize=_mean)
    minutes_metric = partial(Metric, statistic="mean", among="read", unit="min", better="lower")
    deviation_metric = partial(minutes_metric, same_as="deviation")
    return (
        Metric(
            "exact",
            "Exactly right",
            partial(time_exact, period=hours),
            headline=True,
            chance=partial(_chance, summarize=partial(_share_within, minutes=0)),
        ),
        Metric(
            "within_1",
            "Within 1 minute",
            partial(within, minutes=1, period=hours),
            headline=True,
            chance=partial(_chance, summarize=partial(_share_within, minutes=1)),
        ),
        Metric(
            "within_5",
            "Within 5 minutes",
            partial(within, minutes=5, period=hours),
            headline=True,
            chance=partial(_chance, summarize=partial(_share_within, minutes=5)),
        ),
        minutes_metric(
            "deviation",
            "Mean deviation of read answers",
            partial(time_deviation, period=hours),
            headline=True,
            chance=mean_chance,
        ),
        minutes_metric(
            "charged",
            f"Mean deviation, unread as {hours * 30} min",
            among="all",
            headline=True,
            chance=mean_chance,
        ),
        Metric("unread", "Could not be read", better="lower", headline=True),
        deviation_metric(
            "deviation_median",
            "Median deviation of read answers",
            statistic="median",
            chance=partial(_chance, summarize=partial(_quantile, share=0.5)),
        ),
        deviation_metric(
            "deviation_p90",
            "90th percentile of the deviation",
            statistic="p90",
            chance=partial(_chance, summarize=partial(_quantile, share=0.9)),
        ),
        deviation_metric(
            "deviation_wrong",
            "Mean deviation of wrong answers",
            among="wrong",
            chance=partial(_chance, summarize=_mean_of_wrong),
        ),
        minutes_metric(
            "linear",
            "Mean linear deviation",
            partial(linear_deviation, period=hours),
            chance=_linear_chance,
        ),
        Metric("hour", "Hour right", partial(hour_right, period=hours), chance=_hour_chance),
        Metric("minute", "Minute right", minute_right, chance=_minute_chance),
        Metric(
            "swapped",
            "Hands swapped",
            partial(hands_swapped, period=hours),
            better="",
            chance=_swapped_chance,
        ),
    )


METRICS = {hours: _metrics(hours) for hours in (12, 24)}
"""Metrics by the dial's hours. Shares count unread answers as wrong. Deviations ignore them."""


@dataclass(frozen=True)
class TimeType(AnswerType):
    """Deviations are in minutes. An unread answer costs half a turn, the largest deviation."""

    target = Time
    error_histogram = ErrorHistogram(
        "How far off, the shorter way round the dial",
        "deviation",
        (0, 1, 5, 15, 30, 60, 180),
        ("exact", "≤ 1 min", "1–5 min", "5–15 min", "15–30 min", "30–60 min", "1–3 h", "> 3 h"),
        more_is_better=False,
    )
    cost_measure = "deviation"
    readers = (read_time, parse_time)
    is_listable = True

    hours: int
    title: str
    metrics: tuple[Metric, ...]
    axis: AnswerAxis

    def read(
        self, text: str, form: TimeForm, *, which: Which, dialect: Dialect, size: Size | None
    ) -> Reading[Value] | None:
        """Read the time as this dial shows it."""
        return read_time(text, hours=form.hours, which=which, form=form.style)

    def credit(self, measures: dict[str, float], truth: Time) -> float:
        """Return 1 − d / (P/2) for the deviation d and the period P, or 0 for an unread answer."""
        return 1 - measures["deviation"] / (self.hours * 30) if "deviation" in measures else 0.0

    def costs(self, truths: Sequence[Time]) -> list[float]:
        """Charge half a turn of the dial, the largest deviation."""
        return [self.hours * 30.0] * len(truths)

    def position(self, value: Hms) -> float:
        """Minutes from the top of the dial."""
        hour, minute, second = value
        return (60 * hour + minute + (second or 0) / 60) % (60 * self.hours)

    def display(self, value: Hms) -> str:
        """Write 6:34 or 6:34:05."""
        hour, minute, second = value
        return f"{hour}:{minute:02}" + ("" if second is None else f":{second:02}")

    def describe_result(self, measures: dict[str, float]) -> str:
        """Write the deviation in minutes, or in seconds below one minute."""
        if self.is_correct(measures):
            return "right"
        # The error can be below a minute if the answer has seconds.
        minutes = measures["deviation"]
        return f"{minutes:.0f} min off" if minutes >= 1 else f"{60 * minutes:.0f} s off"

    def value_of(self, truth: Time) -> Hms:
        """Return hour, minute and second. The second is None if the dial does not show it."""
        return truth.hms

    def answer_of(self, value: Hms, form: TimeForm) -> Time:
        """Return the time with this hour, minute and second."""
        hour, minute, second = value
        seconds = hour % form.hours * 3600 + minute * 60 + (second or 0)
        shows_seconds = second is not None
        # An answer may name seconds, which words of the form do not have.
        style = "digits" if shows_seconds and form.style == "words" else form.style
        return Time(seconds, form.hours, shows_seconds, style)


TYPES: dict[str, AnswerType] = {
    name: TimeType(
        hours,
        f"Time on a {hours}-hour dial",
        METRICS[hours],
        AnswerAxis(("true time in hours", "answer in hours"), float(hours), per=60, is_cyclic=True),
    )
    for name, hours in (("time", 12), ("time24", 24))
}
