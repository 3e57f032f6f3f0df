"""A mean over seeds and items that are crossed: every seed answered every item.

Legend: K seeds, N items, C pictures, R resamples. Items that share a picture stand or fall
together, so pictures are what is drawn at random; the seeds are drawn beside them.
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
# Above so many a mean is normal, and the bootstrap would only cost time.
_MOST_PICTURES = 20_000


@dataclass(frozen=True, slots=True)
class CrossedEstimate:
    """A mean, or a difference of two, with its interval and the figures that tests need."""

    estimate: Estimate
    se: float
    """Standard error over seeds and pictures; 0 if nothing varies."""
    df: float
    """Degrees of freedom of `se`."""
    pictures: int

    @property
    def p(self) -> float:
        """Two-sided p of Student's t on `df` degrees of freedom; 1 if nothing varies."""
        if not self.se or self.estimate.value is None:
            return 1.0
        return float(2 * special.stdtr(self.df, -abs(self.estimate.value) / self.se))


def estimate_crossed(
    arms: Sequence[Floats],
    pictures: Sequence[str] | NDArray[np.int64],
    *,
    seed: int = 0,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    unit: str = "pictures",
) -> CrossedEstimate:
    """Estimate the sum of the arms' means, each arm [K, N] over the same N items.

    `pictures` names each item's picture; where other units stand or fall together, such as the
    pictures of a camera, it names those, and `unit` is the word for several of them.

    One arm is a mean, or a difference paired by seed (b − a); two are a difference of other seeds
    (b and −a). Its variance is that of two crossed random factors (Cornfield and Tukey 1956; for
    clusters Cameron, Gelbach and Miller 2011):

        V = V_pictures + V_seeds = max(V_means − V_cells, 0) + V_seeds

    The interval's half width is t·√V. t is the mean of Student's t for C − 1 and for K − 1 degrees
    of freedom, weighted by these variances (Cochran 1964), so that three seeds do not pass for
    three thousand. The half width is at least that of seeds alone, t(K − 1)·√V_seeds.

    Seeds may agree by luck: two seeds of 98 % in 200 have the same number right in one of six
    cases. If seeds do not differ, V_seeds is V_cells on average; it is never taken as less than in
    the lowest fortieth of such cases, and if it would be, V is that of pictures alone. With two or
    three seeds that do not differ, the interval then covers more than its level, as with every
    sound rule (benchmarks/few_seeds.py).

    The interval is as asymmetric as the crossed bootstrap's (Owen 2007), which draws seeds and
    pictures with replacement, independently. One seed says nothing about others: then only
    pictures vary.
    """
    scale = _power_of_two_above(arms)
    design = Design.of([arm / scale for arm in arms], pictures)
    value = design.value
    items, seeds = arms[0].shape[1], min(arm.shape[0] for arm in arms)
    variance = variance_of(design)
    # (1e-12)²: differences in the last digits of floats are rounding, not variance.
    if variance is None or variance.total <= 1e-24 * max(1.0, value**2):
        reason = f"one {unit.removesuffix('s')}" if variance is None else "all items are equal"
        no_interval = Estimate(value * scale, None, None, f"no interval: {reason}", items)
        return CrossedEstimate(no_interval, 0.0, 0.0, design.pictures)
    half, df = variance.half_width(level), variance.df(level)
    low, high, method = _interval(design, half, seed, level, resamples)
    over = f"{seeds} seeds × " if seeds > 1 else ""
    method = f"{method}, {over}{design.pictures} {unit}"
    estimate = Estimate(value * scale, low * scale, high * scale, method, items)
    return CrossedEstimate(estimate, sqrt(variance.total) * scale, df, design.pictures)


def _power_of_two_above(arms: Sequence[Floats]) -> float:
    """Return the power of two above all values, to divide by.

    An answer that loops on 9 has an error of 1e200, whose square overflows. Division by a power of
    two loses no digit.
    """
    largest = max(float(np.abs(arm).max()) for arm in arms)
    return 2.0 ** min(frexp(largest)[1], 1023)


def _interval(
    design: Design, half: float, seed: int, level: float, resamples: int
) -> tuple[float, float, str]:
    """Place an interval of that half width as asymmetrically as the bootstrap's percentiles."""
    value = design.value
    if design.pictures > _MOST_PICTURES:
        return value - half, value + half, "Student's t"
    # The bootstrap gives the interval its shape, not its width: with three seeds its width is far
    # too small, for it knows only seeds that were run.
    tails = [(1 - level) / 2, (1 + level) / 2]
    rng = np.random.default_rng(seed)
    low, high = np.quantile(np.concatenate(list(_draws(design, rng, resamples))), tails)
    if not low < value < high:
        return value - half, value + half, "Student's t, as the bootstrap degenerates"
    scale = 2 * half / (high - low)
    lower, upper = float(value - scale * (value - low)), float(value + scale * (high - value))
    several = all(arm.shape[0] > 1 for arm in design.sums)
    return lower, upper, "crossed bootstrap" if several else "bootstrap"


