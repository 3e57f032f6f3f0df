"""Guarantees for finite samples: limits of scores, and thresholds below which nothing is answered.

They hold whatever the model and its pictures are like, as long as the next pictures come as those
did that were calibrated on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from math import ceil, floor, inf
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gnomon.eval.stats.intervals import Floats

RISK_LEVEL = 0.9
"""Probability with which the share of wrong answers stays below what was asked for."""
# Errors that the fewest answers of a threshold may have: with none, one mistake of a sure model
# would let nothing be answered.
_ALLOWED_ERRORS = 2
_STEPS = 20


def limit(scores: Sequence[float], groups: Sequence[Hashable], coverage: float) -> float:
    """Return the score that a picture of a new group stays below with probability `coverage`.

    Each group weighs the same, however many pictures it has, and one group more is taken to be
    worse than all: split conformal prediction over groups (Lee, Barber and Willett 2023). Where
    every picture is its own group this is the usual quantile of rank ⌈(n + 1) · coverage⌉.
    """
    sizes = Counter(groups)
    least = fewest_groups(coverage)
    if len(sizes) < least:
        raise ValueError(
            f"coverage={coverage:g}: needs pictures of at least {least} groups, and {len(sizes)}"
            f" {'was' if len(sizes) == 1 else 'were'} calibrated on: ask for"
            f" --coverage {most_coverage(len(sizes)):.2f}, or calibrate on more, or with"
            " --same-groups if the next pictures are of these"
        )
    order = np.argsort(scores, kind="stable")
    weights = np.array([1 / sizes[groups[place]] for place in order])
    reached = np.cumsum(weights) / (len(sizes) + 1)
    # Sums of thirds and sevenths fall short of a whole number by rounding.
    place = int(np.searchsorted(reached, coverage - 1e-12))
    return float(scores[order[place]]) if place < len(order) else inf


def fewest_groups(coverage: float) -> int:
    """Return how many groups an interval of this coverage needs: 9 for 90 %."""
    if not 0 < coverage < 1:
        raise ValueError(f"coverage={coverage:g}: give a share between 0 and 1, such as 0.9")
    return ceil(coverage / (1 - coverage) - 1e-9)


def most_coverage(groups: int) -> float:
    """Return the largest coverage, in whole percent, that so many groups can show."""
    return floor(100 * groups / (groups + 1)) / 100


def threshold_by_share(trusts: Sequence[float], share: float) -> float:
    """Return the trust from which answers are given, so that this share of them is."""
    if not 0 < share <= 1:
        raise ValueError(f"answered={share:g}: give a share above 0 and at most 1, such as 0.8")
    return float(np.quantile(trusts, 1 - share, method="lower"))


def threshold_by_risk(trusts: Sequence[float], right: Sequence[bool], wrong: float) -> float:
    """Return the least trust from which at most the share `wrong` of the answers is wrong.

    With probability RISK_LEVEL this holds of the pictures to come. Thresholds are tested one after
    another, from few answers to all, each by the exact binomial bound (Clopper and Pearson 1934),
    until the first that may break it: in a fixed order no test costs another anything (Angelopoulos
    et al. 2021). Infinite if the first fails.
    """
    if not 0 < wrong < 1:
        raise ValueError(f"wrong={wrong:g}: give a share between 0 and 1, such as 0.05")
    values = np.asarray(trusts, np.float64)
    order = np.argsort(values, kind="stable")[::-1]
    errors = np.cumsum(~np.asarray(right, bool)[order])
    least = _fewest_answers(wrong, len(order))
    threshold = inf
    for n in np.unique(np.linspace(least, len(order), _STEPS, dtype=int)):
        trust = float(values[order[n - 1]])
        together = int(np.sum(values >= trust))  # answers of the same trust are given together
        if upper_bound(int(errors[together - 1]), together, 1 - RISK_LEVEL) > wrong:
            break
        threshold = trust
    return threshold


def _fewest_answers(wrong: float, n: int) -> int:
    """Return how many answers can keep a risk with a few errors, or with fewer if n is small."""
    from scipy import stats  # every verb that may read a calibration imports this module

    for allowed in range(_ALLOWED_ERRORS, -1, -1):
        counts = np.arange(allowed + 1, n + 1)
        enough = counts[stats.beta.ppf(RISK_LEVEL, allowed + 1, counts - allowed) <= wrong]
        if len(enough):
            return int(enough[0])
    return n


def upper_bound(errors: int, n: int, failure: float) -> float:
    """Return the share that is exceeded with probability `failure` at most, by a binomial."""
    from scipy import stats

    return 1.0 if errors >= n else float(stats.beta.ppf(1 - failure, errors + 1, n - errors))


def fit_confidence(trusts: Sequence[float], right: Sequence[bool]) -> tuple[Floats, Floats]:
    """Fit how often answers of each trust are right, never falling as the trust rises.

    Returns rising trusts and the shares right at them (isotonic regression, Zadrozny and Elkan
    2002). No share is 0 or 1, which n answers cannot show.
    """
    from scipy import optimize

    levels, places = np.unique(np.asarray(trusts, np.float64), return_inverse=True)
    counts = np.bincount(places)
    shares = np.bincount(places, np.asarray(right, np.float64)) / counts
    fit = optimize.isotonic_regression(shares, weights=counts).x
    n = len(trusts)
    return levels, np.clip(fit, 1 / (n + 2), 1 - 1 / (n + 2))
