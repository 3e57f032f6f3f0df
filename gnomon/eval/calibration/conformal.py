"""Limits for intervals and thresholds for refusals, with guarantees for finite samples.

The guarantees hold for any model and any pictures, if new pictures come from the same distribution
as the pictures of the calibration.
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
"""Default coverage: the share of truths that intervals contain."""
RISK_LEVEL = 0.9
"""Probability that the share of wrong answers is at most what the user asked for."""
# Number of errors that the smallest set of answers may have. If it were 0, a single confident
# mistake would make all answers refused.
_ALLOWED_ERRORS = 2
_STEPS = 20
# Shares of capital to bet, for groups of several pictures. High bets win sooner if few answers are
# wrong, and low bets if some groups are bad. In simulations of 100 to 150 cameras, the mixture of
# these three bets had the most power.
_BETS = (0.6, 0.8, 0.95)
# 1 / (1 - 0.9) is a little more than 10.
_ROUNDING = 1e-9
# Exponents beyond 709 overflow.
_MOST_GAIN = 700
_BOUND_STEPS = 2**30
"""Number of steps from the share of wrong answers to 1. The bound is searched among them."""


def limit(scores: Sequence[float], groups: Sequence[Hashable], coverage: float) -> float:
    """Return a limit that the score of a picture from a new group exceeds rarely.

    The score is at most the limit with probability `coverage`. This is split conformal prediction
    over groups (Lee, Barber and Willett 2023): all groups have the same weight, and the new group
    counts as worse than all others. If each picture is a group, the limit is the usual quantile of
    rank ⌈(n + 1) · coverage⌉.
    """
    sizes = Counter(groups)
    least = fewest_groups(coverage)
    if len(sizes) < least:
        raise ValueError(
            f"coverage={coverage:g}: needs pictures of at least {least} groups, but the calibration"
            f" has {len(sizes)}: ask for {option('coverage', most_coverage(len(sizes)))}, or run"
            f" `gnomon calibrate` on more groups, or with {option('same_groups', True)} if the next"
            " pictures are of these groups"
        )
    order = np.argsort(scores, kind="stable")
    weights = np.array([1 / sizes[groups[index]] for index in order])
    reached = np.cumsum(weights) / (len(sizes) + 1)
    # By rounding, sums of thirds and sevenths may be slightly below a whole number.
    index = int(np.searchsorted(reached, coverage - 1e-12))
    return float(scores[order[index]]) if index < len(order) else inf


def fewest_groups(coverage: float) -> int:
    """Return the smallest number of groups for an interval of this coverage: 9 for 90 %."""
    if not 0 < coverage < 1:
        raise ValueError(f"coverage={coverage:g}: give a share between 0 and 1, such as 0.9")
    return ceil(coverage / (1 - coverage) - 1e-9)


def most_coverage(groups: int) -> float:
    """Return the largest coverage, in steps of 0.01, that this number of groups allows."""
    return floor(100 * groups / (groups + 1)) / 100


def threshold_by_share(trusts: Sequence[float], share: float) -> float:
    """Return the trust at which the share `share` of answers is given, and the rest refused."""
    if not 0 < share <= 1:
        raise ValueError(f"answered={share:g}: give a share above 0 and at most 1, such as 0.8")
    return float(np.quantile(trusts, 1 - share, method="lower"))


def threshold_by_risk(
    trusts: Sequence[float],
    right: Sequence[bool],
    wrong: float,
    groups: Sequence[Hashable] | None = None,
) -> float:
    """Return the smallest trust at which at most the share `wrong` of the given answers is wrong.

    With probability RISK_LEVEL, this holds for new pictures, or with `groups` for the mean over new
    groups. Thresholds are tested in a fixed order, from few answers to all, until a test fails. A
    fixed order needs no correction for multiple tests (Angelopoulos et al. 2021). The result is
    infinite if the first test fails.
    """
    fewest_for_risk(wrong)  # raises if it is not a share
    values = np.asarray(trusts, np.float64)
    order = np.argsort(values, kind="stable")[::-1]
    is_wrong = ~np.asarray(right, bool)[order]
    numbers = _group_numbers(groups, len(order))[order]
    # Number of groups with an answer among the first n.
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
        together = int(np.sum(values >= trust))  # answers with the same trust are given together
        if not _keeps_risk(is_wrong[:together], numbers[:together], wrong):
            break
        threshold = trust
    return threshold


def _group_numbers(groups: Sequence[Hashable] | None, n: int) -> NDArray[np.int64]:
    """Return the number of each picture's group. Without `groups`, each picture is a group."""
    if groups is None:
        return np.arange(n)
    by_name = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    return np.array([by_name[name] for name in groups])


def _keeps_risk(is_wrong: NDArray[np.bool_], numbers: NDArray[np.int64], wrong: float) -> bool:
    """Return True if these answers show that at most the share `wrong` is wrong."""
    shares, is_grouped = _shares(is_wrong, numbers)
    if is_grouped:
        return _is_shown(shares, wrong)
    return upper_bound(int(shares.sum()), len(shares), 1 - RISK_LEVEL) <= wrong


