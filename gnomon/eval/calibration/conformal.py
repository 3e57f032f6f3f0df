"""Guarantees for finite samples: limits of scores, and thresholds below which nothing is answered.

They hold whatever the model and its pictures are like, as long as the next pictures come as those
did that were calibrated on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from math import ceil, floor, inf, log
from typing import TYPE_CHECKING

import numpy as np

from gnomon.options import option

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.eval.stats.intervals import Floats

USUAL_COVERAGE = 0.9
"""Share of the truths that an interval holds unless the user asks for another."""
RISK_LEVEL = 0.9
"""Probability with which the share of wrong answers stays below what was asked for."""
# Errors that the fewest answers of a threshold may have: with none, one mistake of a sure model
# would let nothing be answered.
_ALLOWED_ERRORS = 2
_STEPS = 20
# Capitals at stake where groups have several pictures. High ones win soonest where few answers are
# wrong, low ones where some groups are bad. Of the mixtures tried these three showed most with 100
# to 150 simulated cameras.
_BETS = (0.6, 0.8, 0.95)
# 1 / (1 - 0.9) is a little more than 10.
_ROUNDING = 1e-9
# Exponents beyond 709 overflow.
_MOST_GAIN = 700
_BOUND_STEPS = 2**30
"""Steps from the share of wrong answers to 1, of which the bound is one."""


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
            f" {option('coverage', most_coverage(len(sizes)))}, or `gnomon calibrate` again on"
            f" more, or with {option('same_groups', True)} if the next pictures are of these"
        )
    order = np.argsort(scores, kind="stable")
    weights = np.array([1 / sizes[groups[index]] for index in order])
    reached = np.cumsum(weights) / (len(sizes) + 1)
    # Sums of thirds and sevenths fall short of a whole number by rounding.
    index = int(np.searchsorted(reached, coverage - 1e-12))
    return float(scores[order[index]]) if index < len(order) else inf


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


def threshold_by_risk(
    trusts: Sequence[float],
    right: Sequence[bool],
    wrong: float,
    groups: Sequence[Hashable] | None = None,
) -> float:
    """Return the least trust from which at most the share `wrong` of the answers is wrong.

    With probability RISK_LEVEL this holds of the pictures to come, or with `groups` of the mean of
    the shares of groups to come. Thresholds are tested one after another, from few answers to all,
    until the first that may break it: in a fixed order no test costs another anything (Angelopoulos
    et al. 2021). Infinite if the first fails.
    """
    fewest_for_risk(wrong)  # refuses what is no share
    values = np.asarray(trusts, np.float64)
    order = np.argsort(values, kind="stable")[::-1]
    is_wrong = ~np.asarray(right, bool)[order]
    numbers = _group_numbers(groups, len(order))[order]
    # Groups that have an answer among the first n.
    is_first = np.zeros(len(order), bool)
    is_first[np.unique(numbers, return_index=True)[1]] = True
    n_groups = np.cumsum(is_first)
    fewest = _fewest_groups if n_groups[-1] < len(order) else _fewest_answers
    least = int(np.searchsorted(n_groups, fewest(wrong, int(n_groups[-1])))) + 1
    threshold = inf
    if least > len(order):
        return threshold
    for n in np.unique(np.linspace(least, len(order), _STEPS, dtype=int)):
        trust = float(values[order[n - 1]])
        together = int(np.sum(values >= trust))  # answers of the same trust are given together
        if not _keeps_risk(is_wrong[:together], numbers[:together], wrong):
            break
        threshold = trust
    return threshold


def _group_numbers(groups: Sequence[Hashable] | None, n: int) -> NDArray[np.int64]:
    """Number of each picture's group; without groups each is its own."""
    if groups is None:
        return np.arange(n)
    by_name = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    return np.array([by_name[name] for name in groups])


def _keeps_risk(is_wrong: NDArray[np.bool_], numbers: NDArray[np.int64], wrong: float) -> bool:
    """True if these answers show that at most the share `wrong` is wrong."""
    shares, is_grouped = _shares(is_wrong, numbers)
    if is_grouped:
        return _is_shown(shares, wrong)
    return upper_bound(int(shares.sum()), len(shares), 1 - RISK_LEVEL) <= wrong


