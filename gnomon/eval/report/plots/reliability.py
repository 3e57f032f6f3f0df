"""How often a model is right against how sure it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from gnomon.eval.report.plots import svg

if TYPE_CHECKING:
    from gnomon.eval.belief.calibration import Reliability

_SIDE, _LEFT, _BOTTOM, _TOP = 260, 46, 38, 8


def diagram(series: Sequence[tuple[str, Reliability]], label: str) -> Markup:
    """A line a series; on the diagonal a model is right as often as it is sure."""
    across = svg.Scale(0, 1, _LEFT, _LEFT + _SIDE)
    up = svg.Scale(0, 1, _TOP + _SIDE, _TOP)
    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        words = f"{100 * share:.0f}"
        parts += [
            svg.line(across(share), up(0), across(share), up(1)),
            svg.line(across(0), up(share), across(1), up(share)),
            svg.text(across(share), up(0) + 15, words),
            svg.text(across(0) - 6, up(share) + 4, words, anchor="end"),
        ]
    parts.append(svg.line(across(0), up(0), across(1), up(1), "axis dashed"))
    for index, (name, found) in enumerate(series):
        points = [(across(b.sure), up(b.right)) for b in found.bins]
        parts.append(svg.polyline(points, svg.colour("line", index)))
        for (x, y), b in zip(points, found.bins, strict=True):
            tip = f"{name}: sure {100 * b.sure:.0f} %, right {100 * b.right:.0f} % of {b.n}"
            radius = 2 + 3 * (b.n / found.n) ** 0.5
            parts.append(
                f'<circle class="{svg.colour("run", index)}" cx="{svg.num(x)}" cy="{svg.num(y)}"'
                f' r="{svg.num(radius)}"><title>{escape(tip)}</title></circle>'
            )
    parts.append(svg.text(across(0.5), _TOP + _SIDE + 32, "how sure, in percent"))
    parts.append(svg.turned(11, up(0.5), "how often right"))
    return svg.picture(_LEFT + _SIDE + 14, _TOP + _SIDE + _BOTTOM, label, parts)
