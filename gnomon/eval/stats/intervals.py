"""Estimates with intervals. Each names its method and how many items it rests on."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats: TypeAlias = NDArray[np.float64]

Quantile: TypeAlias = Literal["median", "p90"]
Statistic: TypeAlias = Literal["mean"] | Quantile
SHARES: dict[Quantile, float] = {"median": 0.5, "p90": 0.9}
"""How many of the values lie below a quantile."""

LEVEL = 0.95
RESAMPLES = 2000
_BCA_UP_TO = 1000
"""BCa drops each item once, which takes memory with n²; above, the percentile interval is used."""
_RESAMPLED_FROM = 8
"""The mean of 2 to 7 normal values BCa covers in 50 to 87 %, of a clock's errors in 48 to 83, and
Student's t in 95 % and 82 to 96: too seldom, and from below 0, where no error is."""
_RESAMPLED_UP_TO = 5000
"""Resampling more values costs seconds a line, and shows the same."""
_BATCH = 2_000_000
"""Numbers resampled at a time: 16 MB."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval; None stands for what n items cannot show."""

    value: float | None
    low: float | None
    high: float | None
    method: str
    n: int


def wilson(successes: int, n: int, *, level: float = LEVEL) -> Estimate:
    """A share with Wilson's score interval, which holds at 0 and 1 too (Wilson 1927)."""
    if n == 0:
        return _nothing()
    interval = stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    return Estimate(successes / n, float(interval.low), float(interval.high), "Wilson", n)


def bootstrap(
    values: Sequence[float] | Floats,
    statistic: Statistic = "mean",
    *,
    seed: int = 0,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
) -> Estimate:
    """A mean, median or 90th percentile with its interval.

    A mean has its bootstrap's (Efron 1987), BCa for at most 1,000 values, percentile up to 5,000,
    and Student's t above, which it comes to; fewer than 8 values have none, for their resamples
    know nothing of the errors that are rare and large. Median and 90th percentile lie between
    interpolated order statistics (Hettmansperger and Sheather 1986, for any quantile Nyblom 1992).
    Fewer than 6 values, or 36, have none: the truth lies too often beyond all of them, so that the
    bootstrap's percentiles cover a 90th percentile in half of the cases where there are 7. Of
    values that are rounded coarsely, such intervals cover more often than they say: a value that
    many items share is in them or not.
    Where all values are equal no resample differs; that shows no certainty, so the interval is
    left open, and the method says so.
    """
    data = np.asarray(values, dtype=np.float64)
    if data.size == 0:
        return _nothing()
    value = _value(data, statistic)
    if np.all(data == data[0]):
        reason = "one item" if data.size == 1 else "all items are equal"
        return Estimate(value, None, None, f"no interval: {reason}", data.size)
    if statistic != "mean":
        return _between_ranks(data, value, statistic, level)
    if data.size < _RESAMPLED_FROM:
        return _too_few(value, data.size)
    if data.size > _RESAMPLED_UP_TO:
        size = float(np.max(np.abs(data)))  # squares of 1e200 have no float
        half = float(stats.t.ppf((1 + level) / 2, data.size - 1) * stats.sem(data / size)) * size
        return Estimate(value, value - half, value + half, "Student's t", data.size)
    low, high, method = _interval(data, seed, level, resamples)
    return Estimate(value, low, high, method, data.size)


def determined(residuals: Floats, truths: Floats) -> Floats:
    """A value of each answer whose mean is R² and varies as R² does: its interval is R²'s.

    With A the mean of squared residuals and B the variance of the truths, R² = 1 − A/B, and an
    answer's share of it 1 − A/B − (r² − A)/B + A/B² ((t − mean t)² − B): the infinitesimal
    jackknife (Jaeckel 1972). Nothing where the truths do not differ, or differ by less than a
    1e75th of an error: squares of such shares have no float.
    """
    size = max(np.abs(residuals).max(initial=0), np.abs(truths).max(initial=0))
    if not 0 < size < np.inf or np.all(truths == truths[0]):
        return np.empty(0)
    squares = (residuals / size) ** 2  # squares of 1e300 have no float
    apart = (truths / size - np.mean(truths / size)) ** 2
    left, spread = squares.mean(), apart.mean()
    if left >= _WORST * spread:
        return np.empty(0)
    return np.asarray(1 - squares / spread + left / spread * (apart / spread - 1))


