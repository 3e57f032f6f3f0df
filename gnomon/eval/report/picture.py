"""One picture of what a report says first, for a README or a talk."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.answers.types import TYPES
from gnomon.atomic import put_bytes
from gnomon.eval.comparing import runs as shared
from gnomon.eval.comparing.groups import Group, grouped
from gnomon.eval.comparing.runs import RunResult
from gnomon.eval.comparing.seeds import marks
from gnomon.eval.report.page import date_of, title_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_INK, _SOFT, _RULE, _BAR = "#1d232b", "#5b6572", "#d9dee5", "#5573ff"
_MOST = 8
_WIDTH, _ROW, _DPI = 6.0, 0.27, 200
"""Inches: 1,200 pixels, whose smallest letters are read at 600 too."""


def write_picture(file: Path, runs: Sequence[RunResult]) -> Path:
    """Draw each type's first share or mean, a bar for each run, or for a recipe over its seeds.

    The first eight are shown.
    """
    from matplotlib.figure import Figure

    groups = grouped(runs)
    kinds = shared.kinds(runs)
    title = textwrap.wrap(
        title_of([replace(group.runs[0], name=group.name) for group in groups]), 60
    )
    shown = groups[:_MOST]
    rows = sum(len(shown) + 1.3 for _ in kinds)
    top, bottom = 0.2 + 0.25 * len(title), 0.32
    height = top + _ROW * rows + bottom
    figure = Figure(figsize=(_WIDTH, height), dpi=_DPI, facecolor="white")
    figure.text(0.03, 1 - 0.12 / height, "\n".join(title), size=11, weight="bold", color=_INK,
                va="top", linespacing=1.35, parse_math=False)  # fmt: skip
    y = height - top
    for kind in kinds:
        _panel(figure, shown, kind, y, height)
        y -= _ROW * (len(shown) + 1.3)
    more = f" · {len(groups) - _MOST} more in the report" if len(groups) > _MOST else ""
    told = f"95 % intervals · {date_of(runs)}{more} · made with gnomon".replace("·  ·", "·")
    figure.text(0.03, 0.1 / height, told, size=7, color=_SOFT, parse_math=False)
    data = BytesIO()
    figure.savefig(data, metadata={"Software": None})
    put_bytes(file, data.getvalue())
    return file


def _panel(figure: Figure, groups: Sequence[Group], kind: str, top: float, height: float) -> None:
    line, found = next(iter(marks(groups, kind)))
    figure.text(0.03, (top - 0.2) / height, f"{TYPES[kind].title}: {line.label}", size=8.5,
                color=_SOFT, parse_math=False)  # fmt: skip
    tall = _ROW * len(found)
    axes = figure.add_axes((0.26, (top - 0.32 - tall) / height, 0.4, tall / height))
    end = 100.0 if line.unit == "%" else max(max(m.interval or (m.value,)) for m in found) or 1.0
    axes.set(xlim=(0, end), ylim=(len(found) - 0.5, -0.5))
    axes.set_axis_off()
    for row, mark in enumerate(found):
        axes.barh(row, end, color=_RULE, height=0.55, alpha=0.5)
        axes.barh(row, mark.value, color=_BAR, height=0.55)
        if mark.interval:
            axes.hlines(row, *mark.interval, color=_INK, lw=1.4)
        name = (
            textwrap.shorten(mark.label, 22, placeholder="…")
            if " " in mark.label
            else (mark.label if len(mark.label) <= 22 else mark.label[:21] + "…")
        )
        figures = mark.tip.removeprefix(f"{mark.label}: ")
        for text, place, align in ((name, -0.03, "right"), (figures, 1.03, "left")):
            axes.annotate(text, (place, row), xycoords=("axes fraction", "data"), ha=align,
                          va="center", size=8.5, color=_INK, annotation_clip=False,
                          parse_math=False)  # fmt: skip
