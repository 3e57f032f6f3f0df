"""How far off the answers are: the share of answers in each class, a bar a run."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from gnomon.eval.report.plots import svg

_WIDTH, _LEFT, _RIGHT, _TOP = 360, 76, 46, 6
_BAR, _GAP = 12, 8


def histogram(
    classes: Sequence[str], counts: Sequence[Sequence[int]], names: Sequence[str], label: str
) -> Markup:
    """Horizontal bars: `counts[run][class]`, drawn as shares of each run's answers."""
    totals = [max(1, sum(run)) for run in counts]
    shares = [[n / total for n in run] for run, total in zip(counts, totals, strict=True)]
    longest = max(0.01, max(share for run in shares for share in run))
    scale = svg.Scale(0, longest, _LEFT, _WIDTH - _RIGHT)
    group = len(counts) * _BAR + _GAP
    parts = []
    for row, name in enumerate(classes):
        top = _TOP + row * group
        parts.append(svg.text(_LEFT - 6, top + len(counts) * _BAR / 2 + 4, name, anchor="end"))
        for run, share in enumerate(run_shares[row] for run_shares in shares):
            tip = f"{names[run]}: {counts[run][row]} of {totals[run]}"
            parts += _bar(scale, top + run * _BAR, share, svg.colour("run", run), tip)
    bottom = _TOP + len(classes) * group
    parts.append(svg.line(_LEFT, _TOP - 4, _LEFT, bottom - _GAP + 4, "axis"))
    return svg.picture(_WIDTH, bottom, label, parts)


def _bar(scale: svg.Scale, y: float, share: float, kind: str, tip: str) -> list[str]:
    end = scale(share)
    words = f"{100 * share:.1f} %" if share else "0"
    return [
        svg.bar(scale.start, y, max(end - scale.start, 0.5), _BAR - 1.5, kind, tip),
        svg.text(end + 4, y + _BAR - 2.5, words, anchor="start", kind="small"),
    ]