def _shares(is_wrong: NDArray[np.bool_], numbers: NDArray[np.int64]) -> tuple[Floats, bool]:
    """Return the share of wrong answers by group, and True if any group has several answers."""
    counts = np.bincount(numbers)
    shares = np.bincount(numbers, is_wrong)[counts > 0] / counts[counts > 0]
    return shares, bool(counts.max() > 1)


def _is_shown(shares: Floats, mean: float) -> bool:
    """Return True if these shares of groups show that their true mean is below `mean`."""
    return evidence(shares, mean) >= 1 / (1 - RISK_LEVEL) - _ROUNDING


def evidence(shares: Floats, mean: float) -> float:
    """Return an e-value against the hypothesis that the mean share of wrong answers is >= `mean`.

    If the hypothesis is true, the e-value exceeds 10 with a probability of at most 10 %, however
    much groups differ (Waudby-Smith and Ramdas 2024). It is the capital after bets that the next
    group is better than `mean`. Such bets do not win on average under the hypothesis. The e-value
    also equals the mean capital over all ways to draw one picture from each group.
    """
    bets = np.array(_BETS) / (1 - mean)  # a group with all wrong would take a bet of 1 completely
    gains = np.log1p(np.outer(bets, mean - np.asarray(shares, np.float64))).sum(1)
    return float(np.exp(np.minimum(gains, _MOST_GAIN)).mean())


def fewest_for_risk(wrong: float, *, is_grouped: bool = False) -> int:
    """Return how many right answers, or groups of them, show a share of at most `wrong`."""
    if not 0 < wrong < 1:
        raise ValueError(f"wrong={wrong:g}: give a share between 0 and 1, such as 0.05")
    n = ceil(log(1 - RISK_LEVEL) / log(1 - wrong))
    if is_grouped:
        while not _is_shown(np.zeros(n), wrong):
            n += 1
    return n


def _fewest_answers(wrong: float, n: int) -> int:
    """Return how many answers can show a risk with `_ALLOWED_ERRORS`, or fewer if n is small."""
    from scipy import stats  # every verb that may read a calibration imports this module

    for allowed in range(_ALLOWED_ERRORS, -1, -1):
        counts = np.arange(allowed + 1, n + 1)
        enough = counts[stats.beta.ppf(RISK_LEVEL, allowed + 1, counts - allowed) <= wrong]
        if len(enough):
            return int(enough[0])
    return n


def _fewest_groups(wrong: float, n: int) -> int:
    """Return how many groups can show a risk with `_ALLOWED_ERRORS`, or fewer if n is small."""
    for allowed in range(_ALLOWED_ERRORS, 0, -1):
        shares = np.zeros(n)
        shares[:allowed] = 0.5
        # A small number of groups is usually enough.
        enough = next((m for m in range(allowed, n + 1) if _is_shown(shares[:m], wrong)), None)
        if enough is not None:
            return enough
    return fewest_for_risk(wrong, is_grouped=True)


def upper_bound(errors: int, n: int, failure: float) -> float:
    """Return the Clopper-Pearson upper bound of a share, exceeded with probability `failure`."""
    from scipy import stats

    return 1.0 if errors >= n else float(stats.beta.ppf(1 - failure, errors + 1, n - errors))


def risk(right: Sequence[bool], groups: Sequence[Hashable] | None = None) -> tuple[float, float]:
    """Return the share of wrong answers, and its upper bound with probability RISK_LEVEL.

    With `groups`, it is the mean share over groups, and the bound is for the mean over new groups.
    """
    numbers = _group_numbers(groups, len(right))
    shares, is_grouped = _shares(~np.asarray(right, bool), numbers)
    share = float(shares.mean())
    if not is_grouped:
        return share, upper_bound(int(shares.sum()), len(shares), 1 - RISK_LEVEL)
    if share == 1.0:  # the bound cannot be above 1
        return share, 1.0

    def mean_at(step: int) -> float:
        return share + step / _BOUND_STEPS * (1 - share)

    steps = range(_BOUND_STEPS)
    bound = bisect_left(steps, True, key=lambda step: _is_shown(shares, mean_at(step)))
    return share, mean_at(bound)


def fit_confidence(trusts: Sequence[float], right: Sequence[bool]) -> tuple[Floats, Floats]:
    """Fit the share of right answers as a rising function of trust, by isotonic regression.

    Returns the distinct trusts in ascending order, and the share at each (Zadrozny and Elkan 2002).
    Shares are clipped to stay above 0 and below 1, which n answers cannot show.
    """
    from scipy import optimize

    levels, places = np.unique(np.asarray(trusts, np.float64), return_inverse=True)
    counts = np.bincount(places)
    shares = np.bincount(places, np.asarray(right, np.float64)) / counts
    fit = optimize.isotonic_regression(shares, weights=counts).x
    n = len(trusts)
    return levels, np.clip(fit, 1 / (n + 2), 1 - 1 / (n + 2))
