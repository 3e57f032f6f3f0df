"""Places of tiles in a plot: of a treemap by their values, of a map in a grid."""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, sqrt
from typing import TypeAlias

Corners: TypeAlias = tuple[float, float, float, float]
"""Left, top, right and bottom, as shares of the plot's width and height."""


@lru_cache(maxsize=512)
def treemap_places(values: tuple[int, ...], ratio: float) -> tuple[Corners, ...]:
    """Lay out areas in the proportions of the values (Bruls, Huizing and van Wijk, 2000).

    `ratio` is the plot's width by its height. The largest value comes first, from the top left.
    """
    order = sorted(range(len(values)), key=lambda i: -values[i])
    areas = [values[i] * ratio / sum(values) for i in order]
    places: list[Corners] = []
    x, y, start = 0.0, 0.0, 0
    while start < len(areas):
        wide, tall = ratio - x, 1 - y
        short, end = min(wide, tall), start + 1
        # The row grows until its worst tile would become more oblong.
        while end < len(areas) and _worst(areas[start : end + 1], short) <= _worst(
            areas[start:end], short
        ):
            end += 1
        depth, place = sum(areas[start:end]) / short, 0.0
        for area in areas[start:end]:
            step = area / depth
            if wide >= tall:
                places.append((x, y + place, x + depth, y + place + step))
            else:
                places.append((x + place, y, x + place + step, y + depth))
            place += step
        x, y = (x + depth, y) if wide >= tall else (x, y + depth)
        start = end
    by_value = dict(zip(order, places, strict=True))
    return tuple(
        (x1 / ratio, y1, x2 / ratio, y2)
        for x1, y1, x2, y2 in (by_value[i] for i in range(len(values)))
    )


def _worst(areas: Sequence[float], side: float) -> float:
    """Return the largest ratio of sides in a row of tiles along this side."""
    depth = sum(areas) / side
    return max(max(area / depth**2, depth**2 / area) for area in areas)


def map_grid(count: int, ratio: float) -> tuple[int, int]:
    """Return the columns and rows of the grid of a map with this many regions."""
    columns = max(2, round(sqrt(count * ratio)))
    return columns, ceil(count / columns)


@lru_cache(maxsize=64)
def map_cells(count: int, ratio: float) -> tuple[tuple[int, int], ...]:
    """Return the column and row of each region. Free cells lie in the corners, as sea."""
    columns, rows = map_grid(count, ratio)
    middle = (columns - 1) / 2, (rows - 1) / 2
    cells = [(column, row) for row in range(rows) for column in range(columns)]
    # The nearest to the middle stay; the corners go first.
    cells.sort(key=lambda cell: (cell[0] - middle[0]) ** 2 + (cell[1] - middle[1]) ** 2)
    return tuple(sorted(cells[:count], key=lambda cell: cell[::-1]))
