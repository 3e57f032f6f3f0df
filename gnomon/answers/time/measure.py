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
from gnomon.answers.time.answer import Hms, Time
from gnomon.answers.time.read import parse_time, read_time

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"


def time_deviation(prediction: Hms, target: Hms, period: int = 12) -> float:
    """Minutes between two times, the shorter way round the dial: min(d, P − d), d = |p − t| mod P.

    `period` is the hours of the dial, 12 or 24, here and in the other metrics. At most 6 hours on
    a 12-hour dial; a uniform guess gives 180 minutes on average. A missing second counts as 0. The
    metric that NTIL's clock task calls the time gap.
    """
    apart = abs(_minutes(prediction, period) - _minutes(target, period))
    # 11:59 and 12:01 are 2 minutes apart.
    return min(apart, 60 * period - apart)


def linear_deviation(prediction: Hms, target: Hms, period: int = 12) -> float:
    """Minutes between two times on the line from 0:00 to P: |p − t|, where 12:00 is 0:00.

    A uniform guess at a uniform truth gives P/3, 240 minutes on a 12-hour dial. Papers do not say
    which of the two deviations they mean; so both are reported.
    """
    return abs(_minutes(prediction, period) - _minutes(target, period))


def within(prediction: Hms, target: Hms, minutes: float, period: int = 12) -> bool:
    """True if the circular deviation is at most `minutes`."""
    return time_deviation(prediction, target, period) <= minutes


def time_exact(prediction: Hms, target: Hms, period: int = 12) -> bool:
    """True if both are the same instant on the dial.

    An answer without seconds to a question with seconds is not exact, even at second 0: it left
    out a part of the question. One with seconds to a question without is exact only if they are 0.
    """
    # Metrics see the values alone: None is a missing seconds field.
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
    """True if the answer is the time read with the hour hand taken for the minute hand.

    At h:m the hands stand at (h + m/60)/P and m/60 of a turn; exchanged they read hour m·P/60,
    to either side, and minute (h + m/60)·60/P, here to within 3. Never true of an answer that is
    within 5 minutes of the truth, as it is near 12:00. A uniform guess does this in about 1.5 %.
    """
    if within(prediction, target, 5, period):
        return False
    hour, minute = target[0] % period, target[1]
    exact_hour = minute * period / 60
    # The minute hand, read as an hour hand, stands between two hours: both are accepted.
    hours = {math.floor(exact_hour) % period, math.ceil(exact_hour) % period}
    apart = abs(prediction[1] - (hour + minute / 60) * 60 / period)
    return prediction[0] % period in hours and min(apart, 60 - apart) <= 3


def _seconds(time: Hms, hours: int) -> int:
    """Seconds from the top of the dial, so that 12:08 and 0:08 are the same."""
    return (time[0] % hours) * 3600 + time[1] * 60 + (time[2] or 0)


def _minutes(time: Hms, hours: int) -> float:
    return _seconds(time, hours) / 60


def _chance(truth: Time, summarize: Callable[[Floats], float]) -> float:
    """Statistic of the deviation in minutes if all times of the dial are guessed equally often.

    On the circle it is the same for all truths: the mean is P/4, 180 minutes of 12 hours.
    """
    return _over_guesses(truth.hours, 1 if truth.shows_seconds else 60, summarize)


@cache
def _over_guesses(hours: int, unit: int, summarize: Callable[[Floats], float]) -> float:
    """Statistic of the deviations of all times on a dial, `unit` seconds apart, from one of them.

    The deviations begin with that of the truth itself, 0.
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
    """Mean of |g − t| over all guesses g on the grid: (t(t + u) + (P − t)(P − t − u)) / 2P.

    It depends on the truth; over uniform truths its mean is P/3, 240 minutes of 12 hours.
    """
    unit = 1 / 60 if truth.shows_seconds else 1.0
    period, t = truth.hours * 60, truth.seconds / 60
    return (t * (t + unit) + (period - t) * (period - t - unit)) / (2 * period)


def _swapped_chance(truth: Time) -> float:
    """Share of all guesses that `hands_swapped` takes for the truth with swapped hands.

    It counts the minutes and hours that the rule accepts, less those within 5 minutes of the truth.
    """
    # The same rule as in `hands_swapped`, solved for the guesses that it accepts.
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
    # 300 seconds: nothing within 5 minutes of the truth counts as swapped.
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
"""Metrics by the dial's hours. Shares count unread answers as wrong; deviations leave them out."""


@dataclass(frozen=True)
class TimeType(AnswerType):
    """Deviations are in minutes; an unread answer costs half a turn, P/2, the largest there is."""

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
        self, text: str, truth: Time, *, which: Which, dialect: Dialect, size: Size | None
    ) -> Reading[Value] | None:
        """Read the time as this dial shows it, by the tolerant reader."""
        return read_time(text, hours=truth.hours, which=which, form=truth.form)

    def credit(self, measures: dict[str, float]) -> float:
        """1 − d / (P/2), d the circular deviation and P the dial's period; unread 0."""
        return 1 - measures["deviation"] / (self.hours * 30) if "deviation" in measures else 0.0

    def costs(self, truths: Sequence[Time]) -> list[float]:
        """Charge half a turn of the dial: no time is further from any truth."""
        return [self.hours * 30.0] * len(truths)

    def position(self, value: Hms) -> float:
        """Minutes from the top of the dial."""
        hour, minute, second = value
        return (60 * hour + minute + (second or 0) / 60) % self.period

    def display(self, value: Hms) -> str:
        """Write 6:34 or 6:34:05."""
        hour, minute, second = value
        return f"{hour}:{minute:02}" + ("" if second is None else f":{second:02}")

    def error_text(self, measures: dict[str, float]) -> str:
        """Deviation in minutes, or in seconds below one minute."""
        # An answer with seconds can be off by less than a minute.
        minutes = measures["deviation"]
        return f"{minutes:.0f} min off" if minutes >= 1 else f"{60 * minutes:.0f} s off"

    def value_of(self, truth: Time) -> Hms:
        """Hour, minute and second; None for a second that the dial does not show."""
        return truth.hms

    def answer_of(self, value: Hms, form: Time) -> Time:
        """Return the time with this hour, minute and second."""
        hour, minute, second = value
        seconds = hour % form.hours * 3600 + minute * 60 + (second or 0)
        shows_seconds = second is not None
        # Words and JSON of the form may have no seconds, which an answer may name all the same.
        written = "digits" if shows_seconds and form.form == "words" else form.form
        return Time(seconds, form.hours, shows_seconds, written)


TYPES: dict[str, AnswerType] = {
    name: TimeType(
        hours,
        f"Time on a {hours}-hour dial",
        METRICS[hours],
        AnswerAxis(("true time in hours", "answer in hours"), float(hours), per=60),
    )
    for name, hours in (("time", 12), ("time24", 24))
}
