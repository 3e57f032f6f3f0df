"""The mean over crossed seeds and items: every seed answered every item.

Shapes: K seeds, N items, C clusters, R resamples. A cluster is a picture or a group of pictures.
Items of the same cluster are not independent, so clusters and seeds are treated as random, and not
items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import frexp, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from gnomon.eval.stats.intervals import LEVEL, RESAMPLES, Estimate, Floats

# Bootstrap weights in memory at a time: 16 MB.
_BATCH = 2_000_000
# With more clusters, a mean is normal, and the bootstrap would only take time.
_MOST_CLUSTERS = 20_000


@dataclass(frozen=True, slots=True)
class CrossedEstimate:
    """A mean, or a difference of two means, with its interval and the figures that tests need."""

    estimate: Estimate
    se: float
    """Standard error over seeds and clusters. It is 0 if all values are equal."""
    df: float
    """Degrees of freedom of `se`."""
    n_clusters: int

    @property
    def p(self) -> float:
        """Two-sided p-value of Student's t with `df` degrees of freedom, or 1 without variance."""
        if not self.se or self.estimate.value is None:
            return 1.0
        return float(2 * special.stdtr(self.df, -abs(self.estimate.value) / self.se))


def estimate_crossed(
    arms: Sequence[Floats],
    clusters: Sequence[str] | NDArray[np.int64],
    *,
    seed: int = 0,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    cluster_noun: str = "pictures",
) -> CrossedEstimate:
    """Estimate the sum of the arms' means, each arm [K, N] over the same N items.

    One arm is a mean, or a difference that is paired by seed (b − a). Two arms (b and −a) are a
    difference of runs with different seeds. `clusters` names the cluster of each item: its picture,
    or a group such as all pictures of a camera. `cluster_noun` is the plural noun for clusters.

    The variance is the variance of two crossed random factors (Cornfield and Tukey 1956, with
    clusters Cameron, Gelbach and Miller 2011):

        V = V_clusters + V_seeds = max(V_means − V_cells, 0) + V_seeds

    The half width of the interval is t·√V. t is the mean of Student's t for C − 1 and for K − 1
    degrees of freedom, weighted by these variances (Cochran 1964). Few seeds thus give a wide
    interval. The half width is at least t(K − 1)·√V_seeds, the half width from seeds only.

    A few seeds may agree by chance: two seeds with 98 % of 200 right have equal counts in one of
    six cases. If seeds do not differ, V_seeds equals V_cells on average. V_seeds is therefore at
    least its 2.5 % quantile in such cases. If that bound applies, V equals V_means, the variance
    of clusters only. With two or three seeds that do not differ, the interval then covers more than
    its level, as with every sound rule (benchmarks/few_seeds.py).

    The interval is as asymmetric as in a crossed bootstrap (Owen 2007), which draws seeds and
    clusters independently with replacement. A single seed does not tell how much seeds vary. The
    interval then covers only the variation of clusters.
    """
    divisor = _power_of_two_above(arms)
    design = CrossedDesign.of([arm / divisor for arm in arms], clusters)
    value = design.value
    n_items, n_seeds = arms[0].shape[1], min(arm.shape[0] for arm in arms)
    variance = variance_of(design)
    # (1e-12)²: differences in the last digits of floats are rounding errors, not variance.
    if variance is None or variance.total <= 1e-24 * max(1.0, value**2):
        reason = (
            f"one {cluster_noun.removesuffix('s')}" if variance is None else "all items are equal"
        )
        no_interval = Estimate(value * divisor, None, None, f"no interval: {reason}", n_items)
        return CrossedEstimate(no_interval, 0.0, 0.0, design.n_clusters)
    half, df = variance.half_width(level), variance.df(level)
    low, high, method = _interval(design, half, seed, level, resamples)
    over = f"{n_seeds} seeds × " if n_seeds > 1 else ""
    method = f"{method}, {over}{design.n_clusters} {cluster_noun}"
    estimate = Estimate(value * divisor, low * divisor, high * divisor, method, n_items)
    return CrossedEstimate(estimate, sqrt(variance.total) * divisor, df, design.n_clusters)


def _power_of_two_above(arms: Sequence[Floats]) -> float:
    """Return the power of two above all values, as a divisor.

    An answer with 200 digits has an error of 1e200, whose square overflows. Division by a power of
    two is exact.
    """
    largest = max(float(np.abs(arm).max()) for arm in arms)
    return 2.0 ** min(frexp(largest)[1], 1023)


def _interval(
    design: CrossedDesign, half: float, seed: int, level: float, resamples: int
) -> tuple[float, float, str]:
    """Return the ends of an interval of width 2·`half`, as asymmetric as bootstrap percentiles.

    Also return the name of the method.
    """
    value = design.value
    if design.n_clusters > _MOST_CLUSTERS:
        return value - half, value + half, "Student's t"
    # The bootstrap gives the interval its shape, not its width. With three seeds its width is far
    # too small, because it resamples only the seeds that were run.
    tails = [(1 - level) / 2, (1 + level) / 2]
    rng = np.random.default_rng(seed)
    low, high = np.quantile(np.concatenate(list(_draws(design, rng, resamples))), tails)
    if not low < value < high:
        return value - half, value + half, "Student's t, as the bootstrap degenerates"
    stretch = 2 * half / (high - low)
    lower, upper = float(value - stretch * (value - low)), float(value + stretch * (high - value))
    several = all(arm.shape[0] > 1 for arm in design.sums)
    return lower, upper, "crossed bootstrap" if several else "bootstrap"


