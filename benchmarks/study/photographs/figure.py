"""The study's figure: mean distance by the number of photographs, a line for each method."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.study.photographs import report
from benchmarks.study.photographs.plan import BLOCKS, METHODS

PANELS = {
    "Dials": ("dials_20", "dials_80", "dials_320"),
    "Rolling digits": ("digits_80", "digits_320", "digits_all"),
}


def draw(stored: report.Stored, file: Path, *, is_over: bool = False) -> None:
    """Draw the blocks that have a table, greedy answers, with 95 % bands."""
    import matplotlib.pyplot as plt

    blocks = {block.name: block for block in BLOCKS}
    figure, axes = plt.subplots(1, len(PANELS), figsize=(9, 3.8), dpi=120, layout="constrained")
    for axis, (title, names) in zip(axes, PANELS.items(), strict=True):
        seeds = {
            blocks[name]: report.seeds_to_show(blocks[name], stored, is_over=is_over)
            for name in names
        }
        shown = [block for block in seeds if seeds[block]]
        for place, method in enumerate(METHODS):
            estimates = []
            for block in shown:
                values = report.arm(block, stored, method, seeds[block], report.FIRST)
                estimates.append(report.mean_over(values).estimate)
            # Beside each other: seven bands on each other would hide what differs.
            x = np.arange(len(shown)) + 0.06 * (place - len(METHODS) // 2)
            middle, low, high = (
                np.array([getattr(estimate, name) for estimate in estimates], float)
                for name in ("value", "low", "high")
            )
            bands = np.nan_to_num(np.stack([middle - low, high - middle]))
            axis.errorbar(x, middle, bands, label=method, marker="o", ms=3, lw=1, elinewidth=0.7)
        labels = [f"{block.count:,}" if block.count else "all" for block in shown]
        axis.set_xticks(range(len(shown)), labels)
        axis.set(title=title, xlabel="photographs in training", ylim=(0, None))
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("mean distance from the label")
    axes[0].legend(frameon=False, fontsize=7)
    figure.savefig(file, metadata={"Software": None})
    plt.close(figure)
