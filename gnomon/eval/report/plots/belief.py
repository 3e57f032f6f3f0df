"""What a model believes about a clock, round a dial."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from gnomon.eval.report.plots import svg

_RADIUS, _MARGIN = 74, 22
_SEEN = 0.004
"""A spike shorter than this share of the radius is left out."""


def dial(
    shares: Sequence[tuple[float, float]],
    names: Sequence[str],
    css: str,
    label: str,
    *,
    truth: float | None = None,
    answer: float | None = None,
) -> Markup:
    """Spikes from the middle, (turn clockwise from the top, probability); the longest is the ring.

    `names` stand round the dial at equal steps. `truth` is a mark outside the ring, `answer` a
    line across it.
    """
    middle = _RADIUS + _MARGIN
    longest = max((share for _, share in shares), default=0.0) or 1.0
    parts = [
        f'<circle class="grid" cx="{middle}" cy="{middle}" r="{svg.num(_RADIUS * part)}"/>'
        for part in (0.5, 1)
    ]
    for index, name in enumerate(names):
        x, y = _at(index / len(names), _RADIUS + 13)
        parts.append(svg.text(middle + x, middle - y + 3.5, name, kind="small"))
    spikes = [
        _at(turn, _RADIUS * share / longest) for turn, share in shares if share > _SEEN * longest
    ]
    path = "".join(f"M{middle} {middle}l{svg.num(x)} {svg.num(-y)}" for x, y in spikes)
    parts.append(f'<path class="spikes {css}" d="{path}"/>')
    if answer is not None:
        parts.append(_radial(middle, answer, _RADIUS - 8, _RADIUS + 8, f"answer {css}"))
    if truth is not None:
        parts.append(_radial(middle, truth, _RADIUS + 1, _RADIUS + 9, "truth"))
    return svg.picture(2 * middle, 2 * middle, label, parts)


def _radial(middle: float, turn: float, start: float, end: float, kind: str) -> str:
    (x1, y1), (x2, y2) = _at(turn, start), _at(turn, end)
    return svg.line(middle + x1, middle - y1, middle + x2, middle - y2, kind)


def _at(turn: float, radius: float) -> tuple[float, float]:
    """Right and up from the middle."""
    return radius * math.sin(2 * math.pi * turn), radius * math.cos(2 * math.pi * turn)