def _draws(design: CrossedDesign, rng: np.random.Generator, resamples: int) -> Iterator[Floats]:
    """Yield bootstrap means in batches. Seeds and clusters are drawn with replacement."""
    c = design.n_clusters
    size = max(1, _BATCH // c)
    for start in range(0, resamples, size):
        r = min(size, resamples - start)
        # One bincount serves all resamples: the clusters of resample i are offset by i·C.
        drawn_clusters = rng.integers(c, size=(r, c)) + c * np.arange(r)[:, None]
        weights = np.bincount(drawn_clusters.ravel(), minlength=r * c).reshape(r, c)  # [R, C]
        total = np.zeros(r)
        for arm in design.sums:
            k = arm.shape[0]
            # Drawing K of K seeds with replacement is a multinomial count of each seed.
            seeds = rng.multinomial(k, [1 / k] * k, size=r) / k  # [R, K]
            total += np.einsum("rc,rc->r", seeds @ arm, weights)
        yield total / (weights @ design.counts)


# Upper-tail probability of the ratio V_seeds / V_cells below which seeds agree by chance.
_NO_LUCK = 0.975


@dataclass(frozen=True)
class CrossedDesign:
    """The values of all arms, summed by cluster."""

    sums: tuple[Floats, ...]
    """[K, C] for each arm: the sum over the items of each cluster, by seed."""
    counts: Floats
    """[C]: number of items in each cluster."""

    @classmethod
    def of(
        cls, arms: Sequence[Floats], clusters: Sequence[str] | NDArray[np.int64]
    ) -> CrossedDesign:
        codes = np.unique(np.asarray(clusters), return_inverse=True)[1]
        sums = tuple(np.array([np.bincount(codes, row) for row in arm], float) for arm in arms)
        return cls(sums, np.bincount(codes).astype(np.float64))

    @property
    def n_clusters(self) -> int:
        return self.counts.size

    @property
    def n_items(self) -> float:
        return float(self.counts.sum())

    @property
    def value(self) -> float:
        return sum(float(arm.mean(axis=0).sum()) for arm in self.sums) / self.n_items


@dataclass(frozen=True, slots=True)
class Variance:
    """The variance of a mean over crossed factors, by factor, with degrees of freedom."""

    of_clusters: float
    of_seeds: float
    cluster_df: float
    seed_df: float

    @property
    def total(self) -> float:
        return self.of_clusters + self.of_seeds

    def half_width(self, level: float) -> float:
        # Cochran 1964: each quantile is weighted by the variance of its factor.
        t_seeds, t_clusters = (
            _t_quantile((1 + level) / 2, df) for df in (self.seed_df, self.cluster_df)
        )
        weighted_sum = t_clusters * self.of_clusters + t_seeds * self.of_seeds
        weighted_width = weighted_sum / sqrt(self.total)
        return max(weighted_width, t_seeds * sqrt(self.of_seeds))

    def df(self, level: float) -> float:
        """Solve for the degrees of freedom at which one t quantile gives the same half width."""
        target = self.half_width(level) / sqrt(self.total)
        ends = sorted((self.seed_df, self.cluster_df))
        return float(
            optimize.brentq(
                lambda df: _t_quantile((1 + level) / 2, df) - target, ends[0] / 2, 2 * ends[1]
            )
        )


def _t_quantile(probability: float, df: float) -> float:
    """Return a quantile of Student's t.

    scipy.stats.t takes a hundred times as long, because it checks its arguments.
    """
    return float(special.stdtrit(df, probability))


def variance_of(design: CrossedDesign) -> Variance | None:
    """Compute the variance of a design, or None if it has a single cluster."""
    c, n = design.n_clusters, design.n_items
    if c < 2:
        return None
    # The sum of arms is the difference: the second arm is negated by the caller.
    means = sum(arm.mean(axis=0) for arm in design.sums)  # [C], mean over seeds
    of_means = c / (c - 1) * float(np.sum((means - design.value * design.counts) ** 2)) / n**2
    parts = [_variance_of_arm(arm, design.counts) for arm in design.sums if arm.shape[0] > 1]
    if len(parts) < len(design.sums):  # one seed in an arm: the variance of seeds is unknown
        return Variance(of_means, 0.0, c - 1, c - 1)
    of_seeds, of_cells = (float(sum(part[i] for part in parts)) for i in (0, 1))
    if any(by_luck for _, _, by_luck in parts):  # V_seeds then does not include V_cells
        of_cells = min(of_cells, of_seeds)
    # Welch–Satterthwaite: degrees of freedom of a sum of variances of unequal size.
    welch = sum(
        v**2 / (arm.shape[0] - 1) for (v, _, _), arm in zip(parts, design.sums, strict=True)
    )
    seed_df = of_seeds**2 / welch if welch else c - 1  # Welch 1947
    return Variance(max(of_means - of_cells, 0.0), of_seeds, c - 1, seed_df)


def _variance_of_arm(sums: Floats, counts: Floats) -> tuple[float, float, bool]:
    """Return V_seeds and V_cells of one arm, and True if its seeds agree by chance."""
    (k, c), n = sums.shape, counts.sum()
    by_seed = sums.sum(axis=1) / n  # [K]
    overall = by_seed.mean()
    # Interaction of seeds and clusters: the rest after the cluster's mean and the seed's offset.
    residuals = sums - sums.mean(axis=0) - np.outer(by_seed - overall, counts)
    of_cells = float(np.sum(residuals**2)) / (k * n) ** 2 * k / (k - 1) * c / (c - 1)
    # Quantile of a chi-squared variance ratio, below which seeds agree by chance.
    least_ratio = float(special.chdtri(k - 1, _NO_LUCK)) / (k - 1)
    of_seeds = float(by_seed.var(ddof=1)) / k
    return max(of_seeds, least_ratio * of_cells), of_cells, of_seeds < least_ratio * of_cells
