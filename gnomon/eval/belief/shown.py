"""What a report shows of beliefs: their calibration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gnomon.answers.types import TYPES
from gnomon.eval.belief.calibration import Reliability, of_answer, of_digits, reliability
from gnomon.eval.belief.listed_answers import Belief, believed
from gnomon.eval.comparing import runs as shared
from gnomon.eval.comparing.runs import RunResult
from gnomon.eval.report.plots.reliability import diagram

if TYPE_CHECKING:
    from gnomon.eval.scoring.scored import Scored


def shown(runs: Sequence[RunResult]) -> list[dict[str, Any]]:
    """What the template shows of every kind of every run that stored beliefs."""
    return [
        _shown(run, kind)
        for kind in shared.kinds(runs)
        for run in runs
        if any(item.kind == kind and "belief_listed" in item.measures for item in run.scores.items)
    ]


def _shown(run: RunResult, kind: str) -> dict[str, Any]:
    sure: list[tuple[float, bool]] = []
    digits: list[tuple[float, bool]] = []
    for item, belief in _beliefs(run, kind):
        truth = TYPES[kind].value_of(item.truth)
        sure.append(of_answer(belief, truth))
        digits += of_digits(belief, truth)
    series = [("answers", reliability(sure)), ("digits", reliability(digits))]
    drawn = [(name, found) for name, found in series if found.n]
    return {
        "title": TYPES[kind].title,
        "run": run.name,
        "calibration": diagram(drawn, f"{run.name}: how often right against how sure"),
        "words": _calibrated(drawn),
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
