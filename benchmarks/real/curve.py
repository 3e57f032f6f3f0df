"""The table's picture: what is read, and how far it is off, by the number of photographs.

    python -m benchmarks.real.curve docs/howto/photographs.png

It is drawn from the printed rows of needles.zip in benchmarks/results/photographs.txt.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RESULTS = Path(__file__).parents[1] / "results" / "photographs.txt"
# Lines are told apart by the size of a CNN, or by how gnomon-tiny answers.
_COLORS = {"cnn-32": "#8a8a8a", "cnn-64": "#5f5f5f", "cnn-64-large": "#2f2f2f", "greedy": "#d95f02",
           "mean": "#1b6ca8"}  # fmt: skip
_NAMES = {"cnn-32": "a CNN, 32 pixels", "cnn-64": "a CNN, 64 pixels",
          "cnn-64-large": "a larger CNN, 64 pixels", "greedy": "gnomon-tiny",
          "mean": "the mean of its belief"}  # fmt: skip
_INTERVAL = r"([\d.]+)(?: \[([\d.]+), ([\d.]+)\])?"
_ROW = re.compile(rf"(\S+) +(\d+) +(yes)? *(\w+)? +{_INTERVAL} +{_INTERVAL}")


class Point(NamedTuple):
    """A printed row: how many photographs, and value, low and high of both measures."""

    count: int
    hits: tuple[float, ...]
    distance: tuple[float, ...]


def draw_curve(rows: Iterable[str], step: float, file: Path) -> None:
    """Draw hits and mean distances with intervals; a dashed line was trained on drawings, too."""
    import matplotlib.pyplot as plt

    lines = lines_of(rows)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), dpi=120, layout="constrained")
    _draw_lines(left, lines, "hits")
    left.set(title=f"read within {step:g}, in percent", ylim=(0, 100))
    _draw_lines(right, lines, "distance")
    right.set(title="mean distance from the label", ylim=(0, None))
    left.legend(frameon=False, fontsize=8, loc="lower right")
    figure.savefig(file)
    plt.close(figure)


def lines_of(rows: Iterable[str]) -> dict[tuple[str, bool], list[Point]]:
    """Read printed rows into lines, by who reads and whether drawings were trained on, too."""
    lines: dict[tuple[str, bool], list[Point]] = {}
    for row in rows:
        if not (cells := _ROW.fullmatch(row.rstrip())):
            continue  # a head, a baseline or a group
        reader, count, drawings, rule = cells.group(1, 2, 3, 4)
        values = [float(cell or cells[5 + i // 3 * 3]) for i, cell in enumerate(cells.groups()[4:])]
        if (name := rule or reader) in _COLORS:
            point = Point(int(count), tuple(values[:3]), tuple(values[3:]))
            lines.setdefault((name, bool(drawings)), []).append(point)
    for points in lines.values():
        points.sort()
    return lines


def _draw_lines(axes: Axes, lines: dict[tuple[str, bool], list[Point]], measure: str) -> None:
    counts = sorted({point.count for points in lines.values() for point in points})
    # Even steps: the counts grow by a factor, and 0 would stand at the left of a logarithm.
    places = {count: place for place, count in enumerate(counts)}
    for (name, drawings), points in lines.items():
        x = [places[point.count] for point in points]
        middle, low, high = zip(*(getattr(point, measure) for point in points), strict=True)
        label = _NAMES[name] + " and drawings" * drawings
        style = "--" if drawings else "-"
        axes.plot(x, middle, style, color=_COLORS[name], marker="o", ms=4, label=label)
        axes.fill_between(x, low, high, color=_COLORS[name], alpha=0.1, lw=0)
    axes.set_xticks(list(places.values()), [f"{count:,}" for count in places])
    axes.set_xlabel("photographs in training")
    axes.spines[["top", "right"]].set_visible(False)


def rows_of_dials(results: str) -> list[str]:
    """List the rows of needles.zip whose photographs are seen as the page says, each once."""
    rows: dict[str, str] = {}
    for block in results.split("\n$ ")[1:]:
        command, *lines = block.splitlines()
        others = ("--views", "--start", "--passes")
        if "needles.zip" in command and not any(option in command for option in others):
            for line in lines:
                rows.setdefault(line[:42], line)  # reader, photographs, drawings and answer
    return [row for row in rows.values() if " mean " not in row]


if __name__ == "__main__":
    draw_curve(rows_of_dials(RESULTS.read_text(encoding="utf-8")), 0.1, Path(sys.argv[1]))
