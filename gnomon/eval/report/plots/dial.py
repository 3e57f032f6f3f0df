"""Dials: where errors lie, twelve sectors as long as their shares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from gnomon.eval.report.plots import svg

SECTORS = 12
_RADIUS, _MARGIN = 66, 24
_RINGS = (0.1, 0.25, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Dial:
    """(wrong, all) answers in each sector clockwise from the top, and the sectors' names."""

    caption: str
    sectors: Sequence[Sequence[int]]
    names: Sequence[str]


def outer_ring(dials: Sequence[Dial]) -> float:
    """The share that the outer ring stands for: the least round one that holds all sectors."""
    largest = max((w / asked for dial in dials for w, asked in dial.sectors if asked), default=0)
    return next(ring for ring in _RINGS if ring >= largest)


def draw(dials: Sequence[Dial], css: str, label: str) -> Markup:
    """Dials beside each other, on one scale."""
    width = 2 * (_RADIUS + _MARGIN)
    full = outer_ring(dials)
    parts = []
    for place, dial in enumerate(dials):
        x, y = place * width + width / 2, width / 2
        parts += _dial(x, y, dial, full, css)
        parts.append(svg.text(x, width + 14, dial.caption))
    return svg.picture(width * len(dials), width + 22, label, parts)


def _dial(x: float, y: float, dial: Dial, full: float, css: str) -> list[str]:
    """Two rings, the names round them at even steps, and a wedge for each sector with errors."""
    parts = [
        f'<circle class="grid" cx="{svg.num(x)}" cy="{svg.num(y)}" r="{svg.num(_RADIUS * part)}"/>'
        for part in (0.5, 1)
    ]
    for index, (name, (wrong, asked)) in enumerate(zip(dial.names, dial.sectors, strict=True)):
        across, up = _at(index / len(dial.names), _RADIUS + 12)
        parts.append(svg.text(x + across, y - up + 3.5, name, kind="small"))
        if wrong:
            tip = f"from {name}: {wrong} of {asked} wrong"
            parts.append(_wedge(x, y, index, _RADIUS * wrong / asked / full, css, tip))
    return parts


def _wedge(x: float, y: float, index: int, radius: float, css: str, tip: str) -> str:
    (x1, y1), (x2, y2) = (_at((index + side) / SECTORS, radius) for side in (0, 1))
    r = svg.num(radius)
    return (
        f'<path class="{css}" d="M{svg.num(x)} {svg.num(y)}L{svg.num(x + x1)} {svg.num(y - y1)}'
        f'A{r} {r} 0 0 1 {svg.num(x + x2)} {svg.num(y - y2)}Z"><title>{escape(tip)}</title></path>'
    )


def _at(turn: float, radius: float) -> tuple[float, float]:
    """Right and up from the middle, `turn` clockwise from the top."""
    return radius * math.sin(2 * math.pi * turn), radius * math.cos(2 * math.pi * turn)
