"""Score the intervals and refusals of a calibrated run: coverage, width, and accuracy."""

from collections.abc import Iterable, Mapping

from gnomon.answers.base.answer_type import AnswerType, Metric
from gnomon.answers.registry import TYPES
from gnomon.dialect import create
from gnomon.eval.scoring.belief import SAME
from gnomon.sample import Prediction, Target

RIGHT = "answered_right"
"""Name of a measure that only answers given, not refused, have: 1 if the answer is right."""


def measures(prediction: Prediction, truth: Target, type_name: str) -> dict[str, float]:
    """Score the interval of an answer.

    Return measures by name, or {} if the run is not calibrated.
    """
    certainty = prediction.certainty
    if certainty is None:
        return {}
    answer_type = TYPES[type_name]
    value = answer_type.value_of(truth)
    answered = {"answered": float(not certainty.refused)}
    if not truth.is_readable:  # it lacks a value for an interval to contain
        return answered
    if answer_type.axis is None:
        words = [_read(answer_type, word, truth, prediction) for word in certainty.words]
        covers = any(word is not None and answer_type.is_same(word, value) for word in words)
        return answered | {"interval_covers": float(covers), "interval_width": float(len(words))}
    ends = [
        answer_type.position(_read(answer_type, text, truth, prediction))
        for text in certainty.interval
    ]
    inside, width = answer_type.position(value) - ends[0], ends[1] - ends[0]
    if period := truth.answer_form.period:  # the interval may cross the end of the scale
        inside, width = inside % period, width % period
        inside = 0.0 if period - inside < SAME else inside  # rounding error
    covers = -SAME <= inside <= width + SAME
    return answered | {"interval_covers": float(covers), "interval_width": width}


def metrics(name: str, rows: Iterable[Mapping[str, float]]) -> tuple[Metric, ...]:
    """Return the metrics of intervals, or () if `rows`, the measures of all answers, lack them."""
    return METRICS[name] if any("answered" in measures for measures in rows) else ()


def _read(answer_type: AnswerType, text: str, truth: Target, prediction: Prediction) -> object:
    reading = answer_type.read(
        text, truth.answer_form, which="final", dialect=create(prediction.dialect), size=None
    )
    return None if reading is None else reading.value


def _metrics_of(answer_type: AnswerType) -> tuple[Metric, ...]:
    if answer_type.axis is None:
        unit, width = "words", "Words in an answer's set"
    else:
        unit, width = ("min" if answer_type.axis.period else ""), "Width of the interval"
    answered = (
        Metric("answered", "Answered (not refused)", headline=True),
        Metric(RIGHT, "Accuracy of the answers given", headline=True),
    )
    if not answer_type.target.is_readable:
        return answered
    return (
        Metric("interval_covers", "Interval contains the truth", headline=True),
        Metric("interval_width", width, statistic="mean", unit=unit, better="lower", headline=True),
        *answered,
    )


METRICS = {type_name: _metrics_of(answer_type) for type_name, answer_type in TYPES.items()}
