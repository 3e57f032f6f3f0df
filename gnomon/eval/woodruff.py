"""Medians and 90th percentiles of values that share pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.eval.crossed import crossed
from gnomon.eval.statistics import Estimate, bootstrap

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from numpy.typing import NDArray

    from gnomon.eval.statistics import Floats

SHARES = {"median": 0.5, "p90": 0.9}
FEWEST = {"median": 6, "p90": 36}
"""Pictures: as many as values must be where each has a picture of its own."""


def quantile_over_pictures(
    values: Floats,
    pictures: Sequence[str] | NDArray[np.int64],
    statistic: Literal["median", "p90"],
) -> Estimate:
    """A quantile with its interval over pictures (Woodruff 1952).

    How many of the values lie below it is a share, which has an interval over pictures; the values
    that so many lie below are the quantile's own interval.
    """
    found = bootstrap(values, statistic)
    if found.low is None or found.value is None:
        return found
    if np.unique(np.asarray(pictures)).size < FEWEST[statistic]:
        return Estimate(found.value, None, None, "no interval: too few pictures", found.n)
    below = (values <= found.value).astype(np.float64)
    share = crossed([below[None]], pictures).estimate
    if share.low is None or share.high is None or share.value is None:
        return Estimate(found.value, None, None, "no interval: no value is greater", found.n)
    p = SHARES[statistic]
    ends = (max(p - (share.value - share.low), 0.0), min(p + share.high - share.value, 1.0))
    low, high = (float(end) for end in np.quantile(values, ends))
    return Estimate(found.value, low, high, f"Woodruff's, {share.method}", found.n)
