"""Seven-segment displays: the bars of a digit, and the bars that each digit lights."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gnomon.generators.drawing.canvas import Points

# Segments of each figure, from the top clockwise, the middle one last.
LIT = ("012345", "12", "01346", "01236", "1256", "02356", "023456", "012", "0123456", "012356")
SEGMENTS, UNSEEN_SEGMENTS = ("upright", "slanted"), ("blunt",)


def spare_segments(figure: int) -> list[int]:
    """Return the segments that a digit can lose without looking like another digit.

    The other digit may be whole, or may lack a segment itself.
    """
    lit = [frozenset(map(int, segments)) for segments in LIT]
    others = {shape - gone for number, shape in enumerate(lit) if number != figure
              for gone in (set(), *({segment} for segment in shape))}  # fmt: skip
    return [segment for segment in sorted(lit[figure]) if lit[figure] - {segment} not in others]


@lru_cache(maxsize=512)
def segment_bars(style: str, height: float, breadth: float) -> list[Points]:
    """Return a digit's bars in heights of the window: clockwise from the top, then the middle."""
    half, thick = height / 2, 0.075 * height / 0.7
    side = min(0.3 * height, 0.38 * breadth)
    end = 0.0 if style == "blunt" else thick
    air = 0.02

    def bar(length: float) -> Points:
        x = length / 2 - air
        return np.array([(-x, 0), (-x + end, -thick), (x - end, -thick), (x, 0),
                         (x - end, thick), (-x + end, thick)])  # fmt: skip

    across, along = bar(2 * side), bar(half)[:, ::-1]
    middles = ((0, -half), (side, -half / 2), (side, half / 2), (0, half), (-side, half / 2),
               (-side, -half / 2), (0, 0))  # fmt: skip
    bars = [(across if n in (0, 3, 6) else along) + at for n, at in enumerate(middles)]
    lean = 0.12 if style == "slanted" else 0.0
    return [bar - np.stack([lean * bar[:, 1], np.zeros(len(bar))], 1) for bar in bars]
