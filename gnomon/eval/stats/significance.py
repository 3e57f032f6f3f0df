"""Significance tests of differences, and their power."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from gnomon.eval.stats.crossed import CrossedEstimate
from gnomon.eval.stats.intervals import Floats

ALPHA = 0.05
POWER = 0.8
# p is a multiple of 1/10,000, which is as precise as reports print it.
_FLIPS = 9999
# With more values that are not 0, the sum over all flips of signs is normal.
_EXACT_UP_TO = 500


def mcnemar(a: ArrayLike, b: ArrayLike) -> float:
    """Compute the exact two-sided p-value of McNemar's test (1947): are a and b right as often?

    Only items on which exactly one of a and b is right count. If a and b are equally good, both
    cases are equally likely, so the count is binomial. p is 1 if there are no such items.
    """
    first, second = np.asarray(a, dtype=bool), np.asarray(b, dtype=bool)
    only_a, only_b = int(np.sum(first & ~second)), int(np.sum(second & ~first))
    return float(stats.binomtest(only_b, only_a + only_b).pvalue) if only_a + only_b else 1.0


def binomial(right: int, n: int, chance: float) -> float:
    """Compute the exact one-sided p-value: the probability of `right` hits or more.

    Each of `n` guesses is a hit with probability `chance`.
    """
    return float(stats.binomtest(right, n, chance, alternative="greater").pvalue)


def sign_flip(differences: ArrayLike, *, seed: int = 0) -> float:
    """Compute the two-sided p-value of Fisher's sign-flip test (1935) that the mean is 0.

    If the mean difference is 0, the opposite sign of each difference was as likely. The test tries
    all flips of signs for few items, 9,999 random flips for more items, and the normal limit above
    500 items. Items with a difference of 0 are ignored.
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
    """Adjust p-values of several tests by Holm (1979), to bound the chance of any false positive.

    The smallest of m p-values is multiplied by m, the next by m − 1, and so on. An adjusted p-value
    is never below the previous one. statsmodels computes the same, but runs the garbage collector
    at every call, which takes a tenth of a second.
    """
    ranked = np.argsort(p, kind="stable")
    scaled = np.asarray(p, dtype=np.float64)[ranked] * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[ranked] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return [float(value) for value in adjusted]


def detectable(
    result: CrossedEstimate, *, alpha: float = ALPHA, power: float = POWER
) -> float | None:
    """Compute the smallest true difference that a test at level `alpha` shows with this power.

    The power follows from the noncentral t distribution with the standard error and degrees of
    freedom of `result`. Returns None if the standard error is 0, that is, unknown.
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
    """Compute the probability that a two-sided test shows a true difference of this size."""
    return _power(abs(difference) / result.se, result.df, alpha) if result.se else None


def _power(errors: float, df: float, alpha: float) -> float:
    """Compute the power of Student's t test. `errors` is the difference in standard errors.

    statsmodels' TTestPower is not used. It adds both tails, but scipy returns NaN instead of 0 for
    the far tail at 8 errors and 1 degree of freedom, and for both tails at 1e12 errors. The solver
    of statsmodels then stops early, and its result is up to a quarter too low.
    """
    critical = special.stdtrit(df, 1 - alpha / 2)
    below, far_tail = np.nan_to_num(special.nctdtr(df, errors, np.array([critical, -critical])))
    return float(1 - below + far_tail)


def _distance_of_sum(values: Floats, axis: int) -> Floats:
    """Return the distance of the sum from 0. Rounding makes it exactly 0 if values cancel."""
    return np.asarray(np.round(np.abs(np.sum(values, axis=axis)), 9))
