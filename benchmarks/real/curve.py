"""The table's picture: how far readings are off, by the number of photographs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.real.cells import Lab, Row

_COLORS = {"cnn": "#8a8a8a", "greedy": "#d95f02", "mean": "#1b6ca8"}
_NAMES = {"cnn": "a CNN", "greedy": "gnomon-tiny", "mean": "gnomon-tiny, mean of its belief"}


def draw_curve(rows: Sequence[Row], lab: Lab, file: Path) -> None:
    """Draw mean distances with their intervals: a line for each reader, dashed with drawings."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 3.8), dpi=150, layout="constrained")
    lines: dict[tuple[str, bool], list[Row]] = {}
    for row in rows:
        if row.cell and (name := "cnn" if row.cell.reader == "cnn" else row.rule) in _COLORS:
            lines.setdefault((name, row.cell.drawings), []).append(row)
    # Photographs stand on a logarithmic axis; none of them stands where two would.
    places = {row.cell: max(2, _count(row, lab)) for row in rows if row.cell}
    for (name, drawings), points in lines.items():
        x = [places[row.cell] for row in points if row.cell]
        y = [row.distance.estimate.value or 0 for row in points]
        label = _NAMES[name] + " and drawings" * drawings
        style = {"color": _COLORS[name], "ls": "--" if drawings else "-", "marker": "o", "ms": 4}
        axes.plot(x, y, label=label, **style)
        low = [row.distance.estimate.low or 0 for row in points]
        high = [row.distance.estimate.high or 0 for row in points]
        axes.fill_between(x, low, high, color=_COLORS[name], alpha=0.12, lw=0)
    constant = next(row for row in rows if row.rule == "constant")
    axes.axhline(constant.distance.estimate.value or 0, color="#8a8a8a", ls=":", lw=1)
    axes.annotate("always the same answer", (2, constant.distance.estimate.value or 0),
                  (4, -10), textcoords="offset points", color="#666666", fontsize=8)  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="photographs in training",
             ylabel="mean distance from the label")  # fmt: skip
    counts = sorted({(place, _count(row, lab)) for row in rows if row.cell
                     for place in [places[row.cell]]})  # fmt: skip
    axes.set_xticks([place for place, _ in counts], [f"{count:,}" for _, count in counts])
    ticks = [tick for tick in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
             if axes.get_ylim()[0] <= tick <= axes.get_ylim()[1]]  # fmt: skip
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(file)
    plt.close(figure)


def _count(row: Row, lab: Lab) -> int:
    assert row.cell is not None
    return len(lab.train) if row.cell.count is None else row.cell.count
