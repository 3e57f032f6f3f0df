"""The least that an interval over few seeds can cover where the seeds happen to be alike.

Two or three seeds hardly tell whether seeds differ. An interval that holds in every case must be
ready for seeds that differ greatly, and so covers more than it says where they do not differ. How
much more is a linear program: of all rules, random ones too, that make of the spread of the seeds'
means a half width

    never below that of a mean whose seeds are known to be alike, and
    covering no less than 93 % however much the seeds differ,

it finds the one that covers least where they are alike. What gnomon's intervals cover there is in
`benchmarks/intervals.py`.

Legend, all in units of the variance of a mean whose seeds are alike: s the variance that seeds
add; [S] the s that are asked about, [M] mean squares between seeds, [H] half widths.

python benchmarks/few_seeds.py
"""

from __future__ import annotations

import numpy as np
from scipy import optimize, sparse, special, stats

LEVEL = 0.95
AT_LEAST = 0.93
SPREADS = np.concatenate([[0.0], np.geomspace(1e-2, 1e4, 60)])  # [S]
SQUARES = np.concatenate([[0.0], np.geomspace(1e-5, 1e6, 240), [np.inf]])  # [M + 1] edges


def least(seeds: int) -> float:
    """The smallest coverage at s = 0 of any rule that keeps both conditions."""
    alike = special.ndtri((1 + LEVEL) / 2)
    halves = np.geomspace(alike, 1e4 * alike, 160)  # [H]
    within = SQUARES[None, :] * (seeds - 1) / (1 + SPREADS[:, None])
    chance = np.diff(stats.chi2.cdf(within, seeds - 1))  # [S, M] of each mean square
    covers = special.erf(halves / np.sqrt(2 * (1 + SPREADS[:, None])))  # [S, H]
    coverage = np.einsum("sm,sh->smh", chance, covers).reshape(SPREADS.size, -1)
    one_rule = sparse.kron(sparse.eye(chance.shape[1]), np.ones((1, halves.size)))
    found = optimize.linprog(
        coverage[0],
        A_ub=-coverage[1:],
        b_ub=-np.full(SPREADS.size - 1, AT_LEAST),
        A_eq=one_rule,
        b_eq=np.ones(chance.shape[1]),
    )
    if not found.success:
        raise RuntimeError(found.message)
    return float(found.fun)


def main() -> None:
    """Print a line for each number of seeds."""
    print(f"{'seeds':>5}   seeds alike: every sound rule covers at least")
    for seeds in (2, 3, 5, 8):
        print(f"{seeds:>5}   {100 * least(seeds):.1f} %", flush=True)


if __name__ == "__main__":
    main()
