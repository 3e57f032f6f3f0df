"""What was read against what was true, one dot an answer."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from gnomon.eval.report.plots import svg

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 360, 330, 54, 22, 8, 38
_MOST_DOTS = 2000
"""As many as can be told apart."""


def scatter(
    points: Sequence[tuple[float, float]],
    axis: tuple[float, float],
    marks: Sequence[tuple[float, str]],
    kind: str,
    *,
    names: tuple[str, str],
    label: str,
) -> Markup:
    """(truth, answer) on one scale for both; answers outside it lie on the border."""
    low, high = axis
    across = svg.Scale(low, high, _LEFT, _WIDTH - _RIGHT)
    up = svg.Scale(low, high, _HEIGHT - _BOTTOM, _TOP)
    parts = svg.square(across, up, marks)
    shown = points[:: -(-len(points) // _MOST_DOTS) or 1]
    parts.append(svg.dots(((across(x), up(min(max(y, low), high))) for x, y in shown), kind))
    parts.append(svg.text((across(low) + across(high)) / 2, _HEIGHT - 4, names[0]))
    parts.append(svg.turned(11, (up(low) + up(high)) / 2, names[1]))
    return svg.picture(_WIDTH, _HEIGHT, label, parts)
