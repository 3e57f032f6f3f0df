"""How large a gain has to be for the study on photographs to see it in four cases of five.

    python -m benchmarks.study power

Simulated: differences between a method and the cross-entropy for each seed and camera, as sums of a
camera's own difference, which all seeds share, and noise of the single training at that camera.
"""

from __future__ import annotations

import numpy as np

from gnomon.eval.formatting import align
from gnomon.eval.stats.crossed import CrossedEstimate, estimate_crossed
from gnomon.eval.stats.significance import ALPHA, detectable

SEEDS, CAMERAS, METHODS = 8, 10, 6
STUDIES = 400
# Between two trainings with the cross-entropy on other photographs (seeds 0 and 1 of
# benchmarks.real at 80), a camera's mean distance differs by 0.17, root mean square, and its
# share of hits by 8 points. A pair of one seed shares photographs and order: half of it is hoped
# for, all of it feared.
NOISE = {"mean distance": (0.08, 0.17), "hits, points": (4.0, 8.0)}
BETWEEN_CAMERAS = {"mean distance": (0.0, 0.05, 0.10), "hits, points": (0.0, 2.0, 4.0)}


def simulate(
    rng: np.random.Generator, noise: float, between: float, *, gain: float = 0.0
) -> CrossedEstimate:
    """Estimate the difference in one simulated study, by the test that the report uses."""
    own = rng.normal(gain, between, CAMERAS)
    differences = own + rng.normal(0.0, noise, (SEEDS, CAMERAS))
    return estimate_crossed([differences], np.arange(CAMERAS), resamples=20)


def smallest_gain(noise: float, between: float, studies: int = STUDIES) -> float:
    """Median over studies of the gain seen with 80 % power, at Holm's first step."""
    rng = np.random.default_rng(0)
    gains = [
        detectable(simulate(rng, noise, between), alpha=ALPHA / METHODS) for _ in range(studies)
    ]
    return float(np.median([gain for gain in gains if gain is not None]))


def false_alarms(noise: float, between: float, studies: int = STUDIES) -> float:
    """Share of studies without a difference whose p is below 0.05, for a single method."""
    rng = np.random.default_rng(1)
    return float(np.mean([simulate(rng, noise, between).p < ALPHA for _ in range(studies)]))


def text(studies: int = STUDIES) -> str:
    """Print a row for each guess of the variances."""
    rows = [["measure", "noise", "between cameras", "80 % power from", "false alarms at 5 %"]]
    for measure, noises in NOISE.items():
        digits = 1 if "points" in measure else 2
        for noise in noises:
            for between in BETWEEN_CAMERAS[measure]:
                gain = smallest_gain(noise, between, studies)
                alarms = false_alarms(noise, between, studies)
                cells = [f"{value:.{digits}f}" for value in (noise, between, gain)]
                rows.append([measure, *cells, f"{100 * alarms:.1f} %"])
    return "\n".join(align(rows))
