"""What a report shows of beliefs: calibration, and the belief round the truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from gnomon.answers.types import TYPES
from gnomon.eval.belief.calibration import Reliability, of_answer, of_digits, reliability
from gnomon.eval.belief.listed_answers import Belief, believed
from gnomon.eval.comparing import runs as shared
from gnomon.eval.comparing.runs import RunResult
from gnomon.eval.report.plots import dial, svg
from gnomon.eval.report.plots.reliability import diagram

if TYPE_CHECKING:
    from gnomon.eval.scoring.scored import Scored

_DIAL = 720
"""Minutes of the dials that are drawn."""
_ROUND = ("truth", "+1 h", "+2 h", "+3 h", "+4 h", "+5 h", "6 h", "−5 h", "−4 h", "−3 h", "−2 h",
          "−1 h")  # fmt: skip


def shown(runs: Sequence[RunResult]) -> list[dict[str, Any]]:
    """What the template shows of every kind of every run that stored beliefs."""
    return [
        _shown(run, index, kind)
        for kind in shared.kinds(runs)
        for index, run in enumerate(runs)
        if any(item.kind == kind and "belief_listed" in item.measures for item in run.scores.items)
    ]


def _shown(run: RunResult, index: int, kind: str) -> dict[str, Any]:
    sure: list[tuple[float, bool]] = []
    digits: list[tuple[float, bool]] = []
    turned: list[NDArray[np.float64]] = []
    for item, belief in _beliefs(run, kind):
        truth = TYPES[kind].value_of(item.truth)
        sure.append(of_answer(belief, truth))
        digits += of_digits(belief, truth)
        if TYPES[kind].period == _DIAL:
            turned.append(_around(belief, TYPES[kind].place(truth)))
    series = [("answers", reliability(sure)), ("digits", reliability(digits))]
    drawn = [(name, found) for name, found in series if found.n]
    around, told = _dial_around(np.mean(turned, axis=0), index, run.name) if turned else (None, "")
    return {
        "title": TYPES[kind].title,
        "run": run.name,
        "calibration": diagram(drawn, f"{run.name}: how often right against how sure"),
        "words": _calibrated(drawn),
        "around": around,
        "around_words": told,
    }


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


def _around(belief: Belief, truth: float) -> NDArray[np.float64]:
    """[720]: the belief by minutes after the truth, but for what cannot be read."""
    read = np.isfinite(belief.listed.places)
    minutes = np.round(belief.listed.places[read] - truth).astype(int) % _DIAL
    return np.bincount(minutes, belief.p[read], minlength=_DIAL).astype(np.float64)


def _dial_around(shares: NDArray[np.float64], index: int, name: str) -> tuple[Markup, str]:
    label = f"{name}: belief by its distance to the truth"
    told = f"The outer ring is {100 * float(shares.max()):.2g} % a minute."
    if (unread := 100 * (1 - float(shares.sum()))) > 0.05:
        told += f" On answers that cannot be read: {unread:.1f} %."
    return dial.spikes(shares, _ROUND, svg.colour("line", index), label), told