def _shares(is_wrong: NDArray[np.bool_], numbers: NDArray[np.int64]) -> tuple[Floats, bool]:
    """Share of wrong answers in each group that has any, and whether a group has several."""
    counts = np.bincount(numbers)
    shares = np.bincount(numbers, is_wrong)[counts > 0] / counts[counts > 0]
    return shares, bool(counts.max() > 1)


def _is_shown(shares: Floats, mean: float) -> bool:
    """True if these shares of groups show a mean below that one."""
    return evidence(shares, mean) >= 1 / (1 - RISK_LEVEL) - _ROUNDING


def evidence(shares: Floats, mean: float) -> float:
    """Return an e-value against the mean share of wrong answers in groups being `mean` or more.

    Under that mean it exceeds 10 with a probability of 10 % at most, however groups differ
    (Waudby-Smith and Ramdas 2024): bets that the next group is better win nothing on average. It is
    also the mean, over all ways to draw one picture of each group, of the same bets on these
    pictures, so that no draw is left to chance.
    """
    bets = np.array(_BETS) / (1 - mean)  # a bet of 1 would be lost for good to a group all wrong
    gains = np.log1p(np.outer(bets, mean - np.asarray(shares, np.float64))).sum(1)
    return float(np.exp(np.minimum(gains, _MOST_GAIN)).mean())


def fewest_for_risk(wrong: float, *, is_grouped: bool = False) -> int:
    """Return how many pictures, or groups of some, can show a share of wrong answers with none."""
    if not 0 < wrong < 1:
        raise ValueError(f"wrong={wrong:g}: give a share between 0 and 1, such as 0.05")
    n = ceil(log(1 - RISK_LEVEL) / log(1 - wrong))
    if is_grouped:
        while not _is_shown(np.zeros(n), wrong):
            n += 1
    return n


def _fewest_answers(wrong: float, n: int) -> int:
    """Return how many answers can keep a risk with a few errors, or with fewer if n is small."""
    from scipy import stats  # every verb that may read a calibration imports this module

    for allowed in range(_ALLOWED_ERRORS, -1, -1):
        counts = np.arange(allowed + 1, n + 1)
        enough = counts[stats.beta.ppf(RISK_LEVEL, allowed + 1, counts - allowed) <= wrong]
        if len(enough):
            return int(enough[0])
    return n


def _fewest_groups(wrong: float, n: int) -> int:
    """Return how many groups can keep a risk with a few errors, or with fewer if n is small."""
    for allowed in range(_ALLOWED_ERRORS, 0, -1):
        shares = np.zeros(n)
        shares[:allowed] = 0.5
        # Far fewer than all groups are usually enough.
        enough = next((m for m in range(allowed, n + 1) if _is_shown(shares[:m], wrong)), None)
        if enough is not None:
            return enough
    return fewest_for_risk(wrong, is_grouped=True)


def upper_bound(errors: int, n: int, failure: float) -> float:
    """Return the share that is exceeded with probability `failure` at most, by a binomial."""
    from scipy import stats

    return 1.0 if errors >= n else float(stats.beta.ppf(1 - failure, errors + 1, n - errors))


def risk(right: Sequence[bool], groups: Sequence[Hashable] | None = None) -> tuple[float, float]:
    """Return the share of wrong answers, and its upper bound with probability RISK_LEVEL.

    With `groups` it is the mean of their shares, and the bound that of groups to come.
    """
    numbers = _group_numbers(groups, len(right))
    shares, is_grouped = _shares(~np.asarray(right, bool), numbers)
    share = float(shares.mean())
    if not is_grouped:
        return share, upper_bound(int(shares.sum()), len(shares), 1 - RISK_LEVEL)
    if share == 1.0:  # no mean is above it
        return share, 1.0

    def mean_at(step: int) -> float:
        return share + step / _BOUND_STEPS * (1 - share)

    steps = range(_BOUND_STEPS)
    bound = bisect_left(steps, True, key=lambda step: _is_shown(shares, mean_at(step)))
    return share, mean_at(bound)


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
