"""The study's figure: by how much each method is off, beside ce, by the number of photographs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.study.photographs import report
from benchmarks.study.photographs.plan import BLOCKS, METHODS, REFERENCE

PANELS = {
    "Dials": ("dials_20", "dials_80", "dials_320"),
    "Rolling digits": ("digits_80", "digits_320", "digits_all"),
}


def draw(stored: report.Stored, file: Path, *, is_over: bool = False) -> None:
    """Draw the difference of each method's mean distance from that of ce, with 95 % intervals.

    Levels stand below the counts: cameras differ so much that their intervals would hide the rest.
    Panels and counts without a table are left out.
    """
    import matplotlib.pyplot as plt

    by_name = {block.name: block for block in BLOCKS}
    seeds = {
        name: report.seeds_to_show(by_name[name], stored, is_over=is_over)
        for names in PANELS.values()
        for name in names
    }
    panels = {title: [n for n in names if seeds[n]] for title, names in PANELS.items()}
    panels = {title: names for title, names in panels.items() if names}
    figure, axes = plt.subplots(
        1, len(panels), figsize=(4.5 * len(panels) + 1, 3.8), dpi=120, layout="constrained",
        squeeze=False,
    )  # fmt: skip
    methods = [method for method in METHODS if method != REFERENCE]
    for axis, (title, names) in zip(axes[0], panels.items(), strict=True):
        labels = []
        for place, name in enumerate(names):
            block = by_name[name]
            arms = {
                method: report.arm(block, stored, method, seeds[name], report.FIRST)
                for method in METHODS
            }
            level = report.mean_over(arms[REFERENCE]).estimate.value
            labels.append(f"{block.count or 'all'}\nce: {level:.2f}")
            for offset, method in enumerate(methods):
                estimate = report.mean_over(arms[method] - arms[REFERENCE]).estimate
                x = place + 0.1 * (offset - (len(methods) - 1) / 2)
                ends = np.array([[estimate.value - estimate.low], [estimate.high - estimate.value]])
                axis.errorbar(
                    x, estimate.value, ends, color=f"C{offset + 1}", marker="o", ms=4, lw=1,
                    label=method if place == 0 else None,
                )  # fmt: skip
        axis.axhline(0, color="0.6", lw=0.8)
        axis.set_xticks(range(len(names)), labels)
        axis.set(title=title, xlabel="photographs in training, and the mean distance with ce")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0][0].set_ylabel("mean distance, difference from ce")
    axes[0][0].legend(frameon=False, fontsize=8, ncols=2, loc="lower right")
    figure.savefig(file, metadata={"Software": None})
    plt.close(figure)
