"""Charts by Plotly in its own templates, drawn by its script in headless Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.transfer.asked import Table, cell, rng_of, table
from benchmarks.transfer.plotly_page import photographed, shown_range

if TYPE_CHECKING:
    from random import Random

    from benchmarks.transfer.asked import Drawn

DESIGNS = ("bar", "horizontal bar", "labelled bar", "line", "grouped", "area")
_TEMPLATES = (
    "plotly",
    "plotly_white",
    "plotly_dark",
    "ggplot2",
    "seaborn",
    "simple_white",
    "presentation",
)


def draw(index: int) -> Drawn:
    """Design after design, each in any of the templates."""
    rng = rng_of("chart_plotly", index)
    design = DESIGNS[index % len(DESIGNS)]
    shown = table(rng, several=design == "grouped", ordered=design in ("line", "area"))
    width, height = rng.choice(((480, 360), (560, 400), (640, 420)))
    scale = rng.choice((0.75, 1, 1.5))
    image = photographed(_figure(rng, design, shown), width, height, scale)
    ends = shown_range("xaxis" if design == "horizontal bar" else "yaxis")
    return image, *cell(rng, shown, ends)


def _figure(rng: Random, design: str, shown: Table) -> Any:
    from plotly import graph_objects as go

    names, columns = list(shown.names), shown.columns()
    amount, over = f"{shown.measure} ({shown.unit})", shown.over
    template = rng.choice(_TEMPLATES)
    match design:
        case "horizontal bar":
            traces: list[Any] = [go.Bar(x=columns[0], y=names, orientation="h")]
            over, amount = amount, over
        case "labelled bar":
            traces = [
                go.Bar(
                    x=names,
                    y=columns[0],
                    text=columns[0],
                    textposition=rng.choice(("outside", "auto")),
                )
            ]
        case "line":
            traces = [
                go.Scatter(x=names, y=columns[0], mode=rng.choice(("lines+markers", "lines")))
            ]
        case "area":
            traces = [go.Scatter(x=names, y=columns[0], fill="tozeroy", mode="lines+markers")]
        case "grouped":
            traces = [
                go.Bar(x=names, y=column, name=name)
                for name, column in zip(shown.series, columns, strict=True)
            ]
        case _:
            traces = [go.Bar(x=names, y=columns[0], marker_line_width=rng.choice((0, 2)))]
    figure = go.Figure(traces)
    figure.update_layout(
        template=template,
        title=rng.choice((None, f"{shown.measure} by {shown.over}".capitalize())),
        margin={"l": 75, "r": 25, "t": 60, "b": 60},
        barmode="group",
        font_family=rng.choice(("Roboto", "Source Serif Pro", "Hanken Grotesk")),
        font_size=rng.choice((12, 14)),
    )
    figure.update_xaxes(title=over, type=None if design == "horizontal bar" else "category")
    figure.update_yaxes(
        title=amount, type="category" if design == "horizontal bar" else None, automargin=True
    )
    return figure
