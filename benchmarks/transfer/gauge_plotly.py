"""Gauges of dashboards: Plotly's indicators, round and as a bullet, without their number."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from benchmarks.transfer.asked import gauge, number, rng_of
from benchmarks.transfer.plotly_page import photographed

if TYPE_CHECKING:
    from random import Random

    from benchmarks.transfer.asked import Drawn

DESIGNS = ("angular", "angular steps", "bullet")
_SCALES = ("% 0 100 20", "km/h 0 200 20", "°C 0 40 5", "kW 0 500 100", "GB 0 16 2", "bar 0 6 1")
"""Unit, both ends, and how far the ticks stand apart."""


def draw(index: int) -> Drawn:
    """Design after design; readings on ticks, halves and quarters between them."""
    rng = rng_of("gauge_plotly", index)
    design = DESIGNS[index % len(DESIGNS)]
    unit, low, high, apart = rng.choice(_SCALES).split()
    quarters = round((Decimal(high) - Decimal(low)) / Decimal(apart)) * 4
    value = Decimal(low) + Decimal(apart) * rng.randint(1, quarters) / 4
    width, height = rng.choice(((360, 270), (420, 320))) if design != "bullet" else (460, 150)
    figure = _figure(rng, design, unit, float(low), float(high), float(apart), float(value))
    image = photographed(figure, width, height, rng.choice((0.75, 1, 1.5)))
    return image, gauge(rng, "gauge", unit), number(value, (float(low), float(high)))


def _figure(
    rng: Random, design: str, unit: str, low: float, high: float, apart: float, value: float
) -> Any:
    from plotly import graph_objects as go

    colour = rng.choice(("#1f77b4", "darkblue", "#2ca02c", "#ff7f0e", "#636efa"))
    inside: dict[str, Any] = {
        "axis": {"range": [low, high], "tick0": low, "dtick": apart, "tickmode": "linear"},
        "bar": {"color": colour, "thickness": rng.choice((0.3, 0.6, 1.0))},
        "bgcolor": "white", "borderwidth": rng.choice((1, 2)),
    }  # fmt: skip
    if design == "angular steps":
        cut, next_cut = low + 0.5 * (high - low), low + 0.8 * (high - low)
        shades = rng.choice((("#d9f2d9", "#fff3cd", "#f8d7da"), ("#f2f2f2", "#d9d9d9", "#bfbfbf")))
        ends = (low, cut, next_cut, high)
        inside["steps"] = [
            {"range": [a, b], "color": c} for a, b, c in zip(ends, ends[1:], shades, strict=False)
        ]
    if design == "bullet":
        inside["shape"] = "bullet"
    figure = go.Figure(
        go.Indicator(
            mode="gauge", value=value, gauge=inside, title={"text": unit, "font": {"size": 16}}
        )
    )
    dark = rng.random() < 0.25
    margin = (
        {"l": 60, "r": 35, "t": 55, "b": 45}
        if design == "bullet"
        else {"l": 45, "r": 45, "t": 60, "b": 20}
    )
    figure.update_layout(
        template="plotly_dark" if dark else "plotly",
        margin=margin,
        font_family=rng.choice(("Roboto", "Hanken Grotesk")),
    )
    return figure
