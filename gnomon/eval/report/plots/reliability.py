"""How often a model is right against how sure it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from gnomon.eval.report.plots import svg

if TYPE_CHECKING:
    from gnomon.eval.belief.calibration import Reliability

_SIDE, _LEFT, _BOTTOM, _TOP = 260, 46, 38, 8


def diagram(series: Sequence[tuple[str, Reliability]], label: str) -> Markup:
    """A line a series; on the diagonal a model is right as often as it is sure."""
    across = svg.Scale(0, 1, _LEFT, _LEFT + _SIDE)
    up = svg.Scale(0, 1, _TOP + _SIDE, _TOP)
    parts = svg.square(across, up, [(share / 4, f"{25 * share}") for share in range(5)])
    for index, (name, found) in enumerate(series):
        points = [(across(b.sure), up(b.right)) for b in found.bins]
        parts.append(svg.polyline(points, svg.colour("line", index)))
        for (x, y), b in zip(points, found.bins, strict=True):
            tip = f"{name}: sure {100 * b.sure:.0f} %, right {100 * b.right:.0f} % of {b.n}"
            parts.append(
                svg.dot(x, y, 2 + 3 * (b.n / found.n) ** 0.5, svg.colour("run", index), tip)
            )
    parts.append(svg.text(across(0.5), _TOP + _SIDE + 32, "how sure, in percent"))
    parts.append(svg.turned(11, up(0.5), "how often right"))
    return svg.picture(_LEFT + _SIDE + 14, _TOP + _SIDE + _BOTTOM, label, parts)
