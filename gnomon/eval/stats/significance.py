"""Tests of differences, and the smallest difference that a test could have shown."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from gnomon.eval.stats.crossed import CrossedEstimate
from gnomon.eval.stats.intervals import Floats

ALPHA = 0.05
POWER = 0.8
# p is a multiple of 1/10,000: as fine as reports print it.
_FLIPS = 9999
# Above so many values that are not 0, the sum over all flips of signs is normal.
_EXACT_UP_TO = 500


def mcnemar(a: ArrayLike, b: ArrayLike) -> float:
    """Compute the exact two-sided p of McNemar's test (1947) that a and b are right equally often.

    Only items count on which one is right and the other wrong. Without a difference both cases are
    equally likely, so p is binomial. Without such items p is 1.
    """
    first, second = np.asarray(a, dtype=bool), np.asarray(b, dtype=bool)
    only_a, only_b = int(np.sum(first & ~second)), int(np.sum(second & ~first))
    return float(stats.binomtest(only_b, only_a + only_b).pvalue) if only_a + only_b else 1.0


def binomial(right: int, n: int, chance: float) -> float:
    """Exact one-sided p: how likely n guesses, each right with this chance, are as often right."""
    return float(stats.binomtest(right, n, chance, alternative="greater").pvalue)


def sign_flip(differences: ArrayLike, *, seed: int = 0) -> float:
    """Compute the two-sided p of Fisher's sign-flip test (1935) that the mean difference is 0.

    Without a difference each item's could equally have had the other sign. All flips for few items,
    9,999 random ones for more, their normal limit above 500. Items without a difference do not
    count.
    """
    values = np.asarray(differences, dtype=np.float64)
    values = values[values != 0]
    if values.size < 2:
        return 1.0  # both signs of a single value are equally far from 0
    values = values / np.max(np.abs(values))  # squares of 1e200 overflow
    if values.size > _EXACT_UP_TO:
        return float(2 * stats.norm.sf(abs(values.sum()) / np.sqrt(np.sum(values**2))))
    test = stats.permutation_test(
        (values,),
        _distance_of_sum,
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
        n_resamples=_FLIPS,
        # 16 MB of signs at a time.
        batch=max(1, 2_000_000 // values.size),
        rng=np.random.default_rng(seed),
    )
    return float(test.pvalue)


def holm(p: Sequence[float]) -> list[float]:
    """Adjust p values for several tests by Holm (1979), which bounds the chance of any false one.

    The smallest of m is multiplied by m, the next by m − 1, and so on, never below the one before.
    statsmodels computes the same, but collects garbage at every call: a tenth of a second.
    """
    ranked = np.argsort(p, kind="stable")
    scaled = np.asarray(p, dtype=np.float64)[ranked] * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[ranked] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return [float(value) for value in adjusted]


def detectable(
    result: CrossedEstimate, *, alpha: float = ALPHA, power: float = POWER
) -> float | None:
    """Compute the smallest true difference that such a test shows with that power.

    By the noncentral t distribution with this standard error and these degrees of freedom, at
    two-sided α. None if nothing varied, so that the error is unknown.
    """
    if not result.se:
        return None
    # Double the distance until the power is reached, then search between 0 and there.
    errors = 1.0
    while _power(errors, result.df, alpha) < power:
        errors *= 2
    smallest = optimize.brentq(lambda x: _power(x, result.df, alpha) - power, 0.0, errors)
    return float(smallest) * result.se


def power(result: CrossedEstimate, difference: float, *, alpha: float = ALPHA) -> float | None:
    """Compute how often such a test shows a true difference of that size."""
    return _power(abs(difference) / result.se, result.df, alpha) if result.se else None


def _power(errors: float, df: float, alpha: float) -> float:
    """Compute the power of Student's t test for a true difference of so many standard errors.

    Not by statsmodels' TTestPower: it adds both tails, and scipy returns NaN instead of 0 for the
    far tail at 8 errors and 1 degree of freedom (for both at 1e12). Its solver then stops early, up
    to a quarter too low.
    """
    critical = special.stdtrit(df, 1 - alpha / 2)
    below, far_tail = np.nan_to_num(special.nctdtr(df, errors, np.array([critical, -critical])))
    return float(1 - below + far_tail)


def _distance_of_sum(values: Floats, axis: int) -> Floats:
    """Return the distance of the sum from 0, rounded so that values that cancel give exactly 0."""
    return np.asarray(np.round(np.abs(np.sum(values, axis=axis)), 9))