_WORST = 1e150


def _nothing() -> Estimate:
    return Estimate(None, None, None, "no items", 0)


def _too_few(value: float, n: int) -> Estimate:
    return Estimate(value, None, None, "no interval: too few items", n)


def ranks(n: int, statistic: Quantile, *, level: float = LEVEL) -> tuple[float, float] | None:
    """The ranks, from 0, between which a quantile lies; None where n values are too few to say."""
    p, share = SHARES[statistic], (1 + level) / 2
    high, low = _place(n, p, share), _place(n, 1 - p, share)
    return None if high is None or low is None else (n - 1 - low, high)


def _between_ranks(data: Floats, value: float, statistic: Quantile, level: float) -> Estimate:
    """A quantile between two interpolated order statistics, where there are values enough."""
    if (places := ranks(data.size, statistic, level=level)) is None:
        return _too_few(value, data.size)
    ranked = np.sort(data)
    ends = _at(ranked, places[0]), _at(ranked, places[1])
    return Estimate(value, *ends, "interpolated order statistics", data.size)


def _place(n: int, p: float, share: float) -> float | None:
    """The rank, from 0, below which the p-quantile lies with that share of odds (Nyblom 1992).

    The r-th of n ordered values lies above it with the odds that fewer than r lie below it,
    π(r) = P(Binomial(n, p) < r). Between π(r) ≤ share < π(r + 1) the rank is r + λ, with

        λ = 1 / (1 + r (1 − p) (π(r + 1) − share) / ((n − r) p (share − π(r))))

    None where not even the largest value lies above it so surely.
    """
    r = int(stats.binom.ppf(share, n, p))
    if not 0 < r < n:
        return None
    before, after = (float(stats.binom.cdf(k, n, p)) for k in (r - 1, r))
    inside, left = (n - r) * p * (share - before), r * (1 - p) * (after - share)
    return r - 1 + inside / (inside + left)


def _at(ranked: Floats, place: float) -> float:
    """The value at a rank between two; theirs where both are the same."""
    below = int(place)
    first, second = ranked[below], ranked[min(below + 1, ranked.size - 1)]
    return float(first + (place - below) * (second - first))


def _interval(
    data: Floats, seed: int, level: float, resamples: int
) -> tuple[float | None, float | None, str]:
    """A mean's: percentile where BCa degenerates, nothing where that does too."""
    bca = data.size <= _BCA_UP_TO
    for method in ("BCa", "percentile") if bca else ("percentile",):
        low, high = _resampled(data, seed, level, resamples, method)
        if np.isfinite(low) and np.isfinite(high):
            fallback = ", as BCa degenerates" if bca and method != "BCa" else ""
            return low, high, f"bootstrap {method}{fallback}"
    return None, None, "no interval: the bootstrap degenerates"


def _resampled(
    data: Floats, seed: int, level: float, resamples: int, method: str
) -> tuple[float, float]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what degenerates comes back as NaN, which is looked at
        interval = stats.bootstrap(
            (data,),
            np.mean,
            n_resamples=resamples,
            batch=max(1, _BATCH // data.size),
            vectorized=True,
            confidence_level=level,
            method="BCa" if method == "BCa" else "percentile",
            rng=np.random.default_rng(seed),
        ).confidence_interval
    return float(interval.low), float(interval.high)


def _value(data: Floats, statistic: Statistic) -> float:
    if statistic == "mean":
        return float(np.mean(data))
    return float(np.median(data)) if statistic == "median" else float(np.quantile(data, 0.9))