def _draws(design: Design, rng: np.random.Generator, resamples: int) -> Iterator[Floats]:
    """Yield bootstrap values in batches: seeds and pictures are drawn with replacement."""
    c = design.pictures
    size = max(1, _BATCH // c)
    for start in range(0, resamples, size):
        r = min(size, resamples - start)
        # One bincount for all resamples: those of resample i are offset by i·C.
        drawn_pictures = rng.integers(c, size=(r, c)) + c * np.arange(r)[:, None]
        weights = np.bincount(drawn_pictures.ravel(), minlength=r * c).reshape(r, c)  # [R, C]
        total = np.zeros(r)
        for arm in design.sums:
            k = arm.shape[0]
            # Drawing K of K seeds with replacement is a multinomial count of each seed.
            seeds = rng.multinomial(k, [1 / k] * k, size=r) / k  # [R, K]
            total += np.einsum("rc,rc->r", seeds @ arm, weights)
        yield total / (weights @ design.counts)


# Share of cases, when seeds do not differ, in which V_seeds is taken as it is.
_NO_LUCK = 0.975


@dataclass(frozen=True)
class Design:
    """Items added up by picture."""

    sums: tuple[Floats, ...]
    """[K, C] for each arm: each seed's sum over each picture's items."""
    counts: Floats
    """[C]: number of items of each picture."""

    @classmethod
    def of(cls, arms: Sequence[Floats], pictures: Sequence[str] | NDArray[np.int64]) -> Design:
        codes = np.unique(np.asarray(pictures), return_inverse=True)[1]
        sums = tuple(np.array([np.bincount(codes, row) for row in arm], float) for arm in arms)
        return cls(sums, np.bincount(codes).astype(np.float64))

    @property
    def pictures(self) -> int:
        return self.counts.size

    @property
    def items(self) -> float:
        return float(self.counts.sum())

    @property
    def value(self) -> float:
        return sum(float(arm.mean(axis=0).sum()) for arm in self.sums) / self.items


@dataclass(frozen=True, slots=True)
class Variance:
    """Parts of the variance of a mean over crossed factors."""

    of_pictures: float
    of_seeds: float
    picture_df: float
    seed_df: float

    @property
    def total(self) -> float:
        return self.of_pictures + self.of_seeds

    def half_width(self, level: float) -> float:
        # Cochran 1964: the two quantiles, weighted by the variances to which they belong.
        few, many = (_t((1 + level) / 2, df) for df in (self.seed_df, self.picture_df))
        both = (many * self.of_pictures + few * self.of_seeds) / sqrt(self.total)
        return max(both, few * sqrt(self.of_seeds))

    def df(self, level: float) -> float:
        """Solve for the degrees of freedom at which a single t quantile gives this half width."""
        target = self.half_width(level) / sqrt(self.total)
        ends = sorted((self.seed_df, self.picture_df))
        return float(
            optimize.brentq(lambda df: _t((1 + level) / 2, df) - target, ends[0] / 2, 2 * ends[1])
        )


def _t(share: float, df: float) -> float:
    """Quantile of Student's t; scipy.stats.t checks its arguments for a hundred times as long."""
    return float(special.stdtrit(df, share))


def variance_of(design: Design) -> Variance | None:
    """Compute the variance of a design; None for a single picture."""
    c, n = design.pictures, design.items
    if c < 2:
        return None
    # The sum of arms is the difference: the second arm is negated by the caller.
    means = sum(arm.mean(axis=0) for arm in design.sums)  # [C], mean over seeds
    of_pictures = c / (c - 1) * float(np.sum((means - design.value * design.counts) ** 2)) / n**2
    parts = [_variance_of_arm(arm, design.counts) for arm in design.sums if arm.shape[0] > 1]
    if len(parts) < len(design.sums):  # one seed in an arm: nothing is known about seeds
        return Variance(of_pictures, 0.0, c - 1, c - 1)
    of_seeds, of_cells = (float(sum(part[i] for part in parts)) for i in (0, 1))
    if any(by_luck for _, _, by_luck in parts):  # V_seeds then holds none of V_cells
        of_cells = min(of_cells, of_seeds)
    # Welch–Satterthwaite: degrees of freedom of a sum of variances of unequal size.
    welch = sum(
        v**2 / (arm.shape[0] - 1) for (v, _, _), arm in zip(parts, design.sums, strict=True)
    )
    seed_df = of_seeds**2 / welch if welch else c - 1  # Welch 1947
    return Variance(max(of_pictures - of_cells, 0.0), of_seeds, c - 1, seed_df)


def _variance_of_arm(sums: Floats, counts: Floats) -> tuple[float, float, bool]:
    """Return V_seeds and V_cells of one arm, and True if its seeds agree by luck."""
    (k, c), n = sums.shape, counts.sum()
    by_seed = sums.sum(axis=1) / n  # [K]
    overall = by_seed.mean()
    # Interaction of seeds and pictures: what is neither the picture's mean nor the seed's offset.
    residuals = sums - sums.mean(axis=0) - np.outer(by_seed - overall, counts)
    of_cells = float(np.sum(residuals**2)) / (k * n) ** 2 * k / (k - 1) * c / (c - 1)
    # Quantile of a chi-squared variance ratio: seeds that agree more closely than this do so by
    # luck.
    luck = float(special.chdtri(k - 1, _NO_LUCK)) / (k - 1)
    of_seeds = float(by_seed.var(ddof=1)) / k
    return max(of_seeds, luck * of_cells), of_cells, of_seeds < luck * of_cells
