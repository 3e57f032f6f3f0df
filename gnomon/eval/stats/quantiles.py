"""Medians and 90th percentiles of values that share pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gnomon.eval.stats.crossed import crossed
from gnomon.eval.stats.intervals import SHARES, Estimate, Floats, Quantile, bootstrap, too_few


def quantile_over_pictures(
    values: Floats,
    pictures: Sequence[str] | NDArray[np.int64],
    statistic: Quantile,
) -> Estimate:
    """A quantile with its interval over pictures (Woodruff 1952).

    How many of the values lie below it is a share, which has an interval over pictures; the values
    that so many lie below are the quantile's own interval. It takes as many pictures as it takes
    values where each has its own.
    """
    found = bootstrap(values, statistic)
    if found.low is None or found.value is None:
        return found
    if too_few(np.unique(np.asarray(pictures)).size, statistic):
        return Estimate(found.value, None, None, "no interval: too few pictures", found.n)
    below = (values <= found.value).astype(np.float64)
    share = crossed([below[None]], pictures).estimate
    if share.low is None or share.high is None or share.value is None:
        return Estimate(found.value, None, None, "no interval: no value is greater", found.n)
    p = SHARES[statistic]
    ends = (max(p - (share.value - share.low), 0.0), min(p + share.high - share.value, 1.0))
    low, high = (float(end) for end in np.quantile(values, ends))
    return Estimate(found.value, low, high, f"Woodruff's, {share.method}", found.n)
