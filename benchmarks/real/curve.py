"""The table's picture: what is read, and how far it is off, by the number of photographs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.real.cells import Lab, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Lines are told apart by the size of a CNN, or by how gnomon-tiny answers.
_COLORS = {"cnn-32": "#8a8a8a", "cnn-64": "#5f5f5f", "cnn-64-large": "#2f2f2f", "greedy": "#d95f02",
           "mean": "#1b6ca8"}  # fmt: skip
_NAMES = {"cnn-32": "a CNN, 32 pixels", "cnn-64": "a CNN, 64 pixels",
          "cnn-64-large": "a larger CNN, 64 pixels", "greedy": "gnomon-tiny",
          "mean": "the mean of its belief"}  # fmt: skip


def draw_curve(rows: Sequence[Row], lab: Lab, file: Path) -> None:
    """Draw hits and mean distances with intervals; a dashed line was trained on drawings, too."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), dpi=120, layout="constrained")
    _draw_lines(left, rows, lab, "hits", 100)
    left.set(title=f"read within {lab.step:g}, in percent", ylim=(0, 100))
    _draw_lines(right, rows, lab, "distance", 1)
    right.set(title="mean distance from the label", ylim=(0, None))
    left.legend(frameon=False, fontsize=8, loc="lower right")
    figure.savefig(file)
    plt.close(figure)


def _draw_lines(axes: Axes, rows: Sequence[Row], lab: Lab, figure: str, unit: float) -> None:
    lines: dict[tuple[str, bool], list[tuple[int, Row]]] = {}
    counts = set()
    for row in rows:
        if row.cell is None:
            continue
        name = row.cell.reader if row.cell.is_cnn else row.rule
        if name in _COLORS:
            count = lab.n_photographs(row.cell)
            counts.add(count)
            lines.setdefault((name, row.cell.drawings), []).append((count, row))
    # Even steps: the counts grow by a factor, and none would stand at the left of a logarithm.
    places = {count: place for place, count in enumerate(sorted(counts))}
    for (name, drawings), points in lines.items():
        x = [places[count] for count, _ in points]
        estimates = [(row.hits if figure == "hits" else row.distance).estimate for _, row in points]
        low, middle, high = (
            [unit * (value or 0) for value in values]
            for values in zip(*((e.low, e.value, e.high) for e in estimates), strict=True)
        )
        style = "--" if drawings else "-"
        label = _NAMES[name] + " and drawings" * drawings
        axes.plot(x, middle, style, color=_COLORS[name], marker="o", ms=4, label=label)
        axes.fill_between(x, low, high, color=_COLORS[name], alpha=0.1, lw=0)
    axes.set_xticks(list(places.values()), [f"{count:,}" for count in places])
    axes.set_xlabel("photographs in training")
    axes.spines[["top", "right"]].set_visible(False)
