"""What a report shows of beliefs: calibration, the belief round the truth, clocks one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from gnomon.answers.types import TYPES
from gnomon.eval.belief.calibration import Reliability, of_answer, of_digits, reliability
from gnomon.eval.belief.listed_answers import Belief, believed
from gnomon.eval.comparing import runs as shared
from gnomon.eval.comparing.runs import RunResult
from gnomon.eval.report.examples import data_uri
from gnomon.eval.report.figures import truth_text, value_text
from gnomon.eval.report.plots import svg
from gnomon.eval.report.plots.belief import dial
from gnomon.eval.report.plots.reliability import diagram
from gnomon.sample import Sample

if TYPE_CHECKING:
    from gnomon.eval.scoring.scored import Scored

_CLOCKS = 8
_DIAL = 720
"""Minutes of the dials that are drawn."""
_ROUND = ("truth", "+1 h", "+2 h", "+3 h", "+4 h", "+5 h", "6 h", "−5 h", "−4 h", "−3 h", "−2 h",
          "−1 h")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Clock:
    """One clock and the belief about it."""

    sample_id: str
    truth: str
    answer: str
    picture: str | None
    dial: Markup
    words: str


@dataclass(frozen=True, slots=True)
class Shown:
    """One run's beliefs about one kind of target."""

    title: str
    run: str
    calibration: Markup
    words: str
    around: Markup | None
    around_words: str
    clocks: list[Clock]


def shown(runs: Sequence[RunResult], samples: Mapping[str, Sample]) -> list[Shown]:
    """For every kind of every run that stored beliefs."""
    return [
        _shown(run, index, kind, samples)
        for kind in shared.kinds(runs)
        for index, run in enumerate(runs)
        if any(item.kind == kind and "belief_listed" in item.measures for item in run.scores.items)
    ]


def _shown(run: RunResult, index: int, kind: str, samples: Mapping[str, Sample]) -> Shown:
    sure: list[tuple[float, bool]] = []
    digits: list[tuple[float, bool]] = []
    around: NDArray[np.float64] | None = None
    n = 0
    for item, belief in _beliefs(run, kind):
        truth = TYPES[kind].value_of(item.truth)
        sure.append(of_answer(belief, truth))
        digits += of_digits(belief, truth)
        if TYPES[kind].period == _DIAL:
            turned = _around(belief, item)
            around = turned if around is None else around + turned
            n += 1
    series = [("answers", reliability(sure)), ("digits", reliability(digits))]
    drawn = [(name, found) for name, found in series if found.n]
    return Shown(
        title=TYPES[kind].title,
        run=run.name,
        calibration=diagram(drawn, f"{run.name}: how often right against how sure"),
        words=_calibrated(drawn),
        around=None if around is None else _dial_around(around / n, index, run.name),
        around_words=""
        if around is None
        else _ring(float(np.max(around) / n), "a minute") + _unread(1 - float(around.sum()) / n),
        clocks=_clocks(run, index, samples, kind) if TYPES[kind].period == _DIAL else [],
    )


def _calibrated(series: Sequence[tuple[str, Reliability]]) -> str:
    parts = [
        f"{name}: expected calibration error {100 * found.ece:.1f} points over {found.n:,}"
        for name, found in series
    ]
    return "; ".join(parts)


def _beliefs(run: RunResult, kind: str) -> Iterator[tuple[Scored, Belief]]:
    items = {item.sample_id: item for item in run.scores.items if item.kind == kind}
    for prediction in run.predictions:
        item = items.get(prediction.sample_id)
        if item is not None and prediction.logprobs:
            yield item, believed(prediction, item.truth, kind)


def _around(belief: Belief, item: Scored) -> NDArray[np.float64]:
    """[720]: the belief by minutes after the truth, but for what cannot be read."""
    read = np.isfinite(belief.listed.places)
    minutes = np.round(belief.listed.places[read] - _turn(item) * 720).astype(int) % 720
    return np.bincount(minutes, belief.p[read], minlength=720).astype(np.float64)


def _dial_around(shares: NDArray[np.float64], index: int, name: str) -> Markup:
    spikes = [(minute / 720, float(share)) for minute, share in enumerate(shares)]
    return dial(
        spikes, _ROUND, svg.colour("line", index), f"{name}: belief by its distance to the truth"
    )


def _clocks(run: RunResult, index: int, samples: Mapping[str, Sample], kind: str) -> list[Clock]:
    """From the worst belief to the best, evenly."""
    items = [item for item in run.scores.items if "belief_crps" in item.measures]
    items = [item for item in items if item.kind == kind]
    items.sort(key=lambda item: (-item.measures["belief_crps"], item.sample_id))
    places = np.unique(np.linspace(0, len(items) - 1, _CLOCKS).round().astype(int))
    chosen = {items[place].sample_id for place in places}
    found = {
        item.sample_id: (item, b) for item, b in _beliefs(run, kind) if item.sample_id in chosen
    }
    return [_clock(*found[items[place].sample_id], index, samples) for place in places]


def _clock(item: Scored, belief: Belief, index: int, samples: Mapping[str, Sample]) -> Clock:
    sample = samples.get(item.sample_id)
    spikes = [
        (place / _DIAL, float(share))
        for place, share in zip(belief.listed.places, belief.p, strict=True)
        if np.isfinite(place)
    ]
    truth, answer = truth_text(item.truth), value_text(item.value, item.kind)
    return Clock(
        sample_id=item.sample_id,
        truth=truth,
        answer=answer,
        picture=data_uri(whole) if sample and (whole := sample.shown) else None,
        dial=dial(
            spikes,
            [str(hour or 12) for hour in range(12)],
            svg.colour("line", index),
            f"Belief about {item.sample_id}, truth {truth}",
            truth=_turn(item),
            answer=None if item.value is None else TYPES[item.kind].place(item.value) / _DIAL,
        ),
        words=f"{_ring(max((share for _, share in spikes), default=0.0), 'a minute')} Within 5"
        f" minutes of the truth: {100 * item.measures['belief_5']:.1f} %.{_unread(belief.unread)}",
    )


def _turn(item: Scored) -> float:
    """The truth as a share of the dial."""
    answers = TYPES[item.kind]
    return answers.place(answers.value_of(item.truth)) / answers.period


def _ring(share: float, what: str) -> str:
    return f"The outer ring is {100 * share:.2g} % {what}."


def _unread(share: float) -> str:
    return f" On answers that cannot be read: {100 * share:.1f} %." if share > 0.0005 else ""
